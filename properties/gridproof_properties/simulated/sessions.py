"""Sessions: what one client reads, one answer after the other.

A client's reads of any structure never go back to an older value; its reads of map entries return the value that it
wrote itself, or a newer one, and only values that some client wrote. A dirty read returns a value whose write was never
acknowledged, and which is gone later. Memory: a few words per value.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.acknowledged import describe_origin, effect_of, precedes
from gridproof_properties.judging.judge import Cause, Judge, Limit, Property, Severity
from gridproof_properties.judging.survival import (
    DESTROYED,
    KEPT_LIMITS,
    REMOVED_ON_ONE_HALF,
    REPLACED_BY_MERGE,
    describe_loss,
    harmed_since_ms,
    is_replaced_by_merge,
    why_lost,
)
from gridproof_properties.judging.words import through

# These enum members are looked up once, here: five judges read them for each operation of a run.
_READ, _OK = OperationKind.READ, Outcome.OK
_OF_SETS = (OperationKind.INSERT, OperationKind.DISCARD)

_WRITING = (OperationKind.WRITE, OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET)
EXECUTED_AGAIN = ("the write of the value was under way, and may have been executed again", "calls.18")

Session = tuple[int, str]
"""A client and a key."""
Written = tuple[str, str | None]
"""A key and a value; every write of a run writes a different value."""


def _is_answered_read(operation: OperationRecord) -> bool:
    return operation.kind is _READ and operation.outcome is _OK


@dataclass(slots=True)
class _LossJudge(Judge):
    """Compares reads with the writes that they miss; a write was not lost before a read at rest that found it."""

    READS = frozenset({OperationRecord})
    found: dict[Written, float] = field(default_factory=dict)
    """When the last read at rest that found a value began; kept only after the first disturbance of the run."""

    def find(self, read: OperationRecord) -> None:
        """Remember the value that a read at rest found."""
        if not self.comparisons.conditions.is_untouched and self.comparisons.is_at_rest(read.partition):
            self.found[read.key, read.value] = read.start_ms

    def since_ms(self, write: OperationRecord) -> float:
        """Return from which time on a fault may have lost a write, judging by the reads that have found it so far."""
        seen_ms = max(write.start_ms, self.found.get((write.key, write.value), 0))
        return harmed_since_ms(self.comparisons.conditions, write, seen_ms)


@dataclass(slots=True)
class _ForwardJudge(Judge):
    """Compares a client's reads with its earlier reads; an absent entry shows nothing, as it may have been removed."""

    READS = frozenset({OperationRecord})
    OPERATIONS = frozenset({_READ, *_OF_SETS, *_WRITING})
    COUNTED = "{failed} of {compared:repeated read} of a key went back to a value that the client had seen replaced"
    UNSEEN = "no client read a key with a value twice"
    latest: dict[Session, OperationRecord] = field(default_factory=dict)
    replaced: dict[Session, dict[str, OperationRecord]] = field(default_factory=dict)
    """For each client and key, each value that the client saw replaced, with the last read that returned this value."""
    sets: set[str] = field(default_factory=set)
    ended_ms: dict[Written, int] = field(default_factory=dict)
    """When the write of each value ended: until then, the write may be executed again."""
    rested: dict[Session, OperationRecord] = field(default_factory=dict)
    """The last read at rest, by client and key."""
    back: list[tuple[OperationRecord, OperationRecord, OperationRecord, float]] = field(default_factory=list)
    """A read of a value, the last read before the value came back, the read that returned it again, and from which time
    on a fault may explain this."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        if record.kind in _WRITING:
            self.ended_ms[record.key, record.value] = record.end_ms
        if record.kind in _OF_SETS:
            self.sets.add(record.key)  # a set may rightly hold again what it held before
        if not _is_answered_read(record) or record.value is None or record.key in self.sets:
            return
        session = (record.client, record.key)
        before, replaced = self.latest.get(session), self.replaced.setdefault(session, {})
        self.latest[session] = record
        is_rested = before is not None and self.rested.get(session) is before
        if self.comparisons.is_at_rest(record.partition):
            self.rested[session] = record
        if before is None or before.value is None:
            return
        if before.value != record.value:
            replaced[before.value] = before
        seen = replaced.pop(record.value, None) if before.value != record.value else None
        if seen is not None:
            since_ms = harmed_since_ms(
                self.comparisons.conditions, seen, before.start_ms if is_rested else seen.start_ms
            )
            self.back.append((seen, before, record, since_ms))
            return
        start_ms, conditions = before.start_ms, self.comparisons.conditions
        is_destroyed = conditions.was_destroyed(record.key, start_ms, record.end_ms)
        self.comparisons.add(record.partition, start_ms, record.end_ms, None, DESTROYED if is_destroyed else None)

    def _went_back(
        self, seen: OperationRecord, before: OperationRecord, read: OperationRecord, since_ms: float
    ) -> None:
        found = f"{before.value!r} (read {before.operation}, {before.stage!r}), which had replaced {read.value!r}"
        breach = f"{_describe_read(read)}, though at {before.end_ms:,} ms this client had found {found}; a client that "
        breach += "has seen a value replaced may not read it again"
        story = (breach, *self.rest.history(read.partition, read.end_ms))
        why: tuple[str, str] | None = None
        if self.comparisons.conditions.was_destroyed(read.key, seen.start_ms, read.end_ms):
            why = DESTROYED
        elif self.ended_ms.get((read.key, read.value), -1) >= before.start_ms:
            why = EXECUTED_AGAIN
        self.comparisons.add(read.partition, since_ms, read.end_ms, story, why)

    def finish(self) -> None:
        for one in self.back:
            self._went_back(*one)


@dataclass(slots=True)
class _OwnWriteJudge(_LossJudge):
    """Compares a client's reads with its own writes, except writes of unknown outcome, which may be executed later."""

    COUNTED = "{failed} of {compared:read} of a key by its writer returned something older than its own write"
    HELD = "{all} {compared:read} of a key by its writer returned its own write, or something newer"
    RULE = "a client that reads a key has to find its own last write to it, or a write that may have come after that"
    UNSEEN = "no client read a key that it had written"
    own: dict[Session, OperationRecord] = field(default_factory=dict)
    """The last acknowledged write, by client and key."""
    acknowledged: dict[Written, OperationRecord] = field(default_factory=dict)
    removals: dict[str, list[OperationRecord]] = field(default_factory=dict)
    """For each key, the removals that were executed or may have been executed."""
    older: list[tuple[OperationRecord, OperationRecord, float]] = field(default_factory=list)
    """A client's write, a read by the same client that returned something older, and from which time on a fault may
    have lost the write; a removal that is recorded later may explain the read."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        if (write := effect_of(record)) is not None:
            self._write(write)
        elif _is_answered_read(record):
            own = self.own.get((record.client, record.key))
            if own is not None and self._is_older(own, record):
                self.older.append((own, record, self.since_ms(own)))
            elif own is not None:
                self._add(own, record, self.since_ms(own), None)
            self.find(record)

    def _write(self, write: OperationRecord) -> None:
        if write.kind is OperationKind.REMOVE and write.outcome is not Outcome.REFUSED:
            self.removals.setdefault(write.key, []).append(write)
        if write.outcome is Outcome.OK:
            self.own[write.client, write.key] = write
            self.acknowledged[write.key, write.value] = write

    def _is_older(self, own: OperationRecord, read: OperationRecord) -> bool:
        if read.value == own.value:
            return False
        if read.value is None:
            return all(precedes(removal, own) for removal in reversed(self.removals.get(read.key, [])))
        write = self.acknowledged.get((read.key, read.value))
        return write is not None and precedes(write, own)

    def _add(self, own: OperationRecord, read: OperationRecord, since_ms: float, story: tuple[str, ...] | None) -> None:
        conditions = self.comparisons.conditions
        why = why_lost(conditions, own, read.end_ms, since_ms=since_ms)
        if read.value is not None and is_replaced_by_merge(conditions, own, read.end_ms):
            why = why or REPLACED_BY_MERGE
        if story is not None and read.value is not None and self._is_removed_on_one_half(own, read):
            why = why or REMOVED_ON_ONE_HALF
        self.comparisons.add(own.partition, since_ms, read.end_ms, story, why)

    def _is_removed_on_one_half(self, own: OperationRecord, read: OperationRecord) -> bool:
        """Whether the written value may have been removed on one half, so that a merge brought back a value of the
        other half."""
        later = (one for one in self.removals.get(own.key, []) if not (precedes(one, own) or precedes(read, one)))
        return any(why_lost(self.comparisons.conditions, one, read.end_ms) == REMOVED_ON_ONE_HALF for one in later)

    def finish(self) -> None:
        for own, read, since_ms in self.older:
            is_older = self._is_older(own, read)
            story = describe_loss(self.comparisons.conditions, own, read, self.RULE) if is_older else None
            self._add(own, read, since_ms, story)


@dataclass(slots=True)
class _OriginJudge(Judge):
    READS = frozenset({OperationRecord})
    COUNTED = "{failed} of {compared:value} read came from no write"
    HELD = "{all} {compared:value} read came from a write"
    UNSEEN = "no value of an entry was read"
    entries: set[str] = field(default_factory=set)
    """The keys that some client asked to write."""
    written: dict[Written, list[OperationRecord]] = field(default_factory=dict)
    """For each key and value, the requests to write that value."""
    reads: dict[Written, OperationRecord] = field(default_factory=dict)
    """For each value, the read that ended first among the reads that returned it."""

    def observe(self, record: Record) -> None:
        write = effect_of(record) if isinstance(record, OperationRecord) else None
        if write is not None:
            self.entries.add(write.key)
            self.written.setdefault((write.key, write.value), []).append(write)
        if isinstance(record, OperationRecord) and record.value is not None and _is_answered_read(record):
            known = self.reads.setdefault((record.key, record.value), record)
            if record.end_ms < known.end_ms:
                self.reads[record.key, record.value] = record

    def finish(self) -> None:
        for read in self.reads.values():
            if read.key in self.entries:
                why, story = describe_origin(read, self.written.get((read.key, read.value), [])), None
                if why is not None:
                    said = f"{_describe_read(read)}, though {why}; a read may find only values that a client asked to "
                    story = (f"{said}write, and no refused ones", *self.rest.history(read.partition, read.end_ms))
                self.comparisons.add(read.partition, read.start_ms, read.end_ms, story)


@dataclass(slots=True)
class _DirtyJudge(_LossJudge):
    """Looks at reads at rest: does each find the value that was read before, or one that can have replaced it?"""

    COUNTED = "{failed} of {compared:value} that clients had read disappeared, though no write can have replaced it"
    HELD = "{all} {compared:value} that clients had read stayed, or may have been replaced by a write"
    UNSEEN = "no client read a value whose write had not been acknowledged"
    writes: dict[Written, OperationRecord] = field(default_factory=dict)
    removals: dict[str, list[OperationRecord]] = field(default_factory=dict)
    reads: dict[Written, OperationRecord] = field(default_factory=dict)
    """The first read of each value."""
    unsure: dict[str, dict[str, OperationRecord]] = field(default_factory=lambda: defaultdict(dict))
    """For each key, the first read of each value whose write has an unknown outcome."""
    gone: list[tuple[OperationRecord, OperationRecord, OperationRecord, float]] = field(default_factory=list)
    """An unacknowledged write, a read of it, the read at rest that misses it, and since when a fault may explain it."""

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord) or record.outcome is Outcome.REFUSED:
            return
        if (write := effect_of(record)) is not None:
            self._write(write)
        elif _is_answered_read(record):
            unsure = self.unsure.get(record.key)
            if unsure and self.comparisons.is_at_rest(record.partition):
                self._look(record, list(unsure.values()))
            if record.value is not None:
                self.reads.setdefault((record.key, record.value), record)
                self._doubt(record.key, record.value)
            self.find(record)

    def _write(self, write: OperationRecord) -> None:
        self.writes[write.key, write.value] = write
        if write.value is not None:
            self._doubt(write.key, write.value)
        if write.kind is OperationKind.REMOVE:
            self.removals.setdefault(write.key, []).append(write)
        explained = [one for one in self.gone if one[2].key == write.key and one[2].value == write.value]
        self.gone = [one for one in self.gone if one not in explained]

    def _doubt(self, key: str, value: str) -> None:
        """Keep a value if it was read and its write has an unknown outcome."""
        write, read = self.writes.get((key, value)), self.reads.get((key, value))
        if read is not None and write is not None and write.outcome is Outcome.UNKNOWN:
            self.unsure[key].setdefault(value, read)

    def _look(self, now: OperationRecord, before: list[OperationRecord]) -> None:
        for read in before:
            write = self.writes[read.key, read.value]
            if write.outcome is Outcome.OK or not precedes(read, now):
                continue
            if read.value != now.value and self._cannot_replace(now, write):
                self.gone.append((write, read, now, self.since_ms(write)))
                del self.unsure[read.key][read.value or ""], self.reads[read.key, read.value]
            else:
                self._add(write, now, self.since_ms(write), None)

    def _add(
        self, write: OperationRecord, now: OperationRecord, since_ms: float, story: tuple[str, ...] | None
    ) -> None:
        why = why_lost(self.comparisons.conditions, write, now.end_ms, since_ms=since_ms)
        self.comparisons.add(write.partition, since_ms, now.end_ms, story, why)

    def _cannot_replace(self, now: OperationRecord, write: OperationRecord) -> bool:
        if now.value is None:
            removals = self.removals.get(now.key, [])
            return all(one.outcome is Outcome.OK and precedes(one, write) for one in reversed(removals))
        other = self.writes.get((now.key, now.value))
        return other is not None and other.outcome is Outcome.OK and precedes(other, write)

    def finish(self) -> None:
        for write, read, now, since_ms in self.gone:
            seen = f"at {read.end_ms:,} ms client {read.client} had found {read.value!r} (read {read.operation}, "
            seen += f"{read.stage!r}); a value that was read has to stay, unless a write can have replaced it"
            asked = f"at {write.end_ms:,} ms client {write.client}'s write of {write.value!r} (write "
            asked += f"{write.operation}, {write.stage!r}) ended with an unknown outcome"
            before = (write.end_ms, asked), *self.comparisons.comings.between(write, now)
            story = (f"{_describe_read(now)}, though {seen}", *self.rest.history(now.partition, now.end_ms, *before))
            self._add(write, now, since_ms, story)


def _describe_read(read: OperationRecord) -> str:
    found = "nothing" if read.value is None else repr(read.value)
    of = "" if read.partition is None else f" (partition {read.partition})"
    by = "" if read.executed_by is None else f", executed by member {read.executed_by}"
    return (
        f"at {read.end_ms:,} ms client {read.client} read {read.key}{of}{through(read.member)} and found {found} "
        f"(read {read.operation}, {read.stage!r}{by})"
    )


_READS = frozenset({"operation read"})
_MOVED = Cause.MOVED | Cause.COPY_ENDED

PROPERTIES: tuple[Property, ...] = (
    Property(
        "monotonic-reads",
        "No client reads a value again that it has seen replaced.",
        "seed: Best-Effort Consistency; limits.6; invariant I4",
        Severity.WRONG_ANSWER,
        _ForwardJudge,
        _READS,
        (
            Limit(_MOVED | Cause.REMOVED_ALIVE, "limits.6: not across failover or migration"),
            Limit(Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER, "limits.7: an older write is executed once more"),
            Limit(Cause.CONNECTION_BROKEN, "limits.2: an older write runs again", unless_strict=True),
        ),
    ),
    Property(
        "read-your-writes",
        "A client that reads a key that it wrote finds its own write, or something newer.",
        "seed: Best-Effort Consistency; limits.6; invariant I5",
        Severity.WRONG_ANSWER,
        _OwnWriteJudge,
        _READS,
        (
            *KEPT_LIMITS,
            Limit(Cause.REMOVED_ALIVE, "limits.5: two clusters answer", at_end=True),
            Limit(_MOVED, "limits.6: freshness during migration", only_stale_reads=True, at_end=True),
        ),
    ),
    Property(
        "read-was-written",
        "A read of an entry returns only what a client asked to write, and what was not refused.",
        "calls.11",
        Severity.WRONG_ANSWER,
        _OriginJudge,
        frozenset({"operation write"}),
    ),
    Property(
        "no-dirty-read",
        "A value that a client has read is still there at rest, unless a write can have replaced it.",
        "limits.4; docs/defects.md, Jepsen",
        Severity.WRONG_ANSWER,
        _DirtyJudge,
        _READS,
        (
            Limit(
                Cause.COPY_ENDED | Cause.REMOVED_ALIVE | Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER,
                "limits.4, limits.5, leaving.8",
            ),
            Limit(Cause.MOVED, "repair.15: a passive cluster hands nothing over", only_with=Cause.FROZEN),
        ),
    ),
)
