"""A call waits for its backups.

Source: calls.19, backups.17, backups.16.
"""

from typing import cast

from gridproof_implementation.protocol.calls import Request
from gridproof_implementation.protocol.invocation.answers import Scan
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_model.events.invocation import AttemptSent, CallBegunAnew, LeaverCounted, ResponseKept
from gridproof_model.events.words import Failure
from tests.implementation.protocol.callers import (
    BACKUP_TIMEOUT_US,
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
    scan,
    wake,
)
from tests.implementation.protocol.grids import events_in, sent
from tests.implementation.protocol.replicas import config_of, set_row


def test_a_response_without_backups_completes_the_call() -> None:
    caller = make_caller()

    answer = answer_in(respond(caller, begin(caller), "before"))

    assert (answer.call, answer.value, answer.failure, answer.confirmed_copies) == (1, "before", None, 1)


def test_a_response_waits_for_its_acknowledgements() -> None:
    caller = make_caller()
    call_id = begin(caller)

    kept = respond(caller, call_id, "v", backups=2)
    acknowledge(caller, call_id, place=1)
    answer = answer_in(acknowledge(caller, call_id, place=0))

    assert (answers_in(kept), answer.value, answer.confirmed_copies) == ([], "v", 3)
    assert events_in(kept, ResponseKept)


def test_acknowledgements_may_come_before_the_response() -> None:
    caller = make_caller()
    call_id = begin(caller)
    acknowledge(caller, call_id)

    assert answer_in(respond(caller, call_id, "v", backups=1)).confirmed_copies == 2


def test_an_acknowledgement_that_comes_twice_counts_once() -> None:
    caller = make_caller()
    call_id = begin(caller)
    respond(caller, call_id, backups=2)
    acknowledge(caller, call_id, place=1)

    assert answers_in(acknowledge(caller, call_id, place=1)) == []


def test_missing_acknowledgements_are_a_success_after_the_backup_timeout() -> None:
    caller = make_caller()
    respond(caller, begin(caller), "v", backups=1)

    early = scan(caller, BACKUP_TIMEOUT_US - 1)
    answer = answer_in(scan(caller, 1))

    assert (answers_in(early), answer.value, answer.failure, answer.confirmed_copies) == ([], "v", None, 1)


def test_nobody_waits_longer_than_the_backup_timeout() -> None:
    caller = make_caller()
    effects = call(caller)
    caller.now_us += 300_000
    respond(caller, request_in(effects).call_id, backups=1)

    while not answers_in(effects):
        effects = wake(caller, effects, Scan)

    assert caller.now_us == 300_000 + BACKUP_TIMEOUT_US


def test_a_backup_timeout_shorter_than_a_scan_period_is_kept() -> None:
    caller = make_caller(config=config_of(operation_backup_timeout_millis=100))

    kept = respond(caller, begin(caller), backups=1)

    assert answers_in(wake(caller, kept, Scan))


def test_a_target_that_leaves_before_its_response_is_asked_no_more_but_its_successor() -> None:
    caller = make_caller((0, 1))
    begin(caller)
    set_row(caller, (1,), version=11)

    assert events_in(lose(caller, 0), AttemptSent)[0].target == caller.number_of(1)


def test_a_target_that_leaves_after_its_response_is_asked_no_more_either() -> None:
    caller = make_caller((0, 1))
    respond(caller, begin(caller), "v", backups=1)
    set_row(caller, (1,), version=11)

    assert events_in(lose(caller, 0), AttemptSent)[0].target == caller.number_of(1)


def test_any_other_member_that_leaves_counts_as_an_acknowledgement() -> None:
    caller = make_caller((0, None, 1))
    respond(caller, begin(caller), "v", backups=1)

    effects = lose(caller, 1)

    assert (answer_in(effects).value, answer_in(effects).confirmed_copies) == ("v", 1)
    assert events_in(effects, LeaverCounted)


def test_a_leaver_before_the_response_counts_as_well() -> None:
    caller = make_caller((0, 1))
    call_id = begin(caller)
    lose(caller, 1)

    assert answer_in(respond(caller, call_id, "v", backups=1)).value == "v"


def test_an_attempt_sent_by_a_newer_list_is_not_failed_by_an_older_departure() -> None:
    caller = make_caller((0, 1))
    begin(caller)

    effects = caller.member.node.invocations
    effects.member_removed(caller.id_of(0), list_version=caller.version)

    assert sent(caller.member._effects(), Request) == []


def test_a_retry_does_not_forget_the_kept_response() -> None:
    caller = make_caller((0, 1))
    respond(caller, begin(caller), "of the first", backups=1)
    set_row(caller, (1,), version=11)
    second = request_in(lose(caller, 0)).call_id

    answer = answer_in(acknowledge(caller, second))

    assert (answer.value, answer.confirmed_copies) == ("of the first", 0)


def test_a_retry_does_not_forget_counted_acknowledgements() -> None:
    caller = make_caller((0, 1))
    first = begin(caller)
    acknowledge(caller, first)
    second = request_in(refuse(caller, first, Failure.WRONG_TARGET)).call_id

    assert answer_in(respond(caller, second, "v", backups=1)).value == "v"


def test_when_acknowledgements_are_missing_and_the_target_is_gone_everything_begins_anew() -> None:
    caller = make_caller((0, 1))
    respond(caller, begin(caller), "v", backups=1)
    roster = cast("Roster", caller.member.node.membership)
    roster.members = roster.members.left([caller.id_of(0)])
    roster.ids = frozenset(member.id for member in roster.members)
    set_row(caller, (1,), version=11)

    effects = scan(caller, BACKUP_TIMEOUT_US)
    again = respond(caller, request_in(effects).call_id, "anew", backups=1, place=1)

    assert events_in(effects, CallBegunAnew)
    assert (events_in(effects, AttemptSent)[0].attempt, answers_in(again)) == (1, [])
