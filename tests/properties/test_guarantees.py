"""What takes a promise away, for which partition and when."""

from dataclasses import replace

import pytest

from gridproof_model.events.conditions import Condition, Configured, CopiesEnded, MessageLost, RemovedAlive, RowChanged
from gridproof_model.events.words import WhyRowChanged
from gridproof_model.trace import (
    EventRecord,
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
    RunRecord,
    ViewRecord,
)
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.conditions import RunConditions
from gridproof_properties.judging.guarantee import Comparisons, Finding, Limit, not_mostly_elsewhere
from gridproof_properties.judging.survival import KEPT_LIMITS, TOO_MANY_ENDED, why_lost
from gridproof_properties.judging.verdict import OutOfScope, Reason, Result

LOST = Limit(Cause.MESSAGE_LOST, "a source")
CONFIGURED = Configured(1, 0, False, True, True, 500, 5_000, False)


def recorded(at_ms: int, condition: Condition) -> EventRecord:
    return EventRecord("run", at_ms, None, condition)


def rest(at_ms: int, members: int = 3) -> ViewRecord:
    numbers = tuple(range(members))
    groups = tuple(f"group-{number}" for number in numbers)
    return ViewRecord("run", at_ms, at_ms, f"rest {at_ms}", 0, True, numbers, numbers, groups)


def member(at_ms: int, number: int, change: MemberChange) -> MemberRecord:
    return MemberRecord("run", at_ms, number, change, f"uuid-{number}", f"group-{number}")


def ended(
    at_ms: int, number: int, *backups: int, primaries: tuple[int, ...] = (), merged: bool = False
) -> list[Record]:
    change = MemberChange.MERGED if merged else MemberChange.CRASHED
    return [recorded(at_ms, CopiesEnded(number, primaries, backups)), member(at_ms, number, change)]


def write(start_ms: int, end_ms: int, copies: int | None = 2, partition: int = 0, member: int = 0) -> OperationRecord:
    return OperationRecord(
        "run", 1, 0, OperationKind.WRITE, "key", partition, "v", Outcome.OK, copies, member, start_ms, end_ms, "busy"
    )


def row_of(at_ms: int, by: int, holders: tuple[int, ...]) -> EventRecord:
    """Who holds partition 0, as a member has it."""
    return recorded(at_ms, RowChanged(0, 2, holders, by, WhyRowChanged.REPAIRED))


def after(*records: Record) -> RunConditions:
    """Return what is known after a head, three members, a rest at 10 ms and these records."""
    conditions = RunConditions()
    head = RunRecord("run", "system", "1", 0, 4, 1)
    joined = [member(0, number, MemberChange.JOINED) for number in range(3)]
    for record in (head, recorded(0, CONFIGURED), *joined, rest(10), *records):
        conditions.observe(record)
    return conditions


def comparisons_after(*records: Record, limits: tuple[Limit, ...] = (LOST,)) -> Comparisons:
    return Comparisons(limits, after(*records))


class TestScope:
    LOSS = recorded(20, MessageLost("Backup", 2, 0, 1))

    def test_a_cause_takes_the_promise_of_its_partition_away(self) -> None:
        assert not comparisons_after(self.LOSS).is_in_scope(2, 15, 25)

    def test_another_partition_keeps_its_promise(self) -> None:
        assert comparisons_after(self.LOSS).is_in_scope(1, 15, 25)

    def test_what_was_over_before_keeps_its_promise(self) -> None:
        assert comparisons_after(self.LOSS).is_in_scope(2, 12, 19)

    def test_the_next_rest_gives_the_promise_back(self) -> None:
        comparisons = comparisons_after(self.LOSS, rest(30))

        assert not comparisons.is_in_scope(2, 25, 40)
        assert comparisons.is_in_scope(2, 31, 40)

    def test_a_limit_for_good_outlasts_the_rest(self) -> None:
        limits = (Limit(Cause.MESSAGE_LOST, "a source", for_good=True),)

        assert not comparisons_after(self.LOSS, rest(30), limits=limits).is_in_scope(2, 31, 40)

    def test_a_limit_unless_strict_takes_nothing_from_strict_calls(self) -> None:
        limits = (Limit(Cause.MESSAGE_LOST, "a source", unless_strict=True),)
        strict = recorded(11, Configured(1, 0, True, True, True, 500, 5_000, False))

        assert not comparisons_after(self.LOSS, limits=limits).is_in_scope(2, 15, 25)
        assert comparisons_after(strict, self.LOSS, limits=limits).is_in_scope(2, 15, 25)

    def test_a_limit_with_a_condition_needs_both(self) -> None:
        limits = (Limit(Cause.MESSAGE_LOST, "a source", only_with=Cause.FROZEN),)

        assert comparisons_after(self.LOSS, limits=limits).is_in_scope(2, 15, 25)


@pytest.mark.parametrize(("failed", "result"), [(5, Result.HOLDS), (6, Result.UNKNOWN)])
def test_what_holds_of_few_and_fails_of_many_elsewhere_is_unknown(failed: int, result: Result) -> None:
    few = Finding(Result.HOLDS, "none of 5 looks went wrong", compared=5)
    elsewhere = replace(few, out_of_scope=(OutOfScope("a cut", "page 9", 10, failed),))

    assert not_mostly_elsewhere(elsewhere).result is result
    assert not_mostly_elsewhere(replace(elsewhere, result=Result.BROKEN)).result is Result.BROKEN


class TestFindings:
    def test_a_failure_in_scope_breaks(self) -> None:
        comparisons = comparisons_after()
        comparisons.add(2, 15, 25, ("it went wrong",))

        finding = comparisons.conclude("{failed} of {compared:look} went wrong", "nothing was looked at")
        assert (finding.result, finding.compared, finding.witness) == (Result.BROKEN, 1, ("it went wrong",))
        assert finding.sentence == "it went wrong (1 of 1 look went wrong)"

    def test_what_holds_says_over_how_much(self) -> None:
        comparisons = comparisons_after()
        for _ in range(2):
            comparisons.add(2, 15, 25)

        finding = comparisons.conclude("{failed} of {compared:look} went wrong", "nothing was looked at")
        assert (finding.result, finding.sentence) == (Result.HOLDS, "none of 2 looks went wrong")

    def test_a_failure_out_of_scope_is_counted_with_its_cause(self) -> None:
        comparisons = comparisons_after(TestScope.LOSS)
        comparisons.add(2, 15, 25, ("it went wrong",))

        finding = comparisons.conclude("{failed} of {compared:look} went wrong", "nothing was looked at")
        (out,) = finding.out_of_scope
        assert (finding.result, finding.reason) == (Result.UNKNOWN, Reason.OUT_OF_SCOPE)
        assert (out.cause, out.source, out.compared, out.failed) == (
            "a message about the partition got lost",
            "a source",
            1,
            1,
        )

    def test_nothing_compared_is_never_green(self) -> None:
        finding = comparisons_after().conclude("{failed} of {compared:look} went wrong", "nothing was looked at")

        assert (finding.result, finding.reason) == (Result.UNKNOWN, Reason.NEVER_MET)


class TestSurvival:
    def test_a_write_on_two_copies_survives_one_of_them(self) -> None:
        assert why_lost(after(*ended(20, 1, 0)), write(12, 13), 30) is None

    def test_a_write_whose_copies_all_ended_is_owed_by_nobody(self) -> None:
        assert why_lost(after(*ended(20, 1, 0), *ended(21, 0, primaries=(0,))), write(12, 13), 30) == TOO_MANY_ENDED

    def test_copies_that_ended_are_made_again_by_the_next_rest(self) -> None:
        conditions = after(*ended(20, 1, 0), rest(25), *ended(28, 0, primaries=(0,)))

        assert why_lost(conditions, write(12, 13), 30) is None

    def test_members_that_held_another_partition_take_nothing(self) -> None:
        assert why_lost(after(*ended(20, 1, 3), *ended(21, 2, 3)), write(12, 13), 30) is None

    def test_in_a_calm_grid_an_answer_cannot_claim_fewer_copies_than_are_owed(self) -> None:
        assert why_lost(after(*ended(20, 1, 0)), write(12, 13, 1), 30) is None

    def test_backups_that_nobody_waits_for_have_arrived_after_a_second(self) -> None:
        assert why_lost(after(*ended(2_000, 1, 0)), write(12, 13, None), 3_000) is None
        assert why_lost(after(*ended(20, 1, 0)), write(12, 13, None), 30) == TOO_MANY_ENDED

    def test_where_something_happened_an_answer_is_worth_the_copies_it_names(self) -> None:
        lost, crash = recorded(11, MessageLost("Backup", 0, 0, 1)), ended(20, 0, primaries=(0,))
        one, both = write(12, 13, 1), write(12, 13, 2)

        assert why_lost(after(lost, one, *crash), one, 30) == TOO_MANY_ENDED
        assert why_lost(after(lost, both, *crash), both, 30) is None

    def test_what_the_larger_half_was_answered_survives_the_merge(self) -> None:
        rows = recorded(11, RowChanged(0, 2, (0, 1), 0, WhyRowChanged.PLANNED))
        of_the_other = recorded(15, RowChanged(0, 3, (2,), 2, WhyRowChanged.REPAIRED))
        split = recorded(14, RemovedAlive(0, 2))
        merged = ended(25, 2, primaries=(0,), merged=True)

        conditions = after(rows, split, of_the_other, *merged, rest(30))

        assert why_lost(conditions, write(16, 17, 1), 30) is None
        assert why_lost(conditions, write(16, 17, 1, member=2), 30) is not None

    def test_a_copy_ends_with_a_leaver_that_gave_it_to_a_half_that_merges(self) -> None:
        """Seed 9001096: both copies of a partition were on one half; one member left it, and then it merged."""
        rows = recorded(11, RowChanged(0, 2, (1, 2), 0, WhyRowChanged.PLANNED))
        apart = [recorded(14, RemovedAlive(gone, 0)) for gone in (1, 2)]
        left: list[Record] = [recorded(20, CopiesEnded(1, (), (), 9)), member(20, 1, MemberChange.LEFT)]
        merged = ended(25, 2, primaries=(0,), merged=True)

        assert why_lost(after(rows, *apart, *left, *merged, rest(30, 1)), write(12, 13), 40) == TOO_MANY_ENDED

    @pytest.mark.parametrize("drops", [True, False])
    def test_a_copy_ends_that_its_member_drops_by_the_table_of_who_has_removed_it(self, *, drops: bool) -> None:
        """Seed 771000815 (`--workload jobs`): who was taken for its former incarnation still followed its master."""
        lost, rows = recorded(11, MessageLost("Backup", 0, 0, 1)), [row_of(11, 0, (1,))]
        removed = [recorded(14, RemovedAlive(1, 0)), row_of(14, 0, ()), row_of(14, 0, (2,))]
        alone = [row_of(20, 1, ()), row_of(20, 1, (1,))] if drops else []
        kept = write(12, 13, 1)

        conditions = after(lost, *rows, kept, *removed, *alone)

        assert why_lost(conditions, kept, 30) == (TOO_MANY_ENDED if drops else None)

    @pytest.mark.parametrize("is_dead", [True, False])
    def test_a_copy_ends_that_a_leaver_drops_for_one_that_has_ended(self, *, is_dead: bool) -> None:
        """Seed 800019013: the master planned without the leaver, and did not know yet that the primary had crashed."""
        crash = ended(20, 0, primaries=(0,))
        dropped = row_of(22, 3, (0,) if is_dead else (2,))

        conditions = after(row_of(11, 3, (0, 1)), *crash, dropped)

        assert why_lost(conditions, write(12, 13), 30) == (TOO_MANY_ENDED if is_dead else None)

    def test_a_leaver_of_the_half_that_stays_has_handed_its_copy_over(self) -> None:
        rows = recorded(11, RowChanged(0, 2, (1, 2), 0, WhyRowChanged.PLANNED))
        left: list[Record] = [recorded(20, CopiesEnded(1, (), (), 9)), member(20, 1, MemberChange.LEFT)]
        merged = ended(25, 2, primaries=(0,), merged=True)

        conditions = after(rows, recorded(14, RemovedAlive(2, 0)), *left, *merged, rest(30, 1))

        assert why_lost(conditions, write(12, 13), 40) is None

    def test_a_row_reported_before_its_reporter_parted_counts_though_the_cluster_was_apart_before(self) -> None:
        """Seed 5005248: a second split began before the first one's end was seen, and took both copies along."""
        first = [recorded(11, RemovedAlive(2, 0)), *ended(12, 2, merged=True), member(12, 3, MemberChange.JOINED)]
        rows = recorded(14, RowChanged(0, 2, (1, 3), 3, WhyRowChanged.COMMITTED))
        second = [recorded(18, RemovedAlive(gone, 0)) for gone in (1, 3)]
        merged = [*ended(25, 1, primaries=(0,), merged=True), *ended(25, 3, primaries=(0,), merged=True)]

        conditions = after(*first, rows, *second, *merged, rest(30, 1))

        assert why_lost(conditions, write(15, 16), 40) == TOO_MANY_ENDED

    def test_an_older_operation_may_run_again_where_a_message_came_twice(self) -> None:
        assert any(limit.causes & Cause.MESSAGE_REPEATED for limit in KEPT_LIMITS)
