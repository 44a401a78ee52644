"""Faults that delay members: the members stop, are slow, or have a wrong clock."""

from random import Random

from gridproof_implementation.simulator.fault import Fault, Harm
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

SLOWEST_US = 30_000
FARTHEST_MS = 200_000
"""A time longer than the clock jump that members correct (members.11)."""


class Pause(Fault):
    """A member stops, and continues later."""

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Make all inputs of the member wait."""
        world.pause(host)

    def relieve(self, world: World, host: Host) -> None:
        """Let the member handle all inputs that have waited, at the same moment."""
        world.resume(host)


class SlowMember(Fault):
    """A member takes a long time for every input."""

    def draw_amount(self, rng: Random) -> int:
        """Draw how many microseconds the member takes for one input."""
        return int(500 * (SLOWEST_US / 500) ** rng.random())

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Make the member handle its inputs slowly, one after the other."""
        world.slow_down(host, fault_event.amount)

    def relieve(self, world: World, host: Host) -> None:
        """Make the member as fast as before."""
        world.slow_down(host, 0)


class ClockSkew(Fault):
    """A member's clock jumps."""

    def draw_amount(self, rng: Random) -> int:
        """Draw by how many milliseconds the clock jumps, forwards or backwards."""
        return int(10 * (FARTHEST_MS / 10) ** rng.random()) * rng.choice((-1, 1))

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Change the member's clock."""
        host.clock_skew_us += fault_event.amount * 1_000

    def relieve(self, world: World, host: Host) -> None:
        """Set the member's clock right again."""
        host.clock_skew_us = 0

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says how far the clock jumps."""
        ahead = "forwards" if fault_event.amount > 0 else "backwards"
        whose = fault_event.who
        return f"the clock of {whose} jumps {abs(fault_event.amount)} ms {ahead}, for {fault_event.for_ms} ms"


DELAYS = (
    Pause(
        "pause", "a member handles nothing for a while, then everything", Harm.TRUST,
        words="{0.who} pauses for {0.for_ms} ms",
    ),
    SlowMember(
        "slow", "a member takes long for everything it handles", Harm.TRUST,
        words="{0.who} takes {0.amount} us for every input, for {0.for_ms} ms",
    ),
    ClockSkew("skew", "a member's clock is wrong for a while", Harm.TRUST),
)  # fmt: skip
