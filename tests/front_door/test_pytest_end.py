"""Pytest that somebody ends: without a verdict it is never green, and every other end is as it was."""

import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from gridproof_properties.exit_status import ExitStatus

ENDS = {
    "os._exit": "import os; os._exit(0)",
    "posix._exit": "import posix; posix._exit(0)",
    "C's": "import ctypes; ctypes.CDLL(None)._exit(0)",
    "another program": "import os; os.execv('/bin/true', ['true'])",
    "a thread": "import os, threading, time; threading.Thread(target=os._exit, args=(0,)).start(); time.sleep(60)",
    "a fork that comes back": "import os; os.fork() == 0 or os._exit(0)",
}
PLACES = {
    "a conftest": ("conftest.py", "{}"),
    "a hook": ("conftest.py", "def pytest_configure(): {}"),
    "a hook of the end": ("conftest.py", "def pytest_sessionfinish(): {}"),
    "a module": ("test_own.py", "{}"),
    "a strategy": (
        "test_own.py",
        "from hypothesis import given, strategies as st\n"
        "def end(_): {}\n@given(st.builds(end, st.none()))\ndef test_own(_): pass",
    ),
}
NAMED = ("--gridproof-system=reference", "-k", "test_own")
"""Has a process of its own from the start, and loads every property."""
USES = "import gridproof\nfrom gridproof import Options\nassert Options is not None\n"
"""At the beginning of a file of tests: has one once they are collected, and loads little."""


def line_of(*words: str) -> list[str]:
    """Return how pytest is typed with the plugin, and no other."""
    return [sys.executable, "-m", "pytest", "-q", "-p", "gridproof.pytest_plugin", "-p", "no:cacheprovider", *words]


def surroundings() -> dict[str, str]:
    """Return what it is typed in."""
    return os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def typed(folder: Path, files: dict[str, str], words: Sequence[str] = NAMED) -> subprocess.CompletedProcess[str]:
    """Type it where these files are; a test that passes is one of them unless they have it."""
    for name, text in {"test_own.py": "def test_own(): pass", **files}.items():
        (folder / name).write_text(f"{text}\n")
    line = line_of(*words)
    return subprocess.run(
        line, cwd=folder, env=surroundings(), capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_wherever_it_is_ended_with_0_nothing_is_known(place: tuple[str, str], tmp_path: Path) -> None:
    name, text = place

    ended = typed(tmp_path, {name: text.format(ENDS["os._exit"])})

    assert ended.returncode == ExitStatus.UNKNOWN
    assert ended.stderr.startswith("gridproof: pytest ended with status 0 before it gave a verdict, ")
    assert ended.stderr.count("\n") == 1


NIGHTLY = ("posix._exit", "another program", "a thread")


@pytest.mark.parametrize(
    "end", [pytest.param(end, id=name, marks=[pytest.mark.nightly] * (name in NIGHTLY)) for name, end in ENDS.items()]
)
def test_however_it_is_ended_with_0_nothing_is_known(end: str, tmp_path: Path) -> None:
    ended = typed(tmp_path, {"test_own.py": f"{USES}def test_own(): {end}"}, ())

    assert ended.returncode == ExitStatus.UNKNOWN
    assert "after test_own.py::test_own had begun" in ended.stderr


@pytest.mark.parametrize("place", ["a conftest", "a hook"])
def test_under_xdist_it_is_noticed_too(place: str, tmp_path: Path) -> None:
    name, text = PLACES[place]

    ended = typed(tmp_path, {name: text.format(ENDS["os._exit"])}, (*NAMED, "-p", "xdist", "-n", "1"))

    assert ended.returncode == ExitStatus.UNKNOWN
    assert "before its first test" in ended.stderr


@pytest.mark.parametrize(("test", "status"), [("pass", 0), ("assert 0", 1)])
@pytest.mark.parametrize("when", ["import atexit\natexit.register({})", "def pytest_unconfigure(): {}()"])
def test_a_verdict_stands_whatever_ends_python_afterwards(when: str, test: str, status: int, tmp_path: Path) -> None:
    conftest = f"import os\ndef end(): os._exit(0)\n{when.format('end')}"

    ended = typed(tmp_path, {"conftest.py": conftest, "test_own.py": f"{USES}def test_own(): {test}"}, ())

    assert (ended.returncode, ended.stderr) == (status, "")


def test_a_status_of_somebodys_own_is_left_as_it_is(tmp_path: Path) -> None:
    ended = typed(tmp_path, {"conftest.py": "import os; os._exit(7)"})

    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "", "")


def test_what_leaves_by_the_exit_of_pytest_with_0_is_not_green(tmp_path: Path) -> None:
    ended = typed(tmp_path, {"test_own.py": "import pytest\ndef test_own(): pytest.exit('enough', returncode=0)"})

    assert ended.returncode == ExitStatus.UNKNOWN
    assert ended.stderr == "gridproof: pytest.exit came before every test had run; nothing is known\n"


def test_tests_that_use_gridproof_are_noticed_without_a_system(tmp_path: Path) -> None:
    ended = typed(tmp_path, {"test_own.py": f"{USES}def test_own(): {ENDS['os._exit']}"}, ())

    assert ended.returncode == ExitStatus.UNKNOWN
    assert "after test_own.py::test_own had begun" in ended.stderr


SHOWS = "import os\ndef test_own(): open('who', 'w').write(f'{os.getppid()}')"


@pytest.mark.parametrize(
    ("before", "goes_on"),
    [
        ("", False),
        (USES, True),
        (f"{USES}import threading\nthreading.Thread(target=threading.Event().wait, daemon=True).start()\n", False),
    ],
    ids=["no gridproof", "gridproof", "beside a thread"],
)
def test_who_does_not_use_gridproof_or_has_threads_has_pytest_as_ever(
    before: str, goes_on: bool, tmp_path: Path
) -> None:
    ended = typed(tmp_path, {"test_own.py": f"{before}{SHOWS}"}, ())

    assert ended.returncode == 0
    assert ((tmp_path / "who").read_text() != str(os.getpid())) is goes_on


def test_a_program_that_calls_pytest_goes_on_behind_it(tmp_path: Path) -> None:
    words = [
        "--gridproof-system=reference",
        "-k",
        "test_own",
        "-p",
        "gridproof.pytest_plugin",
        "-p",
        "no:cacheprovider",
    ]
    (tmp_path / "test_own.py").write_text(SHOWS)
    program = f"import os, pytest\nprint('ended', int(pytest.main({words})), os.getppid())"

    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=surroundings(), capture_output=True, text=True, check=False
    )

    assert ended.stdout.endswith(f"ended 0 {os.getpid()}\n")


SLEEPS = f"{USES}import time\ndef test_own():\n  open('begun', 'w').close()\n  time.sleep(60)"


def begun(folder: Path, line: list[str], stdin: int | None = None) -> subprocess.Popen[str]:
    """Start pytest, and return once its test has begun."""
    (folder / "test_own.py").write_text(SLEEPS)
    process = subprocess.Popen(line, cwd=folder, env=surroundings(), stdout=subprocess.PIPE, stdin=stdin, text=True)
    while not (folder / "begun").exists():
        time.sleep(0.05)
    return process


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 2), (signal.SIGTERM, -15), (signal.SIGUSR1, -10)])
def test_signals_end_it_as_they_do(number: signal.Signals, status: int, tmp_path: Path) -> None:
    with begun(tmp_path, line_of()) as process:
        process.send_signal(number)
        said, _ = process.communicate(timeout=60)

    assert process.returncode == status
    assert ("KeyboardInterrupt" in said) is (number is signal.SIGINT)


def test_ctrl_c_of_a_terminal_is_heard_once(tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    with begun(tmp_path, ["setsid", "-c", *line_of()], stdin=theirs) as process:
        os.write(ours, b"\x03")
        said, _ = process.communicate(timeout=60)

    assert process.returncode == 2
    assert said.splitlines()[-1].startswith("no tests ran in ")


def test_who_kills_it_kills_its_tests(tmp_path: Path) -> None:
    with begun(tmp_path, line_of()) as process:
        process.kill()
        process.communicate(timeout=10)  # the test would hold the output open for a minute

    assert process.returncode == -signal.SIGKILL


def test_a_debugger_reads_what_is_typed(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(f"{USES}def test_own(): assert 0")
    line, typed_in = line_of("--pdb"), "print(6 * 7)\nq\n"

    ended = subprocess.run(
        line, cwd=tmp_path, env=surroundings(), input=typed_in, capture_output=True, text=True, check=False
    )

    assert "(Pdb) 42\n" in ended.stdout
    assert ended.returncode == 2
