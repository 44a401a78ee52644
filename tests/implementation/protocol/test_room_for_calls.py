"""How many calls may be under way.

Source: calls.14, backups.21.
"""

from gridproof_implementation.protocol.calls import Request
from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.invocation.attempts import LookForRoom
from gridproof_implementation.protocol.node import Call
from gridproof_model.events.words import Failure
from tests.implementation.protocol.callers import (
    PUT,
    answer_in,
    answers_in,
    begin,
    call,
    make_caller,
    refuse,
    request_in,
    respond,
    wake,
)
from tests.implementation.protocol.grids import OneOfMany, sent
from tests.implementation.protocol.replicas import P, config_of

CAPACITY = 6
"""Five partitions and one more, one call each."""


def crowded_caller() -> tuple[OneOfMany, int]:
    """Return a caller with as many calls under way as may be, and the call id of one."""
    caller = make_caller(
        config=config_of(backpressure_enabled="true", backpressure_max_concurrent_invocations_per_partition=1)
    )
    call_id = begin(caller)
    for number in range(2, CAPACITY + 1):
        call(caller, number=number)
    return caller, call_id


def test_without_back_pressure_any_number_of_calls_may_be_under_way() -> None:
    caller = make_caller(config=config_of(backpressure_max_concurrent_invocations_per_partition=1))

    assert [len(sent(call(caller, number=number), Request)) for number in range(20)] == [1] * 20


def test_a_call_beyond_the_capacity_waits_outside() -> None:
    caller, _ = crowded_caller()

    assert sent(call(caller, number=7), Request) == []


def test_it_looks_for_room_with_pauses_that_double() -> None:
    caller, _ = crowded_caller()
    effects, times_us = call(caller, number=7), []
    for _ in range(4):
        effects = wake(caller, effects, LookForRoom)
        times_us.append(caller.now_us)

    assert times_us == [1_000, 3_000, 7_000, 15_000]


def test_it_begins_when_there_is_room() -> None:
    caller, call_id = crowded_caller()
    outside = call(caller, number=7)
    respond(caller, call_id)

    assert request_in(wake(caller, outside, LookForRoom)).call_id != call_id


def test_it_is_refused_after_the_backoff_timeout() -> None:
    caller, _ = crowded_caller()
    effects = call(caller, number=7)
    while not answers_in(effects):
        effects = wake(caller, effects, LookForRoom)

    answer = answer_in(effects)
    assert (answer.failure, answer.may_have_run) == (Failure.OVERLOAD, False)
    assert 60_000_000 <= caller.now_us <= 60_500_000


def test_a_retry_needs_no_room() -> None:
    caller, call_id = crowded_caller()
    call(caller, number=7)

    assert len(sent(refuse(caller, call_id, Failure.WRONG_TARGET), Request)) == 1


def test_a_member_that_is_gone_ends_its_calls_and_takes_no_more() -> None:
    caller = make_caller()
    begin(caller)

    caller.member.node.invocations.shut_down()

    ended, refused = answer_in(caller.member._effects()), answer_in(call(caller, number=2))
    assert (ended.failure, ended.may_have_run) == (Failure.NOT_ACTIVE, True)
    assert (refused.failure, refused.may_have_run) == (Failure.NOT_ACTIVE, False)


def test_a_merge_ends_calls_with_member_left() -> None:
    caller = make_caller()
    begin(caller)

    caller.member.node.invocations.reset()

    assert answer_in(caller.member._effects()).failure is Failure.MEMBER_LEFT


def test_a_call_of_a_part_is_answered_to_the_part() -> None:
    caller, found = make_caller(), list[Answer]()
    caller.member.node.invocations.invoke(Call(1, PUT, P), found.append)
    call_id = request_in(caller.member._effects()).call_id

    effects = respond(caller, call_id, "v")

    assert (answers_in(effects), [answer.value for answer in found]) == ([], ["v"])
