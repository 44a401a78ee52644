"""Every command that says a verdict of a run says what follows by proof, and all say the same."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from gridproof.checks.run import run_in
from gridproof.cli import main
from gridproof.commands import COMMANDS
from gridproof_properties.audits.trace_verdicts import judge_recorded
from gridproof_properties.judging.by_proof import ByProof
from tests.front_door.command_line import CommandLine

DRAWN = ("--members", "3", "--steps", "--set", "operations=8")
TRACE = "run/trace.jsonl"
WHOLE: dict[str, tuple[Sequence[str], str]] = {
    "audit": (("audit", TRACE, "--engine", "local"), ""),
    "audit --json": (("audit", TRACE, "--engine", "local", "--json"), ""),
    "audit --junit": (("audit", TRACE, "--engine", "local", "--junit", "junit.xml"), "junit.xml"),
    "audit --out": (("audit", TRACE, "--engine", "local", "--out", "out"), "out/*/report.html"),
    "report": (("report", "run"), "run/report.html"),
}
"""What says it of every specification: the words, and in which file where it is not printed."""
OF_REPLICATION: dict[str, tuple[Sequence[str], str]] = {
    "validate": (("validate", TRACE, "--specification", "replication"), ""),
    "validate --json": (("validate", TRACE, "--specification", "replication", "--json"), ""),
    "validate --out": (("validate", TRACE, "--specification", "replication", "--out", "out"), "out/report.html"),
}
COUNTED = {"simulate": ("simulate", "--seed", "6", *DRAWN), "replay": ("replay", "6", *DRAWN)}
"""What counts of how many runs it follows."""
OF_NO_RUN = {
    **dict.fromkeys(("systems", "properties", "specs", "show", "export", "papers", "completion"), "judges nothing"),
    **dict.fromkeys(("explore", "measure", "prove"), "judges specifications"),
    **dict.fromkeys(("check", "compare", "story", "adapter"), "judges systems whose members record no steps"),
    **dict.fromkeys(("campaign", "study"), "measures runs, and says verdicts of none"),
    "explain": "plays a failing run again, and says why one property fails",
}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a simulated run, with the steps of its members."""
    folder = tmp_path_factory.mktemp("recorded") / "run"
    main([*COUNTED["simulate"], "--out", str(folder)])
    return folder


@pytest.fixture(scope="module")
def follows(recorded: Path) -> Sequence[ByProof]:
    """What follows of it, as judges say."""
    said = [verdict.by_proof for verdict in judge_recorded(*run_in(recorded / "trace.jsonl", None))]
    return [one for one in said if one is not None]


def test_every_command_stands_in_one_of_these_tables() -> None:
    saying = {name.partition(" ")[0] for name in (*WHOLE, *OF_REPLICATION, *COUNTED)}

    assert sorted([*saying, *OF_NO_RUN]) == sorted(command.name for command in COMMANDS)


@pytest.mark.parametrize("name", [*WHOLE, *OF_REPLICATION])
def test_a_command_says_what_follows(
    gridproof: CommandLine, recorded: Path, follows: Sequence[ByProof], name: str
) -> None:
    shutil.copytree(recorded, "run")
    words, file = (WHOLE | OF_REPLICATION)[name]

    said = gridproof(*words).out
    if file:
        (path,) = Path().glob(file)
        said = path.read_text("utf-8")

    assert len(follows) == 3
    for one in follows:
        assert (one.headline in said) is (name in WHOLE or one.specification == "replication"), one.specification


@pytest.mark.parametrize("name", COUNTED)
def test_a_command_counts_of_how_many_runs_it_follows(
    gridproof: CommandLine, follows: Sequence[ByProof], name: str
) -> None:
    said = gridproof(*COUNTED[name]).out

    for one in follows:
        assert f"{one.specification}: 1 of 1 run validated; by proof" in said
