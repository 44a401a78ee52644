"""What must be so for tables while clients are at work, and not only at rest.

In a live run every member is asked for its table again and again; a changed table is a view not at rest, and that a
table is unchanged is recorded, too. Only runs that were polled are judged. In every row seen, the copies have to be in
different groups. A row never loses the copy of a living member, unless as many copies as planned are left, or the
member is leaving. And no two members that answer show themselves as the primary of one partition. Two such members
count only if both are seen as primaries again after the second began to show itself as one: one of them may learn of a
change before the other, and then the other has stopped by the next look.

Memory: a row per member, and the partitions with two primaries.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import TableShownAgain, TablesPolled
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RowRecord, ViewRecord
from gridproof_properties.judging.guarantee import unseen
from gridproof_properties.judging.judge import Asking, Finding, Judge, Property, Severity, met
from gridproof_properties.judging.scene import TABLE_RECORDS, Scene
from gridproof_properties.judging.shares import NO_GROUP, group_of, separation_is_owed
from gridproof_properties.judging.survival import TWO_CLUSTERS

LEAVING = "a member that asked to leave gave its copy up", "leaving.4"


@dataclass(slots=True)
class _PolledJudge(Judge):
    """Gives no verdict on a run in which no table was looked at while clients were at work."""

    READS = frozenset({RowRecord})
    WATCHED = kinds_of(TablesPolled)
    is_polled: bool = False

    @property
    def scene(self) -> Scene:
        return self.comparisons.scene

    def observe(self, record: Record) -> None:
        if isinstance(record, EventRecord) and isinstance(record.event, TablesPolled):
            self.is_polled = True

    def conclude(self) -> Finding:
        if not self.is_polled:
            return unseen("no table was looked at while clients were at work")
        return Judge.conclude(self)


@dataclass(slots=True)
class _GroupsJudge(_PolledJudge):
    COUNTED = "{failed} of {compared:polled row} had two copies in one group, or a copy in no group"
    UNSEEN = "no polled row had two copies and had to keep them in different groups"

    def observe(self, record: Record) -> None:
        if not isinstance(record, RowRecord):
            _PolledJudge.observe(self, record)
            return
        view = self.scene.view
        if view is None or view.settled:
            return
        owners = [one for one in record.slots if one is not None and one in self.scene.owners]
        by_weight, weights = self.scene.stated.by_weight, self.scene.weights
        is_owed = separation_is_owed(self.scene.groups, weights, self.scene.copies, by_weight=by_weight)
        if len(owners) < 2 or not is_owed:
            return
        groups = [group_of(view, one) for one in owners]
        shared = next((name for name in groups if groups.count(name) > 1 or name == NO_GROUP), None)
        story = None
        if shared is not None:
            found = [one for one, name in zip(owners, groups, strict=True) if name == shared]
            of = f"in group {shared!r}; no two copies of a partition may be in one group"
            of = "in no partition group; such a member may hold no copy" if shared == NO_GROUP else of
            be = "is" if len(found) == 1 else "are"
            story = (f"{self.scene.describe_row(record)}, where {self.scene.call_all(found)} {be} {of}",)
        self.comparisons.add(record.partition, view.at_ms, view.at_ms, story)


@dataclass(frozen=True, slots=True)
class _Loss:
    """A row with fewer copies than the row before it, and the living members that it no longer names."""

    partition: int
    span_ms: tuple[int, int]
    dropped: frozenset[int]
    story: tuple[str, ...]


@dataclass(slots=True)
class _CopiesJudge(_PolledJudge):
    READS = frozenset({RowRecord, MemberRecord})
    COUNTED = "{failed} of {compared:change} of rows dropped a copy on a living member that was still needed"
    UNSEEN = "no member showed a row that had changed"
    _shown: dict[tuple[int, int], tuple[RowRecord, ViewRecord]] = field(default_factory=dict)
    _losses: list[_Loss] = field(default_factory=list)
    _leavers: set[int] = field(default_factory=set)
    """The members that left; that they were leaving becomes known only when they have left."""

    def observe(self, record: Record) -> None:
        if isinstance(record, RowRecord):
            view = self.scene.view
            if view is not None:
                place = view.observer, record.partition
                before, self._shown[place] = self._shown.get(place), (record, view)
                if before is not None and before[0].slots != record.slots:
                    self._compare(*before, record, view)
        elif isinstance(record, MemberRecord) and record.change is MemberChange.LEFT:
            self._leavers.add(record.member)
        else:
            _PolledJudge.observe(self, record)

    def finish(self) -> None:
        for loss in self._losses:
            also = LEAVING if loss.dropped <= self._leavers else None
            self.comparisons.add(loss.partition, *loss.span_ms, loss.story, also)

    def _compare(self, old: RowRecord, seen: ViewRecord, row: RowRecord, view: ViewRecord) -> None:
        lived = {one for one in old.slots if one is not None} & self.scene.owners
        held = {one for one in row.slots if one is not None} & self.scene.owners
        wanted = self.scene.wanted
        span_ms = seen.at_ms, view.at_ms
        if len(held) >= min(len(lived), wanted):
            self.comparisons.add(row.partition, *span_ms)
            return
        dropped = frozenset(lived - held)
        needed = f"a row may not drop a copy on a living member while fewer than {wanted} copies are left"
        were = f"member {min(dropped)} was" if len(dropped) == 1 else "these members were"
        wrong = f"{self.scene.describe_row(row)} and no longer on {self.scene.call_all(dropped)}, though {were} alive"
        story = f"{wrong}; {needed}", self.scene.describe_row(old, seen)
        self._losses.append(_Loss(row.partition, span_ms, dropped, story))


@dataclass(slots=True)
class _Claim:
    """A view in which a member shows itself as the primary of a partition."""

    row: RowRecord
    view: ViewRecord
    is_counted: bool = False


@dataclass(slots=True)
class _PrimariesJudge(_PolledJudge):
    READS = TABLE_RECORDS
    WATCHED = kinds_of(TableShownAgain | TablesPolled)
    COUNTED = "{failed} of {compared:primary/primaries} appeared while an earlier one of its partition "
    COUNTED += "still showed itself"
    UNSEEN = "no member showed itself as a primary"
    _claims: dict[int, dict[int, _Claim]] = field(default_factory=dict)
    """The claims, by partition and member."""
    _contested: set[int] = field(default_factory=set)
    _last_ms: dict[int, int] = field(default_factory=dict)
    """For each member, when it last showed its table."""

    def observe(self, record: Record) -> None:
        _PolledJudge.observe(self, record)
        match record:
            case EventRecord(at_ms=at_ms, member=int(member), event=TableShownAgain()):
                self._last_ms[member] = at_ms
                self._settle(self._contested)
            case ViewRecord():
                self._last_ms[record.observer] = record.at_ms
            case MemberRecord() if record.change is not MemberChange.JOINED:
                for partition in list(self._claims):
                    self._give_up(partition, record.member)
            case RowRecord() if self.scene.view is not None:
                self._take(record, self.scene.view)
            case _:
                pass

    def finish(self) -> None:
        for partition, claims in self._claims.items():
            for claim in claims.values():
                if partition not in self._contested:
                    self._count(partition, claim)

    def _take(self, row: RowRecord, view: ViewRecord) -> None:
        member, claims = view.observer, self._claims.setdefault(row.partition, {})
        if not row.slots or row.slots[0] != member:
            self._give_up(row.partition, member)
            return
        if member not in claims:
            claims[member] = _Claim(row, view)
        if len(claims) > 1:
            self._contested.add(row.partition)
            self._settle((row.partition,))

    def _give_up(self, partition: int, member: int) -> None:
        claims = self._claims.get(partition, {})
        claim = claims.pop(member, None)
        if claim is not None:
            self._count(partition, claim)
        if len(claims) < 2:
            self._contested.discard(partition)

    def _count(self, partition: int, claim: _Claim) -> None:
        if not claim.is_counted:
            claim.is_counted = True
            self.comparisons.add(partition, claim.view.at_ms, claim.view.at_ms)

    def _settle(self, partitions: Iterable[int]) -> None:
        """Compare the partitions that two members both claimed, and were then both seen to claim again."""
        for partition in tuple(partitions):
            claims = self._claims[partition]
            both = sorted(claims, key=lambda one: claims[one].view.at_ms)[-2:]
            older, newer = (claims[one] for one in both)
            since_ms = newer.view.at_ms
            if newer.is_counted or min(self._last_ms[one] for one in both) <= since_ms:
                continue
            newer.is_counted = True
            until_ms = min(self._last_ms[one] for one in both)
            rows = (self.scene.describe_row(one.row, one.view) for one in (older, newer))
            both_still = f"at {until_ms:,} ms {self.scene.call_all(both)} both still showed themselves as the primary "
            both_still += f"of partition {partition}, which may have only one"
            self.comparisons.add(partition, since_ms, until_ms, (both_still, *rows))


POLLED = met(TablesPolled)
PROPERTIES: tuple[Property, ...] = (
    Property(
        "groups-apart-while-moving",
        "Also while members come and go, the replicas of a partition are in different groups.",
        "seed: Partition Group Configuration; invariant A3",
        Severity.REDUNDANCY,
        _GroupsJudge,
        POLLED,
        (TWO_CLUSTERS,),
        asked_by=Asking.AUDITS,
    ),
    Property(
        "no-living-copy-dropped",
        "A row never drops a copy on a living member while fewer copies are left than planned.",
        "placement.23; invariant M2",
        Severity.REDUNDANCY,
        _CopiesJudge,
        POLLED,
        (TWO_CLUSTERS,),
        asked_by=Asking.AUDITS,
    ),
    Property(
        "one-primary-answers",
        "No two members that answer show themselves as the primary of a partition from one look to the next.",
        "migration.9; invariant M3",
        Severity.PROTOCOL,
        _PrimariesJudge,
        POLLED,
        (TWO_CLUSTERS,),
        asked_by=Asking.AUDITS,
    ),
)
