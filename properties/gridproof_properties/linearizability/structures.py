"""Finds out to which structure (a map, a list, a queue, a set or a lock) the operations on a key belong.

A key belongs to an entry of a map, a list, a queue, a set or a lock; the kinds of its operations show to which. A
refused operation was never executed; an operation of unknown outcome may take effect at any time after it began, or
never.
"""

from collections import Counter as Multiset
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from gridproof_model.trace import OperationKind, OperationRecord, Outcome
from gridproof_model.value import Value
from gridproof_properties.linearizability.fifo import contradict_queue, read_queue
from gridproof_properties.linearizability.history import TimedOperation
from gridproof_properties.linearizability.models import (
    Add,
    AppendText,
    CompareAndSet,
    Discard,
    EndMember,
    Entry,
    GetText,
    GiveBack,
    Held,
    Insert,
    IsTaken,
    IsThere,
    Lock,
    Offer,
    Owner,
    Peek,
    Poll,
    PutIfAbsent,
    Queue,
    Read,
    ReadSet,
    ReadWriteRegister,
    SetOfItems,
    Take,
    Text,
    Write,
    as_number,
)
from gridproof_properties.linearizability.ranked import Contradiction, Ranked, rank_additions, rank_appends
from gridproof_properties.linearizability.sequential import UNSEEN, SequentialModel

Kind = OperationKind
REGISTER = frozenset({Kind.READ, Kind.WRITE, Kind.REMOVE})
COUNTER = frozenset({Kind.READ, Kind.ADD})
COMPARING = frozenset({Kind.PUT_IF_ABSENT, Kind.COMPARE_AND_SET, Kind.COMPARE_AND_REMOVE, Kind.CONTAINS})
ENTRY = REGISTER | COUNTER | COMPARING
LIST = frozenset({Kind.READ, Kind.APPEND})
QUEUE = frozenset({Kind.READ, Kind.OFFER, Kind.POLL})
SET = frozenset({Kind.READ, Kind.INSERT, Kind.DISCARD})
LOCK = frozenset({Kind.READ, Kind.LOCK, Kind.UNLOCK})
MODELLED = ENTRY | LIST | QUEUE | SET | LOCK
NOT_JUDGED = frozenset({Kind.READ_REPLICA, Kind.READ_BACKUP, Kind.SIZE, Kind.ASK_SAFE})
"""The kinds that are not judged: reads of backups promise nothing, a size is counted partition by partition, and
questions about safety are not about a structure."""
ASKING = frozenset({Kind.READ, Kind.CONTAINS})
"""The kinds of operations that mean nothing without an answer."""
ANSWERING = frozenset({Kind.ADD, Kind.POLL, Kind.LOCK, Kind.UNLOCK})
"""The kinds of operations whose recorded value is the answer."""
ONLY_READ = frozenset({Kind.READ})
STRANGE: Hashable = object()
"""An answer that no structure of its kind can give."""


@dataclass(frozen=True, slots=True)
class Asked(Value):
    """The parts of an operation that a checker needs."""

    kind: OperationKind
    client: int
    member: int | None
    value: str | None
    start_ms: int
    end_ms: int | None
    """When the operation ended; None if its outcome is unknown."""
    expected: str | None = None
    answer: str | None = None

    @classmethod
    def of(cls, record: OperationRecord) -> "Asked | None":
        """Return the parts of a record that matter; None if none matters, as for a read without an answer."""
        end_ms = record.end_ms if record.outcome is Outcome.OK else None
        if end_ms is None and record.kind in ASKING:
            return None
        recorded = (record.kind, record.client, record.member, record.value, record.start_ms, end_ms)
        return cls(*recorded, record.expected, record.answer)

    def until(self, at_ms: float) -> "Asked | None":
        """Return what was known of the operation before a moment; None if nothing was known."""
        if self.start_ms >= at_ms:
            return None
        if self.end_ms is None or self.end_ms < at_ms:
            return self
        value = None if self.kind in ANSWERING else self.value
        return None if self.kind in ASKING else replace(self, end_ms=None, value=value, answer=None)


@dataclass(frozen=True, slots=True)
class History:
    """Operations for which an explaining order has to be searched."""

    model: SequentialModel
    operations: tuple[TimedOperation, ...]


@dataclass(frozen=True, slots=True)
class NotModelled:
    """A key about which nothing can be decided."""

    why: str


NO_SUCH_ANSWER = "it gave an answer that no structure of its kind gives"
Reading = History | Ranked | Contradiction | NotModelled
"""The operations of a key as a checker reads them: to be searched, to be walked through, refuted, or not modelled."""


def read_history(asked: Sequence[Asked], kinds: frozenset[Kind], endings: Mapping[int, int]) -> Reading:
    """Return the operations of one key as a checker reads them.

    `kinds` are the kinds of all the key's operations, including refused ones. `endings` says for each member since when
    its locks may have been released.
    """
    used = kinds - NOT_JUDGED
    recorded = [_timed(one) for one in asked if one.kind in MODELLED]
    operations = tuple(one for one in recorded if one is not None)
    if len(operations) < len(recorded):
        return NotModelled(NO_SUCH_ANSWER)
    if used <= ONLY_READ:
        return _unwritten(operations)
    if used <= COUNTER:
        return _counter(operations)
    if used <= ENTRY:
        return History(ReadWriteRegister() if used <= REGISTER else Entry(), operations)
    if used <= LIST:
        return _list(operations)
    if used <= QUEUE:
        return _queue(operations)
    if used <= SET:
        return _set(operations)
    if used <= LOCK:
        return _lock(asked, operations, endings)
    strange = sorted(used - MODELLED)
    several = f"its operations are of several structures: {', '.join(sorted(used))}"
    return NotModelled(f"no model has the operation {', '.join(strange)}" if strange else several)


def _timed(one: Asked) -> TimedOperation | None:
    """Return an operation in the terms of its model; None if the answer does not fit the operation."""
    found = _named(one)
    if found is None:
        return None
    operation, result = found
    return None if result is STRANGE else TimedOperation(operation, result, one.start_ms, one.end_ms)


def _named(one: Asked) -> tuple[Hashable, Hashable] | None:
    """Return the operation and its answer, or STRANGE in place of an impossible answer."""
    match one.kind:
        case Kind.WRITE | Kind.REMOVE:
            return Write(None if one.kind is Kind.REMOVE else one.value), None
        case Kind.READ:
            return Read(), one.value
        case Kind.ADD:
            return Add(), UNSEEN if one.value is None else STRANGE if (by := as_number(one.value)) is None else by
        case Kind.APPEND if one.value is not None:
            return AppendText(one.value), None
        case Kind.OFFER if one.value is not None:
            return Offer(one.value), None
        case Kind.POLL:
            return Poll(), one.value
        case Kind.LOCK:
            return Take(_owner(one)), _truth(one, one.value)
        case Kind.UNLOCK:
            return GiveBack(_owner(one)), None if one.value in (None, *_TRUTHS) else as_number(one.value)
        case Kind.PUT_IF_ABSENT if one.value is not None:
            return PutIfAbsent(one.value), one.answer
        case Kind.COMPARE_AND_SET if one.value is not None and one.expected is not None:
            return CompareAndSet(one.expected, one.value), _truth(one, one.answer)
        case Kind.COMPARE_AND_REMOVE if one.expected is not None:
            return CompareAndSet(one.expected, None), _truth(one, one.answer)
        case Kind.CONTAINS:
            return IsThere(), _truth(one, one.value)
        case Kind.INSERT if one.value is not None:
            return Insert(one.value), _truth(one, one.answer)
        case Kind.DISCARD if one.value is not None:
            return Discard(one.value), _truth(one, one.answer)
        case _:
            return None


def _owner(one: Asked) -> Owner:
    return Owner(one.client, one.member)


def _truth(one: Asked, recorded: str | None) -> Hashable:
    """Return a recorded yes or no as a truth value, which means nothing if there was no answer."""
    return None if one.end_ms is None else _TRUTHS.get(recorded or "", STRANGE)


_TRUTHS = {"true": True, "false": False}


def _unwritten(operations: tuple[TimedOperation, ...]) -> Reading:
    """Return how to read a key that is never changed: it is an absent entry, an empty list or a free lock."""
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
    are_distinct = len(dict(appends)) == len(appends) and all(item.split() == [item] for item, _ in appends)
    if are_distinct:
        reads = [(one, _say(one.result).split()) for one in operations if isinstance(one.operation, Read)]
        return rank_appends(dict(appends), reads)
    return History(Text(), tuple(_as_text(one) for one in operations))


def _as_text(one: TimedOperation) -> TimedOperation:
    """Return an operation on a list as an operation on a text in which a blank follows each item."""
    if isinstance(one.operation, AppendText):
        return TimedOperation(AppendText(f"{one.operation.text} "), None, one.start, one.end)
    return TimedOperation(GetText(), f"{shown} " if (shown := _say(one.result)) else "", one.start, one.end)


def _say(result: object) -> str:
    return "" if result is None else str(result)


def _queue(operations: tuple[TimedOperation, ...]) -> Reading:
    recorded = tuple(_as_peek(one) for one in operations)
    known = read_queue(recorded)
    if known is None:
        return History(Queue(), recorded)
    if isinstance(known, Contradiction):
        return known
    found = contradict_queue(known)
    if found is not None:
        return found
    model = known.model()
    # An offer that has no outcome, and whose item was never seen, is not needed to explain any answer.
    needed = tuple(
        one
        for one in recorded
        if one.end is not None or not isinstance(one.operation, Offer) or one.operation.item in model.shown
    )
    return History(model, needed)


def _as_peek(one: TimedOperation) -> TimedOperation:
    return TimedOperation(Peek(), one.result, one.start, one.end) if isinstance(one.operation, Read) else one


def _set(operations: tuple[TimedOperation, ...]) -> Reading:
    """Return how to read the operations on a set. A read returns the items separated by blanks, so no item may contain
    a blank."""
    items = [one.operation.item for one in operations if isinstance(one.operation, Insert | Discard)]
    if any(str(item).split() != [item] for item in items):
        return NotModelled("an item of the set contains blanks")
    return History(SetOfItems(), tuple(_as_items(one) for one in operations))


def _as_items(one: TimedOperation) -> TimedOperation:
    if not isinstance(one.operation, Read):
        return one
    return TimedOperation(ReadSet(), frozenset(_say(one.result).split()), one.start, one.end)


def _lock(asked: Sequence[Asked], operations: tuple[TimedOperation, ...], endings: Mapping[int, int]) -> Reading:
    """Add releases of the locks of ended members: at most one for each time that a member may have taken the lock."""
    if any(isinstance(one.operation, Read) and one.result not in _TRUTHS for one in operations):
        return NotModelled(NO_SUCH_ANSWER)
    recorded = [_as_question(one) for one in operations]
    locks = Multiset(one.member for one in asked if one.kind is Kind.LOCK and one.member in endings)
    for member, times in locks.items():
        assert member is not None, "only members end"
        recorded += [TimedOperation(EndMember(member), None, endings[member], None)] * times
    return History(Lock(), tuple(recorded))


def _as_question(one: TimedOperation) -> TimedOperation:
    if not isinstance(one.operation, Read):
        return one
    return TimedOperation(IsTaken(), _TRUTHS.get(str(one.result)), one.start, one.end)
