"""Which values each key may hold, as far as the key's clients can know.

A key may hold its last acknowledged write, any write that was under way at the same time as this write or began later,
and any write whose outcome is unknown: such a write may have been executed later, or never. An acknowledged write that
need not have survived (`survival.py`) counts as a write whose outcome is unknown. Memory: a few words per key while
nothing happens to its partition; otherwise all writes since the grid was last at rest.
"""

from bisect import insort
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from operator import attrgetter

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record, ViewRecord
from gridproof_properties.judging.guarantee import Comparisons
from gridproof_properties.judging.judge import Judge
from gridproof_properties.judging.survival import (
    REMOVED_ON_ONE_HALF,
    describe_loss,
    harmed_since_ms,
    is_replaced_by_merge,
    why_lost,
)

# Judges read these enum members for each operation, and a look-up takes as long as all their other work.
_READ, _WRITE, _REMOVE = OperationKind.READ, OperationKind.WRITE, OperationKind.REMOVE
_READ_REPLICA = OperationKind.READ_REPLICA
_OK, _UNKNOWN, _REFUSED = Outcome.OK, Outcome.UNKNOWN, Outcome.REFUSED


EARLIER_MAX = 100
"""How many of the writes before a read the read may be compared with; more than one if faults may have lost the last
ones."""
_NUMBER = attrgetter("operation")


def precedes(first: OperationRecord, second: OperationRecord) -> bool:
    """Whether the first operation had ended before the second began; a client has one operation under way at a time."""
    if first.client == second.client:
        return first.operation < second.operation
    return first.end_ms < second.start_ms


def describe_origin(read: OperationRecord, asked: Sequence[OperationRecord]) -> str | None:
    """Return why a value that was read cannot come from any of the operations that write it: they were refused, or none
    had begun by then. Return None if some operation may have written the value."""
    origins = [one for one in asked if one.outcome is not _REFUSED]
    if not origins:
        refused = [f"{one.kind} {one.operation}, was refused at {one.end_ms:,} ms" for one in asked]
        return f"the request with that value, {refused[0]}" if refused else "no client had ever sent that value"
    if not all(precedes(read, origin) for origin in origins):
        return None
    first = min(origins, key=lambda origin: origin.start_ms)
    return (
        f"the first request with that value, {first.kind.value} {first.operation}, began only at {first.start_ms:,} ms"
    )


def is_write(operation: OperationRecord) -> bool:
    """Whether an operation writes or removes an entry unconditionally."""
    kind = operation.kind
    return kind is _WRITE or kind is _REMOVE


WRITING = frozenset(
    {_WRITE, _REMOVE, OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET, OperationKind.COMPARE_AND_REMOVE}
)
"""The kinds of operations that may change an entry, see `effect_of`."""


def effect_of(operation: OperationRecord) -> OperationRecord | None:
    """Return what an operation writes, as a write or a removal; None if it writes nothing.

    If a compare-and-set answers that it wrote nothing, an earlier attempt of it may have written: then its outcome is
    unknown.
    """
    if operation.kind is _READ:
        return None
    if is_write(operation):
        return operation
    match operation.kind:
        case OperationKind.PUT_IF_ABSENT:
            kind, has_written = OperationKind.WRITE, operation.answer is None
        case OperationKind.COMPARE_AND_SET:
            kind, has_written = OperationKind.WRITE, operation.answer == "true"
        case OperationKind.COMPARE_AND_REMOVE:
            kind, has_written = OperationKind.REMOVE, operation.answer == "true"
        case _:
            return None
    outcome = operation.outcome if has_written or operation.outcome is not _OK else _UNKNOWN
    value = operation.value if kind is OperationKind.WRITE else None
    return replace(operation, kind=kind, value=value, outcome=outcome)


@dataclass(slots=True)
class _Writes:
    """The writes of one key that its value may come from."""

    in_order: list[OperationRecord] = field(default_factory=list)
    """The writes, sorted by the number of the operation."""
    by_value: dict[str | None, list[OperationRecord]] = field(default_factory=dict)

    def add(self, write: OperationRecord) -> None:
        insort(self.in_order, write, key=_NUMBER)
        self.by_value.setdefault(write.value, []).append(write)

    def keep(self, kept: Sequence[OperationRecord]) -> None:
        """Forget all others."""
        if len(kept) < len(self.in_order):
            self.in_order, self.by_value = [], {}
            for write in kept:
                self.add(write)


_NONE = _Writes()


@dataclass(slots=True)
class Ledger:
    """The writes that the value of each key may come from."""

    comparisons: Comparisons
    """The comparisons of any judge of the run: only their run conditions are used, which all judges share."""
    _writes: dict[str, _Writes] = field(default_factory=lambda: defaultdict(_Writes))
    """By key."""
    _latest: dict[str, tuple[OperationRecord, int]] = field(default_factory=dict)
    """For each key, the write acknowledged last, and one more than the largest operation number at that time."""
    _held: dict[str, dict[int, tuple[int, str | None]]] = field(default_factory=dict)
    """For each key and member: when the member's copy of the key was last read, and the value that it had."""
    taken: Record | None = None
    """The latest record that was taken; each is taken only once, though several judges show it to this ledger."""
    effect: OperationRecord | None = None
    """The write or removal that the latest record stands for; None if it stands for neither."""

    def take(self, record: Record) -> None:
        """Read the next record."""
        self.effect = None
        if not isinstance(record, OperationRecord):
            self._observe(record)
        elif (write := effect_of(record)) is not None:
            self._write(write)
            self.effect = write
        elif record.kind is _READ_REPLICA and record.outcome is _OK and record.member is not None:
            self._held.setdefault(record.key, {})[record.member] = record.end_ms, record.value
        self.taken = record

    def _observe(self, record: Record) -> None:
        if isinstance(record, ViewRecord) and record.settled:
            for writes in self._writes.values():
                if len(writes.in_order) > 1:
                    writes.keep(self._without_replaced(writes.in_order, record.at_ms))

    def harmed_since_ms(self, write: OperationRecord, since_ms: float) -> float:
        """Return from which time on a fault may have lost a write that was last seen at `since_ms`."""
        return harmed_since_ms(self.comparisons.conditions, write, since_ms)

    def describe_loss(self, write: OperationRecord, read: OperationRecord, rule: str) -> tuple[str, ...]:
        """Return the story of a read that missed a write, and so broke a rule."""
        return describe_loss(self.comparisons.conditions, write, read, rule, self._held.get(write.key))

    def keys(self) -> list[str]:
        """Return the keys that have an acknowledged write."""
        return [key for key, writes in self._writes.items() if any(w.outcome is _OK for w in writes.in_order)]

    def acknowledged_before(self, read: OperationRecord) -> Iterator[OperationRecord]:
        """Yield the last writes of a key that were acknowledged before a read began, latest first."""
        known = self._writes.get(read.key, _NONE).in_order
        before = (write for write in reversed(known) if write.outcome is _OK and precedes(write, read))
        return islice(before, EARLIER_MAX)

    def why_lost(
        self, write: OperationRecord, until_ms: float, since_ms: float | None = None
    ) -> tuple[str, str] | None:
        """Return why an acknowledged write, last seen at `since_ms`, need not have survived; None if it must have."""
        return why_lost(self.comparisons.conditions, write, until_ms, since_ms=since_ms)

    def origins(self, read: OperationRecord) -> Sequence[OperationRecord]:
        """Return the writes that still matter and that wrote what a read returned."""
        return self._writes.get(read.key, _NONE).by_value.get(read.value, ())

    def may_hold(self, write: OperationRecord, read: OperationRecord) -> bool:
        """Whether a read that began after a write was acknowledged may have returned the value that it returned."""
        if read.value == write.value:
            return True
        origins = self.origins(read)
        return any(
            one.outcome is _UNKNOWN or not precedes(one, write) or self.why_lost(one, read.end_ms) is not None
            for one in origins
        ) or (bool(origins) and self._is_replaced(write, read.end_ms))

    def _write(self, write: OperationRecord) -> None:
        """Keep a write; forget each write before the last acknowledged one if no read under way can still return it."""
        if write.outcome is _REFUSED:
            return
        writes = self._writes[write.key]
        if write.outcome is _OK:
            last, operations = self._latest.get(write.key, (write, 0))
            incidents = self.comparisons.conditions.incidents
            if operations <= self.comparisons.comings.oldest_open and incidents.is_calm(write.partition):
                writes.keep([one for one in writes.in_order if one.outcome is _UNKNOWN or not precedes(one, last)])
            self._latest[write.key] = (write, self.comparisons.comings.operations)
        writes.add(write)

    def _is_replaced(self, write: OperationRecord, at_ms: float) -> bool:
        """Whether a merge may have put an older value from the other half of a split in the place of a write.

        A merge may put an older value there if its merge policy allows it, or if the entry was removed meanwhile: an
        absent entry may be replaced by any entry.
        """
        return is_replaced_by_merge(self.comparisons.conditions, write, at_ms) or any(
            other.kind is _REMOVE and not precedes(other, write) and self.why_lost(other, at_ms) == REMOVED_ON_ONE_HALF
            for other in self._writes.get(write.key, _NONE).by_value.get(None, ())
        )

    def _without_replaced(self, writes: list[OperationRecord], at_ms: int) -> list[OperationRecord]:
        """Return the writes of a key that a read at rest may still return: none older than the last write that has to
        survive."""
        kept = [
            write
            for write in writes
            if write.outcome is _OK and self.why_lost(write, at_ms) is None and not self._is_replaced(write, at_ms)
        ]
        last = max(kept, key=lambda write: write.operation, default=None)
        if last is None:
            return writes
        return [other for other in writes if other.outcome is _UNKNOWN or not precedes(other, last)]


@dataclass(slots=True, eq=False)
class Unexpected:
    """A read that returned what its key should not hold."""

    write: OperationRecord
    """The acknowledged write that the read misses."""
    read: OperationRecord
    since_ms: float
    """When the write was last seen, or when it began."""
    is_open: bool = True
    """Whether nothing has explained the read so far."""


@dataclass(slots=True)
class ReadsAfterWrites:
    """Compares each read with the writes that were acknowledged before it began.

    A read of an unexpected value is judged only at the end of the run: it may be explained by a write that was under
    way at the same time and ended later, or by a cause that is recorded later. A lost write was lost after the last
    read at rest that found it, so causes before that read do not explain the loss.
    """

    ledger: Ledger
    comparisons: Comparisons
    _open: dict[str, list[Unexpected]] = field(default_factory=lambda: defaultdict(list))
    """The unexplained reads of each key; the next two fields find them by the value that they returned or missed."""
    _returned: dict[tuple[str, str | None], list[Unexpected]] = field(default_factory=lambda: defaultdict(list))
    _missed: dict[tuple[str, str | None], list[Unexpected]] = field(default_factory=lambda: defaultdict(list))
    _found: dict[str, tuple[int, float]] = field(default_factory=dict)
    """For each key, the write that the latest read at rest found, and when that read began."""

    def explain(self, write: OperationRecord) -> None:
        """Drop the unexpected reads that this write explains: they returned its value, and did not end before it
        began."""
        if self._open and write.outcome is not _REFUSED:
            for one in reversed(self._returned.get((write.key, write.value), ())):
                if one.read.end_ms < write.start_ms:
                    break
                if not precedes(one.read, write):
                    self._take_out(one)

    def find_again(self, read: OperationRecord) -> None:
        """Drop the earlier reads of a key that missed a write which this read finds: they were stale, and nothing is
        lost."""
        is_of_a_write = self._open.get(read.key) and self.ledger.origins(read)
        for one in self._open[read.key] if is_of_a_write else self._missed.get((read.key, read.value), ()):
            if one.is_open and self.ledger.may_hold(one.write, read):
                self._take_out(one)
        if is_of_a_write:
            self._open[read.key] = [one for one in self._open[read.key] if one.is_open]

    def _take_out(self, one: Unexpected) -> None:
        if one.is_open:
            one.is_open = False
            self._count(one, None)

    def compare(self, read: OperationRecord, *, write: OperationRecord | None = None) -> None:
        """Compare a read with the last write that was acknowledged before it, or with the given write.

        If that write need not have survived, compare also with earlier writes, back to the last that has to survive.
        """
        known = self.ledger.acknowledged_before(read) if write is None else [write]
        for write in known:
            operation, found_ms = self._found.get(write.key, (None, 0))
            since_ms = found_ms if operation == write.operation else write.start_ms
            why = self.ledger.why_lost(write, read.end_ms, since_ms)
            if self.ledger.may_hold(write, read):
                begin_ms = self.ledger.harmed_since_ms(write, since_ms)
                self.comparisons.add(write.partition, begin_ms, read.end_ms, None, why)
                if read.value == write.value and self.comparisons.is_at_rest(read.partition):
                    self._found[write.key] = write.operation, read.start_ms
            else:
                one, key = Unexpected(write, read, since_ms), read.key
                self._open[key].append(one)
                self._returned[key, read.value].append(one)
                self._missed[key, write.value].append(one)
            if why is None:
                return

    def conclude(self, rule: str) -> None:
        """Count the reads that nothing explained: each of them breaks the given rule."""
        left = (one for one in chain(*self._open.values()) if one.is_open)
        for one in sorted(left, key=lambda one: (one.write.operation, one.read.operation)):
            self._count(one, self.ledger.describe_loss(one.write, one.read, rule))
        self._open.clear()

    def _count(self, one: Unexpected, story: tuple[str, ...] | None) -> None:
        write, read = one.write, one.read
        why = self.ledger.why_lost(write, read.end_ms, one.since_ms)
        begin_ms = self.ledger.harmed_since_ms(write, one.since_ms)
        self.comparisons.add(write.partition, begin_ms, read.end_ms, story, why)


@dataclass(slots=True)
class ReadJudge(Judge):
    """Compares some of the reads with the writes that were acknowledged before them."""

    READS = frozenset({OperationRecord, ViewRecord})
    ledger: Ledger = field(init=False)
    reads: ReadsAfterWrites = field(init=False)

    def __post_init__(self) -> None:
        self.ledger = Ledger(self.comparisons)
        self.reads = ReadsAfterWrites(self.ledger, self.comparisons)

    def observe(self, record: Record) -> None:
        """Read the next record."""
        ledger = self.ledger
        if record is not ledger.taken:
            ledger.take(record)
        write = ledger.effect
        if write is not None:
            self.reads.explain(write)
            self.write(write)
        elif isinstance(record, OperationRecord) and record.kind is _READ:
            self.read(record)

    def finish(self) -> None:
        """Count the reads that nothing explained."""
        self.reads.conclude(self.RULE)

    def share(self, ledger: Ledger) -> None:
        """Let all judges that are shown the same records use one ledger of the run's writes."""
        self.ledger = self.reads.ledger = ledger

    def write(self, write: OperationRecord) -> None:
        """Process a write."""

    def read(self, read: OperationRecord) -> None:
        """Process a read."""
        raise NotImplementedError
