"""Worlds of `calls` large enough for one call of a run."""

from functools import cache

from gridproof_model.language import SpecificationError
from gridproof_model.language.run import Runner
from gridproof_model.specifications.calls import specification
from gridproof_properties.validation.engine import GivenUpError

PLENTY = 1_000_000
"""Of what only bounds a world: changes, endings, requests taken up, retries."""
MEMBERS = 8
MEMBERS_MAX = 72
"""Those that have ended counted; what members may learn grows with the square."""
ATTEMPTS = 4
"""To begin with: a behaviour goes on in a larger world when these are too little."""
ATTEMPTS_MAX = 1_024


@cache
def runner_of(backups: int, members: int, attempts: int, *, serves_stale_reads: bool) -> Runner:
    """Return the world of a call with so many backups at most; GivenUpError where it would be too large."""
    try:
        world = specification.world(
            members=members,
            backups=backups,
            attempts=attempts,
            retries=PLENTY,
            handlings=PLENTY,
            changes=PLENTY,
            endings=PLENTY,
            serves_stale_reads=serves_stale_reads,
        )
    except SpecificationError:
        raise GivenUpError(f"more than {attempts // 4} attempts among {members} members") from None
    return Runner(world)
