"""A job rides along with a run."""

from dataclasses import replace
from typing import TypeVar

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario, StreamJob
from gridproof_model.events.harness import JobAsked, JobSeen
from gridproof_model.events.jobs import JobStarted
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import Guarantee
from gridproof_model.trace import EventRecord, Record
from tests.implementation.simulator.worlds import run_of, short_scenario

SHORT = StreamJob(0, 0, items=20, item_interval_ms=20, snapshot_interval_ms=100)
SEEDS = range(200)
Kind = TypeVar("Kind", bound=TraceEvent)


def events_of(records: list[Record], kind: type[Kind]) -> list[Kind]:
    events = (record.event for record in records if isinstance(record, EventRecord))
    return [event for event in events if isinstance(event, kind)]


def riding(job: StreamJob, *fault_events: FaultEvent) -> Scenario:
    return replace(short_scenario(fault_events=fault_events), job=job)


def test_a_job_completes_with_the_totals_it_owes() -> None:
    _, records = run_of(riding(SHORT))

    (asked,), (seen,) = events_of(records, JobAsked), events_of(records, JobSeen)
    assert (seen.status, seen.confirmed) == ("completed", True)
    assert seen.totals == asked.owed


def test_a_job_goes_on_after_a_crash_of_the_master() -> None:
    _, records = run_of(riding(replace(SHORT, items=60), FaultEvent("crash", 500, 60_000, (0,))))

    (asked,), (seen,) = events_of(records, JobAsked), events_of(records, JobSeen)
    assert len(events_of(records, JobStarted)) == 2
    assert seen.totals == asked.owed


def test_a_job_whose_submitter_dies_at_once_is_not_confirmed() -> None:
    _, records = run_of(riding(replace(SHORT, at_ms=10, address_index=1), FaultEvent("crash", 10, 60_000, (1,))))

    (seen,) = events_of(records, JobSeen)
    assert not seen.confirmed


def test_a_job_whose_submitter_dies_before_it_has_looked_at_it_is_not_confirmed() -> None:
    """Seed 360003936 (`--vary`): it is paused, and ends so."""
    pause, crash = FaultEvent("pause", 5, 60_000, (1,)), FaultEvent("crash", 40, 60_000, (1,))
    _, records = run_of(riding(replace(SHORT, at_ms=10, address_index=1), pause, crash))

    (seen,) = events_of(records, JobSeen)
    assert not seen.confirmed


def test_a_member_with_room_for_few_calls_is_asked_for_every_total() -> None:
    """Seed 5001833: a read that was refused for want of room counted as a total that is missing."""
    few = (
        ("hazelcast.backpressure.enabled", "true"),
        ("hazelcast.backpressure.max.concurrent.invocations.per.partition", "1"),
        ("hazelcast.backpressure.backoff.timeout.millis", "0"),
    )
    job = replace(SHORT, guarantee="none", shards=1, keys=8)
    alone = replace(riding(job), members=1, partition_count=7, properties=few)
    _, records = run_of(alone)

    (asked,), (seen,) = events_of(records, JobAsked), events_of(records, JobSeen)
    assert (seen.status, len(seen.totals)) == ("completed", len(asked.owed))


def test_nothing_is_reported_of_a_job_that_does_not_ride() -> None:
    _, records = run_of(short_scenario())

    assert (events_of(records, JobAsked), events_of(records, JobSeen)) == ([], [])


def test_about_one_run_in_seven_carries_a_job() -> None:
    riding_along = [seed for seed in SEEDS if draw_scenario(seed).job is not None]

    assert 0.08 * len(SEEDS) < len(riding_along) < 0.25 * len(SEEDS)


def test_a_job_changes_nothing_else_that_is_drawn() -> None:
    plain = [draw_scenario(seed, DrawOptions(jobs=False)) for seed in SEEDS]

    assert [replace(draw_scenario(seed), job=None) for seed in SEEDS] == plain


def test_a_job_can_be_asked_for_by_name() -> None:
    jobs = [draw_scenario(seed, DrawOptions(workload="jobs")).job for seed in SEEDS]

    assert None not in jobs
    assert {job.guarantee for job in jobs if job is not None} == {guarantee.value for guarantee in Guarantee}
