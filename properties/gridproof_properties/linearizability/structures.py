"""Which structure the operations of a key are for.

A key is an entry of a map, a list, a queue or a lock: the kinds of its operations tell. What was refused was never
executed; what has no outcome may take effect at any time after it began, or never. A look at the copy of one member is
not judged: nobody promised what a backup shows.
"""

from collections import Counter as Multiset
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gridproof_model.trace import OperationKind, OperationRecord, Outcome
from gridproof_properties.linearizability.fifo import contradict_queue, read_queue
from gridproof_properties.linearizability.history import TimedOperation
from gridproof_properties.linearizability.models.counter import Add
from gridproof_properties.linearizability.models.entry import Entry, as_number
from gridproof_properties.linearizability.models.lock import EndMember, GiveBack, IsTaken, Lock, Owner, Take
from gridproof_properties.linearizability.models.queue import Offer, Peek, Poll, Queue
from gridproof_properties.linearizability.models.register import Held, Read, ReadWriteRegister, Write
from gridproof_properties.linearizability.models.text import AppendText, GetText, Text
from gridproof_properties.linearizability.ranked import Contradiction, Ranked, rank_additions, rank_appends
from gridproof_properties.linearizability.sequential import UNSEEN, SequentialModel

Kind = OperationKind
ENTRY = frozenset({Kind.READ, Kind.WRITE, Kind.REMOVE, Kind.ADD})
COUNTER = frozenset({Kind.READ, Kind.ADD})
LIST = frozenset({Kind.READ, Kind.APPEND})
QUEUE = frozenset({Kind.READ, Kind.OFFER, Kind.POLL})
LOCK = frozenset({Kind.READ, Kind.LOCK, Kind.UNLOCK})
MODELLED = ENTRY | LIST | QUEUE | LOCK
NOT_JUDGED = frozenset({Kind.READ_REPLICA})
ONLY_READ = frozenset({Kind.READ})
STRANGE = "an answer that no structure of its kind gives"


@dataclass(frozen=True, slots=True)
class Asked:
    """What is kept of an operation."""

    kind: OperationKind
    client: int
    member: int | None
    value: str | None
    start_ms: int
    end_ms: int | None
    """None when its outcome is unknown."""

    @classmethod
    def of(cls, record: OperationRecord) -> "Asked | None":
        """Return what matters of a record, None where nothing can: a read without an answer."""
        end_ms = record.end_ms if record.outcome is Outcome.OK else None
        if end_ms is None and record.kind is Kind.READ:
            return None
        return cls(record.kind, record.client, record.member, record.value, record.start_ms, end_ms)


@dataclass(frozen=True, slots=True)
class History:
    """Operations to be searched for an order."""

    model: SequentialModel
    operations: tuple[TimedOperation, ...]


@dataclass(frozen=True, slots=True)
class NotModelled:
    """Nothing can be said of a key."""

    why: str


Reading = History | Ranked | Contradiction | NotModelled
"""What the operations of a key come to: to be searched, to be walked through, refuted already, or beyond us."""


def read_history(asked: Sequence[Asked], kinds: frozenset[Kind], endings: Mapping[int, int]) -> Reading:
    """Return what the operations of one key come to.

    `kinds` are those of all its operations, refused ones too. `endings` says from when on the locks of a member may
    have been released.
    """
    used = kinds - NOT_JUDGED
    told = [_timed(one) for one in asked if one.kind in MODELLED]
    operations = tuple(one for one in told if one is not None)
    if len(operations) < len(told):
        return NotModelled(STRANGE)
    if used <= ONLY_READ:
        return _unwritten(operations)
    if used <= COUNTER:
        return _counter(operations)
    if used <= ENTRY:
        return History(Entry() if Kind.ADD in used else ReadWriteRegister(), operations)
    if used <= LIST:
        return _list(operations)
    if used <= QUEUE:
        return _queue(operations)
    if used <= LOCK:
        return _lock(asked, operations, endings)
    strange = sorted(used - MODELLED)
    return NotModelled(f"not modelled: {', '.join(strange)}" if strange else f"at once: {', '.join(sorted(used))}")


def _timed(one: Asked) -> TimedOperation | None:
    """Return an operation in the words of its model, None where its answer has no place in it."""
    owner = Owner(one.client, one.member)
    match one.kind:
        case Kind.WRITE:
            return TimedOperation(Write(one.value), None, one.start_ms, one.end_ms)
        case Kind.REMOVE:
            return TimedOperation(Write(None), None, one.start_ms, one.end_ms)
        case Kind.READ:
            return TimedOperation(Read(), one.value, one.start_ms, one.end_ms)
        case Kind.ADD:
            return _numbered(Add(), one)
        case Kind.APPEND if one.value is not None:
            return TimedOperation(AppendText(one.value), None, one.start_ms, one.end_ms)
        case Kind.OFFER if one.value is not None:
            return TimedOperation(Offer(one.value), None, one.start_ms, one.end_ms)
        case Kind.POLL:
            return TimedOperation(Poll(), one.value, one.start_ms, one.end_ms)
        case Kind.LOCK if one.end_ms is None or one.value in _TRUTHS:
            return TimedOperation(Take(owner), _TRUTHS.get(one.value or ""), one.start_ms, one.end_ms)
        case Kind.UNLOCK:
            left = None if one.value in (None, *_TRUTHS) else as_number(one.value)
            return TimedOperation(GiveBack(owner), left, one.start_ms, one.end_ms)
        case _:
            return None


_TRUTHS = {"true": True, "false": False}


def _numbered(operation: Add, one: Asked) -> TimedOperation | None:
    if one.value is None:
        return TimedOperation(operation, UNSEEN, one.start_ms, one.end_ms)
    total = as_number(one.value)
    return None if total is None else TimedOperation(operation, total, one.start_ms, one.end_ms)


def _unwritten(operations: tuple[TimedOperation, ...]) -> Reading:
    """A key that nobody changes holds what it held, whatever structure it is: an entry, an empty list, a free lock."""
    first = operations[0].result if operations else None
    return History(ReadWriteRegister(Held(first)), operations)


def _counter(operations: tuple[TimedOperation, ...]) -> Reading:
    additions = [(one, one.result) for one in operations if isinstance(one.operation, Add) and one.end is not None]
    reads = [(one, as_number(one.result)) for one in operations if isinstance(one.operation, Read)]
    unseen = [one for one in operations if one.end is None]
    sums = [(one, total) for one, total in additions if isinstance(total, int)]
    totals = [(one, total) for one, total in reads if total is not None]
    if len(sums) < len(additions) or len(totals) < len(reads):
        return History(Entry(), operations)
    return rank_additions(sums, totals, unseen)


def _list(operations: tuple[TimedOperation, ...]) -> Reading:
    appends = [(one.operation.text, one) for one in operations if isinstance(one.operation, AppendText)]
    is_told_apart = len(dict(appends)) == len(appends) and all(item.split() == [item] for item, _ in appends)
    if is_told_apart:
        reads = [(one, _say(one.result).split()) for one in operations if isinstance(one.operation, Read)]
        return rank_appends(dict(appends), reads)
    return History(Text(), tuple(_as_text(one) for one in operations))


def _as_text(one: TimedOperation) -> TimedOperation:
    """Return an operation on a list as one on a text in which a blank follows each item."""
    if isinstance(one.operation, AppendText):
        return TimedOperation(AppendText(f"{one.operation.text} "), None, one.start, one.end)
    return TimedOperation(GetText(), f"{shown} " if (shown := _say(one.result)) else "", one.start, one.end)


def _say(result: object) -> str:
    return "" if result is None else str(result)


def _queue(operations: tuple[TimedOperation, ...]) -> Reading:
    told = tuple(_as_peek(one) for one in operations)
    known = read_queue(told)
    if known is None:
        return History(Queue(), told)
    if isinstance(known, Contradiction):
        return known
    found = contradict_queue(known)
    if found is not None:
        return found
    model = known.model()
    # An offer without an outcome whose item nobody ever saw explains no answer.
    needed = tuple(
        one
        for one in told
        if one.end is not None or not isinstance(one.operation, Offer) or one.operation.item in model.shown
    )
    return History(model, needed)


def _as_peek(one: TimedOperation) -> TimedOperation:
    return TimedOperation(Peek(), one.result, one.start, one.end) if isinstance(one.operation, Read) else one


def _lock(asked: Sequence[Asked], operations: tuple[TimedOperation, ...], endings: Mapping[int, int]) -> Reading:
    """Add what releases the locks of members that ended: at most once for each time that one may have taken it."""
    if any(isinstance(one.operation, Read) and one.result not in _TRUTHS for one in operations):
        return NotModelled(STRANGE)
    told = [_as_question(one) for one in operations]
    locks = Multiset(one.member for one in asked if one.kind is Kind.LOCK and one.member in endings)
    for member, times in locks.items():
        assert member is not None, "only members end"
        told += [TimedOperation(EndMember(member), None, endings[member], None)] * times
    return History(Lock(), tuple(told))


def _as_question(one: TimedOperation) -> TimedOperation:
    if not isinstance(one.operation, Read):
        return one
    return TimedOperation(IsTaken(), _TRUTHS.get(str(one.result)), one.start, one.end)
