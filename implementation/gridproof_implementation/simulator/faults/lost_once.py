"""The first messages of some kinds get lost."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    draw_address_index,
    draw_length,
    draw_moment,
    say_members,
)
from gridproof_implementation.simulator.links import Loss
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

COUNTS = (1, 1, 2, 3)


def draw(rng: Random, setting: Setting) -> FaultEvent:
    """Draw one sender, how many of each kind get lost, and which kinds: any share of all of them."""
    share = rng.random()
    kinds = [kind for kind in setting.messages if rng.random() < share] or [rng.choice(setting.messages)]
    return FaultEvent(
        "lost-once",
        draw_moment(rng, setting),
        draw_length(rng, setting),
        (draw_address_index(rng, setting),),
        rng.choice(COUNTS),
        " ".join(kinds),
    )


def inject(world: World, fault_event: FaultEvent) -> bool:
    """Lose what is sent there next: the orders and answers that have to be given once more."""
    world.links.losses[fault_event.address_indices[0]] = Loss(frozenset(fault_event.step.split()), fault_event.amount)
    return True


def heal(world: World, fault_event: FaultEvent) -> None:
    """Lose nothing more."""
    world.links.losses.pop(fault_event.address_indices[0], None)


def why_none_lost(world: World, fault_event: FaultEvent) -> str:
    """Say that no such message was sent, where that is so."""
    loss = world.links.losses.get(fault_event.address_indices[0])
    return "" if loss is None or loss.met else "it sent none of those messages"


def describe(fault_event: FaultEvent) -> str:
    """Say whose, which and how many."""
    kinds = fault_event.step.split()
    which = kinds[0] if len(kinds) == 1 else f"each of {len(kinds)} kinds of messages"
    return (
        f"{say_members(fault_event.address_indices)}: the first {fault_event.amount} of {which} that it sends get lost"
    )


FAULT = Fault(
    "lost-once", "the first messages of some kinds get lost", Harm.MESSAGES | Harm.TRUST, draw, inject, heal, describe,
    needs=Needs.OTHERS, came_to_nothing=why_none_lost,
)  # fmt: skip
