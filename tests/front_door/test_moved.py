"""What was a command once says in one line where it went."""

import pytest

from gridproof.commands import GRIDPROOF
from suite.commands import SUITE
from tests.front_door.command_line import CommandLine


@pytest.mark.parametrize(
    "line", ["zoo M03", "zoo --blind 3", "reach --runs 2", "explain 43 --mutant=X10", "simulate --coverage"]
)
def test_a_command_that_went_says_where(gridproof: CommandLine, line: str) -> None:
    done = gridproof(*line.split())

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert "in a clone of the repository type python -m suite" in done.err


def test_what_it_says_is_there() -> None:
    assert {there.split()[3] for there in GRIDPROOF.moved.values()} <= {one.name for one in SUITE.commands}
