"""One engine: what is explained, what is refused, what is given up."""

from collections.abc import Sequence
from itertools import islice

import pytest

from gridproof_model.language import State
from gridproof_model.language.run import Event, Runner
from gridproof_properties.judging.verdict import LogLine, Occurrence, Refusal
from gridproof_properties.validation.engine import STEPS_KEPT, GivenUpError, Observation, RefusedError, Validation
from gridproof_properties.validation.judge import wider
from tests.properties.validation.ring import specification

RUNNER = Runner(specification.world())
COUNTS = Event("counts", (0,))


def validation(*, silent: Sequence[str] = (), postponed: Sequence[str] = (), states_max: int = 1_000) -> Validation:
    states = tuple(islice(RUNNER.initial_states(), 10))
    return Validation(RUNNER, states, tuple(silent), tuple(postponed), states_max)


def shows(value: int) -> Observation:
    def agrees(state: State) -> str | None:
        return None if state["value"][0] == value else f"it shows {value}, and the specification {state['value'][0]}"

    return Observation(lambda state: (COUNTS,), agrees)


def show(one: Validation, value: int, line: int = 0) -> None:
    """Go on with a line that shows a value, or with more of the line before."""
    if not isinstance(one.recorded, LogLine) or one.recorded.number != line or not line:
        one.recorded = LogLine(line, (), f"counter shows {value}")
    one.take(shows(value))


def refusal_of(one: Validation, value: int, line: int = 0) -> Refusal | None:
    """Show a value, and return the refusal, None where it is explained."""
    try:
        show(one, value, line)
    except RefusedError as refused:
        return refused.refusal_of("")
    return None


def test_an_event_narrows_down_what_the_state_may_be() -> None:
    one = validation()
    assert len(one.states) == 3
    for value in range(1, 12):
        show(one, value)
    assert [state["offset"] for state in one.states] == [1, 2]
    assert one.steps == 11


def test_what_the_event_says_otherwise_is_refused() -> None:
    one = validation()
    show(one, 1)
    with pytest.raises(RefusedError) as refused:
        show(one, 3)
    assert refused.value.sentence == "counter shows 3: it shows 3, and the specification 2"
    assert refused.value.explanation[0] == "explained before it: 1; states that the system may then be in: 3"
    assert refused.value.explanation[-1] == "before it: counter shows 1"


def test_a_refusal_shows_the_event_and_what_was_explained_before_it() -> None:
    one = validation()
    show(one, 1)
    with pytest.raises(RefusedError) as refused:
        show(one, 3)
    shown = refused.value.refusal_of("counter 0")
    assert (shown.whose, shown.why, shown.left_out) == ("counter 0", refused.value.sentence, 0)
    assert shown.event == Occurrence("counter shows 3", shown.event.recorded, ("counts(counter 0)",), (("counter", 0),))
    assert [before.text for before in shown.before] == ["counter shows 1"]


def test_several_steps_of_one_record_are_shown_as_one() -> None:
    one = validation()
    for line, value in zip((1, 2, 2, 3), (1, 2, 3, 4), strict=True):
        show(one, value, line)
    shown = refusal_of(one, 9, 3)
    assert shown is not None
    assert [str(before.recorded) for before in shown.before] == ["counter shows 1", "counter shows 2"]
    assert str(shown.event.recorded) == "counter shows 4", "of the refused line nothing came before"


def test_a_refusal_shows_so_many_steps_and_counts_the_others() -> None:
    one = validation()
    for _ in range(STEPS_KEPT):
        show(one, 1)
        one.recorded = LogLine(0, (), "it is set back")
        one.take(Observation(lambda state: (Event("is_set_back", (0,)),)))
    shown = refusal_of(one, 2)
    assert shown is not None
    assert (len(shown.before), shown.left_out) == (STEPS_KEPT, STEPS_KEPT)


def test_a_guard_that_is_false_is_explained() -> None:
    one = validation()
    for value in range(1, 13):
        show(one, value)
    with pytest.raises(RefusedError) as refused:
        show(one, 13)
    assert refused.value.sentence == "counter shows 13: the specification refuses the action counts(counter 0)"
    assert any("guard 1 of counts(counter 0)" in line and "is false" in line for line in refused.value.explanation)
    assert "the guard that forbids this action would be true after is_set_back(counter 0)" in refused.value.explanation


@pytest.mark.parametrize("kind", ["silent", "postponed"])
def test_an_action_that_nobody_records_is_searched_for(kind: str) -> None:
    one = validation(silent=["is_set_back"]) if kind == "silent" else validation(postponed=["is_set_back"])
    for value in (1, 2, 1, 2):
        show(one, value)
    with pytest.raises(RefusedError):
        show(one, 4)


def test_a_postponed_action_is_tried_only_where_nothing_else_explains() -> None:
    one, eager = validation(postponed=["is_set_back"]), validation(silent=["is_set_back"])
    for each in (one, eager):
        each.take(Observation(lambda state: (COUNTS, Event("counts", (1,)))))
    assert {state["value"] for state in one.states} == {(1, 0), (0, 1)}
    assert len(eager.states) == len(one.states)
    show(eager, 1)
    assert (1, 0) in {state["value"] for state in eager.states}


def test_too_many_states_are_given_up() -> None:
    one = validation(states_max=4)
    with pytest.raises(GivenUpError, match="more than 4 states agree with the records"):
        one.take(Observation(lambda state: (COUNTS, Event("counts", (1,)))))


def test_an_event_that_is_no_action_at_all_is_refused() -> None:
    one = validation()
    one.recorded = LogLine(1, (), "a noise")
    with pytest.raises(RefusedError) as refused:
        one.take(Observation(lambda state: (), missing="nothing makes noise"))
    assert refused.value.sentence == "a noise: nothing makes noise"


def test_an_event_may_be_any_of_several() -> None:
    one = validation()
    one.take(shows(5), Observation(lambda state: (Event("counts", (1,)),)))
    assert {state["value"] for state in one.states} == {(0, 1)}


def test_the_onlooker_is_shown_the_steps() -> None:
    one, seen = validation(), list[str]()
    one.onlooker = lambda before, event, after: seen.append(event.action)
    show(one, 1)
    assert seen == ["counts"]


def test_a_state_goes_on_in_a_larger_world() -> None:
    larger = specification.world(size=4)
    state = RUNNER.step(RUNNER.start, COUNTS)
    assert wider(state, larger, {})["value"] == (1, 0, 0, 0)
