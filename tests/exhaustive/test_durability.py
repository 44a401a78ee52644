"""Durability, explored whole: sizes, claims, coverage."""

from functools import cache

import pytest

from gridproof_model.spec import ClaimKind
from gridproof_model.specifications.durability import specification
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.verdict import Result

WORLDS: dict[str, dict[str, int]] = {
    "one backup": {"members": 2, "async_backups": 0},
    "one backup and a spare": {"members": 3, "async_backups": 0},
    "default": {},
    "two sync backups": {"members": 4, "sync_backups": 2},
    "three backups": {"members": 5, "async_backups": 2},
}


@cache
def explored(world: str) -> Exploration:
    return explore(specification.world(**WORLDS[world]))


@pytest.mark.parametrize(
    ("world", "states", "transitions", "depth"),
    [
        ("one backup", 71, 203, 8),
        ("one backup and a spare", 120, 402, 8),
        ("default", 627, 3_229, 10),
        ("two sync backups", 2_167, 14_464, 13),
        ("three backups", 3_440, 25_033, 13),
    ],
)
def test_its_size_is_the_pinned_one(world: str, states: int, transitions: int, depth: int) -> None:
    exploration = explored(world)

    assert (exploration.states, exploration.transitions, exploration.depth) == (states, transitions, depth)


@pytest.mark.parametrize("world", WORLDS)
def test_no_step_is_undefined_and_nothing_stops(world: str) -> None:
    assert explored(world).failure is None


@pytest.mark.parametrize("world", WORLDS)
def test_what_must_be_true_is_and_what_must_come_comes(world: str) -> None:
    promised = [verdict for verdict in explored(world).judged if verdict.claim.kind is not ClaimKind.SOMETIMES]

    assert [verdict.claim.name for verdict in promised if verdict.result is not Result.HOLDS] == []


@pytest.mark.parametrize("world", WORLDS)
def test_what_nobody_promises_is_seen_to_happen(world: str) -> None:
    unseen = {verdict.claim.name for verdict in explored(world).judged if verdict.result is not Result.HOLDS}

    assert unseen == ({"a_backup_has_what_its_primary_lost"} if "one backup" in world else set())


def test_every_action_happens_and_every_guard_refuses_somewhere() -> None:
    rows = [explored(world).coverage for world in WORLDS]
    fired = {action.action for row in rows for action in row if action.fired}
    refused = {(action.action, guard) for row in rows for action in row for guard, n in enumerate(action.refused) if n}

    assert fired == {action.action for action in rows[0]}
    assert refused == {(action.action, guard) for action in rows[0] for guard in range(len(action.refused))}
