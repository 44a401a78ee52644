"""Ctrl-C, and the end of whoever started the workers."""

import os
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pytest

from gridproof_properties.campaign.workers import open_workers
from tests.house.source_tree import ROOT

PATIENCE_S = 60.0


DELAYS_S = (3, 9, 27)
"""How long a command works before it is interrupted: longer where a busy machine has only just begun."""


@pytest.fixture(autouse=True)
def hears_ctrl_c() -> Iterator[None]:
    """Have what is started hear Ctrl-C, even where the tests themselves run in the background and ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start(words: Sequence[str], delay_s: float) -> subprocess.Popen[str]:
    """Start a command in a group of processes of its own, as a terminal does, and let it work for a while."""
    command = [sys.executable, "-m", "gridproof", *words]
    started = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(delay_s)
    return started


def test_ctrl_c_while_python_imports_is_one_line() -> None:
    module, name = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]["gridproof"].split(":")
    code = f"""
import sys
class Interrupted:
    def find_spec(self, name, *_):
        if name == "gridproof.command":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
from {module} import {name}
sys.exit({name}())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (130, "", "gridproof: interrupted\n")


def is_gone(group: int) -> bool:
    """Whether no process of a group is left after some patience."""
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


def interrupt(words: Sequence[str], delay_s: float) -> tuple[subprocess.Popen[str], str, str]:
    """Interrupt a command after a while; return it, and what it printed on both outputs."""
    running = start(words, delay_s)
    os.killpg(running.pid, signal.SIGINT)
    try:
        said, errors = running.communicate(timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        # One that goes on would take the machine from every test behind it.
        os.killpg(running.pid, signal.SIGKILL)
        raise
    return running, said, errors


@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.nightly), "2"])
def test_ctrl_c_prints_what_was_found_until_then(workers: str) -> None:
    words = ["simulate", "--runs", "100000", "--workers", workers]
    tries = (interrupt(words, delay_s) for delay_s in DELAYS_S)

    running, said, errors = next(one for one in tries if one[1])

    assert running.returncode == 130
    assert "runs of the simulated reference" in said
    assert "Traceback" not in errors
    assert errors.startswith("gridproof: interrupted; these are ")
    assert is_gone(running.pid)


def test_a_command_that_is_killed_leaves_no_worker_behind() -> None:
    running = start(["simulate", "--runs", "100000", "--workers", "2"], 4)

    running.kill()
    running.communicate(timeout=PATIENCE_S)

    assert is_gone(running.pid)


@pytest.mark.live
@pytest.mark.xdist_group("live")
@pytest.mark.parametrize(
    "systems",
    [["reference"], pytest.param(["vecgrid", "reference"], marks=pytest.mark.nightly)],
    ids=["one", "two"],
)
def test_an_audit_that_is_interrupted_says_what_it_found(systems: Sequence[str], tmp_path: Path) -> None:
    words = ["check", "--members", "12", *(word for name in systems for word in ("--system", name))]
    tries = (interrupt([*words, "--out", str(tmp_path / str(delay_s))], delay_s) for delay_s in DELAYS_S)

    running, said, errors = next(one for one in tries if list(tmp_path.glob("*/**/trace.*")))

    assert said
    assert running.returncode in (0, 1, 3)  # VecGrid breaks promises, if it gets so far
    assert "Traceback" not in errors
    assert is_gone(running.pid)


def test_an_exploration_that_is_interrupted_says_what_it_found(tmp_path: Path) -> None:
    words = ["explore", "two_phase_commit", "--size", "11", "--out"]
    tries = (interrupt([*words, str(tmp_path / str(delay_s))], delay_s) for delay_s in DELAYS_S)

    running, said, errors = next(one for one in tries if "not every state was explored" in one[1])

    assert (running.returncode, errors) == (3, "")
    assert "not every state was explored: it was interrupted" in said
    assert list(tmp_path.glob("*/a_prepared_manager_waits_for_an_undecided_coordinator.json"))
    assert is_gone(running.pid)


@pytest.mark.spark
@pytest.mark.xdist_group("spark")
@pytest.mark.parametrize(
    "after_s", [pytest.param(3, id="while Java starts"), pytest.param(12, id="later", marks=pytest.mark.nightly)]
)
def test_a_campaign_that_is_interrupted_says_one_line(after_s: int, tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text('runs = 100000\n[set]\ntime = "60s"\narrival = "20/s"\n')

    words = ["campaign", str(tmp_path / "long.toml"), "--out", str(tmp_path / "out")]
    running, said, errors = interrupt(words, after_s)

    assert (running.returncode, errors.count("\n"), "Traceback" in said) == (130, 1, False), errors
    assert is_gone(running.pid)


SLOW_START = """
import os, sys, time, _posixsubprocess
start = _posixsubprocess.fork_exec
def start_slowly(words, *rest):
    process = start(words, *rest)
    time.sleep(b"--multiprocessing-fork" in map(os.fsencode, words))
    return process
_posixsubprocess.fork_exec = start_slowly
"""
"""Has half a worker stand there for a second."""


@pytest.mark.nightly
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("moment", range(6))
def test_a_command_ends_without_a_traceback_whenever_it_hears_of_it(
    number: signal.Signals, moment: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sitecustomize.py").write_text(SLOW_START)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    running = start(["simulate", "--runs", "100000", "--workers", "2"], Random(moment).uniform(1, 6))

    os.killpg(running.pid, number)
    _, errors = running.communicate(timeout=PATIENCE_S)

    assert (running.returncode, errors.count("\n"), is_gone(running.pid)) == (130, 1, True), errors


INTERRUPTS_ITSELF = """
import os, signal, time
from multiprocessing import resource_tracker, util
from threading import Thread
from gridproof_properties.campaign.workers import open_workers

begin = util.spawnv_passfds

def begin_and_interrupt(*asked):
    process = begin(*asked)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)
    return process

if __name__ == "__main__":
    resource_tracker.ensure_running()
    util.spawnv_passfds = begin_and_interrupt
    # The system lets this thread hear what the main thread holds back.
    Thread(target=time.sleep, args=(1,)).start()
    try:
        with open_workers(1):
            print("not interrupted")
    except KeyboardInterrupt:
        print("interrupted")
"""


def test_ctrl_c_leaves_no_half_of_a_worker_behind(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(INTERRUPTS_ITSELF)

    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def signals_held_back() -> set[int]:
    return {int(one) for one in signal.pthread_sigmask(signal.SIG_BLOCK, [])}


def test_workers_never_hear_ctrl_c() -> None:
    with open_workers(2) as workers:
        held_back = [workers.submit(signals_held_back).result() for _ in range(2)]

    assert [one >= {signal.SIGINT, signal.SIGHUP} for one in held_back] == [True, True]
