"""A call that hears nothing ends (calls.22)."""

from gridproof_implementation.protocol.calls import CallTimeoutResponse, OperationControl, Request
from gridproof_implementation.protocol.effects import SetTimer
from gridproof_implementation.protocol.invocation.answers import Scan
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.queue import Poll
from gridproof_model.events.words import Failure
from tests.implementation.protocol.callers import (
    CALL_TIMEOUT_US,
    GET,
    answer_in,
    answers_in,
    begin,
    call,
    make_caller,
    refuse,
    request_in,
    respond,
    scan,
)
from tests.implementation.protocol.grids import sent
from tests.implementation.protocol.replicas import P

SECOND_US = 1_000_000
POLL = Poll(StructureId("queue", "q"), wait_us=100 * SECOND_US)


def test_a_call_that_hears_nothing_for_two_minutes_times_out() -> None:
    caller = make_caller()
    begin(caller)

    early = scan(caller, 2 * CALL_TIMEOUT_US - 1)
    answer = answer_in(scan(caller, 1))

    assert (answers_in(early), answer.failure, answer.may_have_run) == ([], Failure.OPERATION_TIMEOUT, True)


def test_a_heartbeat_keeps_a_call_alive_for_another_call_timeout() -> None:
    caller = make_caller()
    call_id = begin(caller)
    caller.now_us += 2 * CALL_TIMEOUT_US - 1
    caller.hand_over(0, OperationControl((call_id,), asker=caller.me))

    assert answers_in(scan(caller, CALL_TIMEOUT_US - 1)) == []
    assert answer_in(scan(caller, 1)).failure is Failure.OPERATION_TIMEOUT


def test_a_heartbeat_of_an_earlier_attempt_neither_kills_nor_saves_the_next() -> None:
    caller = make_caller()
    first = begin(caller)
    caller.hand_over(0, OperationControl((first,), asker=caller.me))
    caller.now_us += 2 * CALL_TIMEOUT_US
    refuse(caller, first, Failure.WRONG_TARGET)
    caller.hand_over(0, OperationControl((first,), asker=caller.me))

    assert answers_in(scan(caller, 2 * CALL_TIMEOUT_US - 1)) == []
    assert answer_in(scan(caller, 1)).failure is Failure.OPERATION_TIMEOUT


def test_a_read_of_the_callers_own_partition_never_times_out() -> None:
    caller = make_caller((2, 1))
    begin(caller, GET)

    assert answers_in(scan(caller, 10 * CALL_TIMEOUT_US)) == []


def test_a_read_that_times_out_has_changed_nothing() -> None:
    caller = make_caller()
    begin(caller, GET)

    assert answer_in(scan(caller, 2 * CALL_TIMEOUT_US)).may_have_run is False


def test_a_request_carries_the_time_after_which_it_is_not_executed() -> None:
    caller = make_caller()

    assert request_in(call(caller)).deadline_us == CALL_TIMEOUT_US


def test_a_request_that_came_too_late_fails_the_call_though_it_never_ran() -> None:
    caller = make_caller()

    answer = answer_in(caller.hand_over(0, CallTimeoutResponse(begin(caller), partition=P, asker=caller.me)))

    assert (answer.failure, answer.may_have_run) == (Failure.OPERATION_TIMEOUT, False)


def test_a_waiting_operation_that_came_too_late_is_asked_anew_with_what_is_left_of_its_wait() -> None:
    caller = make_caller()
    call_id = begin(caller, POLL)
    caller.now_us += 60 * SECOND_US

    operation = request_in(caller.hand_over(0, CallTimeoutResponse(call_id, partition=P, asker=caller.me))).operation

    assert isinstance(operation, Poll)
    assert operation.wait_us == 40 * SECOND_US


def test_a_wait_that_is_over_never_becomes_negative() -> None:
    caller = make_caller()
    call_id = begin(caller, POLL)
    caller.now_us += 101 * SECOND_US

    operation = request_in(caller.hand_over(0, CallTimeoutResponse(call_id, partition=P, asker=caller.me))).operation

    assert isinstance(operation, Poll)
    assert operation.wait_us == 0


def test_asking_anew_for_a_waiting_operation_does_not_count_as_a_retry() -> None:
    caller = make_caller()
    call_id = begin(caller, POLL)
    for _ in range(20):
        call_id = request_in(caller.hand_over(0, CallTimeoutResponse(call_id, partition=P, asker=caller.me))).call_id

    assert sent(refuse(caller, call_id, Failure.PARTITION_MIGRATING), Request)


def test_a_scan_is_set_only_while_something_waits() -> None:
    caller = make_caller()
    first = begin(caller)
    respond(caller, first)

    assert not [effect for effect in scan(caller, SECOND_US) if isinstance(effect, SetTimer)]
    assert [e.timer for e in call(caller) if isinstance(e, SetTimer)] == [Scan()]


def test_a_call_that_pauses_between_attempts_is_scanned_once_it_waits_again() -> None:
    caller = make_caller((None, 1))
    caller.member.call(Call(1, GET, P), 0)

    assert [e.timer for e in scan(caller, SECOND_US) if isinstance(e, SetTimer)] == [Scan()]
