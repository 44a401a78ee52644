"""Induction over several steps proves what one step cannot."""

from gridproof_model.language import Int, Specification, Step
from gridproof_model.language.lower_world import lower
from gridproof_properties.proofs.k_induction import holds_by_k_induction
from gridproof_properties.proofs.translation import SymbolicWorld


def ring() -> SymbolicWorld:
    """It goes round 0, 1, 2; out of reach 5 leads to 6 and 6 to 7, which stays."""
    specification = Specification("ring", "It goes round.", source="drawn")
    place = specification.variable("place", Int(0, 7), "Where it is.")

    @specification.action(source="drawn")
    def goes_round() -> Step:
        """It goes on."""
        return Step(when=[place < 3], then=[place.becomes((place + 1) % 3)])

    @specification.action(source="drawn")
    def strays() -> Step:
        """It goes on where it never is."""
        return Step(when=[place >= 5, place < 7], then=[place.becomes(place + 1)])

    return SymbolicWorld(lower(specification.world()))


def test_more_steps_prove_more() -> None:
    world = ring()
    never_seven = world.cells[0] != 7

    assert [holds_by_k_induction(world, never_seven, k) for k in (1, 2, 3)] == [False, False, True]


def test_what_is_known_shortens_the_way() -> None:
    world = ring()

    assert holds_by_k_induction(world, world.cells[0] != 7, 1, known=[world.cells[0] != 6])


def test_what_is_false_is_never_proved() -> None:
    world = ring()

    assert not any(holds_by_k_induction(world, world.cells[0] < 2, k) for k in (1, 2, 3, 4))
