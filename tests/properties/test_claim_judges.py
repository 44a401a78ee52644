"""Judges of who becomes the master, of lists that spread, of leavers that are let go, and of merges."""

from collections.abc import Sequence

import pytest

from gridproof_model.events.conditions import Configured, FaultBegun, MessageLost
from gridproof_model.events.harness import RunEnded
from gridproof_model.events.invocation import CallBegun, CallEnded
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    ClaimRefused,
    LiteMemberPromoted,
    MastershipClaimed,
    MemberListIgnored,
    MemberListInstalled,
    MemberSuspected,
)
from gridproof_model.events.merging import EntriesCollected, MergeEnded, OperationMerged, SidesCompared
from gridproof_model.events.migration import MigrationEnded
from gridproof_model.events.partitioning import ShutdownEnded, ShutdownRequested
from gridproof_model.events.words import (
    Failure,
    MergeVerdict,
    MigrationOutcome,
    WhyClaimRefused,
    WhyLeaverGoes,
    WhyListIgnored,
    WhySuspected,
)
from gridproof_model.trace import (
    MemberChange,
    MemberRecord,
    OperationKind,
    OperationRecord,
    Outcome,
    Record,
)
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import event

LIST = MemberListInstalled(1, (0, 1, 2))


CONFIGURED = event(0, None, Configured(1, 0, False, True, True, 500, 5_000, True, claim_wait_ms=10_000))


def result_of(name: str, history: Sequence[Record]) -> Result:
    return judge_run((CONFIGURED, *history), [get_property(name)], {})[0].result


def joined(member: int, name: str, *, lite: bool = False) -> MemberRecord:
    return MemberRecord("run", 0, member, MemberChange.JOINED, name, "", lite)


class TestClaims:
    BEGUN = (event(1, 1, LIST), event(5, 1, MemberSuspected(0, WhySuspected.LEFT)), event(5, 1, ClaimBegun((0,))))
    CLAIMED = MastershipClaimed(2, (1,))

    def test_who_has_heard_from_everybody_is_the_master(self) -> None:
        history = [*self.BEGUN, event(6, 2, ClaimGranted(1)), event(7, 1, self.CLAIMED)]

        assert result_of("claim-waits-for-everybody", history) is Result.HOLDS

    @pytest.mark.parametrize(
        ("members", "result"), [((1, 2), Result.HOLDS), ((1,), Result.BROKEN), ((0, 1, 2), Result.BROKEN)]
    )
    def test_the_new_list_names_those_that_have_accepted(self, members: tuple[int, ...], result: Result) -> None:
        lists = event(1, 2, LIST)
        history = [lists, *self.BEGUN, event(6, 2, ClaimGranted(1)), event(7, 1, MastershipClaimed(2, members))]

        assert result_of("claim-keeps-who-accepts", history) is result

    def test_whose_time_is_over_may_not_have_heard_who_accepts(self) -> None:
        granted = event(10_004, 2, ClaimGranted(1))
        history = [event(1, 2, LIST), *self.BEGUN, granted, event(10_005, 1, self.CLAIMED)]

        assert result_of("claim-keeps-who-accepts", history) is Result.HOLDS

    def test_whom_somebody_that_accepts_does_not_list_need_not_stay(self) -> None:
        lists = event(1, 2, LIST), event(1, 3, MemberListInstalled(2, (0, 1, 3)))
        mine = event(1, 1, MemberListInstalled(1, (0, 1, 2, 3)))
        granted = event(6, 2, ClaimGranted(1)), event(6, 3, ClaimGranted(1))
        history = [*lists, mine, *self.BEGUN[1:], *granted, event(7, 1, MastershipClaimed(3, (1, 3)))]

        assert result_of("claim-keeps-who-accepts", history) is Result.HOLDS

    @pytest.mark.parametrize(("at_ms", "result"), [(7, Result.BROKEN), (10_005, Result.HOLDS)])
    def test_who_is_silent_is_waited_for_as_long_as_is_configured(self, at_ms: int, result: Result) -> None:
        assert result_of("claim-waits-for-everybody", [*self.BEGUN, event(at_ms, 1, self.CLAIMED)]) is result

    def test_an_acceptance_of_an_earlier_claim_does_not_count(self) -> None:
        history = [event(2, 2, ClaimGranted(1)), *self.BEGUN, event(7, 1, self.CLAIMED)]

        assert result_of("claim-waits-for-everybody", history) is Result.BROKEN


class TestRefusals:
    @pytest.mark.parametrize(
        ("member", "why", "result"),
        [
            (0, WhyClaimRefused.IS_MASTER, Result.HOLDS),
            (2, WhyClaimRefused.IS_MASTER, Result.BROKEN),
            (2, WhyClaimRefused.OLDER_LIVES, Result.HOLDS),
            (2, WhyClaimRefused.UNKNOWN, Result.BROKEN),
        ],
    )
    def test_a_reason_must_be_so(self, member: int, why: WhyClaimRefused, result: Result) -> None:
        history = [event(1, member, LIST), event(5, member, ClaimRefused(1, why))]

        assert result_of("claim-refused-for-cause", history) is result

    def test_nobody_older_is_trusted_where_all_are_suspected(self) -> None:
        suspected = event(4, 2, MemberSuspected(0, WhySuspected.LEFT))
        history = [event(1, 2, LIST), suspected, event(5, 2, ClaimRefused(1, WhyClaimRefused.OLDER_LIVES))]

        assert result_of("claim-refused-for-cause", history) is Result.BROKEN


class TestSpreading:
    FIRST = tuple(event(1, member, LIST) for member in range(3))
    MADE = event(10, 0, MemberListInstalled(2, (0, 1)))
    END = event(9_000, None, RunEnded(9))

    def test_a_list_that_comes_is_good(self) -> None:
        history = [*self.FIRST, self.MADE, event(11, 1, MemberListInstalled(2, (0, 1))), self.END]

        assert result_of("lists-spread-at-once", history) is Result.HOLDS

    def test_a_list_that_does_not_come_is_bad(self) -> None:
        assert result_of("lists-spread-at-once", [*self.FIRST, self.MADE, self.END]) is Result.BROKEN

    def test_whoever_will_not_have_it_says_so(self) -> None:
        history = [*self.FIRST, self.MADE, event(11, 1, MemberListIgnored(2, WhyListIgnored.NOT_FROM_MASTER)), self.END]

        assert result_of("lists-spread-at-once", history) is not Result.BROKEN

    def test_who_has_ended_gets_none(self) -> None:
        ended = MemberRecord("run", 12, 1, MemberChange.CRASHED, "m1", "g1", False)

        assert result_of("lists-spread-at-once", [*self.FIRST, self.MADE, ended, self.END]) is not Result.BROKEN

    def test_a_lost_message_takes_the_promise_away(self) -> None:
        lost = event(10, None, MessageLost("MemberUpdate", -1, 0, 1))

        assert result_of("lists-spread-at-once", [*self.FIRST, self.MADE, lost, self.END]) is not Result.BROKEN


@pytest.mark.parametrize(
    ("why", "result"), [(WhyLeaverGoes.ANSWERED, Result.HOLDS), (WhyLeaverGoes.WAITED_TOO_LONG, Result.BROKEN)]
)
def test_a_leaver_of_a_calm_grid_is_let_go(why: WhyLeaverGoes, result: Result) -> None:
    history = [event(100, 1, ShutdownRequested()), event(60_100, 1, ShutdownEnded(why))]

    assert result_of("leaver-is-let-go", history) is result


@pytest.mark.parametrize(("other_ms", "is_exempt"), [(150, True), (40, False)])
def test_a_leaver_may_wait_in_vain_right_behind_another(other_ms: int, is_exempt: bool) -> None:
    """Seed 720004132 (`--vary`): by a property the master waits before it plans anew."""
    other = [event(30, 2, ShutdownRequested()), event(other_ms, 2, ShutdownEnded(WhyLeaverGoes.ANSWERED))]
    history = [*other, event(200, 1, ShutdownRequested()), event(300, 1, ShutdownEnded(WhyLeaverGoes.WAITED_TOO_LONG))]

    assert (result_of("leaver-is-let-go", history) is not Result.BROKEN) is is_exempt


@pytest.mark.parametrize(("wait_ms", "is_exempt"), [(5_000, True), (60_000, False)])
def test_a_leaver_may_wait_in_vain_that_waits_no_longer_than_migrations_rest(wait_ms: int, is_exempt: bool) -> None:
    """Seeds 730004627 and 730009776 (`--vary`): they wait one second."""
    end = event(100 + wait_ms, 1, ShutdownEnded(WhyLeaverGoes.WAITED_TOO_LONG))
    configured = event(0, None, Configured(1, 0, False, True, True, 500, 5_000, True, leave_wait_ms=wait_ms))
    history = [configured, event(100, 1, ShutdownRequested()), end]

    assert (result_of("leaver-is-let-go", history) is not Result.BROKEN) is is_exempt


@pytest.mark.parametrize(("end_ms", "result"), [(1_900, Result.HOLDS), (3_000, Result.BROKEN)])
def test_who_is_to_become_safe_says_in_time_whether_it_is(end_ms: int, result: Result) -> None:
    head = ("run", 0, 0, OperationKind.ASK_SAFE, "safety-hurried", None, "false", Outcome.OK, None, 1)
    asked = OperationRecord(*head, 0, end_ms, "load")

    assert result_of("safety-answered-in-time", [asked]) is result


@pytest.mark.parametrize(("is_over", "result"), [(True, Result.HOLDS), (False, Result.BROKEN)])
def test_a_merge_that_begins_ends(is_over: bool, result: Result) -> None:
    history = [event(5, 3, OperationMerged(0, "map:m")), *([event(6, 3, MergeEnded())] if is_over else [])]

    assert result_of("merges-end", history) is result


@pytest.mark.parametrize(
    ("brought", "is_over", "result"),
    [(2, True, Result.HOLDS), (1, True, Result.BROKEN), (3, True, Result.BROKEN), (0, False, Result.BROKEN)],
    ids=["all", "one forgotten", "one twice", "never begun"],
)
def test_a_merge_brings_in_all_that_was_taken_along(brought: int, is_over: bool, result: Result) -> None:
    history: list[Record] = [event(4, 1, EntriesCollected(2, "host:1/b")), joined(3, "host:1/b")]
    history += [event(5, 3, OperationMerged(partition, "map:m")) for partition in range(brought)]
    history += [event(6, 3, MergeEnded())] if is_over else []

    assert result_of("merges-end", history) is result


def test_who_merges_again_takes_along_what_it_has_not_brought_in() -> None:
    taken: list[Record] = [event(4, 1, EntriesCollected(2, "host:1/b")), joined(3, "host:1/b")]
    begins = [*taken, event(5, 3, OperationMerged(0, "m"))]

    assert result_of("merges-end", [*begins, event(6, 3, EntriesCollected(0, "host:1/c"))]) is Result.BROKEN
    assert result_of("merges-end", [*begins, event(6, 3, EntriesCollected(1, "host:1/c"))]) is not Result.BROKEN


MINE, THEIRS = MergeVerdict.MERGE_MINE, MergeVerdict.MERGE_THEIRS


@pytest.mark.parametrize(
    ("mine", "theirs", "verdict"),
    [
        ((0, 1), (2, 3, 5), MINE),
        ((0, 1, 4), (2, 3), THEIRS),
        ((0, 4), (2, 3), MINE),
        ((2,), (0,), MINE),
        ((0, 1), (2, 1), MergeVerdict.OVERLAP),
    ],
    ids=["fewer", "more", "lite members do not count", "of equals the greater address", "one in both"],
)
def test_which_cluster_merges_is_what_their_lists_say(
    mine: tuple[int, ...], theirs: tuple[int, ...], verdict: MergeVerdict
) -> None:
    """Member 4 is a lite one."""
    members = [joined(member, f"host-{member}:1/a", lite=member == 4) for member in range(6)]
    lists = [event(1, side[0], MemberListInstalled(1, side)) for side in (mine, theirs)]
    for found in MergeVerdict:
        met = event(2, mine[0], SidesCompared(theirs[0], found))
        is_right = found in (verdict, MergeVerdict.NEITHER)
        assert (result_of("smaller-side-merges", [*members, *lists, met]) is not Result.BROKEN) is is_right


def test_an_answer_may_say_what_the_other_cluster_was() -> None:
    members = [joined(member, f"host-{member}:1/a") for member in range(6)]
    lists = [event(1, side[0], MemberListInstalled(1, side)) for side in ((0, 1), (2, 3, 5), (2,))]

    history: list[Record] = [*members, *lists, event(2, 0, SidesCompared(2, MergeVerdict.MERGE_MINE))]

    assert result_of("smaller-side-merges", history) is Result.HOLDS


LISTED_ANEW = MemberListInstalled(2, (0, 1))


@pytest.mark.parametrize(("other", "result"), [((2,), Result.HOLDS), ((2, 3, 4), Result.BROKEN)])
def test_the_side_that_stays_makes_its_list_newer(other: tuple[int, ...], result: Result) -> None:
    members = [joined(member, f"host-{member}:1/a") for member in range(6)]
    lists = [event(1, side[0], MemberListInstalled(1, side)) for side in ((0, 1), other)]

    history: list[Record] = [*members, *lists, event(2, 0, LISTED_ANEW)]

    assert result_of("smaller-side-merges", history) is result


@pytest.mark.parametrize(("version", "result"), [(3, Result.BROKEN), (4, Result.HOLDS)])
def test_and_newer_than_the_list_of_the_side_that_merges(version: int, result: Result) -> None:
    members = [joined(member, f"host-{member}:1/a") for member in range(6)]
    lists = [event(1, 0, MemberListInstalled(3, (0, 1))), event(1, 2, MemberListInstalled(version, (2, 3, 5)))]

    history: list[Record] = [*members, *lists, event(900, 0, SidesCompared(2, MergeVerdict.MERGE_MINE))]

    assert result_of("smaller-side-merges", history) is result


def test_who_ends_for_a_merge_ends_its_calls_first() -> None:
    begun, merged = event(1, 0, CallBegun(1, 0, "Put", False, False)), event(2, 0, EntriesCollected(0, "again"))
    ended, gone = (
        event(3, 0, CallEnded(1, Failure.MEMBER_LEFT, 0, 0)),
        MemberRecord("run", 4, 0, MemberChange.LEFT, "", ""),
    )

    assert result_of("calls-end-once", [begun, merged, ended, gone]) is Result.HOLDS
    assert result_of("calls-end-once", [begun, merged, gone]) is Result.BROKEN


def test_a_list_is_another_one_once_a_lite_member_of_it_is_promoted() -> None:
    """Another master has promoted it, too."""
    members = [joined(member, f"host-{member}:1/a") for member in range(6)]
    lists = [event(1, side[0], MemberListInstalled(1, side)) for side in ((0, 1), (2, 3, 4))]

    history: list[Record] = [*members, *lists, event(2, 0, LiteMemberPromoted(1)), event(2, 0, LISTED_ANEW)]

    assert result_of("smaller-side-merges", history) is not Result.BROKEN


def test_who_is_asked_to_leave_and_does_nothing_is_bad() -> None:
    assert result_of("leaves-end", [event(5, None, FaultBegun("leave", (), (1,), "it leaves"))]) is Result.BROKEN


@pytest.mark.parametrize(("why", "result"), [("the request timed out", None), ("migrations run", Result.BROKEN)])
def test_a_migration_fails_by_a_refusal_that_somebody_made(why: str, result: Result | None) -> None:
    ended = event(5, 0, MigrationEnded(0, 1, 2, MigrationOutcome.FAILED, why))

    assert (result_of("steps-have-origins", [ended]) is Result.BROKEN) is (result is Result.BROKEN)
