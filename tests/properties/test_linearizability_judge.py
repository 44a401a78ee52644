"""Linearizability, judged from records."""

from gridproof_model.events.conditions import RemovedAlive
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, Outcome, Record
from gridproof_properties.checkers.linearizability import LINEARIZABILITY, OPERATIONS_A_KEY_MAX
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Reason, Result, Verdict
from tests.properties.recorded_history import operation_record

Kind = OperationKind


def judged(*records: Record) -> Verdict:
    (verdict,) = judge_run(records, [LINEARIZABILITY], {})
    return verdict


def test_every_kind_of_structure_is_compared() -> None:
    verdict = judged(
        operation_record(0, Kind.WRITE, "v0", key="entry"),
        operation_record(1, Kind.READ, "v0", key="entry"),
        operation_record(2, Kind.ADD, "1", key="counter"),
        operation_record(3, Kind.APPEND, "a", key="list"),
        operation_record(4, Kind.READ, "a", key="list"),
        operation_record(5, Kind.OFFER, "x", key="queue"),
        operation_record(6, Kind.POLL, "x", key="queue"),
        operation_record(7, Kind.LOCK, "true", key="lock"),
        operation_record(8, Kind.UNLOCK, "0", key="lock"),
    )

    assert (verdict.result, verdict.compared) == (Result.HOLDS, 9)


def test_the_story_says_what_contradicts_what() -> None:
    verdict = judged(
        operation_record(0, Kind.OFFER, "x", key="queue"),
        operation_record(1, Kind.POLL, "x", key="queue"),
        operation_record(2, Kind.POLL, "x", key="queue"),
    )

    assert verdict.result is Result.BROKEN
    assert verdict.witness == (
        "on queue: a poll that gave x (from 10 to 15 ms)",
        "on queue: a poll that gave x (from 20 to 25 ms)",
        "no order explains this: an item offered once comes out only once",
    )


def test_what_was_refused_was_never_executed() -> None:
    refused = operation_record(0, Kind.ADD, None, Outcome.REFUSED)

    assert judged(refused, operation_record(1, Kind.ADD, "1")).result is Result.HOLDS
    assert judged(refused, operation_record(1, Kind.ADD, "2")).result is Result.BROKEN


def test_a_refused_operation_says_what_a_key_is_for() -> None:
    refused = operation_record(0, Kind.LOCK, None, Outcome.REFUSED)
    reads = [operation_record(number, Kind.READ, "false") for number in (1, 2)]

    assert judged(refused, *reads).result is Result.HOLDS


def test_a_key_with_too_many_operations_is_unknown() -> None:
    writes = [operation_record(number) for number in range(OPERATIONS_A_KEY_MAX + 2)]

    verdict = judged(*writes, operation_record(1, Kind.READ, None, key="another"))

    assert (verdict.result, verdict.reason, verdict.compared) == (Result.UNKNOWN, Reason.UNDECIDED, 1)
    assert "2 more operations than the 20,000 kept" in verdict.sentence


def test_locks_go_with_their_member() -> None:
    takes = [operation_record(n, Kind.LOCK, "true", member=n, client=n) for n in (0, 1)]
    crashed = MemberRecord("run", 6, 0, MemberChange.CRASHED, "m0", "")
    removed = EventRecord("run", 6, None, RemovedAlive(0, 1))

    assert judged(*takes).result is Result.BROKEN
    assert judged(takes[0], crashed, takes[1]).result is Result.HOLDS
    assert judged(takes[0], removed, takes[1]).result is Result.HOLDS


def test_a_run_without_operations_was_not_looked_at() -> None:
    verdict = judged(MemberRecord("run", 6, 0, MemberChange.CRASHED, "m0", ""))

    assert (verdict.result, verdict.reason) == (Result.UNKNOWN, Reason.NOT_LOOKED_AT)
