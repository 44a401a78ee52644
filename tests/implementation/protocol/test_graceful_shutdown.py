"""A member leaves without loss.

leaving.1; seed: Best-Effort Consistency.
"""

import pytest

from gridproof_implementation.protocol.effects import Stop
from gridproof_implementation.protocol.membership.messages import Goodbye
from gridproof_implementation.protocol.partitioning.control import AskAgain
from gridproof_implementation.protocol.partitioning.messages import ShutdownRequest, ShutdownResponse
from gridproof_model.events.partitioning import PartitionLost, ShutdownEnded
from gridproof_model.events.words import WhyLeaverGoes
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.filled_grids import VALUES, config_of, filled, rows, values, why_unsettled
from tests.implementation.protocol.grids import OneOfMany, events_in, make_grid, one_of, sent
from tests.implementation.protocol.tables import effects_of, give_table, install, move, part_of, row_of


def master() -> OneOfMany:
    """Return the master of four members, rows [1, 2] everywhere."""
    one = one_of(4, place=0)
    install(one, row_of(one, [1, 2], 2))
    return one


def ask(one: OneOfMany, place: int) -> list[tuple[object, ShutdownResponse]]:
    """Let a member ask the master to leave; return the answers."""
    return [*sent(one.hand_over(place, ShutdownRequest(one.id_of(place))), ShutdownResponse)]


@pytest.mark.parametrize("leavers", [[1], [0], [1, 2], [0, 3]])
def test_nothing_is_lost_without_backups_whoever_leaves(leavers: list[int]) -> None:
    grid = filled(4, config=config_of(backups=0))
    hosts = [grid.running[number] for number in leavers]

    for host in hosts:
        grid.world.leave(host)
    grid.run_for(60)

    assert [host.alive for host in hosts] == [False] * len(hosts)
    assert why_unsettled(grid) is None
    assert values(grid) == VALUES
    assert grid.events_of(PartitionLost) == []


def test_members_leave_one_after_another_until_one_is_left() -> None:
    grid = filled(4, config=config_of(backups=0))
    for _ in range(3):
        grid.world.leave(grid.running[0])
        grid.run_for(30)

    assert len(grid.running) == 1
    assert values(grid) == VALUES


def test_nothing_is_lost_when_the_master_crashes_while_a_member_leaves() -> None:
    grid = filled(4)
    leaver = grid.running[2]
    grid.world.leave(leaver)
    grid.run_for(0.001)

    grid.world.crash(grid.running[0])
    grid.run_for(60)

    assert not leaver.alive
    assert why_unsettled(grid) is None
    assert values(grid) == VALUES


def test_all_members_leave_at_once() -> None:
    grid = filled(3)
    for host in grid.running:
        grid.world.leave(host)

    grid.run_for(10)

    assert grid.running == []


def test_the_last_member_leaves() -> None:
    grid = filled(1)

    grid.world.leave(grid.running[0])
    grid.run_for(5)

    assert grid.running == []


def test_a_leaving_member_is_asked_to_be_let_go_every_second() -> None:
    one = one_of(3, place=1)
    give_table(one, row_of(one, [1, 0], 2))
    first = one.member.leave(0)

    again = one.member.wake(AskAgain(), 1_000_000)

    assert sent(first, ShutdownRequest) == sent(again, ShutdownRequest) != []


def test_a_leaving_member_says_goodbye_and_ends_when_it_is_answered() -> None:
    one = one_of(3, place=1)
    one.member.leave(0)

    effects = one.hand_over(0, ShutdownResponse(one.id_of(1)))

    assert sent(effects, Goodbye)
    assert effects[-1] == Stop()


def test_an_answer_for_another_incarnation_lets_nobody_go() -> None:
    one = one_of(3, place=1)
    one.member.leave(0)

    assert one.hand_over(0, ShutdownResponse(one.id_of(2))) == []


def test_after_ten_minutes_a_member_goes_without_an_answer() -> None:
    one = one_of(3, place=1)
    one.member.leave(0)

    assert events_in(one.member.wake(AskAgain(), 599_000_000), ShutdownEnded) == []
    assert events_in(one.member.wake(AskAgain(), 600_000_000), ShutdownEnded) == [
        ShutdownEnded(WhyLeaverGoes.WAITED_TOO_LONG)
    ]


def test_a_lite_member_leaves_at_once() -> None:
    grid = make_grid(1)
    (lite,) = grid.start(lite=True)

    grid.world.leave(lite)

    assert not lite.alive


def test_a_member_that_has_not_joined_leaves_at_once() -> None:
    grid = make_grid(1)
    host = grid.world.start_member()

    grid.world.leave(host)

    assert not host.alive


def test_before_the_first_arrangement_a_member_is_let_go_at_once() -> None:
    one = one_of(4, place=0)

    assert len(ask(one, 3)) == 1


@pytest.mark.parametrize("state", [ClusterState.NO_MIGRATION, ClusterState.FROZEN, ClusterState.PASSIVE])
def test_where_nothing_may_migrate_a_member_is_let_go_with_its_data(state: ClusterState) -> None:
    grid = filled(3, config=config_of(backups=0))
    grid.world.change_cluster_state(grid.running[0], 1, state)
    grid.run_for(5)
    leaver = grid.running[1]

    grid.world.leave(leaver)
    grid.run_for(2)

    assert not leaver.alive


def test_a_member_in_a_row_is_not_let_go() -> None:
    one = master()

    assert [ask(one, 1), ask(one, 1)] == [[], []]


def test_a_member_in_no_row_is_let_go() -> None:
    one = master()
    departures = part_of(one).control.departures
    departures.leavers[one.id_of(3)] = departures.leavers[one.id_of(2)] = None

    answers = sent(effects_of(one, departures.let_go), ShutdownResponse)

    assert [response.leaver for _, response in answers] == [one.id_of(3)]


def test_a_member_to_which_a_migration_is_under_way_is_not_let_go() -> None:
    one = master()
    leaver, part = one.id_of(3), part_of(one)
    before = part.control.departures.is_absent(leaver)

    effects_of(one, lambda: part.control.migrations.begin({0: [move(one, 1, 3)]}))

    assert (before, part.control.departures.is_absent(leaver)) == (True, False)


def test_a_member_that_asked_to_leave_is_given_nothing() -> None:
    grid = filled(3)
    leaver = grid.running[1]
    grid.world.leave(leaver)
    grid.run_for(0.0005)

    grid.start()
    grid.run_for(30)

    assert not leaver.alive
    assert all(leaver.number not in row for row in rows(grid))


def test_an_answer_that_is_lost_is_given_again() -> None:
    grid = filled(3)
    leaver, master_host = grid.running[1], grid.running[0]
    grid.world.links.at(master_host.address_index, leaver.address_index).dropped_kinds = ("ShutdownResponse",)
    grid.world.leave(leaver)
    grid.run_for(10)
    before = leaver.alive
    grid.heal()

    grid.run_for(2)

    assert (before, leaver.alive) == (True, False)
