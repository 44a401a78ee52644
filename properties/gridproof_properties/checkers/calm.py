"""Properties that are promised while nothing happens to the grid.

If no cause is recorded, no client is answered that a write may have failed if its value is on every copy, and no entry
appears or disappears by itself. Memory: one sample per key, one digest per partition, and the set of all keys.
"""

from collections import defaultdict
from dataclasses import dataclass, field

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import JobAsked
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
)
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.guarantee import CALM_ONLY, unseen
from gridproof_properties.judging.judge import Asking, Finding, Judge, Limit, Property, Severity
from gridproof_properties.judging.resting import describe_operation
from gridproof_properties.judging.samples import Sample, Samples
from gridproof_properties.judging.words import count

LOOKING = (OperationKind.READ, OperationKind.READ_REPLICA, OperationKind.CONTAINS, OperationKind.SIZE)
CHANGING = frozenset(OperationKind) - frozenset(LOOKING)
PLAIN = (*LOOKING, OperationKind.WRITE, OperationKind.REMOVE)
"""Operations after which a key has exactly one entry or none."""
NOT_CALM = Limit(ANY_CAUSE, "limits.3, limits.5: promised while nothing happens to the partition", anybody=CALM_ONLY)
DISTURBED = Limit(
    ~Cause.MOVED, "limits.5, limits.7: what happens to a copy may take or bring entries", anybody=CALM_ONLY
)
"""Causes that disturb the calm; a planned move does not, as it neither adds nor loses entries (placement.23)."""


@dataclass(slots=True)
class _NeedlessJudge(Judge):
    """Compares each write with the copies that were seen right after it."""

    READS = frozenset({OperationRecord})
    OPERATIONS = frozenset({OperationKind.WRITE, OperationKind.READ_REPLICA})
    COUNTED = "{failed} of {compared:write} that reached every copy got no acknowledgement"
    HELD = "{all} {compared:write} that reached every copy got an acknowledgement"
    UNSEEN = "no write was seen on every copy right after it"
    samples: Samples = field(default_factory=Samples)

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord):
            return
        if record.kind is not OperationKind.WRITE:
            self.samples.look(record)
            return
        rest = self.comparisons.conditions.rest
        begin_ms = rest.after_rest(record.start_ms) if rest.is_at_rest(record) else record.start_ms
        complete = self.samples.begin(Sample(record, begin_ms, rest.holders(record.partition)))
        if complete is not None:
            self._judge(complete)

    def finish(self) -> None:
        for sample in self.samples.rest():
            self._judge(sample)

    def _judge(self, sample: Sample) -> None:
        write = sample.write
        if not sample.holders or not set(sample.holders) <= set(sample.having):
            return
        story = None
        if write.outcome is not Outcome.OK:
            held = f"every copy, on {self.comparisons.comings.scene.call_all(sample.holders)}, had the value"
            rule = "a write that reached every copy has to be acknowledged"
            story = (f"{describe_operation(write)}, though right after that {held}; {rule}",)
        self.comparisons.add(write.partition, sample.begin_ms, write.end_ms, story)


@dataclass(slots=True)
class _Key:
    """What is known about one key so far."""

    has_entry: bool | None
    """Whether the key has an entry; None if a write and a removal overlapped, so that their order is unknown."""
    end_ms: float
    """When the key's latest change ended."""


@dataclass(slots=True)
class _Contents:
    """What is known about one partition so far."""

    keys: dict[str, _Key] = field(default_factory=dict)
    """The keys that were written or removed."""
    is_certain: bool = True
    """Whether the partition has the entries of these keys and no others."""
    since_ms: float | None = None
    """When the partition was first changed."""
    latest: DigestRecord | None = None
    """The primary's digest at the latest look; None if a change of entries was requested since that look."""

    def change(self, operation: OperationRecord) -> None:
        """Process an acknowledged write or removal."""
        has_entry: bool | None = operation.kind is OperationKind.WRITE
        known = self.keys.get(operation.key)
        if known is None:
            self.keys[operation.key] = _Key(has_entry, operation.end_ms)
            return
        if operation.start_ms <= known.end_ms and known.has_entry is not has_entry:
            has_entry = None
        known.has_entry, known.end_ms = has_entry, max(known.end_ms, operation.end_ms)

    def owed(self) -> range:
        """Return how many entries the partition may have, as a range."""
        having = [key.has_entry for key in self.keys.values()]
        return range(having.count(True), len(having) - having.count(False) + 1)


@dataclass(slots=True)
class _EntriesJudge(Judge):
    READS = frozenset({OperationRecord, DigestRecord, MemberRecord})
    WATCHED = kinds_of(JobAsked)
    OPERATIONS = CHANGING
    COUNTED = "{failed} of {compared:look} at a partition at rest showed entries that came or went by themselves"
    UNSEEN = "at rest no look was taken at the contents of a primary"
    RULE = "while nothing happens to a partition, no entry of it may appear or disappear by itself"
    partitions: dict[int, _Contents] = field(default_factory=lambda: defaultdict(_Contents))
    is_certain: bool = True
    """Whether every change named its partition."""
    are_recorded: bool = False
    """Whether any record says what clients changed: if none does, no entry can be said to have appeared by itself."""

    def observe(self, record: Record) -> None:
        match record:
            case EventRecord():
                self._change_anything()
            case OperationRecord():
                if record.kind in CHANGING:
                    self.are_recorded = True
                    self._change(record)
            case MemberRecord(change=change) if change is not MemberChange.JOINED:
                self._forget_what_ends_with_members()
            case DigestRecord():
                if record.settled and self.rest.is_resting and record.member == self.rest.owner(record.partition):
                    self._look(record)
            case _:
                pass

    def conclude(self) -> Finding:
        if not self.are_recorded:
            return unseen("no record says what clients changed")
        return Judge.conclude(self)

    def _change(self, operation: OperationRecord) -> None:
        if operation.partition is None:
            self._change_anything()
            return
        contents = self.partitions[operation.partition]
        contents.latest = None
        if operation.outcome is Outcome.REFUSED:
            return
        if contents.since_ms is None:
            contents.since_ms = self.rest.after_rest(operation.start_ms)
        if operation.outcome is Outcome.UNKNOWN or operation.kind not in PLAIN:
            contents.is_certain = False
        else:
            contents.change(operation)

    def _change_anything(self) -> None:
        """Forget what all partitions hold, after a change in an unknown partition, or because a job has entries of its
        own."""
        self.is_certain = False
        for contents in self.partitions.values():
            contents.latest = None

    def _forget_what_ends_with_members(self) -> None:
        """Forget what partitions hold if it is not only plain entries: when a member ends, its locks are removed.

        A harness may record only the end of a member, and not what was removed with it.
        """
        for contents in self.partitions.values():
            if not contents.is_certain:
                contents.latest = None

    def _look(self, digest: DigestRecord) -> None:
        contents = self.partitions[digest.partition]
        before, contents.latest = contents.latest, digest
        at_ms = self.rest.after_rest(digest.at_ms)
        owed = contents.owed()
        if self.is_certain and contents.is_certain and (owed[-1] or digest.entries):
            story = None
            if digest.entries not in owed:
                keys = f"{owed[0]}" if len(owed) == 1 else f"{owed[0]} to {owed[-1]}"
                known = f"by what clients had written and removed it had to hold {keys}"
                story = (f"{self._shown(digest)}, though {known}; {self.RULE}",)
            begin_ms = at_ms if contents.since_ms is None else contents.since_ms
            self.comparisons.add(digest.partition, begin_ms, at_ms, story)
        if before is not None and (before.entries or digest.entries):
            changed = None
            if before.digest != digest.digest:
                was = f"at {before.at_ms:,} ms ({before.stage!r}) the primary had held {_describe(before)}"
                was += f" and no client had asked for a change since; {self.RULE}"
                changed = (f"{self._shown(digest)}, though {was}",)
            self.comparisons.add(digest.partition, before.at_ms + 0.5, at_ms, changed)

    def _shown(self, digest: DigestRecord) -> str:
        called = f"{self.rest.scene.call(digest.member)}, the primary of partition {digest.partition},"
        return f"at {digest.at_ms:,} ms ({digest.stage!r}) {called} held {_describe(digest)}"


def _describe(digest: DigestRecord) -> str:
    return f"{count(digest.entries, 'entry', 'entries')} with digest {digest.digest}"


PROPERTIES: tuple[Property, ...] = (
    Property(
        "no-needless-indeterminate",
        "A write whose value is on every copy is reported to its caller as a success.",
        "seed: Throwing an IndeterminateOperationStateException; strict.1",
        Severity.AVAILABILITY,
        _NeedlessJudge,
        frozenset({"operation read-replica"}),
        (NOT_CALM,),
        asked_by=Asking.AUDITS,
    ),
    Property(
        "calm-keeps-entries",
        "While nothing happens to the grid, entries neither appear nor disappear by themselves.",
        "seed: Best-Effort Consistency; invariant M2, S1",
        Severity.DATA_LOSS,
        _EntriesJudge,
        frozenset({"digest"}),
        (DISTURBED,),
    ),
)
