"""Worlds of `replicas` large enough for whole runs."""

from functools import cache

from gridproof_model.language.run import Runner
from gridproof_model.specifications.replicas import specification

PLENTY = 1_000_000
"""Of what only bounds a world: writes, changes, moves, checks, endings."""
MEMBERS = 8
MEMBERS_MAX = 72
"""Those that have ended counted; what members may learn grows with the square."""
MAIL_CAPACITY = 16
"""To begin with: a behaviour goes on in a larger world when these are too little."""
MAIL_MAX = 512
"""A message behind which more than so many wait counts as lost."""


@cache
def runner_of(backups: int, members: int = MEMBERS, mail_capacity: int = MAIL_CAPACITY) -> Runner:
    """Return the world in which so many backups are kept: room for all that a run may do."""
    return Runner(
        specification.world(
            members=members,
            backups=backups,
            writes=PLENTY,
            changes=PLENTY,
            moves=PLENTY,
            checks=PLENTY,
            endings=PLENTY,
            mail_capacity=mail_capacity,
        )
    )
