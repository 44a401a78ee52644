"""Sizes: the number that is answered lies between what must be there and what may be.

Each partition is counted at a time of its own (calls.27), so every key is looked at by itself: it counts where it was
there for certain all the while, and may count where it may have been there at some time between question and answer. A
read at rest says what was there; else the last acknowledged change does, and what was under way or has no outcome.
Keeps the changes of every entry, and the sizes.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.checkers.reads import FRESHNESS_LIMITS
from gridproof_properties.judging.acknowledged import WRITING, effect_of, precedes
from gridproof_properties.judging.judge import Judge, Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.survival import why_lost
from gridproof_properties.judging.words import count

_READ, _ADD, _SIZE = OperationKind.READ, OperationKind.ADD, OperationKind.SIZE


@dataclass(slots=True)
class _SizeJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = WRITING | {_READ, _ADD, _SIZE}
    COUNTED = "{failed} of {compared:size} counted more or fewer entries than there can have been"
    UNSEEN = "nobody asked for a size"
    changes: dict[str, list[OperationRecord]] = field(default_factory=lambda: defaultdict(list))
    """By key: what may have written or removed it, and the latest read at rest behind each."""
    sizes: list[OperationRecord] = field(default_factory=list)

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        if record.kind is _READ:
            known = self.changes.get(record.key)
            if known and record.outcome is Outcome.OK and self.comparisons.is_at_rest(record.partition):
                known[-1:] = [record] if known[-1].kind is _READ else [known[-1], record]
        elif record.kind is _SIZE:
            if record.outcome is Outcome.OK:
                self.sizes.append(record)
        else:
            change = record if record.kind is _ADD else effect_of(record)
            if change is not None and change.outcome is not Outcome.REFUSED:
                self.changes[change.key].append(change)

    def finish(self) -> None:
        for size in self.sizes:
            self._compare(size)

    def _compare(self, size: OperationRecord) -> None:
        """Compare with the entries of the map that the key of a size names; of all where it names none."""
        prefix = f"{size.key}-" if size.key else ""
        begun = [
            [one for one in changes if one.start_ms <= size.end_ms]
            for key, changes in self.changes.items()
            if key.startswith(prefix)
        ]
        least = sum(self._must_be_there(changes, size) for changes in begun)
        most = sum(self._may_be_there(changes, size) for changes in begun)
        answered = size.value or ""
        story = None
        if not answered.isdecimal() or not least <= int(answered) <= most:
            expected = count(most, "entry", "entries") if least == most else f"{least:,} to {most:,} entries"
            sentence = f"size {size.operation} of {size.key!r} was {size.value} at {size.end_ms:,} ms ({size.stage!r})"
            story = (sentence, f"there were {expected} by what was acknowledged and what was under way")
        first_ms = min((one.start_ms for changes in begun for one in changes), default=size.start_ms)
        self.comparisons.add(None, first_ms, size.end_ms, story)

    def _must_be_there(self, changes: Sequence[OperationRecord], size: OperationRecord) -> bool:
        last = _last_known(changes, size)
        if last is None or not _makes(last) or why_lost(self.comparisons.conditions, last, size.end_ms) is not None:
            return False
        return all(_makes(one) for one in _rivals(changes, last))

    def _may_be_there(self, changes: Sequence[OperationRecord], size: OperationRecord) -> bool:
        last = _last_known(changes, size)
        if last is None or why_lost(self.comparisons.conditions, last, size.end_ms) is not None:
            return any(map(_makes, changes))
        return _makes(last) or any(map(_makes, _rivals(changes, last)))


def _makes(change: OperationRecord) -> bool:
    """Whether an entry is there after a change, or was when it was read."""
    return change.kind is not OperationKind.REMOVE and (change.kind is not _READ or change.value is not None)


def _last_known(changes: Sequence[OperationRecord], size: OperationRecord) -> OperationRecord | None:
    """Return what is known to have ended last before a size was asked for."""
    known = [one for one in changes if one.outcome is Outcome.OK and precedes(one, size)]
    return max(known, key=lambda one: (one.end_ms, one.operation), default=None)


def _rivals(changes: Sequence[OperationRecord], last: OperationRecord) -> list[OperationRecord]:
    """Return what may have taken effect behind what is known to have ended last."""
    return [one for one in changes if one.outcome is Outcome.UNKNOWN or not (one is last or precedes(one, last))]


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="size-within-bounds",
        sentence="A size counts every entry that was there all the while, and none that cannot have been there.",
        source="calls.27; invariant I7",
        severity=Severity.WRONG_ANSWER,
        start=_SizeJudge,
        needs=frozenset({"operation size"}),
        limits=FRESHNESS_LIMITS,
    ),
)
