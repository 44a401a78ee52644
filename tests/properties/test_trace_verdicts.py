"""Promises of a recorded run with groups."""

from dataclasses import replace

import pytest

from gridproof_model.events.replication import BackupApplied
from gridproof_model.events.words import Applied
from gridproof_model.trace import EventRecord, Record, RunRecord
from gridproof_properties.audits.trace_verdicts import judge_recorded, with_details
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import PromiseLevel, Verdict
from gridproof_properties.judging.verdict_records import verdict_of_record, verdict_record
from gridproof_properties.strategies.trace_builder import TraceBuilder
from tests.properties.validated_runs import mutated, run_of, scenario

PROPERTY = get_property("refines-replication")


@pytest.mark.parametrize(("grouped", "level"), [(False, PromiseLevel.PROMISED), (True, PromiseLevel.WEAKNESS)])
@pytest.mark.parametrize("system", ["reference", "simulated reference"])
def test_a_record_of_shared_groups_takes_the_promise_of_fewest_primaries_away(
    system: str, grouped: bool, level: PromiseLevel
) -> None:
    head = RunRecord("expected", system, "1", 0, 3, 1)
    run = TraceBuilder().set_up(1, 0, grouped=grouped)
    verdicts = judge_recorded(head, [head, *run.records[1:]])

    assert next(v.promise for v in verdicts if v.property == "movement-of-primaries") is level


def as_recorded(verdict: Verdict) -> Verdict:
    """A verdict as a trace keeps it."""
    return verdict_of_record(verdict_record("run", verdict))


def test_a_recorded_refusal_is_found_again_with_its_event() -> None:
    run = mutated(run_of(scenario()), BackupApplied, lambda event: replace(event, verdict=Applied.GAPPED), nth=3)
    (judged,) = judge_run(run, (PROPERTY,), {})

    (found,) = with_details([as_recorded(judged)], lambda: run)

    assert found.refusal is not None
    assert found.refusal == judged.refusal
    assert isinstance(found.refusal.event.recorded, EventRecord)
    assert found.refusal.event.recorded in run
    assert [one.recorded in run for one in found.refusal.before] == [True] * len(found.refusal.before)


def test_what_follows_by_proof_is_found_again() -> None:
    run = run_of(scenario())
    (held,) = judge_run(run, (PROPERTY,), {})

    (found,) = with_details([as_recorded(held)], lambda: run)

    assert found.by_proof is not None
    assert found.by_proof == held.by_proof


def test_what_has_its_details_is_not_judged_again() -> None:
    (held,) = judge_run(run_of(scenario()), (PROPERTY,), {})

    def again() -> list[Record]:
        raise AssertionError("nobody asks for the records")

    assert list(with_details([held], again)) == [held]
