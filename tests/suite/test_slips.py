"""Small changes of a specification do not go unnoticed."""

from random import Random

from gridproof_model.specifications.replication import specification as replication
from gridproof_model.specifications.two_phase_commit import specification as two_phase_commit
from gridproof_properties.explorer import explore
from suite.slips import KilledBy, Mutant, fate, measure, mutants


def test_every_mutant_differs_from_its_original() -> None:
    original = two_phase_commit.world(size=2)

    assert all(mutant.specification.world(size=2) != original for mutant in mutants(two_phase_commit))


def test_a_slip_in_a_definition_changes_claims_that_use_it() -> None:
    slips = [mutant for mutant in mutants(replication) if mutant.sentence.startswith("is_addressed: ")]

    assert slips
    assert all(mutant.specification.claims != replication.claims for mutant in slips)


def test_definitions_that_only_claims_use_are_left_alone() -> None:
    assert not [mutant for mutant in mutants(replication) if mutant.sentence.startswith("is_follower: ")]


def test_at_most_one_in_twenty_changes_of_two_phase_commit_survives() -> None:
    score = measure(two_phase_commit, [{"size": 3}], Random(1), 200)

    assert score.share >= 0.95, [mutant.sentence for mutant in score.survivors]


def test_counts_and_claims_both_kill() -> None:
    score = measure(two_phase_commit, [{"size": 3}], Random(1), 200)

    assert {KilledBy.CLAIM, KilledBy.COUNT} <= {fate for _, fate in score.killed}


def test_what_is_not_changed_is_not_killed() -> None:
    constants = {"members": 2, "backups": 1, "writes": 1, "endings": 2}
    unchanged = Mutant(replication, "unchanged", "", only_in=None)

    assert fate(unchanged, [explore(replication.world(**constants))]) is None
