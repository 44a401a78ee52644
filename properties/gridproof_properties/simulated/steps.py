"""What must be so at every step, not only at rest.

Anti-entropy hides most bugs of replication before anybody looks at the grid at rest (docs/defects.md, Two rules of
detection, 1), so these judges read the steps of the protocol themselves. These judges need all steps in the records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.anti_entropy import SummaryCompared, SyncInstalled
from gridproof_model.events.membership import ClusterStateChanged, LiteMemberPromoted
from gridproof_model.events.migration import MigrationFinished, MigrationOrdered
from gridproof_model.events.partitioning import RowDiverged, RowInstalled, RowsFetched
from gridproof_model.events.replication import (
    BackupApplied,
    FragmentInstalled,
    ReplicaKept,
    ReplicaPromoted,
    StructureDestroyed,
)
from gridproof_model.events.words import MigrationOutcome, WhyRowChanged
from gridproof_model.membership import ClusterState
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Cause, Limit, Property, Severity, StepJudge
from gridproof_properties.judging.words import row_words

Replaced = FragmentInstalled | SyncInstalled
"""Steps after which a replica has the same contents as its primary had at that time."""
Reset = ReplicaKept | ReplicaPromoted | StructureDestroyed
"""Steps after which a replica may have any version of its contents."""
STILL = (ClusterState.FROZEN, ClusterState.PASSIVE)
"""Cluster states in which no member starts a change of a row (members.26)."""
FROM_OTHERS = (WhyRowChanged.RECEIVED, WhyRowChanged.RETURNED, WhyRowChanged.FETCHED, WhyRowChanged.COMPLETED)
"""Why a row may change even in a frozen or passive cluster: another member changed it before, or a member came back."""
Place = tuple[int | None, int, str, int]
"""A member, a partition, a namespace and a replica index."""


@dataclass(slots=True)
class _DivergenceJudge(StepJudge):
    COUNTED = "{failed} of {compared:row} differed from another row of the same partition and version"
    UNSEEN = "no row changed"
    RULE = "rows of equal version have to have the same member in each slot"

    def look(self, record: EventRecord, event: RowInstalled | RowDiverged) -> str | None:
        match event:
            case RowInstalled():
                self.looked += 1
                return None
            case RowDiverged(partition=partition, version=version, own=own, received=received):
                return (
                    f"member {record.member} had {row_words(own)} as version {version} of the row of partition "
                    f"{partition}, and received {row_words(received)} as the same version"
                )
            case _:
                assert_never(event)


@dataclass(slots=True)
class _BackwardsJudge(StepJudge):
    COUNTED = "{failed} of {compared:backup update} carried an older version than the replica had"
    UNSEEN = "no backup applied an update"
    _versions: dict[Place, int] = field(default_factory=dict)

    def look(self, record: EventRecord, event: Replaced | Reset | BackupApplied | SummaryCompared) -> str | None:
        match event:
            case SummaryCompared(partition=partition, versions=versions):
                # After a comparison a backup keeps only the namespaces that its primary named (sync.6).
                self._forget(record.member, partition, frozenset(namespace for namespace, _ in versions))
            case ReplicaKept(partition=partition) | ReplicaPromoted(partition=partition):
                self._forget(record.member, partition)
            case StructureDestroyed():
                self._forget(record.member, None)
            case FragmentInstalled(index=index) | SyncInstalled(index=index):
                if index > 0:
                    self._versions[record.member, event.partition, event.namespace, index] = event.versions[index - 1]
            case BackupApplied():
                return self._applied(record.member, event)
            case _:
                assert_never(event)
        return None

    def _applied(self, member: int | None, event: BackupApplied) -> str | None:
        self.looked += 1
        place = (member, event.partition, event.namespace, event.index)
        before = self._versions.get(place, 0)
        self._versions[place] = event.version
        if event.version >= before:
            return None
        return (
            f"member {member} (backup {event.index} of partition {event.partition}) applied version {event.version} of "
            f"{event.namespace}, though it had version {before} already; a backup may apply no older update"
        )

    def _forget(self, member: int | None, partition: int | None, but: frozenset[str] = frozenset()) -> None:
        """Forget what a member dropped of a partition, or of all partitions, except the namespaces that it kept."""
        gone = [key for key in self._versions if key[0] == member and partition in (None, key[1]) and key[2] not in but]
        for key in gone:
            del self._versions[key]


@dataclass(slots=True)
class _OutcomeJudge(StepJudge):
    COUNTED = "{failed} of {compared:recorded outcome} of migrations differed from what another member recorded"
    HELD = "{all} {compared:recorded outcome} of migrations agreed with what other members recorded"
    UNSEEN = "no migration ended"
    RULE = "all members that take part in a migration have to record the same outcome"
    _outcomes: dict[tuple[int, int], MigrationOutcome] = field(default_factory=dict)

    def look(self, record: EventRecord, event: MigrationFinished) -> str | None:
        self.looked += 1
        first = self._outcomes.setdefault((event.master, event.number), event.outcome)
        if first == event.outcome:
            return None
        return (
            f"member {record.member} recorded that migration {event.number} of partition {event.partition} (ordered by "
            f"member {event.master} as master) ended as '{event.outcome}', but another member had recorded '{first}'"
        )


@dataclass(slots=True)
class _FailureJudge(StepJudge):
    COUNTED = "{failed} of {compared:takeover} left a row at a version that a failed migration may have used"
    UNSEEN = "no new master fetched rows"
    _ordered: dict[int, list[tuple[int, int]]] = field(default_factory=dict)
    """For each number, the partition and initial version of all migrations that have it; each master has its own
    numbers."""
    _rows: dict[tuple[int | None, int], int] = field(default_factory=dict)

    def look(self, record: EventRecord, event: RowInstalled | MigrationOrdered | RowsFetched) -> str | None:
        match event:
            case RowInstalled(partition=partition, version=version):
                self._rows[record.member, partition] = version
            case MigrationOrdered(number=number, partition=partition, initial_version=initial):
                self._ordered.setdefault(number, []).append((partition, initial))
            case RowsFetched(failed=failed):
                self.looked += 1
                stories = [self._look_at(record.member, number) for number in failed]
                return next((story for story in stories if story is not None), None)
            case _:
                assert_never(event)
        return None

    def _look_at(self, master: int | None, number: int) -> str | None:
        """Look at all migrations, whichever master ordered them, with a number that a new master counts as failed."""
        orders = self._ordered.get(number, [])
        if not orders or any(self._rows.get((master, partition), 0) > initial for partition, initial in orders):
            return None
        partition, _ = orders[-1]
        version = self._rows.get((master, partition), 0)
        return (
            f"member {master}, the new master, took migration {number} for failed and left the row of partition "
            f"{partition} at version {version}, which this migration may have used; a new master has to raise such a "
            "row above that version"
        )


@dataclass(slots=True)
class _StillnessJudge(StepJudge):
    COUNTED = "the cluster state forbade {failed} of {compared:change} of a row or a lite member"
    HELD = "the cluster state allowed {all} {compared:change} of a row or a lite member"
    UNSEEN = "no row changed while the cluster was frozen or passive"
    RULE = "no frozen or passive cluster may change a row by itself, and only an active one may promote a lite member"
    _states: dict[int | None, ClusterState] = field(default_factory=dict)

    def look(self, record: EventRecord, event: ClusterStateChanged | RowInstalled | LiteMemberPromoted) -> str | None:
        match event:
            case ClusterStateChanged(state=state):
                self._states[record.member] = state
                return None
            case RowInstalled(partition=partition, why=why):
                if self._states.get(record.member) not in STILL:
                    return None
                self.looked += 1
                if why in FROM_OTHERS:
                    return None
                return (
                    f"member {record.member} changed the row of partition {partition} ({why}) while the cluster was "
                    f"{self._states[record.member]}"
                )
            case LiteMemberPromoted(member=promoted):
                self.looked += 1
                state = self._states.get(record.member, ClusterState.ACTIVE)
                if state.allows_migration:
                    return None
                return f"member {record.member} made lite member {promoted} a data member while the cluster was {state}"
            case _:
                assert_never(event)


TWO_CLUSTERS = (Limit(Cause.REMOVED_ALIVE, "table.5: of one cluster, and there were two"),)
ROWS_NEVER_DIVERGE = Property(
    name="rows-never-diverge",
    sentence="No member ever receives a row that differs from its own row of the same partition and version.",
    source="table.5; invariant T3",
    severity=Severity.PROTOCOL,
    start=_DivergenceJudge,
    limits=TWO_CLUSTERS,
)
BACKUP_NEVER_GOES_BACK = Property(
    name="backup-never-goes-back",
    sentence="A backup applies no update that is older than what it has, unless its replica was replaced.",
    source="backups.13; invariant R2",
    severity=Severity.PROTOCOL,
    start=_BackwardsJudge,
)
ONE_OUTCOME = Property(
    name="one-outcome",
    sentence="All members that take part in a migration record the same outcome of it.",
    source="migration.15; invariant M1",
    severity=Severity.PROTOCOL,
    start=_OutcomeJudge,
    limits=(*TWO_CLUSTERS, Limit(Cause.COPY_ENDED, "migration.12: who committed dies before it is known")),
)
STILL_WHEN_FROZEN = Property(
    name="still-when-frozen",
    sentence="No member changes a row by itself while the cluster is frozen or passive, and a lite member is "
    "promoted only while it is active.",
    source="members.24, repair.15; invariant A8",
    severity=Severity.PROTOCOL,
    start=_StillnessJudge,
)
FAILURE_RAISES_THE_VERSION = Property(
    name="failure-raises-the-version",
    sentence="A new master raises a row above the version from which a failed migration of its partition began.",
    source="table.24; invariant T3",
    severity=Severity.PROTOCOL,
    start=_FailureJudge,
    limits=TWO_CLUSTERS,
)
PROPERTIES: tuple[Property, ...] = (
    ROWS_NEVER_DIVERGE,
    BACKUP_NEVER_GOES_BACK,
    ONE_OUTCOME,
    STILL_WHEN_FROZEN,
    FAILURE_RAISES_THE_VERSION,
)
