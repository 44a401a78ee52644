"""What an acknowledgement means, judged by the copies that exist and by the number of copies that it claims.

First, what an acknowledgement means, judged by the copies.

Right after some acknowledgements every member is asked for its own copy of the key. At least as many members must have
the value as the acknowledgement claimed. If it claims no number, as many members must have it as the sync backups
promise: one more than the backup count, at most one per group present, and, if the system counts active replicas only,
without the members that have ended since the latest view. Only one client at a time writes a key. Memory: one sample
per key.

Second, in a calm grid a write has all its copies when it is acknowledged.

If nothing has happened to the partition since the grid was last at rest, an acknowledgement that says how many copies
there are is compared with the number of the primary and all sync backups; it is never compared with its own number.
Removals are not judged: a removal may find nothing to remove, and then nothing is copied.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome, Record, RowRecord
from gridproof_properties.judging.acknowledged import WRITING
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.guarantee import CALM_ONLY, broken, unseen
from gridproof_properties.judging.judge import Asking, Finding, Judge, Limit, Property, Severity
from gridproof_properties.judging.samples import ACKNOWLEDGEMENT
from gridproof_properties.judging.scene import TABLE_RECORDS, Scene
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count, through


@dataclass(slots=True)
class _Sample:
    """An acknowledged write, and the members that were seen to have it."""

    write: OperationRecord
    owed: int
    having: list[int] = field(default_factory=list)
    without: list[int] = field(default_factory=list)
    silent: int = 0
    """The number of members that did not answer."""
    until_ms: int = 0
    """When the latest look ended."""

    @property
    def taken(self) -> bool:
        return bool(self.having or self.without or self.silent)


@dataclass(slots=True)
class _CopiesJudge(Judge):
    READS = TABLE_RECORDS - {RowRecord} | {OperationRecord}
    OPERATIONS = WRITING | {OperationKind.READ_REPLICA}
    COUNTS = False
    scene: Scene = field(default_factory=Scene)
    open: dict[str, _Sample] = field(default_factory=dict)
    seen: int = 0
    unclear: int = 0
    short: int = 0
    first: tuple[int, tuple[str, ...]] | None = None
    """The operation number and the story of the earliest write that had too few copies."""

    def observe(self, record: Record) -> None:
        self.scene.observe(record)
        if not isinstance(record, OperationRecord):
            return
        if record.kind in WRITING:
            self._close(self.open.pop(record.key, None))
            if record.kind is OperationKind.WRITE and record.outcome is Outcome.OK:
                self.open[record.key] = _Sample(record, self._owed(record))
        elif record.kind is OperationKind.READ_REPLICA and record.stage == ACKNOWLEDGEMENT and record.key in self.open:
            _look(self.open[record.key], record)

    def break_off(self) -> None:
        """Forget the writes for which perhaps not every member has been asked yet."""
        self.open.clear()

    def conclude(self) -> Finding:
        for sample in self.open.values():
            self._close(sample)
        seen = count(self.seen, "sampled acknowledgement")
        if self.first is not None:
            return broken(self.first[1], f"{self.short:,} of {seen} came with too few copies", self.seen)
        if not self.seen:
            return unseen("no copies were looked at right after an acknowledgement")
        if self.unclear:
            sentence = f"after {self.unclear:,} of {seen} a member that may have a copy did not answer"
            return Finding(Result.UNKNOWN, sentence)
        return Finding(Result.HOLDS, f"all {seen} came with enough copies", compared=self.seen)

    def _owed(self, write: OperationRecord) -> int:
        if write.confirmed_copies is not None:
            return write.confirmed_copies
        is_less = self.comparisons.conditions.scene.stated.active_only
        gone = len(self.scene.owners - self.scene.present.keys()) if is_less else 0
        return max(1, min(self.scene.copies, self.scene.group_count) - gone)

    def _close(self, sample: _Sample | None) -> None:
        if sample is None or not sample.taken:
            return
        self.seen += 1
        if len(sample.having) >= sample.owed:
            return
        if len(sample.having) + sample.silent >= sample.owed:
            self.unclear += 1
            return
        self.short += 1
        span = sample.write.start_ms, sample.until_ms
        self.comparisons.note_failures([span], lambda _: self._describe(sample))
        if self.first is None or sample.write.operation < self.first[0]:
            self.first = sample.write.operation, self._describe(sample)

    def _describe(self, sample: _Sample) -> tuple[str, ...]:
        write, call_all, later_ms = sample.write, self.scene.call_all, sample.until_ms - sample.write.end_ms
        of = "" if write.partition is None else f" (partition {write.partition})"
        owed, had = count(sample.owed, "copy", "copies"), count(len(sample.having), "member")
        claim, rule = "claimed", "as many members have to have a value as its acknowledgement claims"
        if write.confirmed_copies is None:
            claim, rule = "stood for", "an acknowledgement without a number stands for the primary and all backups"
        others = f", {call_all(sample.without)} did not" if sample.without else ""
        when = f"within {later_ms:,} ms" if later_ms > 0 else "within the same millisecond"
        return (
            f"at {write.end_ms:,} ms ({write.stage!r}) client {write.client}'s write {write.operation} of "
            f"{write.value!r} to key {write.key!r}{of} was acknowledged; the acknowledgement {claim} {owed}, but of "
            f"the members that were asked right after it, {when}, only {had} had the value; {rule}",
            f"{call_all(sample.having)} had the value{others}",
        )


def _look(sample: _Sample, look: OperationRecord) -> None:
    sample.until_ms = max(sample.until_ms, look.end_ms)
    if look.outcome is not Outcome.OK or look.member is None:
        sample.silent += 1
    elif look.value == sample.write.value:
        sample.having.append(look.member)
    else:
        sample.without.append(look.member)


ACKNOWLEDGEMENT_MEANS_COPIES = Property(
    name="acknowledgement-means-copies",
    sentence="When a write is acknowledged, as many members hold it as the acknowledgement claims.",
    source="seed: Replication Algorithm for AP Data Structures; invariant R4; backups.17",
    severity=Severity.REDUNDANCY,
    start=_CopiesJudge,
    needs=frozenset({"operation read-replica"}),
    asked_by=Asking.AUDITS_IN_TURN,
)


CHANGES = frozenset({OperationKind.WRITE, OperationKind.ADD, OperationKind.APPEND, OperationKind.OFFER})


@dataclass(slots=True)
class _AllCopiesJudge(Judge):
    READS = frozenset({OperationRecord})
    OPERATIONS = CHANGES
    COUNTED = "{failed} of {compared:acknowledged change} came with fewer copies than promised"
    HELD = "{all} {compared:acknowledged change} came with all copies that are promised"
    UNSEEN = "no acknowledgement named its copies"

    def observe(self, record: Record) -> None:
        if not isinstance(record, OperationRecord) or record.outcome is not Outcome.OK:
            return
        if record.kind in CHANGES and record.confirmed_copies is not None:
            owed, story = self.comparisons.conditions.owed_copies(), None
            if record.confirmed_copies < owed:
                sentence = (
                    f"at {record.end_ms:,} ms ({record.stage!r}) client {record.client}'s {record.kind} "
                    f"{record.operation} of {record.value!r} to {record.key} (partition {record.partition}) was "
                    f"acknowledged{through(record.member)} with only {count(record.confirmed_copies, 'copy', 'copies')}"
                    f"; while nothing happens to its partition, an acknowledged change has to have {owed} copies, on "
                    "the primary and on every sync backup"
                )
                story = (sentence, *self.rest.history(record.partition, record.end_ms))
            self.comparisons.add(record.partition, record.start_ms, record.end_ms, story)


PROPERTIES: tuple[Property, ...] = (
    ACKNOWLEDGEMENT_MEANS_COPIES,
    Property(
        name="acknowledgement-has-all-copies",
        sentence="If nothing happened to its partition, an acknowledged change is on the primary and every sync "
        "backup.",
        source="seed: Replication Algorithm for AP Data Structures; backups.4, backups.17; invariant R4",
        severity=Severity.REDUNDANCY,
        start=_AllCopiesJudge,
        needs=frozenset(f"operation {kind}" for kind in CHANGES),
        limits=(
            Limit(ANY_CAUSE, "limits.3", anybody=CALM_ONLY),
            # A copy may be missing until anti-entropy has run; a rest between two scripts does not wait for that.
            Limit(
                Cause.PRIMARY_ENDED | Cause.DESTROYED,
                "calls.34, sync.6, limits.10: what counts from 0 again is behind its backups until a summary",
                for_good=True,
            ),
        ),
    ),
)
