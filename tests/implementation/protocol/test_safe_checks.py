"""Is a partition safe?

Source: sync.20, sync.21.
"""

from collections.abc import Callable, Sequence

import pytest

from gridproof_implementation.protocol.anti_entropy.checks import CheckTimesOut
from gridproof_implementation.protocol.anti_entropy.messages import Summary, SummaryAnswer
from gridproof_implementation.protocol.effects import CancelTimer, Effect, SetTimer
from tests.implementation.protocol.grids import SECOND_US, OneOfMany, member_at, one_of, sent
from tests.implementation.protocol.replicas import (
    P,
    config_of,
    one_in_row,
    set_migrating,
)


def summaries(effects: Sequence[Effect]) -> list[tuple[int, tuple[tuple[str, int], ...]]]:
    """Return the indices that were sent a summary, and what it said."""
    return [(message.index, message.versions) for _, message in sent(effects, Summary)]


def checked(one: OneOfMany) -> tuple[list[bool], list[Effect]]:
    """Begin a check of partition 0; return where its result will stand, and the effects."""
    results: list[bool] = []
    notify: Callable[[bool], None] = results.append
    one.member.node.anti_entropy.check(P, notify)
    effects, one.member.node.effects = one.member.node.effects, []
    return results, effects


def answer(index: int, in_sync: bool = True) -> SummaryAnswer:
    """Return an answer to the first check."""
    return SummaryAnswer(1, index, in_sync, partition=P, asker=member_at(0).id)


def test_a_check_is_yes_when_every_backup_said_so() -> None:
    one = one_in_row(0)
    results, effects = checked(one)
    one.hand_over(1, answer(1))
    assert (results, [index for index, _ in summaries(effects)]) == ([], [1, 2])

    one.hand_over(2, answer(2))

    assert results == [True]


def test_a_check_is_no_as_soon_as_one_said_so() -> None:
    one = one_in_row(0)
    results, _ = checked(one)

    one.hand_over(1, answer(1, in_sync=False))
    one.hand_over(2, answer(2))

    assert results == [False]


def test_a_check_is_no_when_somebody_is_silent_for_ten_seconds() -> None:
    one = one_in_row(0)
    results, effects = checked(one)
    (timer,) = [e for e in effects if isinstance(e, SetTimer)]
    one.hand_over(1, answer(1))

    one.member.wake(timer.timer, timer.delay_us)

    assert (results, timer) == ([False], SetTimer(CheckTimesOut(1), 10 * SECOND_US))


def test_a_check_of_a_row_with_a_hole_is_no() -> None:
    assert checked(one_in_row(0, (0, None, 2)))[0] == [False]


def test_a_check_of_a_row_with_a_member_that_is_off_the_list_is_no_at_once() -> None:
    one = one_in_row(1, (1, 2, 3))
    one.hand_over(0, one.update(9, [0, 1, 3]))
    row = one.member.node.partitions.rows[P]

    results, effects = checked(one)

    assert row.slots[1] == one.id_of(2)
    assert (results, summaries(effects)) == ([False], [])


def test_a_check_covers_slots_beyond_the_configured_backups() -> None:
    _, effects = checked(one_in_row(0, (0, 1, 2), config_of(0)))

    assert [index for index, _ in summaries(effects)] == [1, 2]


def test_a_check_of_a_partition_of_somebody_else_is_no() -> None:
    assert checked(one_in_row(1))[0] == [False]


def test_a_check_counts_the_answer_of_the_member_that_was_asked() -> None:
    one = one_in_row(0)
    results, _ = checked(one)

    one.hand_over(1, answer(1))
    one.hand_over(1, answer(2))

    assert results == []


def test_a_check_while_the_partition_migrates_is_no(monkeypatch: pytest.MonkeyPatch) -> None:
    one = one_in_row(0)
    set_migrating(one, monkeypatch)

    assert checked(one)[0] == [False]


def test_a_check_where_there_can_be_no_backup_is_yes() -> None:
    one = one_of(1, place=0)
    one.member.node.partitions.rows[P] = one.member.node.partitions.rows[P].with_slot(0, one.id_of(0))

    assert checked(one)[0] == [True]


def test_a_check_that_ended_does_not_time_out() -> None:
    one = one_in_row(0, (0, 1, 2))
    checked(one)

    assert CancelTimer(CheckTimesOut(1)) in one.hand_over(1, answer(1, in_sync=False))
