"""Whole fragments are asked for, within permits.

Source: sync.8.
"""

from collections.abc import Sequence

import pytest

from gridproof_implementation.protocol.anti_entropy.messages import SyncAnswer, SyncRequest, SyncRetry
from gridproof_implementation.protocol.anti_entropy.syncs import SyncExpires
from gridproof_implementation.protocol.effects import CancelTimer, SetTimer
from tests.implementation.protocol.grids import SECOND_US, member_at, sent
from tests.implementation.protocol.replicas import (
    NAMESPACE,
    P,
    config_of,
    one_in_row,
    pause,
    set_migrating,
)
from tests.implementation.protocol.syncing import ask, asked, ended, free_permits


def test_a_sync_is_asked_of_the_primary() -> None:
    effects = ask(one_in_row(1))

    assert sent(effects, SyncRequest) == [(member_at(0).id.address, SyncRequest(1, (NAMESPACE,), partition=P))]


def test_requests_answers_and_retries_are_urgent() -> None:
    assert all(kind.URGENT for kind in (SyncRequest, SyncAnswer, SyncRetry))


@pytest.mark.parametrize("row", [(None, 1), (1, 0), (0, 2), (2, 0)])
def test_only_a_backup_of_somebody_elses_partition_asks(row: Sequence[int | None]) -> None:
    assert asked(ask(one_in_row(1, row))) == []


def test_a_primary_that_is_no_member_is_not_asked() -> None:
    one = one_in_row(1)
    row = one.member.node.partitions.rows[P]
    one.member.node.partitions.rows[P] = row.with_slot(0, member_at(9).id)

    assert asked(ask(one)) == []


def test_nothing_is_asked_while_migration_tasks_are_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(1)
    pause(one, monkeypatch)

    assert asked(ask(one)) == []


def test_nothing_is_asked_while_the_partition_migrates_here(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(1)
    set_migrating(one, monkeypatch)

    assert asked(ask(one)) == []


def test_a_sync_in_progress_is_not_asked_for_again() -> None:
    one = one_in_row(1)
    ask(one)

    assert asked(ask(one, NAMESPACE, "map:b")) == [("map:b",)]


def test_as_many_fragments_are_asked_for_as_there_are_permits() -> None:
    one = one_in_row(1, config=config_of(partition_max_parallel_replications=3))

    assert asked(ask(one, *"abcde")) == [("a", "b", "c")]


def test_without_a_permit_nothing_is_asked() -> None:
    one = one_in_row(1, config=config_of(partition_max_parallel_replications=1))
    ask(one, "a")

    assert asked(ask(one, "b")) == []


def test_there_are_ten_permits_by_default() -> None:
    assert free_permits(one_in_row(1)) == 10


def test_a_sync_expires_after_the_migration_timeout_and_is_not_sent_again() -> None:
    one = one_in_row(1)
    (timer,) = [e for e in ask(one) if isinstance(e, SetTimer)]

    effects = one.member.wake(timer.timer, timer.delay_us)

    assert timer == SetTimer(SyncExpires(P, NAMESPACE, 1), 300 * SECOND_US)
    assert (ended(effects), asked(effects), free_permits(one)) == (["expired"], [], 10)


def test_a_retry_frees_the_permit_and_nothing_is_sent_again() -> None:
    one = one_in_row(1)
    ask(one)

    effects = one.hand_over(0, SyncRetry(1, (NAMESPACE,), partition=P, asker=one.me))

    assert (ended(effects), asked(effects), free_permits(one)) == (["turned down"], [], 10)


def test_after_a_retry_the_next_reason_asks_again() -> None:
    one = one_in_row(1)
    ask(one)
    one.hand_over(0, SyncRetry(1, (NAMESPACE,), partition=P, asker=one.me))

    assert asked(ask(one)) == [(NAMESPACE,)]


def test_syncs_are_cancelled_when_the_primary_changes() -> None:
    one = one_in_row(1)
    ask(one)

    one.member.node.anti_entropy.primary_changed(P)

    assert (ended(one.member.node.effects), free_permits(one)) == (["primary changed"], 10)


def test_syncs_are_cancelled_when_who_was_asked_leaves() -> None:
    one = one_in_row(1)
    ask(one)

    one.member.node.anti_entropy.member_removed(one.id_of(0))

    assert (ended(one.member.node.effects), free_permits(one)) == (["target left"], 10)


def test_only_syncs_of_the_partition_whose_primary_changed_are_cancelled() -> None:
    one = one_in_row(1)
    ask(one)

    one.member.node.anti_entropy.primary_changed(P + 1)

    assert free_permits(one) == 9


def test_only_syncs_that_were_asked_of_who_leaves_are_cancelled() -> None:
    one = one_in_row(1)
    ask(one)

    one.member.node.anti_entropy.member_removed(one.id_of(2))

    assert free_permits(one) == 9


def test_a_sync_that_ended_does_not_expire() -> None:
    one = one_in_row(1)
    ask(one)

    effects = one.hand_over(0, SyncRetry(1, (NAMESPACE,), partition=P, asker=one.me))

    assert CancelTimer(SyncExpires(P, NAMESPACE, 1)) in effects
