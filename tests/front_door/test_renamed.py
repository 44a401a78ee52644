"""Old names of specifications, properties and constants lead to the new ones, and a line says so."""

from argparse import Namespace
from dataclasses import replace
from pathlib import Path

import pytest

from gridproof.ci.gate import gate_of
from gridproof_implementation.adapter import Promise, PromiseWord
from gridproof_implementation.adapters import get_adapter
from gridproof_model import renamed
from gridproof_model.events.conditions import Admitted, HeldTo
from gridproof_model.events.words import Admission, Begins, Ends
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.trace import EventRecord, VerdictRecord
from gridproof_properties.audits.promises import levels_of
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.conditions import RunConditions
from gridproof_properties.judging.verdict import PromiseLevel
from gridproof_properties.judging.verdict_records import verdict_of_record
from tests.front_door.command_line import CommandLine

ROWS = dict(renamed.RENAMED)


@pytest.fixture(autouse=True)
def old_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another name for one thing of each kind."""
    old = {
        "commit": "two_phase_commit",
        "two_phase_commit.managers": "two_phase_commit.size",
        "refines-copies": "refines-replication",
        "copies": "replication",
    }
    monkeypatch.setattr(renamed, "RENAMED", old)


def test_a_specification_is_found_by_its_old_name(gridproof: CommandLine) -> None:
    found = gridproof("show", "commit")

    assert (found.status, found.out) == (0, gridproof("show", "two_phase_commit").out)
    assert "gridproof: commit is now called two_phase_commit" in found.err


def test_a_constant_is_set_by_its_old_name(gridproof: CommandLine) -> None:
    found = gridproof("explore", "two_phase_commit", "--set", "managers=3", "--json")

    assert (found.status, found.json["states"]) == (0, 288)


def test_a_property_is_shown_by_its_old_name(gridproof: CommandLine) -> None:
    found = gridproof("properties", "refines-copies")

    assert (found.status, "refines-replication" in found.out) == (0, True)


def test_a_trace_is_validated_by_the_old_name_of_a_specification(gridproof: CommandLine, tmp_path: Path) -> None:
    found = gridproof("validate", tmp_path / "none", "--specification", "copies")

    assert "copies is now called replication" in found.err


def test_a_verdict_that_was_recorded_is_of_the_property_of_today() -> None:
    recorded = VerdictRecord("run", "refines-copies", "holds", "promised", "It held.", ())

    assert verdict_of_record(recorded).property == "refines-replication"


def test_a_property_decides_the_exit_status_by_its_old_name() -> None:
    gate = gate_of(Namespace(only=["refines-copies"], fail_on=None))

    gate.refuse_unpromised(["a"], [{"refines-replication": PromiseLevel.PROMISED}])


def test_a_system_promises_and_admits_by_an_old_name() -> None:
    promise = Promise(PromiseWord.PROMISED, "its manual")
    adapter = replace(get_adapter("reference"), promises={"refines-copies": promise})
    of_run = RunConditions()

    of_run.observe(EventRecord("a", 0, None, HeldTo(Admission.NOTHING, ("refines-copies",))))
    weakness = Admitted(("refines-copies",), (), Begins.FAULT, Ends.HEAL, "its manual", "it")
    of_run.observe(EventRecord("a", 0, None, weakness))

    assert levels_of(adapter) == {"refines-replication": PromiseLevel.PROMISED}
    assert (*of_run.declines, *of_run.admitted[0].takes) == ("refines-replication", "refines-replication")


def test_a_name_that_is_used_again_is_what_it_is_today(gridproof: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(renamed.RENAMED, "replication", "two_phase_commit")

    assert "replication" in gridproof("show", "replication").out.splitlines()[0]


def test_old_names_are_not_in_use_and_new_ones_are() -> None:
    constants = {f"{one.name}.{constant.name}" for one in SPECIFICATIONS for constant in one.constants}
    known = constants | {one.name for one in SPECIFICATIONS} | {one.name for one in CATALOGUE}

    assert (ROWS.keys() & known, set(ROWS.values()) - known) == (set(), set())
