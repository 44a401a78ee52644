"""Maps states that differ only by renaming interchangeable things to one representative.

The representative of a class is its least state, so equal classes have equal representatives, and no class is counted
twice. If a set is used only to index arrays (no value names an element of it), the cells of its elements are sorted.
For other sets, every renaming is applied, by tables over slices of the words.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import factorial, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import width
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import IndexSet, Option
from gridproof_model.language.permute import Renaming, exchanges, interchangeable, renamings
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import Domain
from gridproof_model.language.world import World
from gridproof_properties.explorer.packing import MEBIBYTE, WORD_BITS, Packing, Words, equal, initial_words
from gridproof_properties.explorer.slices import Move, Slices

RENAMINGS_MAX = 1_000


@dataclass(frozen=True, slots=True)
class Use:
    """How one cell depends on unordered index sets."""

    indices: tuple[tuple[IndexSet, int], ...]
    """The array positions in the path to the cell."""
    names: IndexSet | None
    """The set whose elements the cell's value names; None if there is none."""
    is_optional: bool


@dataclass(frozen=True)
class CanonicalForm:
    """Maps each state to the representative of its class."""

    represented: Callable[[Words], Words]
    kept: tuple[int, ...]
    """The bits of each word that no renaming changes, which are therefore equal in all states of a class."""

    def is_in_class(self, words: Words, representative: tuple[int, ...]) -> NDArray[np.bool_]:
        """Return for each state whether it is in the class of a given representative."""
        hits = equal(words, representative, self.kept)
        candidates = np.flatnonzero(hits)
        if candidates.size:
            hits[candidates] = equal(self.represented(words[:, candidates]), representative)
        return hits


def canonical_form(world: World, packing: Packing, memory_bytes: int) -> CanonicalForm:
    """Return the function that maps states to representatives; raise SpecificationError if the world is not symmetric,
    has too many renamings, or needs tables that are too large."""
    uses = [use for variable in world.variables for use in _uses(variable.domain, ())]
    _refuse_unlike_starts(world, packing, uses, memory_bytes)
    kept = [0] * packing.words
    for place, use in zip(packing.places, uses, strict=True):
        if not {use.names, *(index for index, _ in use.indices)} & set(interchangeable(world)):
            kept[place.word] |= place.mask
    return CanonicalForm(_represented(world, packing, uses, memory_bytes), tuple(kept))


def _represented(world: World, packing: Packing, uses: list[Use], memory_bytes: int) -> Callable[[Words], Words]:
    sets = interchangeable(world)
    if len(sets) == 1 and _only_indexes(uses, sets[0]):
        columns = _columns(uses, sets[0])
        if sum(packing.places[cell].bits for cell in columns[0]) <= WORD_BITS:
            return SortedColumns(packing, columns)
    size = group_size(world)
    if size > RENAMINGS_MAX:
        problem = f"symmetry would try {size:,} renamings of elements, but the limit is {RENAMINGS_MAX:,}"
        raise SpecificationError(f"{problem}: explore without symmetry", at=world.title)
    tables: list[Slices] = []
    for renaming in renamings(world):
        tables.append(Slices.of(packing, _moves(uses, renaming)))
        if 4 * sum(table.bytes for table in tables) > memory_bytes:
            limit = f"{memory_bytes / MEBIBYTE:,.0f} MiB: use no symmetry"
            problem = f"the tables of {size:,} renamings take more than a quarter of {limit}"
            raise SpecificationError(problem, at=world.title)
    return LeastRenaming(tuple(tables))


def group_size(world: World) -> int:
    """Return the number of renamings."""
    return prod(factorial(index.size) for index in interchangeable(world))


@dataclass(frozen=True)
class LeastRenaming:
    """Applies every renaming to a state and keeps the least result."""

    tables: tuple[Slices, ...]

    def __call__(self, words: Words) -> Words:
        """Return the representatives of these states."""
        best = words
        for table in self.tables[1:]:
            best = _least(best, table.applied(words))
        return best


@dataclass(frozen=True)
class SortedColumns:
    """Sorts the elements of one set by the values of their cells."""

    packing: Packing
    columns: tuple[tuple[int, ...], ...]
    """For each element, its cells, in the same order for all elements."""

    def __call__(self, words: Words) -> Words:
        """Return the representatives of these states."""
        keys = np.zeros((words.shape[1], len(self.columns)), dtype=np.uint64)
        shifts = self._shifts()
        result = words.copy()
        for element, cells in enumerate(self.columns):
            for cell, shift in zip(cells, shifts, strict=True):
                place = self.packing.places[cell]
                code = (words[place.word] & np.uint64(place.mask)) >> np.uint64(place.shift)
                keys[:, element] |= code << np.uint64(shift)
                result[place.word] &= ~np.uint64(place.mask)
        keys.sort(axis=1)
        for element, cells in enumerate(self.columns):
            for cell, shift in zip(cells, shifts, strict=True):
                place = self.packing.places[cell]
                code = (keys[:, element] >> np.uint64(shift)) & np.uint64(place.mask >> place.shift)
                result[place.word] |= code << np.uint64(place.shift)
        return result

    def _shifts(self) -> list[int]:
        bits = [self.packing.places[cell].bits for cell in self.columns[0]]
        return [sum(bits[:number]) for number in range(len(bits))]


def _least(one: Words, other: Words) -> Words:
    is_less: NDArray[np.bool_] = np.zeros(one.shape[1], dtype=bool)
    is_equal = ~is_less
    for a, b in zip(one, other, strict=True):
        is_less |= is_equal & (b < a)
        is_equal &= a == b
    return np.where(is_less, other, one)


def _only_indexes(uses: list[Use], index: IndexSet) -> bool:
    """Return whether no cell names an element of the set, and no cell's path contains two of its elements."""
    return all(use.names != index and [known for known, _ in use.indices].count(index) <= 1 for use in uses)


def _columns(uses: list[Use], index: IndexSet) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(cell for cell, use in enumerate(uses) if (index, element) in use.indices) for element in range(index.size)
    )


def _moves(uses: list[Use], renaming: Renaming) -> list[Move]:
    """Return for every cell where a renaming moves it, and what its value becomes."""
    keys = _keys(uses)
    cells = {key: cell for cell, key in enumerate(keys)}
    moves: list[Move] = []
    for use, (place, *path) in zip(uses, keys, strict=True):
        there = tuple((index, renaming[index][at] if index in renaming else at) for index, at in path)
        named = renaming.get(use.names) if use.names is not None else None
        values = None if named is None else ((0, *(v + 1 for v in named)) if use.is_optional else named)
        moves.append(Move(cells[(place, *there)], values))
    return moves


def _keys(uses: list[Use]) -> list[tuple[Any, ...]]:
    """Return for each cell its array positions, after a number that distinguishes cells with the same positions."""
    counters: dict[tuple[Any, ...], int] = {}
    keys: list[tuple[Any, ...]] = []
    for use in uses:
        family = (use.indices,)
        number = counters.get(family, 0)
        counters[family] = number + 1
        keys.append((number, *use.indices))
    return keys


def _uses(domain: Domain[Any], indices: tuple[tuple[IndexSet, int], ...]) -> Iterator[Use]:
    match domain:
        case Array(index=index) | Set(index=index):
            for position in range(index.size):
                yield from _uses(domain.element, (*indices, (index, position)))
        case Record(fields=fields):
            for _, inner in fields:
                yield from _uses(inner, indices)
        case Sequence(element=element, capacity=capacity):
            yield Use(indices, None, is_optional=False)
            for use in [use for _ in range(capacity) for use in _uses(element, indices)]:
                if use.names is not None and not use.names.ordered and not use.is_optional:
                    raise SpecificationError(
                        f"symmetry needs a sequence of Option({use.names.name}), not of {use.names.name}", at="explore"
                    )
                yield use
        case Option(inner=IndexSet() as index):
            yield Use(indices, index, is_optional=True)
        case IndexSet():
            yield Use(indices, domain, is_optional=False)
        case _:
            yield from (Use(indices, None, is_optional=False) for _ in range(width(domain)))


def _refuse_unlike_starts(world: World, packing: Packing, uses: list[Use], memory_bytes: int) -> None:
    starts = initial_words(world, packing, memory_bytes)
    starts = starts[:, np.lexsort(starts)]
    for renaming in exchanges(world):
        renamed = Slices.of(packing, _moves(uses, renaming)).applied(starts)
        if not np.array_equal(renamed[:, np.lexsort(renamed)], starts):
            problem = "elements that symmetry would exchange start differently: explore without symmetry"
            raise SpecificationError(problem, at=world.title)
