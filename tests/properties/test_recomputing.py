"""The models that papers are recomputed with."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb, log

import numpy as np
import pytest
from numpy.random import Generator

from gridproof_implementation.placement.policies import PLACEMENT_POLICIES
from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_properties.intervals import Interval, exactly, mean_of, quantile_of, scaled, share_interval
from gridproof_properties.papers import demers_1987, pbs_2012
from gridproof_properties.recomputing.balls import bucket_sizes, inverse_gamma, share_at_least, throw
from gridproof_properties.recomputing.copysets import (
    chance_of_loss,
    lossy_failures,
    permutation_copysets,
    placed_copysets,
    random_copysets,
    scatter_widths,
)
from gridproof_properties.recomputing.detectors import late_heartbeats, periods_to_detection
from gridproof_properties.recomputing.epidemics import Rumour, cycles_to_all, one_cycle, spread_rumour
from gridproof_properties.recomputing.paper import Cell, Comparison, Effort, Origin, Published, Recomputed, Tolerance
from gridproof_properties.recomputing.quorums import Legs, Mixture, run_trials, staleness
from gridproof_properties.recomputing.repair_chain import (
    mean_time_to_loss,
    times_to_loss,
    times_to_loss_by_fixed_repairs,
)


@pytest.fixture
def dice() -> Generator:
    return np.random.default_rng(7)


def cell(published: str | None, ours: Interval | None, tolerance: Tolerance | None) -> Cell:
    return Cell("here", "of nothing", None if published is None else Published(published), tolerance, ours)


ROUNDING = Tolerance("rounding")


@pytest.mark.parametrize(
    ("published", "ours", "tolerance", "comparison"),
    [
        ("0.20", exactly(0.2049), ROUNDING, Comparison.WITHIN),
        ("0.20", exactly(0.2051), ROUNDING, Comparison.OUTSIDE),
        ("0.2", exactly(0.2051), ROUNDING, Comparison.WITHIN),
        ("0.20", Interval(0.2, 0.19, 0.21, "few runs"), ROUNDING, Comparison.UNDECIDED),
        ("0.20", Interval(0.3, 0.204, 0.4, "few runs"), ROUNDING, Comparison.UNDECIDED),
        ("0.20", exactly(0.2099), Tolerance("cut off", is_cut=True), Comparison.WITHIN),
        ("0.20", exactly(0.1999), Tolerance("cut off", is_cut=True), Comparison.OUTSIDE),
        ("0.96", exactly(0.95), Tolerance("5 %", relative=0.05), Comparison.WITHIN),
        ("0.96", exactly(0.95), Tolerance("5 % of what is left", relative=0.05, trivial=1.0), Comparison.OUTSIDE),
        ("0", exactly(0.1), ROUNDING, Comparison.OUTSIDE),
        ("200", exactly(209), Tolerance("5 %", relative=0.05), Comparison.WITHIN),
        ("200", exactly(211), Tolerance("5 %", relative=0.05), Comparison.OUTSIDE),
        ("4.0e-6", exactly(4.04e-6), ROUNDING, Comparison.WITHIN),
        ("0.20", None, ROUNDING, Comparison.IMPOSSIBLE),
        ("0.20", exactly(0.2), None, Comparison.IMPOSSIBLE),
        (None, exactly(0.2), None, Comparison.BESIDE),
    ],
)
def test_how_a_cell_compares(
    published: str | None, ours: Interval | None, tolerance: Tolerance | None, comparison: Comparison
) -> None:
    assert cell(published, ours, tolerance).comparison is comparison


def test_what_was_not_read_in_the_paper_is_not_counted() -> None:
    near = Cell("here", "of nothing", Published("0.20", Origin.RECALLED), ROUNDING, exactly(0.2))

    assert near.comparison is Comparison.UNREAD
    assert Recomputed("some", Effort(), [near]).summary() == "1 not counted"


def test_numbers_and_formulas_are_counted_apart() -> None:
    cells = [
        Cell("", "", Published("1", origin), ROUNDING, exactly(1.0)) for origin in (Origin.PRINTED, Origin.FORMULA)
    ]

    summary = Recomputed("some", Effort(), cells).summary()
    assert summary == "of printed numbers 1 within; of formulas 1 within"


def test_a_formula_has_no_rounding() -> None:
    assert Published("0.25", Origin.FORMULA).unit == 0


@pytest.mark.parametrize("share", [0.001, 0.5])
def test_intervals_of_shares_hold_the_truth_ninety_nine_times_of_a_hundred(dice: Generator, share: float) -> None:
    estimates = [share_interval(int(hits), 5_000) for hits in dice.binomial(5_000, share, 2_000)]

    held = sum(one.low <= share <= one.high for one in estimates) / len(estimates)
    assert 0.98 <= held <= 1


def test_intervals_of_means_and_quantiles_hold_the_truth_as_often(dice: Generator) -> None:
    samples = [dice.exponential(size=4_000) for _ in range(500)]

    means = [mean_of(one) for one in samples]
    quantiles = [quantile_of(one, 0.99) for one in samples]
    assert sum(one.low <= 1 <= one.high for one in means) / len(means) >= 0.97
    assert sum(one.low <= log(100) <= one.high for one in quantiles) / len(quantiles) >= 0.97


def test_an_interval_turns_round_with_its_sign() -> None:
    assert scaled(Interval(2, 1, 4, "runs"), -1) == Interval(-2, -4, -1, "runs")


def test_dice_depend_on_seed_and_label_alone() -> None:
    drawn = {int(Effort(seed).dice(label).integers(1 << 62)) for seed in (0, 1) for label in ("a", "b")}

    assert len(drawn) == 4
    assert int(Effort(0).dice("a").integers(1 << 62)) in drawn


def test_a_blind_rumour_that_is_spread_once_costs_one_message_a_hearer(dice: Generator) -> None:
    spread = spread_rumour(Rumour(50, 1, feedback=False, counter=False), 300, dice)

    assert np.allclose(spread.traffic, 1 - spread.residue)


def test_a_rumour_between_two_sites_is_spread_and_then_dropped(dice: Generator) -> None:
    spread = spread_rumour(Rumour(2, 3), 20, dice)

    assert set(spread.residue) == {0.0}
    assert set(spread.last_delay) == {1.0}
    assert set(spread.traffic) == {(1 + 3 + 3) / 2}


def test_pull_from_one_of_two_sites_costs_a_message_more_for_each_miss(dice: Generator) -> None:
    spread = spread_rumour(Rumour(2, 3, pull=True), 20, dice)

    assert set(spread.last_delay) == {1.0}
    assert set(spread.traffic) == {(1 + 3 + 3) / 2}


def test_another_rule_than_the_paper_has_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def with_coins(sites: int, k: int, **named: bool) -> Rumour:
        return Rumour(sites, k, counter=False, **{key: value for key, value in named.items() if key != "counter"})

    monkeypatch.setattr(demers_1987, "Rumour", with_coins)

    assert first_of_table(2, "residue s") is Comparison.OUTSIDE


def test_the_rule_of_the_paper_is_not_noticed() -> None:
    assert first_of_table(2, "residue s") is Comparison.WITHIN


def first_of_table(k: int, column: str) -> Comparison:
    cells: Iterator[Cell] = demers_1987.recompute(Effort(0, 0.5))
    return next(one.comparison for one in cells if one.place == f"table 1, k = {k}, {column}")


def test_everybody_hears_of_anti_entropy_by_doubling_at_best(dice: Generator) -> None:
    assert cycles_to_all(64, 50, dice).min() >= 6


def test_pull_squares_what_is_susceptible(dice: Generator) -> None:
    left = one_cycle(10, 2, pull=True, runs=4_000, rng=dice).mean()

    assert left == pytest.approx(0.2 * (1 / 9), rel=0.15)


def test_a_quorum_of_all_is_never_stale() -> None:
    assert staleness(3, 1, 1) == pytest.approx(2 / 3)
    assert (staleness(3, 3, 1), staleness(3, 2, 2)) == (0, 0)


def test_reads_of_all_replicas_are_fresh_at_once(dice: Generator) -> None:
    trials = run_trials(pbs_2012.DISK, replicas=3, trials=20_000, rng=dice)

    assert trials.fresh_after(3, 1).max() <= 0


def test_delays_have_the_quantiles_of_their_fits(dice: Generator) -> None:
    pareto = Mixture(1, 2, 3, 1).draw(dice, 200_000, 1)
    exponential = Mixture(0, 2, 3, 0.5).draw(dice, 200_000, 1)

    assert np.quantile(pareto, 0.5) == pytest.approx(2 * 2 ** (1 / 3), rel=0.01)
    assert np.quantile(exponential, 0.5) == pytest.approx(2 * log(2), rel=0.02)


def test_remote_replicas_are_waited_for_by_strict_quorums_only(dice: Generator) -> None:
    leg = Mixture(0, 1, 1, 10)
    far = Legs(leg, leg, remote_ms=50)

    trials = run_trials(far, replicas=3, trials=2_000, rng=dice)
    assert trials.writes[:, 0].max() < 100 <= trials.writes[:, 1].min()


def test_two_copies_last_as_the_closed_form_says() -> None:
    failing, repairing = Fraction(1, 720), Fraction(60)

    assert mean_time_to_loss(2, 1, failing, repairing) == (3 * failing + repairing) / (2 * failing**2)


def test_without_repairs_copies_last_as_long_as_the_longest_lived(dice: Generator) -> None:
    assert mean_time_to_loss(3, 1, Fraction(1), Fraction(0)) == Fraction(11, 6)
    assert times_to_loss(3, 1.0, 0.0, 20_000, dice).mean() == pytest.approx(11 / 6, rel=0.03)


def test_repairs_of_fixed_length_end_a_pair_as_the_closed_form_says(dice: Generator) -> None:
    lost_in_a_repair = 1 - np.exp(-0.1)

    times = times_to_loss_by_fixed_repairs(2, 1.0, 0.1, 20_000, dice)
    assert times.mean() == pytest.approx(1 / (2 * lost_in_a_repair) + 1, rel=0.03)


def test_a_failed_member_is_first_pinged_as_soon_as_the_chance_of_a_ping_says(dice: Generator) -> None:
    assert periods_to_detection(2, 1, 50, dice).tolist() == [1.0] * 50
    assert periods_to_detection(11, 10, 20_000, dice).mean() == pytest.approx(1 / (1 - 0.9**10), rel=0.03)


def test_an_accrual_detector_is_wrong_as_often_as_its_threshold_says(dice: Generator) -> None:
    assert late_heartbeats(1, 400, 20_000, dice) == pytest.approx(2_000, rel=0.1)


def test_failures_that_hold_a_copyset_lose_data(dice: Generator) -> None:
    copysets = [frozenset({0, 1}), frozenset({2, 3})]

    assert lossy_failures(copysets, members=4, failures=2, rng=dice, draws=1) == (2, 6, True)
    assert lossy_failures(copysets, members=4, failures=3, rng=dice, draws=1) == (4, 4, True)


def test_drawn_failures_agree_with_all_there_are(dice: Generator) -> None:
    copysets = random_copysets(40, 2, 30, dice)

    lossy, looked_at, every = lossy_failures(copysets, members=40, failures=6, rng=dice, draws=60_000)
    assert not every
    assert looked_at == 60_000
    assert lossy / looked_at == pytest.approx(chance_of_loss(40, 2, 6, len(copysets)), rel=0.1)


def test_one_copyset_is_lost_as_often_as_it_is_among_the_failed() -> None:
    assert chance_of_loss(10, 3, 4, 1) == pytest.approx(4 / comb(10, 3))


def test_a_permutation_cuts_everybody_into_sets_once(dice: Generator) -> None:
    copysets = permutation_copysets(10, 3, 1, dice)

    assert len(copysets) == 3
    assert sorted(scatter_widths(copysets, 10).tolist()) == [0, *[2] * 9]


@pytest.mark.parametrize("policy", PLACEMENT_POLICIES, ids=lambda policy: str(policy.name))
def test_a_placement_gives_every_partition_as_many_members_as_replicas(policy: PlacementPolicy) -> None:
    assert {len(one) for one in placed_copysets(policy, 8, 3, 40, 0)} == {3}


def test_loads_with_one_choice_are_poisson_and_with_two_a_hyperbolic_tangent() -> None:
    assert share_at_least(1, 1) == pytest.approx(1 - np.exp(-1))
    assert share_at_least(1, 2) == pytest.approx(np.tanh(1), abs=1e-9)


def test_a_second_choice_evens_loads_out(dice: Generator) -> None:
    one, two = (throw(500, 500, choices, 20, dice) for choices in (1, 2))

    assert set(one.sum(axis=1)) == set(two.sum(axis=1)) == {500}
    assert two.max(axis=1).mean() < one.max(axis=1).mean()


def test_the_inverse_of_gamma_undoes_factorials() -> None:
    assert inverse_gamma(120) == pytest.approx(6)


def test_buckets_of_a_ring_share_it_whole(dice: Generator) -> None:
    sizes = bucket_sizes(7, 20, dice)

    assert sizes.sum() == pytest.approx(7)
    assert sizes.min() > 0
