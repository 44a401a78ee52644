"""The first messages of some kinds get lost."""

from random import Random

from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Setting,
    draw_length,
    draw_moment,
    draw_seat,
    say_seats,
)
from gridproof_implementation.simulator.links import Loss
from gridproof_implementation.simulator.scenario import Strike
from gridproof_implementation.simulator.world import World

COUNTS = (1, 1, 2, 3)


def draw(rng: Random, setting: Setting) -> Strike:
    """One sender, how many of each kind get lost, and which kinds: any share of all of them."""
    share = rng.random()
    kinds = [kind for kind in setting.messages if rng.random() < share] or [rng.choice(setting.messages)]
    return Strike(
        "lost-once",
        draw_moment(rng, setting),
        draw_length(rng, setting),
        (draw_seat(rng, setting),),
        rng.choice(COUNTS),
        " ".join(kinds),
    )


def strike(world: World, strike: Strike) -> bool:
    """Lose what is sent there next: the orders and answers that have to be given once more."""
    world.links.losses[strike.seats[0]] = Loss(frozenset(strike.step.split()), strike.amount)
    return True


def heal(world: World, strike: Strike) -> None:
    """Lose nothing more."""
    world.links.losses.pop(strike.seats[0], None)


def tell(strike: Strike) -> str:
    """Say whose, which and how many."""
    kinds = strike.step.split()
    which = kinds[0] if len(kinds) == 1 else f"each of {len(kinds)} kinds of messages"
    return f"{say_seats(strike.seats)}: the first {strike.amount} of {which} that it sends get lost"


FAULT = Fault(
    "lost-once", "the first messages of some kinds get lost", Harm.MESSAGES | Harm.TRUST, draw, strike, heal, tell
)
