"""Every refusal has the cause that it names, and members stay within their configured limits.

First, every refusal has the cause that it names.

If a joiner is kept out, a backup update is refused, or an operation is sent back, a reason is given; the records show
whether the reason is true. The judge needs all steps in the records; it keeps a row for each member and partition.

Second, members stay within their configured limits.

The limits are on fragments asked for at once, migrations that one member copies or receives at once, calls under way,
and attempts of a call; no step may exceed any of these limits. Another property says that everything counted here is
given back. The judge needs all steps in the records; it keeps what is under way.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events import words
from gridproof_model.events.anti_entropy import SyncEnded, SyncInstalled, SyncRequested
from gridproof_model.events.conditions import Configured
from gridproof_model.events.invocation import AttemptFailed, AttemptSent, CallEnded
from gridproof_model.events.membership import ClusterStateChanged, JoinTurnedDown, MemberRemoved
from gridproof_model.events.migration import (
    MigrationEnded,
    MigrationFinished,
    MigrationOpened,
    MigrationOrdered,
    MigrationReadied,
    MigrationRefused,
)
from gridproof_model.events.operation import Executed, MadeSync, Refused
from gridproof_model.events.partitioning import FetchBegun, RowInstalled
from gridproof_model.events.replication import BackupRefused
from gridproof_model.grid_config import StructureKind
from gridproof_model.membership import ClusterState
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Cause, Property, Severity, StepJudge
from gridproof_properties.judging.timers import FIXED_MS

Refusing = BackupRefused | Refused | SyncEnded
Moving = MigrationOpened | MigrationReadied | MigrationFinished | MigrationOrdered | MigrationRefused
OfCauses = RowInstalled | MemberRemoved | ClusterStateChanged
ROW_VERSION = "row version "
MIGRATING = (words.WhyBackupRefused.MIGRATING, words.Failure.PARTITION_MIGRATING, words.WhySyncEnded.MIGRATING)


@dataclass(slots=True)
class _RefusalJudge(StepJudge):
    COUNTED = "{failed} of {compared:refusal} named a reason that was not true"
    HELD = "{all} {compared:refusal} named a reason that was true"
    UNSEEN = "no member refused anything for a reason that records can confirm"
    RULE = "a member may refuse only for a reason that is true, and an early order only after it has been repeated"
    FORGETS = ("moving",)
    moving: set[tuple[int | None, int]] = field(default_factory=set)
    """Members, each with a partition in whose migration the member takes part."""
    rows: dict[tuple[int | None, int], RowInstalled] = field(default_factory=dict)
    ordered: dict[int, tuple[int, MigrationOrdered]] = field(default_factory=dict)
    """For each partition, the latest order of a migration, and when the order was given."""
    refused: dict[int, tuple[int, int, str]] = field(default_factory=dict)
    """For each partition, the latest refusal of a migration: a primary passes the refusal of a destination on."""
    removed: defaultdict[int | None, set[int]] = field(default_factory=lambda: defaultdict(set))
    """For each member, the members that it has removed from its list."""
    states: dict[int | None, ClusterState] = field(default_factory=dict)

    def look(self, record: EventRecord, event: JoinTurnedDown | Refusing | Moving | OfCauses) -> str | None:
        match event:
            case MigrationOpened(partition=partition) | MigrationReadied(partition=partition):
                self.moving.add((record.member, partition))
            case MigrationFinished(partition=partition):
                self.moving.discard((record.member, partition))
            case RowInstalled(partition=partition):
                self.rows[record.member, partition] = event
            case MigrationOrdered(partition=partition):
                self.ordered[partition] = record.at_ms, event
            case MigrationRefused():
                return self._takes_no_part(record, event)
            case MemberRemoved(member=gone):
                self.removed[record.member].add(gone)
            case ClusterStateChanged(state=state):
                self.states[record.member] = state
            case JoinTurnedDown(joiner=joiner, why=why):
                if record.member == joiner or why == words.MASTER_UNKNOWN:
                    return None  # the joiner records its answer; another property judges a missing master
                self.looked += 1
                if self._keeps_out(record.member, joiner, why):
                    return None
                return f"member {record.member} turned member {joiner} away because of '{why}', which was not true"
            case BackupRefused() | Refused() | SyncEnded():
                return self._refused(record, event)
            case _:
                assert_never(event)
        return None

    def _keeps_out(self, member: int | None, joiner: int, why: str) -> bool:
        """Whether the reason for keeping a joiner out is true; all joiners have the same configuration (members.6)."""
        return joiner in self.removed[member] if why == words.WAS_REMOVED else self._is_state(member, why)

    def _is_state(self, member: int | None, why: str) -> bool:
        if self.states and member not in self.states:
            return True  # a later joiner learned the state with its list, and records no change
        state = self.states.get(member, ClusterState.ACTIVE)
        return why.startswith(words.THE_CLUSTER_IS) and why.endswith((state, ClusterState.IN_TRANSITION))

    def _takes_no_part(self, record: EventRecord, event: MigrationRefused) -> str | None:
        """Compare why a participant refuses; an order that came too early is refused only after it was repeated."""
        row, reason = self.rows.get((record.member, event.partition)), event.reason
        at_ms, order = self.ordered.get(event.partition, (0, None))
        before = self.refused.get(event.partition)
        said = self.refused[event.partition] = event.master, event.number, reason
        if order is None or (order.master, order.number) != said[:2] or said == before:
            return None
        if reason == words.EARLY:
            came_twice = self.comparisons.conditions.incidents.find(Cause.MESSAGE_REPEATED, event.partition, at_ms)
            is_so = record.at_ms - at_ms >= FIXED_MS["RepeatMigrations"] or came_twice is not None
        elif reason.startswith(ROW_VERSION) and row is not None:
            is_so = reason == f"{ROW_VERSION}{row.version} instead of {order.initial_version}"
            is_so &= row.version != order.initial_version
        elif reason.startswith(words.THE_CLUSTER_IS):
            is_so = self._is_state(record.member, reason)
        else:
            return None
        self.looked += 1
        story = f"member {record.member} took no part in migration {event.number} of partition {event.partition}"
        wrong = "before its master had asked again" if reason == words.EARLY else "which was not true"
        return None if is_so else f"{story} because of '{reason}', {wrong}"

    def _refused(self, record: EventRecord, event: Refusing) -> str | None:
        """Compare a refusal that names a migration or a row with the migrations and rows of the member that refused."""
        place = record.member, event.partition
        if event.why in MIGRATING:
            self.looked += 1
            is_so = place in self.moving
        elif event.why is words.WhyBackupRefused.ANOTHER_SLOT or event.why is words.Failure.WRONG_TARGET:
            self.looked += 1
            index, row = event.index if isinstance(event, BackupRefused) else 0, self.rows.get(place)
            is_so = row is None or index >= len(row.slots) or row.slots[index] != record.member
        else:
            return None
        what = "an update" if isinstance(event, BackupRefused) else "an operation"
        what = "an answer" if isinstance(event, SyncEnded) else what
        story = f"member {record.member} refused {what} of partition {event.partition} because of '{event.why}'"
        return None if is_so else f"{story}, which was not true"


OfSyncs = SyncRequested | SyncInstalled | SyncEnded
OfCalls = AttemptSent | AttemptFailed | CallEnded
OfWindows = Executed | MadeSync
Limited = OfSyncs | OfCalls | OfWindows | MigrationOrdered | MigrationEnded | FetchBegun
SHARED, OF_JOBS = "shared", "__jet"
KINDS = frozenset({*StructureKind, SHARED})
SYNCS, CALLS = "fragments asked for", "calls under way"


@dataclass(slots=True)
class _LimitJudge(StepJudge):
    RELIES_ON = frozenset({Configured})
    COUNTED = "{failed} of {compared:step} broke a configured limit"
    HELD = "{all} {compared:step} kept the configured limits"
    UNSEEN = "no step was recorded that a configured limit is about"
    RULE = "every step has to keep the configured limits"
    FORGETS = ("taken",)
    taken: defaultdict[int | None, defaultdict[str, set[object]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )
    """For each member and kind of limit, what is under way."""
    unsynced: defaultdict[int | None, list[int]] = field(default_factory=lambda: defaultdict(lambda: [0, 0]))
    """For each member, the least and the most changes with async backups since a change waited for them."""

    def look(self, record: EventRecord, event: Limited) -> str | None:
        configured, taken = self.comparisons.conditions.configured, self.taken[record.member]
        if configured is None:
            return None
        if isinstance(event, Executed):
            if configured.sync_window == 0:
                return None
            self._take_in(record.member, event)
            return self._compare_window(record, configured, 0)
        match event:
            case SyncRequested(partition=partition, index=index, namespaces=namespaces):
                taken[SYNCS] |= {(partition, index, namespace) for namespace in namespaces}
                return self._compare(record, SYNCS, configured.syncs_max)
            case SyncInstalled() | SyncEnded():
                taken[SYNCS].discard((event.partition, event.index, event.namespace))
            case MigrationOrdered(primary=primary, destination=destination, number=number):
                for who in {f"copied by member {primary}", f"received by member {destination}"}:
                    taken[f"migrations {who}"].add(number)
                    if (story := self._compare(record, f"migrations {who}", configured.migrations_max)) is not None:
                        return story
            case MigrationEnded(number=number):
                for numbers in taken.values():
                    numbers.discard(number)
            case FetchBegun():  # a new master learns how its earlier orders ended
                self.taken.pop(record.member)
            case CallEnded(invocation=invocation):
                taken[CALLS].discard(invocation)
            case (
                AttemptSent(invocation=invocation, attempt=attempt)
                | AttemptFailed(invocation=invocation, attempt=attempt)
            ):
                taken[CALLS].add(invocation)
                if attempt > max(configured.retries, 1):
                    most = max(configured.retries, 1)
                    return f"member {record.member} made attempt {attempt} of its call {invocation}; {most} may be made"
                return self._compare(record, CALLS, configured.calls_max)
            case MadeSync():
                story = self._compare_window(record, configured, 3 * configured.sync_window // 4 - 1)
                self.unsynced[record.member] = [-1, -1]  # the change that waits is executed next
                return story
            case _:
                assert_never(event)
        return None

    def _compare(self, record: EventRecord, what: str, most: int) -> str | None:
        if most == 0:
            return None
        self.looked += 1
        number = len(self.taken[record.member][what])
        return f"member {record.member} had {number} {what}, where at most {most} may be" if number > most else None

    def _take_in(self, member: int | None, event: Executed) -> None:
        """Count a change that has async backups or may have some: in a shared namespace no record names the
        structure."""
        kind, _, name = event.namespace.partition(":")
        if event.changed and kind in KINDS and not name.startswith(OF_JOBS):
            self.unsynced[member][0] += kind != SHARED
            self.unsynced[member][1] += 1

    def _compare_window(self, record: EventRecord, configured: Configured, least: int) -> str | None:
        """Compare how many changes were executed since a change last waited for its async backups (backups.21)."""
        window, (surely, perhaps) = configured.sync_window, self.unsynced[record.member]
        if window == 0:
            return None
        self.looked += 1
        if least <= perhaps and surely <= max(window, 5 * window // 4):
            return None
        story = (
            f"member {record.member} executed {surely:,} changes after the last one that waited for its async backups"
        )
        return f"{story}, where one in about {window:,} changes has to wait"


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="refused-for-cause",
        sentence="A member that refuses a joiner, an update, an operation or a migration has the cause that it names.",
        source="members.6, members.9, members.24, calls.9, backups.14, sync.17, migration.7, migration.8",
        severity=Severity.AVAILABILITY,
        start=_RefusalJudge,
    ),
    Property(
        name="configured-limits-are-kept",
        sentence="No more is under way at once than is configured: syncs, migrations of a member, calls and "
        "attempts; and one in as many operations as configured waits for its async backups.",
        source="sync.9, migration.3, calls.15, calls.26, backups.21",
        severity=Severity.PROTOCOL,
        start=_LimitJudge,
    ),
)
