"""`gridproof prove --find`, as typed: what is found is pasted, read back, and proved without a search."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine

LAMP = '''
from gridproof_model.language import Bool, BoolExpr, Set, Specification, Step, exists, for_all

specification = Specification("lamps", "Lamps behind one switch.", source="made for this test")
size = specification.constant("size", 3, "How many lamps there are.", least=1)
lamp = specification.index("lamp", size)
switch = specification.variable("switch", Bool(), "Whether the switch is on.")
warm = specification.variable("warm", Set(lamp), "Lamps that have been warmed.")
lit = specification.variable("lit", Set(lamp), "Lamps that shine.")


@specification.action(source="made")
def turn() -> Step:
    """Somebody turns the switch on, once."""
    return Step(when=[~switch], then=[switch.becomes(True)])


@specification.action(lamp, source="made")
def warm_up(one) -> Step:
    """A lamp warms up behind the switch."""
    return Step(when=[switch], then=[warm[one].becomes(True)])


@specification.action(lamp, source="made")
def light(one) -> Step:
    """A warm lamp shines."""
    return Step(when=[warm[one]], then=[lit[one].becomes(True)])


@specification.always(source="made")
def light_needs_the_switch() -> BoolExpr:
    """No lamp shines with the switch off."""
    return exists(lamp, lambda one: lit[one]).implies(switch)


@specification.always(source="made")
def nothing_shines() -> BoolExpr:
    """No lamp ever shines."""
    return for_all(lamp, lambda one: ~lit[one])
'''


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    """A module whose first claim needs a lemma and whose second is false, where the commands run."""
    path = tmp_path / "lamps.py"
    path.write_text(LAMP, "utf-8")
    return path


def test_lemmas_are_found_and_written_and_carry_the_claim_without_a_search(gridproof: CommandLine, lamps: Path) -> None:
    found = gridproof("prove", "lamps.py", "--find", "--claim", "light_needs_the_switch", "--out", "found.py", "--json")
    proved = gridproof("prove", "found.py:argument", "--json")

    assert (found.status, found.json["findings"][0]["end"]) == (0, "proved")
    rows = {row["claim"]: row["status"] for row in proved.json["ledger"]}
    assert rows["light_needs_the_switch"] == "proved"
    assert {row["status"] for row in proved.json["lemmas"]} == {"proved"}


def test_the_lemmas_are_printed_where_no_file_is_named(gridproof: CommandLine, lamps: Path) -> None:
    printed = gridproof("prove", "lamps.py", "--find", "--claim", "light_needs_the_switch")

    assert "@argument.lemma\n" in printed.out
    assert "proved  for any size" in printed.out


def test_lemmas_that_stand_beside_it_are_said_not_to_be_used(gridproof: CommandLine, lamps: Path) -> None:
    gridproof("prove", "lamps.py", "--find", "--claim", "light_needs_the_switch", "--out", "found.py")

    again = gridproof("prove", "found.py:argument", "--find", "--claim", "light_needs_the_switch")

    assert "--find looks for lemmas of its own: it used none of the 1 in found.py:argument" in again.err


def test_a_false_claim_is_broken_with_its_story(gridproof: CommandLine, lamps: Path) -> None:
    shown = gridproof("prove", "lamps.py", "--find")

    assert shown.status == 1
    assert "nothing_shines is false:\n  1. turn()\n" in shown.out


def test_where_no_lemma_is_needed_none_is_written(gridproof: CommandLine, lamps: Path) -> None:
    lamps.write_text(LAMP.replace("[warm[one]], then", "[switch], then"), "utf-8")

    shown = gridproof("prove", "lamps.py", "--find", "--claim", "light_needs_the_switch", "--out", "found.py", "--json")

    assert [finding["end"] for finding in shown.json["findings"]] == ["proved"]
    assert shown.err == "gridproof: --out found.py: there is no lemma to write\n"
    assert not lamps.with_name("found.py").exists()


def test_a_limit_of_time_gives_what_was_found(gridproof: CommandLine, lamps: Path) -> None:
    ended = gridproof("prove", "lamps.py", "--find", "--time-limit", "0.001", "--json")

    assert ended.status in (1, 3)  # one claim is false, which may be seen before
    assert "the time limit is reached; this is what was found until then" in ended.err
    assert {finding["end"] for finding in ended.json["findings"]} <= {"not tried", "broken"}


def test_one_seed_gives_one_result_in_every_process(lamps: Path) -> None:
    words = [sys.executable, "-m", "gridproof", "prove", "lamps.py", "--find", "--json"]
    environments = ({**os.environ, "PYTHONHASHSEED": seed} for seed in ("1", "2"))
    runs = [subprocess.run(words, cwd=lamps.parent, env=env, capture_output=True, text=True) for env in environments]

    assert runs[0].stdout == runs[1].stdout != ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--claim", "nobody"], "its always-claims are light_needs_the_switch, nothing_shines"),
        (
            ["--with", "lit[nobody]"],
            "--with lit[nobody] cannot be read: NameError: name 'nobody' is not defined; write a ",
        ),
        (["--with", "size"], "--with size: a predicate must be a condition of a specification, not Int"),
        (["--with", "exit(0)"], "--with exit(0) cannot be read: SystemExit: 0"),
        (["--with", "lit[0"], "--with lit[0 cannot be read: '[' was never closed"),
        (["--with", "7"], "a predicate must be a condition of a specification, not int of"),
        (["--with", "size > 1"], "the predicate reads no variable; write a"),
        (["--memory", "0"], "--memory 0: write a number of MiB, at least 1"),
        (["--out", "found.md"], "lemmas are written as a Python module"),
        (["--out", "elsewhere/found.py"], "lemmas are written into the specification's folder"),
        (["--size", "0"], "size must be at least 1, not 0"),
    ],
)
def test_wrong_use_is_one_line(gridproof: CommandLine, lamps: Path, words: list[str], said: str) -> None:
    wrong = gridproof("prove", "lamps.py", "--find", *words)

    assert wrong.status == 2
    assert said in wrong.err
    assert wrong.err.count("\n") == 1
    assert [path.name for path in lamps.parent.glob("*.py")] == ["lamps.py"]


def test_options_of_the_search_are_refused_without_it(gridproof: CommandLine, lamps: Path) -> None:
    wrong = gridproof("prove", "lamps.py", "--size", 3)

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert "--size does not apply to a proof" in wrong.err
