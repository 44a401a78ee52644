"""The end of the smaller side, entries taken along, and the beginning in the larger one, where they are brought in.

splits.8, splits.6. What an incarnation gives the next one is a `MergePayload`.
`Replay` brings it in as ordinary operations, which decide by the structure's merge policy on the primary.

`Dissolution` is the end, perhaps before a replay is over: the master freezes the cluster and notifies all members,
itself last; each ends its pending calls, collects what its primaries hold and starts anew as another incarnation.
"""

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
"""Choice (splits.11): who did not hear of the merge for so long stays behind; it becomes a side of its own and merges
later."""
_CONFIGURED = frozenset(kind.value for kind in StructureKind)
REPLAY_RETRY_US = SECOND_US
AT_ONCE = 10
"""How many operations are under way at most."""
TRIES_MAX = 5
"""Choice (splits.11): what failed is tried again, for merging twice changes nothing more; the documents are silent on
failures."""


@dataclass(frozen=True, slots=True)
class MergePayload:
    """Operations that bring the data of the old incarnation's primaries into the larger cluster (splits.7)."""

    operations: tuple[tuple[int, Operation], ...] = ()
    """By partition: both clusters have the same number of them."""
    known_addresses: tuple[Address, ...] = ()
    """Where members ever were: should the larger cluster be gone, those of the smaller one find each other again."""


@dataclass(frozen=True, slots=True)
class ReplayDue(Timer):
    """Go on bringing entries in."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A merge operation that was not brought in yet."""

    partition: int
    operation: Operation
    tries: int = 0


class Replay:
    """Brings a merge payload in, a few operations at a time."""

    def __init__(self, node: Node, merge_payload: MergePayload) -> None:
        self._node = node
        self._waiting = deque(Pending(partition, operation) for partition, operation in merge_payload.operations)
        self._put_off: list[Pending] = []
        """What failed, until a pause is over: an overload lasts longer than the moment in which others end."""
        self._under_way: dict[int, Pending] = {}
        """By the number of the call."""
        self._calls = count()
        self._is_filling = False

    @property
    def remaining(self) -> tuple[tuple[int, Operation], ...]:
        """What is not brought in yet, by partition."""
        return tuple((p.partition, p.operation) for p in (*self._under_way.values(), *self._put_off, *self._waiting))

    def start(self) -> None:
        """Wait until this member is in."""
        if self._waiting:
            self._node.set_timer(ReplayDue(), REPLAY_RETRY_US)

    def on_due(self, timer: ReplayDue) -> None:
        """Bring in what waits."""
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
    """Notify those again that did not hear of the merge."""


@dataclass(frozen=True, slots=True)
class MergeTimeout(AnswerDue):
    """Go without waiting for anybody longer."""


class Dissolution:
    """Ends a cluster, and this member's part in it."""

    def __init__(self, node: Node, replay: Replay) -> None:
        self._node = node
        self._replay = replay
        self._target: Side | None = None
        """The side this master merges into, from its decision on."""
        self._waiting: dict[MemberId, None] = {}
        self._state_before: ClusterState | None = None
        """The state before a merge that is pending; None where none is."""

    @property
    def is_under_way(self) -> bool:
        """Whether this master merges its cluster."""
        return self._target is not None

    def begin(self, target: Side) -> None:
        """Freeze the cluster first."""
        membership = self._node.membership
        others = [member.id for member in membership.members if member.id != self._node.me]
        self._target = target
        numbers = self._node.numbers
        members = numbers.of(member.id for member in membership.members)
        self._node.emit(MergeBegun(numbers[target.master], members))
        # Before the freeze: whoever leads next, should this master end amid it, has to undo it (docs/findings.md).
        self._announce_pending(membership.cluster_state)
        self._waiting = dict.fromkeys(others)
        membership.change_cluster_state(ClusterState.FROZEN, self._go_on)

    def _announce_pending(self, state: ClusterState | None) -> None:
        for member in self._node.membership.members:
            self._node.send(member.id, MergePending(state))

    def on_pending(self, sender: MemberId, pending: MergePending) -> None:
        """Remember why this cluster is frozen."""
        self._state_before = pending.state_before

    def thaw(self) -> None:
        """Undo a freeze for a merge whose master is gone; Choice (splits.11): the documents leave such a cluster
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
        """Notify those again that may not have heard."""
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
        """Go as the last one."""
        # By address: who has gone answers as the incarnation after it.
        self._waiting = {i: None for i in self._waiting if i.address != sender.address}
        if self._target is not None and not self._waiting:
            self._start_anew(self._target)

    def on_timeout(self, timer: MergeTimeout) -> None:
        """Go without the silent ones."""
        if self._target is not None:
            self._start_anew(self._target)

    def on_merge(self, sender: MemberId, merge: MergeClusters) -> None:
        """Go on the master's word; an incarnation that already went says so."""
        self._node.reply(MergeHeard(asker=sender))
        if sender == self._node.membership.master and sender != self._node.me:
            self._start_anew(merge.target)

    def _start_anew(self, target: Side) -> None:
        node = self._node
        # What the last merge has not brought in yet is nowhere else: it goes along once more.
        operations = (*self.collect(), *self._replay.remaining)
        merge_payload = MergePayload(operations, tuple(node.membership.known_addresses))
        rejoins_as = MemberId(node.me.address, uuid5(node.me.uuid, "merged"))
        node.emit(EntriesCollected(len(operations), str(rejoins_as)))
        node.invocations.reset()
        node.effects.append(Stop(rejoins_as, merge_payload, target.addresses))
        self._target = None

    def collect(self) -> list[tuple[int, Operation]]:
        """Return what brings the content of this member's primaries into another cluster, by partition."""
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
        """Return a structure's merge policy, by its configuration."""
        name = DEFAULT_MERGE_POLICY
        if structure.kind in _CONFIGURED:
            name = self._node.config.merge_policy_of(StructureKind(structure.kind), structure.name)
        return POLICIES_BY_NAME.get(name, POLICIES_BY_NAME[DEFAULT_MERGE_POLICY])
