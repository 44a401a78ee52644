"""Members join and leave, so that partitions migrate meanwhile."""

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
    say_members,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

NO_CLIENT = -1
"""The number of a call that no client waits for."""


def draw_join(rng: Random, setting: Setting) -> FaultEvent:
    """Draw an address that nobody had yet, or had long ago."""
    return FaultEvent(
        "join", draw_moment(rng, setting), draw_length(rng, setting), (setting.address_count + rng.randrange(2),)
    )


def join(world: World, fault_event: FaultEvent) -> bool:
    """Start a member there."""
    address_index = min(fault_event.address_indices[0], len(world.latest_hosts))
    if host_at(world, address_index) is not None:
        return False
    if address_index < len(world.latest_hosts):
        world.restart(address_index)
    else:
        world.start_member()
    return True


def leave_again(world: World, fault_event: FaultEvent) -> None:
    """Let the newcomer leave gracefully."""
    host = host_at(world, min(fault_event.address_indices[0], len(world.latest_hosts) - 1))
    if host is not None:
        world.leave(host)


def describe_join(fault_event: FaultEvent) -> str:
    """Say who comes."""
    return f"{say_members(fault_event.address_indices)} joins, and leaves again after {fault_event.for_ms} ms"


def draw_promotion(rng: Random, setting: Setting) -> FaultEvent:
    """Draw an address that nobody had yet."""
    address_indices = (setting.address_count + rng.randrange(2),)
    return FaultEvent("promote-lite", draw_moment(rng, setting), draw_length(rng, setting), address_indices)


def join_lite(world: World, fault_event: FaultEvent) -> bool:
    """Start a lite member there."""
    address_index = min(fault_event.address_indices[0], len(world.latest_hosts))
    if host_at(world, address_index) is not None:
        return False
    place = None if address_index == len(world.latest_hosts) else address_index
    world.start_member(lite=True, address_index=place)
    return True


def promote(world: World, fault_event: FaultEvent) -> None:
    """Let it own partitions from now on (members.10)."""
    host = host_at(world, min(fault_event.address_indices[0], len(world.latest_hosts) - 1))
    if host is not None and host.description.lite:
        world.promote_lite(host, NO_CLIENT)


def why_not_promoted(world: World, fault_event: FaultEvent) -> str:
    """Say that nobody is there to be promoted, where that is so."""
    host = host_at(world, min(fault_event.address_indices[0], len(world.latest_hosts) - 1))
    return "" if host is not None and host.description.lite else "nobody was left to promote"


def describe_promotion(fault_event: FaultEvent) -> str:
    """Say who comes, and what becomes of it."""
    (address_index,) = fault_event.address_indices
    return f"a lite member at address {address_index} joins, and owns partitions after {fault_event.for_ms} ms"


def draw_leave(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one address."""
    return FaultEvent(
        "leave", draw_moment(rng, setting), draw_length(rng, setting), (draw_address_index(rng, setting),)
    )


def leave(world: World, fault_event: FaultEvent) -> bool:
    """Let whoever lives there leave gracefully, unless nobody else lives."""
    host = host_at(world, fault_event.address_indices[0])
    if host is None or sum(other.alive for other in world.latest_hosts) < 2:
        return False
    world.leave(host)
    return True


def come_back(world: World, fault_event: FaultEvent) -> None:
    """Start another incarnation, once the first is gone."""
    if host_at(world, fault_event.address_indices[0]) is None:
        world.restart(fault_event.address_indices[0])


def describe_leave(fault_event: FaultEvent) -> str:
    """Say who goes."""
    return f"{say_members(fault_event.address_indices)} begins to leave"


JOIN = Fault(
    "join", "a newcomer joins and leaves again, so that partitions migrate", Harm.NONE, draw_join, join, leave_again,
    describe_join, Sign.ARRIVAL, Needs.ROOM,
)  # fmt: skip
PROMOTE_LITE = Fault(
    "promote-lite", "a lite member joins and becomes a data member, so that partitions migrate", Harm.NONE,
    draw_promotion, join_lite, promote, describe_promotion, Sign.ARRIVAL, Needs.ROOM, why_not_promoted,
)  # fmt: skip
LEAVE = Fault(
    "leave", "a member leaves gracefully, so that partitions migrate", Harm.NONE, draw_leave, leave, come_back,
    describe_leave, Sign.CROSS, Needs.OTHERS,
)  # fmt: skip
