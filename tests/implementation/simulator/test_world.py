"""Members begin, end, wait and lose each other."""

import pytest

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.membership.messages import Heartbeat
from gridproof_implementation.simulator.host import Ending, Moment, PlannedCrash
from gridproof_implementation.simulator.watcher import Watcher
from gridproof_model.events.membership import MemberRemoved
from tests.implementation.protocol.grids import Seen
from tests.implementation.simulator.worlds import SECOND_US, started_world


def test_a_member_that_crashes_is_removed_by_the_others() -> None:
    world = started_world()

    world.crash(world.hosts[2])
    world.run(world.now_us + 20 * SECOND_US)

    assert len(world.hosts[0].member.node.membership.members) == 2


def test_a_broken_process_is_noticed_sooner_than_a_silent_machine() -> None:
    def removal_us(*, loud: bool) -> int:
        world = started_world()
        world.crash(world.hosts[2], loud=loud)
        begin_us = world.now_us
        while len(world.hosts[0].member.node.membership.members) == 3:
            world.run(world.now_us + 10_000)
        return world.now_us - begin_us

    assert removal_us(loud=True) < removal_us(loud=False)


def test_a_member_that_restarts_has_its_address_and_another_identity() -> None:
    world = started_world()
    before = world.hosts[1].description.id
    world.crash(world.hosts[1])

    after = world.restart(1).description.id

    assert after.address == before.address
    assert after.uuid != before.uuid


def test_the_next_incarnation_joins() -> None:
    world = started_world()
    world.crash(world.hosts[1])

    again = world.restart(1)
    world.run(world.now_us + 20 * SECOND_US)

    assert again.member.node.membership.is_joined
    assert len(world.hosts[0].member.node.membership.members) == 3


def test_a_member_that_ended_does_nothing_more() -> None:
    seen = Seen()
    world = started_world(3, seen)
    world.crash(world.hosts[1])
    seen.events.clear()

    world.restart(1)
    world.run(world.now_us + 20 * SECOND_US)

    assert [event for number, event in seen.events if number == 1] == []


def test_a_paused_member_does_nothing_until_it_resumes() -> None:
    seen = Seen()
    world = started_world(2, seen)
    world.pause(world.hosts[1])
    seen.events.clear()

    world.run(world.now_us + 3 * SECOND_US)
    paused = [event for number, event in seen.events if number == 1]
    waiting = len(world.hosts[1].waiting or ())
    world.resume(world.hosts[1])

    assert paused == []
    assert waiting > 0
    assert world.hosts[1].waiting is None


def test_a_member_paused_beyond_the_others_patience_is_removed() -> None:
    seen = Seen()
    world = started_world(3, seen)

    world.pause(world.hosts[2])
    world.run(world.now_us + 10 * SECOND_US)

    removed = [event.member for number, event in seen.events if number == 0 and isinstance(event, MemberRemoved)]
    assert removed == [world.hosts[2].number]


def test_a_slow_member_handles_one_input_after_another() -> None:
    world = started_world(2)
    world.slow_down(world.hosts[1], SECOND_US)
    for _ in range(5):
        world.break_connection(world.hosts[0], world.hosts[1])

    world.run(world.now_us + SECOND_US // 2)

    assert len(world.hosts[1].waiting or ()) >= 5


def test_a_slow_member_catches_up_when_it_is_fast_again() -> None:
    world = started_world(2)
    world.slow_down(world.hosts[1], SECOND_US)
    world.run(world.now_us + 3 * SECOND_US)

    world.slow_down(world.hosts[1], 0)
    world.run(world.now_us + 2 * SECOND_US)

    assert world.hosts[1].waiting is None


@pytest.mark.parametrize("moment", Moment)
def test_a_planned_crash_comes_at_its_step(moment: Moment) -> None:
    world = started_world(3)
    world.hosts[1].planned_crash = PlannedCrash("Heartbeat", 1, moment)

    world.run(world.now_us + 3 * SECOND_US)

    assert world.hosts[1].ending is Ending.CRASHED


@pytest.mark.parametrize(("moment", "sent"), [(Moment.BEFORE, 0), (Moment.AMID, 1), (Moment.AFTER, 2)])
def test_what_a_crashing_member_still_sends_depends_on_the_moment(moment: Moment, sent: int) -> None:
    heartbeats: list[int] = []

    class Counting(Watcher):
        def message(
            self, sent_us: int, arrivals_us: tuple[int, ...], sender: int, receiver: int, message: Message
        ) -> None:
            if isinstance(message, Heartbeat) and sender == 1:
                heartbeats.append(receiver)

    world = started_world(3, Counting())
    world.shows_messages = True
    world.hosts[1].planned_crash = PlannedCrash("Heartbeat", 1, moment)

    world.run(world.now_us + 3 * SECOND_US)

    assert len(heartbeats) == sent


def test_timers_held_back_fire_when_they_are_let_go() -> None:
    world = started_world(1)
    kinds = frozenset(type(timer) for timer in world.hosts[0].timers)
    world.hold_back(kinds)
    world.run(world.now_us + 20 * SECOND_US)
    before = world.events

    world.hold_back(frozenset())

    assert world.events > before


def test_the_dead_can_be_forgotten() -> None:
    world = started_world(3)
    world.crash(world.hosts[1])

    world.forget_the_dead()

    assert [host.number for host in world.hosts] == [0, 2]
