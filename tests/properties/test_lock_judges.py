"""Judges of locks, shown good and bad histories."""

from dataclasses import replace

import pytest

from gridproof_model.events.conditions import CopiesEnded
from gridproof_model.trace import MemberChange, MemberRecord, OperationKind, Outcome, Record, ViewRecord
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import event, operation_record
from tests.properties.test_simulated_judges import result_of

LOCK, UNLOCK = OperationKind.LOCK, OperationKind.UNLOCK


class TestLocks:
    def test_one_after_the_other_is_good(self) -> None:
        history = [
            operation_record(0, LOCK, "true", client=0, span_ms=(0, 5)),
            operation_record(1, UNLOCK, "0", client=0, span_ms=(10, 14)),
            operation_record(2, LOCK, "true", client=1, span_ms=(6, 15)),
        ]

        assert result_of("lock-excludes", history) is Result.HOLDS

    def test_both_at_once_is_bad(self) -> None:
        history = [
            operation_record(0, LOCK, "true", client=0, span_ms=(0, 5)),
            operation_record(1, LOCK, "true", client=1, span_ms=(6, 9)),
            operation_record(2, UNLOCK, "0", client=0, span_ms=(20, 24)),
        ]

        assert result_of("lock-excludes", history) is Result.BROKEN

    def test_a_lock_got_while_the_other_gives_it_back_is_good(self) -> None:
        history = [
            operation_record(0, LOCK, "true", client=0, span_ms=(0, 5)),
            operation_record(1, LOCK, "true", client=1, span_ms=(6, 22)),
            operation_record(2, UNLOCK, "0", client=0, span_ms=(20, 24)),
        ]

        assert result_of("lock-excludes", history) is Result.HOLDS

    def test_a_lock_of_a_member_that_is_gone_is_free(self) -> None:
        history: list[Record] = [
            operation_record(0, LOCK, "true", client=0, member=0, span_ms=(0, 5)),
            MemberRecord("run", 8, 0, MemberChange.CRASHED, "a", "a"),
            operation_record(1, LOCK, "true", client=1, member=1, span_ms=(6, 12)),
        ]

        assert result_of("lock-excludes", history) is Result.HOLDS

    def test_a_lock_given_back_before_its_member_crashes_is_free_though_that_is_reported_later(self) -> None:
        history: list[Record] = [
            operation_record(0, LOCK, "true", client=0, member=0, span_ms=(0, 5)),
            operation_record(1, LOCK, "true", client=1, member=1, span_ms=(6, 8)),
            MemberRecord("run", 9, 0, MemberChange.CRASHED, "a", "a"),
            operation_record(2, UNLOCK, None, Outcome.UNKNOWN, client=0, member=0, span_ms=(7, 9)),
        ]

        assert result_of("lock-excludes", history) is Result.HOLDS

    def test_a_lock_never_given_back_before_its_member_crashes_is_not_free(self) -> None:
        history: list[Record] = [
            operation_record(0, LOCK, "true", client=0, member=0, span_ms=(0, 5)),
            operation_record(1, LOCK, "true", client=1, member=1, span_ms=(6, 8)),
            MemberRecord("run", 9, 0, MemberChange.CRASHED, "a", "a"),
        ]

        assert result_of("lock-excludes", history) is Result.BROKEN


class TestHolds:
    def given_back(self, copies: int, *between: Record) -> list[Record]:
        """A lock is taken and given back, on so many copies, twice; the second time it is said to be held still."""
        return [
            operation_record(0, LOCK, "true", copies=2),
            operation_record(1, UNLOCK, "0", copies=copies),
            *between,
            operation_record(2, LOCK, "true", copies=2),
            operation_record(3, UNLOCK, "1", copies=2),
        ]

    def test_a_lock_that_is_held_after_it_was_given_back_is_bad(self) -> None:
        assert result_of("held-as-often-as-taken", self.given_back(2)) is Result.BROKEN
        assert result_of("held-as-often-as-taken", self.given_back(1)) is Result.BROKEN

    def test_one_given_back_on_one_copy_may_be_held_once_a_member_is_gone(self) -> None:
        gone = MemberRecord("run", 5, 1, MemberChange.CRASHED, "b", "b")

        assert result_of("held-as-often-as-taken", self.given_back(1, gone)) is Result.HOLDS
        assert result_of("held-as-often-as-taken", self.given_back(2, gone)) is Result.BROKEN


class TestFreeLocks:
    TAKEN = operation_record(0, LOCK, "true", client=0, span_ms=(0, 5))
    FREED = operation_record(1, UNLOCK, "0", client=0, span_ms=(10, 14))

    def test_a_free_lock_that_is_refused_is_bad(self) -> None:
        refused = operation_record(2, LOCK, "false", client=1, span_ms=(20, 25))

        assert result_of("free-lock-is-given", [self.TAKEN, self.FREED, refused]) is Result.BROKEN

    def test_a_lock_that_nobody_ever_got_is_free(self) -> None:
        assert result_of("free-lock-is-given", [operation_record(0, LOCK, "false")]) is Result.BROKEN

    @pytest.mark.parametrize("asked_ms", [13, 14])
    def test_one_refused_while_it_was_given_back_is_good(self, asked_ms: int) -> None:
        """Seed 360001348 (`--vary`): within one millisecond nobody knows which came first."""
        refused = operation_record(2, LOCK, "false", client=1, span_ms=(asked_ms, 25))
        given = operation_record(3, LOCK, "true", client=1, span_ms=(30, 35))

        assert result_of("free-lock-is-given", [self.TAKEN, self.FREED, refused, given]) is Result.HOLDS

    def test_one_that_another_client_gets_meanwhile_may_be_refused(self) -> None:
        refused = operation_record(2, LOCK, "false", client=1, span_ms=(20, 25))
        got = operation_record(3, LOCK, "true", client=2, span_ms=(21, 26))

        assert result_of("free-lock-is-given", [self.TAKEN, self.FREED, refused, got]) is Result.HOLDS

    def test_one_that_may_have_been_got_without_an_answer_may_be_refused(self) -> None:
        unknown = operation_record(2, LOCK, None, Outcome.UNKNOWN, client=2, span_ms=(15, 18))
        refused = operation_record(3, LOCK, "false", client=1, span_ms=(20, 25))

        assert result_of("free-lock-is-given", [self.TAKEN, self.FREED, unknown, refused]) is Result.HOLDS

    def test_a_free_lock_that_is_reported_to_be_held_is_bad(self) -> None:
        found = operation_record(2, OperationKind.READ, "true", client=1, span_ms=(20, 25))

        assert result_of("free-lock-is-given", [self.TAKEN, self.FREED, found]) is Result.BROKEN

    @pytest.mark.parametrize(("found", "result"), [("true", Result.BROKEN), ("false", Result.HOLDS)])
    def test_at_rest_one_that_only_a_dead_member_had_is_free(self, found: str, result: Result) -> None:
        gone = MemberRecord("run", 8, 1, MemberChange.CRASHED, "b", "b")
        rest = ViewRecord("run", 1, 15, "at rest", 0, True, (0,), (0,), ("a",))
        taken = replace(self.TAKEN, member=1)
        asked = operation_record(2, OperationKind.READ, found, client=1, span_ms=(515, 520))

        assert result_of("free-lock-is-given", [taken, gone, rest, asked]) is result

    def test_one_that_a_dead_member_had_may_wait_for_the_next_attempt_to_release_it(self) -> None:
        """Seed 94: the last attempt before the rest was refused, since the partition migrated."""
        gone = MemberRecord("run", 8, 1, MemberChange.CRASHED, "b", "b")
        rest = ViewRecord("run", 1, 15, "at rest", 0, True, (0,), (0,), ("a",))
        asked = operation_record(2, OperationKind.READ, "true", client=1, span_ms=(514, 520))

        taken = replace(self.TAKEN, member=1)
        assert result_of("free-lock-is-given", [taken, gone, rest, asked]) is not Result.BROKEN

    @pytest.mark.parametrize(("ended_ms", "result"), [(9, Result.HOLDS), (8, Result.BROKEN)])
    def test_a_release_may_be_lost_with_the_copy_that_had_it_alone(self, ended_ms: int, result: Result) -> None:
        """Seed 800017998: the primary that had released it crashed, cut off from its backup."""
        holder = MemberRecord("run", 8, 1, MemberChange.CRASHED, "b", "b")
        primary = replace(holder, at_ms=ended_ms, member=2)
        copy = event(ended_ms, None, CopiesEnded(2, (0,), ()))
        rest = ViewRecord("run", 1, 15, "at rest", 0, True, (0,), (0,), ("a",))
        asked = operation_record(2, OperationKind.READ, "true", client=1, span_ms=(515, 520))

        history: tuple[Record, ...] = (replace(self.TAKEN, member=1), holder, copy, primary, rest, asked)

        assert result_of("free-lock-is-given", history) is result

    def test_at_rest_one_that_a_living_member_had_is_held(self) -> None:
        gone = MemberRecord("run", 8, 1, MemberChange.CRASHED, "b", "b")
        rest = ViewRecord("run", 1, 15, "at rest", 0, True, (0,), (0,), ("a",))
        asked = operation_record(2, OperationKind.READ, "true", client=1, span_ms=(515, 520))

        assert result_of("free-lock-is-given", [replace(self.TAKEN, member=0), gone, rest, asked]) is not Result.BROKEN
