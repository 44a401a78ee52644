"""Splitting, against the exact reading of the same chain."""

from functools import cache

import pytest

from gridproof_model.language import Bool, BoolExpr, Int, IntExpr, Specification, Step
from gridproof_model.language.rates import read_rates
from gridproof_model.specifications import durability
from gridproof_properties.intervals import mean_bounds
from gridproof_properties.measuring import Measurer, Quantity, Question, predicates_of
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.fixed_effort import Split
from gridproof_properties.measuring.predicates import PredicateError
from gridproof_properties.measuring.splitting import Splitter, level_of

COPIES = 4
copies = Specification("copies", "Copies that fail and are made again.", source="-")
left = copies.variable("left", Int(0, COPIES), "Copies left.", initial=COPIES)
is_flipped = copies.variable("is_flipped", Bool(), "Of no account.")


@copies.action(source="-")
def one_fails() -> Step:
    """A copy fails."""
    return Step(when=[left > 0], then=[left.becomes(left - 1)])


@copies.action(source="-")
def one_is_made() -> Step:
    """A copy is made again."""
    return Step(when=[(left > 0) & (left < COPIES)], then=[left.becomes(left + 1)])


@copies.action(source="-")
def it_flips() -> Step:
    """What is of no account changes."""
    return Step(when=[], then=[is_flipped.becomes(~is_flipped)])


@copies.definition()
def copies_left() -> IntExpr:
    """Copies left."""
    return left


@copies.sometimes(source="-")
def all_are_gone() -> BoolExpr:
    """No copy is left."""
    return left == 0


WORLD, TIME_S = copies.world(), 20.0
RATES = ["one_fails=0.1/s", "one_is_made=1/s", "it_flips=never"]


def splitter(*rates: str, seed: int = 0, trials: int = 60, batches: int = 12) -> Splitter:
    known = read_rates([action.name for action in WORLD.actions], list(rates or RATES))
    return Splitter(WORLD, known, level_of(copies, WORLD, "copies_left"), seed, trials, batches)


def estimate(seed: int) -> Split:
    (goal,) = predicates_of(copies, WORLD, ["all_are_gone"])
    return splitter(seed=seed).probability(goal, TIME_S)


@cache
def exact() -> float:
    known = read_rates([action.name for action in WORLD.actions], RATES)
    question = Question(WORLD, known, predicates_of(copies, WORLD, ["all_are_gone"]), (), TIME_S)
    return Measurer().measure(question).value("all_are_gone", Quantity.WITHIN).value


def test_about_one_interval_in_a_hundred_misses() -> None:
    found = [estimate(seed) for seed in range(60)]

    assert sum(not one.low <= exact() <= one.high for one in found) <= 3
    assert sum(one.value for one in found) / len(found) == pytest.approx(exact(), rel=0.1)


def test_equal_seeds_give_equal_estimates() -> None:
    one, other = estimate(3), estimate(3)

    assert (one.value, one.low, one.steps) == (other.value, other.low, other.steps)
    assert estimate(4).value != one.value


def test_what_takes_a_million_plain_runs_is_found_in_the_interval_of_the_exact_reading() -> None:
    world = durability.specification.world(members=4, sync_backups=2, async_backups=0)
    names = ["*_crashes=1/30d", "crashed*=1/30min", "slot_is_refilled=1/6h", "write_is_executed=1/10d"]
    at_once = ["backup_is_promoted=now", "backup_message_arrives=now", "caller_is_answered=now", "member_returns=now"]
    rates = read_rates(
        [action.name for action in world.actions], [*names, *at_once, "lost_partition_is_assigned=1/s", "*=never"]
    )
    (goal,) = predicates_of(durability.specification, world, ["the_partition_is_lost"])
    question = Question(world, rates, (goal,), (), 86_400.0)
    known = Measurer().measure(question).value(goal.name, Quantity.WITHIN).value

    level = level_of(durability.specification, world, "live_copies")
    found = Splitter(world, rates, level, trials=1_000).probability(goal, 86_400.0)

    assert known < 1e-6
    assert found.low <= known <= found.high
    assert found.plain_runs > 1e6
    assert (found.levels, len(found.shares)) == ((2, 1, 0), 4)


def test_what_no_trial_came_to_is_unknown() -> None:
    (goal,) = predicates_of(copies, WORLD, ["all_are_gone"])

    with pytest.raises(UnmeasurableError, match=r"none of .* trials reached the goal: raise --trials"):
        splitter("one_fails=1/y", "*=never").probability(goal, 1e-3)


def test_steps_that_take_no_time_and_never_end_are_reported() -> None:
    (goal,) = predicates_of(copies, WORLD, ["all_are_gone"])

    with pytest.raises(UnmeasurableError, match="actions with rate `now` follow one another for ever"):
        splitter("it_flips=now", "*=1/s").probability(goal, 1.0)


def test_a_level_is_a_definition_that_is_a_number() -> None:
    with pytest.raises(PredicateError, match="no definition 'all_are_gone' with a number as value: there are cop"):
        level_of(copies, WORLD, "all_are_gone")


def test_bounds_of_an_even_sample_are_students() -> None:
    # 1 to 9: the mean is 5, the deviation sqrt(7.5), and t of 8 at 99 % is 3.3554.
    low, high = mean_bounds(range(1, 10))

    assert (low, high) == pytest.approx((5 - 3.3554 * 7.5**0.5 / 3, 5 + 3.3554 * 7.5**0.5 / 3), rel=1e-4)


def test_bounds_of_a_skewed_sample_reach_to_where_its_tail_is() -> None:
    low, high = mean_bounds([0.0] * 8 + [9.0])

    assert high - 1.0 > 1.0 - low > 0


def test_equal_values_leave_open_what_one_more_would_be() -> None:
    low, high = mean_bounds([1.0] * 30)

    assert (round(low, 3), high) == (0.838, 1.0)
