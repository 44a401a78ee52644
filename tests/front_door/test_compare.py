"""`gridproof compare`, as typed."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_model.trace import OperationKind
from tests.front_door.command_line import CommandLine
from tests.reports.html_page import Page

TOY = "tests.properties.live_toy"
TWO_GRIDS = """
from dataclasses import replace
from tests.properties.honest_grid import HonestGrid, adapter_of
from tests.properties.lies_about_calls import AcknowledgesNothing
HONEST, LYING = adapter_of(HonestGrid), replace(adapter_of(AcknowledgesNothing), name="lying")
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """One client that writes and reads before and after the restart of a member."""
    asked = [
        ClientOperation("register", kind, f"k{number}", value, 0, 60)
        for number in range(20)
        for kind, value in ((OperationKind.WRITE, f"v{number}"), (OperationKind.READ, None))
    ]
    restarts = tuple(FaultEvent("restart", 300 + n, 100, (n,)) for n in range(2))
    file = tmp_path / "scenario.json"
    write_scenario(file, Scenario(1, members=2, scripts=(Script(tuple(asked), restarts),), partition_count=1), "two")
    return file


def test_two_grids_stand_side_by_side_and_the_worse_status_counts(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "grids.py").write_text(TWO_GRIDS)

    done = gridproof(
        "compare", "grids.py:HONEST", "grids.py:LYING", "--json", "--junit", "both.xml", "--out", tmp_path / "both"
    )

    assert done.status == 1
    assert [one["status"] for one in done.json["subjects"]] == [0, 1]
    assert "acknowledged-write-kept" in done.json["differ"]
    first, second = done.json["answers"]["first_difference"]
    assert first["question"].split(",")[0] == second["question"].split(",")[0]
    assert second["answer"] == "nothing"
    assert all(Path(one["run"]["trace"]).is_file() for one in done.json["subjects"])
    suites = ElementTree.parse("both.xml").getroot()
    assert [suite.get("name") for suite in suites] == ["grids.py:HONEST", "grids.py:LYING"]
    page = Page(tmp_path / "both" / "index.html")
    assert done.json["report"] == str(tmp_path / "both" / "index.html")
    assert {"verdicts", "differences", "answers", "measures"} <= set(page.ids)
    assert len([target for target in page.targets if target.endswith(".html")]) == 2
    differs = page.text.index("What differs")
    assert "acknowledged-write-kept" in page.text[differs:]


@pytest.mark.live
@pytest.mark.xdist_group("live")
def test_two_agents_are_given_the_same_scenario(gridproof: CommandLine, scenario: Path, tmp_path: Path) -> None:
    words = ("--scenario", scenario, "--times", 1, "--out", tmp_path / "both")

    done = gridproof("compare", f"{TOY}:HONEST_TOY", f"{TOY}:FORGETFUL_TOY", *words)

    assert done.status == 1
    assert "acknowledged-key-present is broken" in done.out
    assert "acknowledged changes lost" in done.out
    # On a busy machine a change may be refused before a read shows that something is forgotten.
    assert re.search(rf"{TOY}:FORGETFUL_TOY: \w+ of 'k", done.out)
    assert sorted(one.name for one in (tmp_path / "both").rglob("*.jsonl")) == ["again-1.jsonl"] * 2
    assert sorted(one.name for one in (tmp_path / "both").rglob("*.html")) == ["again-1.html"] * 2 + ["index.html"]
    page = (tmp_path / "both" / "index.html").read_text()
    assert all(f"{TOY}:{one}: What clients met over time" in page for one in ("HONEST_TOY", "FORGETFUL_TOY"))


@pytest.mark.nightly
@pytest.mark.usefixtures("whole_audits")
def test_one_placer_named_twice_answers_alike(gridproof: CommandLine) -> None:
    done = gridproof("compare", "jump-consistent-hash", "jump-consistent-hash", "--json")

    assert done.status == 0
    assert done.json["answers"] == {
        "alike": 60_000, "differently": 0, "by_the_moment": 0, "of_one_only": [0, 0], "first_difference": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["reference", "hazelcast-client"], "reference is a grid and hazelcast-client is a router"),
        (["reference", "nobody"], "no system is called 'nobody'"),
        (["hazelcast-client", "hazelcast-client", "--members", "2"], "--members does not apply to a key router"),
        (["reference", "reference", "--versions", "1"], "--versions 1: write two releases with a comma between them"),
        (["reference", "reference", "--versions", "1,2"], "--system-version 1 cannot be audited: reference is"),
        (["reference", "reference", "--times", "2"], "--times does not apply to two systems that are audited"),
        (["reference", "reference", "--scenario", "scenario.json"], "are processes; reference has none"),
        (["reference", "reference", "--scenario", "nowhere.json"], "nowhere.json: cannot be read"),
        (
            ["reference", "reference", "--scenario", "scenario.json", "--times", "0"],
            "--times 0: the scenario is played",
        ),
    ],
)
@pytest.mark.usefixtures("scenario")
def test_a_mistake_is_one_line(gridproof: CommandLine, words: list[str], expected: str) -> None:
    outcome = gridproof("compare", *words)

    assert (outcome.status, outcome.err.count("\n")) == (2, 1)
    assert expected in outcome.err
