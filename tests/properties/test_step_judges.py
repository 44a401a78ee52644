"""Judges of steps, shown real runs."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events import Event
from gridproof_model.events.conditions import Configured, FaultBegun, FaultEnded, MessageLost
from gridproof_model.events.harness import JobAsked, JobSeen, ResourcesHeld, RunEnded
from gridproof_model.events.invocation import AttemptFailed, CallBegun, CallEnded
from gridproof_model.events.migration import MigrationOrdered
from gridproof_model.events.partitioning import RowInstalled, RowsFetched
from gridproof_model.events.words import CallEnding, Failure, Guarantee, WhyRowChanged
from gridproof_model.migration import MigrationKind
from gridproof_model.trace import EventRecord, OperationKind, Outcome, Record
from gridproof_properties.judging.judge import watched_by
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.timers import SET_FOR
from gridproof_properties.judging.verdict import Result
from gridproof_properties.simulated import STEPPED, copies, endings, orders, resources, steps
from tests.properties.recorded_history import operation_record
from tests.properties.validated_runs import judged, mutated, run_of, scenario

CRASH = scenario(FaultEvent("crash", 300, 1_500, (0,)), members=4)
LEAVE = scenario(FaultEvent("leave", 300, 1_500, (1,)), members=4)
OF_ANSWERS = (copies.ACKNOWLEDGED_BY_ITS_BACKUPS, copies.ANSWERED_BY_ITS_TARGET, copies.PARKED_CALLER_IS_NOTIFIED)
WALKED = (*endings.PROPERTIES, *orders.PROPERTIES, *OF_ANSWERS, *resources.PROPERTIES)
BY_NAME = {prop.name: prop for prop in WALKED}
FAILURE = next(prop for prop in steps.PROPERTIES if prop.name == "failure-raises-the-version")
NOT_MET = {"leaves-end", "merges-end", "parked-caller-is-notified"}
"""Nobody leaves, merges or waits in the run of a crash."""


def result_of(name: str, records: Sequence[Record]) -> Result:
    return judged(BY_NAME[name], records).result


def with_one(resource: str, held: ResourcesHeld) -> ResourcesHeld:
    counts = tuple((name, 1 if name == resource else count) for name, count in held.counts)
    timers = tuple((kind, 1) for kind, held_for in SET_FOR.items() if held_for == resource)
    return replace(held, counts=counts, timers=(*held.timers, *timers))


def configured_and_held() -> tuple[EventRecord, EventRecord]:
    """Return how the run of a crash is configured, and what a member holds at its last rest."""
    events = [record for record in run_of(CRASH) if isinstance(record, EventRecord)]
    configured = next(record for record in events if isinstance(record.event, Configured))
    *_, last = (record for record in events if isinstance(record.event, ResourcesHeld))
    return configured, last


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - NOT_MET))
def test_a_run_as_it_was_holds(name: str) -> None:
    assert result_of(name, list(run_of(CRASH))) is Result.HOLDS


def test_a_call_that_is_under_way_may_hold_what_it_needs() -> None:
    events = [record for record in run_of(CRASH) if isinstance(record, EventRecord)]
    *records, last = (record for record in events if isinstance(record.event, ResourcesHeld))
    assert isinstance(last.event, ResourcesHeld)
    begun = replace(last, event=CallBegun(99, 0, "Put", False, False))
    ended = replace(last, event=CallEnded(99, CallEnding.ACKNOWLEDGED, 1, 1))
    holding = replace(last, event=with_one("calls", last.event))

    assert result_of("resources-return", [*records, begun, holding]) is Result.HOLDS
    assert result_of("resources-return", [*records, ended, holding]) is Result.BROKEN


@pytest.mark.parametrize("how", CallEnding)
def test_a_strict_call_that_succeeds_without_its_backups_breaks_what_is_promised(how: CallEnding) -> None:
    strict = mutated(run_of(CRASH), CallBegun, lambda begun: replace(begun, is_strict=True))
    lacking = mutated(strict, CallEnded, lambda ended: replace(ended, how=how, confirmed=0))

    assert judged(copies.STRICT_MEANS_COPIES, lacking).result is Result.BROKEN


def test_nothing_is_kept_about_calls_that_ended() -> None:
    judge: Any = copies.STRICT_MEANS_COPIES.start()
    for record in run_of(CRASH):
        if isinstance(record, EventRecord) and isinstance(record.event, CallBegun):
            record = replace(record, event=replace(record.event, is_strict=True))
        judge.observe(record)

    assert judge.looked > 10
    assert (judge.strict, judge.acks) == (set(), {})


@pytest.mark.parametrize(
    ("kind", "number", "result"),
    [
        ("HeartbeatDue", 1, Result.HOLDS),
        ("HeartbeatDue", 0, Result.BROKEN),
        ("EarlyOver", 3, Result.HOLDS),
        ("CheckTimesOut", 1, Result.BROKEN),
        ("ClaimTimeout", 1, Result.BROKEN),
        ("StartJob", 1, Result.BROKEN),
    ],
)
def test_at_rest_the_timers_of_a_member_are_those_of_its_rounds(kind: str, number: int, result: Result) -> None:
    configured, last = configured_and_held()
    assert isinstance(last.event, ResourcesHeld)
    timers = {**dict(last.event.timers), kind: number}
    held = replace(last.event, timers=tuple(one for one in timers.items() if one[1]))

    assert result_of("resources-return", [configured, replace(last, event=held)]) is result


@pytest.mark.parametrize("pause_ms", [500, 2_000])
@pytest.mark.parametrize(("sooner_ms", "result"), [(1, Result.HOLDS), (0, Result.BROKEN)])
def test_a_run_may_end_between_two_attempts_of_a_call(pause_ms: int, sooner_ms: int, result: Result) -> None:
    """Seed 350000808 (`--vary`): the pause is as configured."""
    records = [
        replace(record, event=replace(record.event, retry_pause_ms=pause_ms))
        if isinstance(record, EventRecord) and isinstance(record.event, Configured)
        else record
        for record in run_of(CRASH)
    ]
    last = [record for record in records if isinstance(record, EventRecord)][-1]
    ended = replace(last, member=None, event=RunEnded(1), at_ms=last.at_ms + 3_000)
    begun = replace(ended, member=0, event=CallBegun(99, 0, "Put", False, False), at_ms=ended.at_ms - 3_000)
    failed = replace(
        begun, event=AttemptFailed(99, 7, 0, Failure.PARTITION_MIGRATING), at_ms=ended.at_ms - pause_ms + sooner_ms
    )

    history = [*records, begun, failed, ended]
    assert judge_run(history, [BY_NAME["calls-end-once"]], {})[0].result is result


@pytest.mark.parametrize(
    ("lost", "after_ms", "result"),
    [
        (True, 0, Result.HOLDS),
        (True, 1_000, Result.BROKEN),
        (False, 0, Result.BROKEN),
    ],
)
def test_a_run_may_end_before_who_is_not_answered_has_given_up(lost: bool, after_ms: int, result: Result) -> None:
    """Seed 710007491 (`--vary`): a request got lost, and nobody but its caller waited for it."""
    records = list(run_of(CRASH))
    configured = next(r.event for r in records if isinstance(r, EventRecord) and isinstance(r.event, Configured))
    last = [record for record in records if isinstance(record, EventRecord)][-1]
    ended = replace(last, member=None, event=RunEnded(1), at_ms=last.at_ms + 2 * configured.call_timeout_ms + after_ms)
    begun = replace(last, member=0, event=CallBegun(99, 0, "Put", False, False))
    losses = [replace(last, member=None, event=MessageLost("Request", 0, 0, 1))] if lost else []

    history = [*records, begun, *losses, ended]
    assert judge_run(history, [BY_NAME["calls-end-once"]], {})[0].result is result


def test_a_failed_migration_may_be_any_of_its_number() -> None:
    """Seed 710000342 (`--vary`): masters count by themselves, and one had not heard of the other's."""
    at = next(record for record in run_of(CRASH) if isinstance(record, EventRecord))

    def found(*versions: int) -> Result:
        orders = [
            MigrationOrdered(0, 7, 3, MigrationKind.COPY, 0, 1, 1, None, None, None, initial) for initial in versions
        ]
        events: list[Event] = [*orders, RowInstalled(3, 5, (0,), WhyRowChanged.RECEIVED), RowsFetched(1, (), (7,))]
        records = [replace(at, member=2, event=event) for event in events]
        return judge_run(records, [FAILURE], {})[0].result

    assert {found(4), found(4, 5)} == {Result.HOLDS}
    assert {found(5), found(5, 6)} == {Result.BROKEN}


def test_a_job_that_goes_on_may_hold_what_it_needs() -> None:
    held = mutated(run_of(CRASH), ResourcesHeld, partial(with_one, "executions"))

    assert result_of("resources-return", held) is Result.HOLDS


@pytest.mark.parametrize("resource", ["safe_checks", "calls_of_several_partitions", "batches"])
@pytest.mark.parametrize(("status", "result"), [("not running", Result.HOLDS), ("completed", Result.BROKEN)])
def test_a_job_that_goes_on_asks_how_safe_data_is_and_clears_maps(status: str, result: Result, resource: str) -> None:
    """Seeds 9005104 and 20000510 (`--members 5`): a look fell on its start, or on the clearing of an older snapshot."""
    events = [record for record in run_of(CRASH) if isinstance(record, EventRecord)]
    *_, last = (record for record in events if isinstance(record.event, ResourcesHeld))
    assert isinstance(last.event, ResourcesHeld)
    asked = replace(last, event=JobAsked("counts", Guarantee.NONE, True, 1, 1, ()))
    seen = replace(last, event=JobSeen("counts", True, status, ()))
    holding = replace(last, event=with_one(resource, last.event))

    assert result_of("resources-return", [asked, seen, holding]) is result


@pytest.mark.parametrize(("later_ms", "result"), [(240_000, Result.HOLDS), (240_001, Result.BROKEN)])
def test_a_map_may_be_cleared_for_so_long_after_its_job_is_over(later_ms: int, result: Result) -> None:
    """Seed 310007939 (`--vary`): the message that clears is lost, and given up after 120 s."""
    configured, last = configured_and_held()
    assert isinstance(last.event, ResourcesHeld)
    assert isinstance(configured.event, Configured)
    assert configured.event.call_timeout_ms == 60_000
    asked = replace(last, event=JobAsked("counts", Guarantee.NONE, True, 1, 1, ()))
    over = replace(last, event=JobSeen("counts", True, "completed", ()))
    holding = replace(last, at_ms=last.at_ms + later_ms, event=with_one("batches", last.event))

    history = [configured, asked, over, holding]
    assert judge_run(history, [BY_NAME["resources-return"]], {})[0].result is result


@pytest.mark.parametrize(("harm", "result"), [("messages", Result.HOLDS), ("delays", Result.BROKEN)])
@pytest.mark.parametrize("later_ms", [16_000, 16_001])
def test_what_has_migrated_is_settled_with_the_next_table_where_one_got_lost(
    later_ms: int, harm: str, result: Result
) -> None:
    """Seed 800016016 (`--vary`): one member gets no table while it joins; the next comes 15 s later."""
    configured, last = configured_and_held()
    assert isinstance(last.event, ResourcesHeld)
    assert isinstance(configured.event, Configured)
    assert configured.event.table_send_interval_ms == 15_000
    faults = [replace(last, event=FaultBegun("stale", (harm,), (2,), "")), replace(last, event=FaultEnded("stale", ""))]
    holding = replace(last, at_ms=last.at_ms + later_ms, event=with_one("completed_migrations", last.event))

    found = judge_run([configured, *faults, holding], [BY_NAME["resources-return"]], {})[0].result
    assert found is (result if later_ms == 16_000 else Result.BROKEN)


@pytest.mark.parametrize(("later_ms", "result"), [(60_000, Result.HOLDS), (60_001, Result.BROKEN)])
def test_an_operation_may_wait_until_its_deadline_once_its_caller_has_given_it_up(
    later_ms: int, result: Result
) -> None:
    """Seed 340015307 (`--vary`): the caller's clock leaps, and the call timeout is over for the caller alone."""
    configured, last = configured_and_held()
    assert isinstance(last.event, ResourcesHeld)
    span_ms = (last.at_ms - 300, last.at_ms)
    given_up = operation_record(99, OperationKind.LOCK, None, Outcome.UNKNOWN, key="lock-0", span_ms=span_ms)
    holding = replace(last, at_ms=last.at_ms + later_ms, event=with_one("parked_operations", last.event))

    history: list[Record] = [configured, given_up, holding]
    assert judge_run(history, [BY_NAME["resources-return"]], {})[0].result is result


def test_a_member_that_leaves_goes() -> None:
    assert result_of("leaves-end", list(run_of(LEAVE))) is Result.HOLDS


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_a_run_without_steps_shows_nothing(name: str) -> None:
    assert result_of(name, []) is Result.UNKNOWN


def test_every_step_looked_at_is_asked_for() -> None:
    records = [r for r in run_of(CRASH) if not isinstance(r, EventRecord) or r.kind in watched_by(STEPPED)]

    assert {name for name in BY_NAME if result_of(name, records) is Result.HOLDS} == BY_NAME.keys() - NOT_MET
