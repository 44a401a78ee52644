"""Small histories made by hand."""

from collections.abc import Iterable
from itertools import count

from gridproof_model.events import Event
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RunRecord,
)
from gridproof_properties.measures.quantity import Measured
from gridproof_properties.measures.run_meter import RunMeter
from gridproof_properties.measures.writes import History

BUSY, REST = "busy 1", "at rest"
_numbers = count()


def asked(
    kind: OperationKind,
    value: str | None,
    start_ms: int,
    end_ms: int,
    outcome: Outcome = Outcome.OK,
    stage: str = BUSY,
    key: str = "register-1",
) -> OperationRecord:
    """Return one operation, each of a client of its own."""
    number = next(_numbers)
    return OperationRecord("r", number, number, kind, key, 0, value, outcome, None, 0, start_ms, end_ms, stage)


def write(value: str, start_ms: int, end_ms: int, outcome: Outcome = Outcome.OK) -> OperationRecord:
    """Return a write of an entry."""
    return asked(OperationKind.WRITE, value, start_ms, end_ms, outcome)


def read(value: str | None, at_ms: int, stage: str = BUSY, key: str = "register-1") -> OperationRecord:
    """Return an answered read."""
    return asked(OperationKind.READ, value, at_ms, at_ms + 1, stage=stage, key=key)


def final(value: str | None, key: str = "register-1") -> OperationRecord:
    """Return the look at a key at rest."""
    return read(value, 1_000_000, REST, key)


def member(number: int, change: MemberChange, at_ms: int) -> MemberRecord:
    """Return a member that comes or goes."""
    return MemberRecord("r", at_ms, number, change, f"member {number}", "")


def condition(at_ms: int, event: Event) -> EventRecord:
    """Return what the harness records."""
    return EventRecord("r", at_ms, None, event)


def head(backups: int = 1) -> RunRecord:
    """Return the head of a run."""
    return RunRecord("r", "s", "1", 0, 2, backups)


def history_of(records: Iterable[Record]) -> History:
    """Return what clients did."""
    history = History()
    for record in records:
        history.observe(record)
    return history


def measured_of(records: Iterable[Record]) -> Measured:
    """Return everything that is measured of some records."""
    meter = RunMeter()
    for record in records:
        meter.observe(record)
    return meter.conclude()
