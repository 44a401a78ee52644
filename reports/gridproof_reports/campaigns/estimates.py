"""Computes the estimates of cells from the rows that describe the runs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gridproof_properties.intervals import (
    Interval,
    mean_interval,
    quantile_interval,
    ratio_interval,
    runs_for,
    share_interval,
)
from gridproof_properties.measures.quantity import middle_of
from gridproof_reports.campaigns.estimate_names import ESTIMATES_BY_NAME, EstimateName, Kind
from gridproof_reports.campaigns.plan import Part
from gridproof_reports.campaigns.rows import read_rows
from gridproof_reports.campaigns.store import Store


@dataclass(frozen=True, slots=True)
class Estimate:
    """One estimate of one cell."""

    name: str
    value: float
    low: float
    high: float
    note: str = ""
    """Why there are no bounds, or something that readers of the bounds need to know."""
    runs_for_a_tenth: int | None = None
    """About how many runs are needed for the wider half of the interval to be a tenth of the value."""


@dataclass(frozen=True, slots=True)
class CellEstimates:
    """All estimates of one cell."""

    cell: int
    runs: int
    estimates: tuple[Estimate, ...]

    def of(self, name: str) -> Estimate:
        """Return the estimate with this name."""
        return next(one for one in self.estimates if one.name == name)


@dataclass(frozen=True, slots=True)
class Histograms:
    """The histograms of several runs in the form in which rows hold them: only buckets that are not empty."""

    starts: NDArray[np.int64]
    """For each run, the index of its first bucket, and after these the end of the last run's buckets."""
    buckets: NDArray[np.int64]
    counts: NDArray[np.int64]

    def spread(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the counts, a row per run and a column per bucket, and for each bucket the number that stands for
        it."""
        buckets, places = np.unique(self.buckets, return_inverse=True)
        runs = self.starts.size - 1
        counts = np.zeros((runs, buckets.size), dtype=np.int64)
        counts[np.repeat(np.arange(runs), np.diff(self.starts)), places] = self.counts
        return counts, np.array([middle_of(int(bucket)) for bucket in buckets], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class CellRows:
    """The runs of one cell."""

    cell: int
    table: Any
    """An Arrow table of the runs, sorted by seed."""

    @property
    def runs(self) -> int:
        """Return the number of runs."""
        return int(self.table.num_rows)

    def counts(self, quantity: str) -> NDArray[np.float64]:
        """Return one number for each run; for a quantity that is a list, the list's length."""
        column = self.table.column(quantity)
        if quantity == "broken":
            return np.array([len(names) for names in column.to_pylist()], dtype=np.float64)
        return np.asarray(column.to_numpy(), dtype=np.float64)

    def histograms(self, quantity: str) -> Histograms:
        """Return one histogram for each run."""
        column = self.table.column(quantity).combine_chunks()
        return Histograms(np.asarray(column.offsets), np.asarray(column.keys), np.asarray(column.items))


def cells_of(store: Store, last_seed: int | None = None) -> Iterator[CellRows]:
    """Yield the runs of each cell that has runs, up to a seed; only one cell at a time is in memory."""
    files: dict[int, list[tuple[Part, Path]]] = {}
    for part, path in store.finished():
        if last_seed is None or part.first <= last_seed:
            files.setdefault(part.cell, []).append((part, path))
    for cell, parts in sorted(files.items()):
        table = read_rows(parts)
        if last_seed is not None:
            table = table.filter([seed <= last_seed for seed in table.column("seed").to_pylist()])
        yield CellRows(cell, table)


def estimate_cells(store: Store, names: Sequence[str], last_seed: int | None = None) -> list[CellEstimates]:
    """Return the named estimates of every cell that has runs."""
    return [estimate_cell(rows, names) for rows in cells_of(store, last_seed)]


def estimate_cell(rows: CellRows, names: Sequence[str]) -> CellEstimates:
    """Return the named estimates of one cell."""
    found = []
    for name in names:
        interval = estimate(rows, ESTIMATES_BY_NAME[name])
        needed = runs_for(interval, rows.runs, 0.1)
        found.append(Estimate(name, interval.value, interval.low, interval.high, interval.note, needed))
    return CellEstimates(rows.cell, rows.runs, tuple(found))


def estimate(rows: CellRows, wanted: EstimateName) -> Interval:
    """Return one estimate of a cell."""
    match wanted.kind:
        case Kind.RUNS:
            return share_interval(int((rows.counts(wanted.quantity) > 0).sum()), rows.runs)
        case Kind.RATIO:
            return ratio_interval(rows.counts(wanted.quantity), rows.counts(wanted.by))
        case Kind.MEAN:
            return mean_interval(rows.counts(wanted.quantity))
        case Kind.QUANTILE:
            return quantile_interval(*rows.histograms(wanted.quantity).spread(), wanted.share)
