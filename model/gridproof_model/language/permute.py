"""Renaming interchangeable elements.

No expression of a specification can distinguish the elements of an unordered index set, so renaming them turns
behaviours into behaviours. This module has the renamings, and their effect on values and states.
"""

from collections.abc import Iterator, Mapping
from itertools import permutations, product
from typing import Any

from gridproof_model.language.expressions import IndexSet, Option
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import Plain, State, record_value
from gridproof_model.language.world import World

Renaming = Mapping[IndexSet, tuple[int, ...]]
"""For each unordered index set, the new position of every element."""


def interchangeable(world: World) -> tuple[IndexSet, ...]:
    """Return the unordered index sets with more than one element."""
    return tuple(index for index in world.index_sets if not index.ordered and index.size > 1)


def renamings(world: World) -> Iterator[Renaming]:
    """Yield every renaming; the first changes nothing."""
    sets = interchangeable(world)
    for chosen in product(*(permutations(range(index.size)) for index in sets)):
        yield dict(zip(sets, chosen, strict=True))


def exchanges(world: World) -> Iterator[Renaming]:
    """Yield the exchanges of two neighbours: a property that all of these preserve is preserved by every renaming."""
    for index in interchangeable(world):
        for first in range(index.size - 1):
            places = list(range(index.size))
            places[first], places[first + 1] = first + 1, first
            yield {index: tuple(places)}


def renamed_state(world: World, state: State, renaming: Renaming) -> State:
    """Return a state with its elements renamed."""
    values = zip(world.variables, state.values, strict=True)
    return State(state.names, tuple(renamed(variable.domain, value, renaming) for variable, value in values))


def renamed(domain: Domain[Any], value: Plain, renaming: Renaming) -> Plain:
    """Return a value with its elements renamed."""
    match domain:
        case IndexSet():
            return renaming[domain][value] if domain in renaming else value
        case Option(inner=inner):
            return None if value is None else renamed(inner, value, renaming)
        case Array(index=index) | Set(index=index):
            parts = [renamed(domain.element, part, renaming) for part in value]
            places = renaming.get(index, range(index.size))
            return tuple(part for _, part in sorted(zip(places, parts, strict=True), key=lambda pair: pair[0]))
        case Record(fields=fields):
            pairs = zip(fields, value, strict=True)
            return record_value(domain, tuple(renamed(inner, part, renaming) for (_, inner), part in pairs))
        case Sequence(element=element):
            return tuple(renamed(element, part, renaming) for part in value)
        case _:
            return value


def orbit(world: World, state: State) -> frozenset[State]:
    """Return all states that renamings make of one state."""
    return frozenset(renamed_state(world, state, renaming) for renaming in renamings(world))
