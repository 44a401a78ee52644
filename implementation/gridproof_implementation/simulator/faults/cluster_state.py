"""Somebody changes the state of the cluster."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_address_index,
    draw_length,
    draw_moment,
    host_at,
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World
from gridproof_model.cluster_state import ClusterState

STATES = (ClusterState.NO_MIGRATION, ClusterState.FROZEN, ClusterState.PASSIVE)
NO_CLIENT = -1
"""The number of a call that no client waits for."""
ASK_AGAIN_US = 1_000_000


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw which member is asked, and for which state."""
    address_indices, amount = (draw_address_index(rng, setting),), rng.randrange(len(STATES))
    return FaultEvent("cluster-state", draw_moment(rng, setting), draw_length(rng, setting), address_indices, amount)


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Ask whoever lives there; members may not agree, and then nothing changes."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None:
        return False
    world.change_cluster_state(host, NO_CLIENT, STATES[fault_event.amount % len(STATES)])
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
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
        world.at(ASK_AGAIN_US, heal, world, fault_event)
    else:
        world.unhealed.discard(fault_event)


def describe(fault_event: FaultEvent) -> str:
    """Say which state."""
    state = STATES[fault_event.amount % len(STATES)]
    return f"{say_members(fault_event.address_indices)} is asked for cluster state {state}, for {fault_event.for_ms} ms"


FAULT = Fault(
    "cluster-state", "the cluster state is changed, and back again", Harm.FREEZES, draw, inject, heal, describe
)
