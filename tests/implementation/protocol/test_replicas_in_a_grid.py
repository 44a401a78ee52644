"""Copies of a whole grid are kept equal.

Source: chapter backups, chapter sync.
"""

from collections.abc import Sequence

from gridproof_implementation.protocol.anti_entropy.part import AntiEntropyPart
from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_implementation.simulator.host import Host
from gridproof_model.events.anti_entropy import SyncInstalled, SyncRequested
from gridproof_model.grid_config import GridConfig
from tests.implementation.protocol.grids import Grid, make_grid
from tests.implementation.protocol.replicas import MAP, NAMESPACE, P, config_of


def put_many(grid: Grid, count: int, *, keys: int = 4, first: int = 0) -> list[Answer]:
    """Put values through all members in turn, all at once; return the answers."""
    answers = grid.seen.answers_from_now()
    for number in range(first, first + count):
        host = grid.running[number % len(grid.running)]
        grid.world.call(host, Call(number, Put(MAP, f"k{number % keys}", f"v{number}"), P))
    grid.run_for(2)
    return answers


def settled(members: int, config: GridConfig) -> Grid:
    """Return a grid whose partitions are assigned."""
    grid = make_grid(members, config=config)
    grid.world.call(grid.running[0], Call(-1, Get(MAP, "k"), P))
    grid.run_for(20)
    return grid


def holders(grid: Grid) -> list[Host]:
    """Return the members in the row of the partition, hottest first."""
    by_id = {host.description.id: host for host in grid.running}
    return [by_id[member] for member in grid.running[0].member.node.partitions.rows[P].replicas]


def contents(hosts: Sequence[Host]) -> list[dict[str, str]]:
    """Return what members hold of the map, in the partition."""
    found: list[dict[str, str]] = []
    for host in hosts:
        fragment = host.member.node.replicas.fragment(P, NAMESPACE)
        found.append(dict(host.member.node.replicas.structure_in(fragment, MAP).entries()))
    return found


def lose_backups(grid: Grid, share: float) -> None:
    """Lose a share of what the primary sends to its backups."""
    primary, *backups = holders(grid)
    for backup in backups:
        grid.world.links.at(primary.address_index, backup.address_index).drop_share = share


def test_all_copies_are_equal_after_calls_without_faults() -> None:
    grid = settled(3, config_of(1, 1))

    answers = put_many(grid, 50)

    assert [answer.failure for answer in answers] == [None] * 50
    first, *others = contents(holders(grid))
    assert others == [first, first]


def test_without_faults_no_sync_is_asked_for() -> None:
    grid = settled(3, config_of(1, 1, partition_backup_sync_interval=1))

    for burst in range(10):
        put_many(grid, 30, first=burst * 30)

    assert grid.events_of(SyncRequested) == []


def test_a_round_of_anti_entropy_brings_backups_what_they_missed() -> None:
    grid = settled(3, config_of(1, 1))
    lose_backups(grid, 1.0)
    put_many(grid, 5)
    first, *others = contents(holders(grid))
    assert others == [{}, {}]
    grid.heal()

    grid.run_for(40)

    first, *others = contents(holders(grid))
    assert others == [first, first]


def test_backups_become_equal_whatever_share_of_the_messages_is_lost() -> None:
    grid = settled(3, config_of(1, 1, partition_backup_sync_interval=2, partition_migration_timeout=10))
    lose_backups(grid, 0.65)
    put_many(grid, 200)
    grid.heal()

    grid.run_for(30)

    first, *others = contents(holders(grid))
    assert others == [first, first]


def test_all_permits_return_once_nothing_is_under_way() -> None:
    grid = settled(3, config_of(1, 1, partition_backup_sync_interval=2, partition_migration_timeout=10))
    lose_backups(grid, 0.65)
    put_many(grid, 200)
    grid.heal()

    grid.run_for(30)

    assert [free_permits(host) for host in grid.running] == [10, 10, 10]


def free_permits(host: Host) -> int:
    """Return how many syncs may begin at a member."""
    anti_entropy = host.member.node.anti_entropy
    assert isinstance(anti_entropy, AntiEntropyPart)
    return anti_entropy.syncs.free_permits


def test_a_lost_answer_blocks_the_next_sync_until_its_registration_expires() -> None:
    grid = settled(2, config_of(1, partition_backup_sync_interval=1, partition_migration_timeout=60))
    lose_backups(grid, 1.0)
    put_many(grid, 1)
    grid.heal()
    primary, backup = holders(grid)
    while not grid.events_of(SyncRequested):
        grid.world.run(grid.world.now_us + 90)
    grid.world.links.at(primary.address_index, backup.address_index).drop_share = 1.0
    grid.run_for(1)
    grid.heal()

    grid.run_for(50)
    assert grid.events_of(SyncInstalled) == []
    grid.run_for(15)
    assert grid.events_of(SyncInstalled)


def test_versions_of_a_destroyed_structure_vanish_everywhere() -> None:
    grid = settled(3, config_of(1, 1))
    put_many(grid, 5)
    grid.world.enter(grid.running[2], GridMember.destroy, MAP)

    grid.run_for(40)

    assert [host.member.node.replicas.namespaces(P) for host in grid.running] == [[], [], []]


def test_a_destroyed_structure_can_be_made_anew() -> None:
    grid = settled(3, config_of(1, 1))
    put_many(grid, 5)
    grid.world.enter(grid.running[2], GridMember.destroy, MAP)
    grid.run_for(1)

    put_many(grid, 5, first=100)
    grid.run_for(40)

    first, *others = contents(holders(grid))
    assert (len(first), others) == (4, [first, first])
