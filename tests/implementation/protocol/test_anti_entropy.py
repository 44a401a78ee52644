"""Primaries report their versions, backups compare.

Source: sync.1, sync.4, sync.20.
"""

from collections.abc import Sequence

import pytest

from gridproof_implementation.protocol.anti_entropy.messages import Summary, SummaryAnswer, SyncRequest
from gridproof_implementation.protocol.anti_entropy.rounds import NextRound, NextSlice
from gridproof_implementation.protocol.effects import Effect, SetTimer
from gridproof_implementation.protocol.replication.messages import DestroyStructure
from gridproof_implementation.protocol.structure import SHARED_NAMESPACE
from gridproof_model.events.anti_entropy import SummaryCompared, SummaryIgnored
from gridproof_model.partition_table import PartitionRow
from tests.implementation.protocol.grids import SECOND_US, OneOfMany, events_in, member_at, sent
from tests.implementation.protocol.replicas import (
    MAP,
    NAMESPACE,
    P,
    backup_at,
    config_of,
    fragment_of,
    one_in_row,
    pause,
    put,
    set_migrating,
    vector_of,
)


def summaries(effects: Sequence[Effect]) -> list[tuple[int, tuple[tuple[str, int], ...]]]:
    """Return the indices that were sent a summary, and what it said."""
    return [(message.index, message.versions) for _, message in sent(effects, Summary)]


def behind(effects: Sequence[Effect]) -> list[tuple[str, ...]]:
    """Return what backups found behind."""
    return [event.behind for event in events_in(effects, SummaryCompared)]


def summary_of(*versions: tuple[str, int], index: int = 1, check: int = 0) -> Summary:
    """Return a summary for partition 0."""
    return Summary(index, versions, check, partition=P)


def own_everything(one: OneOfMany) -> None:
    """Make a member the primary of every partition, with one backup."""
    rows = one.member.node.partitions.rows
    rows[:] = [PartitionRow(rows[P].slots, 10) for _ in rows]


def test_each_backup_is_sent_the_one_version_that_concerns_it() -> None:
    one = one_in_row(0, (0, 1, 2), config_of(1))
    put(one)

    assert summaries(one.member.wake(NextRound(), 0)) == [(1, ((NAMESPACE, 1),)), (2, ((NAMESPACE, 0),))]


def test_a_summary_waits_its_turn_behind_backups() -> None:
    assert not Summary.URGENT


def test_a_primary_without_anything_sends_an_empty_summary() -> None:
    assert summaries(one_in_row(0, (0, 1)).member.wake(NextRound(), 0)) == [(1, ())]


def test_a_backup_sends_no_summary() -> None:
    assert summaries(one_in_row(1).member.wake(NextRound(), 0)) == []


def test_a_slot_of_somebody_who_is_no_member_is_sent_nothing() -> None:
    one = one_in_row(0, (0, 1))
    row = one.member.node.partitions.rows[P]
    one.member.node.partitions.rows[P] = row.with_slot(1, member_at(9).id)

    assert summaries(one.member.wake(NextRound(), 0)) == []


def test_a_partition_that_migrates_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(0)
    set_migrating(one, monkeypatch)

    assert summaries(one.member.wake(NextRound(), 0)) == []


def test_no_round_is_made_while_migration_tasks_are_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(0)
    pause(one, monkeypatch)

    assert summaries(one.member.wake(NextRound(), 0)) == []


def test_a_round_is_spread_over_the_seconds_of_the_interval() -> None:
    one = one_in_row(0, (0, 1), config_of(partition_count=60))
    own_everything(one)

    slices = [one.member.wake(NextRound(), 0)]
    slices += [one.member.wake(NextSlice(), second * SECOND_US) for second in range(1, 30)]

    assert [len(summaries(effects)) for effects in slices] == [2] * 30


def test_the_next_round_begins_an_interval_after_the_last() -> None:
    one = one_in_row(0, (0, 1))
    own_everything(one)
    one.member.wake(NextRound(), 0)
    slices = [one.member.wake(NextSlice(), second * SECOND_US) for second in range(1, 5)]

    assert [e.delay_us for e in slices[-1] if isinstance(e, SetTimer)] == [26 * SECOND_US]


def test_a_round_long_after_the_start_is_followed_an_interval_later_too() -> None:
    one = one_in_row(0, (0, 1), config_of(partition_count=1))
    own_everything(one)

    effects = one.member.wake(NextRound(), 100 * SECOND_US)

    assert SetTimer(NextRound(), 30 * SECOND_US) in effects


def test_a_clock_that_is_set_back_during_a_round_puts_the_next_off_by_an_interval_at_most() -> None:
    one = one_in_row(0, (0, 1))
    own_everything(one)
    one.member.wake(NextRound(), 100 * SECOND_US)
    slices = [one.member.wake(NextSlice(), second * SECOND_US) for second in range(1, 5)]

    assert [e.delay_us for e in slices[-1] if isinstance(e, SetTimer)] == [30 * SECOND_US]


def test_an_interval_of_a_second_makes_a_round_of_everything() -> None:
    one = one_in_row(0, (0, 1), config_of(partition_backup_sync_interval=1))
    own_everything(one)

    assert len(summaries(one.member.wake(NextRound(), 0))) == 5


def test_equal_versions_are_in_sync() -> None:
    one = backup_at(3)

    effects = one.hand_over(0, summary_of((NAMESPACE, 3)))

    assert (behind(effects), sent(effects, SyncRequest)) == ([()], [])


@pytest.mark.parametrize("version", [2, 4])
def test_another_version_starts_a_sync(version: int) -> None:
    effects = backup_at(3).hand_over(0, summary_of((NAMESPACE, version)))

    assert [message.namespaces for _, message in sent(effects, SyncRequest)] == [(NAMESPACE,)]


def test_a_dirty_fragment_starts_a_sync_whatever_its_version() -> None:
    one = backup_at(3)
    fragment_of(one).dirty = True

    assert behind(one.hand_over(0, summary_of((NAMESPACE, 3)))) == [(NAMESPACE,)]


def test_a_namespace_never_heard_of_counts_as_version_zero() -> None:
    one = one_in_row(1)

    effects = [*one.hand_over(0, summary_of(("map:x", 0), ("map:y", 1)))]

    assert behind(effects) == [("map:y",)]


def test_one_request_asks_for_all_namespaces_that_differ() -> None:
    effects = one_in_row(1).hand_over(0, summary_of(("map:x", 1), ("map:y", 1)))

    assert [message.namespaces for _, message in sent(effects, SyncRequest)] == [("map:x", "map:y")]


def test_a_summary_for_another_slot_is_ignored() -> None:
    assert events_in(one_in_row(1).hand_over(0, summary_of((NAMESPACE, 1), index=2)), SummaryIgnored)


def test_a_summary_of_somebody_else_than_the_primary_is_ignored() -> None:
    assert events_in(one_in_row(1).hand_over(2, summary_of((NAMESPACE, 1))), SummaryIgnored)


def test_a_summary_is_ignored_while_the_partition_migrates_here(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(1)
    set_migrating(one, monkeypatch)

    assert events_in(one.hand_over(0, summary_of((NAMESPACE, 1))), SummaryIgnored)


def test_what_the_primary_does_not_name_is_forgotten() -> None:
    one = backup_at(3)

    one.hand_over(0, summary_of((SHARED_NAMESPACE, 0)))

    assert one.member.node.replicas.namespaces(P) == []


def test_versions_of_a_destroyed_structure_go_with_the_next_round() -> None:
    one = one_in_row(0, (0, 1))
    put(one)
    one.hand_over(1, DestroyStructure(MAP))

    assert (summaries(one.member.wake(NextRound(), 0)), fragment_of(one).versions) == ([(1, ())], vector_of())


def test_versions_of_an_emptied_structure_stay() -> None:
    one = one_in_row(0, (0, 1))
    put(one)

    one.member.wake(NextRound(), 0)

    assert fragment_of(one).versions == vector_of(1)


def test_a_check_is_answered() -> None:
    effects = backup_at(3).hand_over(0, summary_of((NAMESPACE, 3), check=5))

    assert [(message.check, message.in_sync) for _, message in sent(effects, SummaryAnswer)] == [(5, True)]


def test_a_check_of_what_differs_is_answered_no_and_starts_a_sync() -> None:
    effects = backup_at(3).hand_over(0, summary_of((NAMESPACE, 4), check=5))

    assert [message.in_sync for _, message in sent(effects, SummaryAnswer)] == [False]
    assert sent(effects, SyncRequest)


def test_a_check_for_another_slot_is_answered_no() -> None:
    effects = backup_at(3).hand_over(0, summary_of((NAMESPACE, 3), index=2, check=5))

    assert [message.in_sync for _, message in sent(effects, SummaryAnswer)] == [False]


def test_a_round_ends_when_migration_tasks_are_paused(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(0, (0, 1))
    own_everything(one)
    one.member.wake(NextRound(), 0)
    pause(one, monkeypatch)

    effects = one.member.wake(NextSlice(), SECOND_US)

    assert (summaries(effects), [e.timer for e in effects if isinstance(e, SetTimer)]) == ([], [NextRound()])


def test_a_summary_of_a_primary_that_is_no_member_is_ignored() -> None:
    one = one_in_row(1)
    stranger = member_at(9).id
    one.member.node.partitions.rows[P] = one.member.node.partitions.rows[P].with_slot(0, stranger)

    assert events_in(one.member.receive(stranger, summary_of((NAMESPACE, 1)), 0), SummaryIgnored)
