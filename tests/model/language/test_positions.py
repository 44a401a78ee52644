"""What is said of the positions of a sequence is asked of those that there are, and means what it says."""

from collections.abc import Callable
from itertools import product

import pytest

from gridproof_model.language import (
    BoolExpr,
    Int,
    IntExpr,
    Sequence,
    Specification,
    Step,
    StepError,
    count,
    exists,
    for_all,
)
from gridproof_model.language.run import Event, Runner

drawn = Specification("lanes", "A lane has numbers.", source="drawn")
places = Int(0, 2)
lane = drawn.variable("lane", Sequence(Int(0, 2), 3), "A lane.")
number = drawn.variable("number", Int(0, 3), "What is counted.")


@drawn.definition(places)
def has_two(place: IntExpr) -> BoolExpr:
    """Two is there."""
    return (place < lane.length) & (lane.at(place) == 2)


@drawn.action(source="drawn")
def twos_are_counted() -> Step:
    """How often two is there is counted."""
    return Step(
        when=[exists(places, has_two), for_all(places, lambda at: (at < lane.length).implies(lane.at(at) > 0))],
        then=[number.becomes(count(places, has_two))],
    )


LANES = [numbers for length in range(4) for numbers in product(range(3), repeat=length)]
Numbers = tuple[int, ...]
MEANINGS: dict[str, tuple[BoolExpr, Callable[[Numbers], bool]]] = {
    "some": (exists(places, has_two), lambda numbers: 2 in numbers),
    "all": (for_all(places, lambda at: (at < lane.length).implies(lane.at(at) > 0)), lambda numbers: 0 not in numbers),
    "how many": (count(places, has_two) >= 2, lambda numbers: numbers.count(2) >= 2),
    "pairs": (
        exists(places, places, lambda one, at: has_two(at) & has_two(one) & (one < at)),
        lambda numbers: numbers.count(2) >= 2,
    ),
    "not of positions alone": (exists(places, lambda at: (at < lane.length) | (at == 2)), lambda _: True),
    "as long as a place": (
        exists(places, lambda at: (at == 2) & (lane.length <= at)),
        lambda numbers: len(numbers) < 3,
    ),
}


@pytest.mark.parametrize("what", MEANINGS)
def test_a_condition_of_positions_means_what_it_says_in_every_lane(what: str) -> None:
    condition, meaning = MEANINGS[what]
    runner = Runner(drawn.world())
    for numbers in LANES:
        assert runner.holds(condition.node, runner.start.replaced({"lane": numbers})) is meaning(numbers), numbers


def test_what_is_undefined_before_the_length_is_asked_stays_so() -> None:
    runner = Runner(drawn.world())
    early = exists(places, lambda at: (lane.at(at) == 2) & (at < lane.length))
    with pytest.raises(StepError):
        runner.holds(early.node, runner.start.replaced({"lane": (1,)}))


def test_a_compiled_action_does_the_same() -> None:
    runner = Runner(drawn.world())
    for numbers in LANES:
        after = runner.after(runner.start.replaced({"lane": numbers}), Event("twos_are_counted"))
        is_enabled = 2 in numbers and 0 not in numbers
        assert (after and after["number"]) == (numbers.count(2) if is_enabled else None)
