"""Worlds of replication large enough for whole runs."""

from functools import cache

from gridproof_model.language.run import Runner
from gridproof_model.specifications.replication import specification

PLENTY = 1_000_000
"""Of what only bounds a world: writes, losses, crashes, migrations, refusals."""
LANE_CAPACITY = 8
"""To begin with: a follower goes on in a larger world when this is too little."""


@cache
def runner_of(backups: int, lane_capacity: int = LANE_CAPACITY) -> Runner:
    """Return the world that is followed where so many backups are kept: room for all that a run may do.

    Which backups are sync makes no difference but for acknowledgements, which are `invocation`'s. The lanes run freely:
    a normal message that was sent before an urgent one may come before it. That none sent after it does the follower
    sees to.
    """
    return Runner(
        specification.world(
            members=PLENTY,
            sync_backups=backups,
            async_backups=0,
            writes=PLENTY,
            watched_write=0,
            losses=PLENTY,
            crashes=PLENTY,
            migrations=PLENTY,
            refusals=PLENTY,
            lane_capacity=lane_capacity,
            urgent_first=False,
        )
    )
