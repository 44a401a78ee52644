"""A run of the campaign, as reach plays it."""

from gridproof_implementation.simulator.draw import DrawOptions, draw_scenario
from gridproof_implementation.simulator.run import simulate
from gridproof_model.trace import Record


def play_seed(seed: int) -> None:
    """Simulate what a seed draws, and judge nothing."""
    try:
        simulate(draw_scenario(seed, DrawOptions()), _nobody, told=())
    except Exception:
        return  # what a failing member reached is reached; that it failed is for the campaign to tell


def _nobody(record: Record) -> None:
    """See a record, and do nothing."""
