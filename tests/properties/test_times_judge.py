"""Whether the configured times are held, and the mode, on histories made by hand."""

from dataclasses import replace

import pytest

from gridproof_model.events import Event
from gridproof_model.events.anti_entropy import SummaryCompared, SummarySent
from gridproof_model.events.conditions import Configured, FaultBegun, FaultEnded, MessageLost
from gridproof_model.events.harness import ResourcesHeld, Settled
from gridproof_model.events.invocation import AttemptSent, BatchSent, CallBegun, CallEnded, ResponseKept
from gridproof_model.events.jobs import JobSubmitted
from gridproof_model.events.membership import (
    AnswerOverdue,
    ClaimBegun,
    ClaimRefused,
    ClockJumped,
    MemberListInstalled,
    MemberRemoved,
    MemberSuspected,
)
from gridproof_model.events.merging import EntriesCollected
from gridproof_model.events.operation import Executed, Parked
from gridproof_model.events.partitioning import PlanMade, PromotionOrdered, RowInstalled, TablePublished
from gridproof_model.events.replication import BackupApplied
from gridproof_model.events.words import (
    Applied,
    CallEnding,
    Failure,
    WhyClaimRefused,
    WhyPublished,
    WhyRowChanged,
    WhySuspected,
)
from gridproof_model.trace import MemberChange, MemberRecord, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import event

TIMES = {
    "no_heartbeat_ms": 5_000,
    "heartbeat_interval_ms": 1_000,
    "table_send_interval_ms": 2_000,
    "rebalance_delay_ms": 3_000,
    "sync_interval_ms": 10_000,
}
CONFIGURED = Configured(1, 0, False, True, True, 500, 5_000, True)
KEPT, WITHOUT = ResponseKept(1, 7, 1, 0), CallEnded(1, CallEnding.UNACKNOWLEDGED, 7, 1)
SENT = AttemptSent(1, 1, 7, 0, 1)
PAUSED = FaultBegun("pause", ("trust",), (1,), "member 1 pauses")
PUBLISHED = TablePublished(WhyPublished.SEND_INTERVAL, 0, ())
SILENT = MemberSuspected(2, WhySuspected.NO_HEARTBEAT)
LISTED = event(0, 1, MemberListInstalled(1, (0, 1, 2)))


def result_of(*history: Record, times: dict[str, int] = TIMES) -> Result:
    configured = event(0, None, replace(CONFIGURED, **times))  # type: ignore[arg-type]
    return judge_run((configured, LISTED, *history), [get_property("configured-times-are-held")], {})[0].result


@pytest.mark.parametrize(
    ("begins", "ends", "limit_ms"),
    [(KEPT, WITHOUT, 500), (MemberRemoved(2, was_master=False), PlanMade(1), 3_000), (PUBLISHED, PUBLISHED, 2_000)],
    ids=["backups", "rebalance", "table"],
)
def test_what_takes_its_time_comes_no_earlier(begins: Event, ends: Event, limit_ms: int) -> None:
    assert result_of(event(10, 1, begins), event(8 + limit_ms, 1, ends)) is Result.BROKEN
    assert result_of(event(10, 1, begins), event(10 + limit_ms, 1, ends)) is Result.HOLDS


def test_nor_later_than_its_tick() -> None:
    acknowledged = CallEnded(1, CallEnding.ACKNOWLEDGED, 7, 2)

    assert result_of(event(10, 1, KEPT), event(1_512, 1, acknowledged)) is Result.BROKEN
    assert result_of(event(10, 1, KEPT), event(1_510, 1, acknowledged)) is Result.HOLDS


MOVED, ROUND = MemberListInstalled(2, (0, 1)), SummarySent(0, 1, 2, ())
GONE, PROMOTED = MemberRemoved(2, was_master=False), PromotionOrdered(0, 1, 1)
AT_REST = Settled("rest")
OWNED = RowInstalled(0, 2, (1, 2), WhyRowChanged.ARRANGED)


@pytest.mark.parametrize(
    ("begins", "ends", "latest_ms"),
    [(PUBLISHED, PUBLISHED, 2_000), (ROUND, ROUND, 11_000), (GONE, PROMOTED, 3_000)],
    ids=["table", "summary", "promotion"],
)
def test_nor_does_it_come_later_where_nothing_has_moved(begins: Event, ends: Event, latest_ms: int) -> None:
    began = event(20_010, 1, begins)
    late = event(20_012 + latest_ms, 1, ends)
    assert result_of(began, late) is Result.BROKEN
    for moved in (MOVED, ClaimBegun((2,))):
        assert result_of(began, event(20_500, 1, moved), late) is not Result.BROKEN
    assert result_of(began, event(20_011 + latest_ms, 1, ends)) is not Result.BROKEN


def test_a_round_in_which_something_moved_is_dealt_out_as_before() -> None:
    assert result_of(event(15_000, 1, MOVED), event(20_010, 1, ROUND), event(32_000, 1, ROUND)) is not Result.BROKEN


@pytest.mark.parametrize(
    ("again", "latest_ms"), [(PUBLISHED, 2_000), (ROUND, 11_000), (OWNED, 21_000)], ids=["table", "summary", "none"]
)
def test_what_comes_again_and_again_has_not_ended_at_rest(again: Event, latest_ms: int) -> None:
    owned = event(5, 1, OWNED)
    assert result_of(owned, event(10, 1, again), event(12 + latest_ms, None, AT_REST)) is Result.BROKEN
    assert result_of(owned, event(10, 1, again), event(11 + latest_ms, None, AT_REST)) is Result.UNKNOWN


def test_of_who_was_paused_nothing_is_owed_until_the_grid_rests() -> None:
    rest = event(20, None, Settled("rest"))

    assert result_of(event(5, None, PAUSED), event(10, 1, KEPT), event(20, 1, WITHOUT)) is Result.UNKNOWN
    assert result_of(event(5, None, PAUSED), rest, event(30, 1, KEPT), event(40, 1, WITHOUT)) is Result.BROKEN


@pytest.mark.parametrize(("wait_ms", "result"), [(380, Result.HOLDS), (400, Result.BROKEN), (0, Result.BROKEN)])
def test_an_attempt_waits_for_what_its_call_has_left(wait_ms: int, result: Result) -> None:
    first = event(10, 1, SENT), event(11, 0, Parked(0, "Lock", 1, 7, 400))
    again = event(30, 1, AttemptSent(1, 2, 8, 2, 1)), event(31, 2, Parked(0, "Lock", 1, 8, wait_ms))

    assert result_of(*first, *again) is result


@pytest.mark.parametrize(("version", "result"), [(5, Result.BROKEN), (6, Result.UNKNOWN)])
def test_a_summary_comes_after_the_updates_that_it_counts(version: int, result: Result) -> None:
    compared = event(1, 1, SummaryCompared(0, 1, ("shared",), (("shared", 5),)))
    applied = event(2, 1, BackupApplied(0, "shared", 1, version, Applied.NEXT, False, 0, 7))

    (verdict,) = judge_run([compared, applied], [get_property("no-needless-sync")], {})

    assert verdict.result is result


def test_a_call_that_waits_at_its_target_has_a_sign() -> None:
    parked, late = event(11, 0, Parked(0, "Lock", 1, 7)), event(90_000, 1, CallEnded(1, Failure.WRONG_TARGET, 0, 0))

    assert result_of(event(10, 1, SENT), late) is Result.BROKEN
    assert result_of(event(10, 1, SENT), parked, late) is Result.UNKNOWN


@pytest.mark.parametrize(
    ("at_ms", "result"),
    [(13_998, Result.BROKEN), (14_000, Result.HOLDS), (17_000, Result.HOLDS), (17_001, Result.BROKEN)],
)
def test_who_has_ended_is_silent_from_its_last_heartbeat_on(at_ms: int, result: Result) -> None:
    gone = MemberRecord("run", 10_000, 2, MemberChange.CRASHED, "two", "")

    assert result_of(gone, event(at_ms, 1, SILENT)) is result


def test_while_nothing_has_happened_nobody_is_silent() -> None:
    assert result_of(event(60_000, 1, SILENT)) is Result.BROKEN


def test_nor_does_a_clock_leap_that_nobody_touched() -> None:
    assert result_of(event(60_000, 1, ClockJumped(4_000_000))) is Result.BROKEN
    assert result_of(event(5, None, PAUSED), event(60_000, 1, ClockJumped(4_000_000))) is Result.UNKNOWN


def test_a_clock_that_is_set_right_before_the_grid_rests_is_seen_in_the_next_round() -> None:
    rest = event(59_500, None, Settled("rest"))

    assert result_of(event(5, None, PAUSED), rest, event(60_000, 1, ClockJumped(-4_000_000))) is Result.UNKNOWN
    assert result_of(event(5, None, PAUSED), rest, event(61_000, 1, ClockJumped(-4_000_000))) is Result.BROKEN


def test_a_trace_that_does_not_say_what_is_configured_owes_nothing() -> None:
    assert result_of(event(10, 1, PUBLISHED), event(20, 1, PUBLISHED), times={}) is Result.UNKNOWN


@pytest.mark.parametrize("operation", ["Lock", "Put"])
@pytest.mark.parametrize("is_strict", [True, False])
def test_a_change_is_as_strict_as_is_configured(operation: str, *, is_strict: bool) -> None:
    begun, ended = (
        event(10, 1, CallBegun(1, 0, operation, is_read_only=False, is_strict=is_strict)),
        event(20, None, Settled("rest")),
    )
    configured = event(0, None, replace(CONFIGURED, strict=True))

    (verdict,) = judge_run((configured, begun, ended), [get_property("strict-as-configured")], {})

    assert (verdict.result is Result.BROKEN) is not is_strict


@pytest.mark.parametrize(
    "wrong",
    [
        CallBegun(1, 0, "Get", is_read_only=True, is_strict=True),
        CallBegun(1, 0, "PutAll", is_read_only=False, is_strict=True),
        Executed(0, "shared", "PutAll", 1, 0, (1,), True, (1,), 1),
        Executed(0, "shared", "PutAll", 1, 7, (1,), True, (1,), 1),
    ],
    ids=["read", "part", "no id", "id of a batch"],
)
def test_no_read_and_no_call_of_several_is_strict_or_waits(wrong: Event) -> None:
    batch = event(1, 1, BatchSent(1, 7, 0, (0,)))

    (verdict,) = judge_run((batch, event(2, 1, wrong)), [get_property("strict-as-configured")], {})

    assert verdict.result is Result.BROKEN


def test_a_job_says_itself_how_strict_its_records_are() -> None:
    begun, job = (
        event(10, 1, CallBegun(1, 0, "Put", is_read_only=False, is_strict=False)),
        event(20, 1, JobSubmitted("job")),
    )
    configured = event(0, None, replace(CONFIGURED, strict=True))

    (verdict,) = judge_run((configured, begun, job), [get_property("strict-as-configured")], {})

    assert verdict.result is Result.UNKNOWN


def overdue(kind: str, *before: Record, after_ms: int = 20_000, member: int = 1) -> Result:
    stands = () if kind == "JoinRetry" else (STANDS,)
    return result_of(*stands, *before, event(after_ms, member, AnswerOverdue(kind)))


STANDS = event(0, 0, MemberListInstalled(1, (0, 1, 2)))
LOSSY = FaultBegun("drop", ("messages", "trust"), (), "some messages get lost")
OVER = FaultEnded("drop", "some messages get lost")
CLAIMED, REFUSED = ClaimBegun((0,)), ClaimRefused(1, WhyClaimRefused.OLDER_LIVES)


def test_nobody_asks_twice_where_nothing_holds_answers_up() -> None:
    assert overdue("StateRetry") is Result.BROKEN
    assert overdue("StateRetry", event(18_000, None, LOSSY), event(18_500, None, OVER)) is Result.BROKEN
    assert overdue("StateRetry", event(18_000, None, LOSSY), event(19_500, None, OVER)) is not Result.BROKEN
    assert overdue("StateRetry", event(19_500, None, MessageLost("StateLocked", -1, 2, 1))) is not Result.BROKEN
    assert overdue("StateRetry", event(10, None, PAUSED)) is not Result.BROKEN
    assert overdue("StateRetry", event(19_500, 1, GONE)) is not Result.BROKEN


def test_a_timer_of_another_program_and_a_row_without_slots_do_not_end_the_judging() -> None:
    unlike = event(10, 1, AnswerOverdue("OwnTimer")), event(20, 1, replace(OWNED, slots=()))

    assert overdue("OwnTimer") is Result.UNKNOWN
    assert overdue("StateRetry", *unlike, event(15_000, None, AT_REST)) is Result.BROKEN


def test_a_master_that_merges_hears_from_all_others_before_they_go() -> None:
    lists, one, other = (
        STANDS,
        event(19_000, 1, EntriesCollected(0, "one")),
        event(19_001, 2, EntriesCollected(0, "two")),
    )

    assert overdue("MergeRetry", lists, one, other, member=0) is Result.BROKEN
    assert overdue("MergeRetry", lists, one, member=0) is not Result.BROKEN


def test_whoever_has_no_master_or_was_removed_by_it_has_no_answer() -> None:
    assert overdue("PromotionRetry", event(19_500, 0, MemberListInstalled(2, (2, 0, 1)))) is not Result.BROKEN
    assert overdue("PromotionRetry", event(9_000, 0, MemberRemoved(1, was_master=False))) is not Result.BROKEN
    assert overdue("PromotionRetry") is Result.BROKEN


def test_a_timer_is_set_for_the_time_of_its_kind() -> None:
    def after(kind: str, delay_us: int) -> Result:
        return result_of(event(9_000, 1, ResourcesHeld(True, (), (), ((kind, delay_us),))))

    assert after("MasterSilent", 10_000_000) is not Result.BROKEN
    assert after("MasterSilent", 10_000_001) is Result.BROKEN
    assert after("TryAgain", 999) is Result.BROKEN
    assert after("TryAgain", CONFIGURED.retry_pause_ms * 1_000) is not Result.BROKEN
    assert after("TryAgain", CONFIGURED.retry_pause_ms * 1_000 + 1) is Result.BROKEN


def test_a_joiner_waits_for_a_cluster_and_a_leaver_while_its_data_move() -> None:
    stands = event(10_000, 0, MemberListInstalled(1, (0, 1, 2)))
    assert overdue("JoinRetry", stands, member=3) is Result.BROKEN
    assert overdue("JoinRetry", member=3) is not Result.BROKEN
    assert overdue("AskAgain") is Result.BROKEN
    assert overdue("AskAgain", event(19_500, 0, PlanMade(1))) is not Result.BROKEN


def test_a_candidate_waits_for_whom_others_do_not_suspect() -> None:
    claims = (event(14_999, 1, MemberSuspected(0, WhySuspected.NO_CONNECTION)), event(15_000, 1, CLAIMED))
    assert overdue("ClaimRetry", *claims) is Result.BROKEN
    assert overdue("ClaimRetry", *claims, event(15_000, 2, REFUSED)) is not Result.BROKEN


def test_a_stranger_hears_at_once_that_it_is_one() -> None:
    strange, heard = event(1_000, 1, MemberRemoved(2, was_master=False)), MemberSuspected(1, WhySuspected.KNOWS_US_NOT)
    assert result_of(strange, event(4_100, 2, heard)) is Result.BROKEN
    assert result_of(strange, event(3_900, 2, heard)) is not Result.BROKEN
