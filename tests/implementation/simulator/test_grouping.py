"""Members are grouped as each type of partition groups says."""

from dataclasses import replace

import pytest

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.grouping import NEWCOMERS_MAX, Grouping, address_of, index_of
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.events.harness import Unsettled
from gridproof_model.groups import GroupType
from gridproof_model.trace import EventRecord, ViewRecord
from tests.implementation.simulator.worlds import run_of, short_scenario

TYPES = [kind for kind in GroupType if kind is not GroupType.PER_MEMBER]


@pytest.mark.parametrize("kind", TYPES)
def test_addresses_are_dealt_to_groups_in_turn(kind: GroupType) -> None:
    scenario = replace(short_scenario(client_operations=4), members=4, zones=2, grouping=kind.value)

    _, records = run_of(scenario)
    view = next(record for record in records if isinstance(record, ViewRecord) and record.stage == "at rest")

    first, second, third, fourth = view.groups
    assert first == third != second == fourth


@pytest.mark.parametrize("kind", TYPES)
def test_whoever_joins_later_is_grouped_like_the_others(kind: GroupType) -> None:
    drawn = short_scenario(client_operations=4)
    script = replace(
        drawn.scripts[0], fault_events=(FaultEvent("join", 0, 100, (3,)), FaultEvent("join", 0, 60_000, (4,)))
    )
    scenario = replace(drawn, zones=3, grouping=kind.value, scripts=(script,))

    end, records = run_of(scenario)

    assert end.restless is None
    kinds = {record.kind for record in records if isinstance(record, EventRecord)}
    assert Unsettled not in kinds


def test_masks_are_written_for_newcomers_too() -> None:
    masks = Grouping(GroupType.CUSTOM, 2, address_count=3).config().member_groups

    assert sum(map(len, masks)) == 3 + NEWCOMERS_MAX


def test_a_lone_group_is_cut_in_two() -> None:
    assert Grouping(GroupType.ZONE_AWARE, 1, 4).groups_of(range(4)) == 2
    assert Grouping(GroupType.ZONE_AWARE, 1, 4).groups_of([0]) == 1


def test_members_that_own_nothing_make_no_group() -> None:
    scenario = replace(draw_scenario(1, DrawOptions(members=4)), lite=(1, 3), zones=2)

    assert scenario.groups == 2, "both data members are in one zone, which is cut in two"


@pytest.mark.parametrize("address_index", [0, 1, 248, 249, 600])
def test_an_address_has_its_index(address_index: int) -> None:
    assert index_of(address_of(address_index)) == address_index
