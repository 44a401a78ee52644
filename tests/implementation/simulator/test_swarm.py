"""Seeds switch features on and off."""

from collections import Counter
from functools import cache

import pytest

from gridproof_implementation.simulator.draw import CALM_SHARE, OFF, Features, draw_scenario, draw_script, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.drawn_settings import LIMITS, ROOM, TYPES
from gridproof_implementation.simulator.faults import DRAWN
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.workload import STRUCTURES_MAX
from gridproof_implementation.simulator.workloads import WORKLOADS, find_workload
from gridproof_model import grid_properties as known
from gridproof_model.trace import OperationKind

SEEDS = range(400)


@cache
def scenarios() -> tuple[Scenario, ...]:
    return tuple(map(draw_scenario, SEEDS))


def kinds_asked() -> Counter[OperationKind]:
    return Counter(
        client_operation.kind
        for one in scenarios()
        for script in one.scripts
        for client_operation in script.client_operations
    )


def test_every_kind_of_operation_is_asked_for() -> None:
    never = set(OperationKind) - set(kinds_asked())

    assert never == {OperationKind.READ_REPLICA}, "only audits look into single copies"


@pytest.mark.parametrize("kind", OFF)
def test_an_operation_that_can_be_left_out_is_left_out_by_some_seeds(kind: OperationKind) -> None:
    left_out = [kind in Features.of(seed).off for seed in SEEDS]

    assert any(left_out)
    assert not all(left_out)


def test_every_workload_is_used_alone_or_with_others() -> None:
    used = {
        client_operation.use
        for one in scenarios()
        for script in one.scripts
        for client_operation in script.client_operations
    }

    assert used == {workload.name for workload in WORKLOADS}


def test_some_seeds_use_several_structures_of_a_kind() -> None:
    keys = {
        key
        for one in scenarios()
        for script in one.scripts
        for client_operation in script.client_operations
        for key in client_operation.keys
    }

    assert any(key.startswith(f"register.{STRUCTURES_MAX}-") for key in keys)
    assert any(key.startswith(f"lock.{STRUCTURES_MAX}-") for key in keys)


def test_every_type_of_groups_is_drawn() -> None:
    assert {one.grouping for one in scenarios() if one.zones} == set(TYPES)


def test_some_grids_have_more_backups_than_members_and_some_lite_members() -> None:
    assert any(one.backups.total >= one.members for one in scenarios())
    assert any(len(one.lite) > 1 for one in scenarios())
    assert all(len(one.lite) < one.members for one in scenarios())


def test_every_limit_is_small_in_some_run() -> None:
    drawn = {name for one in scenarios() for name, _ in one.properties}

    assert drawn >= {prop.name for prop, _, _ in LIMITS} | {prop.name for prop, _ in ROOM}


def test_a_job_rides_along_with_some_runs_of_any_workload() -> None:
    assert 0.05 < sum(one.job is not None for one in scenarios()) / len(scenarios()) < 0.3


def test_a_job_whose_maps_refuse_its_writes_is_not_drawn() -> None:
    assert all(one.quorum == 0 for one in scenarios() if one.job is not None)
    assert any(one.quorum for one in scenarios())


def test_so_many_runs_are_calm() -> None:
    calm = [one for one in scenarios() if not list(one.fault_events())]

    assert 0.7 * CALM_SHARE < len(calm) / len(scenarios()) < 1.4 * CALM_SHARE


def test_half_of_the_calm_runs_pause_longer_than_members_are_patient() -> None:
    def is_wide(one: Scenario) -> bool:
        patience_ms = 1_000 * one.config().properties.get(known.MAX_NO_HEARTBEAT)
        return (
            sum(client_operation.pause_ms for client_operation in one.scripts[0].client_operations) / one.clients
            > patience_ms
        )

    calm = [one for one in scenarios() if not list(one.fault_events())]

    assert 0.3 < sum(map(is_wide, calm)) / len(calm) < 0.8


def test_kinds_of_faults_differ_from_seed_to_seed() -> None:
    kinds = [frozenset(fault_event.fault for fault_event in one.fault_events()) for one in scenarios()]

    assert len(set(kinds)) > len(scenarios()) / 4
    assert {name for some in kinds for name in some} == {fault.name for fault in DRAWN}


def test_options_go_together() -> None:
    draw_options = DrawOptions(faults=("duplicate",), workload="mixed", minutes=2)
    scenario = draw_scenario(3, draw_options)

    scripts = list(draw_scripts(scenario, draw_options))

    assert scenario.workload == "mixed"
    assert {fault_event.fault for script in scripts for fault_event in script.fault_events} <= {"duplicate"}
    assert scripts[0] == draw_script(scenario, draw_options, 0)


def test_workloads_can_be_named_together() -> None:
    client_operations = draw_scenario(1, DrawOptions(workload="register+lock")).scripts[0].client_operations

    assert {client_operation.use for client_operation in client_operations} == {"register", "lock"}


@pytest.mark.parametrize("name", ["register+register", "register+", "mixed+lock", "nothing"])
def test_a_name_that_means_no_workload_finds_none(name: str) -> None:
    assert find_workload(name) is None
