"""Messages get lost, arrive late, arrive twice, overtake."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    draw_address_index,
    draw_delay_us,
    draw_length,
    draw_moment,
    draw_share,
    say_members,
)
from gridproof_implementation.simulator.links import LinkConditions
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

PER_CENT = 100


class _Change(Protocol):
    def __call__(self, link_conditions: LinkConditions, amount: int) -> None: ...


@dataclass(frozen=True, slots=True)
class _BadLinkConditions:
    """One way in which the links of some members are bad: all messages between any two of the addresses."""

    name: str
    sentence: str
    harm: Harm
    amounts: Callable[[Random], int]
    change: _Change
    words: str

    def draw(self, rng: Random, setting: Setting) -> FaultEvent:
        """Draw the links from some members to some, or all links."""
        count = rng.choice((2, 2, setting.address_count)) if setting.address_count > 1 else 1
        first = draw_address_index(rng, setting)
        others = [address_index for address_index in range(setting.address_count) if address_index != first]
        address_indices = (first, *sorted(rng.sample(others, count - 1)))
        at_ms, for_ms = draw_moment(rng, setting), draw_length(rng, setting)
        return FaultEvent(self.name, at_ms, for_ms, address_indices, self.amounts(rng))

    def inject(self, world: World, fault_event: FaultEvent) -> bool:
        """Change the link conditions."""
        for link_conditions in _between(world, fault_event.address_indices):
            self.change(link_conditions, fault_event.amount)
        return len(fault_event.address_indices) > 1

    def heal(self, world: World, fault_event: FaultEvent) -> None:
        """Let it be fair again."""
        for link_conditions in _between(world, fault_event.address_indices):
            self.change(link_conditions, 0)

    def describe(self, fault_event: FaultEvent) -> str:
        """Say where and how much."""
        words = self.words.format(fault_event.amount)
        return f"{words} between {say_members(fault_event.address_indices)}, for {fault_event.for_ms} ms"

    def as_fault(self) -> Fault:
        """Return it as a fault."""
        return Fault(
            self.name, self.sentence, self.harm, self.draw, self.inject, self.heal, self.describe, needs=Needs.BETWEEN
        )


def _between(world: World, address_indices: tuple[int, ...]) -> list[LinkConditions]:
    return [world.links.at(one, other) for one in address_indices for other in address_indices if one != other]


def _drop(link_conditions: LinkConditions, amount: int) -> None:
    link_conditions.drop_share = amount / PER_CENT


def _repeat(link_conditions: LinkConditions, amount: int) -> None:
    link_conditions.duplicate_share = amount / PER_CENT


def _delay(link_conditions: LinkConditions, amount: int) -> None:
    link_conditions.extra_us = amount


def _hold(link_conditions: LinkConditions, amount: int) -> None:
    link_conditions.normal_extra_us = amount


DROP = _BadLinkConditions(
    "drop", "some messages get lost", Harm.MESSAGES | Harm.TRUST, draw_share, _drop, "{} % of the messages get lost"
).as_fault()
DELAY = _BadLinkConditions(
    "delay", "messages take long", Harm.TRUST, draw_delay_us, _delay, "messages take up to {} us longer"
).as_fault()
DUPLICATE = _BadLinkConditions(
    "duplicate", "some messages arrive twice", Harm.REPEATS, draw_share, _repeat, "{} % of the messages arrive twice"
).as_fault()
OVERTAKE = _BadLinkConditions(
    "overtake", "messages of the urgent lane overtake those of the normal one", Harm.TRUST, draw_delay_us, _hold,
    "normal messages take up to {} us longer and urgent ones overtake them",
).as_fault()  # fmt: skip
