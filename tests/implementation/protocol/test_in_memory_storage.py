"""Three members, twelve partitions, their data, and a job.

The scenario of seed: In-Memory Storage, lived by members: a fourth one joins, then the first one fails, while a grouped
aggregation runs. Placement alone is in tests/implementation/test_in_memory_storage_story.py.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.structures.map import Get, Put
from gridproof_implementation.simulator.job_rider import owed_totals
from gridproof_implementation.simulator.rest import settle
from gridproof_model.events.jobs import ChunkWritten, CounterSaved, JobStarted, StateRestored
from gridproof_model.events.partitioning import PartitionLost, Promoted
from gridproof_model.events.words import JobStatus
from tests.implementation.protocol.clients import Clients, clients_of
from tests.implementation.protocol.filled_grids import rows
from tests.implementation.protocol.grids import SECOND_US, Grid, config_with
from tests.implementation.protocol.jobs import results, status, submit
from tests.implementation.protocol.replicas import MAP

PARTITIONS = 12
JOB = JobConfig("sums", snapshot_interval_us=SECOND_US, items_per_shard=800, item_interval_us=50_000)
"""It emits items for forty seconds, and takes a snapshot every second."""
FIRST, FOURTH = 0, 3
VALUES = {partition: f"v{partition}" for partition in range(PARTITIONS)}
Rows = list[list[int | None]]


@dataclass(frozen=True)
class Story:
    """The rows at each stage, and the grid at the end."""

    three: Rows
    four: Rows
    survivors: Rows
    clients: Clients

    @property
    def grid(self) -> Grid:
        return self.clients.grid


@cache
def story() -> Story:
    """Live it, once."""
    clients = clients_of(3, config=config_with(partition_count=PARTITIONS))
    grid = clients.grid
    clients.result_of(FIRST, Get(MAP, "nothing"))
    for partition, value in VALUES.items():
        clients.result_of(partition % 3, Put(MAP, "k", value), partition)
    submit(grid, grid.running[1], JOB)
    grid.run_for(5)
    three = rows(grid)
    grid.start()
    grid.run_for(13)
    four = rows(grid)
    grid.world.crash(grid.running[FIRST])
    assert settle(grid.world, 60 * SECOND_US) is None
    survivors = rows(grid)
    grid.run_for(60)
    return Story(three, four, survivors, clients)


def primaries_of(member: int, table: Rows) -> set[int]:
    return {partition for partition, row in enumerate(table) if row[0] == member}


def executions_with(member: int) -> list[tuple[int, ...]]:
    """Return, for each start of the job, the partitions whose saved state a member read."""
    return [event.partitions for event in story().grid.events_of(StateRestored, story().grid.world.hosts[member])]


def test_each_of_three_members_keeps_four_primaries_and_the_state_of_their_keys() -> None:
    played = story()

    for member, host in enumerate(played.grid.world.hosts[:3]):
        saved = played.grid.events_of(CounterSaved, host)[0].partitions
        assert len(primaries_of(member, played.three)) == 4
        assert set(saved) <= primaries_of(member, played.three)


def test_every_piece_of_state_is_backed_up() -> None:
    assert {event.confirmed_copies for event in story().grid.events_of(ChunkWritten)} == {2}


def test_the_fourth_member_is_given_one_primary_of_each() -> None:
    played = story()

    given = Counter(played.three[partition][0] for partition in primaries_of(FOURTH, played.four))

    assert given == {0: 1, 1: 1, 2: 1}


def test_the_job_goes_on_with_four_members_from_state_in_their_own_primaries() -> None:
    played = story()

    assert [len(event.participants) for event in played.grid.events_of(JobStarted)] == [3, 4, 3]
    assert all(set(executions_with(member)[0]) <= primaries_of(member, played.four) for member in range(4))
    assert executions_with(FOURTH)[0]


def test_the_partitions_of_the_first_member_are_promoted_from_their_backups() -> None:
    played = story()
    promoted = {event.partition for event in played.grid.events_of(Promoted)}

    assert promoted == primaries_of(FIRST, played.four)
    assert all(played.survivors[partition][0] == played.four[partition][1] for partition in promoted)
    assert {event.lost_backup_count for event in played.grid.events_of(PartitionLost)} == {0}


def test_the_survivors_back_each_other_up_and_restore_state_from_their_own_primaries() -> None:
    played = story()

    assert all(set(row[:2]) <= {1, 2, 3} and None not in row[:2] for row in played.survivors)
    assert all(set(executions_with(member)[-1]) <= primaries_of(member, played.survivors) for member in (1, 2, 3))


def test_no_entry_is_lost_and_every_item_is_counted_once() -> None:
    played = story()

    assert {partition: played.clients.result_of(1, Get(MAP, "k"), partition) for partition in VALUES} == VALUES
    assert status(played.grid) is JobStatus.COMPLETED
    assert results(played.grid, JOB) == owed_totals(JOB)
