"""Recorded causes of a run, by partition and time.

Gathers the conditions that a harness recorded (`gridproof_model.events.conditions`), when members joined and ended,
and when the grid was at rest. Conditions are gathered once per run, and shown to every judge. A cause affects a
partition from when it is recorded until the grid is next at rest; some causes last for good, and the limit that names
such a cause says so.

If a harness records neither the ends of copies nor changes of rows, both are inferred from the last table at rest: the
copies that this table gave a member end with the member, and any join or end may move every partition.

Memory: one entry per cause, partition and rest, and one number per operation during which something happened.
"""

from dataclasses import dataclass, field, replace
from math import inf
from typing import cast

from gridproof_model import trace
from gridproof_model.events import CONDITIONS, conditions
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import Admission, WhyRowChanged
from gridproof_model.renamed import recorded_name
from gridproof_properties.judging.causes import ANY_CAUSE, Cause
from gridproof_properties.judging.comings import Comings
from gridproof_properties.judging.holding import EndedCopies
from gridproof_properties.judging.incidents import EVERY_PARTITION, FaultSpans, Incidents
from gridproof_properties.judging.resting import Rest
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.trust import TRUST, OfTrust, Trust

_DESTROY = trace.OperationKind.DESTROY


_HARMS = {"freezes": Cause.FROZEN, "trust": Cause.HELD_UP, "delays": Cause.MESSAGE_LATE, "losses": Cause.MESSAGE_LOST}
"""Faults that last, with their causes: while such a fault is active, its cause is in effect on every partition."""
_OF_MESSAGES = {
    conditions.MessageLost: Cause.MESSAGE_LOST,
    conditions.MessageLate: Cause.MESSAGE_LATE,
    conditions.MessageForAnother: Cause.MESSAGE_FOR_ANOTHER,
    conditions.MessageRepeated: Cause.MESSAGE_REPEATED,
}


READ: frozenset[type[TraceEvent | trace.Record]] = frozenset(
    {*CONDITIONS, *TRUST, trace.OperationRecord, trace.RowRecord, trace.ViewRecord, trace.MemberRecord, trace.RunRecord}
)
"""The types of the events and records from which the conditions are read."""
READ_OF_SETTINGS: frozenset[type[TraceEvent | trace.Record]] = frozenset(
    {conditions.Configured, conditions.AuditSetup, conditions.StatedTable, conditions.StatedTimes}
    | {conditions.Admitted, conditions.HeldTo, conditions.FaultBegun, conditions.FaultEnded}
    | {trace.MemberRecord, trace.ViewRecord}
)
"""The types that say how the run was set up, what the system admits, and when faults began and ended."""


@dataclass(slots=True)
class RunConditions:
    """What is known so far of the conditions of one run."""

    configured: conditions.Configured | None = None
    unmerged: set[int] = field(default_factory=set)
    """The partitions with entries that some member brought from a split and then failed to merge."""
    setup: conditions.AuditSetup | None = None
    """How an audit set up the run; recorded instead of `configured` if the audit followed a user's configuration."""
    admits: Admission = Admission.HAZELCAST
    """The named set of weaknesses that limits what the system promises."""
    declines: frozenset[str] = frozenset()
    """Properties that the system promises to keep in spite of the admitted weaknesses."""
    admitted: list[conditions.Admitted] = field(default_factory=list)
    """The weaknesses that the system's own documents admit."""
    fault_spans: FaultSpans = field(default_factory=FaultSpans)
    """Which faults struck."""
    scene: Scene = field(default_factory=Scene)
    """The members, and which of them were alive in the latest view."""
    comings: Comings = field(init=False)
    """Which members joined and ended."""
    rest: Rest = field(init=False)
    """Whether the grid is at rest, and the table of that rest."""
    trust: Trust = field(default_factory=Trust)
    """Which members each member lists, follows and suspects, if the steps of the protocol are recorded."""
    incidents: Incidents = field(default_factory=Incidents)
    """The incidents: what happened to partitions."""
    ended: EndedCopies = field(default_factory=EndedCopies)
    """Copies that ended with their members."""
    at_ms: int = 0
    """The time of the latest record that has a time."""
    _groups: list[tuple[int, int]] = field(default_factory=list)
    """The number of partition groups, with the time of each count: groups of the data members at rest, or, before the
    first rest, of the members that were present."""
    disturbed: dict[int, int] = field(default_factory=dict)
    """For each operation during which something happened to its partition: the number of copies that its answer
    names."""
    _rest_stage: str = ""
    """The stage of the latest rest; the views of all members at that rest have this stage."""
    _seen_at_rest: set[int] = field(default_factory=set)
    """The members seen at the latest rest that have not ended since."""
    _holders: dict[int, tuple[int | None, ...]] = field(default_factory=dict)
    """For each partition, the row of the latest table at rest."""
    _changed_ms: float = inf
    """When a member first joined or ended since the latest rest; rows may have changed from then on."""
    _reading: trace.ViewRecord | None = None
    """The view at rest whose rows are being read."""
    _used: dict[str, set[int]] = field(default_factory=dict)
    """For each structure, the partitions in which one of its keys was used."""
    _destroyed: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each structure and key: when it was first and last destroyed at some member."""
    _recorded: conditions.CopiesEnded | None = None
    """The copies that were lost with a member; the next record reports the end of that member."""
    _records_rows: bool = False
    _first_members: frozenset[int] | None = None
    """The members that were alive in the first view."""
    _shows_comings: bool = False
    """Whether a difference between two views has shown that a member joined or ended."""

    def __post_init__(self) -> None:
        self.comings, self.rest = Comings(self.scene), Rest(self.scene)

    def observe(self, record: trace.Record) -> None:
        """Read the next record."""
        match record:
            case trace.OperationRecord():
                self.comings.observe(record)
                if record.partition is not None:
                    for name in conditions.structure_names(record.key):
                        self._used.setdefault(name, set()).add(record.partition)
                if record.kind is _DESTROY:
                    partition = EVERY_PARTITION if record.partition is None else record.partition
                    self.incidents.begin(Cause.DESTROYED, partition, record.start_ms)
                    self._destroy(record.key, record.start_ms, record.end_ms)
                if self.incidents.begun and record.outcome is trace.Outcome.OK:
                    self._weigh(record)
            case trace.EventRecord():
                if record.kind in CONDITIONS:
                    self._condition(record.at_ms, cast(conditions.Condition, record.event))
                elif record.kind in TRUST and record.member is not None:
                    self.trust.learn(record.member, cast(OfTrust, record.event))
            case trace.RowRecord():
                self.rest.observe(record)
                if self._reading is not None and record.view == self._reading.view:
                    self._holders[record.partition] = record.slots
            case trace.ViewRecord():
                self.scene.observe(record)
                self.comings.observe(record)
                self.rest.observe(record)
                self._compare_members(frozenset(record.members))
                self._view(record)
            case trace.MemberRecord():
                was_present = record.member in self.scene.present
                self.scene.observe(record)
                self.comings.observe(record)
                self.rest.observe(record)
                self._change(record, was_present=was_present)
            case trace.RunRecord():
                self.scene.observe(record)
            case _:
                pass

    @property
    def is_untouched(self) -> bool:
        """Whether nothing happened to any partition, no copy ended, and no member has moved to another cluster so
        far."""
        return not (self.incidents.begun or self._destroyed) and self.ended.is_empty

    @property
    def lacks_comings(self) -> bool:
        """Whether members joined or ended and no record says which members and when."""
        return self._shows_comings and not self.scene.names

    @property
    def knows_nobody(self) -> bool:
        """Whether no record has named the members so far; then it is unknown what happened to them."""
        return not self.scene.names and self.scene.view is None

    @property
    def sync_backups(self) -> int:
        """The number of sync backups that the run asks for; all backups if the harness does not distinguish them."""
        recorded = self.configured or self.setup
        return self.scene.copies - 1 if recorded is None else recorded.sync_backups

    @property
    def async_backups(self) -> int:
        """The number of async backups that the run asks for; 0 if the harness does not distinguish them."""
        recorded = self.configured or self.setup
        return 0 if recorded is None else recorded.async_backups

    @property
    def grouped(self) -> bool:
        """Whether several members may share a partition group, as far as the harness says."""
        recorded = self.configured or self.setup
        return recorded is not None and recorded.grouped

    def owed_copies(self, backups: int | None = None, at_ms: float = inf) -> int:
        """Return how many copies an acknowledgement stands for if nothing has happened: one per group, up to the number
        asked for.

        `backups` is the number of backups of the structure, if the structure has a number of its own. The groups are
        counted at the latest rest up to `at_ms`, or, before the first rest, among the members that were present.
        """
        copies = 1 + (self.sync_backups if backups is None else backups)
        for since_ms, groups in reversed(self._groups):
            if since_ms <= at_ms:
                return min(copies, max(groups, 1))
        return copies

    def _weigh(self, operation: trace.OperationRecord) -> None:
        """Keep the number of copies that an answer names if something happened to the partition while the operation was
        under way."""
        if self.incidents.find(ANY_CAUSE, operation.partition, operation.start_ms, operation.end_ms) is not None:
            self.disturbed[operation.operation] = operation.confirmed_copies or 1

    def was_destroyed(self, key: str, start_ms: float, end_ms: float) -> bool:
        """Whether some member destroyed the structure of a key while an operation ran or after it."""
        if not self._destroyed:
            return False
        times = [self._destroyed[name] for name in conditions.structure_names(key) if name in self._destroyed]
        return any(first_ms <= end_ms and start_ms <= last_ms for first_ms, last_ms in times)

    def _forget(self, name: str, at_ms: int) -> None:
        """Note that a member forgot a structure with this name."""
        for partition in sorted(self._used.get(name, ())):
            self.incidents.begin(Cause.DESTROYED, partition, at_ms)
        self._destroy(name, at_ms, at_ms)

    def _destroy(self, name: str, first_ms: int, last_ms: int) -> None:
        before = self._destroyed.get(name, (first_ms, last_ms))
        self._destroyed[name] = min(before[0], first_ms), max(before[1], last_ms)

    def _condition(self, at_ms: int, condition: conditions.Condition) -> None:
        self.at_ms = at_ms
        match condition:
            case conditions.Configured():
                self.configured = condition
            case conditions.AuditSetup():
                self.setup = condition
            case conditions.CopiesEnded():
                self._recorded = condition
            case conditions.RowChanged():
                self._records_rows = True
                self.ended.row_changed(at_ms, condition)
                if condition.why is not WhyRowChanged.ARRANGED:
                    self.incidents.begin(Cause.MOVED, condition.partition, at_ms)
                elif self.configured is not None and not self.configured.arranged:
                    self.incidents.begin(Cause.ARRANGED_LATE, condition.partition, at_ms)
            case conditions.StructureForgotten():
                self._forget(condition.structure.partition(":")[2], at_ms)
            case conditions.EntriesNotMerged():
                self.unmerged.add(condition.partition)
            case conditions.UpdateSpoilt():
                self.incidents.begin(Cause.UPDATE_SPOILT, condition.partition, at_ms)
            case conditions.ConnectionBroken():
                self.incidents.begin(Cause.CONNECTION_BROKEN, EVERY_PARTITION, at_ms)
            case conditions.RemovedAlive() | conditions.AnotherCluster():
                self.ended.fall_apart(at_ms, condition if isinstance(condition, conditions.RemovedAlive) else None)
                self.incidents.begin(Cause.REMOVED_ALIVE, EVERY_PARTITION, at_ms)
            case conditions.RemovedEnded():
                self.incidents.count_leaver(at_ms)
            case conditions.FaultBegun():
                self.rest.disturb()
                self.fault_spans.begin(at_ms, condition)
                for harm in condition.harms:
                    if harm in _HARMS:
                        self.incidents.begin(_HARMS[harm], EVERY_PARTITION, at_ms)
            case conditions.FaultEnded():
                self.fault_spans.heal(at_ms, condition)
            case conditions.StatedTimes():
                self.fault_spans.restored_within_ms = condition.restored_within_ms
            case conditions.StatedTable():
                if self.scene.view is None:  # the record stands behind the head of the run
                    self.scene.stated = condition
            case conditions.Admitted():
                takes = tuple(map(recorded_name, condition.takes))
                self.admitted.append(replace(condition, takes=takes))
            case conditions.HeldTo():
                self.admits, self.declines = condition.admits, frozenset(map(recorded_name, condition.declines))
            case _:  # a message that names no partition counts for every one
                place = EVERY_PARTITION if condition.partition == conditions.NO_PARTITION else condition.partition
                self.incidents.begin(_OF_MESSAGES[type(condition)], place, at_ms)

    def _compare_members(self, members: frozenset[int]) -> None:
        if self._first_members is None:
            self._first_members = members
        self._shows_comings |= members != self._first_members

    def _change(self, record: trace.MemberRecord, *, was_present: bool) -> None:
        self.at_ms = record.at_ms
        self._changed_ms = min(self._changed_ms, record.at_ms)
        if record.change is trace.MemberChange.JOINED:
            self._count_groups(record.at_ms)
            if not self._records_rows and self.incidents.last_rest_ms >= 0:
                self.incidents.begin(Cause.MOVED, EVERY_PARTITION, record.at_ms)
            return
        self.fault_spans.end(record)
        if record.member in self._seen_at_rest:
            self._seen_at_rest.discard(record.member)
            if not self._seen_at_rest:
                self.incidents.begin(Cause.TABLE_ENDED, EVERY_PARTITION, record.at_ms)
        recorded, self._recorded = self._recorded, None
        if recorded is None or recorded.member != record.member:
            recorded = self._ended_by_table(record)
        elif record.change is trace.MemberChange.LEFT and self._hands_over(recorded):
            recorded = conditions.CopiesEnded(record.member, (), ())
        for partition in recorded.primaries:
            self.incidents.begin(Cause.PRIMARY_ENDED, partition, record.at_ms)
        held = (*recorded.primaries, *recorded.backups)
        for partition in held:
            self.incidents.begin(Cause.COPY_ENDED, partition, record.at_ms)
            if record.change is trace.MemberChange.MERGED:
                self.incidents.begin(Cause.MERGED, partition, record.at_ms)
        self.ended.end(record, held)
        self._count_leaver(record, was_present=was_present)
        if not self._records_rows:
            self.incidents.begin(Cause.MOVED, EVERY_PARTITION, record.at_ms)

    def _count_leaver(self, record: trace.MemberRecord, *, was_present: bool) -> None:
        """Count a member that left gracefully as an ended copy if fewer groups stay than there should be copies."""
        groups, owed = self.scene.group_count, 1 + self.sync_backups
        if record.change is trace.MemberChange.LEFT and was_present and groups < owed + self.async_backups:
            self.ended.end_over(record, 0 if groups < owed else groups)
        self._count_groups(record.at_ms)

    def _count_groups(self, at_ms: int) -> None:
        """Count the groups before the first rest; no partition is known to have more copies than there are groups."""
        if self.incidents.last_rest_ms < 0:
            self._groups.append((at_ms, self.scene.group_count))

    def _hands_over(self, leaver: conditions.CopiesEnded) -> bool:
        """Whether a member that left gracefully had to hand its copies to the members that stay (leaving.9).

        A leaver need not hand its copies over in five cases: it has waited as long as it may; migrations are forbidden;
        its cluster has several masters; there is no table yet; or none of the data members that it lists stays.
        """
        has_waited = self.configured is not None and leaver.waited_ms >= self.configured.leave_wait_ms
        stays = leaver.could_hand_over and bool(self.scene.present)
        cause = self.incidents.find(Cause.FROZEN | Cause.REMOVED_ALIVE | Cause.ARRANGED_LATE, None, self.at_ms)
        return not has_waited and cause is None and stays

    def _ended_by_table(self, record: trace.MemberRecord) -> conditions.CopiesEnded:
        """Return the copies that the latest table at rest gave a member; a member that left gracefully has handed them
        over.

        A member may have held any partition if there is no table, or if rows or members have changed since that table:
        a new table is then in the making. If several members end at the same moment, each of them held the copies that
        the table gives it.
        """
        if record.change is trace.MemberChange.LEFT or record.lite:
            return conditions.CopiesEnded(record.member, (), ())
        if not self._holders or self._records_rows or self._changed_ms < record.at_ms:
            return conditions.CopiesEnded(record.member, (EVERY_PARTITION,), ())
        held = [p for p, slots in self._holders.items() if record.member in slots]
        primaries = tuple(p for p in held if self._holders[p][0] == record.member)
        return conditions.CopiesEnded(record.member, primaries, tuple(p for p in held if p not in primaries))

    def _view(self, record: trace.ViewRecord) -> None:
        self.at_ms = record.at_ms
        self._reading = record if record.settled else None
        if not record.settled:
            return
        groups = self.scene.sharing_groups
        if not self._groups or self._groups[-1][1] != groups:
            self._groups.append((record.at_ms, groups))
        self._seen_at_rest, self._changed_ms = set(record.members), inf
        if record.at_ms > self.incidents.last_rest_ms or record.stage != self._rest_stage:
            self._rest_stage = record.stage
            self.ended.rest(record.at_ms, groups)
            self.incidents.rest(record.at_ms)
            self.fault_spans.rest(record.at_ms)
