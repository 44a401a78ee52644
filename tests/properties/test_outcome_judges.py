"""Calls that every target refused."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from gridproof_model.events.invocation import AttemptFailed, MultiPartitionCallEnded
from gridproof_model.events.operation import Executed
from gridproof_model.events.words import Failure
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import event, operation_record

REFUSED = Failure.SPLIT_BRAIN_PROTECTION
EXECUTED = Executed(0, "map:registers", "Put", 0, 1, (1, 0, 0, 0, 0, 0), True, (1,), 1)


def result_of(history: Sequence[Record]) -> Result:
    return judge_run(history, [get_property("refused-is-not-unknown")], {})[0].result


def failed(outcome: Outcome = Outcome.UNKNOWN, reason: str = REFUSED) -> OperationRecord:
    """A write from 10 to 20 ms."""
    return replace(operation_record(0, outcome=outcome, copies=None, span_ms=(10, 20)), reason=reason)


def executed(at_ms: int, partition: int = 0) -> EventRecord:
    return event(at_ms, 0, replace(EXECUTED, partition=partition))


@pytest.mark.parametrize(("outcome", "result"), [(Outcome.REFUSED, Result.HOLDS), (Outcome.UNKNOWN, Result.BROKEN)])
def test_what_nobody_executed_is_refused(outcome: Outcome, result: Result) -> None:
    assert result_of([executed(9), executed(15, partition=1), failed(outcome)]) is result


def test_what_somebody_may_have_executed_is_unknown() -> None:
    assert result_of([executed(10), failed()]) is Result.UNKNOWN


@pytest.mark.parametrize(
    ("why", "result"),
    [
        (Failure.MEMBER_LEFT, Result.UNKNOWN),
        (Failure.OPERATION_TIMEOUT, Result.UNKNOWN),
        (REFUSED, Result.BROKEN),
    ],
)
def test_an_attempt_without_a_word_leaves_a_doubt(why: Failure, result: Result) -> None:
    assert result_of([executed(9), event(15, 0, AttemptFailed(1, 1, 1, why)), failed()]) is result


@pytest.mark.parametrize("reason", ["operation timeout", "indeterminate operation state", "member left"])
def test_a_call_that_nobody_answered_is_in_doubt(reason: str) -> None:
    assert result_of([executed(9), failed(reason=reason)]) is Result.UNKNOWN


def test_without_recorded_steps_nothing_is_said() -> None:
    assert result_of([failed()]) is Result.UNKNOWN


def test_a_call_of_several_partitions_leaves_a_doubt_about_each() -> None:
    """Seed 360013368 (`--vary`): one entry is written by such a call, too."""
    ended = event(20, 0, MultiPartitionCallEnded(1, Failure.WRONG_TARGET))

    assert result_of([executed(9), ended, failed()]) is Result.UNKNOWN


@pytest.mark.parametrize(("outcome", "result"), [(Outcome.REFUSED, Result.HOLDS), (Outcome.UNKNOWN, Result.BROKEN)])
def test_of_a_question_that_failed_nothing_is_in_doubt(outcome: Outcome, result: Result) -> None:
    asked = replace(failed(outcome, Failure.OPERATION_TIMEOUT), kind=OperationKind.SIZE, partition=None)

    assert result_of([executed(9), executed(15), asked]) is result


def test_a_question_to_a_member_that_ended_is_in_doubt() -> None:
    asked = replace(failed(reason="the member asked has ended"), kind=OperationKind.READ)

    assert result_of([executed(9), asked]) is Result.UNKNOWN
