"""Renaming interchangeable elements.

No expression of a specification can distinguish the elements of an unordered index set, so renaming its elements turns
behaviours into behaviours.
"""

from collections.abc import Iterator, Mapping
from itertools import permutations, product

from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.world import World

Renaming = Mapping[IndexSet, tuple[int, ...]]
"""For each unordered index set, the new position of every element."""


def interchangeable(world: World) -> tuple[IndexSet, ...]:
    """Return the unordered index sets with more than one element."""
    return tuple(index for index in world.index_sets if not index.ordered and index.size > 1)


def renamings(world: World) -> Iterator[Renaming]:
    """Yield every renaming of elements; the first renaming changes nothing."""
    sets = interchangeable(world)
    for chosen in product(*(permutations(range(index.size)) for index in sets)):
        yield dict(zip(sets, chosen, strict=True))


def exchanges(world: World) -> Iterator[Renaming]:
    """Yield the exchanges of two neighbouring elements: what all exchanges preserve, every renaming preserves."""
    for index in interchangeable(world):
        for first in range(index.size - 1):
            places = list(range(index.size))
            places[first], places[first + 1] = first + 1, first
            yield {index: tuple(places)}
