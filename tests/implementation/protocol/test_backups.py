"""A backup judges, applies and acknowledges updates.

Source: backups.10, backups.16.
"""

import pytest

from gridproof_implementation.protocol.anti_entropy.messages import SyncRequest
from gridproof_implementation.protocol.calls import BackupAck
from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.structure import UpdateError
from gridproof_implementation.protocol.structures.map import MapPart
from gridproof_model.events.replication import BackupApplied, BackupRefused
from gridproof_model.events.words import WhyBackupRefused
from gridproof_model.membership import ClusterState, MemberId
from tests.implementation.protocol.grids import events_in, member_at, sent
from tests.implementation.protocol.replicas import (
    P,
    acks_in,
    backup_at,
    backup_of,
    config_of,
    fragment_of,
    one_in_row,
    set_migrating,
    set_row,
    value_at,
    vector_of,
)

STRANGER: MemberId = member_at(9).id


def refusals(effects: list[Effect]) -> list[str]:
    """Return why updates were dropped."""
    return [event.why for event in events_in(effects, BackupRefused)]


def test_the_next_update_is_applied_and_acknowledged() -> None:
    one = backup_at(1)

    effects = one.hand_over(0, backup_of(one, [2, 2], value="new"))

    assert (value_at(one), fragment_of(one).versions, acks_in(effects)) == ("new", vector_of(2, 2), [7])


def test_an_acknowledgement_goes_straight_to_the_caller() -> None:
    one = backup_at(1)

    effects = one.hand_over(0, backup_of(one, [2, 2], caller=2))

    assert [to for to, _ in sent(effects, BackupAck)] == [one.id_of(2).address]


def test_a_stale_update_is_neither_applied_nor_acknowledged() -> None:
    one = backup_at(3, value="newer")

    effects = one.hand_over(0, backup_of(one, [2, 2], value="older"))

    assert (value_at(one), fragment_of(one).versions, acks_in(effects)) == ("newer", vector_of(3, 3), [])
    assert refusals(effects) == [WhyBackupRefused.STALE]


def test_an_update_of_the_same_version_is_applied_and_acknowledged() -> None:
    one = backup_at(3)

    effects = one.hand_over(0, backup_of(one, [3, 3], value="again"))

    assert (value_at(one), fragment_of(one).versions, acks_in(effects)) == ("again", vector_of(3, 3), [7])


def test_an_update_after_a_gap_is_applied_at_once_and_leaves_the_fragment_dirty() -> None:
    one = backup_at(1)

    effects = one.hand_over(0, backup_of(one, [3, 3], value="later"))

    assert (value_at(one), fragment_of(one).versions, acks_in(effects)) == ("later", vector_of(3, 3), [7])
    assert fragment_of(one).dirty


def test_the_update_missed_in_a_gap_is_stale_when_it_comes_late() -> None:
    one = backup_at(1)
    one.hand_over(0, backup_of(one, [3, 3], value="third"))

    effects = one.hand_over(0, backup_of(one, [2, 2], value="second"))

    assert (value_at(one), refusals(effects)) == ("third", [WhyBackupRefused.STALE])


def test_every_update_of_a_dirty_fragment_asks_for_a_sync() -> None:
    one = backup_at(1)
    fragment_of(one).dirty = True

    effects = one.hand_over(0, backup_of(one, [2, 2]))

    assert [message.namespaces for _, message in sent(effects, SyncRequest)] == [("map:a",)]


def test_a_backup_takes_over_the_vector_from_its_own_entry_on() -> None:
    one = one_in_row(2)

    one.hand_over(0, backup_of(one, [5, 1, 1], index=2))

    assert fragment_of(one).versions == vector_of(0, 1, 1)


def test_a_backup_compares_the_entry_of_its_own_slot() -> None:
    one = one_in_row(2)

    effects = one.hand_over(0, backup_of(one, [9, 1, 1], index=2))

    assert [event.verdict for event in events_in(effects, BackupApplied)] == ["next"]


def test_an_async_update_is_applied_and_not_acknowledged() -> None:
    one = backup_at(1)

    effects = one.hand_over(0, backup_of(one, [2, 2], value="new", is_sync=False))

    assert (value_at(one), acks_in(effects)) == ("new", [])


def test_an_update_without_a_call_id_is_applied_and_not_acknowledged() -> None:
    one = backup_at(1)

    effects = one.hand_over(0, backup_of(one, [2, 2], value="new", call_id=0))

    assert (value_at(one), acks_in(effects)) == ("new", [])


def test_an_update_that_throws_is_not_acknowledged_and_its_version_not_recorded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = backup_at(1)

    def throw(part: MapPart, backup: object) -> None:
        raise UpdateError

    monkeypatch.setattr(MapPart, "apply_backup", throw)
    effects = one.hand_over(0, backup_of(one, [2, 2], value="new"))

    assert (fragment_of(one).versions, acks_in(effects)) == (vector_of(1, 1), [])
    assert refusals(effects) == [WhyBackupRefused.THROWN]


def test_the_update_after_one_that_threw_shows_a_gap(monkeypatch: pytest.MonkeyPatch) -> None:
    one = backup_at(1)
    monkeypatch.setattr(MapPart, "apply_backup", raise_update_error)
    one.hand_over(0, backup_of(one, [2, 2]))
    monkeypatch.undo()

    one.hand_over(0, backup_of(one, [3, 3]))

    assert fragment_of(one).dirty


def raise_update_error(part: MapPart, backup: object) -> None:
    """Fail, as an update does that cannot be applied."""
    raise UpdateError


def test_an_update_from_a_stranger_is_dropped() -> None:
    one = backup_at(1)

    effects = one.member.receive(STRANGER, backup_of(one, [2, 2]), 0)

    assert (refusals(effects), acks_in(effects)) == ([WhyBackupRefused.SENDER_NOT_MEMBER], [])


def test_an_update_from_another_incarnation_of_a_member_is_dropped() -> None:
    one = backup_at(1)
    former = MemberId(one.id_of(0).address, STRANGER.uuid)

    effects = one.member.receive(former, backup_of(one, [2, 2]), 0)

    assert refusals(effects) == [WhyBackupRefused.SENDER_NOT_MEMBER]


def test_an_update_while_the_partition_migrates_here_is_dropped_and_counts_as_failed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = backup_at(1)
    set_migrating(one, monkeypatch)

    effects = one.hand_over(0, backup_of(one, [2, 2]))

    assert (refusals(effects), acks_in(effects)) == ([WhyBackupRefused.MIGRATING], [])


def test_an_update_for_a_slot_that_the_own_table_gives_to_another_is_dropped() -> None:
    one = backup_at(1)
    set_row(one, (0, 2, 1))

    effects = one.hand_over(0, backup_of(one, [2, 2], index=1))

    assert (refusals(effects), acks_in(effects)) == ([WhyBackupRefused.ANOTHER_SLOT], [])


def test_an_update_before_the_first_table_is_dropped() -> None:
    one = one_in_row(1, (None, None, None))

    effects = one.hand_over(0, backup_of(one, [1, 1]))

    assert refusals(effects) == [WhyBackupRefused.ANOTHER_SLOT]


def test_an_update_for_another_incarnation_of_this_member_is_dropped() -> None:
    one = backup_at(1)
    slots = one.member.node.partitions.rows[P].slots
    successor = MemberId(one.id_of(1).address, STRANGER.uuid)
    row = one.member.node.partitions.rows[P].with_slots((slots[0], successor, *slots[2:]))
    one.member.node.partitions.rows[P] = row

    assert refusals(one.hand_over(0, backup_of(one, [2, 2]))) == [WhyBackupRefused.ANOTHER_SLOT]


def test_an_update_is_applied_whoever_of_the_members_sends_it() -> None:
    one = backup_at(1)

    assert acks_in(one.hand_over(2, backup_of(one, [2, 2]))) == [7]


def test_an_update_is_applied_in_a_passive_cluster() -> None:
    one = backup_at(1)
    one.hand_over(0, one.update(one.version + 1, (0, 1, 2), ClusterState.PASSIVE))

    assert acks_in(one.hand_over(0, backup_of(one, [2, 2]))) == [7]


def test_structures_have_namespaces_of_their_own_versions() -> None:
    one = one_in_row(1, config=config_of(2))
    one.hand_over(0, backup_of(one, [4, 4]))

    assert fragment_of(one, "map:b").versions == vector_of()
