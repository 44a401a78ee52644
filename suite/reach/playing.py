"""Plays, for reach, runs like those of a campaign."""

from collections.abc import Sequence

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import simulate
from gridproof_model.trace import Record


def play_seed(seed: int) -> None:
    """Simulate the scenario that a seed draws, without judging it."""
    _play(seed, DrawOptions())


def play_varied_seed(seed: int, *faults: str) -> None:
    """Simulate the scenario that a seed draws, varied or with some kinds of faults, without judging it."""
    _play(seed, varied(faults))


def varied(faults: Sequence[str]) -> DrawOptions:
    """Return the draw options of a search: those of `--vary`, or draw options with only these kinds of faults."""
    return DrawOptions(faults=tuple(faults)) if faults else DrawOptions(is_varied=True)


def _play(seed: int, draw_options: DrawOptions) -> None:
    try:
        simulate(draw_scenario(seed, draw_options), nobody, recorded=())
    except Exception:
        return  # points that a failing member reached count; a campaign reports the failure


def nobody(record: Record) -> None:
    """Ignore a record."""
