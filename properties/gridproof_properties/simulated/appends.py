"""Lists of unique appends: nothing lost or twice.

The last read of a list at rest is held against the appends. Keeps what was appended, and one read a list.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.acknowledged import Ledger
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

Fault = tuple[str, ...]
"""The story of one value, a sentence a step."""


@dataclass(slots=True)
class _AppendJudge(ABC):
    """Gathers the appends of every list, and its last read at rest that began when no append was under way."""

    ledger: Ledger = field(default_factory=Ledger)
    appends: dict[str, list[OperationRecord]] = field(default_factory=dict)
    reads: dict[str, OperationRecord] = field(default_factory=dict)

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        match record:
            case OperationRecord(kind=OperationKind.APPEND):
                self.appends.setdefault(record.key, []).append(record)
                self.reads.pop(record.key, None)
            case OperationRecord(kind=OperationKind.READ, outcome=Outcome.OK) if record.key in self.appends:
                if self.ledger.at_rest and record.start_ms > self.appends[record.key][-1].end_ms:
                    self.reads[record.key] = record
            case _:
                pass

    @abstractmethod
    def find(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Fault]:
        """Yield what is wrong with one list."""

    what: ClassVar[str]
    """What values are that are wrong."""

    def conclude(self) -> Finding:
        faults = [fault for key, read in self.reads.items() for fault in self.find(self.appends[key], read)]
        seen = count(sum(len(self.appends[key]) for key in self.reads), "append")
        if faults:
            return Finding(Result.BROKEN, f"{count(len(faults), 'value')} of {seen} {self.what}", faults[0])
        if not self.reads:
            return Finding(Result.UNKNOWN, "no list was read at rest")
        return Finding(Result.HOLDS, f"{seen}, and no value {self.what}")


class _KeptJudge(_AppendJudge):
    what = "acknowledged and lost"

    def find(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Fault]:
        held = set(_items(read))
        for append in appends:
            owed = append.outcome is Outcome.OK and append.operation >= self.ledger.excused
            if owed and append.value not in held:
                yield _tell(append), *self.ledger.changes_since(append), _tell_read(read)


class _OnceJudge(_AppendJudge):
    what = "there twice"

    def find(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Fault]:
        copies = Counter(_items(read))
        for append in appends:
            if append.outcome is Outcome.OK and copies[append.value or ""] > 1:
                yield _tell(append), _tell_read(read)


class _ExactlyJudge(_AppendJudge):
    what = "not executed exactly once"

    def find(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Fault]:
        copies = Counter(_items(read))
        for append in appends:
            times = copies[append.value or ""]
            owed = append.outcome is Outcome.OK and append.operation >= self.ledger.excused
            if append.outcome is not Outcome.REFUSED and (times > 1 or (owed and times == 0)):
                yield _tell(append), f"it is there {count(times, 'time')}", _tell_read(read)


class _OrderJudge(_AppendJudge):
    what = "behind what was appended later"

    def find(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Fault]:
        """Look at the first place of each value only: a second one is the business of others."""
        known = {append.value: append for append in appends if append.outcome is Outcome.OK}
        latest: OperationRecord | None = None
        for item in dict.fromkeys(_items(read)):
            append = known.get(item)
            if append is None:
                continue
            if latest is not None and append.end_ms < latest.start_ms:
                yield _tell(append), _tell(latest), _tell_read(read)
            elif latest is None or append.start_ms > latest.start_ms:
                latest = append


class _OriginJudge(_AppendJudge):
    what = "from nowhere"

    def find(self, appends: Sequence[OperationRecord], read: OperationRecord) -> Iterator[Fault]:
        origins = {append.value for append in appends if append.outcome is not Outcome.REFUSED}
        for item in _items(read):
            if item not in origins:
                yield f"nobody appended {item!r} to {read.key}", _tell_read(read)


def _items(read: OperationRecord) -> list[str]:
    return (read.value or "").split()


def _tell(append: OperationRecord) -> str:
    asked = f"append {append.operation} of {append.value!r} to {append.key}"
    if append.outcome is not Outcome.OK:
        return f"{asked} has no outcome"
    copies = "" if append.confirmed_copies is None else f" with {append.confirmed_copies} copies"
    return f"{asked} is acknowledged{copies}"


def _tell_read(read: OperationRecord) -> str:
    return f"read {read.operation} of {read.key} at {read.stage!r}: {read.value or 'nothing'}"


PROPERTIES: tuple[Property, ...] = (
    Property(
        "acknowledged-append-kept",
        "In the end a list holds every acknowledged append.",
        "seed: Replication Algorithm for AP Data Structures; reference replication 11 G9, G15",
        _KeptJudge,
    ),
    Property(
        "append-executed-once",
        "No acknowledged append is in a list twice.",
        "reference replication 11 G10",
        _OnceJudge,
    ),
    Property(
        "exactly-once-when-strict",
        "Where indeterminate calls fail, a list holds an acknowledged append once, and any other once at most.",
        "seed: Throwing an IndeterminateOperationStateException; reference replication 11 G10, G11; bug-zoo I1",
        _ExactlyJudge,
    ),
    Property(
        "append-order-kept",
        "No acknowledged append stands behind one that began after it was acknowledged.",
        "reference replication 2.4, 11 G4; bug-zoo I4",
        _OrderJudge,
    ),
    Property(
        "appended-by-somebody",
        "A list holds only what somebody asked to append, and was not refused.",
        "reference replication 1.4",
        _OriginJudge,
    ),
)
