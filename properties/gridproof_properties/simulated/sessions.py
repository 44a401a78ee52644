"""Sessions: what one client reads, one answer after another.

Reads of all structures go forward; reads of map entries return what the client itself wrote, or newer, and only what
somebody wrote. A dirty read returns the value of a write that nobody acknowledged and that is gone later. Keeps a few
words a value.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.acknowledged import Ledger, Surprise, Surprises, is_write, precedes
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

Session = tuple[int, str]
"""A client and a key."""
Written = tuple[str, str | None]
"""A key and a value; every write of a run writes a value of its own."""


def _is_answered_read(operation: OperationRecord) -> bool:
    return operation.kind is OperationKind.READ and operation.outcome is Outcome.OK


@dataclass(slots=True)
class _ForwardJudge:
    """An absent entry says nothing: it may have been removed any number of times."""

    latest: dict[Session, OperationRecord] = field(default_factory=dict)
    replaced: dict[Session, set[str]] = field(default_factory=dict)
    """What a client saw, and then something else."""
    seen: int = 0
    back: int = 0
    first: tuple[str, ...] = ()

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord) or not _is_answered_read(record) or record.value is None:
            return
        self.seen += 1
        session = (record.client, record.key)
        before, replaced = self.latest.get(session), self.replaced.setdefault(session, set())
        if before is not None and before.value is not None and before.value != record.value:
            replaced.add(before.value)
            if record.value in replaced:
                self.back += 1
                self.first = self.first or (_tell_read(before), f"{_tell_read(record)}, which it saw replaced")
        self.latest[session] = record

    def conclude(self) -> Finding:
        seen = f"{count(self.seen, 'read')} of a value"
        if self.back:
            return Finding(Result.BROKEN, f"{self.back:,} of {seen} went back to what was seen replaced", self.first)
        if not self.seen:
            return Finding(Result.UNKNOWN, "no value was read")
        return Finding(Result.HOLDS, f"{seen}, and none went back")


@dataclass(slots=True)
class _OwnWriteJudge:
    """A write whose outcome is unknown may be executed at any time, and proves nothing."""

    ledger: Ledger = field(default_factory=Ledger)
    surprises: Surprises = field(default_factory=Surprises)
    own: dict[Session, OperationRecord] = field(default_factory=dict)
    """The last acknowledged write of a client."""
    acknowledged: dict[Written, OperationRecord] = field(default_factory=dict)
    removals: dict[str, list[OperationRecord]] = field(default_factory=dict)
    """Those that were executed, or may have been."""
    seen: int = 0

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        if not isinstance(record, OperationRecord):
            return
        if is_write(record):
            self._write(record)
        elif _is_answered_read(record):
            own = self.own.get((record.client, record.key))
            if own is not None and own.operation >= self.ledger.excused:
                self.seen += 1
                if self._is_older(own, record):
                    self.surprises.add(Surprise(own, record))

    def _write(self, write: OperationRecord) -> None:
        self.surprises.explain(write)
        if write.kind is OperationKind.REMOVE and write.outcome is not Outcome.REFUSED:
            self.removals.setdefault(write.key, []).append(write)
        if write.outcome is Outcome.OK:
            self.own[write.client, write.key] = write
            self.acknowledged[write.key, write.value] = write

    def _is_older(self, own: OperationRecord, read: OperationRecord) -> bool:
        if read.value == own.value:
            return False
        if read.value is None:
            return all(precedes(removal, own) for removal in self.removals.get(read.key, []))
        write = self.acknowledged.get((read.key, read.value))
        return write is not None and precedes(write, own)

    def conclude(self) -> Finding:
        worst, seen = self.surprises.first, f"{count(self.seen, 'read')} by clients of what they wrote"
        if worst is not None:
            sentence = f"{len(self.surprises):,} of {seen} returned something older"
            return Finding(Result.BROKEN, sentence, self.ledger.tell_loss(worst.write, worst.read))
        if not self.seen:
            return Finding(Result.UNKNOWN, "no client read what it wrote")
        return Finding(Result.HOLDS, f"{seen}, and none returned something older")


@dataclass(slots=True)
class _OriginJudge:
    entries: set[str] = field(default_factory=set)
    """Keys that somebody asked to write."""
    written: set[Written] = field(default_factory=set)
    """What was not refused."""
    reads: dict[Written, OperationRecord] = field(default_factory=dict)
    """The first read of each value."""

    def observe(self, record: Record) -> None:
        match record:
            case OperationRecord(kind=OperationKind.WRITE):
                self.entries.add(record.key)
                if record.outcome is not Outcome.REFUSED:
                    self.written.add((record.key, record.value))
            case OperationRecord(value=str()) if _is_answered_read(record):
                self.reads.setdefault((record.key, record.value), record)
            case _:
                pass

    def conclude(self) -> Finding:
        reads = [read for read in self.reads.values() if read.key in self.entries]
        strange = [read for read in reads if (read.key, read.value) not in self.written]
        seen = f"{count(len(reads), 'value')} read"
        if strange:
            story = (_tell_read(strange[0]), "nobody wrote that, or it was refused")
            return Finding(Result.BROKEN, f"{len(strange):,} of {seen} came from nowhere", story)
        if not reads:
            return Finding(Result.UNKNOWN, "no value of an entry was read")
        return Finding(Result.HOLDS, f"{seen}, and none came from nowhere")


@dataclass(slots=True)
class _DirtyJudge:
    """Looks at reads at rest: is there what was read before, or something that can have replaced it?"""

    ledger: Ledger = field(default_factory=Ledger)
    surprises: Surprises = field(default_factory=Surprises)
    writes: dict[Written, OperationRecord] = field(default_factory=dict)
    removals: dict[str, list[OperationRecord]] = field(default_factory=dict)
    reads: dict[str, dict[str, OperationRecord]] = field(default_factory=dict)
    """The first read of each value, by key."""
    seen: int = 0
    """Reads at rest of what was read before."""

    def observe(self, record: Record) -> None:
        self.ledger.observe(record)
        if not isinstance(record, OperationRecord) or record.outcome is Outcome.REFUSED:
            return
        if is_write(record):
            self.surprises.explain(record)
            self.writes[record.key, record.value] = record
            if record.kind is OperationKind.REMOVE:
                self.removals.setdefault(record.key, []).append(record)
        elif _is_answered_read(record):
            before = self.reads.setdefault(record.key, {})
            if before and self.ledger.at_rest:
                self.seen += 1
                self._look(record, [read for value, read in before.items() if value != record.value])
            if record.value is not None:
                before.setdefault(record.value, record)

    def _look(self, now: OperationRecord, before: list[OperationRecord]) -> None:
        for read in before:
            write = self.writes.get((read.key, read.value))
            if write is None or write.outcome is Outcome.OK or not precedes(read, now):
                continue
            if self._cannot_replace(now, write):
                self.surprises.add(Surprise(write, now))
                del self.reads[read.key][read.value or ""]

    def _cannot_replace(self, now: OperationRecord, write: OperationRecord) -> bool:
        if now.value is None:
            removals = self.removals.get(now.key, [])
            return all(one.outcome is Outcome.OK and precedes(one, write) for one in removals)
        other = self.writes.get((now.key, now.value))
        return other is not None and other.outcome is Outcome.OK and precedes(other, write)

    def conclude(self) -> Finding:
        worst, seen = self.surprises.first, f"{count(self.seen, 'read')} at rest of what was read before"
        if worst is not None:
            sentence = f"{count(len(self.surprises), 'value')} read and then gone, in {seen}"
            story = (f"write {worst.write.operation} of {worst.write.value!r} to {worst.write.key} has no outcome",)
            changes = self.ledger.changes_since(worst.write)
            return Finding(Result.BROKEN, sentence, (*story, "somebody reads it", *changes, _tell_read(worst.read)))
        if not self.seen:
            return Finding(Result.UNKNOWN, "nothing was read at rest that had been read before")
        return Finding(Result.HOLDS, f"{seen}, and nothing that was read is gone")


def _tell_read(read: OperationRecord) -> str:
    found = "nothing" if read.value is None else repr(read.value)
    return f"read {read.operation} of {read.key} by client {read.client} at {read.stage!r}: {found}"


PROPERTIES: tuple[Property, ...] = (
    Property(
        "monotonic-reads",
        "No client reads again what it saw replaced.",
        "seed: Best-Effort Consistency; reference replication 11 N6; bug-zoo I4",
        _ForwardJudge,
    ),
    Property(
        "read-your-writes",
        "A client that reads what it wrote finds that, or something newer.",
        "seed: Best-Effort Consistency; reference replication 11 N6; bug-zoo I5",
        _OwnWriteJudge,
    ),
    Property(
        "read-was-written",
        "A read of an entry returns only what somebody asked to write, and was not refused.",
        "reference replication 1.4",
        _OriginJudge,
    ),
    Property(
        "no-dirty-read",
        "A value that was read is there at rest, unless something can have replaced it.",
        "reference replication 11 N4; bug-zoo 3",
        _DirtyJudge,
    ),
)
