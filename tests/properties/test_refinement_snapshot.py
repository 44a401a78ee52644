"""Stream jobs are behaviours of `snapshot`; wrong steps are refused."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from unittest.mock import patch

import pytest

from gridproof_implementation.protocol.jobs.edges import InboundEdge
from gridproof_implementation.protocol.jobs.execution import SourceProcessor
from gridproof_implementation.protocol.jobs.job_master import StartAttempt
from gridproof_implementation.protocol.jobs.participant import Participant
from gridproof_implementation.protocol.jobs.records import ExecutionRecord, RecordKeeper
from gridproof_implementation.protocol.jobs.snapshot_master import SnapshotMaster
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, StreamJob
from gridproof_model.events.harness import JobAsked
from gridproof_model.events.jobs import (
    ChunkWritten,
    CounterSaved,
    ItemCounted,
    ItemSent,
    JobStarted,
    JobStopped,
    SnapshotBegun,
    SnapshotRecorded,
    SnapshotValidated,
    SourceSaved,
    StateRestored,
)
from gridproof_model.events.words import Guarantee
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.snapshot import SnapshotJudge
from suite.zoo.mutant import Interposer, interposing
from tests.properties.validated_runs import (
    away,
    broken_by,
    judged,
    listed,
    mutated,
    recorded,
    run_of,
    scenario,
    simulated,
)

PROPERTY = get_property("refines-snapshot")

JOB = StreamJob(0, 0, shards=3, items=60, item_interval_ms=50, snapshot_interval_ms=200)
CALM = replace(scenario(pause_ms=300), partition_count=3, job=JOB)
LOST = FaultEvent("crash", 1_500, 60_000, (1,))
MASTER_LOST = FaultEvent("crash", 1_500, 60_000, (0,))
SPLIT = FaultEvent("split", 1_000, 3_000, (0,))
SLOW = FaultEvent("delay", 0, 30_000, (0, 1, 2), 100_000)


def carrying(*fault_events: FaultEvent, job: StreamJob = JOB) -> Scenario:
    return replace(scenario(*fault_events, pause_ms=300), partition_count=3, job=job)


planted = partial(broken_by, PROPERTY)


def taken(given: Scenario) -> Counter[str]:
    """Return how often each action was taken in a run."""
    actions: Counter[str] = Counter()
    judge = SnapshotJudge().shown_to(lambda before, event, after: actions.update([event.action]))
    for record in run_of(given):
        judge.observe(record)
    assert judge.conclude().result is Result.HOLDS
    return actions


@pytest.mark.parametrize("guarantee", ["exactly once", "at least once", "none"])
@pytest.mark.parametrize(
    "fault_events",
    [(), (LOST,), (MASTER_LOST,), (SPLIT,), (SLOW, LOST)],
    ids=["calm", "lost", "master", "split", "slow"],
)
def test_a_job_is_a_behaviour(guarantee: str, fault_events: tuple[FaultEvent, ...]) -> None:
    finding = judged(PROPERTY, run_of(carrying(*fault_events, job=replace(JOB, guarantee=guarantee))))

    assert finding.result is Result.HOLDS, finding
    assert "1 behaviour" in finding.sentence


def test_every_item_and_snapshot_of_a_calm_run_is_a_step() -> None:
    records = run_of(CALM)
    events = Counter[type](one.kind for one in records if isinstance(one, EventRecord))
    actions = taken(CALM)

    assert actions["snapshot_is_recorded"] == events[SnapshotRecorded] > 5
    assert actions["item_is_counted"] == events[ItemCounted] == 3 * 60
    assert actions["execution_completes"] == 1


def test_a_new_coordinator_reads_the_record_and_goes_on() -> None:
    actions = taken(carrying(MASTER_LOST))

    assert actions["record_is_missing"] == 1
    assert actions["record_is_read"] >= 1
    assert actions["saved_state_is_read"] >= 2


def test_a_counter_that_waits_for_a_member_without_a_source_counts_behind_the_barriers_of_others() -> None:
    at_least = replace(JOB, guarantee="at least once", shards=2)
    given = replace(scenario(pause_ms=300, members=4), partition_count=7, job=at_least)

    with interposing([Interposer("Packet", count=10_000, sender=3, receiver=2, late_us=700_000)]):
        finding = judged(PROPERTY, simulated(given))

    assert finding.result is Result.HOLDS, finding


@pytest.mark.parametrize("fault", ["crash", "leave"])
def test_a_job_begins_anew_where_the_only_data_member_goes(fault: str) -> None:
    """Seeds 9002069 and 5002696: a lite master has nobody to promote, and a leaver nobody to hand over to."""
    given = carrying(FaultEvent(fault, 1_500, 3_000, (1,)))

    finding = judged(PROPERTY, run_of(replace(given, members=2, lite=(0,))))

    assert finding.result is Result.HOLDS, finding


def test_a_run_without_a_job_shows_nothing() -> None:
    assert judged(PROPERTY, run_of(scenario())).result is Result.UNKNOWN


def test_an_input_drained_past_its_barrier_is_explained() -> None:
    finding = planted(carrying(SLOW), InboundEdge, "may_pass", lambda edge, source: True)

    assert "refuses the action item_is_counted" in finding.sentence
    assert any("may_pass_barrier" in line for line in finding.witness)


def test_a_counter_that_saves_before_all_barriers_came_is_refused() -> None:
    finding = planted(carrying(SLOW), InboundEdge, "is_aligned", lambda edge: True)

    assert "refuses the action counter_saves_its_state" in finding.sentence


def test_a_source_that_begins_anew_after_a_restart_is_refused() -> None:
    finding = planted(carrying(LOST), SourceProcessor, "restore", lambda source, saved: None)

    assert "item-sent" in finding.sentence
    assert "it states number 0" in finding.sentence


def test_a_snapshot_into_the_map_of_the_recorded_one_is_refused() -> None:
    same = property(lambda record: record.map_index if record.recorded else 0)
    finding = planted(CALM, ExecutionRecord, "map_to_write", same)

    assert "refuses the action map_is_cleared" in finding.sentence


def test_a_snapshot_that_failed_without_a_reason_is_refused() -> None:
    finding = planted(CALM, SnapshotMaster, "why_not_whole", lambda master, replies: "no reason")

    assert "refuses the action snapshot_fails" in finding.sentence


def test_a_snapshot_that_is_whole_and_found_corrupted_is_refused() -> None:
    def corrupted(attempt: StartAttempt, *found: object) -> str:
        return "snapshot 1 has no validation record"

    finding = planted(carrying(LOST), StartAttempt, "why_corrupted", corrupted)

    assert "refuses the action job_is_found_corrupted" in finding.sentence
    assert any("may_be_lost" in line for line in finding.witness)


def test_a_new_coordinator_that_begins_from_nothing_is_refused() -> None:
    def read_nothing(keeper: RecordKeeper, then: Callable[[None], None]) -> None:
        keeper.record = ExecutionRecord()
        then(None)

    finding = planted(carrying(MASTER_LOST), RecordKeeper, "read", read_nothing)

    assert "refuses the action record_is_" in finding.sentence


def test_a_restart_from_nothing_by_the_same_coordinator_is_refused() -> None:
    whole = StartAttempt._plan

    def plan(attempt: StartAttempt, restore: object) -> None:
        whole(attempt, None)

    finding = planted(carrying(LOST), StartAttempt, "_plan", plan)

    assert "job-started" in finding.sentence
    assert "it states snapshot 0" in finding.sentence


def test_a_participant_that_stays_in_an_older_execution_is_refused() -> None:
    dropped: list[str] = []

    def keep_first(self: Participant, execution: str) -> None:
        dropped.append(execution)

    with patch.object(Participant, "_drop", keep_first):
        finding = judged(PROPERTY, simulated(carrying(LOST)))

    assert dropped
    assert finding.result is Result.BROKEN, finding


@pytest.mark.parametrize(
    ("kind", "nth", "words"),
    [
        (ChunkWritten, 4, "refuses the action snapshot_is_validated"),
        (SnapshotValidated, 1, "refuses the action snapshot_is_recorded"),
        (SnapshotRecorded, 1, "refuses the action map_is_cleared"),
        (SnapshotBegun, 1, "refuses the action source_saves_its_state"),
        (SourceSaved, 1, "refuses the action barrier_arrives"),
        (CounterSaved, 1, "no such write is under way"),
        (ItemCounted, 1, "it states number"),
    ],
)
def test_a_step_that_nobody_took_is_missed(kind: type[ItemCounted], nth: int, words: str) -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), kind, away, nth=nth))

    assert words in finding.sentence


def test_saved_state_that_somebody_has_not_emitted_is_missed() -> None:
    finding = judged(PROPERTY, mutated(run_of(carrying(LOST)), StateRestored, away))

    assert "refuses the action item_is_emitted" in finding.sentence


def test_an_execution_that_was_not_given_up_is_not_planned_anew() -> None:
    finding = judged(PROPERTY, mutated(run_of(carrying(LOST)), JobStopped, away))

    assert "refuses the action execution_is_planned" in finding.sentence


def test_a_job_that_goes_on_from_another_snapshot_is_refused() -> None:
    def other(started: JobStarted) -> JobStarted:
        return replace(started, snapshot=started.snapshot - 1)

    finding = judged(PROPERTY, mutated(run_of(carrying(LOST)), JobStarted, other, nth=2))

    assert "snapshot" in finding.sentence


def test_a_member_that_finds_only_some_of_its_chunks_is_refused() -> None:
    def fewer(restored: StateRestored) -> StateRestored:
        return replace(restored, partitions=restored.partitions[1:])

    finding = judged(PROPERTY, mutated(run_of(carrying(LOST)), StateRestored, fewer))

    assert "partitions" in finding.sentence


def test_a_chunk_that_nobody_saved_is_refused() -> None:
    records = list(run_of(CALM))
    place, member, written = next(
        (place, record.member, record.event)
        for place, record in enumerate(records)
        if isinstance(record, EventRecord) and isinstance(record.event, ChunkWritten) and record.event.snapshot == 2
    )
    another = recorded(member, replace(written, snapshot=1))
    finding = judged(PROPERTY, [*records[:place], another, *records[place:]])

    assert "no such write is under way" in finding.sentence


@pytest.mark.parametrize("never_listed", [True, False])
def test_a_coordinator_takes_another_for_removed_only_if_its_list_does_not_have_it(never_listed: bool) -> None:
    """Seed 730004279: the coordinator of a second cluster had never listed that of the first, and nobody removed it."""
    joined = [
        MemberRecord("run", 0, member, MemberChange.JOINED, f"127.0.0.{member + 2}:5701/{member}", "all", False, 1.0)
        for member in range(4)
    ]
    records: list[Record] = [
        RunRecord("run", "recorded", "1", 0, 1, 1),
        *joined,
        recorded(0, listed(0, 2)),
        recorded(1, listed(1, 3) if never_listed else listed(0, 1, 3)),
        recorded(None, JobAsked("counts", Guarantee.EXACTLY_ONCE, True, 1, 30, ())),
        recorded(0, JobStarted("counts", "first", (2,), (2,), 0)),
        recorded(1, JobStarted("counts", "second", (3,), (3,), 0)),
    ]

    finding = judged(PROPERTY, records)

    assert (finding.result is Result.HOLDS) == never_listed, finding
    assert never_listed or "refuses the action record_is_read(member 1, 0)" in finding.sentence


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        (ChunkWritten, lambda written: replace(written, partition=99), "no such write is under way"),
        (ItemCounted, lambda counted: replace(counted, shard=-9), "there is no shard -9"),
        (JobStarted, lambda started: replace(started, snapshot=9), "no record that was written names snapshot 9"),
        (JobStarted, lambda started: replace(started, participants=()), "refuses the action member_is_left_out"),
        (JobAsked, lambda asked: replace(asked, items=-1), "items must be at least 0, not -1"),
    ],
)
def test_an_event_with_a_number_that_there_is_not_is_refused_or_unknown(
    kind: type[ItemCounted], change: Callable[[ItemCounted], ItemCounted], words: str
) -> None:
    finding = judged(PROPERTY, mutated(run_of(CALM), kind, change))

    assert words in finding.sentence


def test_a_step_of_a_member_that_never_came_is_unknown() -> None:
    records = [
        replace(record, member=40) if isinstance(record, EventRecord) and isinstance(record.event, ItemSent) else record
        for record in run_of(CALM)
    ]

    finding = judged(PROPERTY, records)

    assert finding.result is Result.UNKNOWN
    assert "of member 40 at" in finding.sentence


def test_a_job_over_more_partitions_than_are_kept_is_unknown() -> None:
    head = RunRecord("many", "recorded", "1", 0, 8_000, 1)
    asked = JobAsked("counts", Guarantee.EXACTLY_ONCE, True, 3, 30, ())
    finding = judged(PROPERTY, [head, EventRecord("many", 0, None, asked)])

    assert finding.result is Result.UNKNOWN
    assert "with the variable underway a state takes 896,415 numbers" in finding.sentence
