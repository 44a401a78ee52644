"""A state of a small world, as a state of a larger one."""

from collections.abc import Callable
from typing import Any

from gridproof_model.language import Array, Domain, Plain, Record, Set, State, World
from gridproof_model.language.values import class_of, default_value

Widening = Callable[[Plain], Plain]
"""Makes of a value one with room for more elements."""


def widening(before: World, after: World) -> Callable[[State], State]:
    """Return what makes room in states for more elements of index sets: what is new is the first value of its domain.

    Both worlds are of one specification; sequences need nothing, and no index set may become smaller.
    """
    old = {variable.name: variable.domain for variable in before.variables}
    widenings = [_wider(old[variable.name], variable.domain) for variable in after.variables]

    def widened(state: State) -> State:
        pairs = zip(widenings, state.values, strict=True)
        return State(state.names, tuple(value if widen is None else widen(value) for widen, value in pairs))

    return widened


def _wider(before: Domain[Any], after: Domain[Any]) -> Widening | None:
    """Return how values of a domain get wider, None where they stay as they are."""
    match before, after:
        case Set(), Set():
            return _with_more((False,) * (after.index.size - before.index.size))
        case Array(), Array():
            new = (default_value(after.element),) * (after.index.size - before.index.size)
            widen = _wider(before.element, after.element)
            return _with_more(new) if widen is None else lambda value: (*map(widen, value), *new)
        case Record(), Record():
            domains = zip(before.fields, after.fields, strict=True)
            widenings = [_wider(one[1], other[1]) for one, other in domains]
            if not any(widenings):
                return None
            record = class_of(after)
            return lambda value: record(
                *(part if widen is None else widen(part) for widen, part in zip(widenings, value, strict=True))
            )
        case _:
            return None


def _with_more(new: tuple[Plain, ...]) -> Widening | None:
    return (lambda value: value + new) if new else None
