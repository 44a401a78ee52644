"""A view of one specification, as another sees it."""

from enum import Enum
from typing import Any

import pytest

from gridproof_model.language import (
    ANY,
    Array,
    Bool,
    Int,
    OneOf,
    Option,
    Specification,
    SpecificationError,
    Step,
    array_of,
    if_else,
    larger,
)
from gridproof_properties.claims.abstraction import compare
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.refinement import show_refinement

above = Specification("above", "A level that stays.", source="-")
level = above.variable("level", Int(0, 3), "The level.", initial=2)


@above.action(source="-")
def level_stays() -> Step:
    """Nothing changes."""
    return Step(when=[level == 2], then=[level.becomes(2)])


below = Specification("below", "A lamp, and a number that is chosen.", source="-")
chosen = below.constant("chosen", 2, "The number.")
is_lit = below.variable("is_lit", Bool(), "Whether it is lit.")


@below.action(source="-")
def lamp_is_switched() -> Step:
    """The lamp is switched."""
    return Step(when=[], then=[is_lit.becomes(~is_lit)])


def test_a_view_may_be_a_number_that_no_state_changes() -> None:
    assert compare(below.world(), above.world(), {"level": chosen}).refusals == ()


def test_another_number_than_the_one_above_is_refused() -> None:
    assert compare(below.world(chosen=1), above.world(), {"level": chosen}).refusals != ()


def test_a_step_that_hidden_values_decide_is_not_refuted() -> None:
    hidden = Specification("hidden", "A level that rises by a number.", source="-")
    height = hidden.variable("height", Int(0, 4), "The height.")
    by = hidden.variable("by", Int(1, 2), "By how much it rises next.", initial=ANY)

    @hidden.action(source="-")
    def it_rises() -> Step:
        """It rises."""
        return Step(when=[height + by <= 4], then=[height.becomes(height + by)])

    found = compare(hidden.world(), hidden.world(), {"height": height})
    by_three = compare(hidden.world(), hidden.world(), {"height": if_else(height > 1, 4, height)})

    assert it_rises.name == "it_rises"
    assert (len(found.refusals) > 0, found.refuted, found.story) == (True, 0, ())
    assert by_three.refuted > 0
    assert "it_rises" in by_three.story[-1].event


ladder = Specification("ladder", "It is climbed.", source="-")
rung = ladder.variable("rung", Int(0, 3), "Where somebody is.")
steps = ladder.index("step", 20, ordered=True)


@ladder.action(source="-")
def somebody_climbs() -> Step:
    """Somebody climbs."""
    return Step(when=[rung < 3], then=[rung.becomes(rung + 1)])


def test_a_view_of_more_values_than_a_number_has_is_compared_in_all_its_cells() -> None:
    high = Specification("high", "Only the last cell changes.", source="-")
    places = high.index("place", 20, ordered=True)
    cells = high.variable("cells", Array(places, Int(0, 15)), "The cells.")

    @high.action(source="-")
    def last_cell_rises() -> Step:
        """The last cell rises."""
        return Step(when=[cells[places[19]] < 3], then=[cells[places[19]].becomes(cells[places[19]] + 1)])

    last = array_of(steps, lambda step: if_else(step == steps[19], rung, 0))
    both = array_of(steps, lambda step: if_else((step == steps[19]) | (step == steps[0]), rung, 0))

    assert last_cell_rises.name == "last_cell_rises"
    assert compare(ladder.world(), high.world(), {"cells": last}).refuted == 0
    assert compare(ladder.world(), high.world(), {"cells": both}).refuted == 3


def test_a_view_outside_its_domain_is_no_view_of_another_state() -> None:
    bits = Specification("bits", "Two bits count to three.", source="-")
    left, right = bits.variable("left", Int(0, 1), "The left one."), bits.variable("right", Int(0, 1), "The right one.")

    @bits.action(source="-")
    def it_counts() -> Step:
        """It counts."""
        return Step(when=[left + right < 2], then=[right.becomes(1 - right), left.becomes(larger(left, right))])

    found = compare(ladder.world(), bits.world(), {"left": rung - rung, "right": rung})

    assert it_counts.name == "it_counts"
    assert [refusal.after for refusal in found.refusals] == ["left 0, right 2", "left 0, right 3"]


class Lamp(Enum):
    """What a lamp shows."""

    RED = "red"
    GREEN = "green"


class Light(Enum):
    """The same, in another order."""

    GREEN = "green"
    RED = "red"


def stepping(domain: Any, first: Any, second: Any) -> tuple[Specification, Any]:
    """Return a specification of one value, which changes once."""
    one = Specification("stepping", "A value changes once.", source="-")
    value = one.variable("value", domain, "The value.", initial=first)

    @one.action(source="-")
    def it_changes() -> Step:
        """It changes."""
        return Step(when=[value == first], then=[value.becomes(second)])

    assert it_changes.name == "it_changes"
    return one, value


@pytest.mark.parametrize(
    ("below", "above"),
    [
        ((OneOf(Lamp), Lamp.RED, Lamp.GREEN), (OneOf(Light), Light.GREEN, Light.RED)),
        ((Option(Int(0, 3)), 0, 1), (Option(Int(1, 3)), 1, 2)),
        ((Option(Int(0, 3)), 0, 1), (Int(1, 3), 1, 2)),
        ((Bool(), False, True), (OneOf(Lamp), Lamp.RED, Lamp.GREEN)),
        ((Int(0, 1), 0, 1), (Bool(), False, True)),
    ],
)
def test_values_that_the_same_numbers_stand_for_are_not_the_same_values(below: Any, above: Any) -> None:
    (one, value), (other, _) = stepping(*below), stepping(*above)
    argument = Argument(one, proved_in=({},), explored_in=())

    with pytest.raises(SpecificationError, match="the view gives value values of"):
        compare(one.world(), other.world(), {"value": value})
    with pytest.raises(SpecificationError, match="the view gives value values of"):
        show_refinement(argument, {}, other.world(), {"value": value})


def test_a_value_may_be_viewed_as_an_option_that_is_never_empty() -> None:
    (one, value), (other, _) = stepping(Int(0, 2), 1, 2), stepping(Option(Int(1, 3)), 1, 2)
    (another, wrong) = stepping(Int(0, 2), 0, 1)

    assert compare(one.world(), other.world(), {"value": value}).refuted == 0
    assert compare(another.world(), other.world(), {"value": wrong}).refuted > 0
