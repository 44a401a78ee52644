"""Waiting for rest."""

import gridproof
from gridproof_implementation.adapter import Options
from gridproof_properties.audits.settle import LOOK_EVERY_MS, settle
from tests.properties.honest_grid import SETTLING_MS, HonestGrid, adapter_of
from tests.properties.lying_grids import NeverSettles


def started(make: type[HonestGrid] = HonestGrid) -> HonestGrid:
    grid = make(Options(partition_count=3))
    grid.start_member()
    return grid


def test_a_grid_at_rest_needs_two_calm_looks() -> None:
    grid = started()
    grid.wait(SETTLING_MS)

    assert settle(grid, 1_000).waited_ms == LOOK_EVERY_MS


def test_a_grid_in_motion_is_waited_for() -> None:
    ended = settle(started(), 1_000)

    assert ended.settled
    assert ended.waited_ms >= SETTLING_MS


def test_the_deadline_ends_the_wait_and_names_what_was_missing() -> None:
    grid = started(NeverSettles)
    grid.start_member()
    grid.crash(grid.members()[0])

    ended = settle(grid, 1_000)

    assert not ended.settled
    assert ended.waited_ms == 1_000
    assert ended.awaited == "waiting for a member that never comes"


def test_the_deadline_that_is_given_counts_for_a_judged_grid_too() -> None:
    with gridproof.judged(adapter_of(NeverSettles, promised=()), Options(partition_count=3)) as grid:
        for _ in range(2):
            grid.start_member()
        grid.crash(grid.members()[0])

        ended = gridproof.settle(grid, 1_000)

    assert (ended.settled, ended.waited_ms) == (False, 1_000)


def test_a_calm_look_before_motion_does_not_count() -> None:
    class Flickering(HonestGrid):
        looks = 0

        def why_unsettled(self) -> str | None:
            self.looks += 1
            return "flickers" if self.looks == 2 else None

    grid = Flickering(Options(partition_count=3))

    settle(grid, 1_000)

    assert grid.looks == 4
