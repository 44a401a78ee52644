"""Whether acknowledged writes survive, including each entry of a call, and what clients read after such a write.

First, whether acknowledged writes survive.

Writes are judged at two times: right after a crash, when backups were promoted, and whenever a key is read at rest,
above all in the final reveal at the end of the run (GLOSSARY.md). If the last read of a key at rest had no answer,
nothing is known of the key.


Second, whether a call that wrote several entries wrote each of them.

A call with several entries is judged entry by entry: each entry of an acknowledged call must be found by the next read
of it at rest. Memory: a few words for each key that a call with several entries wrote.

Third, what a client reads after a write was acknowledged.

Each key is a register: every answered read, at rest or not, is compared with the last write acknowledged before it.
"""

from dataclasses import dataclass, field
from itertools import chain

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import WRITING, ReadJudge, effect_of, precedes
from gridproof_properties.judging.judge import Asking, Cause, Judge, Limit, Property, Severity
from gridproof_properties.judging.resting import describe_operation
from gridproof_properties.judging.survival import KEPT_LIMITS
from gridproof_properties.judging.words import count

AFTER_CRASH = "after crash"
"""The first words of the names of the stages in which keys are read after a crash, once the grid is at rest."""


@dataclass(slots=True)
class _KeptJudge(ReadJudge):
    COUNTED = "{failed} of {compared:read} at rest missed an acknowledged write"
    HELD = "{all} {compared:read} at rest found the last acknowledged write, or one that may have come after it"
    RULE = "at rest a read has to find the last acknowledged write of its key, or a write that may have come after it"
    UNSEEN = "no key was read at rest"
    unread: set[str] = field(default_factory=set)
    """Keys that have not been read at rest since the last acknowledged write to them."""

    def write(self, write: OperationRecord) -> None:
        if write.outcome is Outcome.OK:
            self.unread.add(write.key)

    def read(self, read: OperationRecord) -> None:
        if not self.comparisons.is_at_rest(read.partition):
            return
        if read.outcome is Outcome.OK:
            self.unread.discard(read.key)
            self.reads.find_again(read)
            self.reads.compare(read)
        elif any(self.ledger.acknowledged_before(read)):
            self.unread.add(read.key)

    def undecided(self) -> str | None:
        if not self.unread:
            return None
        unread = f"{len(self.unread):,} of {count(len(self.ledger.keys()), 'key')}"
        return (
            f"{unread} had not been read at rest since their last acknowledged write, so it is not known what they hold"
        )


@dataclass(slots=True)
class _PromotionJudge(ReadJudge):
    """Judges reads after a crash, for keys that have a write acknowledged before the crash."""

    COUNTED = "{failed} of {compared:read} after a crash missed a write that was acknowledged before the crash"
    HELD = "{all} {compared:read} after a crash found the last write acknowledged before the crash, or a later one"
    RULE = "a backup that is promoted after a crash has to have every write that was acknowledged before the crash"
    UNSEEN = "no key with a write acknowledged before a crash was read at rest after the crash"
    unanswered: int = 0

    def read(self, read: OperationRecord) -> None:
        comings = self.comparisons.comings
        if not read.stage.startswith(AFTER_CRASH) or not comings.at_rest:
            return
        last = next(self.ledger.acknowledged_before(read), None)
        if last is None or last.operation >= comings.last_crash:
            return
        if read.outcome is Outcome.OK:
            self.reads.compare(read)
        else:
            self.unanswered += 1

    def undecided(self) -> str | None:
        if not self.unanswered:
            return None
        unanswered = f"{count(self.unanswered, 'read')} after a crash got no answer"
        return f"{unanswered}, so it is not known what they would have found ({self.comparisons.compared:,} got one)"


@dataclass(frozen=True, slots=True)
class _Absence:
    """A read at rest that found no entry."""

    write: OperationRecord
    """The acknowledged write that the read misses."""
    read: OperationRecord
    since_ms: float
    """When the key was last seen to have an entry, or was last written."""
    why: tuple[str, str] | None
    """What may have taken the entry away, with the source; None if nothing may have taken it away."""


@dataclass(slots=True)
class PresenceJudge(ReadJudge):
    """Judges whether keys that no client removed are there at rest, whatever their values."""

    COUNTED = "{failed} of {compared:read} at rest of a written key found no entry"
    HELD = "{all} {compared:read} at rest of a written key found an entry"
    RULE = "a key that was written and that no client removed has to have an entry at rest"
    UNSEEN = "no key that has to have an entry was read at rest"
    removed: set[str] = field(default_factory=set)
    """Keys that some client may have removed."""
    absent: dict[str, _Absence] = field(default_factory=dict)
    """For each key, its last read, if this read found no entry."""
    present: dict[str, float] = field(default_factory=dict)
    """For each key, when the last read that found an entry began."""

    def write(self, write: OperationRecord) -> None:
        """Process a write."""
        if write.kind is OperationKind.REMOVE:
            self.removed.add(write.key)

    def read(self, read: OperationRecord) -> None:
        """Process a read."""
        is_answered = read.outcome is Outcome.OK and self.comparisons.is_at_rest(read.partition)
        if not is_answered or read.key in self.removed:
            return
        found_ms = self.present.get(read.key, 0)
        known = ((write, max(write.start_ms, found_ms)) for write in self.ledger.acknowledged_before(read))
        write, since_ms = next(((write, at) for write, at in known if self.is_owed(write, read, at)), (None, 0))
        if read.value is not None:
            # A key that is found now has not been lost: an earlier read that missed it was stale.
            self.absent.pop(read.key, None)
            self.present[read.key] = read.start_ms
        elif write is not None:
            self.absent.setdefault(read.key, _Absence(write, read, since_ms, self.why_absent(write)))
            return
        if write is not None:
            begin_ms = self.ledger.harmed_since_ms(write, since_ms)
            self.comparisons.add(write.partition, begin_ms, read.end_ms, None, self.why_absent(write))

    def is_owed(self, write: OperationRecord, read: OperationRecord, since_ms: float) -> bool:
        """Whether some entry must be there because of an acknowledged write, if an entry was there at `since_ms`."""
        return self.ledger.why_lost(write, read.end_ms, since_ms) is None

    def why_absent(self, write: OperationRecord) -> tuple[str, str] | None:
        """Return what may have taken away an entry that should be there, with the source, as far as it is known now."""
        return None

    def finish(self) -> None:
        """Compare the reads that found nothing and were not explained until the end of the run."""
        for absence in self.absent.values():
            write, read = absence.write, absence.read
            if self.is_owed(write, read, absence.since_ms) and read.key not in self.removed:
                story = self.ledger.describe_loss(write, read, self.RULE)
                begin_ms = self.ledger.harmed_since_ms(write, absence.since_ms)
                self.comparisons.add(write.partition, begin_ms, read.end_ms, story, absence.why)


ACKNOWLEDGED_WRITE_KEPT = Property(
    name="acknowledged-write-kept",
    sentence="When it is read at rest, a key holds its last acknowledged write, or one that may have come after it.",
    source="seed: Replication Algorithm for AP Data Structures; invariant P2, I2; repair.13",
    severity=Severity.DATA_LOSS,
    start=_KeptJudge,
    needs=frozenset({"operation write", "operation remove"}),
    limits=KEPT_LIMITS,
)
PROMOTION_WITHOUT_LOSS = Property(
    name="promotion-without-loss",
    sentence="After a crash the promoted backups have every write that was acknowledged before it.",
    source="seed: Data Partitioning and Replication; invariant P2; repair.13",
    severity=Severity.DATA_LOSS,
    start=_PromotionJudge,
    needs=frozenset({"operation write", "operation remove"}),
    limits=KEPT_LIMITS,
    asked_by=Asking.AUDITS_IN_TURN,
)
ACKNOWLEDGED_KEY_PRESENT = Property(
    name="acknowledged-key-present",
    sentence="A key that was written and that nobody removed is there at rest, whatever it holds.",
    source="seed: Replication Algorithm for AP Data Structures; invariant P2; repair.13",
    severity=Severity.DATA_LOSS,
    start=PresenceJudge,
    needs=frozenset({"operation write"}),
    limits=(
        # An older operation that is executed again may bring an older value back, but never removes the entry.
        Limit(Cause.COPY_ENDED, "members.26, leaving.7", only_with=Cause.FROZEN),
    ),
)


NOBODY_WAITED = Limit(~Cause.MOVED, "calls.28, limits.8: no caller waits for the backups of a call of several entries")


@dataclass(slots=True)
class _Entry:
    """An entry of an acknowledged call, and the first read of it at rest."""

    write: OperationRecord
    begin_ms: float
    read: OperationRecord | None = None


@dataclass(slots=True)
class _EntriesJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = WRITING | {OperationKind.READ}
    COUNTED = "{failed} of {compared:entry/entries} of acknowledged calls of several entries got lost"
    UNSEEN = "no entry of an acknowledged call of several entries was read at rest"
    entries: dict[str, _Entry] = field(default_factory=dict)
    """For each key, an entry that is still to be read; only while no other write of the key may have replaced it."""
    last: dict[str, OperationRecord] = field(default_factory=dict)
    """For each key, the write that ended last."""
    open_ended: set[str] = field(default_factory=set)
    """Keys with a write that was not answered, and may be executed at any time."""
    missing: dict[str, list[_Entry]] = field(default_factory=dict)
    """For each key, the entries that a read did not find; a write that is recorded later may still explain this."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        write = effect_of(record)
        if write is not None:
            if write.outcome is not Outcome.REFUSED:
                self._write(write)
        elif record.kind is OperationKind.READ and record.outcome is Outcome.OK and self.rest.is_at_rest(record):
            entry = self.entries.get(record.key)
            if entry is not None and entry.read is None and precedes(entry.write, record):
                entry.read = record

    def finish(self) -> None:
        for entry in self.entries.values():
            self._close(entry)
        for entry in chain.from_iterable(self.missing.values()):
            self._compare(entry)
        self.entries.clear()
        self.missing.clear()

    def _write(self, write: OperationRecord) -> None:
        key, before = write.key, self.last.get(write.key)
        if key in self.missing:
            self.missing[key] = [entry for entry in self.missing[key] if not _explains(write, entry)]
        entry = self.entries.pop(key, None)
        if entry is not None and entry.read is not None and precedes(entry.read, write):
            self._close(entry)
        is_alone = before is None or precedes(before, write)
        if write.outcome is Outcome.UNKNOWN:
            self.open_ended.add(key)
        elif write.call is not None and is_alone and key not in self.open_ended:
            self.entries[key] = _Entry(write, self.rest.after_rest(write.start_ms))
        if before is None or before.end_ms <= write.end_ms:
            self.last[key] = write

    def _close(self, entry: _Entry) -> None:
        """Compare an entry with what was read; an entry that was not found is kept until the end of the run."""
        if entry.read is not None and entry.read.value == entry.write.value:
            self._compare(entry)
        elif entry.read is not None:
            self.missing.setdefault(entry.write.key, []).append(entry)

    def _compare(self, entry: _Entry) -> None:
        write, read = entry.write, entry.read
        assert read is not None, "an entry is compared with a read"
        story = None
        if read.value != write.value:
            rule = "at rest a read has to find each entry that an acknowledged call wrote"
            due = f"though call {write.call}, acknowledged at {write.end_ms:,} ms, had written {write.value!r} to it"
            asked = write.end_ms, f"{describe_operation(write)} as an entry of call {write.call}"
            wrong = f"{describe_operation(read)}, {due}; {rule}"
            story = wrong, *self.rest.history(write.partition, read.end_ms, asked)
        self.comparisons.add(write.partition, entry.begin_ms, read.end_ms, story)


def _explains(write: OperationRecord, entry: _Entry) -> bool:
    """Whether the read returned the value of this write, which overlapped with the write of the entry and ended
    later."""
    return entry.read is not None and entry.read.value == write.value and not precedes(entry.read, write)


FRESHNESS_LIMITS = (
    *KEPT_LIMITS,
    Limit(Cause.REMOVED_ALIVE, "limits.5: two clusters answer", at_end=True),
    Limit(
        Cause.MOVED | Cause.COPY_ENDED,
        "limits.6, migration.9: reads are served by whoever had the partition",
        only_stale_reads=True,
        at_end=True,
    ),
)
"""What suspends the promise that a read at any time returns the last acknowledged write."""


@dataclass(slots=True)
class _FreshJudge(ReadJudge):
    COUNTED = "{failed} of {compared:answered read} missed a write that was acknowledged before it began"
    HELD = "{all} {compared:answered read} found the last acknowledged write, or one that may have come after it"
    RULE = "a read has to find the last write acknowledged before it began, or a write that may have come after that"
    UNSEEN = "no key was read after an acknowledged write"

    def read(self, read: OperationRecord) -> None:
        if read.outcome is Outcome.OK:
            self.reads.compare(read)


READS_SEE_ACKNOWLEDGED_WRITES = Property(
    name="reads-see-acknowledged-writes",
    sentence="A read that is answered returns the last acknowledged write, or one that may have come after it.",
    source="seed: Best-Effort Consistency; invariant I5",
    severity=Severity.WRONG_ANSWER,
    start=_FreshJudge,
    needs=frozenset({"operation write", "operation remove"}),
    limits=FRESHNESS_LIMITS,
)


PROPERTIES: tuple[Property, ...] = (
    ACKNOWLEDGED_WRITE_KEPT,
    PROMOTION_WITHOUT_LOSS,
    ACKNOWLEDGED_KEY_PRESENT,
    Property(
        "every-entry-of-a-call",
        "Each entry of an acknowledged call of several entries is there when it is read at rest.",
        "invariant I7; calls.27",
        Severity.DATA_LOSS,
        _EntriesJudge,
        frozenset({"operation write"}),
        (NOBODY_WAITED,),
        asked_by=Asking.NOT_LIVE_RUNS,
    ),
    READS_SEE_ACKNOWLEDGED_WRITES,
)
