"""Definitions for recomputed tables of papers.

A paper has cells: published values with their inputs, and what gridproof computes from these inputs alone. A tolerance
is part of the catalogue, and has a reason: what the model leaves out, or the paper's own sampling. This module names no
paper: the papers are in `papers/`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from zlib import crc32

import numpy as np
from numpy.random import Generator

from gridproof_properties.intervals import Interval


class Comparison(StrEnum):
    """The result of comparing a recomputed cell with the published value."""

    WITHIN = "within"
    """The whole interval is within the tolerance."""
    OUTSIDE = "outside"
    """No part of the interval is within the tolerance."""
    UNDECIDED = "undecided"
    """The interval overlaps an edge of the tolerance: more runs would decide."""
    UNREAD = "not counted"
    """The published value was not read in the paper itself: a value near it confirms nothing, and a value far from it
    refutes nothing."""
    IMPOSSIBLE = "cannot be recomputed"
    """The paper does not state what a computation needs; the cell has the reason."""
    BESIDE = "shown beside"
    """No value was published; the cell shows the same measure of something else, for comparison."""


COMPARED = (Comparison.WITHIN, Comparison.OUTSIDE, Comparison.UNDECIDED)
"""The comparisons that are counted."""


class Origin(StrEnum):
    """Where a published value was taken from."""

    PRINTED = "printed"
    """A number that the paper prints."""
    RECALLED = "recalled"
    """A number from the paper, but taken from notes or from memory and not read in the paper again."""
    FORMULA = "formula"
    """The value of a formula from the paper at these inputs."""


@dataclass(frozen=True, slots=True)
class Published:
    """A published value as the paper writes it, such as `0.037` or `4.0e-6`."""

    text: str
    origin: Origin = Origin.PRINTED

    @property
    def value(self) -> float:
        """The value as a number."""
        return float(Decimal(self.text))

    @property
    def unit(self) -> float:
        """One unit of the last printed digit; 0 for a formula and for the value 0."""
        exponent = Decimal(self.text).as_tuple().exponent
        is_exact = self.origin is Origin.FORMULA or self.value == 0
        return 0.0 if is_exact or not isinstance(exponent, int) else 10.0**exponent


def formula(value: float, form: str = ".6g") -> Published:
    """Return the value of a paper's formula at gridproof's inputs, written in the given format."""
    return Published(f"{value:{form}}", Origin.FORMULA)


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a recomputed value may be from the published one, and the reason."""

    why: str
    relative: float = 0.0
    """A share of the published value, or of its distance from `trivial` if this distance is less."""
    absolute: float = 0.0
    """An absolute tolerance, in the unit of the cell."""
    trivial: float | None = None
    """The value at which a result says nothing: 1 for a share (its distance from 1 matters as much), or for a ratio to
    the mean."""
    is_cut: bool = False
    """Whether the printed value was truncated instead of rounded: then the true value is not lower."""

    def bounds(self, published: Published) -> tuple[float, float]:
        """Return the lowest and the highest recomputed value that is within the tolerance."""
        value, unit = published.value, published.unit
        matters = abs(value) if self.trivial is None else min(abs(value), abs(value - self.trivial))
        apart = self.relative * matters + self.absolute
        below, above = (0.0, unit) if self.is_cut else (unit / 2, unit / 2)
        return value - below - apart, value + above + apart

    def text(self, published: Published) -> str:
        """Return the bounds as text for readers: `±0.5`, or `-0 +0.1`."""
        below, above = (abs(bound - published.value) for bound in self.bounds(published))
        return f"-{below:.2g} +{above:.2g}" if self.is_cut else f"±{above:.2g}"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; without a published value it is only shown; without a recomputed value it has a reason."""

    place: str
    """The table, the row and the column of the cell."""
    inputs: str
    """The inputs of the computation."""
    published: Published | None
    tolerance: Tolerance | None
    ours: Interval | None
    note: str = ""
    """The reason why the cell cannot be recomputed, or an explanation of a difference."""
    unit: str = ""

    @property
    def name(self) -> str:
        """The cell's table, row and column, and the unit of its values."""
        return f"{self.place} [{self.unit}]" if self.unit else self.place

    @property
    def comparison(self) -> Comparison:
        """How the recomputed value compares with the published one."""
        if self.published is None:
            return Comparison.BESIDE
        if self.ours is None or self.tolerance is None:
            return Comparison.IMPOSSIBLE
        if self.published.origin is Origin.RECALLED:
            return Comparison.UNREAD
        least, most = self.tolerance.bounds(self.published)
        if least <= self.ours.low and self.ours.high <= most:
            return Comparison.WITHIN
        if self.ours.high < least or most < self.ours.low:
            return Comparison.OUTSIDE
        return Comparison.UNDECIDED

    @property
    def difference(self) -> float | None:
        """The recomputed value minus the published one, in the unit of the cell; None unless both exist."""
        if self.published is None or self.ours is None:
            return None
        return self.ours.value - self.published.value


@dataclass(frozen=True, slots=True)
class Effort:
    """The seed of a computation, and how much work it may do."""

    seed: int = 0
    share: float = 1.0
    """The share of a paper's full number of runs that is computed; with a smaller share, intervals are wider."""

    def runs(self, full: int) -> int:
        """Return how many runs to compute, given the full number; at least 30."""
        return max(30, round(full * self.share))

    def dice(self, label: str) -> Generator:
        """Return the random generator of one simulation.

        Each simulation has a generator of its own, made from the seed and a label, so that earlier computations do not
        affect it.
        """
        return np.random.default_rng([self.seed, crc32(label.encode())])


Recompute = Callable[[Effort], Iterator[Cell]]
"""A function that yields cells as they are computed; equal efforts give equal cells."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A publication, some cells of which are recomputed."""

    name: str
    """The name of the paper, one word that users type."""
    citation: str
    """The authors, the title, and where and when the paper was published."""
    summary: str
    """A line on what is recomputed."""
    with_what: str
    """Which parts of gridproof are used, and which code was written for this paper alone."""
    read_in: str
    """The source in which the published values were read."""
    seconds: int
    """Roughly how many seconds a full computation takes on one core; the slowest paper is started first."""
    recompute: Recompute


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The cells of a paper after their computation."""

    name: str
    """The name of the paper."""
    effort: Effort
    cells: Sequence[Cell]

    @property
    def notes(self) -> Sequence[str]:
        """The notes of all cells, without repetition; the number of a note is its position here, from 1."""
        return list(dict.fromkeys(cell.note for cell in self.cells if cell.note))

    def count(self, comparison: Comparison, *origins: Origin) -> int:
        """Return how many cells have this comparison; with `origins`, only cells with a value of these origins."""
        return sum(
            cell.comparison is comparison
            and (not origins or (cell.published is not None and cell.published.origin in origins))
            for cell in self.cells
        )

    def summary(self) -> str:
        """Return how many cells there are of each comparison, with printed numbers and formulas counted separately."""
        printed, formulas = (self._counts(origin) for origin in (Origin.PRINTED, Origin.FORMULA))
        rest = [
            f"{self.count(comparison)} {comparison.value}"
            for comparison in Comparison
            if comparison not in COMPARED and self.count(comparison)
        ]
        parts = [f"of printed numbers {printed}"] * bool(printed) + [f"of formulas {formulas}"] * bool(formulas) + rest
        return "; ".join(parts)

    def _counts(self, origin: Origin) -> str:
        counts = [(self.count(comparison, origin), comparison.value) for comparison in COMPARED]
        return ", ".join(f"{number} {word}" for number, word in counts if number)
