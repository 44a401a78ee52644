"""Whoever ends the process: what leaves without a verdict is never green, and leaves nothing half written."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet

from gridproof_properties.child import EndedError, apart
from gridproof_properties.exit_status import ExitStatus

ENDS = {
    "os._exit": "os._exit(0)",
    "C's exit": "ctypes.CDLL(None)._exit(0)",
    "another program": "os.execv('/bin/true', ['true'])",
    "a thread": "threading.Thread(target=os._exit, args=(0,)).start(); time.sleep(60)",
    "a fork that comes back": "os.fork() == 0 or os._exit(0)",
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "an exit": "sys.exit(0)",
    "an error of its own kind": "raise type('Own', (BaseException,), {})('done')",
}
IMPORTS = "import atexit, ctypes, os, signal, sys, threading, time\n"
BROKEN = (
    IMPORTS
    + """
from gridproof_model.language import Int, Specification, Step
mine = Specification("mine", "A number → 1 \\U0001f600.", source="this test")
x = mine.variable("x", Int(0, 1), "It.", initial=0)

@mine.action(source="this test")
def rises():
    "It rises."
    return Step(when=[x < 1], then=[x.becomes(x + 1)])

@mine.always(source="this test")
def stays():
    "It does not."
    return x == 0

atexit.register(os._exit, 0)
"""
)
ADAPTER = (
    IMPORTS
    + """
from contextlib import contextmanager
from dataclasses import replace
from gridproof_implementation.adapters import get_adapter

REFERENCE = get_adapter("reference")

class Grid:
    def __init__(self, grid):
        self._grid, self._writes = grid, 0

    def write(self, *rest):
        self._writes += 1
        if self._writes == 5:
            {end}
        return self._grid.write(*rest)

    def __getattr__(self, name):
        return getattr(self._grid, name)

@contextmanager
def opened(options):
    with REFERENCE.open(options) as grid:
        yield Grid(grid)

ADAPTER = replace(REFERENCE, name="own", open=opened)
"""
)


def typed(folder: Path, *words: str, **surroundings: str) -> subprocess.CompletedProcess[str]:
    """Type a command, as a shell does: a process whose end is seen."""
    line = [sys.executable, "-m", "gridproof", *words]
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"} | surroundings
    return subprocess.run(line, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=120)


NIGHTLY = ("another program", "a thread", "an exit", "twice", "a function")
"""Ends and forks that are noticed as others are."""


def by_day_or_night(rows: Mapping[str, str]) -> list[ParameterSet]:
    return [pytest.param(row, id=name, marks=[pytest.mark.nightly] * (name in NIGHTLY)) for name, row in rows.items()]


@pytest.mark.parametrize("end", by_day_or_night(ENDS))
def test_a_module_that_ends_the_process_is_one_line_and_not_green(end: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{IMPORTS}{end}\n")

    ended = typed(tmp_path, "show", "mine.py")

    assert ended.returncode in (ExitStatus.WRONG_USE, ExitStatus.UNKNOWN)
    assert "mine.py" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


@pytest.mark.parametrize(
    "words",
    [
        "explore mine.py",
        pytest.param("prove mine.py", marks=pytest.mark.nightly),
        pytest.param("measure mine.py --rate *=1/s", marks=pytest.mark.nightly),
        pytest.param("export mine.py --out out", marks=pytest.mark.nightly),
        "validate log.jsonl --table mine.py:TABLE",
        "check --system mine.py:ADAPTER",
        pytest.param("check --system mine.py:ADAPTER --system reference", marks=pytest.mark.nightly),
        "check --runs 1 --system mine.py:ADAPTER",
    ],
)
def test_every_command_notices(words: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import os\nos._exit(0)\n")

    ended = typed(tmp_path, *words.split())

    assert ended.returncode == ExitStatus.UNKNOWN
    assert ended.stderr == (
        "gridproof: the code of mine.py ended the process with status 0 before it gave a verdict, so nothing is known; "
        "mend mine.py\n"
    )
    assert [one.name for one in tmp_path.iterdir()] == ["mine.py"]


def test_a_verdict_stands_whatever_ends_python_afterwards(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BROKEN)

    ended = typed(tmp_path, "explore", "mine.py")

    assert ended.returncode == ExitStatus.BROKEN
    assert "stays" in ended.stdout


def test_results_stand_where_the_command_was_typed_wherever_a_module_goes(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{BROKEN}os.chdir('/')\n")

    ended = typed(tmp_path, "explore", "mine.py", "--out", "out")

    assert ended.returncode == ExitStatus.BROKEN
    assert any((tmp_path / "out").iterdir())


def test_an_adapter_that_ends_the_process_leaves_nothing_half_written(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(ADAPTER.replace("{end}", "os._exit(0)"))

    ended = typed(tmp_path, "check", "--system", "own.py:ADAPTER", "--out", "out/deep")

    assert ended.returncode == ExitStatus.UNKNOWN
    assert "the code of own.py ended the process with status 0" in ended.stderr
    assert not (tmp_path / "out").exists()


FORGING = """
import os
for one in range(3, 40):
    try:
        os.write(one, b"{said}")
    except OSError:
        pass
os._exit(0)
"""


@pytest.mark.parametrize("said", ["v0", "v0\\0", "i/bin/true\\0"])
def test_whoever_writes_to_every_descriptor_says_no_verdict(said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FORGING.format(said=said))

    assert typed(tmp_path, "explore", "mine.py").returncode == ExitStatus.UNKNOWN


FORKS = {
    "a module": "os.fork()",
    "twice": "os.fork()\nos.fork()",
    "a function": "def forked():\n  os.fork()\nforked()",
    "an error": "if not os.fork(): raise ValueError",
    "a child that works": "if not os.fork(): open('worked', 'w').close()",
}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a module that does not fork."""
    folder = tmp_path_factory.mktemp("alone")
    (folder / "mine.py").write_text(BROKEN.replace("atexit.register(os._exit, 0)", ""))
    return typed(folder, "show", "mine.py").stdout


@pytest.mark.xdist_group("forks")
@pytest.mark.parametrize("fork", by_day_or_night(FORKS))
def test_a_fork_that_comes_back_says_nothing(fork: str, alone: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{BROKEN.replace('atexit.register(os._exit, 0)', '')}{fork}\n")

    ended = typed(tmp_path, "show", "mine.py")

    assert (ended.returncode, ended.stdout, ended.stderr) == (ExitStatus.HOLDS, alone, "")
    assert "worked" not in fork or (tmp_path / "worked").exists()


EXITS = {
    "at exit": "atexit.register(sys.exit, 1)",
    "a destructor": "class Leaver:\n  def __del__(self): sys.exit(1)\nLeaver()",
    "a destructor at the end": "class Leaver:\n  def __del__(self): sys.exit(1)\nkept = Leaver()",
    "a weak reference": "import weakref\nw = weakref.ref(type('A', (), {})(), lambda _: sys.exit(1))",
}


@pytest.mark.parametrize("leaves", EXITS.values(), ids=EXITS)
def test_an_exit_that_ends_nothing_is_not_said(leaves: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{BROKEN.replace('atexit.register(os._exit, 0)', '')}{leaves}\n")

    ended = typed(tmp_path, "show", "mine.py")

    assert (ended.returncode, ended.stderr) == (ExitStatus.HOLDS, "")


@pytest.mark.parametrize("encoding", ["latin-1", "ascii"])
def test_what_a_terminal_cannot_show_is_written_out(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BROKEN)

    shown = typed(tmp_path, "show", "mine.py", PYTHONIOENCODING=encoding)

    assert shown.returncode == ExitStatus.HOLDS
    assert r"A number \u2192 1 \ud83d\ude00" in shown.stdout  # as JSON has it


def test_a_reader_who_leaves_changes_no_status(tmp_path: Path) -> None:
    line = f"{sys.executable} -m gridproof show ownership | true; echo ${{PIPESTATUS[0]}}"

    ended = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert (ended.stdout, ended.stderr) == ("0\n", "")


def test_a_command_whose_parent_is_killed_ends(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("import os, time\nopen('pid', 'w').write(str(os.getpid()))\ntime.sleep(60)\n")
    with subprocess.Popen([sys.executable, "-m", "gridproof", "show", "mine.py"], cwd=tmp_path) as command:
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.05)
        command.kill()
    child = Path("/proc") / (tmp_path / "pid").read_text() / "cmdline"

    for _ in range(600):
        if not child.exists() or not child.read_bytes():
            return
        time.sleep(0.05)
    pytest.fail("the child goes on")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda one: one.name)
def test_what_ci_systems_send_is_ctrl_c(number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import time\ntry:\n  open('begun', 'w').close()\n  time.sleep(60)\nfinally:\n  open('left', 'w').close()\n"
    )
    line = [sys.executable, "-m", "gridproof", "show", "mine.py"]
    before = signal.signal(number, signal.SIG_DFL)  # under nohup a child would inherit that SIGHUP is ignored
    with subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as command:
        signal.signal(number, before)
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
        command.send_signal(number)
        _, said = command.communicate(timeout=60)

    assert (command.returncode, said) == (ExitStatus.INTERRUPTED, "gridproof: interrupted\n")
    assert (tmp_path / "left").exists()


def test_a_signal_that_falls_into_a_destructor_is_not_lost(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import time\nclass Deaf:\n  def __del__(self):\n    open('begun', 'w').close()\n    time.sleep(60)\n"
        "Deaf()\ntime.sleep(60)\n"
    )
    line = [sys.executable, "-m", "gridproof", "show", "mine.py"]
    with subprocess.Popen(line, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as command:
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
        command.send_signal(signal.SIGTERM)
        _, said = command.communicate(timeout=30)

    assert (command.returncode, said) == (ExitStatus.INTERRUPTED, "gridproof: interrupted\n")


def test_work_apart_gives_back_what_it_returns() -> None:
    assert apart(lambda: {"a": [1, 2]}) == {"a": [1, 2]}


def test_work_apart_that_is_ended_is_an_error() -> None:
    with pytest.raises(EndedError, match="the process ended with status 0 before it gave a verdict"):
        apart(lambda: os._exit(0))


@pytest.mark.parametrize("end", ["os.close(1)", "sys.stdout.close()", "os.dup2(os.open(os.devnull, os.O_RDWR), 1)"])
def test_whoever_closes_standard_output_closes_their_own(end: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{BROKEN}{end}\n")

    ended = typed(tmp_path, "explore", "mine.py")

    assert (ended.returncode, ended.stderr) == (ExitStatus.BROKEN, "")
    assert "stays" in ended.stdout


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [("show mine.py > /dev/full", 2, "No space left on device"), ("show none.py 2> /dev/full", 2, "")],
)
def test_an_output_without_room_is_one_line_at_most(words: str, status: int, said: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BROKEN)

    line = ["bash", "-c", f"{sys.executable} -m gridproof {words}"]
    ended = subprocess.run(line, cwd=tmp_path, capture_output=True, text=True, check=False)

    assert ended.returncode == status
    assert said in ended.stderr
    assert len(ended.stderr.splitlines()) == (1 if said else 0)


DEAF = {
    "stopped": "os.kill(os.getpid(), signal.SIGSTOP)",
    "ignoring": "[signal.signal(n, signal.SIG_IGN) for n in (2, 15)]",
    "swallowing": "while True:\n  try: time.sleep(60)\n  except BaseException: pass",
    "swallowing in a library": "from contextlib import *\nwhile 1:\n  with suppress(BaseException): time.sleep(60)",
}


@pytest.mark.parametrize("deaf", DEAF.values(), ids=DEAF)
def test_who_hears_no_signal_is_ended(deaf: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{IMPORTS}open('begun', 'w').close()\n{deaf}\ntime.sleep(60)\n")
    impatient = "from gridproof_properties import child; child.HEARING_S = 0.3"
    line = [sys.executable, "-c", f"{impatient}; from gridproof.cli import main; raise SystemExit(main())"]
    with subprocess.Popen([*line, "show", "mine.py"], cwd=tmp_path, stderr=subprocess.PIPE, text=True) as command:
        while not (tmp_path / "begun").exists():
            time.sleep(0.05)
        time.sleep(0.1)
        command.send_signal(signal.SIGTERM)
        _, said = command.communicate(timeout=30)

    assert command.returncode == ExitStatus.INTERRUPTED
    assert said.startswith("gridproof: interrupted")
