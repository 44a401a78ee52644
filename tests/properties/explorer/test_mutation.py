"""Small changes of a specification do not go unnoticed."""

from random import Random

from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer.mutation import CaughtBy, describe, measure, mutants


def test_every_mutant_differs_from_its_original() -> None:
    original = two_phase_commit.world(size=2)

    assert all(mutant.specification.world(size=2) != original for mutant in mutants(two_phase_commit))


def test_at_most_one_in_twenty_changes_of_two_phase_commit_survives() -> None:
    score = measure(two_phase_commit, [{"size": 3}], Random(1), 200)

    assert score.share >= 0.95, describe(score)


def test_counts_and_claims_both_catch() -> None:
    score = measure(two_phase_commit, [{"size": 3}], Random(1), 200)

    assert {CaughtBy.CLAIM, CaughtBy.COUNT} <= {fate for _, fate in score.caught}
