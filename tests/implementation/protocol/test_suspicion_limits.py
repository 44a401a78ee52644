"""Who is suspected, and from which moment on."""

import pytest

from gridproof_implementation.protocol.membership.messages import Goodbye, Heartbeat, ViewMetadata
from gridproof_implementation.protocol.membership.suspicion import HeartbeatDue
from gridproof_model.events.membership import ClockJumped, MemberSuspected
from tests.implementation.protocol.grids import SECOND_US, events_in, member_at, one_of

INTERVAL_US = 100_000
"""As delivered: `hazelcast.connection.monitor.interval`."""


def test_the_word_of_a_stranger_makes_nobody_suspect() -> None:
    one = one_of(3, place=2)

    effects = one.member.receive(member_at(7).id, Goodbye(), 0)

    assert events_in(effects, MemberSuspected) == []


def test_a_master_does_not_take_a_stranger_out_of_its_list() -> None:
    one = one_of(3, place=0)
    before = one.version

    one.member.receive(member_at(7).id, Goodbye(), 0)

    assert one.version == before


def test_a_fault_a_whole_interval_after_the_last_one_does_not_count_yet() -> None:
    assert suspects_after(INTERVAL_US) == []


def test_a_fault_later_than_the_interval_counts() -> None:
    assert len(suspects_after(INTERVAL_US + 1)) == 1


def suspects_after(apart_us: int) -> list[MemberSuspected]:
    """Let four connections to the second member fail in turn; return who became suspect."""
    one = one_of(3, place=2)
    address = one.id_of(1).address
    return [
        event
        for times in range(1, 5)
        for event in events_in(one.member.disconnected(address, times * apart_us), MemberSuspected)
    ]


def test_a_member_heard_two_rounds_ago_is_heard_regularly() -> None:
    assert hears_everybody_after(10)


def test_a_member_not_heard_in_the_last_two_rounds_is_not_heard_regularly() -> None:
    assert not hears_everybody_after(11)


def hears_everybody_after(seconds: int) -> bool:
    """Say whether a member hears everybody regularly so long after its join, nobody having said anything since."""
    one = one_of(3, place=2)
    one.member.wake(HeartbeatDue(), seconds * SECOND_US)
    return one.member.node.membership.hears_everybody


def test_a_heartbeat_under_way_for_half_the_limit_is_not_too_old() -> None:
    one = one_of(3, place=2)
    one.now_us = 40 * SECOND_US
    view = ViewMetadata(one.id_of(1), one.id_of(0), one.version)

    one.hand_over(1, Heartbeat(view, one.member.node.me.uuid, 10 * SECOND_US))

    assert one.member.node.membership.heard_us[one.id_of(1)] == 40 * SECOND_US  # type: ignore[attr-defined]


@pytest.mark.parametrize(("leap", "is_noticed"), [(29, False), (30, True)])
def test_a_leap_of_the_own_clock_is_one_from_half_the_limit_on(leap: int, is_noticed: bool) -> None:
    one = one_of(3, place=2)

    effects = one.member.wake(HeartbeatDue(), (5 + leap) * SECOND_US)

    assert bool(events_in(effects, ClockJumped)) is is_noticed


@pytest.mark.parametrize(("leap", "moved"), [(120, 0), (121, 121)])
def test_a_leap_of_more_than_two_minutes_moves_the_time_of_the_cluster(leap: int, moved: int) -> None:
    one = one_of(3, place=2)

    one.member.wake(HeartbeatDue(), (5 + leap) * SECOND_US)

    assert one.member.node.membership.clock_difference_us == -moved * SECOND_US  # type: ignore[attr-defined]
