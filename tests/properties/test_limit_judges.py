"""Refusals have the cause that is named, and configured numbers are not passed: histories made by hand."""

import pytest

from gridproof_model.events import Event
from gridproof_model.events.anti_entropy import SyncEnded, SyncRequested
from gridproof_model.events.conditions import Configured
from gridproof_model.events.invocation import AttemptSent, CallEnded
from gridproof_model.events.membership import ClusterStateChanged, JoinTurnedDown, MemberRemoved
from gridproof_model.events.migration import MigrationOpened, MigrationOrdered, MigrationRefused
from gridproof_model.events.operation import Refused
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.words import (
    EARLY,
    THE_CLUSTER_IS,
    WAS_REMOVED,
    CallEnding,
    Failure,
    WhyRowChanged,
    WhySyncEnded,
)
from gridproof_model.membership import ClusterState
from gridproof_model.migration import MigrationKind
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import event

CONFIGURED = Configured(
    1, 0, False, True, True, 500, 5_000, True, retries=3, calls_max=1, syncs_max=2, migrations_max=1
)
FROZEN = ClusterStateChanged(ClusterState.FROZEN)
MOVES, OWNS = MigrationOpened(2, 1, 0), RowInstalled(0, 1, (0, 1), WhyRowChanged.ARRANGED)
MIGRATING, WRONG = (Refused(0, "Put", 1, 7, why) for why in (Failure.PARTITION_MIGRATING, Failure.WRONG_TARGET))
SYNC = SyncEnded(0, 1, "map", WhySyncEnded.MIGRATING)


def result_of(name: str, *events: Event) -> Result:
    """Judge what member 0 has recorded."""
    history = [event(number, 0, one) for number, one in enumerate(events)]
    return judge_run((event(0, None, CONFIGURED), *history), [get_property(name)], {})[0].result


@pytest.mark.parametrize(
    ("events", "result"),
    [
        ((JoinTurnedDown(4, "it has another partition count"),), Result.BROKEN),
        ((JoinTurnedDown(4, WAS_REMOVED),), Result.BROKEN),
        ((MemberRemoved(4, was_master=False), JoinTurnedDown(4, WAS_REMOVED)), Result.HOLDS),
        ((JoinTurnedDown(4, f"{THE_CLUSTER_IS}{ClusterState.FROZEN}"),), Result.BROKEN),
        ((FROZEN, JoinTurnedDown(4, f"{THE_CLUSTER_IS}{ClusterState.FROZEN}")), Result.HOLDS),
        ((MIGRATING,), Result.BROKEN),
        ((MOVES, MIGRATING), Result.HOLDS),
        ((OWNS, WRONG), Result.BROKEN),
        ((WRONG,), Result.HOLDS),
        ((SYNC,), Result.BROKEN),
        ((MOVES, SYNC), Result.HOLDS),
    ],
)
def test_a_refusal_has_its_cause(events: tuple[Event, ...], result: Result) -> None:
    assert result_of("refused-for-cause", *events) is result


def refusal(reason: str) -> MigrationRefused:
    return MigrationRefused(0, 2, 0, reason)


ORDER = MigrationOrdered(0, 2, 0, MigrationKind.COPY, 1, 2, 1, None, None, None, 2)


@pytest.mark.parametrize(
    ("reason", "at_ms", "result"),
    [
        (EARLY, 5_000, Result.BROKEN),
        (EARLY, 5_002, Result.HOLDS),
        ("row version 1 instead of 2", 3, Result.HOLDS),
        ("row version 2 instead of 1", 3, Result.BROKEN),
        ("row version 3 instead of 2", 3, Result.BROKEN),
        (f"{THE_CLUSTER_IS}{ClusterState.FROZEN}", 3, Result.BROKEN),
        ("not ordered by the master", 3, Result.UNKNOWN),
    ],
)
def test_who_takes_no_part_in_a_migration_has_the_cause(reason: str, at_ms: int, result: Result) -> None:
    history = [event(1, 0, OWNS), event(2, 0, ORDER), event(at_ms, 0, refusal(reason))]

    (verdict,) = judge_run((event(0, None, CONFIGURED), *history), [get_property("refused-for-cause")], {})

    assert verdict.result is result


def test_a_primary_passes_on_why_the_destination_refuses() -> None:
    newer = RowInstalled(0, 3, (0, 1), WhyRowChanged.ARRANGED)
    rows = [event(1, 0, OWNS), event(1, 1, newer), event(2, 0, ORDER)]
    history = [*rows, *(event(3, member, refusal("row version 3 instead of 2")) for member in (1, 0))]

    (verdict,) = judge_run((event(0, None, CONFIGURED), *history), [get_property("refused-for-cause")], {})

    assert verdict.result is Result.HOLDS


def attempt(call: int, number: int = 1) -> AttemptSent:
    return AttemptSent(call, number, call, 1, 1)


def sync(partition: int) -> SyncRequested:
    return SyncRequested(partition, 1, ("map",), 1)


def order(number: int) -> MigrationOrdered:
    return MigrationOrdered(0, number, number, MigrationKind.COPY, 1, 2, 1, None, None, None, 1)


@pytest.mark.parametrize(
    ("events", "result"),
    [
        ((sync(0), sync(1)), Result.HOLDS),
        ((sync(0), sync(1), sync(2)), Result.BROKEN),
        ((sync(0), sync(1), SyncEnded(1, 1, "map", WhySyncEnded.EXPIRED), sync(2)), Result.HOLDS),
        ((order(1), order(2)), Result.BROKEN),
        ((attempt(1), attempt(2)), Result.BROKEN),
        ((attempt(1), CallEnded(1, CallEnding.ACKNOWLEDGED, 1, 1), attempt(2)), Result.HOLDS),
        ((attempt(1, 3),), Result.HOLDS),
        ((attempt(1, 4),), Result.BROKEN),
    ],
)
def test_no_more_is_under_way_than_is_configured(events: tuple[Event, ...], result: Result) -> None:
    assert result_of("configured-limits-are-kept", *events) is result
