"""How much splitting simulates, and by which dice."""

from dataclasses import dataclass

UNSEEN = "unseen"
"""The choice of those cells whose runs have shown no loss."""


@dataclass(frozen=True, slots=True)
class Effort:
    """Batches are independent; each goes through all levels, and has so many trials in each."""

    trials: int = 100
    batches: int = 30
    """At least three, of which the interval is made."""
    seed: int = 0
    workers: int | None = None
    """Processes side by side; one a core where nobody says. They change nothing but the time."""
