"""Worlds of `streams` large enough for whole runs."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_model.language import Specification, World
from gridproof_model.specifications.streams import specification as streams
from gridproof_properties.refinement.behaviour import Size
from gridproof_properties.validation.engine import GivenUpError

RECORDS_MAX = 2_000
NUMBERS_MAX = 60_000
"""In the executions and snapshots of a state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeOfStreams(Size):
    """How large the world of one job is."""

    SPECIFICATION: ClassVar[Specification] = streams
    PLENTIFUL: ClassVar[tuple[str, ...]] = ("ids", "endings", "removals", "omissions", "exposures")
    MEMBERS_MAX: ClassVar[int] = 64
    shards: int
    partitions: int
    items: int
    strict: bool
    executions: int = 8
    snapshots: int = 16
    writes: int = RECORDS_MAX

    @property
    def numbers(self) -> int:
        """About how many numbers its executions and snapshots take."""
        pairs = (self.shards + 1) * (self.partitions + 1)
        return 4 * pairs * self.executions + 2 * pairs * self.snapshots

    def world(self) -> World:
        """Return the world; GivenUpError where it would have too many numbers."""
        if self.numbers > NUMBERS_MAX:
            raise GivenUpError("more executions and snapshots of so many partitions than are kept")
        return Size.world(self)
