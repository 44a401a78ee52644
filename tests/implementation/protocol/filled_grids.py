"""Grids with an entry in every partition."""

from collections.abc import Sequence

from gridproof_implementation.placement.policy import PlacementPolicy
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.partitioning.part import PartitioningPart
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_implementation.simulator.host import Host
from gridproof_model.grid_config import BackupCounts, GridConfig, StructureConfig, StructureKind
from gridproof_model.grid_properties import PropertySet
from gridproof_model.groups import PartitionGroupConfig
from tests.implementation.protocol.grids import Grid, empty_grid

MAP = StructureId("map", "a")
PARTITIONS = 7
VALUES = [f"v{partition}" for partition in range(PARTITIONS)]


def config_of(backups: int = 1, groups: PartitionGroupConfig | None = None, **properties: object) -> GridConfig:
    """Return a configuration with few partitions and so many sync backups."""
    texts = {f"hazelcast.{name.replace('_', '.')}": str(value) for name, value in properties.items()}
    return GridConfig(
        structures=(StructureConfig(StructureKind.MAP, "default", BackupCounts(backups)),),
        partition_groups=groups or PartitionGroupConfig(enabled=False),
        properties=PropertySet.of({"hazelcast.partition.count": str(PARTITIONS)} | texts),
    )


def filled(
    members: int = 3, *, seed: int = 1, config: GridConfig | None = None, policy: PlacementPolicy | None = None
) -> Grid:
    """Return a grid at rest with one entry in each partition."""
    grid = empty_grid(seed, config or config_of(), policy)
    grid.start(members)
    arrange(grid)
    put(grid, VALUES)
    grid.run_for(10)
    return grid


def arrange(grid: Grid) -> None:
    """Let everybody have the table before anything is written: the first backups may be dropped else (HZ-19)."""
    grid.world.call(grid.running[0], Call(0, Get(MAP, "k"), 0))
    grid.run_for(1)


def put(grid: Grid, values: Sequence[str]) -> None:
    """Put a value into each partition, from members in turn."""
    for partition, value in enumerate(values):
        host = grid.running[partition % len(grid.running)]
        grid.world.call(host, Call(partition, Put(MAP, "k", value), partition))


def values(grid: Grid) -> list[object]:
    """Return what is read from each partition."""
    answers = grid.seen.answers_from_now()
    for partition in range(PARTITIONS):
        grid.world.call(grid.running[0], Call(partition, Get(MAP, "k"), partition))
    grid.run_for(30)
    found = {answer.call: answer.value for answer in answers}
    return [found.get(partition) for partition in range(PARTITIONS)]


def part_of(host: Host) -> PartitioningPart:
    """Return the partitioning machine of a member."""
    part = host.member.node.partitions
    assert isinstance(part, PartitioningPart)
    return part


def rows(grid: Grid) -> list[list[int | None]]:
    """Return the rows of the oldest running member, as numbers of members, empty slots at the end left out."""
    found: list[list[int | None]] = []
    for row in part_of(grid.running[0]).rows:
        numbers = [None if slot is None else grid.number_of(slot) for slot in row.slots]
        while numbers and numbers[-1] is None:
            numbers.pop()
        found.append(numbers)
    return found


def why_unsettled(grid: Grid) -> str | None:
    """Return what is not at rest, or None: equal tables, full rows, nothing moving, no data without a slot."""
    if len({part_of(host).stamp for host in grid.running}) != 1:
        return "tables differ"
    for host in grid.running:
        part, node = part_of(host), host.member.node
        if part.is_moving or part.table.active:
            return f"member {host.number} still moves something"
        owners = min(len(node.membership.members.data_members), 7)
        for partition, row in enumerate(part.rows):
            if len(row.replicas) != owners or None in row.slots[:owners]:
                return f"partition {partition} is not full at member {host.number}"
            if row.slot_of(node.me) is None and node.replicas.namespaces(partition):
                return f"member {host.number} holds data of partition {partition} without a slot"
    return None
