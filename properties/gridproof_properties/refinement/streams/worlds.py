"""Worlds of `streams` large enough for whole runs."""

from copy import copy
from dataclasses import dataclass
from functools import cache

from gridproof_model.language.run import Runner
from gridproof_model.specifications.streams import specification
from gridproof_properties.validation.engine import GivenUpError

PLENTY = 1_000_000
"""Of what only bounds a world: ids, endings, removals, omissions, exposures."""
RECORDS_MAX = 2_000
MEMBERS_MAX = 64
"""Those that have ended counted; what members know of each other grows with the square."""
NUMBERS_MAX = 60_000
"""In the executions and snapshots of a state."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a world is; a behaviour goes on in a larger one when something does not find room."""

    shards: int
    partitions: int
    items: int
    is_strict: bool
    members: int = 8
    executions: int = 8
    snapshots: int = 16

    @property
    def numbers(self) -> int:
        """About how many numbers its executions and snapshots take."""
        pairs = (self.shards + 1) * (self.partitions + 1)
        return 4 * pairs * self.executions + 2 * pairs * self.snapshots


@cache
def runner_of(size: Size) -> Runner:
    """Return the world of one job; GivenUpError where it would be too large."""
    if size.members > MEMBERS_MAX:
        raise GivenUpError(f"more than {MEMBERS_MAX} members")
    if size.numbers > NUMBERS_MAX:
        raise GivenUpError("more executions and snapshots of so many partitions than are kept")
    rules = copy(specification)
    rules.claims = []  # a run is held against the actions alone, and every size of a job needs a world
    return Runner(
        rules.world(
            members=size.members,
            shards=size.shards,
            partitions=size.partitions,
            items=size.items,
            executions=size.executions,
            snapshots=size.snapshots,
            strict=size.is_strict,
            ids=PLENTY,
            writes=RECORDS_MAX,
            endings=PLENTY,
            removals=PLENTY,
            omissions=PLENTY,
            exposures=PLENTY,
        )
    )
