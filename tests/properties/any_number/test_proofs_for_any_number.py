"""What is called proved for any number holds at every size; what is not shown is not called refuted."""

from contextlib import suppress
from copy import copy
from dataclasses import replace

import pytest
from hypothesis import assume, given, settings

from gridproof_model.language import (
    ANY_NUMBER,
    Array,
    Bool,
    BoolExpr,
    ClaimKind,
    IndexExpr,
    IndexSet,
    Int,
    Option,
    Set,
    SetExpr,
    Specification,
    SpecificationError,
    Step,
    count,
    for_all,
)
from gridproof_model.language.tree import Constant, Operation, Operator, Variable
from gridproof_properties.claims.ledger import ledger_rows
from gridproof_properties.claims.ledger_row import Status
from gridproof_properties.claims.named import find_named
from gridproof_properties.explorer import FailureKind, explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.arguments.two_phase_commit import argument as two_phase_commit
from gridproof_properties.proofs.prove import prove
from tests.house.source_tree import ROOT
from tests.model.language.drawn_specifications import specifications
from tests.profiles import FILTERED, examples
from tests.properties.drawn_worlds import world_or_skip


def voters() -> tuple[Specification, Argument]:
    """Return a specification of voters who agree once for all, of which different claims are made."""
    s = Specification("voters", "Everybody may say yes, once.", source="a test")
    size = s.constant("size", 3, "How many there are.", least=1)
    everybody = s.index("voter", size)
    said = s.variable("said", Array(everybody, Bool()), "Who has said yes.", initial=False)
    last = s.variable("last", Option(everybody), "Who was the last.", initial=None)

    @s.action(everybody, source="a test")
    def voter_agrees(voter: IndexExpr) -> Step:
        """Somebody says yes."""
        return Step(when=[~said[voter]], then=[said[voter].becomes(True), last.becomes(voter)])

    @s.always(source="a test")
    def the_last_has_said_it() -> BoolExpr:
        """Whoever was the last has said yes."""
        return last.is_some.implies(said[last.value])

    @s.always(source="a test")
    def nobody_speaks_unless_somebody_was_last() -> BoolExpr:
        """As long as nobody was the last, nobody has said yes."""
        return last.is_none.implies(for_all(everybody, lambda voter: ~said[voter]))

    @s.always(source="a test")
    def at_most_three_agree() -> BoolExpr:
        """There are at most three: so in every world of three, and in no larger one."""
        return count(everybody, lambda voter: said[voter]) <= 3

    return s, Argument(s, proved_in=({"size": ANY_NUMBER},), explored_in=())


def test_a_claim_that_holds_of_small_sizes_only_is_not_proved_for_any() -> None:
    specification, argument = voters()

    proof = prove(argument, {"size": ANY_NUMBER})

    assert proof.for_any is not None
    assert set(proof.for_any.proved) == {"the_last_has_said_it", "nobody_speaks_unless_somebody_was_last"}
    assert proof.for_any.gaps["at_most_three_agree"].action == "voter_agrees"
    assert explore(specification.world(size=3)).verdict("at_most_three_agree").result is Result.HOLDS
    assert explore(specification.world(size=4)).verdict("at_most_three_agree").result is Result.BROKEN


def test_the_ledger_says_for_any_number_and_of_the_others_that_they_are_not_shown() -> None:
    specification, argument = voters()

    rows = {row.claim: row for row in ledger_rows(specification, argument)}

    assert rows["the_last_has_said_it"].status is Status.PROVED
    assert rows["the_last_has_said_it"].detail.startswith("by induction for any size")
    assert rows["at_most_three_agree"].status is Status.OPEN
    assert "not shown for any size: Z3 gave up at voter_agrees" in rows["at_most_three_agree"].detail


def test_two_phase_commit_agrees_for_any_number_of_managers() -> None:
    proof = prove(two_phase_commit, {"size": ANY_NUMBER})

    assert proof.is_proved("managers_agree")
    assert proof.may_be_undefined is None
    assert proof.goes_on


def without_guard(action: int, guard: int) -> Argument:
    careless = copy(two_phase_commit.specification)
    careless.actions = list(careless.actions)
    guards = careless.actions[action].guards
    careless.actions[action] = replace(careless.actions[action], guards=guards[:guard] + guards[guard + 1 :])
    argument = Argument(careless, proved_in=(), explored_in=())
    argument.lemmas.extend(two_phase_commit.lemmas)
    return argument


GUARDS = [(a, g) for a, one in enumerate(two_phase_commit.specification.actions) for g in range(len(one.guards))]


@pytest.mark.parametrize(("action", "guard"), GUARDS)
def test_without_a_guard_nothing_is_proved_that_the_explorer_refutes(action: int, guard: int) -> None:
    argument = without_guard(action, guard)
    proof = prove(argument, {"size": ANY_NUMBER})
    assert proof.for_any is not None

    explorations = [explore(argument.world({"size": size})) for size in (1, 2, 3)]

    for found in explorations:
        assert not {v.claim.name for v in found.verdicts if v.result is Result.BROKEN} & set(proof.for_any.proved)


def test_leaving_out_guards_is_noticed() -> None:
    always = {c.name for c in two_phase_commit.specification.claims if c.kind is ClaimKind.ALWAYS}

    lost = sum(not all(map(prove(without_guard(*one), {"size": ANY_NUMBER}).is_proved, always)) for one in GUARDS)

    assert lost >= len(GUARDS) // 3


def test_a_step_whose_value_may_be_missing_is_not_called_defined() -> None:
    s = Specification("careless", "It looks at what may be missing.", source="a test")
    size = s.constant("size", 3, "How many there are.", least=1)
    everybody = s.index("voter", size)
    chosen = s.variable("chosen", Array(everybody, Option(Int(0, 3))), "A number, if any.", initial=None)

    @s.action(everybody, source="a test")
    def all_are_compared(voter: IndexExpr) -> Step:
        """Somebody takes a number once all that are there are small: who has none is not asked after."""
        everyone = for_all(everybody, lambda one: chosen[one].is_none | (chosen[one].value < 3))
        return Step(when=[everyone], then=[chosen[voter].becomes(1)])

    @s.action(everybody, source="a test")
    def one_is_compared(voter: IndexExpr) -> Step:
        """Somebody's number is looked at, which may be missing."""
        return Step(when=[chosen[voter].value < 3], then=[chosen[voter].becomes(2)])

    @s.always(source="a test")
    def nobody_has_three() -> BoolExpr:
        """No number is three."""
        return for_all(everybody, lambda one: chosen[one] != 3)

    proof = prove(Argument(s, proved_in=(), explored_in=()), {"size": ANY_NUMBER})

    assert proof.for_any is not None
    assert set(proof.for_any.undefined) == {"one_is_compared"}
    assert proof.is_proved("nobody_has_three")


def test_a_whole_set_may_be_chosen_by_a_step() -> None:
    s = Specification("panel", "A majority is chosen, and its members speak.", source="a test")
    size = s.constant("size", 3, "How many there are.", least=1)
    everybody = s.index("voter", size)
    panel = s.variable("panel", Set(everybody), "Who is chosen.")
    spoken = s.variable("spoken", Set(everybody), "Who has spoken.")
    begun = s.variable("begun", Bool(), "Whether somebody is chosen.")

    @s.action(Set(everybody), source="a test")
    def panel_is_chosen(chosen: SetExpr) -> Step:
        """Any majority is chosen, once."""
        is_majority = count(everybody, lambda voter: chosen[voter]) * 2 > size
        return Step(when=[~begun, is_majority], then=[panel.becomes(chosen), begun.becomes(True)])

    @s.action(everybody, source="a test")
    def member_speaks(voter: IndexExpr) -> Step:
        """A member speaks."""
        return Step(when=[begun, panel[voter], ~spoken[voter]], then=[spoken[voter].becomes(True)])

    @s.always(source="a test")
    def only_members_speak() -> BoolExpr:
        """Who has spoken was chosen."""
        return for_all(everybody, lambda voter: spoken[voter].implies(panel[voter] & begun))

    @s.always(source="a test")
    def members_are_a_majority() -> BoolExpr:
        """Most are chosen, once somebody is."""
        return begun.implies(count(everybody, lambda voter: panel[voter]) * 2 > size)

    @s.always(source="a test")
    def all_are_members() -> BoolExpr:
        """All are chosen, once somebody is: that is not so."""
        return begun.implies(for_all(everybody, lambda voter: panel[voter]))

    proof = prove(Argument(s, proved_in=(), explored_in=()), {"size": ANY_NUMBER})

    proved = [claim.name for claim in s.claims if proof.is_proved(claim.name)]
    assert proved == ["only_members_speak", "members_are_a_majority"]
    assert not proof.goes_on


def test_an_element_of_a_set_without_order_by_its_position_has_no_meaning_for_any_number() -> None:
    specification, argument = voters()
    everybody = specification.index_sets[0]
    assert isinstance(everybody, IndexSet)
    said = Variable("said", Array(everybody, Bool()))
    first = Operation(Operator.SELECT, (said, Constant(0, everybody)), Bool())
    either = Operation(Operator.EQUAL, (first, first), Bool())
    specification.claims.append(replace(specification.claims[0], name="the_first_has_spoken", condition=either))

    with pytest.raises(SpecificationError, match="no meaning for any number of size: an element of 'voter'"):
        prove(argument, {"size": ANY_NUMBER})


@settings(suppress_health_check=FILTERED, max_examples=examples(15), deadline=None)
@given(specifications())
def test_what_is_proved_of_a_drawn_specification_holds_at_each_size(drawn: Specification) -> None:
    world_or_skip(drawn)
    try:
        proof = prove(Argument(drawn, proved_in=(), explored_in=()), {"slots": ANY_NUMBER})
    except SpecificationError:  # it lists a value for each slot, or speaks of a member by its position
        assume(False)
    assert proof.for_any is not None
    assume(proof.for_any.proved)

    for size in (1, 2, 3):
        with suppress(SpecificationError):  # it may name a slot that there is not
            found = explore(drawn.world(slots=size), memory_bytes=1 << 24, stories=False)
            broken = {v.claim.name for v in found.verdicts if v.result is Result.BROKEN}
            is_defined = not any(f.kind is not FailureKind.DEADLOCK for f in found.failures)
            assert not broken & set(proof.for_any.proved)
            assert is_defined or proof.may_be_undefined is not None or not found.is_complete


@pytest.mark.nightly
def test_paxos_decides_once_for_any_number_of_nodes_values_and_rounds() -> None:
    (argument,) = find_named(str(ROOT / "docs" / "examples" / "paxos.py")).arguments

    proof = prove(argument, argument.proved_in[0])

    assert proof.is_proved("one_value_is_decided")
    assert proof.may_be_undefined is None


@pytest.mark.nightly
def test_paxos_that_proposes_without_a_majority_is_not_proved() -> None:
    (argument,) = find_named(str(ROOT / "docs" / "examples" / "paxos.py")).arguments
    careless = copy(argument.specification)
    number = next(n for n, one in enumerate(careless.actions) if one.name == "bound_round_proposes")
    asked = careless.actions[number].guards
    careless.actions = list(careless.actions)
    careless.actions[number] = replace(careless.actions[number], guards=(*asked[:2], asked[3]))
    wrong = Argument(careless, proved_in=(), explored_in=())
    wrong.lemmas.extend(argument.lemmas)

    proof = prove(wrong, argument.proved_in[0])

    assert not proof.is_proved("one_value_is_decided")
    assert explore(careless.world(round_count=3)).verdict("one_value_is_decided").result is Result.BROKEN
