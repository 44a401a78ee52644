"""Judges of simulated histories, shown good and bad ones."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product

import pytest

from gridproof_implementation.simulator import run
from gridproof_model.events.conditions import MessageLost
from gridproof_model.events.harness import MemberFailed, Settled, Unsettled
from gridproof_model.events.migration import MigrationFinished, MigrationOrdered, MigrationReadied
from gridproof_model.events.replication import ReplicaKept
from gridproof_model.events.words import MigrationOutcome
from gridproof_model.migration import MigrationKind
from gridproof_model.trace import (
    DigestRecord,
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    Outcome,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from gridproof_properties.simulated import SIMULATED, additions
from gridproof_properties.simulated.rest import STILL
from tests.properties.recorded_history import event, operation_record

HEAD: tuple[Record, ...] = (
    RunRecord("run", "system", "1", 0, 1, 1),
    MemberRecord("run", 0, 0, MemberChange.JOINED, "a", "a"),
    MemberRecord("run", 0, 1, MemberChange.JOINED, "b", "b"),
    ViewRecord("run", 0, 0, "started", 0, True, (0, 1), (0, 1), ("a", "b")),
)
READ, APPEND, ADD = OperationKind.READ, OperationKind.APPEND, OperationKind.ADD
OFFER, POLL = OperationKind.OFFER, OperationKind.POLL
UNKNOWN = Outcome.UNKNOWN


def result_of(name: str, history: Sequence[Record]) -> Result:
    """Return what one judge says of a history."""
    properties = [prop for prop in SIMULATED if prop.name == name]
    (verdict,) = judge_run((*HEAD, *history), properties, {})
    return verdict.result


@pytest.mark.parametrize(("left_slot", "result"), [(None, Result.BROKEN), (2, Result.HOLDS)])
def test_a_new_replica_drops_what_it_held_before(left_slot: int | None, result: Result) -> None:
    order = MigrationOrdered(0, 1, 0, MigrationKind.COPY, 0, 1, 1, left_slot, None, None, 1)
    readied, finished = MigrationReadied(0, 1, 0), MigrationFinished(0, 1, 0, MigrationOutcome.SUCCESS)

    def judged(*dropped: Record) -> Result:
        history = (*HEAD, event(8, 0, order), *dropped, event(9, 1, readied), event(9, 1, finished))
        return judge_run(history, [get_property("migrations-end-once")], {})[0].result

    assert judged(event(8, 2, ReplicaKept(0, 1))) is result
    assert judged(event(9, 1, ReplicaKept(0, -1))) is Result.HOLDS


def test_a_log_that_never_says_what_is_kept_accuses_nobody_of_keeping_it() -> None:
    order = MigrationOrdered(0, 1, 0, MigrationKind.COPY, 0, 1, 1, None, None, None, 1)
    readied, finished = MigrationReadied(0, 1, 0), MigrationFinished(0, 1, 0, MigrationOutcome.SUCCESS)

    history = (*HEAD, event(8, 0, order), event(9, 1, readied), event(9, 1, finished))

    assert judge_run(history, [get_property("migrations-end-once")], {})[0].result is Result.HOLDS


class TestRest:
    def test_a_grid_that_settles_comes_to_rest(self) -> None:
        assert result_of("comes-to-rest", [EventRecord("run", 9, None, Settled("rest 1"))]) is Result.HOLDS

    def test_one_that_does_not_is_broken(self) -> None:
        history = [EventRecord("run", 9, None, Unsettled("rest 1", "a slot to be filled"))]

        assert result_of("comes-to-rest", history) is Result.BROKEN


def test_a_member_that_fails_is_counted_of_nothing() -> None:
    """What the run handled before its end nobody says: "1 of 1 inputs" was said after eight operations."""
    error = "KeyError(2) was raised in attempts._end while member 4 handled Response"
    records = [*HEAD, EventRecord("run", 9, None, MemberFailed(error))]
    verdict = next(one for one in judge_run(records, SIMULATED, {}) if one.property == "no-member-fails")

    rule = "a member has to handle every message, call and timer without an error of its own"
    assert verdict.sentence == f"at 9 ms a failure of a member ended the run: {error}; {rule}"


class TestAppends:
    def test_a_list_with_every_acknowledged_value_is_good(self) -> None:
        history = [operation_record(0, APPEND, "v0"), operation_record(1, READ, "v0", member=1)]

        assert result_of("acknowledged-append-kept", history) is Result.HOLDS

    def test_a_list_without_one_is_bad(self) -> None:
        history = [operation_record(0, APPEND, "v0"), operation_record(1, READ, None)]

        assert result_of("acknowledged-append-kept", history) is Result.BROKEN

    def test_one_whose_outcome_is_unknown_may_be_missing(self) -> None:
        history = [operation_record(0, APPEND, "v0", UNKNOWN), operation_record(1, READ, None)]

        assert result_of("acknowledged-append-kept", history) is Result.UNKNOWN

    def test_a_read_that_began_before_the_append_had_ended_says_nothing(self) -> None:
        history = [
            operation_record(0, APPEND, "v0", span_ms=(0, 20)),
            operation_record(1, READ, None, span_ms=(10, 25)),
        ]

        assert result_of("acknowledged-append-kept", history) is Result.UNKNOWN

    def test_what_was_before_more_crashes_than_backups_is_out_of_scope(self) -> None:
        crashes = [MemberRecord("run", 8, member, MemberChange.CRASHED, "x", "x") for member in (0, 1)]
        rest = ViewRecord("run", 1, 9, "rest", 2, True, (2,), (2,), ("", "", "c"))
        history: list[Record] = [operation_record(0, APPEND, "v0"), *crashes, rest, operation_record(1, READ, None)]

        assert result_of("acknowledged-append-kept", history) is Result.UNKNOWN

    def test_what_is_answered_after_more_crashes_than_backups_is_out_of_scope(self) -> None:
        crashes = [MemberRecord("run", 3, member, MemberChange.CRASHED, "x", "x") for member in (0, 1)]
        rest = ViewRecord("run", 1, 9, "rest", 2, True, (2,), (2,), ("", "", "c"))
        answered = operation_record(0, APPEND, "v0", span_ms=(2, 5))

        assert result_of("acknowledged-append-kept", [*crashes, answered, rest, operation_record(1, READ, None)]) is (
            Result.UNKNOWN
        )

    def test_what_begins_after_them_is_in_scope(self) -> None:
        crashes = [MemberRecord("run", 3, member, MemberChange.CRASHED, "x", "x") for member in (0, 1)]
        rest = ViewRecord("run", 1, 9, "rest", 2, True, (2,), (2,), ("", "", "c"))
        begun = operation_record(0, APPEND, "v0", span_ms=(4, 5))

        assert result_of("acknowledged-append-kept", [*crashes, begun, rest, operation_record(1, READ, None)]) is (
            Result.BROKEN
        )

    def test_a_value_twice_is_bad(self) -> None:
        history = [operation_record(0, APPEND, "v0"), operation_record(1, READ, "v0 v0")]

        assert result_of("append-executed-once", history) is Result.BROKEN

    def test_a_value_once_is_good(self) -> None:
        history = [operation_record(0, APPEND, "v0"), operation_record(1, READ, "v0")]

        assert result_of("append-executed-once", history) is Result.HOLDS

    def test_a_value_from_nowhere_is_bad(self) -> None:
        history = [operation_record(0, APPEND, "v0"), operation_record(1, READ, "v0 v7")]

        assert result_of("appended-by-somebody", history) is Result.BROKEN


class TestSizes:
    WRITTEN = (operation_record(0, OperationKind.WRITE, "a", key="map-1"),)

    @pytest.mark.parametrize(("answered", "result"), [("1", Result.HOLDS), ("0", Result.BROKEN), ("2", Result.BROKEN)])
    def test_at_rest_there_is_what_was_written(self, answered: str, result: Result) -> None:
        history = [*self.WRITTEN, operation_record(1, OperationKind.SIZE, answered, key="map")]

        assert result_of("size-within-bounds", history) is result

    @pytest.mark.parametrize("answered", ["1", "2"])
    def test_what_has_no_outcome_may_count_or_not(self, answered: str) -> None:
        unknown = operation_record(1, OperationKind.WRITE, "b", UNKNOWN, key="map-2")
        history = [*self.WRITTEN, unknown, operation_record(2, OperationKind.SIZE, answered, key="map")]

        assert result_of("size-within-bounds", history) is Result.HOLDS

    def test_an_entry_of_another_map_does_not_count(self) -> None:
        history = [*self.WRITTEN, operation_record(1, OperationKind.SIZE, "1", key="map.2")]

        assert result_of("size-within-bounds", history) is Result.BROKEN

    def test_what_was_removed_is_not_there(self) -> None:
        removed = operation_record(1, OperationKind.REMOVE, None, key="map-1")
        history = [*self.WRITTEN, removed, operation_record(2, OperationKind.SIZE, "1", key="map")]

        assert result_of("size-within-bounds", history) is Result.BROKEN

    @pytest.mark.parametrize(("answered", "result"), [("true", Result.HOLDS), ("false", Result.BROKEN)])
    def test_whether_an_entry_is_there_is_the_size_of_one_key(self, answered: str, result: Result) -> None:
        history = [*self.WRITTEN, operation_record(1, OperationKind.CONTAINS, answered, key="map-1")]

        assert result_of("size-within-bounds", history) is result

    @pytest.mark.parametrize("answers", list(product(("true", "false"), repeat=3)))
    def test_a_set_answers_whether_the_item_was_there(self, answers: tuple[str, str, str]) -> None:
        kinds = (OperationKind.INSERT, OperationKind.DISCARD, OperationKind.DISCARD)
        history = [
            replace(operation_record(number, kind, "v1"), answer=answer)
            for number, (kind, answer) in enumerate(zip(kinds, answers, strict=True))
        ]

        result = Result.HOLDS if answers == ("true", "true", "false") else Result.BROKEN
        assert result_of("size-within-bounds", history) is result

    def test_of_two_insertions_at_once_nobody_knows_which_came_first(self) -> None:
        both = [operation_record(n, OperationKind.INSERT, "v1", client=n, span_ms=(0, 5)) for n in (0, 1)]

        for answers in product(("true", "false"), repeat=2):
            history = [replace(one, answer=answer) for one, answer in zip(both, answers, strict=True)]
            assert result_of("size-within-bounds", history) is Result.HOLDS

    def test_where_something_happened_an_insertion_may_have_been_executed_twice(self) -> None:
        again = replace(operation_record(0, OperationKind.INSERT, "v1"), answer="false")
        lost = event(0, None, MessageLost("Response", 0, 0, 1))

        assert result_of("size-within-bounds", [again]) is Result.BROKEN
        assert result_of("size-within-bounds", [lost, again]) is Result.UNKNOWN


class TestCounters:
    def test_a_counter_of_what_was_acknowledged_is_good(self) -> None:
        history = [operation_record(0, ADD, "1"), operation_record(1, READ, "1")]

        assert result_of("acknowledged-addition-kept", history) is Result.HOLDS
        assert result_of("addition-executed-once", history) is Result.HOLDS

    def test_a_smaller_one_is_bad(self) -> None:
        history = [operation_record(0, ADD, "1"), operation_record(1, ADD, "2"), operation_record(2, READ, "1")]

        assert result_of("acknowledged-addition-kept", history) is Result.BROKEN

    def test_a_larger_one_is_bad(self) -> None:
        history = [operation_record(0, ADD, "1"), operation_record(1, READ, "2")]

        assert result_of("addition-executed-once", history) is Result.BROKEN

    @pytest.mark.parametrize("last", ["1", "2"])
    def test_of_very_many_reads_and_additions_the_last_reads_are_compared(
        self, monkeypatch: pytest.MonkeyPatch, last: str
    ) -> None:
        monkeypatch.setattr(additions, "PAIRS_MAX", 4)
        values = ("1", "2", "2", "2", last)
        history = [operation_record(0, ADD, "1"), operation_record(1, ADD, "2")]
        history += [operation_record(2 + number, READ, value) for number, value in enumerate(values)]
        (verdict,) = judge_run((*HEAD, *history), [get_property("acknowledged-addition-kept")], {})

        assert verdict.compared == 2
        assert verdict.result is (Result.HOLDS if last == "2" else Result.BROKEN)

    def test_an_unknown_addition_may_count_or_not(self) -> None:
        for value in ("1", "2"):
            history = [
                operation_record(0, ADD, "1"),
                operation_record(1, ADD, None, UNKNOWN),
                operation_record(2, READ, value),
            ]

            assert result_of("acknowledged-addition-kept", history) is Result.HOLDS
            assert result_of("addition-executed-once", history) is Result.HOLDS


class TestQueues:
    def test_what_was_offered_comes_out(self) -> None:
        history = [
            operation_record(0, OFFER, "v0"),
            operation_record(1, POLL, "v0"),
            operation_record(2, POLL, None),
        ]

        assert result_of("acknowledged-offer-kept", history) is Result.HOLDS
        assert result_of("offer-polled-once", history) is Result.HOLDS
        assert result_of("polled-was-offered", history) is Result.HOLDS

    def test_an_offer_that_never_comes_out_is_lost(self) -> None:
        history = [operation_record(0, OFFER, "v0"), operation_record(1, POLL, None)]

        assert result_of("acknowledged-offer-kept", history) is Result.BROKEN

    def test_a_poll_without_an_answer_may_have_taken_it(self) -> None:
        history = [
            operation_record(0, OFFER, "v0"),
            operation_record(1, POLL, None, UNKNOWN),
            operation_record(2, POLL, None),
        ]

        assert result_of("acknowledged-offer-kept", history) is Result.HOLDS

    def test_a_value_that_comes_out_twice_is_bad(self) -> None:
        history = [operation_record(0, OFFER, "v0"), *(operation_record(n, POLL, "v0") for n in (1, 2))]

        assert result_of("offer-polled-once", history) is Result.BROKEN

    def test_a_value_comes_out_again_where_its_poll_was_lost_with_every_copy(self) -> None:
        history: list[Record] = [
            operation_record(0, OFFER, "v0"),
            operation_record(1, POLL, "v0"),
            *(MemberRecord("run", 20, n, MemberChange.CRASHED, "a", "a") for n in (0, 1)),
            operation_record(3, POLL, "v0"),
            operation_record(4, POLL, None),
        ]

        assert result_of("offer-polled-once", history) is not Result.BROKEN

    def test_a_value_that_came_out_twice_before_every_copy_was_lost_is_bad(self) -> None:
        history: list[Record] = [
            operation_record(0, OFFER, "v0"),
            operation_record(1, POLL, "v0"),
            operation_record(2, POLL, "v0"),
            *(MemberRecord("run", 30, n, MemberChange.CRASHED, "a", "a") for n in (0, 1)),
            operation_record(4, POLL, "v0"),
        ]

        assert result_of("offer-polled-once", history) is Result.BROKEN

    def test_an_offer_that_a_look_at_rest_does_not_find_is_lost_though_it_comes_back(self) -> None:
        history = [operation_record(0, OFFER, "v0"), operation_record(1, READ, None), operation_record(2, POLL, "v0")]

        assert result_of("acknowledged-offer-kept", history) is Result.BROKEN

    def test_what_a_look_finds_first_was_offered_first(self) -> None:
        history = [
            *(operation_record(n, OFFER, f"v{n}") for n in (0, 1)),
            operation_record(2, READ, "v1"),
            *(operation_record(3 + n, POLL, f"v{n}") for n in (0, 1)),
        ]

        assert result_of("queue-order-kept", history) is Result.BROKEN

    def test_a_value_that_nobody_offered_is_bad(self) -> None:
        history = [operation_record(0, OFFER, "v0"), operation_record(1, POLL, "v7")]

        assert result_of("polled-was-offered", history) is Result.BROKEN

    def test_a_queue_that_was_not_emptied_shows_nothing(self) -> None:
        assert result_of("acknowledged-offer-kept", [operation_record(0, OFFER, "v0")]) is Result.UNKNOWN


class TestStillness:
    DIGEST = DigestRecord("run", 9, STILL, True, 0, 0, "primary", None, 1, "aa")

    def at(self, stage: str, *digests: DigestRecord) -> list[Record]:
        """Return a table and the digests of one stage."""
        row = RowRecord("run", 1, 0, (0, 1), 1)
        view = ViewRecord("run", 1, 9, stage, 0, True, (0, 1), (0, 1), ("a", "b"))
        records: list[Record] = [view, row]
        return records + [replace(digest, stage=stage) for digest in digests]

    def test_equal_copies_are_good(self) -> None:
        history = self.at(STILL, self.DIGEST, replace(self.DIGEST, member=1))

        assert result_of("copies-equal-without-anti-entropy", history) is Result.HOLDS

    def test_copies_that_differ_are_bad(self) -> None:
        history = self.at(STILL, self.DIGEST, replace(self.DIGEST, member=1, digest="bb"))

        assert result_of("copies-equal-without-anti-entropy", history) is Result.BROKEN

    def test_other_stages_are_not_its_business(self) -> None:
        history = self.at("at rest", self.DIGEST, replace(self.DIGEST, member=1, digest="bb"))

        assert result_of("copies-equal-without-anti-entropy", history) is Result.UNKNOWN

    def test_the_simulator_calls_the_stage_by_this_name(self) -> None:
        assert run.STILL == STILL
