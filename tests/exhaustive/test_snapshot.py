"""Snapshot, explored whole: sizes, claims, coverage."""

from functools import cache

import pytest

from gridproof_model.spec import ClaimKind
from gridproof_model.specifications.snapshot import specification
from gridproof_properties.explorer import Exploration, explore
from gridproof_properties.verdict import Result

WORLDS: dict[str, dict[str, bool | int]] = {
    "one snapshot": {"snapshots": 1},
    "nothing missed": {"misses": 0},
    "records elsewhere": {"snapshots": 1, "records_at": 1},
    "one partition": {"partitions": 1, "crashes": 2, "snapshots": 3, "misses": 2},
    "one partition, writes that fail": {
        "partitions": 1, "crashes": 2, "snapshots": 3, "misses": 2, "fails_on_indeterminate": True,
    },
    "two members": {"members": 2, "partitions": 1, "crashes": 2},
}  # fmt: skip
DEFAULT = "default"
AWAITED_IN_VAIN: dict[str, set[str]] = {
    DEFAULT: set(),
    "one snapshot": {"the_stored_record_names_a_cleared_map", "an_older_snapshot_is_restored_after_a_failed_one"},
    "one partition": {"at_least_once_counts_an_item_twice"},
    "one partition, writes that fail": {"at_least_once_counts_an_item_twice"},
    "nothing missed": {
        "a_completed_snapshot_is_corrupted",
        "a_recorded_snapshot_is_forgotten",
        "the_stored_record_names_a_cleared_map",
        "a_snapshot_id_is_about_to_be_used_twice",
    },
    "records elsewhere": {
        "a_recorded_snapshot_is_forgotten",
        "the_stored_record_names_a_cleared_map",
        "a_snapshot_id_is_about_to_be_used_twice",
        "an_older_snapshot_is_restored_after_a_failed_one",
    },
}
"""What cannot happen in a world: each is named, so that nothing else stays away unnoticed."""
NIGHT = pytest.param(DEFAULT, marks=pytest.mark.night)


@cache
def explored(world: str) -> Exploration:
    return explore(specification.world(**WORLDS.get(world, {})))


@pytest.mark.parametrize(
    ("world", "states", "transitions", "depth"),
    [
        ("one snapshot", 83_000, 358_072, 31),
        ("nothing missed", 121_554, 436_010, 41),
        ("one partition", 78_210, 268_704, 35),
        ("one partition, writes that fail", 29_812, 96_854, 32),
        ("records elsewhere", 79_306, 343_570, 26),
        ("two members", 1_498, 4_256, 20),
        pytest.param(DEFAULT, 700_151, 2_883_964, 49, marks=pytest.mark.night),
    ],
)
def test_its_size_is_the_pinned_one(world: str, states: int, transitions: int, depth: int) -> None:
    exploration = explored(world)

    assert (exploration.states, exploration.transitions, exploration.depth) == (states, transitions, depth)


@pytest.mark.parametrize("world", [*WORLDS, NIGHT])
def test_no_step_is_undefined(world: str) -> None:
    assert explored(world).is_complete
    assert explored(world).failure is None


@pytest.mark.parametrize("world", [*WORLDS, NIGHT])
def test_what_must_be_true_is_and_what_must_come_comes(world: str) -> None:
    promised = [verdict for verdict in explored(world).judged if verdict.claim.kind is not ClaimKind.SOMETIMES]

    assert [verdict.claim.name for verdict in promised if verdict.result is not Result.HOLDS] == []


@pytest.mark.parametrize("world", [*(world for world in AWAITED_IN_VAIN if world != DEFAULT), NIGHT])
def test_what_nobody_promises_is_seen_to_happen(world: str) -> None:
    anomalies = [verdict for verdict in explored(world).judged if verdict.claim.kind is ClaimKind.SOMETIMES]
    unseen = {verdict.claim.name for verdict in anomalies if verdict.result is not Result.HOLDS}

    assert unseen == AWAITED_IN_VAIN[world]


def test_every_action_happens_and_every_guard_refuses_somewhere() -> None:
    rows = [explored(world).coverage for world in WORLDS]
    fired = {action.action for row in rows for action in row if action.fired}
    refused = {(action.action, guard) for row in rows for action in row for guard, n in enumerate(action.refused) if n}

    assert fired == {action.action for action in rows[0]}
    assert refused == {(action.action, guard) for action in rows[0] for guard in range(len(action.refused))}
