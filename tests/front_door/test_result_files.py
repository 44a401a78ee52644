"""JUnit and SARIF, as a CI server reads them."""

import importlib
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from gridproof.ci.baseline import Baseline, KnownFailure
from gridproof.ci.gate import Gate, JudgedRun
from gridproof.ci.junit import junit_text, suite_of
from gridproof.ci.sarif import broken_results, property_rules, sarif_text
from gridproof.command import UsageError
from gridproof.output.folders import write_result
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.verdict import Result
from tests.front_door.command_line import CommandLine
from tests.front_door.judged_runs import EVERYTHING, PROMISED, judged

MULTITOOL = "GRIDPROOF_SARIF_MULTITOOL"
SCHEMA_VARIABLE = "GRIDPROOF_SARIF_SCHEMA"
GRIDS = "tests.front_door.bad_grids"
_UNKNOWN = judged(results=dict.fromkeys(PROMISED, Result.UNKNOWN))
BLIND = replace(_UNKNOWN, verdicts=tuple(replace(one, compared=0) for one in _UNKNOWN.verdicts))
"""Nothing that it promises was compared."""
BROKEN = judged(results={"full-rows": Result.BROKEN, "balance-of-primaries": Result.UNKNOWN})


def parsed(*runs: JudgedRun, gate: Gate = EVERYTHING) -> ElementTree.Element:
    suites = [suite_of(run, gate, sees_nothing=gate.sees_nothing(run, [run])) for run in runs]
    return ElementTree.fromstring(junit_text("gridproof check", suites))


def case_of(root: ElementTree.Element, name: str) -> ElementTree.Element:
    return next(case for case in root.iter("testcase") if case.get("name") == name)


def sarif(*runs: JudgedRun, gate: Gate = EVERYTHING) -> Any:
    return json.loads(sarif_text("check", [run.system for run in runs], property_rules(), broken_results(runs, gate)))


def test_how_much_was_compared_stands_in_both_files() -> None:
    found = case_of(parsed(BROKEN), "full-rows").find("properties/property[@name='compared']")

    assert found is not None
    assert found.get("value") == "3"
    assert {one["properties"]["compared"] for one in sarif(BROKEN)["runs"][0]["results"]} == {3}


def test_a_category_names_the_systems() -> None:
    one, other, many = (
        sarif(*map(judged, names))["runs"][0]["automationDetails"]["id"]
        for names in (["grid"], ["other"], [f"system-{number}" for number in range(99)])
    )

    assert (one, other) == ("gridproof/check/grid/", "gridproof/check/other/")
    assert len(many) < 100


def test_a_rule_has_no_name_that_is_its_id_again() -> None:
    rules = sarif(BROKEN)["runs"][0]["tool"]["driver"]["rules"]

    assert [rule["id"] for rule in rules if rule.get("name", "").lower() == rule["id"].lower()] == []


def test_a_run_that_compared_nothing_promised_and_a_fault_that_struck_nobody_are_errors() -> None:
    missed = replace(judged(), missed={"split": "there was one member"})

    assert case_of(parsed(BLIND), "promises").find("error") is not None
    assert case_of(parsed(missed), "fault split").find("error") is not None
    assert EVERYTHING.status([missed]) == ExitStatus.UNKNOWN


def test_what_is_known_to_be_unknown_everywhere_is_not_green() -> None:
    known = Baseline(None, tuple(KnownFailure(name, Result.UNKNOWN, "grid") for name in PROMISED))

    assert Gate(baseline=known).status([BLIND]) == ExitStatus.UNKNOWN


def test_a_broken_promise_is_a_failure_with_its_witness() -> None:
    failure = case_of(parsed(BROKEN), "full-rows").find("failure")

    assert failure is not None
    assert failure.get("message") == "full-rows was looked at"
    assert "1. member 1 has \N{REPLACEMENT CHARACTER} <none>\n  2. and asks & asks" in (failure.text or "")


def test_an_unknown_promise_is_an_error_with_its_reason() -> None:
    error = case_of(parsed(BROKEN), "balance-of-primaries").find("error")

    assert error is not None
    assert (error.get("message") or "").startswith("never met: ")


@pytest.mark.parametrize("name", ["linearizability", "lock-excludes"])
def test_what_cannot_fail_is_skipped_with_its_reason(name: str) -> None:
    skipped = case_of(parsed(judged(weakness=Result.BROKEN)), name).find("skipped")

    assert skipped is not None
    assert skipped.get("message")


def test_counts_are_those_of_the_cases() -> None:
    root = parsed(BROKEN, judged("other"))

    for part in (root, *root.iter("testsuite")):
        counted = [part.get(word) for word in ("tests", "failures", "errors", "skipped")]
        kinds = ("testcase", "failure", "error", "skipped")
        assert counted == [str(len(list(part.iter(kind)))) for kind in kinds]


@pytest.mark.parametrize(
    ("run", "gate"),
    [
        (judged(), EVERYTHING),
        (BROKEN, EVERYTHING),
        (BROKEN, Gate(frozenset({"acknowledged-write-kept"}))),
        (judged(), Gate(frozenset({"leaves-end"}))),
        (judged(failure="it does not start"), EVERYTHING),
    ],
)
def test_a_file_is_green_exactly_where_the_exit_status_is_0(run: JudgedRun, gate: Gate) -> None:
    root = parsed(run, gate=gate)

    green = root.get("failures") == root.get("errors") == "0"
    assert green is (gate.status([run]) == ExitStatus.HOLDS)


def test_sarif_has_what_the_schema_requires() -> None:
    document = sarif(BROKEN)

    (run,) = document["runs"]
    assert document["version"] == "2.1.0"
    assert document["$schema"].startswith("https://")
    assert run["tool"]["driver"]["name"] == "gridproof"
    for place, rule in enumerate(run["tool"]["driver"]["rules"]):
        assert rule["id"] == CATALOGUE[place].name
        assert CATALOGUE[place].sentence in rule["help"]["text"]
        assert CATALOGUE[place].source in rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in {"none", "note", "warning", "error"}
        assert rule.get("helpUri", "https:").startswith("https:")
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["message"]["text"]
        assert result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"]


def test_sarif_reports_broken_promises_only() -> None:
    (result,) = sarif(BROKEN)["runs"][0]["results"]

    assert result["ruleId"] == "full-rows"
    assert "and asks & asks" in result["message"]["text"]


def test_a_fingerprint_is_of_system_and_property_not_of_the_run() -> None:
    runs = [judged(f"run {number}", system, results={"full-rows": Result.BROKEN}) for number, system in
            enumerate(["grid", "grid", "other"])]  # fmt: skip

    first, again, other = (one["partialFingerprints"] for one in sarif(*runs)["runs"][0]["results"])

    assert first == again != other


def test_check_writes_both_with_json_and_the_status_of_the_run(gridproof: CommandLine) -> None:
    system = f"{GRIDS}:AND_BREAKS_A_PROMISE"

    checked = gridproof("check", "--system", system, "--json", "--junit", "out/j.xml", "--sarif", "out/s.sarif")

    assert checked.status == ExitStatus.BROKEN
    assert checked.json["system"] == "memory"
    assert ElementTree.parse("out/j.xml").getroot().get("failures") == "1"
    (result,) = json.loads(Path("out/s.sarif").read_text())["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == checked.json["trace"]


def test_several_systems_are_suites_of_one_file(gridproof: CommandLine) -> None:
    systems = ("--system", f"{GRIDS}:FEW_PROMISES", "--system", f"{GRIDS}:PROMISES_WHAT_NO_RUN_SHOWS")

    gridproof("check", *systems, "--junit", "j.xml")
    gridproof("audit", *sorted(map(str, Path("gridproof-out").glob("*/*/trace.*"))), "--junit", "audited.xml")

    checked, audited = (ElementTree.parse(name).getroot() for name in ("j.xml", "audited.xml"))
    assert [len(list(root.iter("testsuite"))) for root in (checked, audited)] == [2, 2]
    assert {root.get("errors") for root in (checked, audited)} == {"1"}


def test_each_mutant_is_a_test_case(gridproof: CommandLine) -> None:
    ended = gridproof("suite", "zoo", "M01", "--junit", "j.xml", "--sarif", "s.sarif")

    (case,) = ElementTree.parse("j.xml").getroot().iter("testcase")
    assert ended.status == ExitStatus.HOLDS
    assert (case.get("name"), list(case)) == ("M01 smallest-hash-forgotten", [])
    assert json.loads(Path("s.sarif").read_text())["runs"][0]["results"] == []


@pytest.mark.nightly
@pytest.mark.skipif(SCHEMA_VARIABLE not in os.environ, reason=f"{SCHEMA_VARIABLE} names no copy of SARIF's schema")
@pytest.mark.parametrize(
    "words",
    [
        ("check", "--system", f"{GRIDS}:AND_BREAKS_A_PROMISE", "--out", "out"),
        ("check", "--system", f"{GRIDS}:AND_BREAKS_A_PROMISE", "--out", "out", "--only", "full-rows"),
        ("check", "--system", f"{GRIDS}:AND_BREAKS_A_PROMISE", "--out", "out", "--baseline", "known.txt"),
        ("suite", "zoo", "M01", "M22", "--budget", 0.5),
    ],
)
def test_a_result_file_is_what_its_schema_says(gridproof: CommandLine, words: tuple[str, ...]) -> None:
    validators = importlib.import_module("jsonschema.validators")  # of the nightly extra
    Path("known.txt").write_text("one-replica-per-member broken memory\n")
    schema = json.loads(Path(os.environ[SCHEMA_VARIABLE]).read_text(encoding="utf-8"))
    gridproof(*words, "--sarif", "s.sarif")

    found = json.loads(Path("s.sarif").read_text())
    wrong = [error.message for error in validators.validator_for(schema)(schema).iter_errors(found)]
    assert found["runs"][0]["results"]
    assert wrong == []


@pytest.mark.nightly
@pytest.mark.skipif(MULTITOOL not in os.environ, reason=f"{MULTITOOL} names no copy of Microsoft's validator")
def test_microsofts_validator_has_no_warning(gridproof: CommandLine) -> None:
    gridproof("check", "--system", f"{GRIDS}:AND_BREAKS_A_PROMISE", "--out", "out", "--sarif", "s.sarif")

    line = [os.environ[MULTITOOL], "validate", "s.sarif", "--rule-kind", "Sarif;Gh"]
    surroundings = os.environ | {"DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"}
    said = subprocess.run(line, env=surroundings, capture_output=True, text=True, check=False).stdout
    assert [one for one in said.splitlines() if " warning " in one or " error " in one] == []
    assert "Analysis completed successfully" in said


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--junit", "folder"), "--junit folder is no ordinary file"),
        (("--junit", "/dev/stdout"), "--junit /dev/stdout is no ordinary file"),
        (("--sarif", "file/x"), "--sarif file/x: Not a directory"),
        (("--sarif", "x" * 300), "File name too long; name another file"),
        (("--junit", "x", "--sarif", "x"), "--sarif x: --junit names the same file"),
        (("--write-baseline", "folder"), "--write-baseline folder is no ordinary file"),
    ],
)
def test_a_path_is_looked_at_before_the_work(
    gridproof: CommandLine, words: tuple[str, ...], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("folder").mkdir()
    Path("file").touch()
    monkeypatch.delattr("gridproof.commands.check.check_system")

    wrong = gridproof("check", *words)

    assert wrong.status == ExitStatus.WRONG_USE
    assert complaint in wrong.err
    assert wrong.err.count("\n") == 1
    assert sorted(path.name for path in Path().iterdir()) == ["file", "folder"]


def test_what_cannot_be_written_leaves_the_older_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.xml").write_text("old")

    def refuse(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(UsageError, match=r"old\.xml: No space left on device"):
        write_result("--junit", tmp_path / "old.xml", "new")

    assert [path.read_text() for path in tmp_path.iterdir()] == ["old"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.xml").symlink_to("real.xml")

    write_result("--junit", tmp_path / "link.xml", "text \ud800")

    assert (tmp_path / "link.xml").is_symlink()
    assert (tmp_path / "real.xml").read_text() == "text \\ud800"
