"""`prove --refines`: one specification against another, in small worlds, by a view of anybody's."""

import shutil
from pathlib import Path

import pytest

from tests.front_door.command_line import CommandLine
from tests.house.source_tree import ROOT

EXAMPLES = ROOT / "docs" / "examples"


@pytest.fixture
def paxos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with Paxos, voting and consensus, in which commands run."""
    for name in ("paxos.py", "voting.py", "consensus.py", "paxos_views.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refined(
    gridproof: CommandLine, below: str, above: str, by: str, *words: str
) -> tuple[int, list[dict[str, object]]]:
    found = gridproof("prove", below, "--refines", above, "--by", by, "--json", *words)
    return found.status, found.json["worlds"]


@pytest.mark.usefixtures("paxos")
def test_paxos_is_voting_is_consensus(gridproof: CommandLine) -> None:
    status, worlds = refined(gridproof, "paxos.py:specification", "voting.py", "paxos_views.py:VOTING")
    assert status == 0
    assert [(one["states"], one["changes"], one["verdict"]) for one in worlds] == [
        (2_712, 3_042, "holds"),
        (1_484, 960, "holds"),
    ]

    status, worlds = refined(gridproof, "voting.py", "consensus.py", "voting.py:CONSENSUS")
    assert status == 0
    assert worlds[0]["states"] == gridproof("explore", "voting.py", "--json").json["states"] == 1_460


@pytest.mark.usefixtures("paxos")
@pytest.mark.parametrize(
    ("below", "above", "by", "steps"),
    [
        ("paxos_views.py:argument", "voting.py", "paxos_views.py:VOTING", 18),
        ("paxos.py:specification", "consensus.py", "paxos_views.py:CONSENSUS", 6),
        ("voting.py", "consensus.py", "voting.py:CONSENSUS", 18),
    ],
)
def test_the_same_is_shown_by_induction(gridproof: CommandLine, below: str, above: str, by: str, steps: int) -> None:
    status, (world,) = refined(gridproof, below, above, by, "--set", "round_count=3")

    assert status == 0
    assert str(world["by_induction"]).startswith("by induction, given ")
    assert f": no step of {steps} kinds of steps that may change the view is none of " in str(world["by_induction"])


@pytest.mark.usefixtures("paxos")
def test_what_needs_a_lemma_is_not_shown_and_names_a_step(gridproof: CommandLine) -> None:
    status, worlds = refined(gridproof, "paxos.py:specification", "voting.py", "paxos_views.py:VOTING")

    assert status == 0, "every state of the world was looked at"
    assert "node_votes(0, 0), in a state that may be out of reach: joined = " in str(worlds[0]["by_induction"])


def test_a_round_that_asks_no_majority_is_refused_with_a_story_of_both(gridproof: CommandLine, paxos: Path) -> None:
    text = (paxos / "paxos.py").read_text("utf-8")
    careless = text.replace("latest < number, joining, has_vote", "latest < number, has_vote")
    assert careless != text
    (paxos / "paxos.py").write_text(careless, "utf-8")

    status, (world,) = refined(
        gridproof, "paxos.py:specification", "consensus.py", "paxos_views.py:CONSENSUS", "--set", "round_count=3"
    )

    story = world["story"]
    assert status == 1
    assert isinstance(story, list)
    assert "value_is_decided" in story[-3]
    assert "below: decided" in story[-2]
    assert story[-1].strip() == "above: chosen[0] 1, chosen[1] 1"
    assert str(world["by_induction"]).startswith("not shown by induction")


def test_replication_is_durability_whose_own_constants_are_chosen_beside_the_common_ones(
    gridproof: CommandLine,
) -> None:
    view = f"{ROOT / 'tests/exhaustive/durability_view.py'}:VIEW"
    chosen = ["members=2", "backups=1", "writes=3", "endings=2", "async_backups=0"]
    words = [word for one in chosen for word in ("--set", one)]

    status, (world,) = refined(gridproof, "replication", "durability", view, *words)

    assert (status, world["states"], world["verdict"]) == (0, 2_550, "holds")


def test_where_no_step_changes_the_view_nothing_was_compared(gridproof: CommandLine, paxos: Path) -> None:
    view = "VIEW = {'chosen': array_of(values, lambda value: decided[value] & ~decided[value])}"
    (paxos / "blind.py").write_text(
        f"from paxos import decided, values\nfrom gridproof_model.language import array_of\n{view}\n"
    )

    status, worlds = refined(gridproof, "paxos.py:specification", "consensus.py", "blind.py:VIEW")

    assert status == 3
    assert {one["verdict"] for one in worlds} == {"unknown: no step changes what is viewed, so nothing was compared"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--refines", "consensus.py"), "--refines OTHER needs --by VIEW"),
        (("--refines", "consensus.py", "--by", "paxos_views.py:VOTING"), "has no variable 'joined'; it has chosen"),
        (("--refines", "consensus.py", "--by", "paxos_views.py:NONE"), "paxos_views.py has VOTING, CONSENSUS"),
        (("--refines", "nobody.py", "--by", "paxos_views.py:VOTING"), "there is no file nobody.py"),
        (("--refines", "consensus.py", "--by", "paxos_views.py:CONSENSUS", "--find"), "--find does not apply to"),
    ],
)
@pytest.mark.usefixtures("paxos")
def test_what_cannot_be_compared_is_said_in_a_line(gridproof: CommandLine, words: tuple[str, ...], said: str) -> None:
    found = gridproof("prove", "paxos.py:specification", *words)

    assert found.status == 2
    assert said in found.err
    assert found.err.count("\n") == 1
