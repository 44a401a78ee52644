"""A merge: the smaller side ends, and brings its members' entries into the larger side (splits.6, splits.8).

Each incarnation that ends gives the next incarnation a `MergePayload` with its entries. `Replay` brings the entries
into the larger cluster as ordinary operations, which apply the structure's merge policy on the primary. `Dissolution`
ends the smaller side, perhaps while a replay is still under way: the master freezes the cluster and notifies all other
members, and ends itself last; each member ends its pending calls, collects the entries of its primaries, and starts
again as another incarnation."""

from collections import deque
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from uuid import uuid5

from gridproof_implementation.protocol.effects import Answer, AnswerDue, Stop, Timer
from gridproof_implementation.protocol.entry import MergePolicy
from gridproof_implementation.protocol.merging.messages import MergeClusters, MergeHeard, MergePending, Side
from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_model.events.merging import (
    EntriesCollected,
    MergeBegun,
    MergeEnded,
    MergeGivenUp,
    OperationMerged,
    OperationNotMerged,
)
from gridproof_model.grid_config import DEFAULT_MERGE_POLICY, StructureKind
from gridproof_model.membership import Address, ClusterState, MemberId

MERGE_RETRY_US = SECOND_US
MERGE_TIMEOUT_US = 60 * SECOND_US
"""Choice (splits.11): a member that has not heard of the merge within this time is left behind; it becomes a side of
its own, and merges later."""
_CONFIGURED = frozenset(kind.value for kind in StructureKind)
REPLAY_RETRY_US = SECOND_US
AT_ONCE = 10
"""How many merge operations may be under way at once."""
TRIES_MAX = 5
"""Choice (splits.11): an operation that failed is tried again, up to this many times in all, since merging an entry
twice does no harm; the documents say nothing of failures."""


@dataclass(frozen=True, slots=True)
class MergePayload:
    """The operations that bring the data of the old incarnation's primaries into the larger cluster (splits.7)."""

    operations: tuple[tuple[int, Operation], ...] = ()
    """Pairs of partition and operation; both clusters have the same number of partitions."""
    known_addresses: tuple[Address, ...] = ()
    """All addresses where members ever were, so that the smaller side's members find each other if the larger side has
    gone."""


@dataclass(frozen=True, slots=True)
class ReplayDue(Timer):
    """It is time to merge further entries of the payload."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A merge operation that has not succeeded yet."""

    partition: int
    operation: Operation
    tries: int = 0


class Replay:
    """Brings a merge payload into the cluster, a few operations at a time."""

    def __init__(self, node: Node, merge_payload: MergePayload) -> None:
        self._node = node
        self._waiting = deque(Pending(partition, operation) for partition, operation in merge_payload.operations)
        self._put_off: list[Pending] = []
        """The operations that failed; they wait for a pause, since an overload lasts longer than other operations
        take."""
        self._under_way: dict[int, Pending] = {}
        """The operations under way, each by the number of its call."""
        self._calls = count()
        self._is_filling = False

    @property
    def remaining(self) -> tuple[tuple[int, Operation], ...]:
        """The operations that have not succeeded yet, each with its partition."""
        return tuple((p.partition, p.operation) for p in (*self._under_way.values(), *self._put_off, *self._waiting))

    def start(self) -> None:
        """Set the timer that begins the replay, if there are entries to bring in."""
        if self._waiting:
            self._node.set_timer(ReplayDue(), REPLAY_RETRY_US)

    def on_due(self, timer: ReplayDue) -> None:
        """Merge the entries that wait, if this member has joined; else try again later."""
        if self._node.membership.is_joined:
            self._waiting.extend(self._put_off)
            self._put_off.clear()
            self._fill()
        else:
            self._node.set_timer(timer, REPLAY_RETRY_US)

    def _fill(self) -> None:
        if self._is_filling:
            return  # a call that fails at once ends within the loop below
        self._is_filling = True
        while self._waiting and len(self._under_way) < AT_ONCE:
            pending = self._waiting.popleft()
            number = next(self._calls)
            self._under_way[number] = pending
            call = Call(number, pending.operation, pending.partition)
            self._node.invocations.invoke(call, partial(self._end, number))
        self._is_filling = False
        if not self._waiting and not self._under_way and not self._put_off:
            self._node.emit(MergeEnded())

    def _end(self, call: int, answer: Answer) -> None:
        pending = self._under_way.pop(call)
        structure = str(pending.operation.structure)
        if answer.failure is None:
            self._node.emit(OperationMerged(pending.partition, structure))
        elif pending.tries + 1 < TRIES_MAX:
            self._put_off.append(replace(pending, tries=pending.tries + 1))
            self._node.set_timer(ReplayDue(), REPLAY_RETRY_US)
        else:
            self._node.emit(OperationNotMerged(pending.partition, structure, answer.failure))
        self._fill()


@dataclass(frozen=True, slots=True)
class MergeRetry(AnswerDue):
    """It is time to repeat the notice of the merge to the members that have not answered."""


@dataclass(frozen=True, slots=True)
class MergeTimeout(AnswerDue):
    """It is time for the master to end its incarnation, and wait no longer."""


class Dissolution:
    """Ends a cluster so that it merges into another: as its master, or as one of its members."""

    def __init__(self, node: Node, replay: Replay) -> None:
        self._node = node
        self._replay = replay
        self._target: Side | None = None
        """The side into which this master merges its cluster; None before it has decided to."""
        self._waiting: dict[MemberId, None] = {}
        self._state_before: ClusterState | None = None
        """The cluster state before the pending merge; None if no merge is pending."""

    @property
    def is_under_way(self) -> bool:
        """Whether this master is merging its cluster into another."""
        return self._target is not None

    def begin(self, target: Side) -> None:
        """Begin a merge by freezing the cluster."""
        membership = self._node.membership
        others = [member.id for member in membership.members if member.id != self._node.me]
        self._target = target
        numbers = self._node.numbers
        members = numbers.of(member.id for member in membership.members)
        self._node.emit(MergeBegun(numbers[target.master], members))
        # The merge is announced before the freeze: if this master ends, the next one has to undo it (docs/findings.md).
        self._announce_pending(membership.cluster_state)
        self._waiting = dict.fromkeys(others)
        membership.change_cluster_state(ClusterState.FROZEN, self._go_on)

    def _announce_pending(self, state: ClusterState | None) -> None:
        for member in self._node.membership.members:
            self._node.send(member.id, MergePending(state))

    def on_pending(self, sender: MemberId, pending: MergePending) -> None:
        """Remember that this cluster is frozen for a merge, and which state it had before."""
        self._state_before = pending.state_before

    def thaw(self) -> None:
        """Undo the freeze for a merge whose master has gone; Choice (splits.11): by the documents such a cluster stays
        frozen."""
        if self._state_before is not None and not self.is_under_way:
            self._node.membership.change_cluster_state(self._state_before, self._forget_pending)

    def _forget_pending(self, thawed: bool) -> None:
        if thawed:
            self._announce_pending(None)

    def _go_on(self, frozen: bool) -> None:
        if not frozen:
            self._target = None
            self._node.emit(MergeGivenUp())
            self._announce_pending(None)
            return
        self._node.set_timer(MergeTimeout(), MERGE_TIMEOUT_US)
        self._announce_or_go()

    def on_retry(self, timer: MergeRetry) -> None:
        """Repeat the notice of the merge to the members that may not have received it."""
        self._announce_or_go()

    def _announce_or_go(self) -> None:
        target, is_member = self._target, self._node.membership.is_member
        if target is None:
            return
        self._waiting = {member_id: None for member_id in self._waiting if is_member(member_id)}
        if not self._waiting:
            self._start_anew(target)
            return
        for member_id in self._waiting:
            self._node.send(member_id, MergeClusters(target))
        self._node.set_timer(MergeRetry(), MERGE_RETRY_US)

    def on_heard(self, sender: MemberId, heard: MergeHeard) -> None:
        """Note that a member has heard of the merge; when all have, end this incarnation as the last one."""
        # Members are compared by address, since a member that has gone may answer as its next incarnation.
        self._waiting = {i: None for i in self._waiting if i.address != sender.address}
        if self._target is not None and not self._waiting:
            self._start_anew(self._target)

    def on_timeout(self, timer: MergeTimeout) -> None:
        """End this incarnation without waiting for the members that have not answered."""
        if self._target is not None:
            self._start_anew(self._target)

    def on_merge(self, sender: MemberId, merge: MergeClusters) -> None:
        """End this incarnation if its master says so; an incarnation that started after the merge only answers."""
        self._node.reply(MergeHeard(asker=sender))
        if sender == self._node.membership.master and sender != self._node.me:
            self._start_anew(merge.target)

    def _start_anew(self, target: Side) -> None:
        node = self._node
        # Entries that an earlier merge has not brought in yet exist nowhere else: this merge takes them along, too.
        operations = (*self.collect(), *self._replay.remaining)
        merge_payload = MergePayload(operations, tuple(node.membership.known_addresses))
        rejoins_as = MemberId(node.me.address, uuid5(node.me.uuid, "merged"))
        node.emit(EntriesCollected(len(operations), str(rejoins_as)))
        node.invocations.reset()
        node.effects.append(Stop(rejoins_as, merge_payload, target.addresses))
        self._target = None

    def collect(self) -> list[tuple[int, Operation]]:
        """Return the operations that bring the content of this member's primaries into another cluster, each with its
        partition."""
        found: list[tuple[int, Operation]] = []
        for partition, row in enumerate(self._node.partitions.rows):
            if row.slots[0] == self._node.me:
                found += [(partition, operation) for operation in self._collect_partition(partition)]
        return found

    def _collect_partition(self, partition: int) -> list[Operation]:
        found: list[Operation] = []
        for namespace in self._node.replicas.namespaces(partition):
            fragment = self._node.replicas.find_fragment(partition, namespace)
            structures = {} if fragment is None else fragment.structures
            for structure in sorted(structures, key=str):
                found += structures[structure].merge_operations(structure, self.policy_of(structure))
        return found

    def policy_of(self, structure: StructureId) -> MergePolicy:
        """Return the merge policy that is configured for a structure, or the default policy."""
        name = DEFAULT_MERGE_POLICY
        if structure.kind in _CONFIGURED:
            name = self._node.config.merge_policy_of(StructureKind(structure.kind), structure.name)
        return POLICIES_BY_NAME.get(name, POLICIES_BY_NAME[DEFAULT_MERGE_POLICY])
