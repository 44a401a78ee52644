"""What documents say of acknowledged writes, where false."""

from functools import cache
from typing import Any

import pytest

from gridproof_model.language import BoolExpr, Plain, for_all
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.invocation import Kind, specification
from gridproof_model.specifications.invocation.safety import backups_that_applied, is_a_strict_success
from gridproof_model.specifications.invocation.state import (
    counts_leavers,
    crashes,
    crashes_left,
    expected,
    is_owner,
    is_up,
    leavers_counted,
    members,
    runs,
)
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.argument import Argument

MIGRATED_BACK: dict[str, Plain] = {"attempts": 1, "losses": 0, "migrations": 3, "counts_leavers": False}
TWO_BACKUPS: dict[str, Plain] = {
    "members": 4, "sync_backups": 2, "crashes": 2, "attempts": 1, "losses": 0, "migrations": 0,
}  # fmt: skip

documents = Argument(specification, proved_in=(), explored_in=())


@documents.lemma
def only_leavers_counted_are_missing() -> BoolExpr:
    """I1, leavers allowed for."""
    return is_a_strict_success().implies(backups_that_applied() + leavers_counted >= expected)


@documents.lemma
def every_backup_addressed_has_it() -> BoolExpr:
    """I1, where leavers count for nothing."""
    return (is_a_strict_success() & ~counts_leavers).implies(backups_that_applied() >= expected)


@documents.lemma
def it_survives_as_many_crashes() -> BoolExpr:
    """I2, where leavers count for nothing."""
    is_owed = is_a_strict_success() & ~counts_leavers & (crashes - crashes_left <= expected)
    return is_owed.implies(for_all(members, lambda one: (is_owner(one) & is_up[one]).implies(runs[one] == 1)))


@cache
def explored(world: str) -> Exploration:
    return explore(documents.world({"migrated back": MIGRATED_BACK, "two backups": TWO_BACKUPS}[world]))


@pytest.mark.parametrize(
    ("world", "claim", "steps"),
    [
        ("migrated back", "only_leavers_counted_are_missing", 17),
        ("migrated back", "every_backup_addressed_has_it", 17),
        ("migrated back", "it_survives_as_many_crashes", 16),
        ("two backups", "only_leavers_counted_are_missing", 14),
    ],
)
def test_the_claim_of_the_documents_is_broken_in_so_many_steps(world: str, claim: str, steps: int) -> None:
    verdict = explored(world).verdict(claim)

    assert (verdict.result, len(verdict.witness) - 1) == (Result.BROKEN, steps)


def test_a_copy_has_a_strict_write_twice() -> None:
    a, b, c, d, e = range(5)
    world = specification.world(members=5, sync_backups=2, crashes=2, migrations=3, losses=0)
    runner = Runner(world)
    story: list[tuple[Any, ...]] = [
        ("call_begins", Kind.STRICT_WRITE), ("caller_chooses_target", a), ("attempt_is_sent", a), ("owner_starts", a),
        ("owner_executes", a), ("backup_applies", c),
        ("migration_begins", 0, d), ("migration_commits", a, 0, d),
        ("member_crashes", d), ("dead_member_is_removed", d),
        ("migration_begins", 0, e), ("migration_commits", b, 0, e),
        ("member_crashes", e), ("dead_member_is_removed", e),
        ("migration_begins", 1, b), ("migration_commits", c, 1, b), ("backup_applies", b),
    ]  # fmt: skip
    events = [Event(action, tuple(arguments)) for action, *arguments in story]

    *_, (_, end) = runner.replay(next(world.initial_states()), events)

    assert (end["executions"], end["runs"][b]) == (1, 2)
