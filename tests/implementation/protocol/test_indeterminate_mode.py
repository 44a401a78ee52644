"""What is reported as indeterminate, exactly.

Source: strict.1; seed: Throwing an IndeterminateOperationStateException.
"""

import pytest

from gridproof_implementation.protocol.calls import CallTimeoutResponse, Request
from gridproof_implementation.protocol.structures.map import Process
from gridproof_model.events.words import Failure
from tests.implementation.protocol.callers import (
    BACKUP_TIMEOUT_US,
    CALL_TIMEOUT_US,
    GET,
    PUT,
    STRICT,
    acknowledge,
    answer_in,
    answers_in,
    begin,
    lose,
    make_caller,
    refuse,
    respond,
    scan,
)
from tests.implementation.protocol.entry_processors import Inspect
from tests.implementation.protocol.grids import OneOfMany, sent
from tests.implementation.protocol.replicas import MAP, P, set_row


def strict_caller(row: tuple[int, int] = (0, 1)) -> OneOfMany:
    """Return a caller whose member is configured for indeterminate mode."""
    return make_caller(row, STRICT)


def test_a_target_that_left_is_indeterminate_and_never_retried() -> None:
    caller = strict_caller()
    begin(caller)
    set_row(caller, (1,), version=11)

    effects = lose(caller, 0)

    assert (answer_in(effects).failure, answer_in(effects).may_have_run) == (Failure.INDETERMINATE, True)
    assert sent(effects, Request) == []


def test_a_target_that_left_after_its_response_is_indeterminate() -> None:
    caller = strict_caller()
    respond(caller, begin(caller), backups=1)

    assert answer_in(lose(caller, 0)).failure is Failure.INDETERMINATE


def test_an_earlier_target_found_gone_on_the_next_attempt_is_indeterminate() -> None:
    caller = strict_caller((1, 0))
    call_id = begin(caller)
    lose(caller, 0)
    set_row(caller, (0, 1), version=50)

    assert answer_in(refuse(caller, call_id, Failure.WRONG_TARGET, place=1)).failure is Failure.INDETERMINATE


def test_a_missing_acknowledgement_is_indeterminate_after_the_backup_timeout() -> None:
    caller = strict_caller()
    respond(caller, begin(caller), backups=1)

    early = scan(caller, BACKUP_TIMEOUT_US - 1)

    assert (answers_in(early), answer_in(scan(caller, 1)).failure) == ([], Failure.INDETERMINATE)


def test_acknowledgements_that_come_in_time_are_a_success() -> None:
    caller = strict_caller()
    call_id = begin(caller)
    respond(caller, call_id, "v", backups=1)

    assert answer_in(acknowledge(caller, call_id)).failure is None


def test_a_member_that_left_does_not_count_as_an_acknowledgement_of_a_strict_call() -> None:
    caller = strict_caller()
    respond(caller, begin(caller), backups=1)

    assert answers_in(lose(caller, 1)) == []


def test_a_merge_ends_strict_calls_as_indeterminate() -> None:
    caller = strict_caller()
    begin(caller)

    caller.member.node.invocations.reset()

    assert answer_in(caller.member._effects()).failure is Failure.INDETERMINATE


def test_a_timeout_stays_a_timeout() -> None:
    caller = strict_caller()
    begin(caller)

    assert answer_in(scan(caller, 2 * CALL_TIMEOUT_US)).failure is Failure.OPERATION_TIMEOUT


def test_a_request_that_came_too_late_stays_a_timeout() -> None:
    caller = strict_caller()

    effects = caller.hand_over(0, CallTimeoutResponse(begin(caller), partition=P, asker=caller.me))

    assert answer_in(effects).failure is Failure.OPERATION_TIMEOUT


@pytest.mark.parametrize("why", [Failure.WRONG_TARGET, Failure.PARTITION_MIGRATING, Failure.CALLER_NOT_MEMBER])
def test_what_was_surely_not_executed_is_still_retried(why: Failure) -> None:
    caller = strict_caller()

    assert sent(refuse(caller, begin(caller), why), Request)


def test_a_read_is_retried_when_its_target_left() -> None:
    caller = strict_caller()
    begin(caller, GET)
    set_row(caller, (1,), version=11)

    assert sent(lose(caller, 0), Request)


def test_a_processor_that_only_looks_counts_as_a_change() -> None:
    caller = strict_caller()
    begin(caller, Process(MAP, "k", Inspect()))

    assert answer_in(lose(caller, 0)).failure is Failure.INDETERMINATE


def test_one_call_may_ask_for_it_where_the_member_does_not() -> None:
    caller = make_caller()
    begin(caller, PUT, strict=True)

    assert answer_in(lose(caller, 0)).failure is Failure.INDETERMINATE


def test_one_call_may_do_without_it_where_the_member_asks_for_it() -> None:
    caller = strict_caller()
    begin(caller, PUT, strict=False)
    set_row(caller, (1,), version=11)

    assert sent(lose(caller, 0), Request)
