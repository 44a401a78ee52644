"""Partition groups of every type, with the members that run.

Source: seed: Partition Group Configuration.
"""

from collections.abc import Sequence

import pytest

from gridproof_implementation.simulator.rest import settle
from gridproof_model.groups import HOST_ATTRIBUTE, NODE_ATTRIBUTE, ZONE_ATTRIBUTE, GroupType, PartitionGroupConfig
from gridproof_model.membership import Address, Member
from tests.implementation.protocol.filled_grids import VALUES, arrange, config_of, put, values
from tests.implementation.protocol.grids import SECOND_US, Grid, empty_grid

ADDRESSES = [Address(f"10.10.{network}.1", port) for network in (0, 1) for port in (5701, 5702)]
"""Two machines, two members on each."""


def by_network(members: Sequence[Member]) -> list[list[Member]]:
    """Return the members of each machine, as a user's own strategy."""
    return [[member for member in members if member.id.address.host == host] for host in ("10.10.0.1", "10.10.1.1")]


GROUPINGS = {
    "HOST_AWARE": PartitionGroupConfig(GroupType.HOST_AWARE),
    "CUSTOM": PartitionGroupConfig(GroupType.CUSTOM, (("10.10.0.*",), ("10.10.1.1-9",))),
    "ZONE_AWARE": PartitionGroupConfig(GroupType.ZONE_AWARE),
    "NODE_AWARE": PartitionGroupConfig(GroupType.NODE_AWARE),
    "SPI": PartitionGroupConfig(GroupType.SPI, spi=by_network),
}
"""Each makes a group of every machine."""
EVERY_GROUPING = pytest.mark.parametrize("grouping", GROUPINGS.values(), ids=GROUPINGS)


def grid_of(grouping: PartitionGroupConfig) -> Grid:
    """Return four members at rest, an entry in each partition."""
    grid = empty_grid(1, config_of(groups=grouping))
    for address in ADDRESSES:
        attributes = [(name, address.host) for name in (ZONE_ATTRIBUTE, HOST_ATTRIBUTE, NODE_ATTRIBUTE)]
        grid.world.start_member(address=address, attributes=tuple(attributes))
        grid.run_for(1)
    arrange(grid)
    put(grid, VALUES)
    assert settle(grid.world, 60 * SECOND_US) is None
    return grid


def replicas(grid: Grid) -> list[list[Address]]:
    """Return where the replicas of each partition are."""
    return [[slot.address for slot in row.replicas] for row in grid.running[0].member.node.partitions.rows]


@EVERY_GROUPING
def test_the_replicas_of_a_partition_are_on_different_machines(grouping: PartitionGroupConfig) -> None:
    found = replicas(grid_of(grouping))

    assert all(len(row) == len({address.host for address in row}) == 2 for row in found)


@EVERY_GROUPING
def test_a_whole_machine_that_fails_takes_no_data_along(grouping: PartitionGroupConfig) -> None:
    grid = grid_of(grouping)
    for host in grid.running[2:]:
        grid.world.crash(host)
    grid.run_for(30)

    assert values(grid) == VALUES


def test_per_member_groups_spread_replicas_over_all_members() -> None:
    found = replicas(grid_of(PartitionGroupConfig(GroupType.PER_MEMBER)))

    assert all(len(set(row)) == 4 for row in found)
