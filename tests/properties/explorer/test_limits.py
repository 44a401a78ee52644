"""A search that ends before every state was seen says so, and keeps what it found."""

import tracemalloc

import pytest

from gridproof_model.language import BoolExpr, Int, Specification, Step, World
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import Exploration, Limits, Progress, explore
from gridproof_properties.judging.verdict import Result

MEBIBYTE = 1 << 20


def stairs(height: int, *, broken_at: int, waits: bool = False) -> World:
    """Return two counters that rise, and a claim that is broken where their sum is high enough."""
    specification = Specification("stairs", "Stairs.", source="drawn")
    left = specification.variable("left", Int(0, height), "One.")
    right = specification.variable("right", Int(0, height), "The other.")
    specification.may_stop(lambda: True)

    @specification.action(source="drawn", fair=True)
    def climb_left() -> Step:
        """Go up one."""
        return Step(when=[left < height], then=[left.becomes(left + 1)])

    @specification.action(source="drawn", fair=True)
    def climb_right() -> Step:
        """Go up one."""
        return Step(when=[right < height], then=[right.becomes(right + 1)])

    @specification.always(source="drawn")
    def is_low() -> BoolExpr:
        """It stays low."""
        return left + right < broken_at

    @specification.always(source="drawn")
    def is_in_bounds() -> BoolExpr:
        """No counter leaves its bounds."""
        return left <= height

    if waits:

        @specification.eventually(source="drawn")
        def arrives() -> BoolExpr:
            """It comes to the top."""
            return left + right == 2 * height

    return specification.world()


def results(found: Exploration) -> dict[str, Result]:
    return {verdict.claim.name: verdict.result for verdict in found.verdicts}


def test_the_first_broken_claim_ends_it_if_wanted() -> None:
    found = explore(stairs(500, broken_at=4), limits=Limits(is_first_enough=True))

    assert (found.depth, len(found.verdict("is_low").witness)) == (4, 5)
    assert results(found) == {"is_low": Result.BROKEN, "is_in_bounds": Result.UNKNOWN}


def test_where_nothing_is_broken_the_first_is_never_found() -> None:
    assert explore(stairs(5, broken_at=99), limits=Limits(is_first_enough=True)).is_complete


def test_states_as_deep_as_allowed_are_looked_at_and_none_beyond() -> None:
    found = explore(stairs(500, broken_at=7), limits=Limits(depth=7))

    assert (found.depth, found.verdict("is_low").result) == (7, Result.BROKEN)
    assert explore(stairs(500, broken_at=8), limits=Limits(depth=7)).verdict("is_low").result is Result.UNKNOWN


def test_a_world_no_deeper_than_allowed_is_explored_whole() -> None:
    assert explore(stairs(5, broken_at=99), limits=Limits(depth=10)).is_complete
    assert not explore(stairs(5, broken_at=99), limits=Limits(depth=9)).is_complete


def test_so_many_states_are_enough() -> None:
    found = explore(stairs(500, broken_at=9_999), limits=Limits(states=100))

    assert found.level_sizes == tuple(range(1, 15))
    assert found.stopped_because == "the search ended at its limit of 100 states; raise --states"


@pytest.mark.parametrize("waits", [False, True])
def test_a_time_limit_ends_it_with_what_was_found(waits: bool) -> None:
    found = explore(stairs(2_000, broken_at=1, waits=waits), limits=Limits(seconds=0.3))

    assert found.stopped_because == "the time limit is reached before every state was found; set a longer time limit"
    assert (found.verdict("is_low").result, len(found.verdict("is_low").witness)) == (Result.BROKEN, 2)
    assert found.verdict("is_in_bounds").result is Result.UNKNOWN


def interrupted_at(depth: int) -> Exploration:
    def interrupt(progress: Progress) -> None:
        if progress.depth == depth:
            raise KeyboardInterrupt

    return explore(stairs(500, broken_at=3, waits=True), progress=interrupt, is_interruptible=True)


def test_an_interruption_keeps_what_was_found() -> None:
    found = interrupted_at(5)

    assert (found.level_sizes, found.stopped_because) == ((1, 2, 3, 4, 5, 6), "it was interrupted")
    assert results(found) == {"is_low": Result.BROKEN, "is_in_bounds": Result.UNKNOWN, "arrives": Result.UNKNOWN}
    assert len(found.verdict("is_low").witness) == 4


def test_an_interruption_is_the_callers_where_nobody_asked_for_what_was_found() -> None:
    def interrupt(_progress: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explore(stairs(5, broken_at=3), progress=interrupt)


def test_progress_names_the_claims_broken_so_far() -> None:
    reports: list[Progress] = []

    explore(stairs(5, broken_at=3), progress=reports.append)

    assert [one.broken for one in reports] == [() if one.depth < 3 else ("is_low",) for one in reports]


def test_what_is_computed_at_once_fits_in_memory() -> None:
    world = two_phase_commit.world(size=7)
    tracemalloc.start()
    try:
        found = explore(world, memory_bytes=MEBIBYTE)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert not found.is_complete
    assert peak < 6 * MEBIBYTE
