"""Work that ends when its time is over."""

from contextlib import suppress
from ctypes import ArgumentError
from pathlib import Path
from time import sleep
from xml.etree import ElementTree

import pytest

from gridproof.time_limit import INTERRUPTED, TimeLimit, limited
from gridproof_properties.exit_status import ExitStatus
from tests.front_door.command_line import CommandLine

# An interruption that falls into a callback of the garbage collector is passed over by Python, which says so, and comes
# again a moment later: nothing is wrong then.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.parametrize(
    ("workers", "limit_s"),
    [(1, 4), pytest.param(2, 16, marks=pytest.mark.nightly)],  # two start at once, on a busy machine
)
def test_what_was_found_until_then_is_reported_and_marked(gridproof: CommandLine, workers: int, limit_s: int) -> None:
    words = ("--runs", 100_000, "--workers", workers, "--at-least", 0, "--time-limit", limit_s, "--json")

    ended = gridproof("simulate", *words)

    assert ended.status == ExitStatus.HOLDS
    assert ended.json["time_limit_reached"]
    assert ended.json["asked"] == 100_000 > ended.json["runs"]
    assert ended.err.startswith("gridproof: the time limit is reached; these are ")


def test_an_interruption_that_is_passed_over_comes_again() -> None:
    class Deaf:
        def __del__(self) -> None:
            with suppress(KeyboardInterrupt):
                sleep(0.5)

    went_on = False
    with suppress(KeyboardInterrupt), limited(TimeLimit(0.2)):
        Deaf()
        sleep(60)
        went_on = True

    assert not went_on


def test_mutants_that_nobody_came_to_are_unknown(gridproof: CommandLine) -> None:
    ended = gridproof("suite", "zoo", "M22", "M33", "--budget", 1_000, "--time-limit", 0.01, "--junit", "j.xml")

    root = ElementTree.parse(Path("j.xml")).getroot()
    assert ended.status == ExitStatus.UNKNOWN
    assert ended.err == "gridproof: the time limit is reached; these are 0 of 2 mutants\n"
    assert [case.get("name") for case in root.iter("testcase") if list(case)] == ["interrupted"]


def test_work_that_ends_in_time_is_whole(gridproof: CommandLine) -> None:
    ended = gridproof("simulate", "--runs", 2, "--workers", 1, "--at-least", 0, "--time-limit", 600, "--json")

    assert "time_limit_reached" not in ended.json


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf"])
@pytest.mark.parametrize("command", ["check", "simulate --runs 2", "suite zoo"])
def test_a_limit_that_is_none_is_one_line(gridproof: CommandLine, command: str, seconds: str) -> None:
    wrong = gridproof(*command.split(), "--time-limit", seconds)

    assert wrong.status == ExitStatus.WRONG_USE
    assert "write a number of seconds above 0" in wrong.err
    assert wrong.err.count("\n") == 1


def test_an_audit_that_ends_too_late_leaves_its_promises_unknown(gridproof: CommandLine) -> None:
    ended = gridproof("check", "--time-limit", 0.3, "--out", "late", "--json", "--write-baseline", "known.txt")

    promised = [one for one in ended.json["verdicts"] if one["promise"] == "promised"]
    assert ended.status == ExitStatus.UNKNOWN
    assert {one["verdict"] for one in promised} == {"unknown"}
    assert any(one["sentence"].endswith("the time limit is reached; set a longer time limit") for one in promised)
    assert not Path("known.txt").exists()


def test_the_trace_of_an_audit_that_ended_too_late_is_judged_as_it_was(gridproof: CommandLine) -> None:
    for seconds in (0.3, 1, 3):  # a busy machine may have recorded nothing yet
        ended = gridproof("check", "--time-limit", seconds, "--out", f"late-{seconds}", "--json")
        again = gridproof("audit", f"late-{seconds}/trace.jsonl", "--out", f"again-{seconds}", "--json")
        if again.out:
            break

    assert again.status == ended.status
    assert again.json["runs"][0]["verdicts"] == ended.json["verdicts"]


def test_several_systems_share_the_time(gridproof: CommandLine) -> None:
    ended = gridproof(
        "check",
        "--system",
        "reference",
        "--system",
        "reference-optimal",
        "--time-limit",
        0.01,
        "--out",
        "late",
        "--json",
    )

    assert ended.status == ExitStatus.UNKNOWN
    assert len(ended.json["runs"]) == 2


def test_an_interruption_while_z3_is_given_an_argument_is_one() -> None:
    with limited() as limit:
        raise ArgumentError("argument 1: KeyboardInterrupt: ")

    assert limit.why == INTERRUPTED


def test_another_error_of_an_argument_is_none() -> None:
    with pytest.raises(ArgumentError), limited():
        raise ArgumentError("argument 1: TypeError: wrong type")
