"""Whether one order of all operations explains every answer.

A measurement more than a promise: no AP structure promises it (reference replication 11, N1), and a grid at rest
without faults keeps it all the same (bug-zoo I4). A register a key. What cannot be decided within bounds is unknown:
a key with more operations than are kept, or one whose search takes too long.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judge import Finding, Property
from gridproof_properties.linearizability import Linearization, TimedOperation, check_linearizable
from gridproof_properties.linearizability.models.register import Held, Read, Register, Write
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

OPERATIONS_MAX = 1_000_000
"""Operations kept of a run: about 400 MB."""
OPERATIONS_A_KEY_MAX = 20_000
EFFORT_MAX = 200_000
OPEN_SHOWN = 5


@dataclass(slots=True)
class _LinearizabilityJudge:
    histories: dict[str, list[TimedOperation]] = field(default_factory=lambda: defaultdict(list))
    kept: int = 0
    beyond: int = 0
    """Operations that were not kept."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        told = _timed(record)
        if told is None:
            return
        history = self.histories[record.key]
        if self.kept >= OPERATIONS_MAX or len(history) >= OPERATIONS_A_KEY_MAX:
            self.beyond += 1
            return
        self.kept += 1
        history.append(told)

    def conclude(self) -> Finding:
        if not self.kept:
            return Finding(Result.UNKNOWN, "no operation ended")
        found = check_linearizable(Register(), self.histories, EFFORT_MAX)
        seen = f"{count(self.kept, 'operation')} on {count(len(self.histories), 'key')}"
        match found.result:
            case Result.BROKEN:
                return Finding(Result.BROKEN, f"of {seen}, no order explains those on {found.key}", _tell(found))
            case Result.UNKNOWN:
                return Finding(Result.UNKNOWN, f"{found.key} takes more than {EFFORT_MAX:,} steps to decide, of {seen}")
            case Result.HOLDS if self.beyond:
                return Finding(Result.UNKNOWN, f"{seen} have an order; {count(self.beyond, 'more')} were not kept")
            case Result.HOLDS:
                return Finding(Result.HOLDS, f"{seen}, and for each key one order explains every answer")


def _timed(record: OperationRecord) -> TimedOperation | None:
    """Return what the checker has to know, None for what cannot matter: refused, or a read without an answer."""
    if record.outcome is Outcome.REFUSED:
        return None
    end = record.end_ms if record.outcome is Outcome.OK else None
    match record.kind:
        case OperationKind.WRITE:
            return TimedOperation(Write(record.value), None, record.start_ms, end)
        case OperationKind.REMOVE:
            return TimedOperation(Write(None), None, record.start_ms, end)
        case OperationKind.READ if end is not None:
            return TimedOperation(Read(), record.value, record.start_ms, end)
        case _:
            return None


def _tell(found: Linearization) -> tuple[str, ...]:
    assert found.unexplained is not None, "what is broken got stuck at an operation"
    states = [_say(state.value) for state in found.states if isinstance(state, Held)]
    could = f"whatever the order, {found.key} could hold {' or '.join(states) or 'nothing that fits'} by then"
    others = sorted(found.open_then, key=lambda op: op.start)[:OPEN_SHOWN]
    return (
        could,
        *(f"at the same time: {_describe(op)}" for op in others),
        f"no order explains: {_describe(found.unexplained)}",
    )


def _describe(op: TimedOperation) -> str:
    span = f"{op.start:,} to {op.end:,} ms" if op.end is not None else f"from {op.start:,} ms, outcome unknown"
    if isinstance(op.operation, Write):
        return f"a write of {_say(op.operation.value)}, {span}"
    return f"a read of {_say(op.result)}, {span}"


def _say(value: object) -> str:
    return "no entry" if value is None else str(value)


LINEARIZABILITY = Property(
    name="linearizability",
    sentence="For every key, one order of all operations explains every answer and keeps what followed what.",
    source="bug-zoo I4; not promised: reference replication 11, N1",
    start=_LinearizabilityJudge,
)
PROPERTIES: tuple[Property, ...] = (LINEARIZABILITY,)
