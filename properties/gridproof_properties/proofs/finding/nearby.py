"""Well-formed states, whether anything leads to them or not: near explored ones, near one, and anywhere."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_model.language.cells import width
from gridproof_model.language.domains import Array, Domain, Record, Sequence, Set
from gridproof_properties.explorer.numpy_kernel import NumpyKernel
from gridproof_properties.explorer.packing import Words

Rows = NDArray[np.int64]
"""States as numbers: shape (cells, states)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Cells that change together: one number, or a whole sequence."""

    start: int
    size: int
    family: tuple[str, ...]
    """Variable and fields: what it may be exchanged for has the same."""


@dataclass(frozen=True)
class Nearby:
    """Makes states of a world out of explored ones."""

    kernel: NumpyKernel
    states: Words
    rng: np.random.Generator

    def drawn(self, count: int, changes: int) -> Words:
        """Return states in which up to so many units come from elsewhere; with 0 changes, all numbers are drawn."""
        rows, others = self._some(count), self._some(count)
        for unit in self._units:
            if changes == 0:
                self._change(rows, others, unit, np.arange(count), from_others=np.full(count, unit.size > 1))
        how_many = self.rng.integers(1, max(changes, 1) + 1, count)
        for change in range(changes):
            which = self.rng.integers(0, len(self._units), count)
            for number, unit in enumerate(self._units):
                at = np.flatnonzero((which == number) & (how_many > change))
                self._change(rows, others, unit, at, from_others=self.rng.random(at.size) < 0.5)
        return np.unique(self.kernel.packing.pack(rows.T), axis=1)

    def around(self, row: tuple[int, ...], most: int) -> Words:
        """Return one state, and states that differ from it in one number outside sequences."""
        made = [row]
        for unit in self._units:
            cell = self.kernel.world.cells[unit.start]
            if unit.size == 1 and cell.low is not None and cell.high is not None:
                others = (value for value in range(cell.low, cell.high + 1) if value != row[unit.start])
                made += [(*row[: unit.start], value, *row[unit.start + 1 :]) for value in others]
        if len(made) > most:
            made = [made[0], *(made[n] for n in np.sort(self.rng.permutation(len(made) - 1)[: most - 1] + 1))]
        return self.kernel.packing.pack(made)

    def _some(self, count: int) -> Rows:
        columns = self.kernel.columns(self.states[:, self.rng.integers(0, self.states.shape[1], count)])
        return np.array([columns(cell.number) for cell in self.kernel.world.cells], dtype=np.int64)

    def _change(self, rows: Rows, others: Rows, unit: Unit, at: NDArray[Any], from_others: NDArray[Any]) -> None:
        """Put into some states what a unit of the same family has in another, or a number at random."""
        like = self._families[unit.family]
        source = like[int(self.rng.integers(0, len(like)))]
        rows[unit.start : unit.start + unit.size, at] = others[source.start : source.start + source.size, at]
        cell, drawn = self.kernel.world.cells[unit.start], at[~from_others]
        if unit.size == 1 and cell.low is not None and cell.high is not None:
            rows[unit.start, drawn] = self.rng.integers(cell.low, cell.high + 1, drawn.size)

    @cached_property
    def _units(self) -> tuple[Unit, ...]:
        units: list[Unit] = []
        for variable in self.kernel.world.world.variables:
            for size, family in _units(variable.domain, (variable.name,)):
                start = units[-1].start + units[-1].size if units else 0
                units.append(Unit(start, size, family))
        return tuple(units)

    @cached_property
    def _families(self) -> dict[tuple[str, ...], list[Unit]]:
        families: dict[tuple[str, ...], list[Unit]] = {}
        for unit in self._units:
            families.setdefault(unit.family, []).append(unit)
        return families


def _units(domain: Domain[Any], family: tuple[str, ...]) -> Iterator[tuple[int, tuple[str, ...]]]:
    match domain:
        case Array() | Set():
            for _ in range(domain.index.size):
                yield from _units(domain.element, family)
        case Record(fields=fields):
            for name, inner in fields:
                yield from _units(inner, (*family, name))
        case Sequence():
            yield width(domain), family
        case _:
            yield 1, family
