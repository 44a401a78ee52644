"""Who held copies of a partition, and took them along."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EndedCopy:
    """A copy that ended with its member."""

    at_ms: int
    member: int
    rest: int
    """How many rests there had been."""
    is_given: bool = False
    """Whether the member had handed it to others by then, perhaps to its own half of a split only."""
    over: int = 0
    """It is missing for whoever needs more copies than that: those that stay keep so many."""


@dataclass(frozen=True, slots=True)
class SeenRow:
    """Who held a partition, as some member had it."""

    at_ms: int
    by: int
    holders: tuple[int, ...]
    rest: int
