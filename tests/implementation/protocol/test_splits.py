"""The network is cut: halves go on by themselves."""

from tests.implementation.protocol.grids import make_grid


def test_both_halves_of_a_split_go_on() -> None:
    grid = make_grid(5)
    hosts = grid.world.hosts

    grid.cut(hosts[:2], hosts[2:])
    grid.run_for(200)

    assert grid.lists() == [[0, 1], [2, 3, 4]]


def test_a_master_alone_goes_on_without_those_it_lost() -> None:
    grid = make_grid(3)
    hosts = grid.world.hosts

    grid.cut(hosts[:1], hosts[1:])
    grid.run_for(200)

    assert grid.lists() == [[0], [1, 2]]


def test_a_member_cut_off_from_the_master_alone_is_removed_and_leaves_the_others_too() -> None:
    grid = make_grid(4)
    hosts = grid.world.hosts

    grid.cut(hosts[:1], hosts[3:])
    grid.run_for(200)

    assert grid.lists() == [[0, 1, 2], [3]]


def test_a_cut_between_two_members_that_are_not_master_changes_no_list() -> None:
    grid = make_grid(4)
    hosts = grid.world.hosts

    grid.cut(hosts[1:2], hosts[2:3])
    grid.run_for(200)

    assert grid.lists() == [[0, 1, 2, 3]]


def test_overlapping_majorities_become_disjoint_lists() -> None:
    grid = make_grid(5)
    hosts = grid.world.hosts

    grid.cut(hosts[:2], hosts[3:])
    grid.run_for(300)

    everybody = sorted(number for members in grid.lists() for number in members)
    assert everybody == [0, 1, 2, 3, 4]


def test_a_short_cut_changes_no_list() -> None:
    grid = make_grid(4)
    hosts = grid.world.hosts

    grid.cut(hosts[:2], hosts[2:])
    grid.run_for(40)
    grid.heal()
    grid.run_for(100)

    assert grid.lists() == [[0, 1, 2, 3]]
