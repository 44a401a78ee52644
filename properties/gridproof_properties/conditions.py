"""What a run was under: recorded causes, by partition and time.

Folds the conditions that a harness recorded (`gridproof_model.run_conditions`), comings and goings of members, and
rests. One fold a run is shown to every judge. A cause takes effect for one partition from when it is recorded until the
next rest of the grid; some last for good, and whoever asks says so.

Where a harness records no ends of copies and no changes of rows, both are read off the last table at rest: a member
that ends takes the copies with it that the table gave it, and any coming or going may move every partition.

Memory: one entry a cause, partition and rest.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Flag, auto
from math import inf

from gridproof_model.run_conditions import (
    CONDITIONS,
    AnotherCluster,
    Configured,
    ConnectionBroken,
    CopiesEnded,
    FaultBegun,
    MessageLost,
    MessageRepeated,
    RemovedAlive,
    RowChanged,
    UpdateSpoilt,
    find_condition,
)
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RowRecord, RunRecord, ViewRecord

EVERY_PARTITION = -1


class Cause(Flag):
    """What can take a promise away for a partition, while it lasts."""

    NONE = 0
    COPY_ENDED = auto()
    """A member that held a copy ended and handed nothing over."""
    PRIMARY_ENDED = auto()
    """A member that held the primary ended and handed nothing over."""
    MERGED = auto()
    """A member that held a copy ended to start anew in another cluster."""
    MOVED = auto()
    """The holders of the partition changed."""
    ARRANGED_LATE = auto()
    """The partition was arranged for the first time while clients were at work (bug-zoo HZ-19)."""
    MESSAGE_LOST = auto()
    """A message about the partition got lost."""
    MESSAGE_REPEATED = auto()
    """A message about the partition arrived twice, which no connection of the vendor's does."""
    UPDATE_SPOILT = auto()
    """An update of the partition failed where a backup applied it."""
    CONNECTION_BROKEN = auto()
    """A connection between two members broke, so that calls were sent again."""
    REMOVED_ALIVE = auto()
    """A member that lives was taken out of a list, or a second cluster was founded: of one cluster there were two."""
    FROZEN = auto()
    """The cluster state forbade promotions or migrations (reference partitioning 5.7)."""
    HELD_UP = auto()
    """Members or links were so slow, or clocks so wrong, that time-outs can end what would have succeeded."""


WORDS = {
    Cause.COPY_ENDED: "a member that held a copy ended",
    Cause.PRIMARY_ENDED: "the member that held the primary ended",
    Cause.MERGED: "a holder left its cluster for another",
    Cause.MOVED: "the partition moved",
    Cause.ARRANGED_LATE: "the partition was arranged while clients were at work",
    Cause.MESSAGE_LOST: "a message about the partition got lost",
    Cause.MESSAGE_REPEATED: "a message about the partition came twice",
    Cause.UPDATE_SPOILT: "a backup failed to apply an update",
    Cause.CONNECTION_BROKEN: "a connection between members broke",
    Cause.REMOVED_ALIVE: "a member that lives was removed from the cluster",
    Cause.FROZEN: "the cluster state was not active",
    Cause.HELD_UP: "members or links were held up",
}
"""Each cause as a clause."""


@dataclass(slots=True)
class Incident:
    """One cause on one partition between two rests."""

    cause: Cause
    first_ms: int
    last_ms: int
    until_ms: float = inf
    """The rest after which it has no effect any more; infinite while there was none."""
    count: int = 1


@dataclass(slots=True)
class Ended:
    """A copy that ended."""

    at_ms: int
    member: int


_HARMS = {"freezes": Cause.FROZEN, "trust": Cause.HELD_UP}
"""Faults that last: while one is active, its cause is on every partition."""


@dataclass(slots=True)
class RunConditions:
    """What is known so far of the conditions of one run."""

    configured: Configured | None = None
    head: RunRecord | None = None
    at_ms: int = 0
    """The time of the latest record that has one."""
    last_rest_ms: int = -1
    """When the grid was seen at rest last; -1 before."""
    groups_at_rest: int | None = None
    """Partition groups of data members at the latest rest."""
    _incidents: dict[int, list[Incident]] = field(default_factory=dict)
    """By partition, in the order in which they began; `EVERY_PARTITION` for those on all."""
    _ended: dict[int, list[Ended]] = field(default_factory=dict)
    """Copies that ended, by partition."""
    _holders: dict[int, tuple[int | None, ...]] = field(default_factory=dict)
    """The latest table at rest."""
    _reading: ViewRecord | None = None
    """The view at rest whose rows come now."""
    _told: CopiesEnded | None = None
    """What the next record of an end took along."""
    _records_rows: bool = False

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case EventRecord():
                if record.name in CONDITIONS:
                    self._condition(record)
            case RowRecord():
                if self._reading is not None and record.view == self._reading.view:
                    self._holders[record.partition] = record.slots
            case ViewRecord():
                self._view(record)
            case MemberRecord():
                self._change(record)
            case RunRecord():
                self.head = record
            case _:
                pass

    @property
    def sync_backups(self) -> int:
        """Sync backups asked for; all backups where the harness does not tell them apart."""
        if self.configured is not None:
            return self.configured.sync_backups
        return 0 if self.head is None else self.head.backup_count

    def owed_copies(self) -> int:
        """Return how many copies an acknowledgement means without any incident: one a group, as many as asked for."""
        groups = inf if self.groups_at_rest is None else max(self.groups_at_rest, 1)
        return int(min(1 + self.sync_backups, groups))

    def find(self, causes: Cause, partition: int | None, start_ms: float, end_ms: float = inf) -> Incident | None:
        """Return the first incident of these causes that was in effect on a partition within an interval.

        A partition of None stands for any of them. An incident is in effect from when it began until the grid is at
        rest again.
        """
        for incident in self._on(partition):
            if incident.cause & causes and incident.first_ms <= end_ms and incident.until_ms >= start_ms:
                return incident
        return None

    def find_ever(self, causes: Cause, partition: int | None, end_ms: float = inf) -> Incident | None:
        """Return the first incident of these causes that ever began on a partition up to a moment."""
        for incident in self._on(partition):
            if incident.cause & causes and incident.first_ms <= end_ms:
                return incident
        return None

    def copies_ended(self, partition: int | None, start_ms: float, end_ms: float = inf) -> int:
        """Return how many members ended within an interval that held a copy of a partition (None: of any)."""
        lists = self._ended.values() if partition is None else [self._ended.get(partition, [])]
        return len({one.member for ended in lists for one in ended if start_ms <= one.at_ms <= end_ms})

    def _on(self, partition: int | None) -> Iterator[Incident]:
        if partition is None:
            for incidents in self._incidents.values():
                yield from incidents
            return
        yield from self._incidents.get(EVERY_PARTITION, ())
        yield from self._incidents.get(partition, ())

    def _begin(self, cause: Cause, partition: int, at_ms: int) -> None:
        incidents = self._incidents.setdefault(partition, [])
        for incident in reversed(incidents):
            if incident.until_ms < inf:
                break
            if incident.cause is cause:
                incident.last_ms, incident.count = at_ms, incident.count + 1
                return
        incidents.append(Incident(cause, at_ms, at_ms))

    def _condition(self, record: EventRecord) -> None:
        self.at_ms = record.at_ms
        at_ms, condition = record.at_ms, find_condition(record.name, record.detail)
        match condition:
            case Configured():
                self.configured = condition
            case CopiesEnded():
                self._told = condition
            case RowChanged():
                self._records_rows = True
                if condition.why != "arranged":
                    self._begin(Cause.MOVED, condition.partition, at_ms)
                elif self.configured is not None and not self.configured.arranged:
                    self._begin(Cause.ARRANGED_LATE, condition.partition, at_ms)
            case MessageLost():
                self._begin(Cause.MESSAGE_LOST, condition.partition, at_ms)
            case MessageRepeated():
                self._begin(Cause.MESSAGE_REPEATED, condition.partition, at_ms)
            case UpdateSpoilt():
                self._begin(Cause.UPDATE_SPOILT, condition.partition, at_ms)
            case ConnectionBroken():
                self._begin(Cause.CONNECTION_BROKEN, EVERY_PARTITION, at_ms)
            case RemovedAlive() | AnotherCluster():
                self._begin(Cause.REMOVED_ALIVE, EVERY_PARTITION, at_ms)
            case FaultBegun():
                for harm in condition.harms:
                    if harm in _HARMS:
                        self._begin(_HARMS[harm], EVERY_PARTITION, at_ms)
            case _:
                pass

    def _change(self, record: MemberRecord) -> None:
        self.at_ms = record.at_ms
        if record.change is MemberChange.JOINED:
            if not self._records_rows and self.last_rest_ms >= 0:
                self._begin(Cause.MOVED, EVERY_PARTITION, record.at_ms)
            return
        told, self._told = self._told, None
        if told is None or told.member != record.member:
            told = self._ended_by_table(record)
        for partition in told.primaries:
            self._begin(Cause.PRIMARY_ENDED, partition, record.at_ms)
        for partition in (*told.primaries, *told.backups):
            self._begin(Cause.COPY_ENDED, partition, record.at_ms)
            if record.change is MemberChange.MERGED:
                self._begin(Cause.MERGED, partition, record.at_ms)
            self._ended.setdefault(partition, []).append(Ended(record.at_ms, record.member))
        if not self._records_rows:
            self._begin(Cause.MOVED, EVERY_PARTITION, record.at_ms)

    def _ended_by_table(self, record: MemberRecord) -> CopiesEnded:
        """Return what the latest table at rest gave a member; whoever left gracefully has handed it over."""
        if record.change is MemberChange.LEFT:
            return CopiesEnded(record.member, (), ())
        held = [p for p, slots in self._holders.items() if record.member in slots]
        primaries = tuple(p for p in held if self._holders[p][0] == record.member)
        return CopiesEnded(record.member, primaries, tuple(p for p in held if p not in primaries))

    def _view(self, record: ViewRecord) -> None:
        self.at_ms = record.at_ms
        self._reading = record if record.settled else None
        if not record.settled:
            return
        self.groups_at_rest = len({record.groups[member] for member in record.data_members})
        if record.at_ms > self.last_rest_ms:
            self.last_rest_ms = record.at_ms
            for incidents in self._incidents.values():
                for incident in reversed(incidents):
                    if incident.until_ms < inf:
                        break
                    incident.until_ms = record.at_ms
