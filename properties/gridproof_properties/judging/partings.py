"""Who took whom out of a list while both lived.

A cluster that falls apart does so between pairs of members, one after the other. Kept from one rest to the next.
"""

from collections.abc import Container
from dataclasses import dataclass, field

from gridproof_model.events.conditions import RemovedAlive


@dataclass(slots=True)
class Partings:
    """The pairs of members that have parted since the latest rest; mutable."""

    _first_ms: dict[tuple[int, int], int] = field(default_factory=dict)

    def observe(self, at_ms: int, removed: RemovedAlive) -> None:
        """Take in that a member has removed another one."""
        pair = min(removed.member, removed.by), max(removed.member, removed.by)
        self._first_ms.setdefault(pair, at_ms)

    def between(self, member: int, away: Container[int], otherwise: float) -> float:
        """Return when a member first parted from one that is not away; `otherwise` if it never did."""
        others = ((at_ms, sum(pair) - member) for pair, at_ms in self._first_ms.items() if member in pair)
        return min((at_ms for at_ms, other in others if other not in away), default=otherwise)

    def forget(self) -> None:
        """Begin anew: the grid is at rest."""
        self._first_ms.clear()
