"""A grid at rest, and one that only looks so."""

from gridproof_implementation.simulator.faults import FAULTS_BY_NAME
from gridproof_implementation.simulator.rest import settle, why_restless
from gridproof_implementation.simulator.scenario import FaultEvent
from gridproof_model.membership import ClusterState
from tests.implementation.simulator.worlds import SECOND_US, started_world


def test_members_that_hear_each_other_are_at_rest() -> None:
    assert why_restless(started_world()) is None


def test_a_grid_waits_for_who_fell_silent_and_is_not_removed_yet() -> None:
    world = started_world()
    world.links.at(2, 0).cuts = 1
    world.run(world.now_us + 4 * SECOND_US)

    assert why_restless(world) == "member 0 to hear from all others"


def test_a_grid_comes_to_rest_once_the_silent_one_is_heard_again() -> None:
    world = started_world()
    world.links.at(2, 0).cuts = 1
    world.run(world.now_us + 4 * SECOND_US)
    world.links.at(2, 0).cuts = 0

    assert settle(world, 3 * SECOND_US) is None
    assert len(world.hosts[0].member.node.membership.members) == 3


def test_a_grid_waits_for_who_has_asked_to_leave_a_master_that_is_gone() -> None:
    world = started_world()
    world.crash(world.hosts[0])
    world.leave(world.hosts[1])

    assert settle(world, 20 * SECOND_US) is None
    assert not world.hosts[1].alive


def test_a_grid_waits_for_members_that_have_promised_another_cluster_state() -> None:
    world = started_world()
    world.links.at(2, 0).dropped_kinds = ("StateLocked",)
    world.change_cluster_state(world.hosts[0], -1, ClusterState.FROZEN)
    world.run(world.now_us + SECOND_US // 10)

    assert why_restless(world) == "member 0 to change the cluster state, or not to"


def test_a_grid_waits_for_a_fault_whose_healing_did_not_succeed() -> None:
    world, fault_event = started_world(), FaultEvent("cluster-state", 0, 0, (1,), 1)
    fault = FAULTS_BY_NAME["cluster-state"]
    fault.inject(world, fault_event)
    world.run(world.now_us + SECOND_US // 10)
    world.change_cluster_state(world.hosts[1], -1, ClusterState.NO_MIGRATION)

    fault.heal(world, fault_event)
    world.run(world.now_us + SECOND_US // 10)

    assert why_restless(world) == "a fault to heal"
    assert settle(world, 5 * SECOND_US) is None
    assert world.hosts[0].member.node.membership.cluster_state is ClusterState.ACTIVE
