"""A run of the campaign, as reach plays it."""

from collections.abc import Sequence

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_model.trace import Record


def play_seed(seed: int) -> None:
    """Simulate what a seed draws, and judge nothing."""
    _play(seed, DrawOptions())


def play_varied_seed(seed: int, *faults: str) -> None:
    """Simulate what a seed of varied runs draws, or one of runs with some kinds of faults, and judge nothing."""
    _play(seed, varied(faults))


def varied(faults: Sequence[str]) -> DrawOptions:
    """Return the options of a search: what `--vary` draws, or runs with these kinds of faults alone."""
    return DrawOptions(faults=tuple(faults)) if faults else DrawOptions(is_varied=True)


def _play(seed: int, draw_options: DrawOptions) -> None:
    try:
        simulate(draw_scenario(seed, draw_options), nobody, recorded=())
    except Exception:
        return  # what a failing member reached is reached; that it failed is for the campaign to say


def nobody(record: Record) -> None:
    """See a record, and do nothing."""
