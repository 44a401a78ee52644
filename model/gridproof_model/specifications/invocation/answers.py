"""Responses and acknowledgements: two ways to the caller."""

from gridproof_model.language import BoolExpr, IndexExpr, Step, Update, if_else
from gridproof_model.specifications.invocation.attempts import call_ends, call_is_retried
from gridproof_model.specifications.invocation.state import (
    Answer,
    Outcome,
    Phase,
    acknowledgement,
    attempt,
    call_ids,
    ended_by,
    ends,
    expected,
    members,
    outcome,
    pending,
    phase,
    received,
    response,
    responses,
    specification,
)


@specification.definition(call_ids)
def is_registered(number: IndexExpr) -> BoolExpr:
    """Whether a call id is the one the caller waits for."""
    return (phase == Phase.WAITING) & (number == attempt)


def answer_is(number: IndexExpr, *answers: Answer) -> list[BoolExpr]:
    """Return the guards for one of these answers to come to the attempt that waits for it."""
    return [is_registered(number), response[number].kind.is_in(*answers)]


def response_is_taken(number: IndexExpr) -> Update:
    """Return the update after which a response is no longer under way."""
    return response[number].becomes(responses(kind=Answer.NONE))


@specification.action(call_ids, source="backups.17", fair=True)
def response_waits_for_acknowledgements(number: IndexExpr) -> Step:
    """A response that counts more backups than have acknowledged is kept."""
    return Step(
        when=[*answer_is(number, Answer.NORMAL), response[number].backups > received],
        then=[pending.becomes(number), expected.becomes(response[number].backups), response_is_taken(number)],
    )


@specification.action(call_ids, source="backups.17, backups.16", fair=True)
def response_ends_the_call(number: IndexExpr) -> Step:
    """When as many acknowledgements as the response counts have been counted before it, the call is complete."""
    return Step(
        when=[*answer_is(number, Answer.NORMAL), response[number].backups <= received],
        then=[
            expected.becomes(response[number].backups),
            response_is_taken(number),
            *call_ends(Outcome.ACKNOWLEDGED, by=number),
        ],
    )


@specification.action(call_ids, source="calls.14", fair=True)
def refusal_is_retried(number: IndexExpr) -> Step:
    """A wrong target and a migrating partition are reasons to try again."""
    return Step(
        when=answer_is(number, Answer.WRONG_TARGET, Answer.MIGRATING),
        then=[response_is_taken(number), *call_is_retried()],
    )


@specification.action(call_ids, source="calls.23: CallTimeoutResponse", fair=True)
def call_timeout_answer_ends_the_call(number: IndexExpr) -> Step:
    """The target's word that the request came too late is a timeout, though this attempt was surely not executed."""
    return Step(
        when=answer_is(number, Answer.CALL_TIMEOUT),
        then=[response_is_taken(number), *call_ends(Outcome.TIMED_OUT)],
    )


@specification.action(call_ids, source="calls.7", fair=True)
def late_response_changes_nothing(number: IndexExpr) -> Step:
    """A response with an unknown call id is dropped."""
    return Step(
        when=[~is_registered(number), response[number].kind != Answer.NONE],
        then=[response_is_taken(number)],
    )


def one_more_acknowledgement() -> list[Update]:
    """Return the updates of a counted acknowledgement: if a response waits for just this many, the call is complete.

    Source: backups.17.
    """
    is_enough = pending.is_some & (received + 1 == expected)
    return [
        received.becomes(received + 1),
        phase.becomes(if_else(is_enough, Phase.ENDED, phase)),
        outcome.becomes(if_else(is_enough, Outcome.ACKNOWLEDGED, outcome)),
        ends.becomes(if_else(is_enough, ends + 1, ends)),
        ended_by.becomes(if_else(is_enough, pending, ended_by)),
    ]


@specification.action(call_ids, members, source="backups.17", fair=True)
def acknowledgement_is_counted(number: IndexExpr, member: IndexExpr) -> Step:
    """A backup's acknowledgement counts for the attempt that waits."""
    return Step(
        when=[is_registered(number), acknowledgement[number][member]],
        then=[acknowledgement[number][member].becomes(False), *one_more_acknowledgement()],
    )


@specification.action(call_ids, members, source="calls.7", fair=True)
def late_acknowledgement_changes_nothing(number: IndexExpr, member: IndexExpr) -> Step:
    """An acknowledgement with an unknown call id is dropped."""
    return Step(
        when=[~is_registered(number), acknowledgement[number][member]],
        then=[acknowledgement[number][member].becomes(False)],
    )
