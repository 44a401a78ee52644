"""Durability is an abstraction of replication: every step, explored."""

from dataclasses import replace

import pytest

from gridproof_model.language import Plain, World
from gridproof_model.specifications import replication
from gridproof_properties.claims.abstraction import compare
from tests.exhaustive.durability_view import VIEW, durability_of

LARGEST = "two backups and a spare"
WORLDS: dict[str, dict[str, Plain]] = {
    "one backup": {"members": 2, "backups": 1, "writes": 3, "endings": 2},
    "one backup and a spare": {"backups": 1, "endings": 2, "migrations": 1, "losses": 1},
    "two sync backups": {"sync_backups": 2, "endings": 2, "losses": 1},
    LARGEST: {"members": 4, "migrations": 2, "losses": 1},
}
FREE_LANES: dict[str, Plain] = {"members": 2, "backups": 1, "urgent_first": False}
LATE: dict[str, Plain] = {"late": True, "losses": 0}
NEEDED = {
    "write_is_executed", "write_passes_over_a_sync", "backup_message_arrives", "backup_message_is_lost",
    "backup_message_is_lost_under_a_sync", "check_finds_copy_behind", "sync_brings_the_write", "sync_ends_in_vain",
    "copy_is_taken_back", "primary_crashes", "backup_crashes", "crashed_primary_is_removed",
    "crashed_backup_is_removed", "backup_is_promoted", "lost_partition_is_assigned", "slot_is_refilled",
    "copy_is_shifted_up", "copy_is_shifted_down",
}  # fmt: skip
"""What replication does somewhere; nobody returns there, and what a caller is answered is left out of the view."""


def replication_of(constants: dict[str, Plain]) -> World:
    return replication.specification.world(**constants)


def without(world: World, action: str) -> World:
    return replace(world, actions=tuple(one for one in world.actions if one.name != action))


@pytest.mark.parametrize("world", [pytest.param(one, marks=[pytest.mark.nightly] * (one == LARGEST)) for one in WORLDS])
def test_every_step_of_replication_is_one_of_durability(world: str) -> None:
    concrete = replication_of(WORLDS[world])

    found = compare(concrete, durability_of(concrete), VIEW)

    assert [str(refusal) for refusal in found.refusals] == []
    assert found.changes > 50


def test_a_late_backup_applies_what_its_dead_primary_has_sent_and_is_refused() -> None:
    concrete = replication_of(LATE)

    found = compare(concrete, durability_of(concrete), VIEW)

    assert any("next_update_is_applied" in refusal.event for refusal in found.refusals)


def test_where_lanes_run_freely_an_answer_takes_a_follower_back_and_is_refused() -> None:
    concrete = replication_of(FREE_LANES)

    found = compare(concrete, durability_of(concrete), VIEW)

    assert ["answer_is_installed" in refusal.event for refusal in found.refusals] == [True]


@pytest.mark.nightly
def test_no_action_of_durability_that_replication_needs_can_be_left_out() -> None:
    missed: set[str] = set()
    for name in ("one backup and a spare", "two sync backups", "two backups and a spare"):
        concrete = replication_of(WORLDS[name])
        whole = durability_of(concrete)
        for action in whole.actions:
            if action.name not in missed and compare(concrete, without(whole, action.name), VIEW).refusals:
                missed.add(action.name)

    assert missed == NEEDED


def test_a_start_that_is_none_is_refused() -> None:
    concrete = replication_of(WORLDS["one backup"])
    started = tuple(
        replace(variable, initial=True) if variable.name == "is_written" else variable
        for variable in durability_of(concrete).variables
    )

    found = compare(concrete, replace(durability_of(concrete), variables=started), VIEW)

    assert "start" in {refusal.event for refusal in found.refusals}
