"""Every option of every command: declared for some kind of subject, and refused for every other."""

import shutil
from pathlib import Path

import pytest

from gridproof.arguments.followed import VARIED_BY_SEED, SubjectOfCommand
from gridproof.time_limit import TimeLimit, limited
from tests.front_door.command_line import CommandLine
from tests.front_door.subject_lines import LINES, words_of
from tests.house.source_tree import ROOT
from tools.options_page import SUBJECTS, cell, options_by_command, parsers, subjects_of

KNOWN = options_by_command()
REFUSED = [(one, option) for one in SUBJECTS for option in KNOWN[one.command] if cell(one, option) == "–"]
TWO = ("--language", "go", "--language", "java")
EXCLUSIVE = {one.chosen_by for one in SUBJECTS} | {"--specification", "--table"}
"""Two of them are two kinds at once: that is refused in words of its own."""


@pytest.fixture
def files(tmp_path: Path) -> None:
    """A grid of one's own, a scenario, a configuration."""
    for module in ("pocket_adapter", "pocket_grid"):
        shutil.copy(ROOT / "docs" / "examples" / f"{module}.py", tmp_path)
    (tmp_path / "scenario.json").write_text('{"scenario": 1}', encoding="utf-8")
    (tmp_path / "grid.yaml").write_text("hazelcast: {map: {default: {backup-count: 1}}}\n", encoding="utf-8")


@pytest.mark.parametrize("command", KNOWN)
def test_every_option_has_a_row(command: str) -> None:
    declared = {option for subject in subjects_of(command) for option in subject.follows}

    assert set(KNOWN[command]) == declared, "say in gridproof/arguments/followed.py which kinds of subject follow it"


def test_every_kind_of_subject_has_a_line() -> None:
    assert set(LINES) == set(SUBJECTS)


@pytest.mark.parametrize(("subject", "option"), REFUSED, ids=lambda one: one if isinstance(one, str) else one.name)
@pytest.mark.usefixtures("files")
def test_what_would_be_ignored_is_refused_in_one_line(
    gridproof: CommandLine, subject: SubjectOfCommand, option: str
) -> None:
    with limited(TimeLimit(10)):  # what is not refused begins to work
        done = gridproof(*words_of(subject), *typed(subject.command, option))

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert option in EXCLUSIVE or (option in done.err and "does not apply to" in done.err)


@pytest.mark.parametrize("option", sorted(VARIED_BY_SEED))
@pytest.mark.parametrize("words", [("simulate",), ("simulate", "--runs", "2"), ("replay", "3"), ("explain", "3")])
@pytest.mark.usefixtures("files")
def test_what_varied_runs_set_themselves_is_refused(gridproof: CommandLine, words: list[str], option: str) -> None:
    with limited(TimeLimit(10)):
        done = gridproof(*words, "--vary", *typed(words[0], option))

    assert (done.status, done.out, done.err.count("\n")) == (2, "", 1)
    assert option in done.err


@pytest.mark.parametrize("words", [("check", "--seed", "1", "--seed", "2"), ("adapter", "new", "x", *TWO)])
def test_an_option_of_one_value_is_given_once(gridproof: CommandLine, words: tuple[str, ...]) -> None:
    done = gridproof(*words)

    assert (done.status, done.err.count("\n")) == (2, 1)
    assert f"{words[-2]} is given twice; give it once" in done.err


def typed(command: str, option: str) -> list[str]:
    """Return an option with a value that its parser takes."""
    (action,) = (one for one in parsers()[command]._actions if option in one.option_strings)
    if action.nargs == 0:
        return [option]
    if action.choices:
        return [option, str(next(iter(action.choices)))]
    return [option, "grid.yaml" if option == "--config" else "1"]
