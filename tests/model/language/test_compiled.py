"""An action as one Python function."""

from collections.abc import Callable
from dataclasses import replace
from itertools import product
from types import CodeType
from typing import Any

import pytest

import gridproof_model.language.compiled as compiled
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
from gridproof_model.language.evaluate import code_of
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


def gates() -> Specification:
    """Return a specification whose guards and values have conditions on its constants."""
    specification = Specification("gates", "Gates are opened.", source="drawn")
    is_wide = specification.constant("is_wide", False, "Whether two may pass.")
    most = specification.constant("most", 2, "How many may pass.")
    passed = specification.variable("passed", Int(0, 9), "How many have passed.")
    is_open = specification.variable("is_open", Bool(), "Whether it is open.")

    @specification.action(source="drawn")
    def one_passes() -> Step:
        """One passes, or two, if there is room."""
        return Step(
            when=[(most < 3) | (passed < 4), ~is_wide | is_open | (most == 1), is_wide.implies(passed < most + 1)],
            then=[
                passed.becomes(if_else(is_wide, passed + 2, passed + 1)),
                is_open.becomes(if_else((most < 2) | is_open, is_wide & is_open, ~(most < 2) & (passed < 1))),
            ],
        )

    return specification


@pytest.mark.parametrize("most", [0, 1, 3, 5])
@pytest.mark.parametrize("is_wide", [False, True])
def test_a_condition_on_constants_means_in_each_world_what_it_means_there(is_wide: bool, most: int) -> None:
    runner = Runner(gates().world(is_wide=is_wide, most=most))
    event = Event("one_passes")

    for passed, is_open in product(range(7), (False, True)):
        before = runner.start.replaced({"passed": passed, "is_open": is_open})
        expected = None if runner.refusal(before, event) is not None else runner.step(before, event)
        assert runner.after(before, event) == expected


def test_a_condition_on_constants_is_not_computed_in_every_step(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []

    def recorded(text: str, mode: str) -> CodeType:
        texts.append(text)
        return code_of(text, mode)

    monkeypatch.setattr(compiled, "code_of", recorded)
    runner = Runner(gates().world(is_wide=True, most=1))

    runner.after(runner.start, Event("one_passes"))

    (step,) = (text for text in texts if text.startswith("def step"))
    assert "else" not in step, "both choices depend on constants alone"
