"""An action as one Python function."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    Option,
    OptionExpr,
    Sequence,
    Specification,
    Step,
    StepError,
    array_of,
    exists,
    if_else,
)
from gridproof_model.language.run import Event, Runner


def nobodies() -> Specification:
    """Return nodes of which a definition, which is given an option, may take one for nobody."""
    specification = Specification("nobodies", "Nodes are looked at.", source="drawn")
    nodes = specification.index("node", 2, ordered=True)
    is_found = specification.variable("is_found", Bool(), "Whether a node was taken for nobody.", initial=False)

    @specification.definition(Option(nodes))
    def is_nobody(leader: OptionExpr[IndexExpr]) -> BoolExpr:
        """There is none."""
        return leader.is_none

    of_a_node: Callable[[Any], BoolExpr] = is_nobody

    @specification.action(nodes, source="drawn")
    def nodes_are_looked_at(by: IndexExpr) -> Step:
        """Somebody looks at each."""
        return Step(when=[nodes[0] <= by], then=[is_found.becomes(exists(nodes, of_a_node))])

    return specification


@pytest.mark.filterwarnings("error")
def test_a_number_is_never_none_and_nobody_is_warned_about_it() -> None:
    runner = Runner(nobodies().world())

    after = runner.after(runner.start, Event("nodes_are_looked_at", (1,)))

    assert after is not None
    assert after["is_found"] is False


def shelves() -> Specification:
    """Return shelves on which each action puts something that one place has no room for."""
    specification = Specification("shelves", "Numbers are put on shelves.", source="drawn")
    places = specification.index("place", 2, ordered=True)
    small, large = Int(0, 2), Int(0, 5)
    wanted = specification.variable("wanted", large, "What is put there.", initial=5)
    shelf = specification.variable("shelf", Array(places, small), "What is there.")
    queue = specification.variable("queue", Sequence(small, 2), "What waits.")
    label = specification.variable("label", Option(small), "What is written there.")

    @specification.action(places, source="drawn")
    def one_is_put(place: IndexExpr) -> Step:
        """One cell is written."""
        return Step(when=[], then=[shelf[place].becomes(wanted)])

    @specification.action(places, source="drawn")
    def one_is_chosen(place: IndexExpr) -> Step:
        """One of two values is written."""
        return Step(when=[], then=[shelf[place].becomes(if_else(wanted < 3, shelf[place], wanted))])

    @specification.action(source="drawn")
    def all_are_put() -> Step:
        """Every cell is written."""
        return Step(
            when=[], then=[shelf.becomes(array_of(places, lambda place: if_else(place == places[0], 1, wanted)))]
        )

    @specification.action(source="drawn")
    def one_waits() -> Step:
        """One more waits."""
        return Step(when=[], then=[queue.becomes(queue.append(wanted))])

    @specification.action(large, source="drawn")
    def one_is_named(number: IntExpr) -> Step:
        """What is written is an argument."""
        return Step(when=[], then=[label.becomes(number)])

    return specification


@pytest.mark.parametrize("wanted", [2, 3])
@pytest.mark.parametrize(
    "event",
    [
        Event("one_is_put", (1,)),
        Event("one_is_chosen", (0,)),
        Event("all_are_put"),
        Event("one_waits"),
        Event("one_is_named"),
    ],
    ids=lambda event: event.action,
)
def test_what_has_no_room_is_refused_in_whatever_form_it_is_written(event: Event, wanted: int) -> None:
    runner = Runner(shelves().world())
    before = runner.start.replaced({"wanted": wanted})
    event = replace(event, arguments=(wanted,)) if event.action == "one_is_named" else event

    if wanted == 2:
        assert runner.after(before, event) == runner.step(before, event)
    else:
        with pytest.raises(StepError, match="outside its domain"):
            runner.after(before, event)
