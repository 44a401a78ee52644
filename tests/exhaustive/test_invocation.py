"""Invocation, explored whole: sizes, claims, coverage."""

from functools import cache

import pytest

from gridproof_model.spec import ClaimKind
from gridproof_model.specifications.invocation import specification
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.verdict import Result

WORLDS: dict[str, dict[str, bool | int]] = {
    "default": {},
    "two crashes": {"attempts": 3, "crashes": 2, "losses": 0, "migrations": 0},
    "leavers count for nothing": {"counts_leavers": False},
    "scan for targets": {"rescans_targets": True, "losses": 0},
    "two migrations": {"members": 4, "crashes": 0, "migrations": 2},
    "an async backup": {"members": 4, "async_backups": 1},
}
EVERYTHING_HAPPENS = ("default", "an async backup")
"""Worlds large enough for every anomaly."""


@cache
def explored(world: str) -> Exploration:
    return explore(specification.world(**WORLDS[world]))


@pytest.mark.parametrize(
    ("world", "states", "transitions", "depth"),
    [
        ("default", 71_274, 204_741, 24),
        ("two crashes", 64_090, 179_977, 30),
        ("leavers count for nothing", 61_079, 182_975, 24),
        ("scan for targets", 41_497, 111_714, 24),
        ("two migrations", 18_870, 54_701, 21),
        ("an async backup", 222_044, 790_851, 26),
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
    promised = [verdict for verdict in explored(world).judged if verdict.claim.kind is not ClaimKind.SOMETIMES]

    assert [verdict.claim.name for verdict in promised if verdict.result is not Result.HOLDS] == []


@pytest.mark.parametrize("world", EVERYTHING_HAPPENS)
def test_what_nobody_promises_is_seen_to_happen(world: str) -> None:
    anomalies = [verdict for verdict in explored(world).judged if verdict.claim.kind is ClaimKind.SOMETIMES]

    assert [verdict.claim.name for verdict in anomalies if verdict.result is not Result.HOLDS] == []


def test_every_action_happens_and_every_guard_refuses_somewhere() -> None:
    rows = [explored(world).coverage for world in WORLDS]
    fired = {action.action for row in rows for action in row if action.fired}
    refused = {(action.action, guard) for row in rows for action in row for guard, n in enumerate(action.refused) if n}

    assert fired == {action.action for action in rows[0]}
    assert refused == {(action.action, guard) for action in rows[0] for guard in range(len(action.refused))}
