"""Snapshots of stream jobs: two maps, ids, missed backups."""

from dataclasses import replace
from typing import cast

import pytest

from gridproof_implementation.protocol.calls import Backup
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.records import snapshot_map
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.job_rider import owed_totals
from gridproof_model.events.jobs import (
    ChunkWritten,
    CounterSaved,
    JobEnded,
    JobStarted,
    SnapshotBegun,
    SnapshotFailed,
    SnapshotRecorded,
    SourceSaved,
    StateRestored,
)
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import JobStatus
from gridproof_model.membership import MemberId
from tests.implementation.protocol.grids import SECOND_US, Grid, make_grid
from tests.implementation.protocol.jobs import (
    AT_LEAST_ONCE,
    SUMS,
    entries_at,
    primary_entries,
    results,
    status,
    submit,
)

LONG = replace(SUMS, items_per_shard=3000)


def run_with(job: JobConfig, members: int = 3, seconds: float = 2.0) -> Grid:
    """Return a grid on which a job has run for a while."""
    grid = make_grid(members)
    submit(grid, grid.running[0], job)
    grid.run_for(seconds)
    return grid


def run_until(grid: Grid, kind: type[TraceEvent]) -> None:
    """Let time pass until somebody records such a step, a minute at most."""
    end_us = grid.world.now_us + 60 * SECOND_US
    while not grid.events_of(kind) and grid.world.now_us < end_us:
        grid.run_for(0.1)


def test_snapshots_go_into_two_maps_in_turn() -> None:
    grid = run_with(SUMS, seconds=4)

    assert [event.map_index for event in grid.events_of(SnapshotRecorded)] == [0, 1, 0]


def test_a_map_is_cleared_once_the_other_is_recorded() -> None:
    grid = run_with(SUMS)

    assert primary_entries(grid, snapshot_map("sums", 0))
    assert not primary_entries(grid, snapshot_map("sums", 1))


def test_every_processor_and_source_saves_its_state_once_a_snapshot() -> None:
    grid = run_with(SUMS)

    for kind in (SourceSaved, CounterSaved):
        assert len(grid.events_of(kind)) == 3


def test_chunks_stay_at_their_members_primaries_and_are_backed_up_elsewhere() -> None:
    grid = run_with(SUMS)

    for host in grid.running:
        saved = [event for event in grid.events_of(CounterSaved, host) if event.partitions]
        for partition in saved[0].partitions:
            assert host.member.node.partitions.rows[partition].slots[0] == host.description.id
    assert all(event.confirmed_copies == 2 for event in grid.events_of(ChunkWritten))


def test_state_larger_than_a_chunk_takes_several() -> None:
    small = run_with(replace(SUMS, chunk_limit_bytes=20))
    large = run_with(SUMS)

    assert len(small.events_of(ChunkWritten)) > len(large.events_of(ChunkWritten))


def test_state_in_several_chunks_is_restored_whole() -> None:
    job = replace(SUMS, chunk_limit_bytes=20)
    grid = run_with(job)
    grid.world.crash(grid.running[2])
    grid.run_for(30)

    assert results(grid, job) == owed_totals(job)


def test_one_snapshot_is_in_progress_at_a_time() -> None:
    grid = run_with(replace(SUMS, snapshot_interval_us=1), seconds=1)

    steps = [event for _, event in grid.events if isinstance(event, SnapshotBegun | SnapshotRecorded)]
    assert len(steps) > 20
    assert all(isinstance(event, SnapshotBegun) == (place % 2 == 0) for place, event in enumerate(steps))


def test_state_is_restored_from_local_primary_partitions() -> None:
    grid = run_with(SUMS)
    grid.world.crash(grid.running[2])
    grid.run_for(10)

    for host in grid.running:
        (restored,) = grid.events_of(StateRestored, host)
        rows = host.member.node.partitions.rows
        assert restored.partitions
        assert all(rows[partition].slots[0] == host.description.id for partition in restored.partitions)


class DeafBackup:
    """A member that never gets what backs up a snapshot map, while there is one."""

    def __init__(self) -> None:
        self.host: Host | None = None

    def may_hear(self, part: ReplicationPart, backup: Backup) -> bool:
        is_chunk = backup.operation.structure.name.startswith("__jet.snapshot")
        return not is_chunk or self.host is None or part is not self.host.member.node.replicas


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> DeafBackup:
    """Return the choice of such a member; for grids made afterwards."""
    deaf = DeafBackup()
    hear = ReplicationPart.on_backup

    def on_backup(part: ReplicationPart, sender: MemberId, backup: Backup) -> None:
        if deaf.may_hear(part, backup):
            hear(part, sender, backup)

    monkeypatch.setattr(ReplicationPart, "on_backup", on_backup)
    return deaf


def test_a_chunk_without_its_backups_word_fails_the_snapshot(deaf: DeafBackup) -> None:
    grid = make_grid(3)
    deaf.host = grid.running[1]
    submit(grid, grid.running[0], LONG)
    run_until(grid, SnapshotFailed)

    assert not grid.events_of(SnapshotRecorded)
    assert status(grid) is JobStatus.RUNNING


def test_a_failed_snapshot_consumes_its_id_and_leaves_the_recorded_one(deaf: DeafBackup) -> None:
    grid = run_with(LONG)
    deaf.host = grid.running[1]
    run_until(grid, SnapshotFailed)
    deaf.host = None
    grid.run_for(3)

    assert [event.snapshot for event in grid.events_of(SnapshotFailed)] == [2]
    assert [(event.snapshot, event.map_index) for event in grid.events_of(SnapshotRecorded)][:2] == [(1, 0), (3, 1)]


def test_as_delivered_a_missed_backup_corrupts_a_completed_snapshot(deaf: DeafBackup) -> None:
    grid = make_grid(3)
    deaf.host = grid.running[0]
    submit(grid, grid.running[0], replace(LONG, fail_on_indeterminate=False))
    run_until(grid, SnapshotRecorded)
    grid.world.crash(grid.running[2])
    grid.run_for(10)

    assert status(grid) is JobStatus.FAILED


def test_the_repaired_rule_keeps_the_job_restorable_whatever_was_missed(deaf: DeafBackup) -> None:
    grid = make_grid(3)
    deaf.host = grid.running[0]
    submit(grid, grid.running[0], LONG)
    run_until(grid, SnapshotFailed)
    deaf.host = None
    grid.world.crash(grid.running[2])
    grid.run_for(60)

    assert results(grid, LONG) == owed_totals(LONG)


def test_a_job_whose_chunk_is_lost_fails_as_corrupted() -> None:
    grid = run_with(LONG)
    lose_a_chunk(grid)
    grid.world.crash(grid.running[2])
    grid.run_for(10)

    (ended,) = grid.events_of(JobEnded)
    assert "chunks of" in ended.why


def lose_a_chunk(grid: Grid) -> None:
    """Take one chunk away from every replica of it."""
    structure = snapshot_map("sums", 0)
    partition, key = next(
        (partition, key)
        for partition in range(5)
        for host in grid.running
        for key in entries_at(host, partition, structure)
        if ":counter:" in key
    )
    for host in grid.running:
        replicas = host.member.node.replicas
        fragment = replicas.fragment(partition, replicas.namespace_of(structure))
        if structure in fragment.structures:
            part = fragment.structures[structure]
            held = cast("tuple[tuple[str, object], ...]", part.replica_data())
            part.load(tuple(entry for entry in held if entry[0] != key))


def test_at_least_once_misses_nothing_and_may_count_twice() -> None:
    grid = make_grid(3)
    submit(grid, grid.running[0], AT_LEAST_ONCE)
    for receiver in (0, 1):
        # Its barrier comes late, so that items behind the others' barriers come before it.
        grid.world.links.at(grid.running[2].address_index, receiver).extra_us = 300_000
    grid.run_for(1.9)
    grid.world.crash(grid.running[2])
    grid.run_for(30)

    found, exact = results(grid, AT_LEAST_ONCE), owed_totals(AT_LEAST_ONCE)
    assert grid.events_of(JobStarted)[-1].snapshot > 0
    assert all(found[key][0] >= exact[key][0] for key in exact)
    assert found != exact
