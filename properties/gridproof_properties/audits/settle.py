"""Waiting for a grid to come to rest.

Rest is a predicate of the grid, not a duration (systems.8). The predicate must be true at two looks in a row: a look
asks the members one after another, and a change that happens between two of these questions shows at the second look.
"""

from dataclasses import dataclass

from gridproof_implementation.adapter import Grid

LOOK_EVERY_MS = 100
LOOKS = 2
SETTLE_DEADLINE_MS = 30_000
"""How long, in its own time, a grid may take to come to rest, unless another limit is given."""


@dataclass(frozen=True, slots=True)
class Settling:
    """How a wait for rest ended."""

    settled: bool
    waited_ms: int
    awaited: str
    """What the grid still waited for at the last look; empty if the grid had settled."""

    def __str__(self) -> str:
        return f"at rest after {self.waited_ms} ms" if self.settled else f"{self.awaited}, after {self.waited_ms} ms"


def settle(grid: Grid, deadline_ms: int) -> Settling:
    """Wait until the grid is at rest, but at most `deadline_ms` of its own time."""
    begin_ms = grid.now_ms
    calm = 0
    while True:
        awaited = grid.why_unsettled()
        calm = calm + 1 if awaited is None else 0
        waited_ms = grid.now_ms - begin_ms
        if calm == LOOKS:
            return Settling(True, waited_ms, "")
        if waited_ms >= deadline_ms:
            return Settling(False, waited_ms, awaited or "one more calm look")
        grid.wait(LOOK_EVERY_MS)
