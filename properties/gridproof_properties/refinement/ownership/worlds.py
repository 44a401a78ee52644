"""Worlds of ownership large enough for whole runs."""

from functools import cache

from gridproof_model.language.run import Runner
from gridproof_model.specifications.ownership import specification

PLENTY = 1_000_000
"""Of what only bounds a world: versions, crashes, failures, moves."""


@cache
def runner_of(members: int, slots: int) -> Runner:
    """Return the world of one partition among so many members, each a group of its own, in a row of so many slots."""
    return Runner(
        specification.world(
            members=members,
            groups=members,
            backups=slots - 1,
            crashes=PLENTY,
            rebalances=PLENTY,
            failures=PLENTY,
            versions=PLENTY,
        )
    )
