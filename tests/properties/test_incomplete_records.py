"""A kind of record that is absent accuses nobody: what nobody wrote down is unknown."""

from collections.abc import Sequence

import pytest

from gridproof_model.trace import DigestRecord, MemberRecord, OperationRecord, Record, RowRecord, ViewRecord
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.judge import judge_run
from gridproof_properties.judging.verdict import Result
from gridproof_properties.strategies.trace_builder import Row, TraceBuilder

RING: list[Row] = [(0, 1), (1, 2), (2, 0)]
ALONE: list[Row] = [(2,), (2,), (2,)]


def a_run() -> list[Record]:
    """Return a correct run with records of every kind but routes, in which two of three members end at once."""
    run = TraceBuilder().join(0, 1, 2).state(5, 5).view("joined 3", RING).wait(1).write("k", "v", copies=2)
    run.read("k", "v").look("k", {0: "v", 1: "v"}).wait(1).view("loaded", RING)
    run.digest("loaded", 0, 0, "d", role="primary").digest("loaded", 1, 0, "d", role="backup")
    run.wait(9).crash(0, 1).view("alone", ALONE).wait(1).digest("alone", 2, 0, "", role="primary").read("k", None)
    return run.records


def broken(records: Sequence[Record]) -> list[str]:
    """Return what is broken, but for what is only measured: no order explains what is lost with all its copies."""
    judged = [prop for prop in CATALOGUE if prop.name != "linearizability"]
    return [verdict.property for verdict in judge_run(records, judged, {}) if verdict.result is Result.BROKEN]


def test_the_whole_run_is_well() -> None:
    assert broken(a_run()) == []


@pytest.mark.parametrize("kind", [MemberRecord, RowRecord, OperationRecord, DigestRecord])
def test_without_one_kind_of_record_nothing_is_broken(kind: type[Record]) -> None:
    assert broken([record for record in a_run() if not isinstance(record, kind)]) == []


def test_without_views_and_their_rows_nothing_is_broken() -> None:
    assert broken([record for record in a_run() if not isinstance(record, ViewRecord | RowRecord)]) == []


@pytest.mark.parametrize("stage", ["joined 3", "loaded", "alone"])
def test_rows_of_one_stage_may_be_missing(stage: str) -> None:
    views = {record.view for record in a_run() if isinstance(record, ViewRecord) and record.stage == stage}
    assert broken([one for one in a_run() if not (isinstance(one, RowRecord) and one.view in views)]) == []


def test_a_role_is_compared_with_the_table_of_its_own_rest() -> None:
    run = TraceBuilder().join(0, 1, 2).view("joined 3", RING).wait(1)
    run.digest("joined 3", 0, 0, "d", role="backup")
    assert broken(run.records) == ["roles-match-slots"]
