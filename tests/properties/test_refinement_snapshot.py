"""Stream jobs are behaviours of `snapshot`; wrong steps are refused."""

from dataclasses import replace
from unittest.mock import patch

import pytest

from gridproof_implementation.protocol.jobs.edges import InboundEdge
from gridproof_implementation.protocol.jobs.execution import SourceProcessor
from gridproof_implementation.protocol.jobs.records import ExecutionRecord
from gridproof_implementation.protocol.jobs.snapshot_master import SnapshotMaster
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, StreamJob
from gridproof_model.events.harness import JobAsked
from gridproof_model.events.jobs import ChunkWritten, JobStarted, SnapshotRecorded, SnapshotValidated, SourceSaved
from gridproof_model.trace import EventRecord, RunRecord
from gridproof_properties.judging.judge import Finding, judge_run
from gridproof_properties.judging.verdict import Reason, Result
from gridproof_properties.refinement.snapshot.differences import AWAITED, EXPOSED, OVER
from gridproof_properties.refinement.snapshot.judge import PROPERTY
from gridproof_properties.zoo.interposer import Interposer, interposing
from tests.properties.followed_runs import away, judged, mutated, run_of, scenario, simulated, told

JOB = StreamJob(0, 0, shards=3, items=60, item_interval_ms=50, snapshot_interval_ms=200)
CALM = replace(scenario(pause_ms=300), partition_count=3, job=JOB)
LOST = FaultEvent("crash", 1_500, 60_000, (1,))
MASTER_LOST = FaultEvent("crash", 1_500, 60_000, (0,))
SLOW = FaultEvent("delay", 0, 30_000, (0, 1, 2), 100_000)


def carrying(*fault_events: FaultEvent, job: StreamJob = JOB) -> Scenario:
    return replace(scenario(*fault_events, pause_ms=300), partition_count=3, job=job)


def planted(given: Scenario, owner: object, rule: str, instead: object) -> Finding:
    with patch.object(owner, rule, instead):
        finding = judged(PROPERTY, simulated(given))
    assert finding.result is Result.BROKEN, finding
    return finding


@pytest.mark.parametrize("guarantee", ["exactly once", "at least once", "none"])
@pytest.mark.parametrize("fault_events", [(), (LOST,), (MASTER_LOST,), (SLOW, LOST)], ids=len)
def test_a_job_is_a_behaviour(guarantee: str, fault_events: tuple[FaultEvent, ...]) -> None:
    finding = judged(PROPERTY, run_of(carrying(*fault_events, job=replace(JOB, guarantee=guarantee))))

    assert finding.result is Result.HOLDS, finding
    assert "1 behaviour" in finding.sentence


def test_every_snapshot_of_a_calm_run_is_followed() -> None:
    records = run_of(CALM)
    recorded = [one for one in records if isinstance(one, EventRecord) and isinstance(one.event, SnapshotRecorded)]
    steps: list[str] = []
    judge = type(PROPERTY.start())(lambda before, event, after: steps.append(event.action))  # type: ignore[call-arg]
    for record in records:
        judge.observe(record)

    assert steps.count("snapshot_is_recorded") == len(recorded) > 5


def test_a_counter_that_waits_for_a_member_without_a_source_counts_behind_the_barriers_of_others() -> None:
    at_least = replace(JOB, guarantee="at least once", shards=2)
    given = replace(scenario(pause_ms=300, members=4), partition_count=7, job=at_least)

    with interposing([Interposer("Packet", count=10_000, sender=3, receiver=2, late_us=700_000)]):
        finding = judged(PROPERTY, simulated(given))

    assert finding.result is Result.HOLDS, finding
    assert AWAITED.name in finding.sentence


@pytest.mark.parametrize("fault", ["crash", "leave"])
def test_following_ends_where_the_only_data_member_goes(fault: str) -> None:
    """Seeds 9002069 and 5002696: a lite master has nobody to promote, and a leaver nobody to hand over to."""
    given = carrying(FaultEvent(fault, 1_500, 3_000, (1,)))

    finding = judged(PROPERTY, run_of(replace(given, members=2, lite=(0,))))

    assert finding.result is Result.HOLDS, finding
    assert EXPOSED.name in finding.sentence


def test_a_run_without_a_job_shows_nothing() -> None:
    assert judged(PROPERTY, run_of(scenario())).result is Result.UNKNOWN


def test_an_input_drained_past_its_barrier_is_explained() -> None:
    finding = planted(carrying(SLOW), InboundEdge, "may_pass", lambda edge, source: True)

    assert "refuses counter_counts_item" in finding.sentence
    assert any("implies not execution.arrived" in line for line in finding.witness)


def test_a_snapshot_validated_before_all_chunks_are_written_is_explained() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), ChunkWritten, away, nth=4))

    assert "refuses snapshot_is_validated" in finding.sentence
    assert any("is false: is_all_written" in line for line in finding.witness)
    assert any(line.startswith("what would have made it true: ") for line in finding.witness)


def test_a_chunk_of_an_older_snapshot_may_come_late() -> None:
    records = list(run_of(CALM))
    place, member, written = next(
        (place, record.member, record.event)
        for place, record in enumerate(records)
        if isinstance(record, EventRecord) and isinstance(record.event, ChunkWritten) and record.event.snapshot == 2
    )

    def with_one_of(snapshot: int) -> Finding:
        another = told(member, replace(written, snapshot=snapshot))
        return judged(PROPERTY, [*records[:place], another, *records[place:]])

    assert with_one_of(1).result is Result.HOLDS, with_one_of(1)
    assert f"{OVER.name} (1)" in with_one_of(1).sentence
    assert "snapshot 3, and the specification says 2" in with_one_of(3).sentence


def test_a_snapshot_into_the_map_of_the_recorded_one_is_refused() -> None:
    same = property(lambda record: record.map_index if record.recorded else 0)
    finding = planted(CALM, ExecutionRecord, "map_to_write", same)

    assert "map" in finding.sentence


def test_a_commit_without_validation_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), SnapshotValidated, away))

    assert "refuses snapshot_is_recorded" in finding.sentence
    assert any("is false: execution.phase = validated" in line for line in finding.witness)


def test_a_source_that_begins_anew_after_a_restart_is_refused() -> None:
    finding = planted(carrying(LOST), SourceProcessor, "restore", lambda source, saved: None)

    assert "item-sent" in finding.sentence
    assert "number 0, and the specification says" in finding.sentence


def test_a_counter_that_saves_before_all_barriers_came_is_refused() -> None:
    finding = planted(carrying(SLOW), InboundEdge, "is_aligned", lambda edge: True)

    assert "refuses counter_saves_its_state" in finding.sentence


def test_a_snapshot_that_failed_without_a_reason_is_refused() -> None:
    finding = planted(CALM, SnapshotMaster, "why_not_whole", lambda master, replies: "no reason")

    assert "refuses snapshot_fails" in finding.sentence
    assert any("has_a_failed_write" in line for line in finding.witness)


def test_a_job_that_goes_on_from_another_snapshot_is_refused() -> None:
    def other(started: JobStarted) -> JobStarted:
        return replace(started, snapshot=started.snapshot - 1)

    finding = judged(PROPERTY, mutated(run_of(carrying(LOST)), JobStarted, other, nth=2))

    assert "snapshot" in finding.sentence


def test_a_barrier_that_nobody_sent_is_refused() -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), SourceSaved, away))

    assert "refuses barrier_arrives" in finding.sentence


def test_a_job_over_many_partitions_is_left_out_not_failed() -> None:
    head = RunRecord("many", "told", "1", 0, 271, 1)
    asked = JobAsked("counts", "exactly once", True, 3, 30, ())
    (verdict,) = judge_run([head, EventRecord("many", 0, None, asked)], [PROPERTY], {})

    assert (verdict.result, verdict.reason) == (Result.UNKNOWN, Reason.NEVER_MET)
