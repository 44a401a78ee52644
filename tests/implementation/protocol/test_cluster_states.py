"""The cluster state changes everywhere or nowhere."""

from dataclasses import replace

import pytest

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.membership.cluster_states import StateLeaseOver, StateLockTimeout, StateRetry
from gridproof_implementation.protocol.membership.messages import (
    CommitState,
    Goodbye,
    JoinRefused,
    JoinRequest,
    LockState,
    RollBackState,
    StateCommitted,
    StateLocked,
    StateNotLocked,
    Transaction,
)
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.simulator.host import Host
from gridproof_model.events.words import Failure
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.grids import (
    FEW_PARTITIONS,
    SECOND_US,
    Grid,
    OneOfMany,
    make_grid,
    member_at,
    one_of,
    sent,
)

CALL = 7


def change(grid: Grid, host: Host, state: ClusterState) -> list[Answer]:
    """Have the state changed from one member; return the answers within ten seconds."""
    answers = grid.seen.answers_from_now()
    grid.world.change_cluster_state(host, CALL, state)
    grid.run_for(10)
    return answers


def states(grid: Grid) -> set[ClusterState]:
    """Return the states that running members are in."""
    return {host.member.node.membership.cluster_state for host in grid.running}


def locked(one: OneOfMany) -> Transaction:
    """Get the real member ready for a change that the master coordinates."""
    transaction = Transaction(one.id_of(0), 1)
    one.hand_over(0, LockState(transaction, one.version, one.member.node.partitions.stamp))
    return transaction


@pytest.mark.parametrize("state", [ClusterState.NO_MIGRATION, ClusterState.FROZEN, ClusterState.PASSIVE])
def test_a_state_is_changed_at_all_members(state: ClusterState) -> None:
    grid = make_grid(3)

    answers = change(grid, grid.running[1], state)

    assert states(grid) == {state}
    assert answers == [Answer(CALL, True)]


def test_a_state_is_changed_back() -> None:
    grid = make_grid(3)
    change(grid, grid.running[1], ClusterState.PASSIVE)

    change(grid, grid.running[2], ClusterState.ACTIVE)

    assert states(grid) == {ClusterState.ACTIVE}


def test_while_the_state_changes_it_is_in_transition() -> None:
    one = one_of(2, place=1)

    locked(one)

    assert one.member.node.membership.cluster_state is ClusterState.IN_TRANSITION


def test_a_member_with_another_list_is_not_ready() -> None:
    one = one_of(2, place=1)

    effects = one.hand_over(0, LockState(Transaction(one.id_of(0), 1), 9, one.member.node.partitions.stamp))

    assert [refused.why for _, refused in sent(effects, StateNotLocked)] == ["the member lists differ"]


def test_a_member_with_another_table_is_not_ready() -> None:
    one = one_of(2, place=1)

    effects = one.hand_over(0, LockState(Transaction(one.id_of(0), 1), 2, 12345))

    assert [refused.why for _, refused in sent(effects, StateNotLocked)] == ["the tables differ"]


def test_a_member_is_ready_for_one_change_at_a_time() -> None:
    one = one_of(3, place=1)
    locked(one)

    effects = one.hand_over(2, LockState(Transaction(one.id_of(2), 1), 3, one.member.node.partitions.stamp))

    assert len(sent(effects, StateNotLocked)) == 1


def test_a_roll_back_leaves_the_state_as_it_was() -> None:
    one = one_of(2, place=1)

    one.hand_over(0, RollBackState(locked(one)))

    assert one.member.node.membership.cluster_state is ClusterState.ACTIVE


def test_a_list_brings_no_state_to_a_member_that_is_ready_for_another() -> None:
    one = one_of(2, place=1)
    transaction = locked(one)

    one.hand_over(0, one.update(3, (0, 1), ClusterState.PASSIVE))
    one.hand_over(0, RollBackState(transaction))

    assert one.member.node.membership.cluster_state is ClusterState.ACTIVE


def test_a_list_without_a_state_leaves_the_state_alone() -> None:
    one = one_of(2, place=1)

    one.hand_over(0, replace(one.update(3, (0, 1)), cluster_state=None))

    assert one.member.node.membership.cluster_state is ClusterState.ACTIVE


def test_a_member_that_hears_nothing_more_stays_in_its_state() -> None:
    one = one_of(2, place=1)

    one.member.wake(StateLeaseOver(locked(one)), 60 * SECOND_US)

    assert one.member.node.membership.cluster_state is ClusterState.ACTIVE


def test_a_late_copy_of_a_commit_changes_nothing() -> None:
    one = one_of(3, place=1)
    commit = CommitState(locked(one), ClusterState.FROZEN)
    one.hand_over(0, commit)
    one.hand_over(2, CommitState(Transaction(one.id_of(2), 1), ClusterState.ACTIVE))

    effects = one.hand_over(0, commit)

    assert len(sent(effects, StateCommitted)) == 1
    assert one.member.node.membership.cluster_state is ClusterState.ACTIVE


def test_a_commit_is_repeated_until_it_is_answered() -> None:
    one = coordinating()
    everybody_is_ready(one)

    effects = one.member.wake(StateRetry(), SECOND_US)

    assert [to for to, _ in sent(effects, CommitState)] == [one.id_of(0).address, one.id_of(1).address]


def test_who_left_is_not_waited_for_when_a_state_is_committed() -> None:
    one = coordinating()
    everybody_is_ready(one)
    one.hand_over(0, StateCommitted(Transaction(one.id_of(0), 1)))
    one.hand_over(1, Goodbye())

    assert Answer(CALL, True) in one.member.wake(StateRetry(), SECOND_US)


def test_a_member_that_leaves_while_others_get_ready_spoils_the_change() -> None:
    one = coordinating()
    one.hand_over(1, Goodbye())

    assert Answer(CALL, False, Failure.ILLEGAL_STATE) in one.member.wake(StateRetry(), SECOND_US)


def test_a_silent_member_spoils_the_change() -> None:
    one = coordinating()

    effects = one.member.wake(StateLockTimeout(), 30 * SECOND_US)

    assert Answer(CALL, False, Failure.ILLEGAL_STATE) in effects
    assert len(sent(effects, RollBackState)) == 2


def test_a_member_that_is_not_ready_spoils_the_change() -> None:
    one = coordinating()

    effects = one.hand_over(1, StateNotLocked(Transaction(one.id_of(0), 1), "migrations run"))

    assert Answer(CALL, False, Failure.ILLEGAL_STATE) in effects


def test_a_second_change_is_refused_while_one_is_under_way() -> None:
    one = coordinating()

    effects = one.member.change_cluster_state(CALL + 1, ClusterState.PASSIVE, 0)

    assert Answer(CALL + 1, False, Failure.ILLEGAL_STATE) in effects


def coordinating() -> OneOfMany:
    """Return the master of two while it asks both to get ready."""
    one = one_of(2, place=0)
    one.member.change_cluster_state(CALL, ClusterState.FROZEN, 0)
    return one


def everybody_is_ready(one: OneOfMany) -> None:
    """Let both members be ready."""
    for place in (0, 1):
        one.hand_over(place, StateLocked(Transaction(one.id_of(0), 1)))


def test_a_coordinator_that_dies_leaves_no_member_in_another_state() -> None:
    grid = make_grid(4)
    grid.world.change_cluster_state(grid.running[1], CALL, ClusterState.FROZEN)
    grid.run_for(0.0005)

    grid.world.crash(grid.world.hosts[1])
    grid.run_for(200)

    assert len(states(grid)) == 1


@pytest.mark.parametrize("state", [ClusterState.FROZEN, ClusterState.PASSIVE])
def test_nobody_new_joins_a_frozen_or_passive_cluster(state: ClusterState) -> None:
    grid = make_grid(2)
    change(grid, grid.running[0], state)

    grid.start(1)
    grid.run_for(10)

    assert grid.world.hosts[2].member.node.membership.is_joined is False


def test_members_join_where_there_are_no_migrations() -> None:
    grid = make_grid(2)
    change(grid, grid.running[0], ClusterState.NO_MIGRATION)

    grid.start(1)

    assert grid.lists() == [[0, 1, 2]]


def test_nobody_joins_while_the_state_changes() -> None:
    one = one_of(2, place=0)
    locked(one)

    effects = one.member.receive(member_at(7).id, JoinRequest(member_at(7), FEW_PARTITIONS), 0)

    assert len(sent(effects, JoinRefused)) == 1


def test_a_missing_member_may_come_back_to_a_frozen_cluster() -> None:
    grid = make_grid(3)
    change(grid, grid.running[0], ClusterState.FROZEN)
    grid.world.crash(grid.world.hosts[2])
    grid.run_for(5)

    grid.world.restart(2)
    grid.run_for(5)

    assert grid.lists() == [[0, 1, 3]]


def test_a_member_that_comes_back_has_its_place_in_the_table() -> None:
    grid = make_grid(3)
    grid.ask(grid.running[0], Put(StructureId("map", "shelf"), "a", "1"))
    change(grid, grid.running[0], ClusterState.FROZEN)
    before = grid.running[0].member.node.partitions.rows[0].slot_of(grid.running[2].description.id)
    grid.world.crash(grid.world.hosts[2])
    grid.run_for(5)

    back = grid.world.restart(2)
    grid.run_for(5)

    rows = [host.member.node.partitions.rows[0] for host in grid.running]
    assert [row.slot_of(back.description.id) for row in rows] == [before] * 3


def test_a_joiner_learns_the_state_of_the_cluster() -> None:
    grid = make_grid(2)
    change(grid, grid.running[0], ClusterState.NO_MIGRATION)

    (joiner,) = grid.start(1)

    assert joiner.member.node.membership.cluster_state is ClusterState.NO_MIGRATION
