"""A world whose next input is anybody's choice."""

import pytest

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.schedulers import Lane
from gridproof_model.trace import Record
from gridproof_properties.machines.any_order import AnyOrder, Choice

CONFIG = Scenario(0, members=3, partition_count=1).config()
MAP = StructureId("map", "register")
MESSAGES = 300


def started(records: list[Record]) -> AnyOrder:
    grid = AnyOrder(CONFIG, 1, records.append)
    for _ in range(3):
        grid.start()
    return grid


def written(grid: AnyOrder) -> AnyOrder:
    grid.call(0, Call(1, Put(MAP, "key", "value"), 0))
    return grid


def lane_between(grid: AnyOrder) -> Lane:
    return next(lane for lane in grid.under_way() if lane.sender != lane.receiver)


@pytest.mark.parametrize("seed", range(5))
def test_choices_made_again_are_the_same_run(seed: int) -> None:
    records, again = list[Record](), list[Record]()
    grid = started(records)
    grid.jumble(seed, MESSAGES)
    behind = len(grid.choices)
    written(grid).jumble(seed, MESSAGES)
    schedule: list[Choice] = grid.choices

    other = started(again)
    other.repeat(schedule[:behind])
    written(other).repeat(schedule[behind:])

    assert again == records


def test_what_is_lost_does_not_arrive() -> None:
    grid = started([])
    lane = lane_between(grid)
    message = grid.oldest(lane)

    grid.lose(lane)

    assert lane not in grid.under_way() or grid.oldest(lane) is not message


def test_members_that_reach_each_other_settle() -> None:
    grid = started([])

    grid.settle(lambda: all(len(member.node.membership.members) == 3 for member in grid.members))

    assert grid.running == [0, 1, 2]


def test_nothing_gets_through_a_cut_until_it_heals() -> None:
    grid = started([])

    grid.cut([0], [1, 2])

    assert not [lane for lane in grid.under_way() if 0 in (lane.sender, lane.receiver) and lane.sender != lane.receiver]
    assert grid.is_cut(0, 2)
    grid.heal()
    assert not grid.is_cut(0, 2)


def test_a_member_that_ends_is_in_no_lane() -> None:
    grid = started([])

    grid.crash(2)

    assert [lane for lane in grid.under_way() if lane.receiver == 2] == []
