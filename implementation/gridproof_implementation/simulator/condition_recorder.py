"""Records the conditions of a run as they arise.

The effect of a fault is recorded where it happens, for each message and each copy: a judge puts a comparison out of
scope only because of such a record, and knows nothing of the faults themselves."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from gridproof_implementation.protocol.calls import IteratingRequest, IteratingResponse
from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.partitioning.messages import PromotionCommit, PromotionDone
from gridproof_implementation.protocol.replication.messages import DestroyStructure
from gridproof_implementation.simulator.host import Ending, Host
from gridproof_implementation.simulator.watcher import Straggler, Watcher
from gridproof_implementation.simulator.world import World
from gridproof_model.events import ProtocolEvent, conditions
from gridproof_model.events.membership import ClusterFounded, MemberRemoved
from gridproof_model.events.merging import OperationNotMerged
from gridproof_model.events.partitioning import RowInstalled
from gridproof_model.events.replication import StructureDestroyed

OBSERVED = frozenset({RowInstalled, MemberRemoved, ClusterFounded, StructureDestroyed, OperationNotMerged})
"""The types of events that show a condition of the run."""


@dataclass(slots=True)
class ConditionRecorder(Watcher):
    """Records the conditions that a simulated world shows; it watches what happens to messages and connections."""

    world: World
    record: Callable[[conditions.Condition], None]
    _holders: dict[int, tuple[int | None, ...]] = field(default_factory=dict)
    """The holders of each partition's replicas, by the row that was installed last on any member."""
    _alive: set[int] = field(default_factory=set)
    """The numbers of the incarnations that are alive."""
    _is_founded: bool = False

    def started(self, host: Host) -> None:
        """Note that a new incarnation has started."""
        self._alive.add(host.number)

    def ended(self, host: Host) -> None:
        """Record which copies are lost with an incarnation that ends."""
        self._alive.discard(host.number)
        self.record(self._copies_of(host))

    def observe(self, member: int, event: ProtocolEvent) -> None:
        """Record the condition of the run that an event shows, if it shows one."""
        match event:
            case RowInstalled(partition=partition, slots=slots) if self._holders.get(partition) != slots:
                self._holders[partition] = slots
                holders = tuple(slot for slot in slots if slot is not None)
                self.record(conditions.RowChanged(partition, event.version, holders, member, event.why))
            case MemberRemoved(member=gone):
                self.record(
                    conditions.RemovedAlive(gone, member)
                    if gone in self._alive
                    else conditions.RemovedEnded(gone, member)
                )
            case StructureDestroyed(structure=structure):
                self.record(conditions.StructureForgotten(member, structure))
            case OperationNotMerged(partition=partition, structure=structure, why=why):
                self.record(conditions.EntriesNotMerged(member, partition, structure, why))
            case ClusterFounded():
                if self._is_founded:
                    self.record(conditions.AnotherCluster(member))
                self._is_founded = True
            case _:
                pass

    def _copies_of(self, host: Host) -> conditions.CopiesEnded:
        """Return the copies that are lost if a member ends: its replicas by the tables of living members.

        The replicas by the member's own table count, too, unless the member left gracefully while other data members in
        its list were alive: then it has handed over all the data that it could.
        """
        me = host.description.id
        alive = [other for other in self.world.latest_hosts if other.alive and other is not host]
        listed = {member.id for member in host.member.node.membership.members.data_members}
        could_hand_over = any(other.description.id in listed for other in alive)
        asked = alive if could_hand_over and host.ending is Ending.LEFT else [*alive, host]
        tables = [other.member.node.partitions.rows for other in asked]
        primaries = {p for rows in tables for p, row in enumerate(rows) if row.slots[0] == me}
        held = {p for rows in tables for p, row in enumerate(rows) if me in row.slots}
        asked_us = self.world.now_us if host.asked_to_leave_us is None else host.asked_to_leave_us
        waited_ms = (self.world.now_us - asked_us) // 1_000
        return conditions.CopiesEnded(
            host.number, tuple(sorted(primaries)), tuple(sorted(held - primaries)), waited_ms, could_hand_over
        )

    def mishap(self, sender: Host, receiver: Host, sent: Message, became: Message, arrivals: int) -> None:
        """Record that a message is lost, repeated, or changed on the network."""
        for partition in partitions_of(sent):
            if arrivals == 0:
                self.record(conditions.MessageLost(type(sent).__name__, partition, sender.number, receiver.number))
            elif became is not sent:
                self.record(conditions.UpdateSpoilt(partition, receiver.number))
            if arrivals > 1:
                self.record(conditions.MessageRepeated(type(sent).__name__, partition, sender.number, receiver.number))

    def late(self, sender: Host, receiver: Host, message: Message, late_us: int) -> None:
        """Record that a message will be late."""
        for partition in partitions_of(message):
            kind = type(message).__name__
            self.record(conditions.MessageLate(kind, partition, sender.number, receiver.number, late_us // 1_000))

    def reached_another(self, straggler: Straggler, receiver: Host) -> None:
        """Record that a message has reached another incarnation than the intended one."""
        sender, meant, message = straggler.sender, straggler.meant, straggler.message
        for partition in tuple(partitions_of(message)) or (conditions.NO_PARTITION,):
            kind = type(message).__name__
            self.record(conditions.MessageForAnother(kind, partition, sender.number, meant.number, receiver.number))

    def broken(self, one: Host, other: Host) -> None:
        """Record that a connection breaks."""
        self.record(conditions.ConnectionBroken(one.number, other.number))


def partitions_of(message: Message) -> Iterator[int]:
    """Yield the partitions whose data or rows a message concerns; `NO_PARTITION` if it concerns all partitions.

    For messages about the cluster (heartbeats, lists, tables, jobs) nothing is yielded. The loss of a message about the
    cluster is recorded by its effect: the removal of a living member, or the change of a row.
    """
    match message:
        case Message(partition=partition) if partition >= 0:
            yield partition
        case IteratingRequest(operations=operations):
            yield from (partition for partition, _ in operations)
        case IteratingResponse(values=values, failures=failures):
            yield from sorted({partition for partition, _ in (*values, *failures)})
        case PromotionCommit(promotions=promotions) | PromotionDone(promotions=promotions):
            yield from (partition for partition, _ in promotions)
        case DestroyStructure():
            yield conditions.NO_PARTITION
        case _:
            pass
