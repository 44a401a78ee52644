"""Sizes: an answer is at least the number of entries that must be there, and at most the number that may be there.

For one key the answer is 0 or 1.

The answer of a set to an insertion or a removal says whether the item was there. While nothing happens to the
partition, no insertion or removal is executed twice, so its answer says how many such items the set had: 0 or 1.

Each partition is counted at its own time (calls.27), so every key is looked at separately: a key must be counted if it
was certainly there from the question to the answer, and may be counted if it may have been there at some time between
them. A read at rest shows whether the key was there; without one, the last acknowledged change shows it, together with
changes that were under way or whose outcome is unknown. Memory: the changes of every entry, and the sizes that were
asked for.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import nsmallest
from itertools import accumulate
from operator import attrgetter

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.checkers.durability import FRESHNESS_LIMITS
from gridproof_properties.judging.acknowledged import WRITING, effect_of, precedes
from gridproof_properties.judging.causes import ANY_CAUSE
from gridproof_properties.judging.judge import Judge, Property, Severity
from gridproof_properties.judging.survival import why_lost
from gridproof_properties.judging.words import count, through

_READ, _ADD = OperationKind.READ, OperationKind.ADD
_SIZE, _CONTAINS = OperationKind.SIZE, OperationKind.CONTAINS
_INSERT, _DISCARD = OperationKind.INSERT, OperationKind.DISCARD

PAIRS_MAX = 1_000_000
"""The most pairs of an entry and a question for the size of a map: with more, only the last questions are compared."""


@dataclass(slots=True)
class _SizeJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = WRITING | {_READ, _ADD, _SIZE, _CONTAINS, _INSERT, _DISCARD}
    COUNTED = "{failed} of {compared:answer} on how many entries there are, or whether one exists, cannot be right"
    HELD = "{all} {compared:answer} on how many entries there are, or whether one exists, can be right"
    UNSEEN = "no client asked for a size, or whether an entry exists"
    changes: dict[str, list[OperationRecord]] = field(default_factory=lambda: defaultdict(list))
    """For each key, the operations that may have written or removed its entry, each with the latest read at rest after
    it."""
    sizes: list[OperationRecord] = field(default_factory=list)
    """The questions for a size; a question whether one entry is there counts as a question for a size of 0 or 1."""
    items: dict[tuple[str, str | None], list[OperationRecord]] = field(default_factory=lambda: defaultdict(list))
    """For each set and item, the operations that may have inserted or removed the item."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        if record.kind is _READ:
            known = self.changes.get(record.key)
            if known and record.outcome is Outcome.OK and self.comparisons.is_at_rest(record.partition):
                known[-1:] = [record] if known[-1].kind is _READ else [known[-1], record]
        elif record.kind is _SIZE or record.kind is _CONTAINS:
            if record.outcome is Outcome.OK:
                self.sizes.append(record)
        elif record.kind is _INSERT or record.kind is _DISCARD:
            if record.outcome is not Outcome.REFUSED:
                self.items[record.key, record.value].append(record)
        else:
            change = record if record.kind is _ADD else effect_of(record)
            if change is not None and change.outcome is not Outcome.REFUSED:
                self.changes[change.key].append(change)

    def finish(self) -> None:
        entries = {key: _Entry.of(changes) for key, changes in self.changes.items()}
        of_maps = [size.end_ms for size in self.sizes if size.kind is _SIZE]
        few_ms = min(of_maps[-max(PAIRS_MAX // max(len(entries), 1), 1) :], default=0)
        for size in self.sizes:
            if size.kind is _CONTAINS or size.end_ms >= few_ms:
                self._compare(size, entries)
        for changes in self.items.values():
            entry = _Entry.of(changes)
            for one in changes:
                if one.outcome is Outcome.OK and one.answer is not None:
                    self._compare_item(one, entry)

    def _compare_item(self, asked: OperationRecord, item: "_Entry") -> None:
        """Compare what a set answered about one item, unless something happened that can make a call be executed
        twice."""
        bound, conditions = self._bounds(item, asked), self.comparisons.conditions
        if conditions.incidents.find(ANY_CAUSE, asked.partition, bound.since_ms, asked.end_ms) is not None:
            return
        was_there = (asked.answer == "true") is (asked.kind is _DISCARD)
        story = None
        if not bound.least <= was_there <= bound.most:
            what = "insertion" if asked.kind is _INSERT else "removal"
            story = (
                f"at {asked.end_ms:,} ms ({asked.stage!r}) client {asked.client}'s {what} of {asked.value!r} for set "
                f"{asked.key!r} (operation {asked.operation}, partition {asked.partition}){through(asked.member)} was "
                f"answered {asked.answer}, though by what had been acknowledged before, the item was "
                f"{'' if bound.least else 'not '}there; the answer has to say this",
            )
        self.comparisons.add(asked.partition, bound.since_ms, asked.end_ms, story)

    def _compare(self, size: OperationRecord, entries: "Mapping[str, _Entry]") -> None:
        """Compare a size with the entries of the map that its key names, or of all maps if its key names none."""
        is_one, prefix = size.kind is _CONTAINS, f"{size.key}-" if size.key else ""
        of_one = [entries[size.key]] if size.key in entries else []
        counted = of_one if is_one else [entry for key, entry in entries.items() if key.startswith(prefix)]
        bounds = [self._bounds(entry, size) for entry in counted]
        least, most = sum(bound.least for bound in bounds), sum(bound.most for bound in bounds)
        answered = str(int(size.value == "true")) if is_one else size.value or ""
        story = None
        if not answered.isdecimal() or not least <= int(answered) <= most:
            numbers = count(most, "entry", "entries") if least == most else f"{least:,} to {most:,} entries"
            had = f"the key had to have {'an' if most else 'no'} entry" if is_one else f"there had to be {numbers}"
            key = f"key {size.key!r} (partition {size.partition})"
            of = f"whether {key} has an entry" if is_one else f"for the size of {size.key!r}"
            asked = f"at {size.end_ms:,} ms ({size.stage!r}) client {size.client}, which had asked"
            asked += f"{through(size.member)} {of} (operation {size.operation}, begun at {size.start_ms:,} ms), was "
            asked += f"answered {size.value}"
            is_in, is_out = ("be true for", "false for") if is_one else ("count", "leave out")
            rule = f"{is_in} an entry that was there throughout the call, and {is_out} one that cannot have been there"
            story = (
                f"{asked}, though, by the changes acknowledged before the call and those that may have been applied "
                f"during it, {had}; the answer has to {rule}",
            )
        first_ms = min((bound.since_ms for bound in bounds), default=size.start_ms)
        self.comparisons.add(size.partition, first_ms, size.end_ms, story)

    def _bounds(self, entry: "_Entry", asked: OperationRecord) -> "_Bounds":
        """Return whether an entry must be there, whether it may be there, and since when no operation but the question
        itself can have changed that."""
        last = entry.last_before(asked)
        if last is None or why_lost(self.comparisons.conditions, last, asked.end_ms) is not None:
            first = next(entry.begun(entry.first, asked), asked)
            return _Bounds(False, any(entry.begun(entry.first_making, asked)), first.start_ms)
        makes = [_makes(one) for one in (last, *entry.rivals(last, asked))]
        return _Bounds(all(makes), any(makes), last.start_ms)


@dataclass(frozen=True, slots=True)
class _Bounds:
    """What is known about one entry when a size is asked for."""

    least: bool
    most: bool
    since_ms: int


@dataclass(frozen=True, slots=True)
class _Entry:
    """The operations that may have changed one entry, or showed it; few of them are looked at for each question."""

    known: Sequence[OperationRecord]
    """The acknowledged operations, sorted by their ends."""
    begin_ms: Sequence[int]
    """For each operation in `known`, the earliest beginning among it and all operations after it."""
    unknown: Sequence[OperationRecord]
    """Among the operations of unknown outcome, the first that makes an entry, and the first that removes it."""
    first: Sequence[OperationRecord]
    """The two operations that began first (two, since one of them may itself be the question)."""
    first_making: Sequence[OperationRecord]
    """The two operations that began first among those that make an entry."""

    @classmethod
    def of(cls, changes: Sequence[OperationRecord]) -> "_Entry":
        """Return the entry that these operations change."""
        known = sorted((one for one in changes if one.outcome is Outcome.OK), key=attrgetter("end_ms", "operation"))
        begin_ms = list(accumulate((one.start_ms for one in reversed(known)), min))[::-1]
        making, others = [one for one in changes if _makes(one)], [one for one in changes if not _makes(one)]
        unknown = [[one for one in some if one.outcome is Outcome.UNKNOWN] for some in (making, others)]
        of_each = [min(some, key=_start_ms) for some in unknown if some]
        return cls(known, begin_ms, of_each, nsmallest(2, changes, key=_start_ms), nsmallest(2, making, key=_start_ms))

    def last_before(self, asked: OperationRecord) -> OperationRecord | None:
        """Return the last acknowledged operation that had ended before a question began."""
        ended = range(bisect_right(self.known, asked.start_ms, key=_end_ms))
        return next((one for place in reversed(ended) if precedes(one := self.known[place], asked)), None)

    def rivals(self, last: OperationRecord, asked: OperationRecord) -> Iterator[OperationRecord]:
        """Yield operations that may have taken effect after another operation, and before a question was answered."""
        yield from self.begun(self.unknown, asked)
        for place in range(bisect_left(self.known, last.start_ms, key=_end_ms), len(self.known)):
            if self.begin_ms[place] > asked.end_ms:
                break
            if not (self.known[place] is last or precedes(self.known[place], last)):
                yield from self.begun(self.known[place : place + 1], asked)

    @staticmethod
    def begun(some: Sequence[OperationRecord], asked: OperationRecord) -> Iterator[OperationRecord]:
        """Yield those of the given operations that had begun before a question was answered, except the question
        itself."""
        return (one for one in some if one is not asked and one.start_ms <= asked.end_ms)


_start_ms, _end_ms = attrgetter("start_ms"), attrgetter("end_ms")


def _makes(change: OperationRecord) -> bool:
    """Whether an entry is there after a change or a read."""
    return change.kind not in (OperationKind.REMOVE, _DISCARD) and (
        change.kind is not _READ or change.value is not None
    )


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="size-within-bounds",
        sentence="The answer to how many entries there are, or whether one is, counts every entry that was there "
        "during the whole call, and no entry that cannot have been there.",
        source="calls.27; invariant I7",
        severity=Severity.WRONG_ANSWER,
        start=_SizeJudge,
        needs=frozenset({"operation size", "operation insert", "operation discard"}),
        limits=FRESHNESS_LIMITS,
    ),
)
