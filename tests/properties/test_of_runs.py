"""What may be concluded of runs from what is proved."""

from dataclasses import replace
from pathlib import Path

import pytest

from gridproof_model.language import (
    ANY_NUMBER,
    Array,
    Bool,
    BoolExpr,
    ClaimKind,
    IndexExpr,
    Int,
    Plain,
    Specification,
    Step,
    for_all,
)
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.specifications.invocation import specification as invocation
from gridproof_properties.claims.known import Knowledge, KnownIn, argument_of, recorded
from gridproof_properties.claims.of_runs import OfRuns, Scope, of_runs
from gridproof_properties.proofs.argument import Argument
from tools.ledger_page import record
from tools.of_every_run import in_words, of_every_run

specification = Specification("lamps", "Lamps are lit.", source="drawn")
count = specification.constant("count", 2, "How many lamps there are.", least=1)
changes = specification.constant("changes", 1, "How often one may be lit.")
is_calm = specification.constant("is_calm", True, "Whether nothing breaks.")
lamps = specification.index("lamp", count)
lit = specification.variable("lit", Array(lamps, Bool()), "Which are lit.")
changes_left = specification.variable("changes_left", Int(0, changes), "Changes still to come.", initial=changes)
broken = specification.variable("broken", Bool(), "Whether something broke.")


@specification.action(lamps, source="drawn")
def is_lit(lamp: IndexExpr) -> Step:
    """Somebody lights a lamp."""
    return Step(when=[changes_left > 0], then=[lit[lamp].becomes(True), changes_left.becomes(changes_left - 1)])


@specification.always(source="drawn")
def plain() -> BoolExpr:
    """It says something of every state."""
    return for_all(lamps, lambda lamp: lit[lamp] | (changes_left >= 0))


@specification.always(source="drawn")
def with_an_exception() -> BoolExpr:
    """It says nothing once something broke."""
    return broken | (changes_left >= 0)


@specification.always(source="drawn")
def only_where_it_is_calm() -> BoolExpr:
    """It says nothing where something may break."""
    return (is_calm & ~broken).implies(changes_left >= 0)


argument = Argument(specification, proved_in=({},), explored_in=({},))
NAMES = frozenset(claim.name for claim in specification.claims)
USUAL: dict[str, Plain] = {"count": 2, "changes": 1, "is_calm": True}
OPEN = Knowledge(proved=(KnownIn({**USUAL, "count": ANY_NUMBER, "changes": ANY_NUMBER}, NAMES),))
OF_TWO = Knowledge(proved=(KnownIn({**USUAL, "changes": ANY_NUMBER}, NAMES),))


def concluded(constants: dict[str, Plain], knowledge: Knowledge, claim: str = "plain") -> OfRuns:
    return next(one for one in of_runs(argument, USUAL | constants, knowledge) if one.claim.name == claim)


def test_what_a_proof_leaves_open_is_concluded() -> None:
    assert concluded({"count": 8, "changes": 1_000}, OPEN).scope is Scope.CONCLUDED


def test_another_size_is_said() -> None:
    found = concluded({"count": 8, "changes": 1_000}, OF_TWO)

    assert found.scope is Scope.BUT_FOR_SIZE
    assert found.why == "proved for count 2; validated with count 8"


def test_none_of_something_is_no_size() -> None:
    assert concluded({"count": 8}, Knowledge((KnownIn({**USUAL, "count": 0}, NAMES),))).scope is Scope.NOTHING


def test_how_often_something_may_happen_is_no_size() -> None:
    found = concluded({"changes": 1_000}, Knowledge((KnownIn(USUAL, NAMES),)))

    assert found.scope is Scope.NOTHING
    assert found.why == "it is proved only for changes 1; validated with changes 1,000"


def test_a_switch_that_validation_turns_off_leaves_nothing() -> None:
    assert concluded({"is_calm": False}, OPEN).scope is Scope.NOTHING


def test_of_several_proofs_the_one_that_says_most_counts() -> None:
    both = Knowledge((*OF_TWO.proved, *OPEN.proved))

    assert concluded({"count": 8}, both).scope is Scope.CONCLUDED


def test_what_only_the_explorer_knows_holds_up_to_its_worlds() -> None:
    found = concluded({"count": 8}, Knowledge(explored=(KnownIn(USUAL, NAMES, states=6),)))

    assert found.scope is Scope.UP_TO
    assert found.why == "in every state of worlds with count 2; validated with count 8"


def test_what_nobody_has_shown_is_not_concluded() -> None:
    assert concluded({}, Knowledge()).scope is Scope.NOTHING


@pytest.mark.parametrize("claim", ["with_an_exception", "only_where_it_is_calm"])
def test_a_premise_is_the_condition_and_constants_are_no_part_of_it(claim: str) -> None:
    assert in_words(concluded({}, OPEN, claim)) == "holds of validated runs without `broken`"


def test_a_claim_that_constants_make_true_says_nothing() -> None:
    calm_or_not = Knowledge((replace(OPEN.proved[0], constants={**OPEN.proved[0].constants, "is_calm": False}),))
    found = concluded({"is_calm": False}, calm_or_not, "only_where_it_is_calm")

    assert in_words(found) == "says nothing of runs, since not is_calm holds where runs are validated"


def test_what_is_recorded_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    record([(argument, OPEN)], file)

    assert recorded(argument, file) == OPEN


def test_of_another_text_nothing_is_known(tmp_path: Path) -> None:
    file = tmp_path / "known.json"
    record([(argument, OPEN)], file)
    with_a_lemma = Argument(specification, proved_in=({},), explored_in=())

    @with_a_lemma.lemma
    def another() -> BoolExpr:
        """A lemma that nobody has proved."""
        return changes_left >= 1

    assert recorded(with_a_lemma, file) == Knowledge()


def test_of_every_run_something_is_said_of_each_claim_that_runs_are_held_against() -> None:
    said = of_every_run(invocation)

    always = [claim.name for claim in invocation.claims if claim.kind is ClaimKind.ALWAYS]
    assert list(said) == always


@pytest.mark.parametrize("ours", SPECIFICATIONS, ids=lambda one: one.name)
def test_what_is_recorded_of_ours_is_of_the_text_as_it_stands(ours: Specification) -> None:
    known = recorded(argument_of(ours))

    cure = f"python -m tools.ledger_page docs/ledger.md {ours.name}"
    assert known.proved, f"the text has changed since it was proved; renew the ledger: {cure}"


@pytest.mark.parametrize("one", SPECIFICATIONS, ids=lambda one: one.name)
def test_a_premise_is_one_object_in_every_world(one: Specification) -> None:
    def premises() -> list[object]:
        found = of_runs(argument_of(one), dict(one.world().constants), recorded(argument_of(one)))
        return [condition for claim in found for condition in claim.conditions]

    assert list(map(id, premises())) == list(map(id, premises()))
