"""Judges of what members do about those that leave, join, or are taken for gone; and of snapshots that go on."""

from collections.abc import Sequence

import pytest

from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.harness import JobAsked, RunEnded
from gridproof_model.events.invocation import AttemptFailed, AttemptSent, CallBegun, CallEnded
from gridproof_model.events.jobs import JobStarted, SnapshotBegun, SnapshotRecorded
from gridproof_model.events.membership import (
    ClockJumped,
    ClusterStateChanged,
    JoinTurnedDown,
    LiteMemberPromoted,
    MemberListInstalled,
    MemberRemoved,
    MemberSuspected,
)
from gridproof_model.events.operation import Parked, Refused
from gridproof_model.events.partitioning import RowInstalled, TablePublished
from gridproof_model.events.words import CallEnding, Failure, Guarantee, WhyPublished, WhyRowChanged, WhySuspected
from gridproof_model.membership import ClusterState
from gridproof_model.trace import MemberChange, MemberRecord, Record
from gridproof_properties.catalogue import get_property
from gridproof_properties.judging.panel import judge_run
from gridproof_properties.judging.verdict import Result
from tests.properties.recorded_history import event

SECRET = "it is not known who is the master"
LIST, NEXT_LIST = MemberListInstalled(1, (0, 1, 2)), MemberListInstalled(2, (0, 1))


def result_of(name: str, history: Sequence[Record]) -> Result:
    return judge_run(history, [get_property(name)], {})[0].result


class TestTargetsThatLeft:
    SENT = event(2, 0, AttemptSent(7, 1, 3, target=2, list_version=1))
    GONE = (event(9, 0, NEXT_LIST), event(9, 0, MemberRemoved(2, was_master=False)))
    FAILED = AttemptFailed(7, 1, 3, Failure.MEMBER_LEFT)

    def test_an_attempt_ends_when_its_target_is_removed(self) -> None:
        history = [event(1, 0, LIST), self.SENT, *self.GONE, event(9, 0, self.FAILED)]

        assert result_of("removed-target-ends-attempt", history) is Result.HOLDS

    def test_an_attempt_that_ends_later_waited_for_nobody(self) -> None:
        history = [event(1, 0, LIST), self.SENT, *self.GONE, event(10, 0, self.FAILED)]

        assert result_of("removed-target-ends-attempt", history) is Result.BROKEN

    def test_an_attempt_that_never_ends_is_bad(self) -> None:
        assert result_of("removed-target-ends-attempt", [event(1, 0, LIST), self.SENT, *self.GONE]) is Result.BROKEN

    def test_an_attempt_by_another_list_than_its_callers_is_bad(self) -> None:
        assert result_of("removed-target-ends-attempt", [event(1, 0, NEXT_LIST), self.SENT]) is Result.BROKEN

    def test_the_list_that_an_attempt_was_made_by_cannot_have_removed_its_target(self) -> None:
        history = [event(1, 0, LIST), self.SENT, event(3, 0, self.FAILED)]

        assert result_of("removed-target-ends-attempt", history) is Result.BROKEN


class TestWaitersThatLeft:
    WAITS = event(1, 0, Parked(partition=0, operation="Lock", caller=2, call_id=3))
    GONE = event(2, 0, MemberRemoved(2, was_master=False))
    REFUSED = Refused(partition=0, operation="Lock", caller=2, call_id=3, why=Failure.CALLER_NOT_MEMBER)

    def test_what_a_removed_caller_waited_for_is_dropped(self) -> None:
        assert result_of("removed-caller-waits-no-more", [self.WAITS, self.GONE]) is Result.HOLDS

    def test_what_comes_of_it_later_was_kept(self) -> None:
        history = [self.WAITS, self.GONE, event(3, 0, self.REFUSED)]

        assert result_of("removed-caller-waits-no-more", history) is Result.BROKEN

    def test_what_goes_on_while_its_caller_is_in_is_good(self) -> None:
        assert result_of("removed-caller-waits-no-more", [self.WAITS, event(3, 1, self.REFUSED)]) is Result.UNKNOWN
        assert result_of("removed-caller-waits-no-more", [self.WAITS, event(3, 0, self.REFUSED)]) is Result.HOLDS

    def test_another_member_may_still_answer(self) -> None:
        history = [self.WAITS, self.GONE, event(3, 1, self.REFUSED)]

        assert result_of("removed-caller-waits-no-more", history) is Result.HOLDS


@pytest.mark.parametrize(
    ("at_ms", "why", "result"),
    [
        (5, WhySuspected.NO_HEARTBEAT, Result.BROKEN),
        (6, WhySuspected.NO_HEARTBEAT, Result.HOLDS),
        (5, WhySuspected.LEFT, Result.HOLDS),
    ],
)
def test_a_leap_blames_nobody_in_its_own_round(at_ms: int, why: WhySuspected, result: Result) -> None:
    history = [event(5, 1, ClockJumped(90_000_000)), event(at_ms, 1, MemberSuspected(0, why))]

    assert result_of("leap-blames-nobody", history) is result


class TestNaming:
    ASKED = event(3, 1, JoinTurnedDown(4, SECRET))

    def test_who_follows_a_master_names_it(self) -> None:
        assert result_of("joiner-hears-of-the-master", [event(1, 1, LIST), self.ASKED]) is Result.BROKEN

    def test_who_suspects_its_master_names_nobody(self) -> None:
        history = [event(1, 1, LIST), event(2, 1, MemberSuspected(0, WhySuspected.NO_HEARTBEAT)), self.ASKED]

        assert result_of("joiner-hears-of-the-master", history) is Result.HOLDS

    def test_what_a_joiner_records_of_itself_is_not_its_doing(self) -> None:
        found = event(3, 4, JoinTurnedDown(4, SECRET))

        assert result_of("joiner-hears-of-the-master", [event(1, 1, LIST), found]) is Result.UNKNOWN


class TestArrangements:
    PUBLISHED = event(5, 0, TablePublished(WhyPublished.ARRANGED, 1, (1,)))

    def test_who_has_just_arranged_publishes(self) -> None:
        history = [event(5, 0, RowInstalled(0, 1, (0, 1), WhyRowChanged.ARRANGED)), self.PUBLISHED]

        assert result_of("first-table-is-arranged", history) is Result.HOLDS

    def test_an_arrangement_is_published_once(self) -> None:
        history = [event(1, 0, RowInstalled(0, 1, (0, 1), WhyRowChanged.ARRANGED)), self.PUBLISHED]

        assert result_of("first-table-is-arranged", history) is Result.BROKEN


@pytest.mark.parametrize(
    ("state", "result"), [(ClusterState.ACTIVE, Result.HOLDS), (ClusterState.NO_MIGRATION, Result.BROKEN)]
)
def test_lite_members_are_promoted_in_an_active_cluster_only(state: ClusterState, result: Result) -> None:
    history = [event(1, 0, ClusterStateChanged(state)), event(2, 0, LiteMemberPromoted(3))]

    assert result_of("still-when-frozen", history) is result


class TestSnapshots:
    RUNS = (
        event(1, None, JobAsked("counts", Guarantee.EXACTLY_ONCE, True, 1, 1, (), snapshot_interval_ms=1_000)),
        event(1, 0, CallBegun(1, 0, "Process", is_read_only=False, is_strict=True)),
        event(2, 0, CallEnded(1, CallEnding.ACKNOWLEDGED, 1, 2)),
        event(2, 0, JobStarted("counts", "one", (0, 1), (0,), 0)),
    )
    WRITTEN = (
        event(1_001, 0, CallBegun(2, 0, "Process", is_read_only=False, is_strict=True)),
        event(1_002, 0, CallEnded(2, CallEnding.ACKNOWLEDGED, 2, 2)),
    )
    ENDED = event(2_000, None, RunEnded(9))
    BEGUN = event(1_002, 0, SnapshotBegun("counts", 1, 0, terminal=False))
    GONE = MemberRecord("run", 900, 1, MemberChange.CRASHED, "one", "")

    def test_a_snapshot_that_ends_is_good(self) -> None:
        history = [*self.RUNS, *self.WRITTEN, self.BEGUN, event(1_010, 0, SnapshotRecorded("counts", 1, 0))]

        assert result_of("snapshots-go-on", history) is Result.HOLDS

    def test_a_snapshot_that_begins_before_its_record_is_written_is_bad(self) -> None:
        history = [*self.RUNS, self.BEGUN, event(1_010, 0, SnapshotRecorded("counts", 1, 0))]

        assert result_of("snapshots-go-on", history) is Result.BROKEN

    def test_a_snapshot_that_does_not_end_is_bad(self) -> None:
        assert result_of("snapshots-go-on", [*self.RUNS, *self.WRITTEN, self.BEGUN, self.ENDED]) is Result.BROKEN

    def test_a_job_that_takes_none_is_bad(self) -> None:
        assert result_of("snapshots-go-on", [*self.RUNS, event(3_000, None, RunEnded(9))]) is Result.BROKEN

    def test_nothing_is_said_while_a_fault_is_in_effect(self) -> None:
        fault = event(900, None, FaultBegun("drop", ("messages",), (0,), "messages get lost"))

        assert result_of("snapshots-go-on", [*self.RUNS, fault, event(9_000, None, RunEnded(9))]) is Result.HOLDS

    def test_nothing_is_said_while_an_ended_member_is_listed(self) -> None:
        history: list[Record] = [*self.RUNS, event(2, 0, NEXT_LIST), self.GONE, event(9_000, None, RunEnded(9))]

        assert result_of("snapshots-go-on", history) is Result.HOLDS

    def test_an_ended_member_that_is_listed_no_more_takes_nothing_away(self) -> None:
        removed = event(1_000, 0, MemberListInstalled(3, (0,)))
        history: list[Record] = [
            *self.RUNS,
            event(2, 0, NEXT_LIST),
            self.GONE,
            removed,
            event(9_000, None, RunEnded(9)),
        ]

        assert result_of("snapshots-go-on", history) is Result.BROKEN

    def test_nothing_is_said_once_messages_were_slow(self) -> None:
        slow = event(900, None, FaultBegun("overtake", ("trust",), (0,), "messages are late"))
        over = event(950, None, FaultEnded("overtake", "messages are late"))

        assert result_of("snapshots-go-on", [*self.RUNS, slow, over, event(9_000, None, RunEnded(9))]) is Result.HOLDS
