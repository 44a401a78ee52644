"""Replication, explored whole: sizes, claims, coverage."""

from functools import cache

import pytest

from gridproof_model.spec import ClaimKind, Plain
from gridproof_model.spec.lower_world import lower
from gridproof_model.specifications.replication import FOUR_MEMBERS, FOUR_MEMBERS_LARGE, Transfer, specification
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.explorer.explore import Explorer
from gridproof_properties.verdict import Result

WORLDS: dict[str, dict[str, Plain]] = {
    "default": {},
    "increments": {"transfer": Transfer.OPERATION},
    "two entries": {"members": 3, "entries_held": 2, "watched_write": 2, "crashes": 2},
    "two sync backups": {"members": 3, "sync_backups": 2, "async_backups": 0, "watched_write": 2, "crashes": 2},
    "free lanes": {"urgent_first": False, "watched_write": 2, "crashes": 2},
    "one backup": {"members": 3, "async_backups": 0},
}
EVERYTHING_HAPPENS = ("default", "increments", "free lanes")
"""Worlds large enough for every anomaly."""


@cache
def explored(world: str) -> Exploration:
    return explore(specification.world(**WORLDS[world]))


@pytest.mark.parametrize(
    ("world", "states", "transitions", "depth"),
    [
        ("default", 242_110, 1_230_673, 33),
        ("increments", 270_848, 1_367_571, 33),
        ("two entries", 181_914, 815_555, 23),
        ("two sync backups", 35_694, 146_853, 23),
        ("free lanes", 294_578, 1_471_308, 33),
        ("one backup", 4_736, 14_507, 23),
    ],
)
def test_its_size_is_the_pinned_one(world: str, states: int, transitions: int, depth: int) -> None:
    exploration = explored(world)

    assert (exploration.states, exploration.transitions, exploration.depth) == (states, transitions, depth)


@pytest.mark.night
@pytest.mark.parametrize(
    ("world", "states", "transitions"),
    [(FOUR_MEMBERS, 836_832, 3_677_688), (FOUR_MEMBERS_LARGE, 9_447_610, 48_969_253)],
)
def test_four_members_have_the_pinned_size(world: dict[str, Plain], states: int, transitions: int) -> None:
    search = Explorer(lower(specification.world(**world))).search

    assert (search.states, search.transitions) == (states, transitions)


@pytest.mark.parametrize("world", WORLDS)
def test_no_step_is_undefined(world: str) -> None:
    assert explored(world).is_complete
    assert explored(world).failure is None


@pytest.mark.parametrize("world", WORLDS)
def test_what_must_be_true_is_and_what_must_come_comes(world: str) -> None:
    promised = [verdict for verdict in explored(world).judged if verdict.claim.kind is not ClaimKind.SOMETIMES]

    assert [verdict.claim.name for verdict in promised if verdict.result is not Result.HOLDS] == []


@pytest.mark.parametrize("world", EVERYTHING_HAPPENS)
def test_what_nobody_promises_is_seen_to_happen(world: str) -> None:
    anomalies = [verdict for verdict in explored(world).judged if verdict.claim.kind is ClaimKind.SOMETIMES]

    assert [verdict.claim.name for verdict in anomalies if verdict.result is not Result.HOLDS] == []


def test_every_claim_says_something_somewhere() -> None:
    judged = {verdict.claim.name for world in EVERYTHING_HAPPENS for verdict in explored(world).judged}

    assert judged == {claim.name for claim in specification.claims}


def test_every_action_happens_and_every_guard_refuses_somewhere() -> None:
    rows = [explored(world).coverage for world in WORLDS]
    fired = {action.action for row in rows for action in row if action.fired}
    refused = {(action.action, guard) for row in rows for action in row for guard, n in enumerate(action.refused) if n}

    assert fired == {action.action for action in rows[0]}
    assert refused == {(action.action, guard) for action in rows[0] for guard in range(len(action.refused))}
