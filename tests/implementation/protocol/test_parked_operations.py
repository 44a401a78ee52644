"""Operations wait at the primary until something changes.

Source: calls.9, calls.22, calls.13.
"""

import pytest

from gridproof_implementation.protocol.calls import (
    Backup,
    CallTimeoutResponse,
    IteratingRequest,
    IteratingResponse,
    OperationControl,
    Response,
)
from gridproof_implementation.protocol.effects import CancelTimer, SetTimer
from gridproof_implementation.protocol.operation.parking import WaitIsOver
from gridproof_implementation.protocol.operation.part import ReportRunning
from gridproof_model.events.words import Failure
from tests.implementation.protocol.gates import GATE, Open, Pass, add_gates, failures, values
from tests.implementation.protocol.grids import SECOND_US, sent
from tests.implementation.protocol.replicas import (
    FAR_FUTURE_US,
    P,
    config_of,
    one_in_row,
    request_of,
)


@pytest.fixture(autouse=True)
def gates(monkeypatch: pytest.MonkeyPatch) -> None:
    add_gates(monkeypatch)


def test_an_operation_that_has_to_wait_is_parked() -> None:
    effects = one_in_row(0).hand_over(1, request_of(Pass(GATE, wait_us=None)))

    assert (values(effects), failures(effects)) == ([], [])


def test_an_operation_that_will_not_wait_is_answered_at_once() -> None:
    effects = one_in_row(0).hand_over(1, request_of(Pass(GATE, wait_us=0)))

    assert values(effects) == ["gave up"]


def test_parked_operations_go_on_after_a_change_first_come_first() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 1))
    one.hand_over(2, request_of(Pass(GATE, wait_us=None), 2))

    effects = one.hand_over(1, request_of(Open(GATE), 3))

    assert [message.call_id for _, message in sent(effects, Response)] == [3, 1]


def test_a_parked_operation_that_goes_on_is_backed_up() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 1))

    effects = one.hand_over(1, request_of(Open(GATE), 3))

    assert [message.call_id for _, message in sent(effects, Backup)] == [3, 1]


def test_a_wait_that_is_over_is_answered() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=SECOND_US)))

    assert values(one.member.wake(WaitIsOver(0), SECOND_US)) == ["gave up"]


def test_a_parked_operation_is_sent_again_when_its_call_times_out() -> None:
    one = one_in_row(0)
    effects = one.hand_over(1, request_of(Pass(GATE, wait_us=None), 4, deadline_us=SECOND_US))
    (delay_us,) = [e.delay_us for e in effects if isinstance(e, SetTimer)]

    later = one.member.wake(WaitIsOver(0), delay_us)

    assert [message.call_id for _, message in sent(later, CallTimeoutResponse)] == [4]


def test_parked_operations_are_bounced_when_their_partition_moves() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None)))

    one.member.node.operations.partition_moved(P)

    assert failures(one.member.node.effects) == [Failure.PARTITION_MIGRATING]


def test_parked_operations_of_a_departed_caller_are_dropped() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 1))

    one.member.node.operations.member_removed(one.id_of(1))
    effects = one.hand_over(2, request_of(Open(GATE), 2))

    assert [message.call_id for _, message in sent(effects, Response)] == [2]


def test_operation_heartbeats_report_to_each_caller_which_of_its_calls_are_parked() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 1))
    one.hand_over(2, request_of(Pass(GATE, wait_us=None), 2))
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 3))

    found = sent(one.member.wake(ReportRunning(), SECOND_US), OperationControl)

    assert [(to, message.call_ids) for to, message in found] == [
        (one.id_of(1).address, (1, 3)),
        (one.id_of(2).address, (2,)),
    ]


def test_operation_heartbeats_come_four_times_in_a_call_timeout() -> None:
    one = one_in_row(0)

    (timer,) = [e for e in one.member.wake(ReportRunning(), 0) if isinstance(e, SetTimer)]

    assert timer.delay_us == one.member.node.settings.call_timeout_us // 4


def test_operation_heartbeats_come_at_most_once_a_second() -> None:
    one = one_in_row(0, config=config_of(operation_call_timeout_millis=100))

    (timer,) = [e for e in one.member.wake(ReportRunning(), 0) if isinstance(e, SetTimer)]

    assert timer.delay_us == SECOND_US


def test_a_parked_operation_that_fails_keeps_nobody_else_waiting() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 1, deadline_us=SECOND_US))
    one.hand_over(2, request_of(Pass(GATE, wait_us=None), 2))
    one.now_us = SECOND_US + 1

    effects = one.hand_over(1, request_of(Open(GATE), 3))

    assert [message.call_id for _, message in sent(effects, CallTimeoutResponse)] == [1]
    assert [message.call_id for _, message in sent(effects, Response)] == [3, 2]


def test_a_change_by_a_call_of_several_partitions_wakes_who_waits() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 1))

    effects = one.hand_over(2, IteratingRequest(3, ((P, Open(GATE)),), 0, 3, FAR_FUTURE_US))

    assert values(effects) == ["passed"]


def test_a_call_of_several_partitions_does_not_wait() -> None:
    effects = one_in_row(0).hand_over(2, IteratingRequest(3, ((P, Pass(GATE, wait_us=None)),), 0, 3, FAR_FUTURE_US))

    assert [message.values for _, message in sent(effects, IteratingResponse)] == [((P, "gave up"),)]


@pytest.mark.parametrize(("wait_us", "timer_us"), [(5, 5), (None, SECOND_US + 1), (2 * SECOND_US, SECOND_US + 1)])
def test_who_waits_is_looked_at_when_its_wait_or_its_call_timeout_ends(wait_us: int | None, timer_us: int) -> None:
    effects = one_in_row(0).hand_over(1, request_of(Pass(GATE, wait_us=wait_us), deadline_us=SECOND_US))

    assert [effect.delay_us for effect in effects if isinstance(effect, SetTimer)] == [timer_us]


def test_the_timer_of_who_waits_no_longer_is_cancelled() -> None:
    one = one_in_row(0)
    one.hand_over(1, request_of(Pass(GATE, wait_us=None), 1))

    assert CancelTimer(WaitIsOver(0)) in one.hand_over(1, request_of(Open(GATE), 3))
