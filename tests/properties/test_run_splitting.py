"""Splitting of simulated runs, against the exact reading and against plain runs."""

from functools import cache
from math import exp
from pathlib import Path as File

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.parameters import PLAIN, set_parameters
from gridproof_model.language.rates import read_rates
from gridproof_properties.campaign.effort import Effort
from gridproof_properties.campaign.run_splitting import RunSplitter, UnsplittableError
from gridproof_properties.campaign.scenarios import measure_scenario
from gridproof_properties.claims.named import find_named
from gridproof_properties.intervals import share_bounds
from gridproof_properties.measuring import Measurer, Quantity, Question, predicates_of
from gridproof_properties.measuring.explored import UnmeasurableError

ADDRESSES = File(__file__).parents[2] / "docs" / "examples" / "addresses.py"
TIME_S = 20
SET = {
    "workload": "appends", "partitions": "1", "members": "2", "sync-backups": "1", "arrival": "1s",
    "time": f"{TIME_S + 1}s", "crash": "1/40s", "repair": "exponential(5s)",
}  # fmt: skip


def options(**changed: str) -> DrawOptions:
    texts = dict(PLAIN) | SET | {name.replace("_", "-"): text for name, text in changed.items()}
    return set_parameters(DrawOptions(), tuple((name, text) for name, text in texts.items() if text))


@cache
def exact(members: int, life_s: int, away_s: int, time_s: int) -> float:
    """Return how likely all members are down at one time: then everything is lost, for each has a copy.

    A member that returns has its copy at once there; simulated ones need some milliseconds, now and then seconds.
    """
    specification = find_named(str(ADDRESSES)).specification
    world = specification.world(members=members)
    rates = read_rates([action.name for action in world.actions], [f"crashes=1/{life_s}s", f"returns=1/{away_s}s"])
    question = Question(world, rates, predicates_of(specification, world, ["everything_is_lost"]), (), float(time_s))
    return Measurer().measure(question).value("everything_is_lost", Quantity.WITHIN).value


@pytest.mark.nightly
def test_splitting_plain_runs_and_the_exact_reading_agree() -> None:
    known, runs = exact(2, 40, 5, TIME_S), 250

    found = RunSplitter(options(), Effort(trials=15, batches=8, workers=1)).probability()
    plain = [measure_scenario(draw_scenario(seed, options()), refined=False).measured for seed in range(runs)]
    lossy = len([one for one in plain if one["lost"]])

    low, high = share_bounds(lossy, runs)
    assert found.low <= known <= found.high
    assert low <= known <= high
    assert (found.levels, len(found.shares)) == ((1, 0), 3)


def test_without_a_backup_the_only_level_is_none_left() -> None:
    found = RunSplitter(options(sync_backups="0"), Effort(trials=15, batches=8, workers=1)).probability()

    assert (found.levels, found.shares[-1]) == ((0,), 1.0)
    assert found.low <= 1 - exp(-TIME_S / 40) <= found.high


def test_the_estimate_is_the_same_whatever_the_number_of_workers() -> None:
    one, two = (
        RunSplitter(options(crash="1/5s"), Effort(trials=4, batches=3, workers=workers)).probability()
        for workers in (1, 2)
    )

    assert (one.value, one.shares, one.trials, one.steps) == (two.value, two.shares, two.trials, two.steps)


def test_what_no_trial_came_to_is_unknown() -> None:
    with pytest.raises(UnmeasurableError, match="none of 6 trials reached the goal"):
        RunSplitter(options(crash="1/1000d"), Effort(trials=2, batches=3, workers=1)).probability()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"crash": ""}, "copy is lost; set crash"),
        ({"grid": "drawn"}, "plain grid"),
        ({"faults": "split"}, "no faults"),
    ],
)
def test_what_cannot_be_split_is_said(changed: dict[str, str], said: str) -> None:
    with pytest.raises(UnsplittableError, match=said):
        RunSplitter(options(**changed))


@pytest.mark.nightly
def test_about_one_interval_in_a_hundred_misses() -> None:
    found = [RunSplitter(options(), Effort(trials=20, batches=12, seed=seed)).probability() for seed in range(40)]

    known = exact(2, 40, 5, TIME_S)
    assert sum(not one.low <= known <= one.high for one in found) <= 3
    assert sum(one.value for one in found) / len(found) == pytest.approx(known, rel=0.1)


@pytest.mark.nightly
def test_what_takes_a_million_plain_runs_is_found_in_the_interval_of_the_exact_reading() -> None:
    rare = options(members="3", sync_backups="2", time="61s", crash="1/1500s", repair="exponential(10s)")

    found = RunSplitter(rare, Effort(trials=400)).probability()

    known = exact(3, 1_500, 10, 60)
    assert known < 5e-6
    assert found.low <= known <= found.high
    assert found.trials < 50_000
