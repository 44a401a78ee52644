"""Calls of several partitions (calls.28)."""

from gridproof_implementation.protocol.calls import (
    CallTimeoutResponse,
    ErrorResponse,
    IteratingRequest,
    IteratingResponse,
    OperationControl,
    Request,
)
from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Clear, PutAll, Size
from gridproof_model.events.words import Failure
from gridproof_model.partition_table import PartitionRow, pad_slots
from tests.implementation.protocol.callers import (
    CALL_TIMEOUT_US,
    STRICT,
    answer_in,
    answers_in,
    lose,
    make_caller,
    refuse,
    request_in,
    respond,
    scan,
)
from tests.implementation.protocol.grids import OneOfMany, sent
from tests.implementation.protocol.replicas import MAP

SIZE, CLEAR = Size(MAP), Clear(MAP)


def caller_of_four_partitions(strict: bool = False) -> OneOfMany:
    """Return a caller by whose table partitions 0 and 2 belong to the oldest member, 1 and 3 to the next."""
    caller = make_caller(config=STRICT if strict else None)
    for partition in range(4):
        row = PartitionRow(pad_slots([caller.id_of(partition % 2)]), 10)
        caller.member.node.partitions.rows[partition] = row
    return caller


def call_many(one: OneOfMany, operation: Operation = SIZE) -> list[Effect]:
    """Ask for an operation in all four partitions."""
    return one.member.call(CallMany(1, tuple((partition, operation) for partition in range(4))), one.now_us)


def batch_to(one: OneOfMany, place: int, effects: list[Effect]) -> IteratingRequest:
    """Return what the member at a place was asked for."""
    (request,) = [request for to, request in sent(effects, IteratingRequest) if to == one.id_of(place).address]
    return request


def ask_both(one: OneOfMany, operation: Operation = SIZE) -> tuple[int, int]:
    """Ask for an operation in all partitions; return the call ids of the two requests."""
    effects = call_many(one, operation)
    return batch_to(one, 0, effects).call_id, batch_to(one, 1, effects).call_id


def give(one: OneOfMany, place: int, call_id: int, *values: tuple[int, object]) -> list[Effect]:
    """Let a member give values by partition."""
    return one.hand_over(place, IteratingResponse(call_id, values, (), asker=one.me))


def test_each_owner_is_asked_once_for_all_its_partitions() -> None:
    caller = caller_of_four_partitions()

    effects = call_many(caller)

    asked = [[partition for partition, _ in batch_to(caller, place, effects).operations] for place in (0, 1)]
    assert (asked, sent(effects, Request)) == ([[0, 2], [1, 3]], [])


def test_the_values_of_all_partitions_make_one_result() -> None:
    caller = caller_of_four_partitions()
    first, second = ask_both(caller)

    early = give(caller, 0, first, (0, 10), (2, 5))
    answer = answer_in(give(caller, 1, second, (1, 1), (3, 0)))

    assert (answers_in(early), answer.value, answer.confirmed_copies) == ([], 16, None)


def test_only_the_partitions_that_failed_are_asked_one_by_one() -> None:
    caller = caller_of_four_partitions()
    first, second = ask_both(caller)
    give(caller, 1, second, (1, 1), (3, 1))

    effects = caller.hand_over(0, IteratingResponse(first, ((0, 1),), ((2, Failure.WRONG_TARGET),), asker=caller.me))

    assert request_in(effects).partition == 2
    assert answer_in(respond(caller, request_in(effects).call_id, 1)).value == 4


def test_a_partition_without_a_known_owner_is_asked_for_by_itself() -> None:
    caller = caller_of_four_partitions()
    caller.member.node.partitions.rows[0] = PartitionRow(pad_slots([]), 11)

    effects = call_many(caller)

    assert [partition for partition, _ in batch_to(caller, 0, effects).operations] == [2]


def test_what_a_leaver_was_asked_for_is_asked_one_by_one() -> None:
    caller = caller_of_four_partitions()
    ask_both(caller)
    for partition in (0, 2):
        caller.member.node.partitions.rows[partition] = PartitionRow(pad_slots([caller.id_of(1)]), 11)

    asked = [request.partition for _, request in sent(lose(caller, 0), Request)]

    assert asked == [0, 2]


def test_what_came_too_late_is_asked_one_by_one() -> None:
    caller = caller_of_four_partitions()
    first, _ = ask_both(caller)

    assert len(sent(caller.hand_over(0, CallTimeoutResponse(first, asker=caller.me)), Request)) == 2


def test_what_was_refused_as_a_whole_is_asked_one_by_one() -> None:
    caller = caller_of_four_partitions()
    first, _ = ask_both(caller)

    assert (
        len(sent(caller.hand_over(0, ErrorResponse(first, Failure.CALLER_NOT_MEMBER, asker=caller.me)), Request)) == 2
    )


def test_what_heard_nothing_for_two_call_timeouts_is_asked_one_by_one() -> None:
    caller = caller_of_four_partitions()
    ask_both(caller)

    early = scan(caller, 2 * CALL_TIMEOUT_US - 1)

    assert (sent(early, Request), len(sent(scan(caller, 1), Request))) == ([], 4)


def test_a_heartbeat_keeps_what_runs_from_being_asked_again() -> None:
    caller = caller_of_four_partitions()
    first, second = ask_both(caller)
    caller.now_us += CALL_TIMEOUT_US + 1
    caller.hand_over(0, OperationControl((first, second), asker=caller.me))

    assert sent(scan(caller, CALL_TIMEOUT_US - 1), Request) == []


def test_one_partition_that_fails_for_good_fails_the_whole() -> None:
    caller = caller_of_four_partitions()
    first, second = ask_both(caller, CLEAR)
    give(caller, 1, second, (1, None), (3, None))
    one_by_one = caller.hand_over(
        0, IteratingResponse(first, ((0, None),), ((2, Failure.WRONG_TARGET),), asker=caller.me)
    )

    answer = answer_in(refuse(caller, request_in(one_by_one).call_id, Failure.ILLEGAL_STATE))

    assert (answer.failure, answer.may_have_run) == (Failure.ILLEGAL_STATE, True)


def test_what_heard_nothing_may_have_run_although_it_is_refused_when_asked_again() -> None:
    caller = caller_of_four_partitions()
    caller.member.call(CallMany(1, ((0, CLEAR),)), caller.now_us)
    again = request_in(scan(caller, 2 * CALL_TIMEOUT_US))

    answer = answer_in(refuse(caller, again.call_id, Failure.ILLEGAL_STATE))

    assert (answer.failure, answer.may_have_run) == (Failure.ILLEGAL_STATE, True)


def test_what_was_refused_twice_did_not_run() -> None:
    caller = caller_of_four_partitions()
    (batch,) = [request for _, request in sent(caller.member.call(CallMany(1, ((0, CLEAR),)), 0), IteratingRequest)]
    again = request_in(caller.hand_over(0, ErrorResponse(batch.call_id, Failure.CALLER_NOT_MEMBER, asker=caller.me)))

    assert answer_in(refuse(caller, again.call_id, Failure.ILLEGAL_STATE)).may_have_run is False


def test_indeterminate_mode_does_not_apply() -> None:
    caller = caller_of_four_partitions(strict=True)
    first, second = ask_both(caller, PutAll(MAP, (("k", "v"),)))
    give(caller, 1, second, (1, None), (3, None))
    one_by_one = caller.hand_over(
        0, IteratingResponse(first, ((0, None),), ((2, Failure.WRONG_TARGET),), asker=caller.me)
    )
    caller.member.node.partitions.rows[2] = PartitionRow(pad_slots([caller.id_of(1)]), 11)
    assert request_in(one_by_one).partition == 2

    assert len(sent(lose(caller, 0), Request)) == 1


def test_a_second_response_to_the_same_request_changes_nothing() -> None:
    caller = caller_of_four_partitions()
    first, second = ask_both(caller)
    give(caller, 0, first, (0, 1), (2, 1))
    give(caller, 0, first, (0, 7), (2, 7))

    assert answer_in(give(caller, 1, second, (1, 1), (3, 1))).value == 4


def test_a_call_of_no_partition_is_answered_at_once() -> None:
    caller = caller_of_four_partitions()

    assert answer_in(caller.member.call(CallMany(1, ()), 0)).failure is None


def test_a_merge_fails_the_whole() -> None:
    caller = caller_of_four_partitions()
    ask_both(caller, CLEAR)

    caller.member.node.invocations.reset()

    answer = answer_in(caller.member._effects())
    assert (answer.failure, answer.may_have_run) == (Failure.MEMBER_LEFT, True)


def test_a_client_that_says_no_number_is_the_same_in_both_kinds_of_call() -> None:
    assert CallMany(1, ()).thread == Call(1, Size(MAP), 0).thread
