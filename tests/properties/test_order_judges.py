"""Judges of order and of single execution, shown histories."""

import pytest

from gridproof_model.trace import (
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    ViewRecord,
)
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import operation_record
from tests.properties.test_simulated_judges import result_of

APPEND, READ, OFFER, POLL = OperationKind.APPEND, OperationKind.READ, OperationKind.OFFER, OperationKind.POLL
UNKNOWN = Outcome.UNKNOWN
HOLDS, BROKEN = Result.HOLDS, Result.BROKEN
STRICT, LIST, QUEUE = "exactly-once-when-strict", "append-order-kept", "queue-order-kept"


class TestExactlyOnce:
    def test_every_acknowledged_value_once_is_good(self) -> None:
        history = [operation_record(0, APPEND, "v0"), operation_record(1, READ, "v0")]

        assert result_of(STRICT, history) is HOLDS

    @pytest.mark.parametrize("found", [None, "v0 v0"])
    def test_an_acknowledged_value_never_or_twice_is_bad(self, found: str | None) -> None:
        history = [operation_record(0, APPEND, "v0"), operation_record(1, READ, found)]

        assert result_of(STRICT, history) is BROKEN

    @pytest.mark.parametrize("found", [None, "v0"])
    def test_one_without_an_outcome_is_there_or_not(self, found: str | None) -> None:
        history = [operation_record(0, APPEND, "v0", UNKNOWN), operation_record(1, READ, found)]

        assert result_of(STRICT, history) is HOLDS

    def test_one_without_an_outcome_is_not_there_twice(self) -> None:
        history = [operation_record(0, APPEND, "v0", UNKNOWN), operation_record(1, READ, "v0 v0")]

        assert result_of(STRICT, history) is BROKEN

    def test_what_is_missing_is_out_of_scope_after_more_crashes_than_backups(self) -> None:
        crashes = [MemberRecord("run", 8, member, MemberChange.CRASHED, "x", "x") for member in (0, 1)]
        rest = ViewRecord("run", 1, 9, "rest", 2, True, (2,), (2,), ("", "", "c"))
        history: list[Record] = [operation_record(0, APPEND, "v0"), *crashes, rest, operation_record(1, READ, None)]

        assert result_of(STRICT, history) is Result.UNKNOWN


class TestOrderOfLists:
    def appends(self, found: str, second_begins_ms: int = 6) -> list[Record]:
        """Return two appends, the first from 0 to 5 ms, and a read at rest."""
        return [
            operation_record(0, APPEND, "v0", span_ms=(0, 5)),
            operation_record(1, APPEND, "v1", client=1, span_ms=(second_begins_ms, 9)),
            operation_record(2, READ, found),
        ]

    def test_values_in_the_order_of_their_appends_are_good(self) -> None:
        assert result_of(LIST, self.appends("v0 v1")) is HOLDS

    def test_a_value_behind_a_later_one_is_bad(self) -> None:
        assert result_of(LIST, self.appends("v1 v0")) is BROKEN

    def test_appends_at_the_same_time_have_no_order(self) -> None:
        assert result_of(LIST, self.appends("v1 v0", second_begins_ms=5)) is HOLDS

    def test_a_second_copy_further_back_is_the_business_of_others(self) -> None:
        assert result_of(LIST, self.appends("v0 v1 v0")) is HOLDS

    def test_a_third_value_does_not_hide_the_second(self) -> None:
        history = [*self.appends("v1 v2 v0")[:2], operation_record(2, APPEND, "v2", client=2, span_ms=(3, 8))]

        assert result_of(LIST, [*history, operation_record(3, READ, "v1 v2 v0")]) is BROKEN

    def test_a_value_without_an_outcome_may_come_late(self) -> None:
        late = operation_record(0, APPEND, "v0", UNKNOWN, span_ms=(0, 5))

        assert result_of(LIST, [late, *self.appends("v1 v0")[1:]]) is not BROKEN


class TestOrderOfQueues:
    def queue(self, *polled: str, first: Outcome = Outcome.OK) -> list[OperationRecord]:
        """Return two offers, one after the other, and polls until the queue is empty."""
        offers = operation_record(0, OFFER, "v0", first), operation_record(1, OFFER, "v1")
        polls = [operation_record(number, POLL, value) for number, value in enumerate((*polled, None), start=2)]
        return [*offers, *polls]

    def test_what_was_offered_first_comes_out_first(self) -> None:
        assert result_of(QUEUE, self.queue("v0", "v1")) is HOLDS

    def test_a_value_behind_a_later_one_is_bad(self) -> None:
        assert result_of(QUEUE, self.queue("v1", "v0")) is BROKEN

    def test_an_offer_without_an_outcome_may_come_late(self) -> None:
        assert result_of(QUEUE, self.queue("v1", "v0", first=UNKNOWN)) is not BROKEN

    def test_a_value_that_comes_out_twice_is_the_business_of_others(self) -> None:
        assert result_of(QUEUE, self.queue("v0", "v1", "v0")) is not BROKEN

    def test_polls_at_the_same_time_have_no_order(self) -> None:
        history = [
            *self.queue()[:2],
            operation_record(2, POLL, "v1", span_ms=(20, 25)),
            operation_record(3, POLL, "v0", client=1, span_ms=(25, 30)),
            operation_record(4, POLL, None),
        ]

        assert result_of(QUEUE, history) is not BROKEN

    def crash_both(self, at_ms: int) -> list[Record]:
        return [MemberRecord("run", at_ms, member, MemberChange.CRASHED, "x", "x") for member in (0, 1)]

    def test_a_poll_that_was_lost_with_every_copy_has_taken_nothing(self) -> None:
        *before, last, empty = self.queue("v1", "v0")

        assert result_of(QUEUE, [*before, *self.crash_both(27), last, empty]) is not BROKEN

    def test_what_is_missing_is_in_scope_where_members_end_after_the_last_poll(self) -> None:
        *before, empty = self.queue("v1", "v0")

        assert result_of(QUEUE, [*before, *self.crash_both(37), empty]) is BROKEN

    def taken_unseen(self, *, ended_ms: int | None) -> list[Record]:
        """Return a history in which a poll without an answer comes before one that takes the second value."""
        *offers, second, first, empty = self.queue("v1", "v0")
        unseen = operation_record(9, POLL, None, UNKNOWN, client=1, span_ms=(16, 19))
        crash = [] if ended_ms is None else [MemberRecord("run", ended_ms, 0, MemberChange.CRASHED, "x", "x")]
        return [*offers, unseen, second, *crash, first, empty]

    def test_a_value_is_back_where_the_only_copy_ended_that_knew_of_its_poll(self) -> None:
        assert result_of(QUEUE, self.taken_unseen(ended_ms=27)) is Result.UNKNOWN

    def test_a_poll_without_an_answer_brings_no_value_back(self) -> None:
        assert result_of(QUEUE, self.taken_unseen(ended_ms=None)) is BROKEN

    def test_a_poll_without_an_answer_accounts_for_one_value(self) -> None:
        crash = MemberRecord("run", 37, 0, MemberChange.CRASHED, "x", "x")
        history: list[Record] = [
            *(operation_record(number, OFFER, f"v{number}") for number in range(3)),
            operation_record(3, POLL, None, UNKNOWN, client=1, span_ms=(26, 29)),
            operation_record(4, POLL, "v2", span_ms=(30, 35)),
            crash,
            *(operation_record(number, POLL, value) for number, value in enumerate(("v0", "v1", None), start=5)),
        ]

        assert result_of(QUEUE, history) is BROKEN
