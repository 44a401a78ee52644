"""The whole network loses messages, or brings backups late.

Not drawn by a seed: a user names how much, as a share of all messages or as a distribution of times.
"""

from random import Random

from gridproof_implementation.simulator.distribution_text import read_distribution
from gridproof_implementation.simulator.distributions import Distribution
from gridproof_implementation.simulator.fault import (
    Fault,
    Harm,
    Needs,
    Setting,
    draw_length,
    draw_moment,
    say_members,
)
from gridproof_implementation.simulator.links import LinkConditions
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_implementation.simulator.world import World

MILLION = 1_000_000
SHARES = (1_000, 10_000, 100_000)
"""Of a million messages."""
LAGS = ("exponential(5ms)", "uniform(1ms,50ms)", "lognormal(20ms,1)")


def draw_loss(rng: Random, setting: Setting) -> FaultEvent:
    """Draw how many of a million messages, on all links."""
    at_ms, for_ms = draw_moment(rng, setting), draw_length(rng, setting)
    return FaultEvent("loss", at_ms, for_ms, tuple(range(setting.address_count)), rng.choice(SHARES))


def draw_lag(rng: Random, setting: Setting) -> FaultEvent:
    """Draw how much later messages are, on all links."""
    at_ms, for_ms = draw_moment(rng, setting), draw_length(rng, setting)
    return FaultEvent("lag", at_ms, for_ms, tuple(range(setting.address_count)), step=rng.choice(LAGS))


def lose(world: World, fault_event: FaultEvent) -> bool:
    """Lose a share of the messages from now on."""
    for link_conditions in _between(world, fault_event.address_indices):
        link_conditions.loss_share = fault_event.amount / MILLION
    return len(fault_event.address_indices) > 1


def lose_nothing(world: World, fault_event: FaultEvent) -> None:
    """Lose no more."""
    for link_conditions in _between(world, fault_event.address_indices):
        link_conditions.loss_share = 0.0


def lag(world: World, fault_event: FaultEvent) -> bool:
    """Let updates of backups be later from now on."""
    _set_lag(world, fault_event.address_indices, read_distribution(fault_event.step))
    return len(fault_event.address_indices) > 1


def catch_up(world: World, fault_event: FaultEvent) -> None:
    """Let them be on time again; what is on its way is late."""
    _set_lag(world, fault_event.address_indices, None)


def describe_loss(fault_event: FaultEvent) -> str:
    """Say how many and where."""
    return (
        f"{fault_event.amount / 10_000:g} % of the messages get lost between {say_members(fault_event.address_indices)}"
    )


def describe_lag(fault_event: FaultEvent) -> str:
    """Say how late and where."""
    times = fault_event.step if len(fault_event.step) <= 60 else f"{fault_event.step[:60]}…"
    return f"backups are updated later by {times} between {say_members(fault_event.address_indices)}"


def _set_lag(world: World, address_indices: tuple[int, ...], distribution: Distribution | None) -> None:
    for link_conditions in _between(world, address_indices):
        link_conditions.lag = distribution


def _between(world: World, address_indices: tuple[int, ...]) -> list[LinkConditions]:
    return [world.links.at(one, other) for one in address_indices for other in address_indices if one != other]


LOSS = Fault(
    "loss", "a share of all messages gets lost, in parts per million", Harm.MESSAGES | Harm.TRUST, draw_loss, lose,
    lose_nothing, describe_loss, needs=Needs.BETWEEN,
)  # fmt: skip
LAG = Fault(
    "lag", "updates of backups take longer, by a distribution", Harm.TRUST, draw_lag, lag, catch_up, describe_lag,
    needs=Needs.BETWEEN,
)  # fmt: skip
