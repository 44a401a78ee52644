"""Who decides what is next: virtual time, or anybody."""

import pytest

from gridproof_implementation.simulator.schedulers import AnyChoice, Entry, VirtualTime
from gridproof_implementation.simulator.world import World
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import MemberNumbers
from tests.implementation.protocol.grids import FEW_PARTITIONS

SECOND_US = 1_000_000


def entry(at_us: int, order: int) -> Entry:
    return at_us, order, lambda: None, ()


def times(scheduler: VirtualTime | AnyChoice, until_us: int) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    while (one := scheduler.next_by(until_us)) is not None:
        found.append(one[:2])
    return found


def chosen_world(config: GridConfig = FEW_PARTITIONS) -> tuple[World, AnyChoice]:
    numbers = MemberNumbers()
    order = AnyChoice(numbers)
    return World(1, config, scheduler=order, numbers=numbers), order


@pytest.mark.parametrize("scheduler", [VirtualTime(), AnyChoice(MemberNumbers())], ids=["time", "choice"])
def test_what_was_asked_for_from_outside_comes_by_its_time_and_then_in_order(
    scheduler: VirtualTime | AnyChoice,
) -> None:
    for one in (entry(5, 1), entry(3, 2), entry(3, 3), entry(9, 4)):
        scheduler.add(one)

    assert times(scheduler, 5) == [(3, 2), (3, 3), (5, 1)]


def test_what_is_late_is_hastened_in_its_order() -> None:
    time = VirtualTime()
    for one in (entry(2, 1), entry(500, 2), entry(90, 3)):
        time.add(one)

    assert time.hasten(10, 20, lambda one: True)
    assert times(time, 20) == [(2, 1), (15, 3), (20, 2)]


def test_nothing_late_is_nothing_to_hasten() -> None:
    assert not VirtualTime().hasten(10, 20, lambda one: True)


def test_no_message_arrives_unless_somebody_chooses_it() -> None:
    world, order = chosen_world()
    world.start_member()
    other = world.start_member()

    world.run(SECOND_US)

    assert order.under_way() != []
    assert not other.member.node.membership.is_joined


def test_a_timer_that_is_set_anew_is_due_anew() -> None:
    world, order = chosen_world()
    host = world.start_member()
    timer, first = next(iter(host.timers.items()))

    world.run(world.now_us + 100 * SECOND_US)

    assert host.timers[timer] > first
    assert order.take_timer(host.number, timer)[0] > world.now_us
