"""Estimates and their intervals, on rows made by hand."""

import math
from pathlib import Path
from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from gridproof_properties.intervals import (
    Comparison,
    Interval,
    clear_of_chance,
    compare_quantiles,
    compare_ratios,
    mean_interval,
    quantile_interval,
    ratio_interval,
    runs_for,
    share_interval,
    swapping_chance,
)
from gridproof_properties.measures import QUANTITIES
from gridproof_properties.measures.quantity import Form
from gridproof_reports.campaigns import study
from gridproof_reports.campaigns.estimate_names import ESTIMATES, ESTIMATES_BY_NAME
from gridproof_reports.campaigns.estimates import Estimate, cells_of, estimate, estimate_cells
from gridproof_reports.campaigns.plan import Part, Plan
from gridproof_reports.campaigns.rows import file_of
from gridproof_reports.campaigns.store import Store
from gridproof_reports.campaigns.study import Difference, study_campaign
from tools.interval_coverage import STUDIES, cover, truths

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
    from scipy.special import bdtr, bdtrc

    found = share_interval(10, 40)

    # Clopper and Pearson: at either bound what was seen, or more of it, has a chance of half a percent.
    assert bdtrc(9, 40, found.low) == pytest.approx(0.005)
    assert bdtr(10, 40, found.high) == pytest.approx(0.005)


def test_losses_are_estimated_over_writes_and_over_runs(store: Store) -> None:
    (loss, runs), (none, never) = estimates_of(store, "loss", "runs_with_loss")

    assert (loss.value, runs.value) == (0.125, 0.25)
    assert loss.low < 0.125 < loss.high
    assert loss.note == "one run has 10% of the sum"
    assert (none.value, never.value, never.low) == (0, 0, 0)
    assert never.high > 0.1


def test_what_no_run_had_has_no_interval_but_of_runs(store: Store) -> None:
    _, (none,) = estimates_of(store, "loss")

    assert math.isnan(none.low)
    assert none.note == "none of 40 runs have some, an interval needs 5"


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
    assert (one.cell, one.base, one.axis, one.seeds, one.difference) == (1, 0, "sync-backups", 40, -0.125)
    assert (one.seeds_that_differ, one.chance, one.is_clear) == (10, 2 / 2**10, True)
    assert one.note == "none of 40 runs have some, an interval needs 5"
    assert study.cells[1].line == "gridproof replay 0 --set grid=plain --set sync-backups=1"


def test_common_dice_are_no_part_of_a_difference() -> None:
    noise = np.array([Random(seed).random() for seed in range(60)]) / 2
    ones, moved = np.ones(60), noise + 0.01 + np.arange(60) % 2 / 1_000

    paired = compare_ratios(moved, ones, noise, ones)

    assert paired.found.low > 0
    assert paired.chance < 0.001
    assert mean_interval(moved).low < mean_interval(noise).high


def test_quantiles_are_compared_seed_by_seed(store: Store) -> None:
    study = study_campaign(store, ["write_us_p50"], lambda *_: None)

    (one,) = study.differences
    assert (one.estimate, one.seeds, one.seeds_that_differ, one.difference) == ("write_us_p50", 40, 40, 10)
    assert one.is_clear
    assert one.note == "40 runs are too few for an interval, 200 are not"


def test_common_dice_are_no_part_of_a_difference_of_quantiles() -> None:
    slow = [Random(seed).random() < 0.5 for seed in range(210)]  # half of the runs are slow, of both policies
    counts = np.array([[0, 0, 9, 9] if is_slow else [9, 9, 0, 0] for is_slow in slow])
    base = np.array([10.0, 20.0, 30.0, 40.0])

    paired = compare_quantiles(counts, base + 1, counts, base, 0.5)

    assert paired.chance < 0.001
    assert paired.found.low <= 1 <= paired.found.high
    assert quantile_interval(counts, base + 1, 0.5).low < quantile_interval(counts, base, 0.5).high


def test_five_of_five_seeds_are_not_clear() -> None:
    one, other = np.array([1.0] * 5 + [0.0] * 35), np.zeros(40)

    found = compare_ratios(one, np.ones(40), other, np.ones(40))

    assert isinstance(found, Comparison)
    assert (found.seeds_that_differ, found.chance) == (5, 0.0625)


@pytest.mark.parametrize("seeds", [12, 40])
def test_a_chance_is_that_of_all_ways_to_swap(seeds: int) -> None:
    differences = np.random.default_rng(3).normal(0.4, 1, seeds)

    signs = np.random.default_rng(4).choice([-1, 1], (20_000, seeds))
    drawn = (np.abs(signs @ differences) >= abs(differences.sum())).mean()
    assert swapping_chance(differences) == pytest.approx(drawn, abs=0.03)


def test_of_many_tests_fewer_are_clear() -> None:
    assert clear_of_chance([0.004, 0.5, 0.001, 0.0001], 0.01) == [True, False, True, True]
    assert clear_of_chance([0.004] * 4, 0.01) == [False] * 4


def test_four_times_as_many_runs_halve_an_interval() -> None:
    found = mean_interval(np.random.default_rng(1).random(100))

    half = max(found.high - found.value, found.value - found.low) / found.value
    assert runs_for(found, 100, half) == 100
    assert runs_for(found, 100, half / 2) == 400


def test_what_one_cell_never_saw_has_no_difference() -> None:
    seen, never = np.ones((5, 1), dtype=np.int64), np.zeros((5, 1), dtype=np.int64)

    assert math.isnan(compare_quantiles(seen, np.array([3.0]), never, np.array([3.0]), 0.5).found.value)


@pytest.mark.parametrize("values", [[3.0], [3.0] * 9, [3.0] * 200, [0.0] * 200])
def test_no_interval_is_without_a_width(values: list[float]) -> None:
    found = mean_interval(np.array(values))

    assert math.isnan(found.low)
    assert found.note


@pytest.mark.parametrize(
    ("name", "runs"),
    [("ratio, lognormal, in 40", 30), ("ratio, any share of a run, in 5", 200), ("ratio, by uneven wholes", 30)],
)
def test_few_intervals_miss_what_is_rare_skewed_or_uneven(name: str, runs: int) -> None:
    truth = next(one for one in truths() if one.name.startswith(name))

    assert cover(truth, runs, 300).misses <= 0.03


@pytest.mark.nightly
@pytest.mark.parametrize("runs", [30, 40, 100, 200])
def test_intervals_miss_as_seldom_as_they_say(runs: int) -> None:
    found = [cover(truth, runs, STUDIES) for truth in truths()]

    assert [str(one) for one in found if not one.holds] == []


def test_every_estimate_is_of_a_quantity() -> None:
    known = {one.name: one.form for one in QUANTITIES} | {"broken": Form.COUNT}

    for one in ESTIMATES:
        assert known[one.quantity] is (Form.HISTOGRAM if one.share else Form.COUNT)
        assert not one.by or known[one.by] is Form.COUNT


def test_a_run_with_a_third_of_what_many_runs_have_leaves_no_interval() -> None:
    parts = np.array([10.0] + [1.0] * 19 + [0.0] * 20)

    found = ratio_interval(parts, np.full(40, 100.0))
    assert math.isnan(found.low)
    assert found.note == "one run has 34% of the sum, too much for an interval"


def test_a_run_with_a_third_of_the_whole_leaves_no_interval() -> None:
    found = ratio_interval(np.array([1.0] * 20 + [2.0] * 20), np.array([10.0] * 39 + [390.0]))

    assert math.isnan(found.low)
    assert found.note == "one run has 50% of the whole, too much for an interval"


def test_five_runs_with_some_are_enough_even_where_one_has_half() -> None:
    found = ratio_interval(np.array([4.0, 1, 1, 1, 1] + [0.0] * 35), np.full(40, 100.0))

    assert found.low < found.value < found.high
    assert found.note == "one run has 50% of the sum"


def test_a_rare_count_that_is_little_skewed_is_as_narrow_as_students_interval() -> None:
    counts = np.random.default_rng(5).poisson(0.3, 200).astype(np.float64)

    found = mean_interval(counts)
    students = 2 * 2.6 * counts.std(ddof=1) / math.sqrt(200)
    assert found.high - found.low < 1.2 * students


def test_intervals_of_a_cell_are_made_once_for_all_its_differences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = Store(tmp_path / "square")
    store.open(Plan((("grid", "plain"),), (("sync-backups", ("0", "1")), ("crash", ("1/30s", "1/60s"))), runs=40))
    for cell in range(4):
        rows = [row(cell, seed, lost=int(seed % 3 == 0)) for seed in range(40)]
        store.write(Part(cell, 0, 39), file_of(rows, ["grid", "sync-backups", "crash"]))
    made: list[int] = []

    def counted(parts: NDArray[np.float64], wholes: NDArray[np.float64]) -> Interval:
        made.append(parts.size)
        return ratio_interval(parts, wholes)

    monkeypatch.setattr(study, "ratio_interval", counted)

    found = study_campaign(store, ["loss"], lambda *_: None)
    assert len(found.differences) == 4
    assert len(made) == 4
