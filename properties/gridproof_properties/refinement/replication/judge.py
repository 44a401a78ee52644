"""Each partition's namespace is a behaviour of `replication`.

A behaviour begins with the first write to a namespace of a partition: nothing is held before that. From then on every
step of members that concerns it is taken as an action of the specification, until the end of the run or of what the
specification speaks of.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import assert_never

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.anti_entropy import (
    SummaryCompared,
    SummaryIgnored,
    SummarySent,
    SyncAnswered,
    SyncEnded,
    SyncInstalled,
    SyncRequested,
    SyncTurnedDown,
)
from gridproof_model.events.membership import ClusterFounded, LiteMemberPromoted, MemberListInstalled, MemberRemoved
from gridproof_model.events.operation import Executed
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import BackupApplied, BackupRefused, FragmentInstalled, ReplicaKept
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.judge import Finding, Limit, Property
from gridproof_properties.refinement.behaviour import Behaviour, Onlooker
from gridproof_properties.refinement.finding import Followed
from gridproof_properties.refinement.replication.differences import ANOTHER_CLUSTER, TWO_CLUSTERS
from gridproof_properties.refinement.replication.follower import Follower
from gridproof_properties.refinement.replication.worlds import runner_of
from gridproof_properties.refinement.scene import Scene
from gridproof_properties.refinement.step import Slots, Step

OfCopies = (
    BackupApplied
    | BackupRefused
    | SummarySent
    | SummaryCompared
    | SummaryIgnored
    | SyncRequested
    | SyncAnswered
    | SyncTurnedDown
    | SyncInstalled
    | SyncEnded
    | ReplicaKept
)
OfTheScene = (
    MemberListInstalled | MemberRemoved | ClusterFounded | LiteMemberPromoted | RowInstalled | FragmentInstalled
)
Read = OfCopies | OfTheScene | Executed
EVENTS_READ = kinds_of(Read)
"""What is read of a run."""
Handler = Callable[[Follower], None]


class ReplicationJudge:
    """Gives each event to the followers it concerns."""

    def __init__(self, onlooker: Onlooker | None = None) -> None:
        self._onlooker = onlooker
        self._scene = Scene()
        self._followers: dict[tuple[int, str], Follower] = {}
        self._of_partition: dict[int, list[Follower]] = {}
        self._newest: Counter[int] = Counter()
        """The highest version of a primary's row, by partition."""
        self._asking: dict[int, list[Follower]] = {}
        self._differences: Counter[str] = Counter()
        self._is_over = False
        self.followed = Followed("replication", self._differences)

    def observe(self, record: Record) -> None:
        """Follow the run one record further."""
        if self._is_over:
            return
        if isinstance(record, MemberRecord):
            self._scene.member_changed(record)
            if record.change is not MemberChange.JOINED:
                step = Step.of_member(record)
                self._let_all(lambda follower: follower.seats.ended(step, record.member))
        elif isinstance(record, EventRecord) and record.member is not None and isinstance(record.event, Read):
            self._take(Step.of(record), record.event)

    def watched(self) -> frozenset[type[Event]]:
        """Return the types of the events that are read."""
        return EVENTS_READ

    def conclude(self) -> Finding:
        """Say how far the run was followed, or which step was refused."""
        self._count(self._followers.values())
        return self.followed.finding()

    def _take(self, step: Step, event: Read) -> None:
        if not isinstance(event, SyncRequested):
            for follower in self._asking.pop(step.member, ()):
                self._let(follower, lambda one: one.asked_not(step, step.member))
        if isinstance(event, Executed):
            if event.changed:
                self._executed(step, event)
        elif isinstance(event, OfCopies):
            self._take_of_copies(step, event)
        else:
            self._take_of_the_scene(step, event)

    def _take_of_the_scene(self, step: Step, event: OfTheScene) -> None:
        match event:
            case MemberListInstalled():
                self._scene.list_installed(step, event)
            case MemberRemoved():
                self._member_removed(step, event.member)
            case ClusterFounded():
                self._founded(step.member)
            case LiteMemberPromoted():
                self._scene.promoted_from_lite(event.member)
            case RowInstalled():
                self._row_installed(step, event)
            case FragmentInstalled():
                self._scene.fragment_installed(step, event)
            case _:
                assert_never(event)

    def _take_of_copies(self, step: Step, event: OfCopies) -> None:
        if isinstance(event, ReplicaKept):
            self._cut_down(step, event)
        elif isinstance(event, SummaryCompared):
            self._forget_unnamed(step, event)
        for follower in self._concerned(event):
            self._let(follower, lambda one: self._show(one, step, event))
            if follower.asking:
                self._asking.setdefault(step.member, []).append(follower)

    def _show(self, follower: Follower, step: Step, event: OfCopies) -> None:
        """Let a follower take a step of replication or anti-entropy."""
        match event:
            case BackupApplied():
                follower.applied(step, event)
            case BackupRefused():
                follower.refused(step, event)
            case SummarySent():
                follower.check_sent(step, event, dict(event.versions)[follower.namespace])
            case SummaryCompared():
                follower.compared(step, event, dict(event.versions)[follower.namespace])
            case SummaryIgnored():
                follower.check_ignored(step, event)
            case SyncRequested():
                follower.asked(step, event)
            case SyncAnswered() | SyncTurnedDown():
                follower.answered(step, event)
            case SyncInstalled():
                follower.installed(step, event)
            case SyncEnded():
                follower.sync_ended(step, event)
            case ReplicaKept():
                follower.kept(step, event)
            case _:
                assert_never(event)

    def _concerned(self, event: OfCopies) -> Iterator[Follower]:
        """Yield the followers of the namespaces an event names; of the whole partition where it names none."""
        named = _namespaces_of(event)
        for follower in tuple(self._of_partition.get(event.partition, ())):
            if named is None or follower.namespace in named:
                yield follower

    def _cut_down(self, step: Step, event: ReplicaKept) -> None:
        """Let a member drop the namespaces that have fewer backups than the slot it holds now, or all of them."""
        if event.index < 0:
            self._scene.dropped(step, event)
        for follower in self._of_partition.get(event.partition, ()):
            if event.index >= len(follower.seats.slots):
                self._scene.dropped(step, event, follower.namespace)

    def _forget_unnamed(self, step: Step, event: SummaryCompared) -> None:
        """Let a backup drop namespaces that a summary does not name (reference replication 11 L6)."""
        named = dict(event.versions)
        for follower in tuple(self._of_partition.get(event.partition, ())):
            if follower.namespace not in named:
                self._let(follower, lambda one: one.seats.forgotten(step.member))

    def _member_removed(self, step: Step, gone: int) -> None:
        self._scene.removed(step.member, gone)
        if gone in self._scene.alive:
            self._part()
            return
        self._let_all(lambda one: one.seats.removed(step, gone) if one.seats.slots[0] == step.member else None)

    def _founded(self, founder: int) -> None:
        if not self._followers:
            return
        if any(member in self._scene.alive for member in self._scene.lists if member != founder):
            self._part()
            return
        self._differences[ANOTHER_CLUSTER.name] += 1
        self._count(self._followers.values())
        self._followers.clear()
        self._of_partition.clear()
        self._newest.clear()
        self._scene.installed.clear()

    def _part(self) -> None:
        """Follow nothing further: there are two clusters."""
        self._differences[TWO_CLUSTERS.name] += 1
        self._is_over = True

    def _count(self, followers: Iterable[Follower]) -> None:
        for follower in followers:
            self.followed.count(follower.behaviour)

    def _row_installed(self, step: Step, event: RowInstalled) -> None:
        partition, row, version = event.partition, event.slots, event.version
        self._scene.row_installed(step, event)
        for follower in self._of_partition.get(partition, ()):
            follower.seats.installed_by(step.member, row)
        # A destination commits first of all: its row is the next one, though the primary may die before it hears of it.
        # And a master that has not heard that the primary is dead may plan without a backup that leaves.
        is_dead = row[0] is not None and row[0] not in self._scene.alive
        is_made_here = event.why == "committed" or (is_dead and event.why == "planned")
        if (row[0] != step.member and not is_made_here) or version < self._newest[partition]:
            return
        self._newest[partition] = version
        # Who makes a first arrangement knows of no table: where something is followed, that is another cluster's.
        is_another = event.why == "arranged" and partition in self._of_partition
        if is_another or self._is_parted(step.member, partition, row):
            self._part()
            return
        for follower in tuple(self._of_partition.get(partition, ())):
            if row[0] in (step.member, follower.seats.slots[0]):
                self._let(follower, lambda one: self._rearrange(one, step, event))

    def _rearrange(self, follower: Follower, step: Step, event: RowInstalled) -> None:
        row = event.slots[: len(follower.seats.slots)]
        follower.seats.rearrange(step, row, is_committed=event.why == "committed")

    def _is_parted(self, maker: int, partition: int, row: Slots) -> bool:
        """Whether a row leaves out somebody who lives and knows its maker, which never heard that it came."""
        scene = self._scene
        held = {holder for one in self._of_partition.get(partition, ()) for holder in one.seats.slots}
        return any(
            holder in scene.alive and scene.lists_member(holder, maker) and not scene.lists_member(maker, holder)
            for holder in held.difference(row)
            if holder is not None
        )

    def _executed(self, step: Step, event: Executed) -> None:
        key = (event.partition, event.namespace)
        if key not in self._followers:
            backups = sum(version > 0 for version in event.versions)
            row = self._scene.rows.get((step.member, key[0]))
            if backups == 0 or row is None:
                return
            runner = runner_of(backups)
            behaviour = Behaviour(runner, runner.start, self._differences, self._onlooker)
            follower = Follower(behaviour, self._scene, *key, row[: backups + 1])
            self._followers[key] = follower
            self._of_partition.setdefault(key[0], []).append(follower)
        follower = self._followers[key]
        if follower in self._of_partition.get(key[0], ()):
            self._let(follower, lambda one: one.executed(step, event))

    def _let_all(self, handler: Handler) -> None:
        for followers in list(self._of_partition.values()):
            for follower in tuple(followers):
                self._let(follower, handler)

    def _let(self, follower: Follower, handler: Handler) -> None:
        if not self.followed.goes_on(follower.place, lambda: handler(follower)):
            self._of_partition[follower.place[0]].remove(follower)


def _namespaces_of(event: OfCopies) -> Collection[str] | None:
    match event:
        case BackupApplied() | BackupRefused() | SyncAnswered() | SyncInstalled() | SyncEnded():
            return (event.namespace,)
        case SyncRequested() | SyncTurnedDown():
            return event.namespaces
        case SummarySent() | SummaryCompared():
            return dict(event.versions)
        case SummaryIgnored() | ReplicaKept():
            return None
        case _:
            assert_never(event)


PROPERTY = Property(
    "refines-replication",
    "What members do with writes, backups and syncs of a partition is a behaviour of the specification `replication`.",
    "reference replication 2, 3",
    ReplicationJudge,
    limits=(
        Limit(
            Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER,
            "the links of the specification repeat nothing, and know one incarnation a place",
            for_good=True,
        ),
        Limit(Cause.DESTROYED, "the specification destroys nothing (reference replication 3.1)", for_good=True),
    ),
)
