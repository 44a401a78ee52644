"""Estimates and their intervals, on rows made by hand."""

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest

from gridproof_properties.intervals import (
    mean_interval,
    quantile_difference,
    quantile_interval,
    ratio_difference,
    ratio_interval,
    share_interval,
)
from gridproof_properties.measures import QUANTITIES
from gridproof_properties.measures.quantity import Form
from gridproof_reports.campaigns.estimate_names import ESTIMATES, ESTIMATES_BY_NAME
from gridproof_reports.campaigns.estimates import Estimate, cells_of, estimate, estimate_cells
from gridproof_reports.campaigns.plan import Part, Plan
from gridproof_reports.campaigns.rows import file_of
from gridproof_reports.campaigns.store import Store
from gridproof_reports.campaigns.study import Difference, study_campaign

PLAN = Plan((("grid", "plain"),), (("sync-backups", ("0", "1")),), runs=40)


def row(cell: int, seed: int, **measured: object) -> dict[str, object]:
    """Return a run of which only some quantities are above 0."""
    nothing: dict[str, object] = {one.name: 0 if one.form is Form.COUNT else [] for one in QUANTITIES}
    fixed = {"cell": cell, "seed": seed, "broken": [], "failed_judges": [], "inputs": 0, "virtual_ms": 0}
    return {**fixed, **nothing, "acknowledged": 10, "operations": 10, **measured}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Two cells: without a backup every fourth run loses five of ten writes, with one no run does."""
    store = Store(tmp_path / "made")
    store.open(PLAN)
    for cell in (0, 1):
        rows = [
            row(cell, seed, lost=5 * (cell == 0 and seed % 4 == 0), write_us=[(10 * (cell + 1), 9), (50, 1)])
            for seed in range(40)
        ]
        store.write(Part(cell, 0, 39), file_of(rows, ["grid", "sync-backups"]))
    return store


def estimates_of(store: Store, *names: str) -> list[list[Estimate]]:
    return [list(cell.estimates) for cell in estimate_cells(store, names)]


def test_a_share_of_runs_has_the_interval_of_the_textbook() -> None:
    found = share_interval(10, 40)

    # E. B. Wilson 1927, with z = 2.575829
    z, n, share = 2.5758293, 40, 0.25
    middle, half = (
        (share + z * z / 2 / n) / (1 + z * z / n),
        z / (1 + z * z / n) * math.sqrt(share * (1 - share) / n + z * z / 4 / n / n),
    )
    assert (found.value, found.low, found.high) == pytest.approx((0.25, middle - half, middle + half))


def test_losses_are_estimated_over_writes_and_over_runs(store: Store) -> None:
    (loss, runs), (none, never) = estimates_of(store, "loss", "runs_with_loss")

    assert (loss.value, runs.value) == (0.125, 0.25)
    assert loss.low < 0.125 < loss.high
    assert (none.value, none.low, never.value) == (0, 0, 0)
    assert none.high == never.high > 0.1


def test_quantiles_are_those_of_all_values(store: Store) -> None:
    (median, high), (other, _) = estimates_of(store, "write_us_p50", "write_us_p99")

    assert (median.value, high.value, other.value) == (10, 50, 20)


def test_only_runs_up_to_a_seed_count(store: Store) -> None:
    first = next(cells_of(store, last_seed=9))

    assert (first.runs, estimate(first, ESTIMATES_BY_NAME["runs_with_loss"]).value) == (10, 0.3)


def test_what_was_never_asked_has_no_estimate(store: Store) -> None:
    ((stale,), _) = estimates_of(store, "staleness")

    assert math.isnan(stale.value)


def test_equal_runs_have_equal_intervals(store: Store) -> None:
    assert estimates_of(store, "loss", "write_us_p99") == estimates_of(store, "loss", "write_us_p99")


def test_cells_are_compared_seed_by_seed(store: Store) -> None:
    study = study_campaign(store, ["loss"], lambda *_: None)

    (one,) = study.differences
    assert isinstance(one, Difference)
    assert (one.cell, one.base, one.axis, one.seeds, one.value) == (1, 0, "sync-backups", 40, -0.125)
    assert one.is_clear
    assert study.cells[1].line == "gridproof replay 0 --set grid=plain --set sync-backups=1"


def test_common_dice_are_no_part_of_a_difference() -> None:
    noise = np.array([Random(seed).random() for seed in range(60)])
    ones = np.ones(60)

    paired = ratio_difference(noise + 0.01, ones, noise, ones)

    assert paired.low > 0
    assert mean_interval(noise + 0.01).low < mean_interval(noise).high


def test_quantiles_are_compared_seed_by_seed(store: Store) -> None:
    study = study_campaign(store, ["write_us_p50"], lambda *_: None)

    (one,) = study.differences
    assert (one.estimate, one.seeds, one.value, one.low, one.high) == ("write_us_p50", 40, 10, 10, 10)


def test_common_dice_are_no_part_of_a_difference_of_quantiles() -> None:
    slow = [Random(seed).random() < 0.5 for seed in range(60)]  # half of the runs are slow, of both policies
    counts = np.array([[0, 0, 9, 9] if is_slow else [9, 9, 0, 0] for is_slow in slow])
    base = np.array([10.0, 20.0, 30.0, 40.0])

    paired = quantile_difference(counts, base + 1, counts, base, 0.5)

    assert (paired.low, paired.high) == (1, 1)
    assert quantile_interval(counts, base + 1, 0.5).low < quantile_interval(counts, base, 0.5).high


def test_what_one_cell_never_saw_has_no_difference() -> None:
    seen, never = np.ones((5, 1), dtype=np.int64), np.zeros((5, 1), dtype=np.int64)

    assert math.isnan(quantile_difference(seen, np.array([3.0]), never, np.array([3.0]), 0.5).value)


def test_one_run_has_no_interval_that_means_anything() -> None:
    assert mean_interval(np.array([3.0])).high == math.inf


@pytest.mark.parametrize("kind", ["ratio", "mean", "quantile"])
def test_about_one_interval_in_a_hundred_misses(kind: str) -> None:
    rng, missed, tries = np.random.default_rng(5), 0, 100
    for _ in range(tries):
        values = rng.poisson(2.0, size=(80, 5))
        per_run = values.sum(axis=1).astype(float)
        if kind == "ratio":
            found, truth = ratio_interval(per_run, np.full(80, 20.0)), 0.5
        elif kind == "mean":
            found, truth = mean_interval(per_run), 10.0
        else:
            counts = np.array([np.bincount(run, minlength=12) for run in values])
            found, truth = quantile_interval(counts, np.arange(12.0), 0.6), 2.0
        missed += not found.low <= truth <= found.high

    assert missed <= 5


def test_every_estimate_is_of_a_quantity() -> None:
    known = {one.name: one.form for one in QUANTITIES} | {"broken": Form.COUNT}

    for one in ESTIMATES:
        assert known[one.quantity] is (Form.HISTOGRAM if one.share else Form.COUNT)
        assert not one.by or known[one.by] is Form.COUNT
