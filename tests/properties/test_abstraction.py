"""A view of one specification, as another sees it."""

from gridproof_model.language import Bool, Int, Specification, Step
from gridproof_properties.claims.abstraction import compare

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
