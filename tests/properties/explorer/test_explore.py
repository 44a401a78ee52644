"""What an exploration returns beside its counts."""

from pathlib import Path

import numpy as np
import pytest

from gridproof_model.language import (
    ANY,
    Bool,
    BoolExpr,
    Int,
    IntExpr,
    Sequence,
    Specification,
    SpecificationError,
    Step,
)
from gridproof_model.language.cells import cells_of
from gridproof_model.language.lower_world import lower
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import FailureKind, Progress, explore
from gridproof_properties.explorer.explore import Explorer
from gridproof_properties.explorer.packing import Packing
from gridproof_properties.explorer.seen import HashCollisionError, Seen
from gridproof_properties.judging.verdict import Result

HERE = rf"{Path(__file__).name}:\d+: "


def tower(*, height: int = 3) -> Specification:
    """Return a counter that forgets to stop."""
    specification = Specification("tower", "A tower.", source="drawn")
    top = specification.constant("top", height, "Its top.")
    level = specification.variable("level", Int(0, top), "The level.")
    lamp = specification.variable("lamp", Bool(), "A lamp.")

    @specification.action(source="drawn")
    def climb() -> Step:
        """Go up one step."""
        return Step(when=[~lamp], then=[level.becomes(level + 1)])

    @specification.action(source="drawn")
    def light() -> Step:
        """Light the lamp on the second step."""
        return Step(when=[level == 2, ~lamp], then=[lamp.becomes(True)])

    @specification.always(source="drawn")
    def is_dark() -> BoolExpr:
        """The lamp is never lit."""
        return ~lamp

    return specification


def test_a_broken_claim_comes_with_a_shortest_behaviour() -> None:
    verdict = explore(tower().world()).verdict("is_dark")

    assert [event.action for event, _ in verdict.witness if event is not None] == ["climb", "climb", "light"]


def test_a_step_out_of_its_domain_is_reported_with_its_way() -> None:
    failure = explore(tower().world()).failure

    assert failure is not None
    assert "level outside its domain" in failure.sentence
    assert len(failure.witness) == 4


def test_an_undefined_step_leaves_undecided_claims_unknown() -> None:
    assert explore(tower(height=1).world()).verdict("is_dark").result is Result.UNKNOWN


def ladder() -> tuple[Specification, IntExpr]:
    """Return a ladder of four rungs, and its level."""
    specification = Specification("ladder", "A ladder.", source="drawn")
    level = specification.variable("level", Int(0, 3), "The level.")

    @specification.action(source="drawn")
    def climb() -> Step:
        """Go up one step."""
        return Step(when=[level < 3], then=[level.becomes(level + 1)])

    return specification, level


def test_where_nothing_is_said_a_state_without_a_step_is_a_deadlock() -> None:
    failure = explore(ladder()[0].world()).failure

    assert failure is not None
    assert (failure.kind, len(failure.witness)) == (FailureKind.DEADLOCK, 4)
    assert "say with may_stop where it may stop" in failure.sentence


def test_where_it_may_stop_is_no_deadlock() -> None:
    specification, level = ladder()
    specification.may_stop(lambda: level == 3)

    assert explore(specification.world()).failures == ()


def test_where_it_may_stop_anywhere_nothing_is_a_deadlock() -> None:
    specification, _ = ladder()
    specification.may_stop(lambda: True)

    assert explore(specification.world()).failures == ()


def test_where_it_may_stop_elsewhere_is_reported_with_the_line() -> None:
    specification, level = ladder()
    specification.may_stop(lambda: level == 2)
    failure = explore(specification.world()).failure

    assert failure is not None
    assert f"it may stop elsewhere ({__file__}:" in failure.sentence


def test_where_it_may_stop_has_to_mean_something() -> None:
    specification, level = ladder()
    specification.may_stop(lambda: level // level == 1)

    assert [failure.kind for failure in explore(specification.world()).failures] == [FailureKind.UNDEFINED_CLAIM]


def test_a_claim_that_means_nothing_somewhere_is_unknown() -> None:
    specification, level = ladder()

    @specification.always(source="drawn")
    def shares_are_small() -> BoolExpr:
        """Divided by the level it is small."""
        return level // level <= 1

    assert explore(specification.world()).verdict("shares_are_small").result is Result.UNKNOWN


def test_past_its_memory_it_stops_and_knows_what_it_does_not_know() -> None:
    exploration = explore(two_phase_commit.world(size=7), memory_bytes=1 << 20)

    assert not exploration.is_complete
    assert exploration.verdict("managers_agree").result is Result.UNKNOWN
    assert exploration.bytes_held <= 1 << 20


def test_what_was_seen_before_memory_ended_is_known() -> None:
    exploration = explore(two_phase_commit.world(size=7), memory_bytes=1 << 20)

    assert exploration.verdict("a_prepared_manager_waits_for_an_undecided_coordinator").result is Result.HOLDS


def test_it_states_what_a_state_takes() -> None:
    assert explore(two_phase_commit.world(size=5)).bytes_per_state == 16


def test_progress_is_reported_level_by_level() -> None:
    found: list[Progress] = []

    exploration = explore(two_phase_commit.world(size=3), progress=found.append)

    assert [progress.depth for progress in found] == list(range(exploration.depth + 1))
    assert found[-1].states == exploration.states


def test_an_unbounded_cell_cannot_be_explored() -> None:
    specification = Specification("open", "Open.", source="drawn")
    specification.variable("level", Int(0), "The level.")

    with pytest.raises(SpecificationError, match="level has no bounds"):
        explore(specification.world())


def test_more_starts_than_fit_in_memory_are_refused() -> None:
    specification = Specification("open", "Open.", source="drawn")
    specification.variable("level", Int(0, 10**9), "The level.", initial=ANY)

    with pytest.raises(SpecificationError, match=r"the world has 1,000,000,001 initial states, more than fit in 2,048"):
        explore(specification.world())


@pytest.mark.parametrize("high", [2**62, 2**70])
def test_a_number_that_needs_too_many_bits_is_refused_with_its_line(high: int) -> None:
    specification = Specification("open", "Open.", source="drawn")
    specification.variable("level", Int(0, high), "The level.")

    with pytest.raises(SpecificationError, match=HERE + "level needs over 62 bits"):
        explore(specification.world())


def test_a_computed_number_that_may_pass_64_bits_is_refused_with_its_line() -> None:
    specification, level = ladder()

    @specification.action(source="drawn")
    def shrink() -> Step:
        """Go down, by way of a large number."""
        return Step(when=[], then=[level.becomes(level * 2**62 // 2**63)])

    with pytest.raises(SpecificationError, match=HERE + "a number on this line may need more than 64 bits"):
        explore(specification.world())


def test_a_claim_whose_number_may_pass_64_bits_is_refused_as_a_claim() -> None:
    specification, level = ladder()

    @specification.always(source="drawn")
    def is_small() -> BoolExpr:
        """It is small, which a large number says."""
        return level * 2**62 < 2**63

    with pytest.raises(SpecificationError, match="a number in a claim or another condition on states may need more"):
        explore(specification.world())


def test_the_chunk_that_is_looked_at_together_fits_in_memory() -> None:
    search = Explorer(lower(two_phase_commit.world(size=7)), memory_bytes=1 << 20).search

    assert 4 * search.chunk * len(search.kernel.world.possible_instances) * 8 <= 1 << 20


def test_a_collision_of_hashes_is_noticed() -> None:
    two_states = np.array([[1, 2], [3, 4]], dtype=np.uint64)

    with pytest.raises(HashCollisionError):
        Seen(multiplier=0).distinct(two_states)


def test_no_cell_lies_across_two_words() -> None:
    specification = Specification("wide", "Wide.", source="drawn")
    specification.variable("lane", Sequence(Int(0, 1000), 20), "A lane.")
    packing = Packing.of(cells_of(specification.world()))

    assert packing.words == 4
    assert all(place.shift + place.bits <= 64 for place in packing.places)


def test_without_stories_the_verdicts_are_the_same() -> None:
    world = two_phase_commit.world(size=3)

    silent, whole = explore(world, stories=False), explore(world)

    assert [(v.result, v.sentence) for v in silent.verdicts] == [(v.result, v.sentence) for v in whole.verdicts]
    assert not any(verdict.witness for verdict in silent.verdicts)
