"""From configured counts to backup messages (backups.4, backups.21)."""

from collections.abc import Sequence
from itertools import pairwise

from gridproof_implementation.protocol.calls import Backup, Response
from gridproof_implementation.protocol.effects import Effect, Send
from gridproof_implementation.protocol.membership.messages import Goodbye
from gridproof_implementation.protocol.structures.map import Get, Remove
from gridproof_model.events.operation import MadeSync
from tests.implementation.protocol.grids import OneOfMany, events_in, sent
from tests.implementation.protocol.replicas import (
    MAP,
    config_of,
    fragment_of,
    one_in_row,
    put,
    request_of,
    vector_of,
)

SEVEN = (0, 1, 2, 3, 4, 5, 6)


def addressed(effects: Sequence[Effect]) -> dict[int, bool]:
    """Return the indices that were sent a backup, and whether each was a sync one."""
    return {message.index: message.is_sync for _, message in sent(effects, Backup)}


def awaited(effects: Sequence[Effect]) -> list[int]:
    """Return how many acknowledgements responses had their callers wait for."""
    return [message.backup_count for _, message in sent(effects, Response)]


def primary_with(sync: int, asynchronous: int, row: Sequence[int | None] = SEVEN, **properties: object) -> OneOfMany:
    """Return a primary with so many configured backups."""
    return one_in_row(0, row, config_of(sync, asynchronous, **properties))


def test_sync_backups_stand_in_the_hotter_slots() -> None:
    effects = put(primary_with(2, 1))

    assert addressed(effects) == {1: True, 2: True, 3: False}
    assert awaited(effects) == [2]


def test_six_backups_of_both_kinds_are_addressed() -> None:
    effects = put(primary_with(2, 4))

    assert list(addressed(effects)) == [1, 2, 3, 4, 5, 6]


def test_without_backups_nothing_is_sent_and_no_version_counted() -> None:
    one = primary_with(0, 0)

    effects = put(one)

    assert (addressed(effects), awaited(effects), fragment_of(one).versions) == ({}, [0], vector_of())


def test_every_configured_backup_is_counted() -> None:
    one = primary_with(2, 1)
    put(one)
    put(one)

    assert fragment_of(one).versions == vector_of(2, 2, 2)


def test_backups_are_counted_in_a_lone_member_too() -> None:
    one = primary_with(1, 1, (0,))

    put(one)

    assert fragment_of(one).versions == vector_of(1, 1)


def test_no_more_backups_are_addressed_than_there_are_other_members() -> None:
    effects = put(primary_with(3, 3, (0, 1, 2)))

    assert addressed(effects) == {1: True, 2: True}
    assert awaited(effects) == [2]


def test_async_backups_come_after_the_sync_ones_there_is_room_for() -> None:
    effects = put(primary_with(1, 3, (0, 1, 2)))

    assert addressed(effects) == {1: True, 2: False}


def test_an_empty_slot_is_skipped_and_not_waited_for() -> None:
    effects = put(primary_with(2, 0, (0, None, 2)))

    assert addressed(effects) == {2: True}
    assert awaited(effects) == [1]


def test_a_slot_of_somebody_who_is_no_member_is_skipped_and_not_waited_for() -> None:
    one = primary_with(2, 0, (0, 1, 2, 3))
    one.hand_over(1, Goodbye())

    effects = put(one, caller=2)

    assert (addressed(effects), awaited(effects)) == ({2: True}, [1])


def test_beyond_a_hole_a_live_backup_may_be_passed_over() -> None:
    effects = put(primary_with(1, 0, (0, None, 1)))

    assert (addressed(effects), awaited(effects)) == ({}, [0])


def test_an_operation_without_response_has_its_backups_sent_all_the_same_and_none_is_sync() -> None:
    effects = put(primary_with(1, 1), call_id=0)

    assert addressed(effects) == {1: False, 2: False}
    assert awaited(effects) == []


def test_a_backup_carries_the_whole_vector_and_the_callers_identity() -> None:
    one = primary_with(1, 1)

    backups = [message for _, message in sent(put(one, caller=2, call_id=9), Backup)]

    assert {(backup.versions, backup.caller, backup.call_id) for backup in backups} == {
        (vector_of(1, 1), one.id_of(2), 9)
    }


def test_the_backup_goes_before_the_response() -> None:
    kinds = [type(e.message) for e in put(primary_with(1, 0)) if isinstance(e, Send)]

    assert kinds == [Backup, Response]


def test_an_operation_that_changed_nothing_counts_no_version_and_sends_no_backup() -> None:
    one = primary_with(1, 0)

    effects = [*one.hand_over(1, request_of(Remove(MAP, "absent"))), *one.hand_over(1, request_of(Get(MAP, "absent")))]

    assert (addressed(effects), fragment_of(one).versions) == ({}, vector_of())


def test_back_pressure_is_off_by_default() -> None:
    one = primary_with(1, 1, backpressure_syncwindow=1)

    assert events_in(put(one), MadeSync) == []


def test_with_back_pressure_and_a_window_of_one_every_async_backup_is_waited_for() -> None:
    one = primary_with(1, 1, backpressure_enabled="true", backpressure_syncwindow=1)

    effects = [*put(one), *put(one)]

    assert awaited(effects) == [2, 2]


def test_back_pressure_makes_one_operation_sync_in_three_to_five_quarters_of_a_window() -> None:
    one = primary_with(0, 1, backpressure_enabled="true", backpressure_syncwindow=8)

    made_sync = [i for i in range(200) if events_in(put(one), MadeSync)]

    gaps = {later - earlier for earlier, later in pairwise(made_sync)}
    assert min(gaps) >= 6
    assert max(gaps) <= 10
    assert len(gaps) > 1


def test_back_pressure_leaves_operations_without_async_backups_alone() -> None:
    one = primary_with(1, 0, backpressure_enabled="true", backpressure_syncwindow=1)

    assert events_in(put(one), MadeSync) == []


def test_the_draw_of_back_pressure_is_the_same_in_every_run() -> None:
    def run() -> list[int]:
        one = primary_with(0, 1, backpressure_enabled="true", backpressure_syncwindow=8)
        return [i for i in range(60) if events_in(put(one), MadeSync)]

    assert run() == run()
