"""Worlds small enough to be drawn state by state.

Chosen by hand, among those of at most 120 states, for what can be seen in them.
"""

from collections.abc import Mapping, Sequence
from enum import Enum

from gridproof_model.language import World
from gridproof_model.language.values import Plain

DRAWN_WORLDS: Mapping[str, Mapping[str, Plain]] = {
    "two_phase_commit": {"size": 2},
    "ownership": {"members": 2, "orders": 0},
    "invocation": {
        "backups": 0, "attempts": 1, "retries": 0, "handlings": 1, "changes": 0, "endings": 0,
        "waiting_operations": False, "other_refusals": False, "last_steps": False, "departures": False,
    },
    "snapshot": {"at_once": True, "members": 1, "items": 0, "endings": 0, "removals": 0, "stops": 0},
}  # fmt: skip
"""By specification, the constants that differ from their defaults."""
TOO_LARGE = frozenset({"durability", "replication"})
"""What was sent stays under way for ever there: worlds of at most 120 states show no claim."""


def command_for_smaller(world: World) -> str | None:
    """Return the line that explores and draws a smaller world of the same specification, or None if none is known."""
    constants = DRAWN_WORLDS.get(world.name)
    is_known = constants is not None and constants.keys() <= dict(world.constants).keys()
    return None if constants is None or not is_known else explore_line(world.name, constants, besides=["--out smaller"])


def explore_line(
    specification: str,
    constants: Mapping[str, Plain],
    *,
    symmetry: bool = False,
    eventually: bool = True,
    memory_mib: int | None = None,
    besides: Sequence[str] = (),
) -> str:
    """Return the command that explores a world, as it is typed; `besides` are further options."""
    settings = [f"--set {name}={typed_constant(value)}" for name, value in constants.items()]
    options = [
        *(["--symmetry"] if symmetry else []),
        *([] if eventually else ["--no-eventually"]),
        *([f"--memory {memory_mib}"] if memory_mib is not None else []),
        *besides,
    ]
    return " ".join(["gridproof explore", specification, *settings, *options])


def typed_constant(value: Plain) -> str:
    """Return a constant as `--set` reads it."""
    if isinstance(value, Enum):
        return value.name.lower()
    return str(value).lower() if isinstance(value, bool) else str(value)
