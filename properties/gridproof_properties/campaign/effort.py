"""How much splitting simulates, and with which random seed."""

from dataclasses import dataclass

UNSEEN = "unseen"
"""The word that selects the cells whose runs have shown no loss."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The effort of splitting: independent batches, each of which has `trials` trials in each level."""

    trials: int = 100
    batches: int = 30
    """The number of batches, at least three, from which the interval is computed."""
    seed: int = 0
    workers: int | None = None
    """The number of parallel processes, by default one per core; it changes nothing but the time."""
