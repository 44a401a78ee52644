"""Ownership, explored whole: pinned sizes, every claim, action and guard."""

from collections import defaultdict
from functools import cache

import pytest

from gridproof_model.spec import ClaimKind
from gridproof_model.specifications.ownership import specification
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.verdict import Result

WORLDS: dict[str, dict[str, bool | int]] = {
    "default": {},
    "leaves": {"members": 2, "newcomers": 1, "groups": 3, "crashes": 0, "leaves": 2, "rebalances": 0},
    "leave and crash": {"members": 2, "newcomers": 1, "crashes": 1, "leaves": 1, "rebalances": 0},
    "failure": {"groups": 3, "crashes": 1, "failures": 1},
    "two remembered": {"crashes": 1, "failures": 1, "migrations_at_once": 2},
    "lite": {"members": 2, "lite": 1, "newcomers": 1, "groups": 3, "crashes": 1, "leaves": 1, "rebalances": 0},
    "restarts": {"members": 2, "newcomers": 2, "crashes": 0, "leaves": 2, "rebalances": 0, "backups": 0},
    "two backups": {"backups": 2, "groups": 3, "crashes": 1},
    "shift down": {"backups": 2, "crashes": 0},
    "leaves, two backups": {"backups": 2, "groups": 3, "crashes": 0, "leaves": 1},
    "two tables late": {"late_tables": 2, "crashes": 1, "rebalances": 0},
    "everyone goes": {"members": 2, "crashes": 2, "leaves": 2, "rebalances": 0},
}
EVERYTHING_HAPPENS = ("default", "leave and crash", "lite")
"""Worlds large enough for every anomaly."""
FORGETFUL: dict[str, bool | int] = {"groups": 3, "crashes": 1, "remembers": False}
LOWERING: dict[str, bool | int] = {
    "groups": 3,
    "crashes": 0,
    "leaves": 1,
    "rebalances": 0,
    "failures": 1,
    "migrations_at_once": 2,
    "lifts": False,
}
NEVER_REFUSES = {("destination_commits", 4)}
"""A destination that is ready and still follows the same master has the row it got ready with."""


@cache
def explored(world: str) -> Exploration:
    return explore(specification.world(**WORLDS[world]))


@cache
def as_written(**constants: bool | int) -> Exploration:
    return explore(specification.world(**constants))


def broken(exploration: Exploration) -> set[str]:
    """Return the names of the claims that must be true or come true, and are not."""
    promised = (verdict for verdict in exploration.judged if verdict.claim.kind is not ClaimKind.SOMETIMES)
    return {verdict.claim.name for verdict in promised if verdict.result is not Result.HOLDS}


@pytest.mark.parametrize(
    ("world", "states", "transitions", "depth"),
    [
        ("default", 192_848, 648_526, 37),
        ("leaves", 32_350, 91_169, 46),
        ("leave and crash", 97_324, 289_374, 40),
        ("failure", 93_230, 304_394, 35),
        ("two remembered", 64_355, 224_107, 34),
        ("lite", 33_576, 106_117, 36),
        ("restarts", 74_264, 240_700, 43),
        ("two backups", 16_220, 48_102, 39),
        ("shift down", 865, 2_477, 23),
        ("leaves, two backups", 47_923, 128_368, 50),
        ("two tables late", 9_927, 39_238, 22),
        ("everyone goes", 3_889, 9_795, 20),
    ],
)
def test_its_size_is_the_pinned_one(world: str, states: int, transitions: int, depth: int) -> None:
    exploration = explored(world)

    assert (exploration.states, exploration.transitions, exploration.depth) == (states, transitions, depth)


@pytest.mark.parametrize("world", WORLDS)
def test_no_step_is_undefined(world: str) -> None:
    assert explored(world).is_complete
    assert explored(world).failure is None


@pytest.mark.parametrize("world", WORLDS)
def test_what_must_be_true_is_and_what_must_come_comes(world: str) -> None:
    assert broken(explored(world)) == set()


@pytest.mark.parametrize("world", EVERYTHING_HAPPENS)
def test_what_nobody_promises_is_seen_to_happen(world: str) -> None:
    assert [verdict.claim.name for verdict in explored(world).judged if verdict.result is not Result.HOLDS] == []


def test_every_action_happens_and_every_guard_refuses_somewhere() -> None:
    fired: dict[str, int] = defaultdict(int)
    refused: dict[tuple[str, int], int] = defaultdict(int)
    for exploration in (*map(explored, WORLDS), as_written(**FORGETFUL)):
        for action in exploration.coverage:
            fired[action.action] += action.fired
            for guard, count in enumerate(action.refused):
                refused[action.action, guard] += count

    assert {action for action, count in fired.items() if not count} == set()
    assert {guard for guard, count in refused.items() if not count} == NEVER_REFUSES


def test_a_table_that_clears_outcomes_it_lacks_splits_the_rows() -> None:
    assert {"equal_versions_mean_equal_rows", "one_member_executes_writes"} <= broken(as_written(**FORGETFUL))


def test_without_a_crash_clearing_outcomes_does_no_harm() -> None:
    assert broken(as_written(crashes=0, leaves=1, failures=1, remembers=False)) == set()


def test_setting_versions_splits_the_rows_though_nobody_crashes() -> None:
    assert {"equal_versions_mean_equal_rows", "one_member_executes_writes"} <= broken(as_written(**LOWERING))


def test_setting_versions_does_no_harm_while_one_migration_is_remembered() -> None:
    assert broken(as_written(crashes=1, failures=1, lifts=False)) == set()


@pytest.mark.night
@pytest.mark.parametrize(
    ("constants", "states"),
    [
        ({"groups": 3}, 477_589),
        ({"members": 2, "newcomers": 1, "crashes": 1, "leaves": 1, "failures": 1}, 1_199_209),
        ({"members": 2, "newcomers": 2, "rebalances": 0}, 1_121_931),
    ],
)
def test_larger_worlds_keep_every_claim(constants: dict[str, bool | int], states: int) -> None:
    exploration = explore(specification.world(**constants))

    assert (exploration.states, broken(exploration)) == (states, set())
