"""Records of made-up histories."""

from gridproof_model.events import Event
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome


def operation_record(
    number: int = 0,
    kind: OperationKind = OperationKind.WRITE,
    value: str | None = "v0",
    outcome: Outcome = Outcome.OK,
    *,
    key: str = "key-0",
    client: int = 0,
    member: int = 0,
    copies: int | None = 2,
    span_ms: tuple[int, int] | None = None,
) -> OperationRecord:
    """Return one operation; without a span it begins and ends in a hundredth of a second of its own."""
    start_ms, end_ms = span_ms or (10 * number, 10 * number + 5)
    return OperationRecord(
        "run", number, client, kind, key, 0, value, outcome, copies, member, start_ms, end_ms, "busy 1"
    )


def event(at_ms: int, member: int | None, event: Event) -> EventRecord:
    """Return what a member recorded, or the harness where it is nobody's."""
    return EventRecord("run", at_ms, member, event)
