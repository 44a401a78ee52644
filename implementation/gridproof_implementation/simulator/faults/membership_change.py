"""Members join and leave, so that partitions migrate meanwhile."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    Sign,
    draw_length,
    draw_moment,
    draw_seat,
    host_at,
    say_seats,
)
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

NO_CLIENT = -1
"""The number of a call that no client waits for."""


def draw_join(rng: Random, setting: Setting) -> FaultEvent:
    """A seat that nobody had yet, or had long ago."""
    return FaultEvent("join", draw_moment(rng, setting), draw_length(rng, setting), (setting.seats + rng.randrange(2),))


def join(world: World, fault_event: FaultEvent) -> bool:
    """Start a member there."""
    seat = min(fault_event.seats[0], len(world.seats))
    if host_at(world, seat) is not None:
        return False
    if seat < len(world.seats):
        world.restart(seat)
    else:
        world.start_member()
    return True


def leave_again(world: World, fault_event: FaultEvent) -> None:
    """Let the newcomer leave gracefully."""
    host = host_at(world, min(fault_event.seats[0], len(world.seats) - 1))
    if host is not None:
        world.leave(host)


def tell_join(fault_event: FaultEvent) -> str:
    """Say who comes."""
    return f"{say_seats(fault_event.seats)} joins, and leaves again after {fault_event.for_ms} ms"


def draw_promotion(rng: Random, setting: Setting) -> FaultEvent:
    """A seat that nobody had yet."""
    seats = (setting.seats + rng.randrange(2),)
    return FaultEvent("promote-lite", draw_moment(rng, setting), draw_length(rng, setting), seats)


def join_lite(world: World, fault_event: FaultEvent) -> bool:
    """Start a lite member there."""
    seat = min(fault_event.seats[0], len(world.seats))
    if host_at(world, seat) is not None:
        return False
    place = None if seat == len(world.seats) else seat
    world.start_member(lite=True, seat=place)
    return True


def promote(world: World, fault_event: FaultEvent) -> None:
    """Let it own partitions from now on (reference partitioning 5.6)."""
    host = host_at(world, min(fault_event.seats[0], len(world.seats) - 1))
    if host is not None and host.description.lite:
        world.promote_lite(host, NO_CLIENT)


def tell_promotion(fault_event: FaultEvent) -> str:
    """Say who comes, and what becomes of it."""
    return f"a lite member at {say_seats(fault_event.seats)} joins, and owns partitions after {fault_event.for_ms} ms"


def draw_leave(rng: Random, setting: Setting) -> FaultEvent:
    """One seat."""
    return FaultEvent("leave", draw_moment(rng, setting), draw_length(rng, setting), (draw_seat(rng, setting),))


def leave(world: World, fault_event: FaultEvent) -> bool:
    """Let whoever lives there leave gracefully, unless nobody else lives."""
    host = host_at(world, fault_event.seats[0])
    if host is None or sum(other.alive for other in world.seats) < 2:
        return False
    world.leave(host)
    return True


def come_back(world: World, fault_event: FaultEvent) -> None:
    """Start another incarnation, once the first is gone."""
    if host_at(world, fault_event.seats[0]) is None:
        world.restart(fault_event.seats[0])


def tell_leave(fault_event: FaultEvent) -> str:
    """Say who goes."""
    return f"{say_seats(fault_event.seats)} begins to leave"


JOIN = Fault(
    "join", "a newcomer joins and leaves again, so that partitions migrate", Harm.NONE, draw_join, join, leave_again,
    tell_join, Sign.ARRIVAL,
)  # fmt: skip
PROMOTE_LITE = Fault(
    "promote-lite", "a lite member joins and becomes a data member, so that partitions migrate", Harm.NONE,
    draw_promotion, join_lite, promote, tell_promotion, Sign.ARRIVAL,
)  # fmt: skip
LEAVE = Fault(
    "leave", "a member leaves gracefully, so that partitions migrate", Harm.NONE, draw_leave, leave, come_back,
    tell_leave, Sign.CROSS,
)  # fmt: skip
