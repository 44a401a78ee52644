"""`specs`, `show`, `export`, `explore` and `replay`, as typed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gridproof_model.language import ClaimKind
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.claims.ledger_row import LedgerRow, Status
from tests.front_door.command_line import CommandLine


def test_every_specification_is_listed(gridproof: CommandLine) -> None:
    listed = gridproof("specs").out

    assert [one.name for one in SPECIFICATIONS if one.name not in listed] == []


def test_a_page_names_every_action_and_claim(gridproof: CommandLine) -> None:
    specification = SPECIFICATIONS[0]

    page = gridproof("show", specification.name).out

    names = [action.name for action in specification.actions] + [claim.name for claim in specification.claims]
    assert [name for name in names if name not in page] == []


def test_an_export_is_a_module_and_its_configuration(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("export", "two_phase_commit", "--size", 4, "--out", tmp_path / "tla")

    assert (tmp_path / "tla" / "two_phase_commit.tla").read_text().startswith("---")
    assert "CONSTANT size = 4" in (tmp_path / "tla" / "two_phase_commit.cfg").read_text()


def test_an_export_never_writes_over_a_file(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("export", "two_phase_commit", "--out", tmp_path)

    again = gridproof("export", "two_phase_commit", "--out", tmp_path)

    assert again.status == 2
    assert "not overwritten" in again.err


def test_json_reports_counts_and_verdicts(gridproof: CommandLine) -> None:
    found = gridproof("explore", "two_phase_commit", "--size", 3, "--json")

    assert found.status == 0
    assert (found.json["states"], found.json["complete"]) == (288, True)
    assert {one["verdict"] for one in found.json["verdicts"]} == {"holds"}


def test_classes_of_states_are_counted_by_their_renamings(gridproof: CommandLine) -> None:
    found = gridproof("explore", "two_phase_commit", "--symmetry", "--no-eventually", "--json").json

    assert (found["states"], found["renamings"]) == (80, 6)
    assert "holds in all 80 classes of states" in {verdict["sentence"] for verdict in found["verdicts"]}


def test_backups_are_the_sync_ones_where_both_kinds_are_distinguished(gridproof: CommandLine) -> None:
    found = gridproof("explore", "durability", "--members", 2, "--backups", 1, "--set", "async_backups=0", "--json")

    assert "sync_backups=1" in found.json["world"]


def test_a_claim_that_nothing_tests_is_called_vacuous(gridproof: CommandLine) -> None:
    found = gridproof("explore", "ownership", "--members", 2, "--set", "endings=1", "--json")

    verdicts = {one["claim"]: one for one in found.json["verdicts"]}
    assert verdicts["every_leave_ends"]["verdict"] == "vacuous"
    assert verdicts["every_leave_ends"]["untested"] == [
        "not false and not (for all member: ended[member] or not leaving[member])"
    ]
    assert "member_asks_to_leave" in found.json["never_possible"]
    assert "leaves_left" in found.json["never_assigned"]

    part = gridproof("explore", "two_phase_commit", "--depth", 1, "--json").json
    assert (part["never_possible"], part["never_assigned"]) == (None, None)


def test_eventually_claims_are_left_out_if_wanted(gridproof: CommandLine, tmp_path: Path) -> None:
    found = gridproof("explore", "two_phase_commit", "--no-eventually", "--out", tmp_path / "found", "--json")

    assert (found.json["states"], {one["kind"] for one in found.json["verdicts"]}) == (288, {"always", "sometimes"})
    assert "<code>gridproof explore two_phase_commit --no-eventually --out " in Path(found.json["report"]).read_text()


def test_a_search_that_runs_out_of_memory_is_unknown(gridproof: CommandLine) -> None:
    found = gridproof("explore", "two_phase_commit", "--size", 8, "--memory", 1, "--json")

    assert found.status == 3
    assert not found.json["complete"]
    assert found.json["stopped_because"]


def test_a_story_is_replayed_and_drawn(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("explore", "two_phase_commit", "--out", tmp_path / "stories")

    printed = gridproof("replay", tmp_path / "stories" / "all_managers_commit.json")

    assert "coordinator_commits()" in printed.out
    assert (tmp_path / "stories" / "all_managers_commit.svg").read_text().startswith("<svg")


def test_an_exploration_leaves_a_report(gridproof: CommandLine, tmp_path: Path) -> None:
    found = gridproof("explore", "two_phase_commit", "--size", 2, "--out", tmp_path / "found", "--json")

    page = Path(found.json["report"])
    assert page == tmp_path / "found" / "report.html"
    assert "<code>gridproof explore two_phase_commit --set size=2 --out " in page.read_text()


def test_without_a_folder_there_is_no_report(gridproof: CommandLine) -> None:
    assert gridproof("explore", "two_phase_commit", "--size", 1, "--json").json["report"] is None


def test_the_smaller_world_a_report_points_to_is_drawn(gridproof: CommandLine, tmp_path: Path) -> None:
    printed = gridproof("explore", "two_phase_commit", "--out", tmp_path / "large")
    line = re.findall("<code>(gridproof .* --out smaller)</code>", (tmp_path / "large" / "report.html").read_text())[0]

    gridproof(*line.split()[1:])

    assert f"report  {tmp_path / 'large' / 'report.html'}" in printed.out
    assert '<svg class="state-graph"' in (tmp_path / "smaller" / "report.html").read_text()


def test_a_folder_that_is_not_empty_is_refused_before_the_search(gridproof: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("mine")

    refused = gridproof("explore", "two_phase_commit", "--out", tmp_path)

    assert refused.status == 2
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]


def test_a_story_that_cannot_happen_is_refused(gridproof: CommandLine, tmp_path: Path) -> None:
    gridproof("explore", "two_phase_commit", "--out", tmp_path)
    path = tmp_path / "all_managers_commit.json"
    story = json.loads(path.read_text())
    story["events"] = story["events"][1:]
    path.write_text(json.dumps(story))

    refused = gridproof("replay", path)

    assert refused.status == 2
    assert "does not hold" in refused.err
    assert refused.err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("explore", "two_phase"), "did you mean two_phase_commit?"),
        (("explore", "two_phase_commit", "--members", "3"), "has no constant 'members'; it has size"),
        (("explore", "two_phase_commit", "--set", "size=many"), "size=many: write a whole number"),
        (("explore", "two_phase_commit", "--set", "size"), "write NAME=VALUE"),
        (("explore", "two_phase_commit", "--size", "0"), "size must be at least 1, not 0"),
        (("explore", "durability", "--backups", "0", "--set", "async_backups=0"), "needs at least one element, not 0"),
        (("explore", "durability", "--backups", "9"), "`gridproof show durability` says what its constants mean"),
        (
            ("explore", "ownership", "--set", "versions=1"),
            "version has initial value (2, 2, 2), outside array over member of Int(0, 1)",
        ),
        (("explore", "durability", "--backups", "1", "--set", "sync_backups=2"), "is also set to 1; set it once"),
        (("export", "two_phase_commit", "--out", __file__), "cannot make the folder"),
        (("explore", "two_phase_commit", "--memory", "0"), "--memory 0: write a number of MiB, at least 1"),
        (("replay", "absent.json"), "cannot be read"),
        (("explore", "replication", "--members", "2"), "backups < members must hold; here"),
        (("explore", "replication", "--set", "mail_capacity=1000000", "--memory", "100"), "but the limit is 10,000"),
        (("explore", "replication", "--set", "writes=99999999999999999999"), "needs over 62 bits"),
    ],
)
def test_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[str, ...], complaint: str) -> None:
    wrong = gridproof(*words)

    assert wrong.status == 2
    assert complaint in wrong.err
    assert wrong.err.count("\n") == 1


def test_a_claim_that_is_not_inductive_shows_its_counterexample(
    gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = ("before, as at the start but for:", "  counted[0] = 2")
    row = LedgerRow("drawn", "it_stays", ClaimKind.ALWAYS, "It stays.", "", Status.OPEN, "a step leads out", 0.0, shown)
    monkeypatch.setattr("gridproof_properties.claims.ledger.Evidence.rows", lambda _, **__: (row,))

    printed = gridproof("prove", "two_phase_commit")

    assert printed.status == 3
    assert "it_stays is not inductive:\n  before, as at the start but for:\n    counted[0] = 2\n" in printed.out


def test_the_ledger_has_a_row_for_every_claim(gridproof: CommandLine) -> None:
    proved = gridproof("prove", "two_phase_commit", "--json")

    assert proved.status == 0
    claims = [claim.name for claim in SPECIFICATIONS[0].claims]
    assert [row["claim"] for row in proved.json["ledger"]][: len(claims)] == claims


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--depth", 2), "the search ended at its limit of 2 steps from the start; raise --depth"),
        (("--states", 20), "the search ended at its limit of 20 states; raise --states"),
        (("--time-limit", 1e-9), "the time limit is reached before every state was found; set a longer time limit"),
    ],
    ids=lambda one: one[0] if isinstance(one, tuple) else None,
)
def test_a_search_that_ends_sooner_is_unknown(gridproof: CommandLine, words: tuple[object, ...], why: str) -> None:
    found = gridproof("explore", "two_phase_commit", *words, "--out", "found", "--json")

    assert (found.status, found.json["stopped_because"]) == (3, why)
    page = Path(found.json["report"]).read_text()
    assert f"gridproof explore two_phase_commit {words[0]} {words[1]}" in page
    assert f"Not every state was explored: {why}." in page


@pytest.mark.parametrize("words", [("--depth", -1), ("--states", 0), ("--time-limit", 0)], ids=lambda one: one[0])
def test_an_end_that_is_none_is_one_line(gridproof: CommandLine, words: tuple[object, ...]) -> None:
    wrong = gridproof("explore", "two_phase_commit", *words)

    assert (wrong.status, wrong.err.count("\n")) == (2, 1)
    assert wrong.err.startswith(f"gridproof: {words[0]} {words[1]}: write ")


def test_python_that_leaves_out_docstrings_is_refused_in_one_line() -> None:
    bare, usual = (
        subprocess.run(
            [sys.executable, option, "-m", "gridproof", "specs"], capture_output=True, text=True, check=False
        )
        for option in ("-OO", "-O")
    )

    assert (bare.returncode, bare.stdout, bare.stderr.count("\n"), usual.returncode) == (2, "", 1, 0)
    assert "docstrings that gridproof reads (-OO, or PYTHONOPTIMIZE above 1); use -O at most" in bare.stderr
