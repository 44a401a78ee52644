"""Z3 proves the rule and refutes every wrong one."""

from collections.abc import Callable

import pytest

from gridproof_model.hashing import INT_MIN, hash_to_index
from gridproof_properties.audits import boundary_keys
from tests.properties import wrong_routers
from tests.properties.function_proofs.hashing import Proof, prove_index, prove_inversion
from tests.properties.function_proofs.symbols import inverse_of

Rule = Callable[[int, int], int]


def test_the_models_rule_is_proved_for_every_hash_and_every_count() -> None:
    assert [proof for proof in prove_index() if not proof.proved] == []


def test_every_step_of_the_hash_is_proved_to_be_undone() -> None:
    proofs = prove_inversion()

    assert len(proofs) == 3 + 2 * 5  # three steps, five factors and their inverses
    assert [proof for proof in proofs if not proof.proved] == []


def test_a_wrong_inverse_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(boundary_keys, "unscramble", lambda word: boundary_keys.rotate_right(word, 15))

    assert [proof.claim for proof in prove_inversion() if not proof.proved] == ["unscramble undoes scramble"]


@pytest.mark.parametrize("rule", [wrong_routers.truncate, wrong_routers.wrap_the_absolute_value])
def test_a_rule_that_leaves_the_range_is_refuted(rule: Rule) -> None:
    in_range = prove_index(rule)[1]

    assert not in_range.proved
    assert not 0 <= rule(*values_of(in_range)) < values_of(in_range)[1]


@pytest.mark.parametrize(
    "rule",
    [
        wrong_routers.truncate,
        wrong_routers.round_down,
        wrong_routers.wrap_the_absolute_value,
        wrong_routers.forget_the_smallest_hash,
    ],
)
def test_a_wrong_rule_is_refuted_by_a_hash_and_a_count_that_show_it(rule: Rule) -> None:
    as_documented = prove_index(rule)[2]

    assert not as_documented.proved
    assert rule(*values_of(as_documented)) != hash_to_index(*values_of(as_documented))


def test_forgetting_the_smallest_hash_is_wrong_there_only() -> None:
    _, in_range, as_documented = prove_index(wrong_routers.forget_the_smallest_hash)

    assert in_range.proved
    assert as_documented.counterexample["hash"] == INT_MIN


def test_a_rule_that_does_not_answer_everywhere_is_refuted() -> None:
    def shy(value: int, count: int) -> int:
        if value == 7:
            raise ValueError("not this one")
        return hash_to_index(value, count)

    answers = prove_index(shy)[0]

    assert answers.counterexample["hash"] == 7


def test_an_even_factor_has_no_inverse() -> None:
    with pytest.raises(ValueError, match="not invertible"):
        inverse_of(6)


def values_of(proof: Proof) -> tuple[int, int]:
    return proof.counterexample["hash"], proof.counterexample["count"]
