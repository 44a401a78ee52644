"""Runs are counted by what they execute."""

import pytest

from suite.reach.measure import Reach, ReachOfRun, measure
from suite.reach.survey import survey
from tests.suite.reach.tiny import PACKAGES, PLAY, tiny

__all__ = ["tiny"]


def counted(reach: Reach) -> dict[str, int]:
    points = survey(PACKAGES).points
    return {point.name: reach.counts[number] for number, point in enumerate(points)}


@pytest.mark.usefixtures("tiny")
@pytest.mark.parametrize("workers", [1, 3])
def test_runs_not_executions_are_counted(workers: int) -> None:
    counts = counted(measure(range(4), workers, packages=PACKAGES, play=PLAY))

    assert counts["tiny.rules.counter.Counter.up"] == 4
    assert counts["tiny.rules.counter.Counter.up: when `number > 5`"] == 2
    assert counts["tiny.rules.counter.Counter._stop"] == 2


@pytest.mark.usefixtures("tiny")
def test_a_planted_rule_that_nobody_asks_for_is_reached_by_none() -> None:
    assert counted(measure(range(4), packages=PACKAGES, play=PLAY))["tiny.rules.counter.never"] == 0


@pytest.mark.usefixtures("tiny")
def test_what_is_remembered_is_executed_in_each_run() -> None:
    assert counted(measure(range(3), packages=PACKAGES, play=PLAY))["tiny.rules.counter.limit"] == 3


@pytest.mark.usefixtures("tiny")
def test_a_process_that_fails_is_no_run() -> None:
    with pytest.raises(RuntimeError, match="ended with status 1"):
        measure(range(2), packages=PACKAGES, play="tiny.playing:nobody")


def test_few_seeds_reach_what_all_reach() -> None:
    reach = Reach()
    for seed, bits in enumerate((0b0001, 0b0111, 0b0010, 0b1000)):
        reach.add(ReachOfRun(seed, bits, 0.0))

    assert reach.fewest_seeds(range(5)) == [1, 3]
