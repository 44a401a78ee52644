"""The estimates of cells, and the differences between cells.

A cell is compared with the cell that has the first value of one axis and equals it in the other axes; both cells ran
the same seeds, and are compared seed by seed (common random numbers).
"""

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from math import isnan
from typing import Any, TypeVar

import numpy as np

from gridproof_properties.intervals import (
    Interval,
    clear_of_chance,
    compare_quantiles,
    compare_ratios,
    quantile_interval,
    ratio_interval,
)
from gridproof_properties.judging.words import count
from gridproof_reports.campaigns.estimate_names import ESTIMATES, ESTIMATES_BY_NAME, EstimateName, Kind
from gridproof_reports.campaigns.estimates import CellEstimates, CellRows, Histograms, cells_of, estimate_cell
from gridproof_reports.campaigns.store import Store, StoreError
from gridproof_reports.campaigns.tried import Tried

ERROR = 0.01
"""The error probability of a test, and of all tests of a study together."""
T = TypeVar("T")
Progress = Callable[[str, int, int], None]
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """By how much an estimate is greater in one cell than in another."""

    estimate: str
    cell: int
    base: int
    axis: str
    seeds: int
    """The number of seeds that both cells have run."""
    difference: float
    low: float
    high: float
    note: str
    """Why the difference has no bounds; empty if it has bounds."""
    seeds_that_differ: int
    chance: float
    """The probability of a difference at least this large if the runs of each seed are swapped at random."""
    is_clear: bool = False
    """Whether the difference is significant; at most one study in a hundred has a difference that only seems so."""


@dataclass(frozen=True, slots=True)
class StudiedCell:
    """One cell with its estimates."""

    found: CellEstimates
    values: Pairs
    """The value of each axis."""
    line: str
    """The command that repeats the first run of the cell."""
    broken: int
    """The number of runs that broke a promised property."""
    lossy: int
    """The number of runs that lost an acknowledged write."""
    lost: int
    """The number of acknowledged writes that were lost."""
    acknowledged: int

    @property
    def where(self) -> str:
        """The values of the axes in words; empty if there is only one cell."""
        return ", ".join(f"{name} {text}" for name, text in self.values)

    @property
    def title(self) -> str:
        """The number of the cell, followed by the values of the axes."""
        return f"cell {self.found.cell}{f' ({self.where})' if self.where else ''}"


@dataclass(frozen=True, slots=True)
class Study:
    """All results of a campaign."""

    name: str
    common: Pairs
    axes: tuple[tuple[str, tuple[str, ...]], ...]
    cells: tuple[StudiedCell, ...]
    estimates: tuple[EstimateName, ...]
    """The estimates that have a value in at least one cell."""
    differences: tuple[Difference, ...]
    taken: tuple[str, ...] = ()
    """The lines of a configuration that take effect in every cell."""
    passed_over: tuple[str, ...] = ()
    tried: Tried = field(default_factory=Tried)
    until: str = ""
    """The goal of the campaign: which estimate it should reach, and how precisely; empty if it had no goal."""
    part: str = ""
    """How much was studied before an interruption; empty if everything was."""

    @property
    def runs(self) -> int:
        """The number of runs in all cells."""
        return sum(cell.found.runs for cell in self.cells)

    @property
    def clear_by_chance(self) -> tuple[int, float]:
        """Return how many differences have a chance below 1 %, and how many would have if no two cells differed."""
        compared = [one for one in self.differences if one.seeds_that_differ]
        return sum(one.chance < ERROR for one in compared), ERROR * len(compared)

    def happened(self, name: str) -> bool:
        """Return whether an estimate is above 0 in at least one cell."""
        return any(one.value > 0 for cell in self.cells for one in cell.found.estimates if one.name == name)


def study_campaign(store: Store, names: Sequence[str], progress: Progress) -> Study:
    """Return the study of a campaign's folder; raise StoreError if the folder has no runs.

    After a KeyboardInterrupt, the study has the cells that were read by then; after a second KeyboardInterrupt, it has
    the differences that were computed by then; if no cell was read yet, the interrupt is raised again.
    """
    planned = store.read_plan()
    common: Pairs = tuple((name, text) for name, text in planned["common"])
    axes = tuple((name, tuple(values)) for name, values in planned["axes"])
    followed = {"words": [], "taken": [], "passed_over": []} | planned.get("configuration", {})
    wanted = [ESTIMATES_BY_NAME[name] for name in names] or list(ESTIMATES)
    combinations = list(product(*(values for _, values in axes)))
    tried = Tried()

    def studied() -> Iterator[tuple[StudiedCell, _Columns]]:
        for row in cells_of(store):
            if row.cell >= len(combinations):
                files = f"the files runs/cell-{row.cell:05d}-*.parquet"
                raise StoreError(f"{store.folder}: cell {row.cell} has runs, but is not in the plan; remove {files}")
            tried.take(row)
            progress("estimates", row.cell + 1, len(combinations))
            values: Pairs = tuple(zip((name for name, _ in axes), combinations[row.cell], strict=True))
            found = estimate_cell(row, [one.name for one in wanted])
            line = _line((*common, *values), planned["seed"], followed["words"])
            broken, lost = row.counts("broken") > 0, row.counts("lost")
            sums = int(broken.sum()), int((lost > 0).sum()), int(lost.sum()), int(row.counts("acknowledged").sum())
            yield StudiedCell(found, values, line, *sums), _Columns.of(row, wanted)

    read, is_cut = _until_interrupted(studied())
    if not read and is_cut:
        raise KeyboardInterrupt
    if not read:
        raise StoreError(f"{store.folder} has no finished run yet; `gridproof campaign` makes the runs")
    cells = tuple(cell for cell, _ in read)
    shown = tuple(
        one for place, one in enumerate(wanted) if any(not isnan(c.found.estimates[place].value) for c in cells)
    )
    rows = {cell.found.cell: columns for cell, columns in read}
    differences, is_short = _until_interrupted(_differences(rows, axes, shown, progress))
    part = (
        f"{len(cells):,} of {count(len(combinations), 'cell')}, {count(len(differences), 'difference')}"
        if is_cut or is_short
        else ""
    )
    lines = tuple(followed["taken"]), tuple(followed["passed_over"])
    name, until = store.folder.resolve().name, planned.get("until", "")
    return Study(name, common, axes, cells, shown, _marked(differences), *lines, tried, until, part)


def _until_interrupted(found: Iterable[T]) -> tuple[list[T], bool]:
    """Return the items found before an interruption, and whether there was an interruption."""
    until: list[T] = []
    try:
        until.extend(found)
    except KeyboardInterrupt:
        return until, True
    return until, False


@dataclass(frozen=True, slots=True)
class _Columns:
    """What is kept of a cell's runs to compare cells: for each quantity, one number or histogram for each seed."""

    seeds: Any
    counts: dict[str, Any]
    histograms: dict[str, Histograms]
    intervals: dict[str, Interval] = field(default_factory=dict)
    """For each estimate, its interval over all seeds of the cell, computed once for any number of differences."""

    def interval(self, name: EstimateName, seeds: int, make: Callable[[], Interval]) -> Interval:
        """Return the interval of an estimate over this number of seeds; `make` computes it if it is not known yet."""
        if seeds != self.seeds.size:
            return make()
        if name.name not in self.intervals:
            self.intervals[name.name] = make()
        return self.intervals[name.name]

    @classmethod
    def of(cls, rows: CellRows, wanted: Sequence[EstimateName]) -> "_Columns":
        names = {name for one in wanted if one.kind is not Kind.QUANTILE for name in (one.quantity, one.by) if name}
        spread = {one.quantity for one in wanted if one.kind is Kind.QUANTILE}
        return cls(
            np.asarray(rows.table.column("seed").to_numpy()),
            {name: rows.counts(name) for name in names},
            {name: rows.histograms(name) for name in spread},
        )


def _differences(
    rows: dict[int, _Columns],
    axes: Sequence[tuple[str, tuple[str, ...]]],
    wanted: Sequence[EstimateName],
    progress: Progress,
) -> Iterator[Difference]:
    sizes = [len(values) for _, values in axes]
    for done, (number, one) in enumerate(rows.items(), start=1):
        progress("differences", done, len(rows))
        for place, (axis, _) in enumerate(axes):
            stride = int(np.prod(sizes[place + 1 :], dtype=np.int64))
            base = number - number // stride % sizes[place] * stride
            if base != number and base in rows:
                for name in wanted:
                    yield _difference(name, number, base, axis, one, rows[base])


def _marked(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    clear = clear_of_chance([one.chance for one in differences], ERROR)
    return tuple(replace(one, is_clear=is_clear) for one, is_clear in zip(differences, clear, strict=True))


def _difference(name: EstimateName, cell: int, base: int, axis: str, one: _Columns, other: _Columns) -> Difference:
    seeds, mine, theirs = np.intersect1d(one.seeds, other.seeds, assume_unique=True, return_indices=True)
    sides = [_side(name, columns, places) for columns, places in ((one, mine), (other, theirs))]
    (first, one_interval), (second, other_interval) = sides
    both = one_interval, other_interval
    if name.kind is Kind.QUANTILE:
        found = compare_quantiles(*first, *second, name.share, both)
    else:
        found = compare_ratios(*first, *second, both)
    bounds = found.found
    return Difference(
        name.name, cell, base, axis, int(seeds.size), bounds.value, bounds.low, bounds.high, bounds.note,
        found.seeds_that_differ, found.chance,
    )  # fmt: skip


def _side(name: EstimateName, columns: _Columns, places: Any) -> tuple[tuple[Any, Any], Interval]:
    """Return the values of those seeds of a cell that are compared, and the interval of the estimate over them."""
    if name.kind is Kind.QUANTILE:
        counts, middles = columns.histograms[name.quantity].spread()
        numbers = counts[places], middles
        return numbers, columns.interval(name, places.size, lambda: quantile_interval(*numbers, name.share))
    part = columns.counts[name.quantity][places]
    if name.kind is Kind.RUNS:
        part = (part > 0).astype(np.float64)
    sums = part, columns.counts[name.by][places] if name.by else np.ones_like(part)
    return sums, columns.interval(name, places.size, lambda: ratio_interval(*sums))


def _line(texts: Pairs, seed: int, configuration: Sequence[str]) -> str:
    words = ["gridproof", "replay", str(seed), *configuration]
    return shlex.join([*words, *(word for name, text in texts for word in ("--set", f"{name}={text}"))])
