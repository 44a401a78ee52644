"""What proofs needed once is where the next one looks first, and nothing that it believes."""

from collections.abc import Iterable
from copy import copy
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from gridproof_model.language import ANY_NUMBER, ClaimKind
from gridproof_properties.proofs.argument import DEFINED, HINTS, NO_HINTS, Argument, Hints, stored_hints
from gridproof_properties.proofs.arguments import ARGUMENTS
from gridproof_properties.proofs.arguments.two_phase_commit import argument as two_phase_commit
from gridproof_properties.proofs.prove import Proof, prove

SIZES = ({"size": ANY_NUMBER}, {"size": 3})
NAMES = tuple(one.name for one in two_phase_commit.specification.claims if one.kind is ClaimKind.ALWAYS) + tuple(
    one.name for one in two_phase_commit.lemmas
)
ACTIONS = tuple(action.name for action in two_phase_commit.specification.actions)
EVERY = [(action, name) for action in ACTIONS for name in (*NAMES, DEFINED)]
WRONG = {
    "nothing suffices": Hints(dict.fromkeys(EVERY, frozenset())),
    "another claim": Hints({(action, name): frozenset({NAMES[-1]}) for action, name in EVERY}),
    "claims that there are not": Hints(dict.fromkeys(EVERY, frozenset({"nobody_has_said_this"}))),
    "ways that lead nowhere": Hints(ways=dict.fromkeys(EVERY, "counts")),
    "nothing was ever proved": Hints(unproved=dict.fromkeys(NAMES, ACTIONS)),
    "half of it was never proved": Hints(unproved=dict.fromkeys(NAMES[::2], ())),
}


def with_hints(argument: Argument, hints: Hints) -> Argument:
    hinted = Argument(argument.specification, proved_in=argument.proved_in, explored_in=())
    hinted.lemmas, hinted.hints = list(argument.lemmas), hints
    return hinted


def found(proof: Proof) -> tuple[object, ...]:
    proved = {name for name in proof.candidates if proof.is_proved(name)}
    refuted = {(one.claim, one.reason) for one in proof.induction.dropped}
    gaps = {} if proof.for_any is None else proof.for_any.gaps
    return proved, refuted, set(gaps), proof.may_be_undefined, proof.goes_on


@cache
def without_hints(**size: object) -> tuple[object, ...]:
    return found(prove(with_hints(two_phase_commit, NO_HINTS), size))


@pytest.mark.xdist_group("proof hints")
@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("hints", WRONG.values(), ids=WRONG)
def test_a_wrong_hint_changes_no_answer(hints: Hints, size: dict[str, object]) -> None:
    assert found(prove(with_hints(two_phase_commit, hints), size)) == without_hints(**size)


@pytest.mark.parametrize("size", [pytest.param(SIZES[0], marks=pytest.mark.nightly), SIZES[1]], ids=str)
def test_a_wrong_argument_is_refused_with_the_hints_of_the_right_one(size: dict[str, object]) -> None:
    refused = 0
    for wrong in without_each_guard(two_phase_commit):
        without = found(prove(with_hints(wrong, NO_HINTS), size))

        assert found(prove(with_hints(wrong, two_phase_commit.hints), size))[0] == without[0]
        refused += without[0] != set(NAMES)
    assert refused > len(ACTIONS) // 2


@pytest.mark.parametrize("size", SIZES, ids=str)
def test_a_hint_may_name_a_lemma_that_is_gone(size: dict[str, object]) -> None:
    fewer = Argument(two_phase_commit.specification, proved_in=SIZES, explored_in=())

    assert (
        found(prove(with_hints(fewer, two_phase_commit.hints), size))[0] == found(prove(fewer, size))[0] != set(NAMES)
    )


def without_each_guard(argument: Argument) -> Iterable[Argument]:
    for number, action in enumerate(argument.specification.actions):
        for guard in range(len(action.guards)):
            careless = copy(argument.specification)
            careless.actions = list(careless.actions)
            left = (*action.guards[:guard], *action.guards[guard + 1 :])
            careless.actions[number] = replace(action, guards=left)
            wrong = Argument(careless, proved_in=argument.proved_in, explored_in=())
            wrong.lemmas.extend(argument.lemmas)
            yield wrong


def test_where_hints_suffice_for_any_number_no_small_world_is_asked() -> None:
    proof = prove(two_phase_commit, {"size": ANY_NUMBER})

    assert all(map(proof.is_proved, NAMES))
    assert "world" not in vars(proof.asked)


@pytest.mark.parametrize("argument", ARGUMENTS, ids=lambda argument: argument.specification.name)
def test_hints_name_claims_lemmas_and_actions_that_there_are(argument: Argument) -> None:
    hints = argument.hints
    actions = {action.name for action in argument.specification.actions}
    keys = {*hints.needed, *hints.beside, *hints.ways}

    assert hints
    assert {action for action, _ in keys} | {one for found in hints.unproved.values() for one in found} <= actions
    assert {claim for _, claim in keys}.union(
        hints.unproved, *hints.needed.values(), *hints.beside.values()
    ) <= argument.names | {DEFINED}


def test_a_specification_of_which_nothing_is_kept_has_no_hints(tmp_path: Path) -> None:
    assert stored_hints(HINTS, "of somebody else") == NO_HINTS == stored_hints(tmp_path / "no.json", "ownership")
