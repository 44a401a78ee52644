"""Runs that refinement is shown."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from typing import TypeVar
from unittest.mock import patch

from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_model.events import Event
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.grid_properties import BACKUP_SYNC_INTERVAL
from gridproof_model.trace import EventRecord, OperationKind, Record
from gridproof_properties.judging.judge import Finding, Property
from gridproof_properties.judging.verdict import Result

WRITES = 12
Kind = TypeVar("Kind", bound=TraceEvent)
CALM = Scenario(
    1,
    members=3,
    sync_backups=1,
    async_backups=1,
    partition_count=1,
    properties=((BACKUP_SYNC_INTERVAL.name, "1"),),
)


def scenario(*fault_events: FaultEvent, pause_ms: int = 100, members: int = 3) -> Scenario:
    """Return a small grid with one client that writes one entry, and what happens to it."""
    client_operations = tuple(
        ClientOperation("register", OperationKind.WRITE, "register/one", f"value {number}", pause_ms=pause_ms)
        for number in range(WRITES)
    )
    return replace(CALM, members=members).with_scripts((Script(client_operations, fault_events),))


@cache
def run_of(given: Scenario) -> tuple[Record, ...]:
    """Return all that a run showed."""
    return tuple(simulated(given))


def simulated(given: Scenario) -> list[Record]:
    """Return all that a run shows with whatever is planted now."""
    records: list[Record] = []
    simulate(given, records.append)
    return records


def judged(prop: Property, records: Iterable[Record]) -> Finding:
    """Return what a property's judge finds."""
    judge = prop.start()
    for record in records:
        judge.observe(record)
    return judge.conclude()


def mutated(
    records: Iterable[Record], kind: type[Kind], change: Callable[[Kind], Event | None], nth: int = 1
) -> list[Record]:
    """Return the records with the nth event of a type changed, or taken away."""
    found, seen = [], 0
    for record in records:
        if isinstance(record, EventRecord) and isinstance(record.event, kind):
            seen += 1
            if seen == nth:
                event = change(record.event)
                if event is None:
                    continue
                record = replace(record, event=event)
        found.append(record)
    assert seen >= nth, f"the run has no {nth} events {kind.__name__}"
    return found


def away(event: Event) -> None:
    """Take an event away."""


def recorded(member: int | None, event: Event, at_ms: int = 1) -> EventRecord:
    """Return the record of an event."""
    return EventRecord("run", at_ms, member, event)


def listed(*members: int, version: int | None = None) -> MemberListInstalled:
    """Return a member list, with as high a version as it has members unless another is given."""
    return MemberListInstalled(len(members) if version is None else version, members)


def broken_by(prop: Property, given: Scenario, owner: object, rule: str, instead: object) -> Finding:
    """Return what a property finds in a scenario that is played with a rule replaced; it must be broken."""
    with patch.object(owner, rule, instead):
        finding = judged(prop, simulated(given))
    assert finding.result is Result.BROKEN, finding
    return finding
