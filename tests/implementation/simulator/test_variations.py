"""Varied runs: what each seed leaves no choice of."""

from dataclasses import replace

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import VARIATIONS, DrawOptions
from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.workloads import find_workload

VARIED = DrawOptions(is_varied=True)


@pytest.mark.parametrize("variation", VARIATIONS, ids=str)
def test_a_variation_names_what_there_is(variation: DrawOptions) -> None:
    assert variation.workload is None or find_workload(variation.workload) is not None
    assert set(variation.faults or ()) <= set(FAULTS_BY_NAME)


def test_every_second_seed_draws_from_everything() -> None:
    assert [replace(draw_scenario(seed, VARIED), away=None) for seed in (0, 2, 4)] == [
        draw_scenario(seed) for seed in (0, 2, 4)
    ]


def test_the_other_seeds_take_the_variations_in_turn() -> None:
    seeds = range(1, 2 * len(VARIATIONS), 2)

    assert [VARIED.of(seed) for seed in seeds] == list(VARIATIONS)
    assert VARIED.of(2 * len(VARIATIONS) + 1) == VARIATIONS[0]


def test_a_varied_run_is_the_run_of_its_options() -> None:
    (seed,) = [2 * place + 1 for place, one in enumerate(VARIATIONS) if one == DrawOptions(workload="safety")]

    assert replace(draw_scenario(seed, VARIED), away=None) == draw_scenario(seed, DrawOptions(workload="safety"))
