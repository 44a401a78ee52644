"""Worlds of invocation large enough for one call."""

from functools import cache

from gridproof_model.language import State
from gridproof_model.language.domains import Array, Set
from gridproof_model.language.run import Runner
from gridproof_model.language.values import default_value
from gridproof_model.specifications.invocation import specification

PLENTY = 1_000_000
"""Of what only bounds a world: crashes, losses, migrations."""
ATTEMPTS = 250
"""Before the caller gives up, as delivered (reference replication 1.5)."""
ATTEMPTS_AT_FIRST = 4


@cache
def runner_of(backups: int, members: int, attempts: int) -> Runner:
    """Return the world of a call with so many backups, members that matter to it, and attempts."""
    return Runner(
        specification.world(
            members=members,
            sync_backups=backups,
            async_backups=0,
            attempts=attempts,
            crashes=PLENTY,
            losses=PLENTY,
            migrations=PLENTY,
        )
    )


def moved_to(runner: Runner, state: State) -> State:
    """Return a state of a smaller world as one of a larger: new members are listed and up, new attempts not made."""
    changes = {}
    for variable in runner.world.variables:
        value = state[variable.name]
        if isinstance(variable.domain, Array | Set) and len(value) < variable.domain.index.size:
            is_membership = variable.name in ("callers_list", "listed", "is_up")
            filler = True if is_membership else default_value(variable.domain.element)
            value = (*value, *[filler] * (variable.domain.index.size - len(value)))
        changes[variable.name] = value
    acknowledgement = changes["acknowledgement"]
    width = len(changes["is_up"])
    changes["acknowledgement"] = tuple((*row, *[False] * (width - len(row))) for row in acknowledgement)
    return state.replaced(changes)
