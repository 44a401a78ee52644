"""The first arrangement, and how tables reach the members.

table.10, table.12.
"""

import pytest

from gridproof_implementation.protocol.effects import Effect, SetTimer
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.partitioning.messages import (
    AssignPartitions,
    CompletedRefused,
    TableState,
)
from gridproof_implementation.protocol.partitioning.part import NudgeAgain
from gridproof_implementation.protocol.partitioning.table import SendTable
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.grids import OneOfMany, config_with, make_grid, one_of, sent
from tests.implementation.protocol.tables import (
    effects_of,
    give_table,
    install,
    move,
    order_of,
    part_of,
    row_of,
    succeeded,
)

READ = Get(StructureId("map", "a"), "k")


def master() -> OneOfMany:
    """Return the master of three members, with a table."""
    one = one_of(3, place=0)
    install(one, row_of(one, [1, 2], 2))
    return one


def send_interval_over(one: OneOfMany) -> list[Effect]:
    """Let the send interval of a member end."""
    return one.member.wake(SendTable(), 15_000_000)


def test_nothing_is_arranged_before_somebody_asks_for_an_owner() -> None:
    grid = make_grid(3)

    grid.run_for(60)

    assert {host.member.node.partitions.stamp for host in grid.running} == {0}


def test_whoever_needs_an_owner_nudges_the_master() -> None:
    one = one_of(3, place=1)

    effects = one.member.call(Call(1, READ, 0), 0)

    assert [address for address, _ in sent(effects, AssignPartitions)] == [one.id_of(0).address]


def test_at_most_one_nudge_is_outstanding() -> None:
    one = one_of(3, place=1)
    one.member.call(Call(1, READ, 0), 0)

    second = one.member.call(Call(2, READ, 1), 0)
    one.member.wake(NudgeAgain(), 1_000_000)
    third = one.member.call(Call(3, READ, 2), 1_000_000)

    assert [len(sent(step, AssignPartitions)) for step in (second, third)] == [0, 1]


def test_a_nudged_master_fills_every_row_and_notifies_everybody() -> None:
    one = one_of(3, place=0)

    effects = one.hand_over(1, AssignPartitions())

    assert all(row.version == 3 and len(row.replicas) == 3 for row in part_of(one).rows)
    assert [address for address, _ in sent(effects, TableState)] == [one.id_of(1).address, one.id_of(2).address]


def test_a_master_that_has_a_table_answers_a_nudge_with_it() -> None:
    one = master()

    tables = sent(one.hand_over(1, AssignPartitions()), TableState)

    assert [address for address, _ in tables] == [one.id_of(1).address]
    assert tables[0][1].rows == tuple(part_of(one).rows)


@pytest.mark.parametrize("state", [ClusterState.NO_MIGRATION, ClusterState.FROZEN])
def test_nothing_is_arranged_where_nothing_may_migrate(state: ClusterState) -> None:
    grid = make_grid(2)
    grid.world.change_cluster_state(grid.running[0], 1, state)
    grid.run_for(5)

    grid.ask(grid.running[1], READ, seconds=5)

    assert grid.running[0].member.node.partitions.stamp == 0


def test_lite_members_alone_arrange_nothing() -> None:
    grid = make_grid()
    grid.start(2, lite=True)

    grid.ask(grid.running[1], READ, seconds=5)

    assert grid.running[0].member.node.partitions.stamp == 0


def test_everybody_has_the_table_after_the_first_arrangement() -> None:
    grid = make_grid(3)

    grid.ask(grid.running[2], READ)

    assert len({tuple(host.member.node.partitions.rows) for host in grid.running}) == 1


def test_the_master_sends_its_table_to_every_member_every_send_interval() -> None:
    one = master()

    first, second = (sent(send_interval_over(one), TableState) for _ in range(2))

    assert [address for address, _ in first] == [one.id_of(place).address for place in (1, 2)]
    assert first == second
    assert first[0][1].rows == tuple(part_of(one).rows)


def test_a_send_interval_is_fifteen_seconds() -> None:
    one = master()

    (timer,) = [effect for effect in send_interval_over(one) if isinstance(effect, SetTimer)]

    assert timer == SetTimer(SendTable(), 15_000_000)


def test_only_the_master_sends_its_table() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [0, 1], 2))

    assert sent(send_interval_over(one), TableState) == []


def test_nothing_is_published_while_migrations_are_paused() -> None:
    one = master()
    part_of(one).pause()

    assert sent(send_interval_over(one), TableState) == []


def test_no_table_is_sent_while_something_migrates() -> None:
    one = master()
    effects_of(one, lambda: part_of(one).control.migrations.begin({0: [move(one, 2, 0, slot=1)]}))

    assert sent(send_interval_over(one), TableState) == []


def test_what_was_not_acknowledged_is_published_again() -> None:
    one = master()
    done = succeeded(order_of(one, move(one, 1, 2), primary=1, version=1))
    part_of(one).table.remember(done)

    assert [table.completed for _, table in sent(send_interval_over(one), TableState)] == [(done,), (done,)]


def test_a_member_that_a_batch_does_not_fit_is_sent_the_table() -> None:
    one = master()

    effects = one.hand_over(2, CompletedRefused())

    assert [address for address, _ in sent(effects, TableState)] == [one.id_of(2).address]


def test_a_lost_table_is_made_good_within_one_send_interval() -> None:
    grid = make_grid(3, config=config_with(partition_count=5, partition_table_send_interval=2))
    first, _, third = grid.running
    grid.world.links.at(first.address_index, third.address_index).dropped_kinds = ("TableState",)
    grid.ask(grid.running[1], READ, seconds=1)
    before = third.member.node.partitions.stamp
    grid.heal()

    grid.run_for(2)

    assert (before, third.member.node.partitions.stamp) == (0, first.member.node.partitions.stamp)


def test_a_joiner_is_given_the_table() -> None:
    grid = make_grid(2)
    grid.ask(grid.running[0], READ)

    (newcomer,) = grid.start()

    assert newcomer.member.node.partitions.stamp == grid.running[0].member.node.partitions.stamp
