"""A state of a small world, as a state of a larger one."""

from typing import Any

from gridproof_model.language import Array, Domain, Plain, Record, Set, State, World
from gridproof_model.language.values import default_value


def widened(state: State, before: World, after: World) -> State:
    """Return the state with room for more elements of index sets: what is new holds the first value of its domain.

    Both worlds are of one specification; sequences need nothing, and no index set may become smaller.
    """
    old = {variable.name: variable.domain for variable in before.variables}
    values = [
        _wider(value, old[variable.name], variable.domain)
        for value, variable in zip(state.values, after.variables, strict=True)
    ]
    return State(state.names, tuple(values))


def _wider(value: Plain, before: Domain[Any], after: Domain[Any]) -> Plain:
    match before, after:
        case Set(), Set():
            return (*value, *(False,) * (after.index.size - len(value)))
        case Array(), Array():
            cells = [_wider(cell, before.element, after.element) for cell in value]
            return (*cells, *(default_value(after.element),) * (after.index.size - len(cells)))
        case Record(), Record():
            domains = zip(before.fields, after.fields, strict=True)
            return type(value)(*(_wider(cell, a[1], b[1]) for cell, (a, b) in zip(value, domains, strict=True)))
        case _:
            return value
