"""Numbers of every option: one that no work can have is refused in one line, every other is followed."""

import argparse
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from gridproof.arguments.followed import SubjectOfCommand
from gridproof.ci.gate import least_runs
from tests.front_door.command_line import CommandLine, Outcome
from tests.front_door.subject_lines import words_of
from tests.house.source_tree import ROOT
from tools.options_page import SUBJECTS, parsers

NUMERIC = (int, float, least_runs)
NO_NUMBERS = ("nan", "-1", "", "x", "1e400", "9" * 5_000)
FROM_ZERO = frozenset({"--seed", "--backups", "--async-backups", "--at-least", "--shrink", "--minutes", "--depth"})
"""Options of which 0 is one more value."""
BUDGET = "--budget"
"""Has no upper end: it is a time that a search may take, and a time limit ends it."""
MEASURE = "measure little_worlds.py:whole --rate *=1/s"
IN_TEXTS = {
    "--time": (MEASURE, "{}s"),
    "--rate": ("measure little_worlds.py:whole", "*={}/s"),
    "--sweep": (MEASURE, "size=1..{}"),
    "--set": ("simulate --seed 3", "operations={}"),
    "--rate ": ("simulate --seed 3", "crash={}/30s"),
    "--set ": (MEASURE, "size={}"),
    "--until": ("campaign small.toml", "loss ± {} %"),
    "--split": ("study campaign", "{}"),
}
"""Options whose texts have numbers, with a line and what stands around the number."""


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    """What lines name."""
    for name in (
        "docs/examples/pocket_adapter.py",
        "docs/examples/pocket_grid.py",
        "tests/front_door/little_worlds.py",
    ):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "small.toml").write_text("runs = 1\n[set]\noperations = 4\n", "utf-8")


def numeric_options() -> Iterator[tuple[SubjectOfCommand, argparse.Action]]:
    """Yield every option that takes a number, with a kind of subject that follows it; each way to ask has its own."""
    for command, parser in parsers().items():
        for action in parser._actions:
            if action.option_strings and action.type in NUMERIC and action.nargs != 0:
                name = action.option_strings[-1]
                subjects = [one for one in SUBJECTS if one.command == command and name in one.follows]
                yield from ((one, action) for one in subjects if one is subjects[0] or one.chosen_by)


def name_of(one: object) -> str:
    """Return what a test is called by."""
    return one.option_strings[-1] if isinstance(one, argparse.Action) else getattr(one, "name", str(one))


@pytest.mark.parametrize(("subject", "action"), list(numeric_options()), ids=name_of)
def test_a_number_that_no_work_can_have_is_one_line(
    gridproof: CommandLine, subject: SubjectOfCommand, action: argparse.Action
) -> None:
    option = action.option_strings[-1]
    ends = [] if option == BUDGET or action.type is least_runs else [str(10**20)]
    zero = [] if option in FROM_ZERO else ["0"]

    for value in (*NO_NUMBERS, *ends, *zero):
        assert_refused(type_value(gridproof, subject, option, value), value)


@pytest.mark.parametrize(
    "line",
    [
        "simulate --seed 0 --members 1 --backups 0 --minutes 0 --at-least 0 --set operations=4",
        "replay 0 --members 1 --backups 0 --minutes 0 --at-least 0 --set operations=4",
        "explain 0 --members 1 --backups 0 --minutes 0 --set operations=4",
        "explore little_worlds.py:whole --depth 0 --backups 0",
        f"{MEASURE} --time 1s --split left --trials 2 --seed 0 --backups 0",
        "prove little_worlds.py:safe --find --seed 0 --backups 0",
        "check --system pocket_adapter.py:ADAPTER --members 1 --backups 0 --async-backups 0 --seed 0",
    ],
)
def test_zero_is_followed_where_it_is_one_more_value(gridproof: CommandLine, line: str) -> None:
    assert gridproof(*line.split()).status in (0, 1, 3)


@pytest.mark.parametrize("option", IN_TEXTS)
def test_a_text_with_such_a_number_is_one_line(gridproof: CommandLine, option: str) -> None:
    line, around = IN_TEXTS[option]
    takes_any = option.strip() in ("--time", "--rate")

    for value in (*NO_NUMBERS, *([] if takes_any else [str(10**20)])):
        assert_refused(gridproof(*line.split(), option.strip(), around.format(value)), value)


@pytest.mark.parametrize("words", ["replay", "explain"])
def test_a_seed_that_is_none_is_one_line(gridproof: CommandLine, words: str) -> None:
    for value in ("-1", str(10**20), "nan", "", "x", "9" * 5_000):
        assert_refused(gridproof(words, value), value)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{MEASURE} --sweep size=1..2 --sweep size=1..2", "--sweep is given twice; give it once"),
        (f"{MEASURE} --sweep size=1..2:3", "the constant size rises in steps of 1; leave"),
        (
            "suite zoo M01 --json --markdown",
            "--json and --markdown both say how the table is printed; name one of them",
        ),
        ("suite zoo M05 --quick", "--quick leaves out M05, which you named; leave --quick out"),
        ("suite reach --workers 0", "--workers 0: write a number of processes from 1 to 256"),
        ("check --system vecgrid --async-backups 1", "--async-backups 1: vecgrid has no async backups; write 0"),
        ("check --system etcd --backups 2 --async-backups 1", "--async-backups 1: etcd has no async backups"),
        ("check --system ignite --backups 2 --async-backups 1", "write --async-backups 0 or 2"),
        ("check --system jump-consistent-hash --backups 2", "always keeps 0 backups; write --backups 0"),
        ("check --system uhashring --weights 1,2", "unrecognized arguments: --weights 1,2"),
        ("check --system uhashring --keys my.txt", "argument --keys: invalid int value: 'my.txt'"),
        ("check --system uhashring --zones a,b", "--zones"),
        ("check --system hazelcast-client --members 2", "--members does not apply to a key router"),
    ],
)
def test_what_cannot_be_followed_together_is_one_line(gridproof: CommandLine, line: str, said: str) -> None:
    done = gridproof(*line.split())

    assert_refused(done, line)
    assert said in done.err


def type_value(gridproof: CommandLine, subject: SubjectOfCommand, option: str, value: str) -> Outcome:
    """Return what comes of a subject's own line with this value of an option, in place of the one that it has."""
    words = words_of(subject)
    if option in words:
        at = words.index(option)
        words[at : at + 2] = []
    return gridproof(*words, f"{option}={value}")


def assert_refused(done: Outcome, what: str) -> None:
    """Assert that this was wrong use, in one line."""
    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1), f"{what[:30]!r}: {done}"
