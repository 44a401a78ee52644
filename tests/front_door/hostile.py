"""What every hostile input is owed, whichever command reads it."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest
from hypothesis import HealthCheck

from tests.front_door.command_line import CommandLine, Outcome

PATIENCE_S = 120
CALM = (HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large)


@contextmanager
def patience(words: object) -> Iterator[None]:
    """Fail what takes too long."""

    def give_up(_signal: int, _frame: FrameType | None) -> None:
        pytest.fail(f"gridproof {words} does not come to its end")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(PATIENCE_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def judge(done: Outcome, words: object, left: set[Path]) -> None:
    """Hold one outcome against what every command owes."""
    assert done.status in (0, 1, 2, 3), words
    assert "Traceback" not in done.err, words
    if done.status == 2:
        assert len(done.err.splitlines()) == 1, (words, done.err)
        assert done.err.startswith("gridproof"), (words, done.err)
        assert done.out == "", (words, done.out)
        assert left == set(), (words, left)


def try_one(gridproof: CommandLine, folder: Path, words: list[str]) -> Outcome:
    """Type one command line, judge what comes of it, and return it."""
    before = _files(folder)
    with patience(words):
        done = gridproof(*words)
    judge(done, words, _files(folder) - before)
    return done


def _files(folder: Path) -> set[Path]:
    # Python keeps what it compiled of a user's module beside it, unless PYTHONDONTWRITEBYTECODE forbids that.
    return {path for path in folder.rglob("*") if "__pycache__" not in path.parts}
