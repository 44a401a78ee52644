"""What changes the cluster: members join and leave, so that partitions migrate, and its state is set."""

from dataclasses import dataclass
from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    Sign,
    draw_address_index,
    draw_length,
    draw_moment,
    host_at,
    start_again,
)
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World
from gridproof_model.cluster_state import ClusterState

NO_CLIENT = -1
"""The number of a call that no client waits for."""
STATES = (ClusterState.NO_MIGRATION, ClusterState.FROZEN, ClusterState.PASSIVE)
ASK_AGAIN_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Join(Fault):
    """A member joins at an address that nobody has; what becomes of it then is for `heal`."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw an address that nobody had yet, or had long ago."""
        at_ms, for_ms = draw_moment(rng, setting), draw_length(rng, setting)
        return FaultEvent(self.name, at_ms, for_ms, (setting.address_count + rng.randrange(2),))

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Start a member there."""
        address_index = min(fault_event.address_indices[0], len(world.latest_hosts))
        if host_at(world, address_index) is not None:
            return False
        if address_index < len(world.latest_hosts):
            world.restart(address_index)
        else:
            world.start_member()
        return True

    def newcomer(self, world: World, fault_event: FaultEvent) -> Host | None:
        """Return the member there, None where nobody is left."""
        return host_at(world, min(fault_event.address_indices[0], len(world.latest_hosts) - 1))

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Let the newcomer leave gracefully."""
        host = self.newcomer(world, fault_event)
        if host is not None:
            world.leave(host)

    def describe(self, fault_event: FaultEvent) -> str:
        """Say who comes."""
        return f"{fault_event.who} joins, and leaves again after {fault_event.for_ms} ms"


class PromoteLite(Join):
    """A lite member joins and becomes a data member."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw an address that nobody had yet."""
        address_indices = (setting.address_count + rng.randrange(2),)
        return FaultEvent(self.name, draw_moment(rng, setting), draw_length(rng, setting), address_indices)

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Start a lite member there."""
        address_index = min(fault_event.address_indices[0], len(world.latest_hosts))
        if host_at(world, address_index) is not None:
            return False
        place = None if address_index == len(world.latest_hosts) else address_index
        world.start_member(lite=True, address_index=place)
        return True

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Let it own partitions from now on (members.10)."""
        host = self.newcomer(world, fault_event)
        if host is not None and host.description.lite:
            world.promote_lite(host, NO_CLIENT)

    def came_to_nothing(self, world: World, fault_event: FaultEvent) -> str:
        """Say that nobody is there to be promoted, where that is so."""
        host = self.newcomer(world, fault_event)
        return "" if host is not None and host.description.lite else "nobody was left to promote"

    def describe(self, fault_event: FaultEvent) -> str:
        """Say who comes, and what becomes of it."""
        (address_index,) = fault_event.address_indices
        return f"a lite member at address {address_index} joins, and owns partitions after {fault_event.for_ms} ms"


class Leave(Fault):
    """A member leaves gracefully, and comes back."""

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Let whoever lives there leave gracefully, unless nobody else lives."""
        host = host_at(world, fault_event.address_indices[0])
        if host is None or sum(other.alive for other in world.latest_hosts) < 2:
            return False
        world.leave(host)
        return True

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Start another incarnation, once the first is gone."""
        start_again(world, fault_event)

    def describe(self, fault_event: FaultEvent) -> str:
        """Say who goes."""
        return f"{fault_event.who} begins to leave"


class ChangeState(Fault):
    """Somebody changes the state of the cluster, and back again; `amount` is which."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw which member is asked, and for which state."""
        address_indices, amount = (draw_address_index(rng, setting),), rng.randrange(len(STATES))
        return FaultEvent(self.name, draw_moment(rng, setting), draw_length(rng, setting), address_indices, amount)

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Ask whoever lives there; members may not agree, and then nothing changes."""
        world.change_cluster_state(host, NO_CLIENT, STATES[fault_event.amount % len(STATES)])

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Ask for the active state until every member is in it: while members disagree, none is changed.

        A member that is paused or slow may have been asked for another state, and not have looked at it yet; others may
        have promised to change it.
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
        """Say which state."""
        who, state = fault_event.who, STATES[fault_event.amount % len(STATES)]
        return f"{who} is asked for cluster state {state}, for {fault_event.for_ms} ms"


CHANGES = (
    Join("join", "a newcomer joins and leaves again, so that partitions migrate", Harm.NONE, Sign.ARRIVAL, Needs.ROOM),
    Leave("leave", "a member leaves gracefully, so that partitions migrate", Harm.NONE, Sign.CROSS, Needs.OTHERS),
    PromoteLite(
        "promote-lite",
        "a lite member joins and becomes a data member, so that partitions migrate",
        Harm.NONE,
        Sign.ARRIVAL,
        Needs.ROOM,
    ),
    ChangeState("cluster-state", "the cluster state is changed, and back again", Harm.FREEZES),
)
