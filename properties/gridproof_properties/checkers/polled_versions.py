"""What must be so for the versions of replicas while clients are at work.

Each live member that can answer is asked again and again for the versions of its copies; these versions count updates.
Between two looks, a copy that keeps its place in the same row never goes back to fewer updates. A backup never counts
more updates than its primary has sent; the primary is asked after the backup. And each member that an acknowledgement
names as holder of a copy counts every write that was acknowledged before the member was asked. In this way backups are
judged while the grid is at work, whereas contents are compared only at rest.

Memory: the latest look at each copy, and one number for each acknowledged write.
"""

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import VersionsShown
from gridproof_model.trace import EventRecord, MemberRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Asking, Cause, Judge, Property, Severity, met
from gridproof_properties.judging.survival import TWO_CLUSTERS
from gridproof_properties.judging.words import count


@dataclass(frozen=True, slots=True)
class _Look:
    """One look at a copy, with the versions that the copy has."""

    member: int
    at_ms: int
    shown: VersionsShown

    @property
    def version(self) -> int:
        """The version for this copy's own replica index; at the primary, that for the first backup; -1 if unknown."""
        return self.version_of(self.shown.index)

    def version_of(self, index: int) -> int:
        """The version that this copy has for a given replica index."""
        versions = self.shown.versions
        return versions[min(max(index, 1), len(versions)) - 1] if versions else -1

    @property
    def place(self) -> tuple[int, int, int]:
        """The partition, replica index and row version; two looks can be compared only if all three are equal."""
        return self.shown.partition, self.shown.index, self.shown.row_version


@dataclass(slots=True)
class _VersionJudge(Judge):
    """Passes each look to the judge that inherits from this class."""

    READS = frozenset({MemberRecord})
    WATCHED = kinds_of(VersionsShown)
    UNSEEN = "no versions that can be compared were looked at while clients were at work"

    def observe(self, record: Record) -> None:
        match record:
            case EventRecord(at_ms=at_ms, member=int(member), event=VersionsShown() as shown):
                self.look(_Look(member, at_ms, shown))
            case OperationRecord():
                self.operated(record)
            case MemberRecord():
                self.changed(record.member)
            case _:
                pass

    def look(self, look: _Look) -> None:
        raise NotImplementedError

    def operated(self, record: OperationRecord) -> None:
        """Process an operation."""

    def changed(self, member: int) -> None:
        """Note that a member joined or ended."""

    def call(self, member: int) -> str:
        return self.comparisons.scene.call(member)


@dataclass(slots=True)
class _BackJudge(_VersionJudge):
    COUNTED = "{failed} of {compared:look} at a copy found fewer updates counted than the look before"
    _latest: dict[tuple[int, int], _Look] = field(default_factory=dict)
    """The latest look by member and partition."""

    def look(self, look: _Look) -> None:
        key = look.member, look.shown.partition
        before = self._latest.get(key)
        self._latest[key] = look
        if before is None or before.place != look.place or min(before.version, look.version) < 0:
            return
        went_back = look.version < before.version
        story = (
            f"at {look.at_ms:,} ms {self.call(look.member)} had counted {count(look.version, 'update')} of partition "
            f"{look.shown.partition}, though at {before.at_ms:,} ms it had counted {before.version:,}; a copy that "
            "keeps its slot in the same row may not count fewer updates than before",
        )
        span = before.shown.asked_ms, look.at_ms
        self.comparisons.add(look.shown.partition, *span, story if went_back else None)

    def changed(self, member: int) -> None:
        self._latest = {key: look for key, look in self._latest.items() if key[0] != member}


@dataclass(slots=True)
class _AheadJudge(_VersionJudge):
    COUNTED = "{failed} of {compared:look} at a backup, and then at its primary, showed the backup ahead"
    _backups: dict[int, dict[int, _Look]] = field(default_factory=lambda: defaultdict(dict))
    """For each partition and replica index, the latest look at a backup, until the partition's primary is looked at."""

    def look(self, look: _Look) -> None:
        backups = self._backups[look.shown.partition]
        if look.shown.index > 0:
            if look.version >= 0:
                backups[look.shown.index] = look
            return
        for index, backup in tuple(backups.items()):
            if backup.shown.row_version == look.shown.row_version and backup.at_ms <= look.shown.asked_ms:
                del backups[index]
                self._compare(backup, look)

    def _compare(self, backup: _Look, primary: _Look) -> None:
        sent = primary.version_of(backup.shown.index)
        if sent < 0:
            return
        story = (
            f"at {backup.at_ms:,} ms {self.call(backup.member)}, which holds backup {backup.shown.index} of partition "
            f"{backup.shown.partition}, had counted {count(backup.version, 'update')}, though the primary, "
            f"{self.call(primary.member)}, asked later, at {primary.shown.asked_ms:,} ms, had sent this backup only "
            f"{sent:,}; a backup may not count more updates than its primary has sent it",
        )
        span = backup.shown.asked_ms, primary.at_ms
        self.comparisons.add(backup.shown.partition, *span, story if backup.version > sent else None)


@dataclass(slots=True)
class _CountJudge(_VersionJudge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = frozenset({OperationKind.WRITE})
    COUNTED = "{failed} of {compared:look} at a copy found fewer updates counted than had been acknowledged"
    _ends_ms: dict[tuple[int, int], list[int]] = field(default_factory=lambda: defaultdict(list))
    """For each partition and replica index: the end times, in order, of the writes whose acknowledgements name a copy
    there."""
    _calls: dict[int, int] = field(default_factory=dict)
    """For each partition, the latest call that wrote several entries, as such a call counts as one update."""
    _full_ms: dict[tuple[int, int, int], int] = field(default_factory=dict)
    """For each member, partition and replica index: when a copy was last seen to count all updates that it should."""

    def operated(self, record: OperationRecord) -> None:
        if record.outcome is not Outcome.OK or record.partition is None:
            return
        if record.call is not None:
            if self._calls.get(record.partition) == record.call:
                return
            self._calls[record.partition] = record.call
        for index in range(record.confirmed_copies or 1):
            self._ends_ms[record.partition, index].append(record.end_ms)

    def look(self, look: _Look) -> None:
        shown = look.shown
        owed = bisect_left(self._ends_ms[shown.partition, shown.index], shown.asked_ms)
        # A version vector has one number for each backup: without backups, it does not count the primary's updates.
        counts_nothing = len(shown.versions) > 1 and self.comparisons.scene.copies == 1
        if not owed or look.version < 0 or counts_nothing:
            return
        role = f"backup {shown.index}" if shown.index else "the primary"
        story = (
            f"at {shown.asked_ms:,} ms {self.call(look.member)}, which holds {role} of partition {shown.partition}, "
            f"had counted {count(look.version, 'update')}, though {count(owed, 'write')} had been acknowledged by then "
            f"as copied to {role}; a copy has to count each write whose acknowledgement names it",
        )
        copy, is_full = (look.member, shown.partition, shown.index), look.version >= owed
        since_ms = self._full_ms.get(copy, self._ends_ms[shown.partition, shown.index][0])
        self.comparisons.add(shown.partition, since_ms, look.at_ms, None if is_full else story)
        if is_full:
            self._full_ms[copy] = shown.asked_ms


SUCCEEDED = Limit(
    Cause.PRIMARY_ENDED | Cause.TABLE_ENDED,
    "repair.9: a promoted backup goes on from its own versions, and others may be ahead of it",
)
DESTROYED = Limit(Cause.DESTROYED, "calls.34, sync.6: the versions are forgotten with their structure")
KEPT_BACK = Limit(
    Cause.PRIMARY_ENDED
    | Cause.TABLE_ENDED
    | Cause.MERGED
    | Cause.DESTROYED
    | Cause.MESSAGE_LOST
    | Cause.MESSAGE_LATE
    | Cause.UPDATE_SPOILT
    | Cause.CONNECTION_BROKEN
    | Cause.REMOVED_ALIVE
    | Cause.HELD_UP,
    "backups.19, limits.3: acknowledged without every backup, or begun anew from older versions",
    for_good=True,
)
PROPERTIES: tuple[Property, ...] = (
    Property(
        "shown-version-never-goes-back",
        "While clients are at work, a copy that keeps its slot counts no fewer updates than it did before.",
        "backups.8, backups.13",
        Severity.PROTOCOL,
        _BackJudge,
        met(VersionsShown),
        (TWO_CLUSTERS, SUCCEEDED, DESTROYED),
        asked_by=Asking.AUDITS,
    ),
    Property(
        "backup-not-ahead-of-primary",
        "While clients are at work, no backup counts more updates than its primary has sent it.",
        "backups.4, backups.8",
        Severity.PROTOCOL,
        _AheadJudge,
        met(VersionsShown),
        (TWO_CLUSTERS, SUCCEEDED, DESTROYED),
        asked_by=Asking.AUDITS,
    ),
    Property(
        "acknowledged-writes-are-counted",
        "Every copy that an acknowledgement names counts all writes that were acknowledged before it was asked.",
        "backups.17, backups.4, backups.16",
        Severity.REDUNDANCY,
        _CountJudge,
        met(VersionsShown),
        (KEPT_BACK,),
        asked_by=Asking.AUDITS,
    ),
)
