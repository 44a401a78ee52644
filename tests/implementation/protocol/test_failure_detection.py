"""Who is silent is suspected, by the documented defaults."""

from typing import cast

from gridproof_implementation.protocol.effects import SetTimer
from gridproof_implementation.protocol.membership.messages import (
    ConnectionEcho,
    ConnectionProbe,
    ExplicitSuspicion,
    Goodbye,
    Heartbeat,
    HeartbeatComplaint,
    MemberUpdate,
    TriggerSuspicion,
    ViewMetadata,
)
from gridproof_implementation.protocol.membership.publication import PublicationDue
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.suspicion import HeartbeatDue, ProbeDue
from gridproof_model.events.membership import ClockJumped, MemberSuspected, SuspicionCleared
from gridproof_model.events.words import WhySuspected
from tests.implementation.protocol.grids import SECOND_US, OneOfMany, events_in, make_grid, member_at, one_of, sent


def beat(one: OneOfMany, place: int, *, sent_us: int | None = None) -> Heartbeat:
    """Return a heartbeat of another member, meant for the real one."""
    view = ViewMetadata(one.id_of(place), one.id_of(0), one.version)
    return Heartbeat(view, one.member.node.me.uuid, one.now_us if sent_us is None else sent_us)


def let_pass(one: OneOfMany, seconds: int, *, heard: tuple[int, ...] = ()) -> list[MemberSuspected]:
    """Let time pass in rounds of heartbeats, some members being heard in each; return who became suspect."""
    found: list[MemberSuspected] = []
    for _ in range(seconds // 5):
        one.now_us += 5 * SECOND_US
        for place in heard:
            one.hand_over(place, beat(one, place))
        found += events_in(one.member.wake(HeartbeatDue(), one.now_us), MemberSuspected)
    return found


def test_heartbeats_go_to_everybody_else_every_five_seconds() -> None:
    one = one_of(3, place=1)

    effects = one.member.wake(HeartbeatDue(), 5 * SECOND_US)

    assert [to for to, _ in sent(effects, Heartbeat)] == [one.id_of(0).address, one.id_of(2).address]
    assert SetTimer(HeartbeatDue(), 5 * SECOND_US) in effects


def test_a_heartbeat_reports_the_view_and_whom_it_is_meant_for() -> None:
    one = one_of(2, place=1)

    (_, heartbeat), *_ = sent(one.member.wake(HeartbeatDue(), 5 * SECOND_US), Heartbeat)

    assert heartbeat.view == ViewMetadata(one.id_of(1), one.id_of(0), 2)
    assert heartbeat.receiver == one.id_of(0).uuid


def test_nobody_is_suspected_before_sixty_seconds_of_silence() -> None:
    assert let_pass(one_of(3, place=2), 55) == []


def test_a_member_silent_for_sixty_seconds_is_suspected() -> None:
    one = one_of(3, place=2)

    assert let_pass(one, 60, heard=(0,)) == [MemberSuspected(one.number_of(1), WhySuspected.NO_HEARTBEAT)]


def test_no_heartbeats_go_to_a_suspect_older_than_the_master() -> None:
    one = one_of(3, place=1)
    one.hand_over(0, Goodbye())

    effects = one.member.wake(HeartbeatDue(), one.now_us)

    assert [to for to, _ in sent(effects, Heartbeat)] == [one.id_of(2).address]


def test_members_that_suspected_each_other_hear_of_each_other_again() -> None:
    grid = make_grid(3)
    grid.cut(grid.running[1:2], grid.running[2:])
    grid.run_for(70)
    rosters = [cast("Roster", grid.running[i].member.node.membership) for i in (1, 2)]
    both = [grid.running[3 - i].description.id in roster.suspects for i, roster in enumerate(rosters, 1)]

    grid.heal()
    grid.run_for(10)

    assert both == [True, True]
    assert len(grid.events_of(SuspicionCleared)) == 2


def test_the_suspicion_of_another_than_the_master_changes_no_list() -> None:
    one = one_of(3, place=2)

    let_pass(one, 60, heard=(0,))

    assert one.version == 3


def test_the_master_removes_a_suspect_and_notifies_the_others() -> None:
    one = one_of(3, place=0)

    effects = one.hand_over(1, Goodbye())

    assert one.version == 4
    assert [to for to, _ in sent(effects, MemberUpdate)] == [one.id_of(2).address]


def test_the_master_sends_its_list_every_minute() -> None:
    one = one_of(2, place=0)

    effects = one.member.wake(PublicationDue(), 60 * SECOND_US)

    assert [to for to, _ in sent(effects, MemberUpdate)] == [one.id_of(1).address]
    assert SetTimer(PublicationDue(), 60 * SECOND_US) in effects


def test_a_heartbeat_clears_a_mark() -> None:
    one = one_of(4, place=2)
    let_pass(one, 60, heard=(0, 3))

    effects = one.hand_over(1, beat(one, 1))

    assert events_in(effects, SuspicionCleared) == [SuspicionCleared(one.number_of(1))]


def test_a_heartbeat_does_not_clear_the_mark_of_one_older_than_the_master() -> None:
    one = one_of(3, place=1)
    let_pass(one, 60, heard=(2,))

    effects = one.hand_over(0, beat(one, 0))

    assert events_in(effects, SuspicionCleared) == []


def test_a_heartbeat_older_than_half_the_limit_is_ignored() -> None:
    one = one_of(3, place=2)
    let_pass(one, 30, heard=(0,))
    one.hand_over(1, beat(one, 1, sent_us=one.now_us - 31 * SECOND_US))

    assert [event.member for event in let_pass(one, 30, heard=(0,))] == [one.number_of(1)]


def test_a_leap_of_the_own_clock_blames_nobody() -> None:
    one = one_of(3, place=2)
    let_pass(one, 10, heard=(0, 1))

    effects = one.member.wake(HeartbeatDue(), one.now_us + 90 * SECOND_US)

    assert events_in(effects, MemberSuspected) == []
    assert events_in(effects, ClockJumped) == [ClockJumped(85 * SECOND_US)]


def test_a_leap_of_two_minutes_moves_the_time_of_the_cluster_back() -> None:
    one = one_of(3, place=2)
    let_pass(one, 10, heard=(0, 1))

    one.member.wake(HeartbeatDue(), one.now_us + 205 * SECOND_US)

    assert one.member.node.membership.cluster_now_us == one.now_us + 5 * SECOND_US


def test_the_masters_heartbeat_sets_the_time_of_the_cluster() -> None:
    one = one_of(2, place=1)

    one.hand_over(0, beat(one, 0, sent_us=7 * SECOND_US))

    assert one.member.node.membership.cluster_now_us == 7 * SECOND_US


def test_clocks_that_differ_blame_nobody() -> None:
    grid = make_grid(1)
    ahead = grid.world.start_member()
    ahead.clock_skew_us = 300 * SECOND_US
    grid.start(1)

    grid.run_for(300)

    assert grid.lists() == [[0, 1, 2]]


def test_a_stranger_is_notified_by_the_master_that_it_is_not_in_the_list() -> None:
    one = one_of(2, place=0)
    stranger = member_at(7).id
    view = ViewMetadata(stranger, one.id_of(0), 9)

    effects = one.member.receive(stranger, Heartbeat(view, one.member.node.me.uuid, 0), 0)

    assert sent(effects, ExplicitSuspicion) == [(stranger.address, ExplicitSuspicion(view))]


def test_a_stranger_is_reported_to_the_master_by_anybody_else() -> None:
    one = one_of(2, place=1)
    stranger = member_at(7).id
    view = ViewMetadata(stranger, stranger, 9)

    effects = one.member.receive(stranger, Heartbeat(view, one.member.node.me.uuid, 0), 0)

    complaint = HeartbeatComplaint(ViewMetadata(one.id_of(1), one.id_of(0), 2), view)
    assert sent(effects, HeartbeatComplaint) == [(one.id_of(0).address, complaint)]


def test_a_master_takes_another_master_of_its_list_for_a_stranger() -> None:
    """Seed 20002722: three masters that had let each other in by late requests ordered migrations for ever."""
    one = one_of(3, place=0)
    rival, follower = (Heartbeat(_view(one, 1, master), one.member.node.me.uuid, one.now_us) for master in (1, 0))

    assert sent(one.hand_over(1, rival), ExplicitSuspicion)
    assert not sent(one.hand_over(1, follower), ExplicitSuspicion)


def test_a_member_that_follows_does_not_judge_who_is_master() -> None:
    one = one_of(3, place=2)

    effects = one.hand_over(1, Heartbeat(_view(one, 1, 1), one.member.node.me.uuid, one.now_us))

    assert not sent(effects, ExplicitSuspicion)


def _view(one: OneOfMany, place: int, master: int) -> ViewMetadata:
    return ViewMetadata(one.id_of(place), one.id_of(master), 2)


def test_a_heartbeat_for_an_older_incarnation_makes_its_sender_a_stranger() -> None:
    one = one_of(2, place=0)
    heartbeat = Heartbeat(ViewMetadata(one.id_of(1), one.id_of(0), 2), member_at(7).id.uuid, 0)

    assert len(sent(one.hand_over(1, heartbeat), ExplicitSuspicion)) == 1


def test_a_complaint_about_a_member_gets_the_newer_list() -> None:
    one = one_of(3, place=0)
    about = ViewMetadata(one.id_of(2), one.id_of(0), 3)

    effects = one.hand_over(1, HeartbeatComplaint(ViewMetadata(one.id_of(1), one.id_of(0), 2), about))

    assert [to for to, _ in sent(effects, MemberUpdate)] == [one.id_of(1).address]


def test_a_complaint_about_a_stranger_is_answered_with_the_order_to_turn_it_away() -> None:
    one = one_of(2, place=0)
    about = ViewMetadata(member_at(7).id, member_at(7).id, 3)

    effects = one.hand_over(1, HeartbeatComplaint(ViewMetadata(one.id_of(1), one.id_of(0), 2), about))

    assert sent(effects, TriggerSuspicion) == [(one.id_of(1).address, TriggerSuspicion(2, about))]


def test_the_order_to_turn_a_stranger_away_is_followed_only_with_the_same_list() -> None:
    one = one_of(2, place=1)
    about = ViewMetadata(member_at(7).id, member_at(7).id, 3)

    assert len(sent(one.hand_over(0, TriggerSuspicion(2, about)), ExplicitSuspicion)) == 1
    assert len(sent(one.hand_over(0, TriggerSuspicion(1, about)), ExplicitSuspicion)) == 0


def test_who_is_asked_to_suspect_does_so_only_while_its_view_is_the_one_meant() -> None:
    one = one_of(3, place=2)
    expected = ViewMetadata(one.id_of(2), one.id_of(0), 3)

    assert (
        events_in(one.hand_over(1, ExplicitSuspicion(ViewMetadata(one.id_of(2), one.id_of(0), 2))), MemberSuspected)
        == []
    )
    assert len(events_in(one.hand_over(1, ExplicitSuspicion(expected)), MemberSuspected)) == 1


def test_three_faults_of_a_connection_are_not_enough() -> None:
    assert fail_connections(one_of(3, place=2), times=3, apart_us=101_000) == []


def test_four_faults_of_a_connection_make_the_other_end_suspect() -> None:
    one = one_of(3, place=2)

    assert fail_connections(one, times=4, apart_us=101_000) == [
        MemberSuspected(one.number_of(1), WhySuspected.NO_CONNECTION)
    ]


def test_faults_within_a_hundred_milliseconds_count_once() -> None:
    assert fail_connections(one_of(3, place=2), times=9, apart_us=10_000) == []


def test_faults_are_forgotten_when_a_connection_stands() -> None:
    one = one_of(3, place=2)
    fail_connections(one, times=3, apart_us=101_000)
    one.hand_over(1, ConnectionEcho())

    assert fail_connections(one, times=3, apart_us=101_000) == []


def test_a_broken_connection_is_tried_again() -> None:
    one = one_of(3, place=2)
    address = one.id_of(1).address
    one.member.disconnected(address, 0)

    effects = one.member.wake(ProbeDue(address), 101_000)

    assert [to for to, _ in sent(effects, ConnectionProbe)] == [address]


def fail_connections(one: OneOfMany, *, times: int, apart_us: int) -> list[MemberSuspected]:
    """Let connections to the second member fail; return who became suspect."""
    found: list[MemberSuspected] = []
    for _ in range(times):
        one.now_us += apart_us
        found += events_in(one.member.disconnected(one.id_of(1).address, one.now_us), MemberSuspected)
    return found


def test_a_crash_that_breaks_connections_is_noticed_within_a_second() -> None:
    grid = make_grid(3)

    grid.world.crash(grid.world.hosts[1])
    grid.run_for(1)

    assert grid.lists() == [[0, 2]]


def test_a_silent_crash_is_noticed_after_a_minute() -> None:
    grid = make_grid(3)

    grid.world.crash(grid.world.hosts[1], loud=False)
    grid.run_for(50)
    before = grid.lists()
    grid.run_for(20)

    assert (before, grid.lists()) == ([[0, 1, 2]], [[0, 2]])
