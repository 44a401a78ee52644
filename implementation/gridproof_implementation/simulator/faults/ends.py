"""Faults that end a member's process or machine, at any moment or at a step of the protocol."""

from collections.abc import Iterator
from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    Sign,
    draw_delay_us,
    draw_share,
    host_at,
    say_kinds,
    start_again,
)
from gridproof_implementation.simulator.host import Host, Moment, PlannedCrash
from gridproof_implementation.simulator.links import LinkConditions
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

PROCESS, MACHINE = 0, 1
"""If a process ends, its connections break; if a machine ends, they do not."""
LATEST = 4
"""A member ends at the first occurrence of the drawn step, or at a later occurrence, up to this number."""
MOMENTS = tuple(Moment)


class Crash(Fault):
    """The process or the machine of a member ends at once."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw one address, and whether its process ends (in three of four cases) or its machine."""
        amount = MACHINE if rng.random() < 0.25 else PROCESS
        address_indices = (setting.address_index(rng),)
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices, amount)

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """End the member at the address."""
        world.crash(host, loud=fault_event.amount == PROCESS)

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Start another incarnation at the address."""
        start_again(world, fault_event)

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says what ends."""
        what = "the machine of " if fault_event.amount == MACHINE else ""
        return f"{what}{fault_event.who} crashes"


class CrashAtStep(Fault):
    """A member ends before, amid or after a step of the protocol; `amount` says which of the three, and at which
    occurrence of the step."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw one address, an event or message of the protocol, and whether the member ends before, amid or after
        it."""
        address_indices, amount = (setting.address_index(rng),), rng.randrange(LATEST * len(MOMENTS))
        return FaultEvent(self.name, *setting.times_ms(rng), address_indices, amount, rng.choice(setting.steps))

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Give the member at the address a planned crash."""
        host.planned_crash = PlannedCrash(fault_event.step, *_step_of(fault_event.amount))

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Start another incarnation, or cancel the planned crash."""
        host = host_at(world, fault_event.address_indices[0])
        if host is None:
            start_again(world, fault_event)
        else:
            host.planned_crash = None

    def came_to_nothing(self, world: World, fault_event: FaultEvent) -> str:
        """If the step did not come, return a text that says so."""
        host = host_at(world, fault_event.address_indices[0])
        return "" if host is None or host.planned_crash is None else "the step that it waited for did not come"

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says at which step the member crashes."""
        count, moment = _step_of(fault_event.amount)
        which = "the next" if count == 1 else f"number {count}"
        return f"{fault_event.who} is to crash {moment} {fault_event.step}, {which}"


class Restart(Fault):
    """A member ends and starts again before the others notice."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw which member restarts, and at which time."""
        return FaultEvent(self.name, setting.moment_ms(rng), 0, (setting.address_index(rng),))

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """End the member, and start its next incarnation at the same moment (table.3)."""
        world.crash(host)
        world.restart(fault_event.address_indices[0])


class LateRestart(Fault):
    """A member restarts twice, and messages that are sent to it in between are late."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw an address, how long its second incarnation lives, which messages to it are late, and the longest delay.

        Every incarnation counts its calls from 1, so answers to calls of the second incarnation have numbers that the
        third incarnation uses, too.
        """
        address_indices, times_ms = (setting.address_index(rng),), setting.times_ms(rng)
        amount, kinds, share = draw_delay_us(rng), setting.kinds(rng), draw_share(rng)
        return FaultEvent(self.name, *times_ms, address_indices, amount, kinds, share)

    def strike(self, world: World, host: Host, fault_event: FaultEvent) -> None:
        """Start the second incarnation, and let messages reach whichever incarnation is alive there when they
        arrive."""
        for link in _to_others(world, fault_event.address_indices[0]):
            link.pick_late(fault_event.share, fault_event.amount, fault_event.step)
            link.to_address += 1
        world.crash(host)
        world.restart(fault_event.address_indices[0])

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Start the third incarnation; messages sent from now on reach only the incarnation they are meant for."""
        for link in _to_others(world, fault_event.address_indices[0]):
            link.late_us = 0
            link.to_address = max(link.to_address - 1, 0)
        host = host_at(world, fault_event.address_indices[0])
        if host is not None:
            world.crash(host)
            world.restart(fault_event.address_indices[0])

    def describe(self, fault_event: FaultEvent) -> str:
        """Return a clause that says which member restarts, and which messages are late."""
        who, share, kinds = fault_event.who, fault_event.share, say_kinds(fault_event.step)
        which = f"{share} % of {kinds} to it are up to {fault_event.amount} us late meanwhile"
        return f"{who} crashes and starts anew at once, and again after {fault_event.for_ms} ms; {which}"


class NextIncarnation(Fault):
    """Messages that were sent to one incarnation reach the next incarnation at the address."""

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw one address; the fault mostly lasts as long as clients work: it has no effect until the member ends."""
        for_ms = setting.length_ms(rng) if rng.random() < 0.3 else 2 * setting.span_ms
        return FaultEvent(self.name, setting.moment_ms(rng) // 2, for_ms, (setting.address_index(rng),))

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Let messages reach whichever incarnation is alive at the address (table.3: as on a new connection)."""
        for link in _to_others(world, fault_event.address_indices[0]):
            link.to_address += 1
        return True

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Let messages reach only the incarnation for which they are meant; messages under way are not affected."""
        for link in _to_others(world, fault_event.address_indices[0]):
            link.to_address = max(link.to_address - 1, 0)


def _step_of(amount: int) -> tuple[int, Moment]:
    return 1 + amount // len(MOMENTS), MOMENTS[amount % len(MOMENTS)]


def _to_others(world: World, address_index: int) -> Iterator[LinkConditions]:
    """Yield the links to an address from all other addresses."""
    for sender in range(len(world.latest_hosts)):
        if sender != address_index:
            yield world.links.at(sender, address_index)


ENDS = (
    Crash("crash", "a member ends at once and starts again later as a new one", Harm.MEMBERS, Sign.CROSS),
    CrashAtStep(
        "crash-at-step", "a member ends before, amid or after a step of the protocol", Harm.MEMBERS, Sign.CROSS
    ),
    Restart(
        "restart", "a member ends and the next incarnation joins from its address at once", Harm.MEMBERS, Sign.CROSS,
        words="{0.who} crashes and starts anew at once",
    ),
    LateRestart(
        "late-restart", "a member restarts twice, and what is sent in between is late and for whoever lives there",
        Harm.MEMBERS | Harm.TRUST, Sign.CROSS,
    ),
    NextIncarnation(
        "next-incarnation", "messages reach whoever lives at the address when they arrive", Harm.NONE,
        needs=Needs.OTHERS,
        words="what is sent to {0.who} reaches whoever lives there then, for {0.for_ms} ms",
    ),
)  # fmt: skip
