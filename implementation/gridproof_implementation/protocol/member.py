"""A member: it connects its parts, and takes inputs.

The inputs are messages, timers, requests of clients, broken connections, and the request to leave. The method for each
input returns the effects that the input caused, in order. The caller controls time: with every input it passes the time
of the member's own clock."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from gridproof_implementation.placement.hazelcast import HazelcastPlacement
from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_implementation.protocol.anti_entropy.part import AntiEntropyPart
from gridproof_implementation.protocol.effects import Answer, AnswerDue, Effect, Message, Timer
from gridproof_implementation.protocol.invocation.part import InvocationPart
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.part import JobsPart
from gridproof_implementation.protocol.membership.part import MembershipPart
from gridproof_implementation.protocol.merging.part import MergingPart
from gridproof_implementation.protocol.node import Call, CallMany, Node, Part
from gridproof_implementation.protocol.operation.part import OperationPart
from gridproof_implementation.protocol.partitioning.part import PartitioningPart
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.replies import Reply
from gridproof_implementation.protocol.resources import Resources
from gridproof_implementation.protocol.structure import StructureId
from gridproof_model.events.membership import AnswerOverdue, ReplyPassedOver
from gridproof_model.events.words import Failure
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import Address, ClusterState, Member, MemberId, MemberNumbers


class GridMember:
    """One incarnation of a member, from its start to its end."""

    __slots__ = ("_merging", "_on_message", "_on_timer", "_parts", "node")

    def __init__(
        self,
        description: Member,
        config: GridConfig,
        contacts: Sequence[Address] = (),
        policy: PlacementPolicy | None = None,
        merge_payload: object = None,
        numbers: MemberNumbers | None = None,
    ) -> None:
        """Make a member that is to join a cluster through any of `contacts`; without contacts it founds a cluster.

        `merge_payload` is what the previous incarnation returned in its `Stop`. `numbers` gives the numbers that
        members have in the trace of this member's events; without it the member numbers the members itself.
        """
        node = self.node = Node(description, config, MemberNumbers() if numbers is None else numbers)
        node.merge_payload = merge_payload
        membership = MembershipPart(node, contacts)
        partitioning = PartitioningPart(node, policy or HazelcastPlacement())
        replication, anti_entropy = ReplicationPart(node), AntiEntropyPart(node)
        operation, invocation = OperationPart(node), InvocationPart(node)
        jobs = node.jobs = JobsPart(node)
        self._merging = MergingPart(node)
        node.membership, node.partitions, node.replicas = membership, partitioning, replication
        node.anti_entropy, node.operations, node.invocations = anti_entropy, operation, invocation
        self._parts: tuple[Part, ...] = (
            membership,
            partitioning,
            replication,
            anti_entropy,
            operation,
            invocation,
            jobs,
            self._merging,
        )
        self._on_message: dict[type[Message], Callable[[MemberId, Any], None]] = {}
        self._on_timer: dict[type[Timer], Callable[[Any], None]] = {}
        for part in self._parts:
            self._on_message.update(part.message_handlers())
            self._on_timer.update(part.timer_handlers())

    @property
    def is_merging(self) -> bool:
        """Whether entries that an earlier incarnation brought from another cluster are still being merged
        (splits.7)."""
        return self._merging.is_bringing_in

    def resources(self) -> Resources:
        """Return how many resources of each kind this member has taken and has to give back."""
        counts: dict[str, int] = {}
        for part in self._parts:
            counts.update(part.taken())
        return Resources(**counts)

    def start(self, now_us: int) -> list[Effect]:
        """Start all parts of the member."""
        self.node.now_us = now_us
        for part in self._parts:
            part.start()
        return self._effects()

    def receive(self, sender: MemberId, message: Message, now_us: int) -> list[Effect]:
        """Handle a message; ignore an answer that is for another incarnation at this address (calls.7, calls.8)."""
        self.node.now_us = now_us
        if isinstance(message, Reply) and not self.has_asked(message):
            numbers = self.node.numbers
            self.node.emit(ReplyPassedOver(type(message).__name__, numbers[sender], numbers[message.asker]))
        else:
            self._on_message[type(message)](sender, message)
        return self._effects()

    def has_asked(self, reply: Reply) -> bool:
        """Whether an answer is for this incarnation."""
        return reply.asker == self.node.me

    def wake(self, timer: Timer, now_us: int) -> list[Effect]:
        """Handle the expiry of a timer that was set and not cancelled."""
        self.node.now_us = now_us
        if isinstance(timer, AnswerDue):
            self.node.emit(AnswerOverdue(type(timer).__name__))
        self._on_timer[type(timer)](timer)
        return self._effects()

    def call(self, call: Call | CallMany, now_us: int) -> list[Effect]:
        """Begin a client's call."""
        self.node.now_us = now_us
        self.node.invocations.invoke(call)
        return self._effects()

    def destroy(self, structure: StructureId, now_us: int) -> list[Effect]:
        """Handle a client's request to destroy a structure with its content and versions on every member."""
        self.node.now_us = now_us
        self.node.replicas.destroy_everywhere(structure)
        return self._effects()

    def start_job(self, job: JobConfig, now_us: int) -> list[Effect]:
        """Accept a job that a user submits at this member."""
        self.node.now_us = now_us
        self.node.jobs.submit(job)
        return self._effects()

    def disconnected(self, address: Address, now_us: int) -> list[Effect]:
        """Note that the connection to this address broke, or that no connection is accepted there."""
        self.node.now_us = now_us
        self.node.membership.disconnected(address)
        self.node.invocations.disconnected(address)
        return self._effects()

    def change_cluster_state(self, call: int, state: ClusterState, now_us: int) -> list[Effect]:
        """Handle a client's request to change the cluster state; an `Answer` with the request's number ends it."""
        self.node.now_us = now_us
        self.node.membership.change_cluster_state(state, partial(self._answer, call))
        return self._effects()

    def promote_lite(self, call: int, now_us: int) -> list[Effect]:
        """Handle a client's request to make this lite member a data member; an `Answer` with its number ends it."""
        self.node.now_us = now_us
        self.node.membership.promote_lite(partial(self._answer, call))
        return self._effects()

    def ask_cluster_safe(self, call: int, now_us: int) -> list[Effect]:
        """Handle a client's question whether the cluster is safe; an `Answer` with its number says yes or no."""
        self.node.now_us = now_us
        self.node.partitions.check_cluster_safe(lambda is_safe: self.node.effects.append(Answer(call, is_safe)))
        return self._effects()

    def ask_member_safe(self, call: int, now_us: int) -> list[Effect]:
        """Handle a client's question whether this member is safe; an `Answer` with its number has a ServiceState."""
        self.node.now_us = now_us
        self.node.partitions.check_safe(lambda state: self.node.effects.append(Answer(call, state)))
        return self._effects()

    def force_local_member_to_be_safe(self, call: int, timeout_us: int, now_us: int) -> list[Effect]:
        """Handle a client's request to make this member safe; an `Answer` with its number says whether it is."""
        self.node.now_us = now_us
        self.node.partitions.make_safe(timeout_us, lambda is_safe: self.node.effects.append(Answer(call, is_safe)))
        return self._effects()

    def _answer(self, call: int, done: bool) -> None:
        self.node.effects.append(Answer(call, done, None if done else Failure.ILLEGAL_STATE))

    def leave(self, now_us: int) -> list[Effect]:
        """Begin the graceful shutdown of this member."""
        self.node.now_us = now_us
        self.node.partitions.request_shutdown()
        return self._effects()

    def _effects(self) -> list[Effect]:
        effects, self.node.effects = self.node.effects, []
        return effects
