"""Judges of sessions, shown good and bad histories."""

from collections.abc import Sequence

import pytest

from gridproof_model.events.conditions import RemovedAlive
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    Outcome,
    Record,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import operation_record
from tests.properties.test_simulated_judges import result_of

WRITE, READ, REMOVE = OperationKind.WRITE, OperationKind.READ, OperationKind.REMOVE
UNKNOWN, REFUSED = Outcome.UNKNOWN, Outcome.REFUSED
HOLDS, BROKEN = Result.HOLDS, Result.BROKEN
EVERY = ("monotonic-reads", "read-your-writes", "read-was-written", "no-dirty-read")
CRASH = MemberRecord("run", 15, 1, MemberChange.CRASHED, "b", "b")


@pytest.mark.parametrize("name", EVERY)
class TestEverySession:
    def test_a_client_that_reads_what_it_wrote_is_well(self, name: str) -> None:
        history = [
            operation_record(0),
            operation_record(1, READ, "v0"),
            operation_record(2, WRITE, "v2"),
            operation_record(3, READ, "v2"),
            operation_record(4, READ, "v2"),
        ]

        assert result_of(name, history) is (Result.UNKNOWN if name == "no-dirty-read" else HOLDS)

    def test_without_reads_nothing_is_known(self, name: str) -> None:
        assert result_of(name, [operation_record(0)]) is Result.UNKNOWN

    def test_a_read_without_an_answer_says_nothing(self, name: str) -> None:
        assert result_of(name, [operation_record(0), operation_record(1, READ, None, UNKNOWN)]) is Result.UNKNOWN


class TestMonotonicReads:
    def test_a_client_that_sees_a_replaced_value_again_went_back(self) -> None:
        history = [operation_record(number, READ, value) for number, value in enumerate(("v0", "v1", "v0"))]

        assert result_of("monotonic-reads", history) is BROKEN

    @pytest.mark.parametrize(("ended_ms", "result"), [(9, BROKEN), (10, HOLDS)])
    def test_a_write_that_was_under_way_may_have_been_executed_again(self, ended_ms: int, result: Result) -> None:
        """Seed 360010801 (`--vary`): the answer of a call of several partitions is lost, and they are asked again."""
        reads = [operation_record(number, READ, value) for number, value in enumerate(("v0", "v1", "v0", "v0"))]
        write = operation_record(9, WRITE, "v0", span_ms=(0, ended_ms))

        assert result_of("monotonic-reads", [reads[0], reads[1], write, *reads[2:]]) is result

    def test_clients_do_not_know_what_others_saw(self) -> None:
        reads = (("v0", 0), ("v1", 1), ("v0", 0))
        history = [operation_record(number, READ, value, client=who) for number, (value, who) in enumerate(reads)]

        assert result_of("monotonic-reads", history) is HOLDS

    def test_an_entry_may_be_absent_in_between(self) -> None:
        history = [operation_record(number, READ, value) for number, value in enumerate(("v0", None, "v1", None))]

        assert result_of("monotonic-reads", history) is HOLDS

    def test_a_counter_that_falls_back_went_back(self) -> None:
        history = [operation_record(number, READ, value, key="counter-0") for number, value in enumerate("121")]

        assert result_of("monotonic-reads", history) is BROKEN


class TestReadYourWrites:
    @pytest.mark.parametrize(("is_removed", "result"), [(True, Result.UNKNOWN), (False, BROKEN)])
    def test_a_merge_brings_back_what_one_half_removed(self, *, is_removed: bool, result: Result) -> None:
        """Seed 9007004: the other half had an older value still, and an absent entry takes it."""
        removed = [operation_record(3, REMOVE, None, client=1)] if is_removed else []
        history: list[Record] = [
            operation_record(0, client=1),
            EventRecord("run", 6, None, RemovedAlive(1, 0)),
            operation_record(2, WRITE, "v1"),
            *removed,
            ViewRecord("run", 1, 40, "rest 1", 0, True, (0, 1), (0, 1), ("a", "b")),
            operation_record(5, READ, "v0"),
        ]

        assert result_of("read-your-writes", history) is result

    @pytest.mark.parametrize("found", ["v0", None])
    def test_something_older_is_bad(self, found: str | None) -> None:
        history = [operation_record(0, client=1), operation_record(1, WRITE, "v1"), operation_record(2, READ, found)]

        assert result_of("read-your-writes", history) is BROKEN

    def test_what_another_wrote_later_is_good(self) -> None:
        history = [operation_record(0), operation_record(1, WRITE, "v1", client=1), operation_record(2, READ, "v1")]

        assert result_of("read-your-writes", history) is HOLDS

    def test_what_another_wrote_at_the_same_time_is_good(self) -> None:
        history = [
            operation_record(0, WRITE, "v0", client=1, span_ms=(0, 9)),
            operation_record(1, WRITE, "v1", span_ms=(1, 10)),
            operation_record(2, READ, "v0", span_ms=(11, 12)),
        ]

        assert result_of("read-your-writes", history) is HOLDS

    def test_an_older_write_without_an_outcome_may_come_late(self) -> None:
        history = [
            operation_record(0, WRITE, "v0", UNKNOWN),
            operation_record(1, WRITE, "v1"),
            operation_record(2, READ, "v0"),
        ]

        assert result_of("read-your-writes", history) is HOLDS

    def test_a_removal_that_ends_after_the_read_explains_it(self) -> None:
        history = [
            operation_record(0, span_ms=(0, 5)),
            operation_record(2, READ, None, span_ms=(11, 12)),
            operation_record(1, REMOVE, None, client=1, span_ms=(6, 20)),
        ]

        assert result_of("read-your-writes", history) is HOLDS

    def test_a_removal_before_the_write_explains_nothing(self) -> None:
        history = [
            operation_record(0, REMOVE, None, client=1),
            operation_record(1),
            operation_record(2, READ, None),
        ]

        assert result_of("read-your-writes", history) is BROKEN

    def test_what_was_before_more_crashes_than_backups_is_out_of_scope(self) -> None:
        crashes = (MemberRecord("run", 14, 0, MemberChange.CRASHED, "a", "a"), CRASH)
        history: list[Record] = [operation_record(0), *crashes, operation_record(2, READ, None)]

        assert result_of("read-your-writes", history) is Result.UNKNOWN


class TestReadWasWritten:
    def test_a_value_that_nobody_wrote_is_bad(self) -> None:
        assert result_of("read-was-written", [operation_record(0), operation_record(1, READ, "v7")]) is BROKEN

    def test_a_value_that_was_refused_is_bad(self) -> None:
        history = [operation_record(0, WRITE, "v0", REFUSED), operation_record(1, READ, "v0")]

        assert result_of("read-was-written", history) is BROKEN

    @pytest.mark.parametrize("outcome", [Outcome.OK, UNKNOWN])
    def test_a_write_that_ends_after_the_read_is_an_origin(self, outcome: Outcome) -> None:
        history = [
            operation_record(1, READ, "v0", client=1, span_ms=(5, 6)),
            operation_record(0, WRITE, "v0", outcome, span_ms=(0, 20)),
        ]

        assert result_of("read-was-written", history) is HOLDS


class TestDirtyReads:
    def dirty(self, *later: Record) -> Sequence[Record]:
        """Return a history: a value replaced by a write without an outcome, which is read; then what comes later."""
        return (
            operation_record(0, WRITE, "v0"),
            operation_record(1, WRITE, "v1", UNKNOWN),
            operation_record(2, READ, "v1", client=1, span_ms=(12, 14)),
            *later,
        )

    @pytest.mark.parametrize("found", ["v0", None])
    def test_a_value_that_was_read_and_is_gone_is_bad(self, found: str | None) -> None:
        assert result_of("no-dirty-read", self.dirty(operation_record(3, READ, found))) is BROKEN

    def test_one_that_is_there_is_good(self) -> None:
        assert result_of("no-dirty-read", self.dirty(operation_record(3, READ, "v1"))) is HOLDS

    def test_one_that_was_replaced_is_good(self) -> None:
        later = operation_record(3, WRITE, "v3"), operation_record(4, READ, "v3")

        assert result_of("no-dirty-read", self.dirty(*later)) is HOLDS

    def test_one_that_was_removed_is_good(self) -> None:
        later = operation_record(3, REMOVE, None, UNKNOWN), operation_record(4, READ, None)

        assert result_of("no-dirty-read", self.dirty(*later)) is HOLDS

    def test_a_read_while_members_come_and_go_says_nothing(self) -> None:
        history = [*self.dirty()[:3], CRASH, operation_record(3, READ, "v0")]

        assert result_of("no-dirty-read", history) is not BROKEN


class TestReadBeforeItsWrite:
    """A value that was there before anybody had asked for it came from nowhere."""

    @pytest.mark.parametrize(
        ("name", "kind", "read", "value"),
        [
            ("read-was-written", WRITE, READ, "v0"),
            ("read-was-written", OperationKind.PUT_IF_ABSENT, READ, "v0"),
            ("polled-was-offered", OperationKind.OFFER, OperationKind.POLL, "v0"),
            ("appended-by-somebody", OperationKind.APPEND, READ, "v0"),
            ("addition-executed-once", OperationKind.ADD, READ, "1"),
            ("linearizability", WRITE, READ, "v0"),
            ("linearizability", OperationKind.ADD, READ, "1"),
            ("linearizability", OperationKind.APPEND, READ, "v0"),
            ("linearizability", OperationKind.OFFER, OperationKind.POLL, "v0"),
        ],
    )
    @pytest.mark.parametrize(("read_ms", "result"), [((11, 12), HOLDS), ((1, 2), BROKEN)])
    def test_whoever_read_it_must_not_have_ended_before(
        self, name: str, kind: OperationKind, read: OperationKind, value: str, read_ms: tuple[int, int], result: Result
    ) -> None:
        written = "1" if kind is OperationKind.ADD else value
        asked = operation_record(1, kind, written, client=1, span_ms=(10, 10 if read_ms[0] > 10 else 11))
        seen = operation_record(0, read, value, span_ms=read_ms)
        at_rest = ViewRecord("run", 0, 0, "at rest", 0, True, (0,), (0,), ("a",))
        asked_and_seen = (asked, seen) if asked.end_ms <= seen.end_ms else (seen, asked)
        history: list[Record] = [at_rest, *asked_and_seen]

        (verdict,) = judge_run([RunRecord("run", "any", "1", 0, 1, 1), *history], [get_property(name)], {})
        assert verdict.result is result

    def test_of_several_reads_the_one_that_ended_first_counts(self) -> None:
        reads = [operation_record(number, READ, span_ms=(at, at + 1)) for number, at in enumerate((20, 1))]
        verdict = result_of("read-was-written", [*reads, operation_record(2, span_ms=(10, 11))])

        assert verdict is BROKEN
