"""What is called proved for any number holds at every size; what is not shown is not called refuted."""

import json
import subprocess
import sys
from collections.abc import Callable
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
    IndexExpr,
    IndexSet,
    Int,
    IntExpr,
    Option,
    Set,
    SetExpr,
    Specification,
    SpecificationError,
    Step,
    count,
    exists,
    for_all,
    sum_of,
)
from gridproof_model.language.tree import Constant, Operation, Operator, Variable
from gridproof_properties.claims.ledger import Evidence
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


def voters() -> tuple[Specification, Argument, Callable[[IndexExpr], BoolExpr], IntExpr]:
    """Return a specification of voters who agree once for all, of which different claims are made; who has agreed, and
    how many there are.
    """
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

    return s, Argument(s, proved_in=({"size": ANY_NUMBER},), explored_in=()), said.__getitem__, size


def test_a_claim_that_holds_of_small_sizes_only_is_not_proved_for_any() -> None:
    specification, argument, *_ = voters()

    proof = prove(argument, {"size": ANY_NUMBER})

    assert proof.for_any is not None
    assert set(proof.for_any.proved) == {"the_last_has_said_it", "nobody_speaks_unless_somebody_was_last"}
    assert proof.for_any.gaps["at_most_three_agree"].action == "voter_agrees"
    assert explore(specification.world(size=3)).verdict("at_most_three_agree").result is Result.HOLDS
    assert explore(specification.world(size=4)).verdict("at_most_three_agree").result is Result.BROKEN


def test_what_holds_of_small_sizes_only_is_answered_by_the_smallest_world_that_refutes_it() -> None:
    specification, argument, has_agreed, _ = voters()

    @argument.lemma
    def somebody_is_silent() -> BoolExpr:
        """Not everybody has said yes."""
        return exists(specification.index_sets[0], lambda voter: ~has_agreed(voter))

    evidence = Evidence.gather(argument)
    rows = {row.claim: row for row in (*evidence.rows(), *evidence.lemma_rows())}

    assert rows["the_last_has_said_it"].status is Status.PROVED
    assert rows["the_last_has_said_it"].detail.startswith("by induction for any size")
    assert rows["at_most_three_agree"].detail.startswith("broken 4 steps from the start for size 4")
    assert rows["somebody_is_silent"].detail.startswith("broken 1 step from the start for size 1")


def test_what_z3_gives_up_on_is_unknown_is_not_called_broken_and_drops_only_what_leans_on_it() -> None:
    specification, argument, has_agreed, size = voters()

    @argument.lemma
    def two_thirds_are_a_majority() -> BoolExpr:
        """Where more than two thirds have said yes, more than half have."""
        yes = count(specification.index_sets[0], has_agreed)
        return (yes * 3 > size * 2).implies(yes * 2 > size)

    evidence = Evidence.gather(argument)
    (row,), (proof,) = evidence.lemma_rows(), evidence.proofs

    assert row.status is Status.PARTLY
    assert "not shown for any size: Z3 gave up at" in row.detail
    assert "it reckons with the size of 'voter', of which little is known for any number" in row.detail
    assert proof.for_any is not None
    assert {"the_last_has_said_it", "nobody_speaks_unless_somebody_was_last"} <= set(proof.for_any.proved)


def test_what_is_counted_in_one_set_is_not_counted_in_another_whose_positions_are_reckoned_with() -> None:
    s = Specification("benches", "Voters sit on one bench or the other.", source="a test")
    left = s.index("left", s.constant("lefts", 3, "Chairs to the left.", least=1), ordered=True)
    right = s.index("right", s.constant("rights", 3, "Chairs to the right.", least=1), ordered=True)
    taken = s.variable("taken", Array(left, Bool()), "Whose chair is taken.", initial=True)

    @s.action(left, source="a test")
    def voter_stays(voter: IndexExpr) -> Step:
        """Nothing changes."""
        return Step(when=[taken[voter]], then=[taken[voter].becomes(True)])

    @s.always(source="a test")
    def both_are_as_long() -> BoolExpr:
        """As many chairs are to the left as to the right: so only where both sizes are the same."""
        chairs = count(left, lambda chair: chair.ordinal >= 0), count(right, lambda chair: chair.ordinal >= 0)
        return (chairs[0] == chairs[1]) & taken[left[0]]

    opened = {"lefts": ANY_NUMBER, "rights": ANY_NUMBER}

    assert not prove(Argument(s, proved_in=(), explored_in=()), opened).is_proved("both_are_as_long")


def test_what_is_passed_on_is_still_there_and_what_is_spent_is_not() -> None:
    s = Specification("purses", "Coins go from purse to purse.", source="a test")
    purses = s.index("purse", s.constant("size", 3, "How many there are.", least=1))
    coins = s.variable("coins", Array(purses, Int(0, 9)), "What is in each.", initial=0)
    spent = s.variable("spent", Int(0, 9), "What was spent.", initial=0)
    found = s.variable("found", Int(0, None), "What was found.", initial=0)

    @s.action(purses, source="a test")
    def coin_is_found(taker: IndexExpr) -> Step:
        """One has a coin more."""
        return Step(when=[coins[taker] < 9], then=[coins[taker].becomes(coins[taker] + 1), found.becomes(found + 1)])

    @s.action(purses, purses, source="a test")
    def coin_is_passed_on(giver: IndexExpr, taker: IndexExpr) -> Step:
        """One has a coin less, another one more."""
        then = [coins[giver].becomes(coins[giver] - 1), coins[taker].becomes(coins[taker] + 1)]
        return Step(when=[giver != taker, coins[giver] > 0, coins[taker] < 9], then=then)

    @s.action(purses, source="a test")
    def coin_is_spent(giver: IndexExpr) -> Step:
        """One has a coin less."""
        then = [coins[giver].becomes(coins[giver] - 1), spent.becomes(spent + 1)]
        return Step(when=[coins[giver] > 0, spent < 9], then=then)

    @s.always(source="a test")
    def nothing_is_lost() -> BoolExpr:
        """What is in the purses, and what was spent, was found."""
        return sum_of(purses, lambda purse: coins[purse]) + spent == found

    @s.always(source="a test")
    def nine_are_the_most() -> BoolExpr:
        """There are no more coins than fit in one purse: so only where there is one."""
        return sum_of(purses, lambda purse: coins[purse]) <= 9

    proof = prove(Argument(s, proved_in=(), explored_in=()), {"size": ANY_NUMBER})

    assert proof.is_proved("nothing_is_lost")
    assert not proof.is_proved("nine_are_the_most")


def test_a_sum_of_which_too_little_is_known_is_named() -> None:
    s = Specification("beds", "Everybody has a bed.", source="a test")
    size = s.constant("size", 3, "How many there are.", least=1)
    everybody = s.index("sleeper", size)
    beds = s.variable("beds", Array(everybody, Int(0, 3)), "Who has how many.", initial=1)

    @s.always(source="a test")
    def there_are_enough() -> BoolExpr:
        """There are as many beds as sleepers."""
        return sum_of(everybody, lambda one: beds[one]) == size

    gap = prove(Argument(s, proved_in=(), explored_in=()), {"size": ANY_NUMBER}).gap("there_are_enough")

    assert gap is not None
    assert "it says sum_of over 'sleeper', of which little is known for any number" in gap.sentence


def test_two_phase_commit_agrees_for_any_number_of_managers() -> None:
    proof = prove(two_phase_commit, {"size": ANY_NUMBER})

    assert proof.is_proved("managers_agree")
    assert proof.may_be_undefined is None
    assert proof.goes_on


def test_the_more_elements_questions_name_the_more_show_every_violation() -> None:
    shown = prove(two_phase_commit, {"size": ANY_NUMBER}).for_any

    assert shown is not None
    assert [shown.cutoffs[name] for name in ("decisions_are_announced", "managers_agree")] == [
        {"manager": 1},
        {"manager": 3},
    ]


def test_what_is_not_shown_for_any_number_needs_no_number_of_elements() -> None:
    _, argument, *_ = voters()

    evidence = Evidence.gather(argument)

    (sentence,) = evidence.cutoffs
    assert not any(proof.is_proved("at_most_three_agree") for proof in evidence.proofs)
    assert sentence.startswith("At most 3 elements of 'voter' are needed to show every violation: ")


def test_where_elements_lead_to_others_it_is_said_why_no_number_shows_every_violation() -> None:
    s = Specification("chained", "Nothing comes after itself.", source="a test")
    nodes = s.index("node", s.constant("size", 2, "How many there are.", least=1))
    after = s.variable("after", Array(nodes, Option(nodes)), "What comes after each.")
    s.may_stop(lambda: True)

    @s.action(nodes, nodes, source="a test")
    def is_put_after(node: IndexExpr, other: IndexExpr) -> Step:
        """One is put after another."""
        return Step(when=[node != other], then=[after[node].becomes(other)])

    @s.always(nodes, source="a test")
    def nothing_is_after_itself(node: IndexExpr) -> BoolExpr:
        """Nothing comes after itself."""
        return after[node] != node

    shown = Evidence.gather(Argument(s, proved_in=({"size": ANY_NUMBER},), explored_in=()))

    assert shown.cutoffs == (
        "It is not known how many elements of 'node' are needed to show every violation: "
        "the proof names one of these elements for each element of another set, by `after`.",
    )


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
    specification, argument, *_ = voters()
    everybody = specification.index_sets[0]
    assert isinstance(everybody, IndexSet)
    said = Variable("said", Array(everybody, Bool()))
    first = Operation(Operator.SELECT, (said, Constant(0, everybody)), Bool())
    either = Operation(Operator.EQUAL, (first, first), Bool())
    specification.claims.append(replace(specification.claims[0], name="the_first_has_spoken", condition=either))

    with pytest.raises(SpecificationError, match="for every size, because an expression names an element"):
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
    """In a process of its own, as by hand: what a small proof leans on depends on what was proved before."""
    words = [sys.executable, "-m", "gridproof", "prove", str(ROOT / "docs" / "examples" / "paxos.py"), "--json"]

    proved = subprocess.run(words, capture_output=True, check=True)

    rows = {row["claim"]: row for row in json.loads(proved.stdout)["ledger"]}
    for claim in ("one_value_is_decided", "every_step_is_defined"):
        assert rows[claim]["status"] == "proved"
        assert "for any size and any value_count and any round_count" in rows[claim]["detail"]


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
