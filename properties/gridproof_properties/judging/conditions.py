"""Recorded causes of a run, by partition and time.

Folds the conditions that a harness recorded (`gridproof_model.events.conditions`), comings and goings of members, and
rests. One fold a run is shown to every judge. A cause takes effect for one partition from when it is recorded until the
next rest of the grid; some last for good, and whoever asks says so.

Where a harness records no ends of copies and no changes of rows, both are read off the last table at rest: a member
that ends takes the copies with it that the table gave it, and any coming or going may move every partition.

Memory: one entry a cause, partition and rest, and a number for each operation that something befell.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import inf

from gridproof_model.events import CONDITIONS
from gridproof_model.events.conditions import (
    NO_PARTITION,
    AnotherCluster,
    AuditSetup,
    Configured,
    ConnectionBroken,
    CopiesEnded,
    EntriesNotMerged,
    FaultBegun,
    MessageForAnother,
    MessageLate,
    MessageLost,
    MessageRepeated,
    RemovedAlive,
    RemovedEnded,
    RowChanged,
    StructureForgotten,
    UpdateSpoilt,
    structure_names,
)
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.comings import Comings
from gridproof_properties.judging.holding import EndedCopy, SeenRow
from gridproof_properties.judging.partings import Partings
from gridproof_properties.judging.resting import Rest

EVERY_PARTITION = -1
_DESTROY = OperationKind.DESTROY


@dataclass(slots=True)
class Incident:
    """One cause on one partition between two rests."""

    cause: Cause
    first_ms: int
    last_ms: int
    bits: int
    """The value of the cause, to be looked for quickly."""
    until_ms: float = inf
    """The rest after which it has no effect any more; infinite while there was none."""
    count: int = 1


_HARMS = {"freezes": Cause.FROZEN, "trust": Cause.HELD_UP}
"""Faults that last: while one is active, its cause is on every partition."""


@dataclass(slots=True)
class RunConditions:
    """What is known so far of the conditions of one run."""

    configured: Configured | None = None
    unmerged: set[int] = field(default_factory=set)
    """Partitions of which somebody gave up to merge what it had taken along."""
    setup: AuditSetup | None = None
    """What an audit says instead, where a user's configuration was followed."""
    head: RunRecord | None = None
    comings: Comings = field(default_factory=Comings)
    """Who came and went."""
    rest: Rest = field(default_factory=Rest)
    """Whether the grid rests, and by which table."""
    at_ms: int = 0
    """The time of the latest record that has one."""
    last_rest_ms: int = -1
    """When the grid was seen at rest last; -1 before."""
    _groups: list[tuple[int, int]] = field(default_factory=list)
    """Partition groups of data members at rest, and until the first rest of those there: since when how many."""
    begun: int = 0
    """The bits of all causes of incidents so far."""
    _incidents: dict[int, list[Incident]] = field(default_factory=dict)
    """By partition, in the order in which they began; `EVERY_PARTITION` for those on all."""
    disturbed: dict[int, int] = field(default_factory=dict)
    """Copies that answers name, by operation: of those under way while something befell their partition."""
    rests: int = 0
    """How often it was seen at rest."""
    _rested: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By number: when the grid was seen at rest, and how many partition groups there were."""
    _ended: dict[int, list[EndedCopy]] = field(default_factory=dict)
    """Copies that ended, by partition."""
    _rows: dict[int, list[SeenRow]] = field(default_factory=dict)
    """Rows since the latest rest, and the last before it, by partition."""
    _merged: dict[int, int] = field(default_factory=dict)
    """Members that left their cluster for another, and after how many rests."""
    _ended_in_split: dict[int, int] = field(default_factory=dict)
    """Members that ended while the cluster was apart, and after how many rests."""
    _rest_stage: str = ""
    """The stage of the latest rest: every member is looked at in it."""
    _split_ms: float = inf
    """When the cluster first fell apart since the latest rest."""
    _partings: Partings = field(default_factory=Partings)
    _seen_at_rest: set[int] = field(default_factory=set)
    """Members of the latest rest that have not ended."""
    _open: set[int] = field(default_factory=set)
    """Partitions with an incident since the latest rest."""
    _holders: dict[int, tuple[int | None, ...]] = field(default_factory=dict)
    """The latest table at rest."""
    _reading: ViewRecord | None = None
    """The view at rest whose rows come now."""
    _used: dict[str, set[int]] = field(default_factory=dict)
    """The partitions in which somebody asked for a key of a structure."""
    _destroyed: dict[str, tuple[int, int]] = field(default_factory=dict)
    """When a structure, or a key of it, was first and last destroyed at some member."""
    _recorded: CopiesEnded | None = None
    """What the next record of an end took along."""
    _records_rows: bool = False

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case OperationRecord():
                self.comings.observe(record)
                if record.partition is not None:
                    for name in structure_names(record.key):
                        self._used.setdefault(name, set()).add(record.partition)
                if record.kind is _DESTROY:
                    partition = EVERY_PARTITION if record.partition is None else record.partition
                    self._begin(Cause.DESTROYED, partition, record.start_ms)
                    self._destroy(record.key, record.start_ms, record.end_ms)
                if self._incidents and record.outcome is Outcome.OK:
                    self._weigh(record)
            case EventRecord():
                if type(record.event) in CONDITIONS:
                    self._condition(record)
            case RowRecord():
                self.rest.observe(record)
                if self._reading is not None and record.view == self._reading.view:
                    self._holders[record.partition] = record.slots
            case ViewRecord():
                self.comings.observe(record)
                self.rest.observe(record)
                self._view(record)
            case MemberRecord():
                was_present = record.member in self.rest.scene.present
                self.comings.observe(record)
                self.rest.observe(record)
                self._change(record, was_present=was_present)
            case RunRecord():
                self.comings.observe(record)
                self.rest.observe(record)
                self.head = record
            case _:
                pass

    @property
    def is_untouched(self) -> bool:
        """Whether nothing befell any partition, no copy ended, and nobody went over to another cluster, so far."""
        return not (self._incidents or self._ended or self._destroyed or self._merged or self._ended_in_split)

    @property
    def sync_backups(self) -> int:
        """Sync backups asked for; all backups where the harness does not distinguish them."""
        recorded = self.configured or self.setup
        return recorded.sync_backups if recorded is not None else 0 if self.head is None else self.head.backup_count

    @property
    def async_backups(self) -> int:
        """Async backups asked for; none where the harness does not distinguish them."""
        recorded = self.configured or self.setup
        return 0 if recorded is None else recorded.async_backups

    @property
    def grouped(self) -> bool:
        """Whether several members may share a partition group, as far as the harness says."""
        recorded = self.configured or self.setup
        return recorded is not None and recorded.grouped

    def owed_copies(self, backups: int | None = None, at_ms: float = inf) -> int:
        """Return how many copies an acknowledgement means without any incident: one a group, as many as asked for.

        `backups` are those of the structure, where they are not those that the run asked for. Groups are those of the
        latest rest up to a moment, and before the first one those of the members that were there.
        """
        copies = 1 + (self.sync_backups if backups is None else backups)
        for since_ms, groups in reversed(self._groups):
            if since_ms <= at_ms:
                return min(copies, max(groups, 1))
        return copies

    def find(self, causes: Cause, partition: int | None, start_ms: float, end_ms: float = inf) -> Incident | None:
        """Return the first incident of these causes that was in effect on a partition within an interval.

        A partition of None stands for any of them. An incident is in effect from when it began until the grid is at
        rest again.
        """
        bits = causes.value if self.begun else 0
        for incident in self._on(partition) if bits & self.begun else ():
            if incident.bits & bits and incident.first_ms <= end_ms and incident.until_ms >= start_ms:
                return incident
        return None

    def find_ever(self, causes: Cause, partition: int | None, end_ms: float = inf) -> Incident | None:
        """Return the first incident of these causes that ever began on a partition up to a moment."""
        bits = causes.value
        for incident in self._on(partition):
            if incident.bits & bits and incident.first_ms <= end_ms:
                return incident
        return None

    def _weigh(self, operation: OperationRecord) -> None:
        """Keep what an answer says of its copies, where something befell the partition while it was under way."""
        if self.find(ANY_CAUSE, operation.partition, operation.start_ms, operation.end_ms) is not None:
            self.disturbed[operation.operation] = operation.confirmed_copies or 1

    def is_calm(self, partition: int | None) -> bool:
        """Whether nothing has happened to a partition since the grid was last at rest."""
        if not self._open:
            return True
        return partition is not None and partition not in self._open and EVERY_PARTITION not in self._open

    def are_lost(self, copies: int, partition: int | None, start_ms: float, end_ms: float) -> bool:
        """Whether so many copies, made at the start of an interval, may all have ended within it.

        A rest makes those again that ended before it, and after it there are no more than one a group. A partition of
        None stands for any of them.
        """
        if not self._ended:
            return False
        partitions = list(self._ended) if partition is None else [partition]
        for one in partitions:
            for rest, members in self._ended_by_rest(copies, one, start_ms, end_ms).items():
                began_ms, groups = self._rested.get(rest, (-1, copies))
                if len(members) >= (min(copies, max(groups, 1)) if began_ms >= start_ms else copies):
                    return True
        return False

    def _ended_by_rest(self, copies: int, partition: int, start_ms: float, end_ms: float) -> Mapping[int, set[int]]:
        """Return the members that ended within an interval with one of so many copies, by how many rests there were."""
        by_rest: dict[int, set[int]] = {}
        for one in (*self._ended.get(EVERY_PARTITION, ()), *self._ended.get(partition, ())):
            if start_ms <= one.at_ms <= end_ms and one.over < copies and self._counts(partition, one):
                by_rest.setdefault(one.rest, set()).add(one.member)
        return by_rest

    def was_destroyed(self, key: str, start_ms: float, end_ms: float) -> bool:
        """Whether the structure that a key belongs to was destroyed at some member, after or while an operation ran."""
        if not self._destroyed:
            return False
        times = [self._destroyed[name] for name in structure_names(key) if name in self._destroyed]
        return any(first_ms <= end_ms and start_ms <= last_ms for first_ms, last_ms in times)

    def _forget(self, name: str, at_ms: int) -> None:
        """Note that a member forgot a structure, by its name."""
        for partition in sorted(self._used.get(name, ())):
            self._begin(Cause.DESTROYED, partition, at_ms)
        self._destroy(name, at_ms, at_ms)

    def _destroy(self, name: str, first_ms: int, last_ms: int) -> None:
        before = self._destroyed.get(name, (first_ms, last_ms))
        self._destroyed[name] = min(before[0], first_ms), max(before[1], last_ms)

    def has_merged(self, member: int | None) -> bool:
        """Whether a member has left its cluster for another, or may have had to: it ended while others did."""
        if member is None:
            return False
        rest = self._ended_in_split.get(member)
        return member in self._merged or (rest is not None and rest in self._merged.values())

    def _counts(self, partition: int, ended: EndedCopy) -> bool:
        """Whether a copy that ended was one of the cluster that stayed.

        A half of a split gives itself copies of every partition, and takes them along when it merges: what the other
        half holds does not suffer. A row counts that was reported by a member that stayed, or before its reporter
        parted from those. Who left gracefully has handed its copies over to its half.
        """
        if ended.rest != self.rests or partition not in self._rows:
            return True
        merged = {member for member, rest in self._merged.items() if rest == self.rests}
        if ended.member not in merged:
            return not ended.is_given or self._parted_ms(ended.member) < inf
        return any(
            ended.member in row.holders
            for row in self._rows[partition]
            if row.by not in merged or row.at_ms < self._parted_ms(row.by, self._split_ms)
        )

    def _parted_ms(self, member: int, otherwise: float = inf) -> float:
        """Return when a member parted from one that is still there and has not merged; `otherwise` if it never did."""
        away = {
            other for gone in (self._merged, self._ended_in_split) for other, rest in gone.items() if rest == self.rests
        }
        return self._partings.between(member, away, otherwise)

    def _on(self, partition: int | None) -> Iterable[Incident]:
        if partition is None:
            return chain.from_iterable(self._incidents.values())
        return chain(self._incidents.get(EVERY_PARTITION, ()), self._incidents.get(partition, ()))

    def _begin(self, cause: Cause, partition: int, at_ms: int) -> None:
        incidents = self._incidents.setdefault(partition, [])
        for incident in reversed(incidents):
            if incident.first_ms <= self.last_rest_ms:
                break
            if incident.cause is cause and incident.until_ms == inf:
                incident.last_ms, incident.count = at_ms, incident.count + 1
                return
        incidents.append(Incident(cause, at_ms, at_ms, cause.value))
        self.begun |= cause.value
        self._open.add(partition)

    def _begin_message(self, cause: Cause, partition: int, at_ms: int) -> None:
        """Begin what befell a message; one about no one partition is about every one."""
        self._begin(cause, EVERY_PARTITION if partition == NO_PARTITION else partition, at_ms)

    def _condition(self, record: EventRecord) -> None:
        self.at_ms = record.at_ms
        at_ms, condition = record.at_ms, record.event
        match condition:
            case Configured():
                self.configured = condition
            case AuditSetup():
                self.setup = condition
            case CopiesEnded():
                self._recorded = condition
            case RowChanged():
                self._records_rows = True
                row = SeenRow(at_ms, condition.by, condition.holders, self.rests)
                self._rows.setdefault(condition.partition, []).append(row)
                if condition.why != "arranged":
                    self._begin(Cause.MOVED, condition.partition, at_ms)
                elif self.configured is not None and not self.configured.arranged:
                    self._begin(Cause.ARRANGED_LATE, condition.partition, at_ms)
            case StructureForgotten():
                self._forget(condition.structure.partition(":")[2], at_ms)
            case EntriesNotMerged():
                self.unmerged.add(condition.partition)
            case MessageLost():
                self._begin_message(Cause.MESSAGE_LOST, condition.partition, at_ms)
            case MessageLate():
                self._begin_message(Cause.MESSAGE_LATE, condition.partition, at_ms)
            case MessageForAnother():
                self._begin_message(Cause.MESSAGE_FOR_ANOTHER, condition.partition, at_ms)
            case MessageRepeated():
                self._begin_message(Cause.MESSAGE_REPEATED, condition.partition, at_ms)
            case UpdateSpoilt():
                self._begin(Cause.UPDATE_SPOILT, condition.partition, at_ms)
            case ConnectionBroken():
                self._begin(Cause.CONNECTION_BROKEN, EVERY_PARTITION, at_ms)
            case RemovedAlive() | AnotherCluster():
                if isinstance(condition, RemovedAlive):
                    self._partings.observe(at_ms, condition)
                self._split_ms = min(self._split_ms, at_ms)
                self._begin(Cause.REMOVED_ALIVE, EVERY_PARTITION, at_ms)
            case RemovedEnded():
                incident = Incident(Cause.LEAVER_COUNTED, at_ms, at_ms, Cause.LEAVER_COUNTED.value, at_ms)
                self._incidents.setdefault(EVERY_PARTITION, []).append(incident)
                self.begun |= incident.bits
            case FaultBegun():
                self.rest.disturb()
                for harm in condition.harms:
                    if harm in _HARMS:
                        self._begin(_HARMS[harm], EVERY_PARTITION, at_ms)
            case _:
                pass

    def _change(self, record: MemberRecord, *, was_present: bool) -> None:
        self.at_ms = record.at_ms
        if record.change is MemberChange.JOINED:
            self._count_groups(record.at_ms)
            if not self._records_rows and self.last_rest_ms >= 0:
                self._begin(Cause.MOVED, EVERY_PARTITION, record.at_ms)
            return
        if record.member in self._seen_at_rest:
            self._seen_at_rest.discard(record.member)
            if not self._seen_at_rest:
                self._begin(Cause.TABLE_ENDED, EVERY_PARTITION, record.at_ms)
        recorded, self._recorded = self._recorded, None
        if recorded is None or recorded.member != record.member:
            recorded = self._ended_by_table(record)
        elif record.change is MemberChange.LEFT and self._hands_over(recorded):
            recorded = CopiesEnded(record.member, (), ())
        for partition in recorded.primaries:
            self._begin(Cause.PRIMARY_ENDED, partition, record.at_ms)
        held = (*recorded.primaries, *recorded.backups)
        for partition in held:
            self._begin(Cause.COPY_ENDED, partition, record.at_ms)
            if record.change is MemberChange.MERGED:
                self._begin(Cause.MERGED, partition, record.at_ms)
        given = self._given_to_its_half(record, held)
        for partition in (*held, *given):
            ended = EndedCopy(record.at_ms, record.member, self.rests, partition in given)
            self._ended.setdefault(partition, []).append(ended)
        self._count_leaver(record, was_present=was_present)
        if record.change is MemberChange.MERGED:
            self._merged[record.member] = self.rests
        elif self._split_ms < inf:
            self._ended_in_split[record.member] = self.rests
        if not self._records_rows:
            self._begin(Cause.MOVED, EVERY_PARTITION, record.at_ms)

    def _given_to_its_half(self, record: MemberRecord, held: Sequence[int]) -> list[int]:
        """Return the partitions whose copies a member had before a split, and gave to others of its half since."""
        if self._split_ms == inf or record.change is MemberChange.CRASHED:
            return []
        parted_ms = self._parted_ms(record.member, self._split_ms)
        given: list[int] = []
        for partition, rows in self._rows.items():
            before = [row for row in rows if row.at_ms < self._split_ms and record.change is MemberChange.MERGED]
            last = [row for row in rows if row.at_ms < parted_ms][-1:]
            if partition not in held and any(record.member in row.holders for row in (*before, *last)):
                given.append(partition)
        return given

    def _count_leaver(self, record: MemberRecord, *, was_present: bool) -> None:
        """Count a member that left gracefully as an ended copy where too few groups stay for as many copies."""
        groups, owed = self.rest.scene.group_count, 1 + self.sync_backups
        if record.change is MemberChange.LEFT and was_present and groups < owed + self.async_backups:
            ended = EndedCopy(record.at_ms, record.member, self.rests, over=0 if groups < owed else groups)
            self._ended.setdefault(EVERY_PARTITION, []).append(ended)
        self._count_groups(record.at_ms)

    def _count_groups(self, at_ms: int) -> None:
        """Until the first rest nobody knows of more copies than there are groups."""
        if self.last_rest_ms < 0:
            self._groups.append((at_ms, self.rest.scene.group_count))

    def _hands_over(self, leaver: CopiesEnded) -> bool:
        """Whether a member that left gracefully owes what it held to those that stay (reference partitioning 5.5).

        It owes nothing once it has waited its longest, while migrations are forbidden, in a cluster of several masters,
        before any table is there, or where no data member stays that it lists.
        """
        has_waited = self.configured is not None and leaver.waited_ms >= self.configured.leave_wait_ms
        stays = leaver.could_hand_over and bool(self.rest.scene.present)
        is_excused = self.find(Cause.FROZEN | Cause.REMOVED_ALIVE | Cause.ARRANGED_LATE, None, self.at_ms) is not None
        return not has_waited and not is_excused and stays

    def _ended_by_table(self, record: MemberRecord) -> CopiesEnded:
        """Return what the latest table at rest gave a member; whoever left gracefully has handed it over.

        Without a table a member may have held anything.
        """
        if record.change is MemberChange.LEFT or record.lite:
            return CopiesEnded(record.member, (), ())
        if not self._holders:
            return CopiesEnded(record.member, (EVERY_PARTITION,), ())
        held = [p for p, slots in self._holders.items() if record.member in slots]
        primaries = tuple(p for p in held if self._holders[p][0] == record.member)
        return CopiesEnded(record.member, primaries, tuple(p for p in held if p not in primaries))

    def _view(self, record: ViewRecord) -> None:
        self.at_ms = record.at_ms
        self._reading = record if record.settled else None
        if not record.settled:
            return
        groups = len({record.groups[member] for member in record.data_members})
        if not self._groups or self._groups[-1][1] != groups:
            self._groups.append((record.at_ms, groups))
        self._seen_at_rest = set(record.members)
        if record.at_ms > self.last_rest_ms or record.stage != self._rest_stage:
            self.last_rest_ms, self._rest_stage = record.at_ms, record.stage
            for partition, ended in self._ended.items():
                if partition != EVERY_PARTITION:
                    ended[:] = [one for one in ended if self._counts(partition, one)]
            self.rests += 1
            self._rested[self.rests] = record.at_ms, groups
            self._open.clear()
            self._split_ms = inf
            self._partings.forget()
            for rows in self._rows.values():
                del rows[:-1]
            for incidents in self._incidents.values():
                for incident in reversed(incidents):
                    if incident.until_ms < inf and incident.cause is not Cause.LEAVER_COUNTED:
                        break
                    incident.until_ms = min(incident.until_ms, record.at_ms)
