"""How many runs are simulated to estimate by splitting, and with which random seed."""

from dataclasses import dataclass

UNSEEN = "unseen"
"""The word that selects the cells in whose runs no loss was seen."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of splitting: independent batches, in each of which every level has `trials` trials."""

    trials: int = 100
    batches: int = 30
    """The number of batches, at least three; the interval is computed from them."""
    seed: int = 0
    workers: int | None = None
    """The number of parallel processes, by default one per core; it affects only the time that is needed."""
