"""Faults that change the cluster: members join and leave, so that partitions migrate, and the cluster state changes."""

from dataclasses import dataclass
from random import Random

from gridproof_implementation.simulator.fault import Fault, Harm, Needs, Setting, Sign, host_at, start_again
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World
from gridproof_model.membership import ClusterState

NO_CLIENT = -1
"""The number of a call for which no client waits."""
STATES = (ClusterState.NO_MIGRATION, ClusterState.FROZEN, ClusterState.PASSIVE)
ASK_AGAIN_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Join(Fault):
    """A member joins at a free address; the method `heal` defines what this member does afterwards."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw an address that no member has had yet, or at which only this fault has started members."""
        return FaultEvent(self.name, *setting.times_ms(rng), (setting.address_count + rng.randrange(2),))

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Start a member at the address, if it is free."""
        address_index = min(fault_event.address_indices[0], len(world.latest_hosts))
        if host_at(world, address_index) is not None:
            return False
        self.start(world, address_index)
        return True

    def start(self, world: World, address_index: int) -> None:
        """Start a member, or the next incarnation of the member that was at the address."""
        if address_index < len(world.latest_hosts):
            world.restart(address_index)
        else:
            world.start_member()

    def newcomer(self, world: World, fault_event: FaultEvent) -> Host | None:
        """Return the member that this fault has started, or None if it has ended."""
        return host_at(world, min(fault_event.address_indices[0], len(world.latest_hosts) - 1))

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Make the member that this fault has started leave gracefully."""
        host = self.newcomer(world, fault_event)
        if host is not None:
            world.leave(host)


class PromoteLite(Join):
    """A lite member joins and becomes a data member."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw an address beyond those of the first members."""
        address_indices = (setting.address_count + rng.randrange(2),)
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices)

    def start(self, world: World, address_index: int) -> None:
        """Start a lite member."""
        world.start_member(lite=True, address_index=address_index)

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Request that the lite member becomes a data member (members.10)."""
        host = self.newcomer(world, fault_event)
        if host is not None and host.description.lite:
            world.promote_lite(host, NO_CLIENT)

    def came_to_nothing(self, world: World, fault_event: FaultEvent) -> str:
        """If no lite member is left to be promoted, return a text that says so."""
        host = self.newcomer(world, fault_event)
        return "" if host is not None and host.description.lite else "nobody was left to promote"


class Leave(Fault):
    """A member leaves gracefully, and comes back."""

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Make the member at the address leave gracefully, unless it is the only member."""
        host = host_at(world, fault_event.address_indices[0])
        if host is None or sum(other.alive for other in world.latest_hosts) < 2:
            return False
        world.leave(host)
        return True

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Start another incarnation at the address, if the first incarnation has ended."""
        start_again(world, fault_event)


class ChangeState(Fault):
    """The cluster state is changed, and later changed back; `amount` says to which state."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw which member is asked for the change, and to which state."""
        address_indices, amount = (setting.address_index(rng),), rng.randrange(len(STATES))
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices, amount)

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Ask the member for the change of state; if the members do not agree, the state stays."""
        world.change_cluster_state(host, NO_CLIENT, STATES[fault_event.amount % len(STATES)])

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Ask for the active state until every member is in it, since no state changes while members disagree.

        It is possible that a paused or slow member has not handled a request for another state yet, or that other
        members are locked for a change.
        """
        alive = [host for host in world.latest_hosts if host.alive]
        other = [host for host in alive if host.member.node.membership.cluster_state is not ClusterState.ACTIVE]
        if other:
            world.change_cluster_state(other[0], NO_CLIENT, ClusterState.ACTIVE)
        if other or any(host.waiting or host.member.node.membership.is_state_changing for host in alive):
            world.unhealed.add(fault_event)
            world.at(ASK_AGAIN_US, self.heal, world, fault_event)
        else:
            world.unhealed.discard(fault_event)

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says which state is requested."""
        who, state = fault_event.who, STATES[fault_event.amount % len(STATES)]
        return f"{who} is asked for cluster state {state}, for {fault_event.for_ms} ms"


CHANGES = (
    Join(
        "join", "a newcomer joins and leaves again, so that partitions migrate", Harm.NONE, Sign.ARRIVAL, Needs.ROOM,
        words="{0.who} joins, and leaves again after {0.for_ms} ms",
    ),
    Leave(
        "leave", "a member leaves gracefully, so that partitions migrate", Harm.NONE, Sign.CROSS, Needs.OTHERS,
        words="{0.who} begins to leave",
    ),
    PromoteLite(
        "promote-lite", "a lite member joins and becomes a data member, so that partitions migrate", Harm.NONE,
        Sign.ARRIVAL, Needs.ROOM,
        words="a lite member at address {0.address_indices[0]} joins, and owns partitions after {0.for_ms} ms",
    ),
    ChangeState("cluster-state", "the cluster state is changed, and back again", Harm.FREEZES),
)  # fmt: skip
