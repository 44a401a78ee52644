"""Whatever begins also ends, and ends exactly once.

The judges look at calls, migrations, leaves and merges; a member that is gone need not end any of these. The judges
need all steps in the records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.conditions import FaultBegun
from gridproof_model.events.harness import RunEnded
from gridproof_model.events.invocation import AttemptFailed, CallBegun, CallEnded, ResponseKept
from gridproof_model.events.merging import EntriesCollected, MergeEnded, OperationMerged, OperationNotMerged
from gridproof_model.events.migration import MigrationFinished, MigrationOpened, MigrationOrdered, MigrationReadied
from gridproof_model.events.partitioning import ShutdownRequested
from gridproof_model.events.replication import ReplicaKept
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Cause, Property, Severity, StepJudge
from gridproof_properties.judging.words import earlier

OfCalls = CallBegun | AttemptFailed | ResponseKept | CallEnded | EntriesCollected | RunEnded
OfMigrations = MigrationOpened | MigrationReadied | MigrationFinished | MigrationOrdered | ReplicaKept
Merging = EntriesCollected | OperationMerged | OperationNotMerged | MergeEnded
LEAVE = "leave"
"""The fault that asks a member to leave."""
RETRY_PAUSE_MS = 500
"""The longest pause between two attempts of a call (chapter calls)."""
SCAN_MS = 1_000
"""How often a caller looks for calls that have waited for too long (calls.22)."""


@dataclass(slots=True)
class _CallJudge(StepJudge):
    COUNTED = "{failed} of {compared:call} did not end exactly once"
    HELD = "{all} {compared:call} ended exactly once"
    UNSEEN = "no call ended"
    RULE = "each call has to end exactly once"
    FORGETS = ("open",)
    open: dict[tuple[int | None, int], tuple[int, int]] = field(default_factory=dict)
    """For each member and call number, when each call under way began, and for which partition."""
    failed: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """When the last attempt of a call failed, for calls under way."""
    kept: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """When a call got its response and began to wait for backups, for calls under way."""
    ended_ms: int | None = None
    last: dict[int | None, tuple[int, int, str]] = field(default_factory=dict)
    """The call that each member ended last, when, and how."""
    merging: set[int | None] = field(default_factory=set)
    """The members that have ended for a merge."""

    def look(self, record: EventRecord, event: OfCalls) -> str | None:
        match event:
            case CallBegun(invocation=number, partition=partition):
                self.open[record.member, number] = record.at_ms, partition
            case AttemptFailed(invocation=number):
                self.failed[record.member, number] = record.at_ms
            case ResponseKept(invocation=number):
                self.kept[record.member, number] = record.at_ms
            case CallEnded(invocation=number, how=how):
                self.looked += 1
                self.failed.pop((record.member, number), None)
                self.kept.pop((record.member, number), None)
                last, self.last[record.member] = self.last.get(record.member), (number, record.at_ms, how)
                if self.open.pop((record.member, number), None) is None:
                    was = "had never begun, or had ended before"
                    if last is not None and last[0] == number:
                        was = f"had already ended {earlier(last[1], record.at_ms)} as '{last[2]}'"
                    return f"call {number} of member {record.member} ended as '{how}', though it {was}"
            case EntriesCollected():
                self.merging.add(record.member)
            case RunEnded():
                self.ended_ms = record.at_ms
            case _:
                assert_never(event)
        return None

    def gone(self, member: int) -> None:
        """Compare the calls that a member left open: none, if it ended for a merge (splits.6)."""
        opened = next((call for call in self.open if call[0] == member), None)
        if opened is not None and member in self.merging:
            began_ms, partition = self.open[opened]
            called = f"call {opened[1]} of member {member} to partition {partition}, begun at {began_ms:,} ms,"
            story = f"{called} had not ended when member {member} ended for a merge; {self.RULE}"
            self.comparisons.add(partition, began_ms, self.at_ms, (story,))
        StepJudge.gone(self, member)

    def missing(self) -> str | None:
        for call, (began_ms, partition) in self.open.items():
            if not self._may_go_on(began_ms, partition, self.failed.get(call), self.kept.get(call)):
                called = f"call {call[1]} of member {call[0]} to partition {partition}, begun at {began_ms:,} ms,"
                called += (
                    f" had not ended {self.at_the_end}; at the end a call may be open only while it waits for its "
                )
                waits = "next attempt, or for a timeout after a lost message or a failed backup"
                return f"{called}{waits}; this call had none of these to wait for"
        return None

    def _may_go_on(self, began_ms: int, partition: int, failed_ms: int | None, kept_ms: int | None) -> bool:
        """Whether the run ended too soon for a call to be over, for example while a member released what a leaver had
        held."""
        ended_ms = self.at_ms if self.ended_ms is None else self.ended_ms
        conditions = self.comparisons.conditions
        configured = conditions.configured
        pause_ms = RETRY_PAUSE_MS if configured is None else configured.retry_pause_ms
        if failed_ms is not None and ended_ms - failed_ms < pause_ms:
            return True  # it waits for its next attempt
        if configured is None:
            return False
        # The caller waits until the backup timeout for a backup that failed or was not reached (calls.22, backups.14).
        unheard = conditions.incidents.find(Cause.UPDATE_SPOILT | Cause.MESSAGE_LOST, partition, began_ms)
        if kept_ms is not None and unheard is not None:
            return ended_ms - kept_ms < configured.backup_timeout_ms + SCAN_MS
        if conditions.incidents.find(Cause.MESSAGE_LOST, partition, began_ms) is None:
            return False
        # A caller gives up after one call timeout without an answer and another one without a heartbeat (calls.22).
        latest_ms = began_ms if failed_ms is None else failed_ms + pause_ms
        return ended_ms - latest_ms < 2 * configured.call_timeout_ms + SCAN_MS


@dataclass(slots=True)
class _MigrationJudge(StepJudge):
    COUNTED = "{failed} of {compared:start or end/starts and ends} of migrations came out of turn or had no counterpart"
    HELD = "{all} {compared:start or end/starts and ends} of migrations came in turn, each with its counterpart"
    UNSEEN = "no migration began or ended"
    RULE = "a member has to end, exactly once, each migration that it began, before it begins another one of that "
    RULE += "partition and before the run ends; it may not end a migration that it did not begin"
    FORGETS = ("open", "ended")
    open: dict[tuple[int | None, int], tuple[int, int]] = field(default_factory=dict)
    """For each member and partition, the migration in which the member takes part."""
    began_ms: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """For each member and partition, when the latest of these migrations began."""
    ended: dict[tuple[int | None, int], tuple[tuple[int, int], int]] = field(default_factory=dict)
    """For each member and partition, the migration that the member ended last, and when."""
    new: set[tuple[int, int]] = field(default_factory=set)
    """Migrations, by master and number, whose destination had no replica of the partition before."""
    emptied_ms: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """For each member and partition, when the member last dropped all that it held for the partition."""
    says_what_is_kept: bool = False
    """Whether the log has events that say what members keep of a partition."""

    def look(self, record: EventRecord, event: OfMigrations) -> str | None:
        if isinstance(event, ReplicaKept):
            self.says_what_is_kept = True
            if event.index < 0:
                self.emptied_ms[record.member, event.partition] = record.at_ms
            return None
        if isinstance(event, MigrationOrdered):
            if event.left_slot is None:
                self.new.add((event.master, event.number))
            return None
        self.looked += 1
        place, migration = (record.member, event.partition), (event.master, event.number)
        known = self.open.pop(place, None)
        who = (
            f"member {record.member}",
            f"migration {event.number} of partition {event.partition} (ordered by member {event.master} as master)",
        )
        match event:
            case MigrationFinished():
                last, self.ended[place] = self.ended.get(place), (migration, record.at_ms)
                if known == migration:
                    return None
                was = "had not begun it"
                if known is not None:
                    was = f"took part in migration {known[1]} (ordered by member {known[0]} as master)"
                if last is not None and last[0] == migration:
                    was = f"had already ended this migration {earlier(last[1], record.at_ms)}"
                return f"{who[0]} ended {who[1]}, though it {was}"
            case MigrationOpened() | MigrationReadied():
                self.open[place], self.began_ms[place] = migration, record.at_ms
                is_new = isinstance(event, MigrationReadied) and migration in self.new
                if is_new and self.says_what_is_kept and self.emptied_ms.get(place) != record.at_ms:
                    return f"{who[0]} began {who[1]} as a new replica, which has to be empty, but kept what it had held"
                if known is None:
                    return None
                before = f"before it had ended migration {known[1]} (ordered by member {known[0]} as master)"
                return f"{who[0]} began {who[1]} {before}"
            case _:
                assert_never(event)

    def missing(self) -> str | None:
        for (member, partition), (master, number) in self.open.items():
            called = f"migration {number} of partition {partition} (ordered by member {master} as master)"
            began = f"member {member} began {called} at {self.began_ms[member, partition]:,} ms and had not ended it"
            return f"{began} {self.at_the_end}"
        return None


@dataclass(slots=True)
class _LeaveJudge(StepJudge):
    COUNTED = "after {failed} of {compared:request} to leave the member was still there at the end"
    HELD = "after {all} {compared:request} to leave the member left"
    UNSEEN = "no member asked to leave"
    RULE = "a member that is asked to leave has to leave before the run ends"
    leaving: dict[int, int] = field(default_factory=dict)
    """For each leaver, when it was asked to leave, or itself asked for permission."""
    ended: set[int] = field(default_factory=set)

    def look(self, record: EventRecord, event: ShutdownRequested | FaultBegun) -> str | None:
        match event:
            case ShutdownRequested():
                self.looked += 1
                if record.member is not None:
                    self.leaving[record.member] = record.at_ms
            case FaultBegun(fault=fault, members=members) if fault == LEAVE:
                self.leaving |= {member: record.at_ms for member in members if member not in self.ended}
            case FaultBegun():
                pass
            case _:
                assert_never(event)
        return None

    def gone(self, member: int) -> None:
        self.ended.add(member)
        self.leaving.pop(member, None)

    def missing(self) -> str | None:
        for member, asked_ms in self.leaving.items():
            return f"member {member}, asked to leave at {asked_ms:,} ms, had not left {self.at_the_end}"
        return None


@dataclass(slots=True)
class _MergeJudge(StepJudge):
    COUNTED = "{failed} of {compared:merge} into another cluster did not end with every operation merged or lost"
    HELD = "{all} {compared:merge} into another cluster ended with every operation merged or lost"
    UNSEEN = "no member merged anything that it had brought from another cluster"
    RULE = "each merge has to end, and by then every operation that was brought along has to be merged or lost"
    open: dict[int, int] = field(default_factory=dict)
    """For each member that merges, when it last recorded the end of a merge operation."""
    owed: dict[str, int] = field(default_factory=dict)
    """For each member that brings merge operations from another cluster, by its name: how many of them are neither
    merged nor lost yet."""

    def look(self, record: EventRecord, event: Merging) -> str | None:
        member = record.member
        assert member is not None, "members merge"
        name = self.comparisons.conditions.scene.names.get(member, "")
        owed = self.owed.get(name)
        match event:
            case EntriesCollected(operations=operations, rejoins_as=rejoins_as):
                self.gone(member)
                self.owed[rejoins_as] = operations
                if owed is not None and owed > operations:
                    return f"member {member} took along {operations:,} operations, though it had {owed:,} left to merge"
            case OperationMerged() | OperationNotMerged():
                self.open[member] = record.at_ms
                if owed is not None:
                    self.owed[name] = owed - 1
            case MergeEnded():
                self.looked += self.open.pop(member, None) is not None
                if self.owed.pop(name, 0) != 0:
                    return f"member {member} ended its merge with {owed} operations that were neither merged nor lost"
            case _:
                assert_never(event)
        return None

    def gone(self, member: int) -> None:
        self.open.pop(member, None)
        self.owed.pop(self.comparisons.conditions.scene.names.get(member, ""), None)

    def missing(self) -> str | None:
        begun = self.comparisons.conditions.scene.names.items()
        owing = {member: self.at_ms for member, name in begun if self.owed.get(name)}
        for member, at_ms in (self.open | owing).items():
            merging = f"member {member}, which at {at_ms:,} ms was still merging what it had brought from another "
            return f"{merging}cluster, had not ended this merge {self.at_the_end}"
        return None


CALLS_END_ONCE = Property(
    name="calls-end-once",
    sentence="Every call that a member takes on ends exactly once, and before the member ends for a merge.",
    source="calls.7, calls.25, splits.6; invariant I3, I6",
    severity=Severity.AVAILABILITY,
    start=_CallJudge,
)
MIGRATIONS_END_ONCE = Property(
    name="migrations-end-once",
    sentence="A member that takes part in a migration ends it once, before it takes part in the next migration of "
    "that partition; a new replica begins empty.",
    source="migration.10, migration.17; invariant M4, M6",
    severity=Severity.AVAILABILITY,
    start=_MigrationJudge,
)
LEAVES_END = Property(
    name="leaves-end",
    sentence="A member that is asked to leave does leave before the run ends.",
    source="leaving.1, leaving.5; invariant S2",
    severity=Severity.AVAILABILITY,
    start=_LeaveJudge,
)
MERGES_END = Property(
    name="merges-end",
    sentence="A member that brought operations from another cluster ends its merge with every one of them merged or "
    "lost.",
    source="splits.11",
    severity=Severity.AVAILABILITY,
    start=_MergeJudge,
)
PROPERTIES: tuple[Property, ...] = (CALLS_END_ONCE, MIGRATIONS_END_ONCE, LEAVES_END, MERGES_END)
