"""A stale update gets no word, contained or not.

Source: backups.10, backups.14; docs/findings.md.
"""

from collections.abc import Sequence

from gridproof_implementation.protocol.anti_entropy.messages import SyncAnswer, SyncRequest
from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.effects import Effect
from gridproof_model.events.replication import BackupRefused
from tests.implementation.protocol.grids import OneOfMany, events_in, sent
from tests.implementation.protocol.replicas import acks_in, backup_at, backup_of, fragment_of, one_in_row, put, value_at

ROW = (0, 1)


def backup_in(effects: Sequence[Effect]) -> Backup:
    ((_, backup),) = sent(effects, Backup)
    return backup


def behind_a_sync(under_way: int) -> tuple[OneOfMany, OneOfMany, list[Backup]]:
    """Return primary and backup, synchronised past so many updates that the backup has not received yet.

    The first update is lost, the second makes the backup ask, and the answer overtakes the others.
    """
    primary, backup = one_in_row(0, ROW), one_in_row(1, ROW)
    put(primary, "k", "lost", call_id=1)
    asks = backup.hand_over(0, backup_in(put(primary, "k", "gap", call_id=2)))
    ((_, request),) = sent(asks, SyncRequest)
    late = [backup_in(put(primary, f"k{n}", "v", call_id=3 + n)) for n in range(under_way)]
    ((_, answer),) = sent(primary.hand_over(1, request), SyncAnswer)
    backup.hand_over(0, answer)
    return primary, backup, late


def test_of_updates_that_a_sync_went_past_only_the_last_is_acknowledged() -> None:
    primary, backup, late = behind_a_sync(3)

    effects = [effect for update in late for effect in backup.hand_over(0, update)]

    assert acks_in(effects) == [5]
    assert [value_at(backup, f"k{n}") for n in range(3)] == ["v", "v", "v"]
    assert fragment_of(backup).versions == fragment_of(primary).versions


def test_a_refusal_says_which_call_is_left_without_word_and_what_the_backup_has() -> None:
    _, backup, late = behind_a_sync(2)

    (refused,) = events_in(backup.hand_over(0, late[0]), BackupRefused)

    assert (refused.call_id, refused.is_sync, refused.why) == (3, True, "stale")
    assert (refused.version, refused.held, refused.dirty) == (3, 4, False)


def test_a_single_update_that_a_sync_went_past_is_acknowledged() -> None:
    _, backup, late = behind_a_sync(1)

    assert acks_in(backup.hand_over(0, late[0])) == [3]


def test_a_stale_update_of_a_new_primary_is_missing() -> None:
    backup = backup_at(2, value="of the old primary")

    effects = backup.hand_over(2, backup_of(backup, [1, 1], key="new", caller=0))

    assert (acks_in(effects), value_at(backup, "new")) == ([], None)
