"""Slips: one small change of an expression."""

from gridproof_model.language import Array, BoolExpr, IndexExpr, Int, Specification, Step, for_all
from gridproof_model.language.notation import Notation
from gridproof_model.language.tree import Node
from gridproof_model.language.world import negated
from suite.slips import Redefinition, slip, variants

lamps = Specification("lamps", "Lamps burn up to nine hours.", source="drawn")
lamp = lamps.index("lamp", 2)
hours = lamps.variable("hours", Array(lamp, Int(0, 9)), "How long each has burnt.")


@lamps.definition(lamp)
def is_old(one: IndexExpr) -> BoolExpr:
    """Whether a lamp has burnt for more than five hours."""
    return hours[one] > 5


@lamps.definition()
def all_are_old() -> BoolExpr:
    """Whether no lamp is young."""
    return for_all(lamp, lambda one: is_old(one))


@lamps.action(lamp, source="drawn")
def burns(one: IndexExpr) -> Step:
    """A lamp burns for an hour."""
    return Step(when=[~all_are_old()], then=[hours[one].becomes(hours[one] + 1)])


GUARD = lamps.actions[0].guards[0]
VALUE = lamps.actions[0].updates[0].value
IS_OLD = lamps.definitions[0].body


def text(node: Node) -> str:
    return Notation().text(node)


def test_every_variant_differs_from_the_expression() -> None:
    assert all(variant != VALUE for variant in variants(VALUE))


def test_variants_leave_definitions_alone() -> None:
    assert [text(variant) for variant in variants(GUARD)] == ["all_are_old"]


def test_a_slip_is_reported_by_the_smallest_part_that_differs() -> None:
    slips = [slip(VALUE, variant) for variant in variants(VALUE)]

    assert [f"{text(new)}, for {text(old)}" for old, new in slips if text(old) == "1"] == ["2, for 1", "0, for 1"]


def test_a_negation_is_negated_by_taking_it_away() -> None:
    assert negated(negated(VALUE)) == VALUE


def test_a_redefinition_reaches_uses_inside_other_definitions() -> None:
    new = Redefinition("is_old", negated(IS_OLD))

    changed = new.of(GUARD)

    assert changed != GUARD
    assert Redefinition("is_old", IS_OLD).of(changed) == GUARD


def test_what_does_not_use_a_definition_stays_the_same_object() -> None:
    assert Redefinition("is_old", negated(IS_OLD)).of(VALUE) is VALUE
