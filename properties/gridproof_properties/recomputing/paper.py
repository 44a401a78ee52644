"""What a recomputed table of a paper is.

A paper has cells: what was published, with its inputs, and what gridproof computes from these inputs alone. The
tolerance is part of the catalogue and has a reason; no result changes it. Nothing here knows any paper: `papers/` holds
them.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from gridproof_properties.intervals import Interval


class Comparison(StrEnum):
    """How a recomputed cell stands to the published one."""

    WITHIN = "within"
    """The whole interval is within the tolerance."""
    OUTSIDE = "outside"
    """No part of the interval is."""
    UNDECIDED = "undecided"
    """The interval lies on the edge of the tolerance: more runs would decide."""
    IMPOSSIBLE = "cannot be recomputed"
    """The paper does not state what would be needed; the reason is in the cell."""
    BESIDE = "shown beside"
    """Nothing was published: the same measure of something else, for comparison."""


class Origin(StrEnum):
    """Where a published value was taken from."""

    PRINTED = "printed"
    """A number in the paper."""
    RECALLED = "recalled"
    """A number of the paper, taken from notes or from memory and not read there again."""
    FORMULA = "formula"
    """The value of a formula in the paper at these inputs."""


@dataclass(frozen=True, slots=True)
class Published:
    """A published value as it is written, such as `0.037` or `4.0e-6`."""

    text: str
    origin: Origin = Origin.PRINTED

    @property
    def value(self) -> float:
        """The number."""
        return float(Decimal(self.text))

    @property
    def unit(self) -> float:
        """One unit of the last digit that is printed; nothing for a formula."""
        exponent = Decimal(self.text).as_tuple().exponent
        return 0.0 if self.origin is Origin.FORMULA or not isinstance(exponent, int) else 10.0**exponent


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a recomputed value may be from the published one, and why so far."""

    why: str
    relative: float = 0.0
    """A share of the published value."""
    absolute: float = 0.0
    """In the unit of the cell."""
    units: float = 0.5
    """Units of the last digit printed: a half for a value that was rounded, one for a value that was cut off."""

    def around(self, published: Published) -> float:
        """Return the greatest difference that is within."""
        return self.units * published.unit + self.relative * abs(published.value) + self.absolute


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table; without a published value it is shown beside, without ours it has a reason."""

    place: str
    """Where it stands: the table, the row, the column."""
    inputs: str
    """What it was computed from."""
    published: Published | None
    tolerance: Tolerance | None
    ours: Interval | None
    note: str = ""
    """Why it cannot be recomputed, or what explains a difference."""
    unit: str = ""

    @property
    def comparison(self) -> Comparison:
        """How ours stands to the published value."""
        if self.published is None:
            return Comparison.BESIDE
        if self.ours is None or self.tolerance is None:
            return Comparison.IMPOSSIBLE
        allowed = self.tolerance.around(self.published)
        least, most = self.published.value - allowed, self.published.value + allowed
        if least <= self.ours.low and self.ours.high <= most:
            return Comparison.WITHIN
        if self.ours.high < least or most < self.ours.low:
            return Comparison.OUTSIDE
        return Comparison.UNDECIDED

    @property
    def difference(self) -> float | None:
        """Ours less the published value, in the unit of the cell; None where there are not both."""
        if self.published is None or self.ours is None:
            return None
        return self.ours.value - self.published.value


@dataclass(frozen=True, slots=True)
class Effort:
    """What a computation starts from, and how long it may go on."""

    seed: int = 0
    share: float = 1.0
    """Of the runs that a paper needs in full; less gives wider intervals."""

    def runs(self, full: int) -> int:
        """Return how many runs to make where so many are the full number; never fewer than 30."""
        return max(30, round(full * self.share))


Recompute = Callable[[Effort], Iterator[Cell]]
"""Yields the cells as they are computed; equal efforts give equal cells."""


@dataclass(frozen=True, slots=True)
class Paper:
    """A publication with cells that are computed again."""

    name: str
    """One word, as users write it."""
    citation: str
    """Authors, title, where and when."""
    summary: str
    """One line on what is recomputed."""
    with_what: str
    """What of gridproof takes part, and what is written for the paper alone."""
    seconds: int
    """What a full computation takes about, on one core: who is slowest is started first."""
    recompute: Recompute


@dataclass(frozen=True, slots=True)
class Recomputed:
    """The cells of a paper, computed."""

    name: str
    """Of the paper."""
    effort: Effort
    cells: Sequence[Cell]

    def count(self, comparison: Comparison) -> int:
        """Return how many cells compare so."""
        return sum(cell.comparison is comparison for cell in self.cells)
