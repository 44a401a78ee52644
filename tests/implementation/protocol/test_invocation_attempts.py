"""A call finds its target, and tries again.

Source: calls.5, calls.7, calls.14.
"""

from typing import cast

import pytest

from gridproof_implementation.protocol.calls import Request
from gridproof_implementation.protocol.effects import SetTimer
from gridproof_implementation.protocol.invocation.attempts import RETRYABLE, TryAgain
from gridproof_implementation.protocol.membership.part import MembershipPart
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_model.events.invocation import AnswerDropped, AttemptFailed, AttemptSent
from gridproof_model.events.words import Failure
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.callers import (
    PUT,
    acknowledge,
    answer_in,
    answers_in,
    begin,
    call,
    lose,
    make_caller,
    refuse,
    request_in,
    respond,
    wake,
)
from tests.implementation.protocol.grids import events_in, one_of, sent
from tests.implementation.protocol.replicas import P, config_of, set_row

TRIED_AGAIN = [failure for failure in Failure if failure in RETRYABLE and failure is not Failure.MEMBER_LEFT]


def test_a_call_goes_to_the_owner_by_the_callers_own_table() -> None:
    caller = make_caller((1, 0))

    ((address, request),) = sent(call(caller), Request)

    assert (address, request.operation, request.partition) == (caller.id_of(1).address, PUT, P)


def test_an_attempt_remembers_the_member_list_by_which_its_target_was_found() -> None:
    caller = make_caller()

    (attempt,) = events_in(call(caller), AttemptSent)

    assert (attempt.target, attempt.list_version) == (caller.number_of(0), caller.version)


def test_every_attempt_looks_for_the_owner_anew() -> None:
    caller = make_caller((0, 1))
    call_id = begin(caller)
    set_row(caller, (1, 0), version=11)

    effects = refuse(caller, call_id, Failure.WRONG_TARGET)

    assert events_in(effects, AttemptSent)[0].target == caller.number_of(1)


def test_every_attempt_has_a_new_call_id_and_keeps_the_first_as_reference() -> None:
    caller = make_caller()
    first = begin(caller)

    again = request_in(refuse(caller, first, Failure.PARTITION_MIGRATING))

    assert (again.call_id != first, again.reference_id) == (True, first)


def test_a_late_response_of_an_earlier_attempt_changes_nothing() -> None:
    caller = make_caller()
    first = begin(caller)
    refuse(caller, first, Failure.WRONG_TARGET)

    effects = respond(caller, first, "late")

    assert (answers_in(effects), [n.kind for n in events_in(effects, AnswerDropped)]) == ([], ["Response"])


def test_a_late_acknowledgement_of_an_earlier_attempt_is_not_counted() -> None:
    caller = make_caller()
    first = begin(caller)
    second = request_in(refuse(caller, first, Failure.WRONG_TARGET)).call_id
    acknowledge(caller, first)

    assert answers_in(respond(caller, second, backups=1)) == []


def test_an_answered_call_is_not_answered_again() -> None:
    caller = make_caller()
    call_id = begin(caller)
    respond(caller, call_id, "once")

    assert answers_in(respond(caller, call_id, "twice")) == []


@pytest.mark.parametrize("failure", TRIED_AGAIN)
def test_a_retryable_failure_is_retried(failure: Failure) -> None:
    caller = make_caller()

    assert sent(refuse(caller, begin(caller), failure), Request)


@pytest.mark.parametrize("failure", [Failure.THROWN, Failure.ILLEGAL_STATE, Failure.NOT_ACTIVE])
def test_any_other_failure_is_the_answer(failure: Failure) -> None:
    caller = make_caller()

    answer = answer_in(refuse(caller, begin(caller), failure))

    assert (answer.failure, answer.may_have_run) == (failure, False)


def test_four_retries_come_at_once_and_then_pauses_double_up_to_the_configured_one() -> None:
    attempts = make_caller().member.node.invocations.attempts  # type: ignore[attr-defined]

    pauses_us = [attempts.pause_us(n) for n in range(1, 17)]

    assert pauses_us[:4] == [0] * 4
    assert pauses_us[4:8] == [1_000, 2_000, 4_000, 8_000]
    assert pauses_us[12:] == [256_000, 500_000, 500_000, 500_000]


def test_the_budget_lasts_for_about_two_minutes() -> None:
    attempts = make_caller().member.node.invocations.attempts  # type: ignore[attr-defined]

    assert sum(attempts.pause_us(n) for n in range(1, 250)) == 118_511_000


def test_a_late_refusal_of_a_target_that_left_starts_no_second_retry() -> None:
    caller = make_caller((0, 1))
    first = begin(caller)
    set_row(caller, (1,), version=11)
    lose(caller, 0)

    assert sent(refuse(caller, first, Failure.PARTITION_MIGRATING, place=1), Request) == []


def test_a_paused_attempt_is_made_when_the_pause_is_over() -> None:
    caller = make_caller()
    call_id = begin(caller)
    for _ in range(4):
        call_id = request_in(refuse(caller, call_id, Failure.WRONG_TARGET)).call_id
    pausing = refuse(caller, call_id, Failure.WRONG_TARGET)

    assert (sent(pausing, Request), request_in(wake(caller, pausing, TryAgain)).reference_id) == ([], 1)


def test_when_the_budget_is_used_up_the_last_failure_is_the_answer() -> None:
    caller = make_caller(config=config_of(invocation_max_retry_count=3))
    call_id = begin(caller)
    for _ in range(2):
        call_id = request_in(refuse(caller, call_id, Failure.PARTITION_MIGRATING)).call_id

    assert answer_in(refuse(caller, call_id, Failure.WRONG_TARGET)).failure is Failure.WRONG_TARGET


def test_where_nobody_owns_the_partition_the_call_is_retried() -> None:
    caller = make_caller((None, 1))

    effects = call(caller)

    assert {event.why for event in events_in(effects, AttemptFailed)} == {Failure.WRONG_TARGET}
    assert [e.timer for e in effects if isinstance(e, SetTimer) and isinstance(e.timer, TryAgain)]


def test_where_nobody_may_be_made_owner_the_call_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    caller = make_caller((None, 1))
    monkeypatch.setattr(MembershipPart, "cluster_state", ClusterState.FROZEN)

    assert answer_in(call(caller)).failure is Failure.ILLEGAL_STATE


def test_where_only_lite_members_are_left_the_call_fails() -> None:
    lonely = one_of(1, 0)
    roster = cast("Roster", lonely.member.node.membership)
    lite = [type(member)(member.id, True) for member in roster.members]
    roster.members = type(roster.members)(roster.members.version, tuple(lite))

    assert answer_in(call(lonely)).failure is Failure.NO_DATA_MEMBER


def test_an_owner_that_is_no_member_is_retried_at_first() -> None:
    caller = make_caller()
    lose(caller, 0)
    set_row(caller, (0, 1), version=50)

    assert events_in(call(caller), AttemptFailed)[0].why == Failure.TARGET_NOT_MEMBER


def test_an_owner_that_is_no_member_counts_as_left_if_an_earlier_attempt_had_a_target() -> None:
    caller = make_caller((1, 0))
    call_id = begin(caller)
    lose(caller, 0)
    set_row(caller, (0, 1), version=50)

    effects = refuse(caller, call_id, Failure.WRONG_TARGET, place=1)

    assert [event.why for event in events_in(effects, AttemptFailed)][:2] == [
        Failure.WRONG_TARGET,
        Failure.MEMBER_LEFT,
    ]


def test_a_member_that_is_not_joined_puts_attempts_off_without_counting_them(monkeypatch: pytest.MonkeyPatch) -> None:
    caller = make_caller()
    call_id = begin(caller)
    monkeypatch.setattr(MembershipPart, "is_joined", False)
    put_off = refuse(caller, call_id, Failure.WRONG_TARGET)
    put_off_again = wake(caller, put_off, TryAgain)
    monkeypatch.setattr(MembershipPart, "is_joined", True)

    (attempt,) = events_in(wake(caller, put_off_again, TryAgain), AttemptSent)

    assert (attempt.attempt, caller.now_us) == (2, 1_000_000)


def test_nothing_is_sent_over_a_broken_connection() -> None:
    caller = make_caller()
    caller.member.disconnected(caller.id_of(0).address, caller.now_us)

    effects = call(caller)

    assert {event.why for event in events_in(effects, AttemptFailed)} == {Failure.RETRYABLE_IO}


def test_a_connection_that_nobody_reports_broken_again_is_used_again() -> None:
    caller = make_caller()
    caller.member.disconnected(caller.id_of(0).address, caller.now_us)
    caller.now_us += 100_000

    assert len(sent(call(caller), Request)) == 1


def test_a_broken_connection_leaves_attempts_alone_that_wait() -> None:
    caller = make_caller()
    call_id = begin(caller)
    caller.member.disconnected(caller.id_of(0).address, caller.now_us)

    assert answer_in(respond(caller, call_id, "came through")).value == "came through"
