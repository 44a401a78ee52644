"""When stream jobs start, stop, restart and end."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gridproof_implementation.protocol.jobs.job_master import JobMaster
from gridproof_implementation.protocol.jobs.messages import (
    ExecutionEnded,
)
from gridproof_implementation.protocol.jobs.records import ExecutionRecord, RecordKeeper
from gridproof_implementation.protocol.partitioning.part import PartitioningPart
from gridproof_implementation.protocol.structures.map import Get
from gridproof_implementation.simulator.job_rider import owed_totals
from gridproof_model.events.jobs import (
    JobEnded,
    JobStarted,
    JobStopped,
    JobWaits,
    SnapshotBegun,
    SnapshotFailed,
)
from gridproof_model.events.membership import MemberRemoved
from gridproof_model.events.words import Failure, Guarantee, JobStatus, ServiceState
from gridproof_model.membership import ClusterState
from tests.implementation.protocol.grids import SECOND_US, Grid, make_grid
from tests.implementation.protocol.jobs import SUMS, part_of, results, status, submit
from tests.implementation.protocol.replicas import MAP

LONG = replace(SUMS, items_per_shard=3000)


def run_with(job: object = SUMS, members: int = 3, seconds: float = 2.0) -> Grid:
    """Return a grid on which a job has run for a while."""
    grid = make_grid(members)
    assert isinstance(job, type(SUMS))
    submit(grid, grid.running[0], job)
    grid.run_for(seconds)
    return grid


def test_a_job_restarts_two_seconds_after_a_participant_left() -> None:
    grid = run_with(LONG)
    grid.world.crash(grid.running[1])
    stopped = wait_for(grid, JobStopped)

    started = wait_for(grid, JobStarted, count=2)

    assert 2.0 <= started - stopped < 2.5


def wait_for(grid: Grid, kind: type[object], *, count: int = 1) -> float:
    """Let time pass until a step was recorded so often, a minute at most; return when, in seconds."""
    end_us = grid.world.now_us + 60 * SECOND_US
    while sum(isinstance(event, kind) for _, event in grid.events) < count and grid.world.now_us < end_us:
        grid.run_for(0.1)
    return grid.world.now_us / 1_000_000


def test_a_job_restarts_with_a_new_member_ten_seconds_after_it_joined() -> None:
    grid = run_with(LONG)
    joined = grid.world.now_us / 1_000_000
    grid.start(1)

    started = wait_for(grid, JobStarted, count=2)

    assert 10.0 <= started - joined < 11.0
    assert len(grid.events_of(JobStarted)[-1].participants) == 4


def test_a_restart_for_a_new_member_begins_where_the_terminal_snapshot_ended() -> None:
    grid = run_with(replace(SUMS, items_per_shard=1500))
    grid.start(1)
    wait_for(grid, JobStarted, count=2)

    assert grid.events_of(JobStarted)[-1].snapshot == grid.events_of(SnapshotBegun)[-1].snapshot
    grid.run_for(20)
    assert results(grid) == owed_totals(replace(SUMS, items_per_shard=1500))


def test_without_snapshots_a_job_begins_anew() -> None:
    job = replace(SUMS, guarantee=Guarantee.NONE)
    grid = run_with(job)
    grid.world.crash(grid.running[1])
    grid.run_for(20)

    assert not grid.events_of(SnapshotBegun)
    assert results(grid) == owed_totals(job)


def test_a_job_starts_once_the_partitions_are_safe(monkeypatch: pytest.MonkeyPatch) -> None:
    state = [ServiceState.MIGRATION_LOCAL]
    monkeypatch.setattr(PartitioningPart, "check_safe", lambda part, then: then(state[0]))
    grid = run_with(seconds=5)
    assert not grid.events_of(JobStarted)
    assert grid.events_of(JobWaits)[0].why == "partitions: migration local"

    state[0] = ServiceState.SAFE
    grid.run_for(5)

    assert grid.events_of(JobStarted)


def test_a_job_does_not_start_while_a_member_shuts_down(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PartitioningPart, "has_leavers", True)
    grid = run_with(seconds=5)

    assert not grid.events_of(JobStarted)
    assert grid.events_of(JobWaits)[0].why == "a member is shutting down"


def test_a_job_does_not_start_in_a_passive_cluster() -> None:
    grid = make_grid(2)
    grid.world.change_cluster_state(grid.running[0], 1, ClusterState.PASSIVE)
    grid.run_for(2)
    submit(grid, grid.running[0])
    grid.run_for(5)

    assert not grid.events_of(JobStarted)


def test_a_job_goes_on_after_a_participant_shut_down_gracefully() -> None:
    grid = run_with(LONG)
    grid.world.leave(grid.running[1])
    grid.run_for(60)

    assert results(grid, LONG) == owed_totals(LONG)


def test_a_protected_job_waits_for_more_than_half_of_the_most_members() -> None:
    grid = run_with(replace(LONG, split_brain_protection=True), members=4)
    grid.world.crash(grid.running[3])
    grid.run_for(8)
    grid.world.crash(grid.running[2])
    grid.run_for(12)

    assert status(grid) is JobStatus.NOT_RUNNING
    assert grid.events_of(JobWaits)[-1].why == "2 of 3 members needed are there"


def test_a_master_that_was_alone_without_data_members_takes_jobs_later() -> None:
    grid = make_grid(1)
    (lite,) = grid.start(lite=True)
    grid.ask(lite, Get(MAP, "k"))
    grid.world.crash(grid.running[0])
    grid.run_for(10)

    grid.start()
    submit(grid, lite)
    grid.run_for(30)

    assert status(grid) is JobStatus.COMPLETED


def test_a_completed_job_is_not_run_again() -> None:
    grid = run_with(seconds=10)
    grid.world.crash(grid.running[0])
    grid.run_for(10)
    submit(grid, grid.running[0])
    grid.run_for(10)

    assert len(grid.events_of(JobEnded)) == 1
    assert len(grid.events_of(JobStarted)) == 1


def test_a_late_word_of_an_older_execution_is_ignored() -> None:
    grid = run_with(LONG)
    older = grid.events_of(JobStarted)[0].execution
    grid.world.crash(grid.running[1])
    wait_for(grid, JobStarted, count=2)

    master = part_of(grid.running[0]).coordinator.masters["sums"]
    assert isinstance(master, JobMaster)
    for host in grid.running:
        master.on_execution_ended(host.description.id, ExecutionEnded(older, "too late"))

    assert status(grid) is JobStatus.RUNNING


def test_executions_end_at_once_where_a_participant_or_the_coordinator_left() -> None:
    for victim in (1, 0):
        grid = run_with(LONG)
        grid.world.crash(grid.running[victim])
        wait_for(grid, MemberRemoved)
        grid.run_for(0.1)

        assert all(part_of(host).participant.execution_of("sums") is None for host in grid.running)


def test_everything_that_is_lost_is_sent_again() -> None:
    grid = make_grid(3)
    for sender in range(3):
        for receiver in range(3):
            link_conditions = grid.world.links.at(sender, receiver)
            link_conditions.drop_share, link_conditions.duplicate_share = 0.1, 0.1
    submit(grid, grid.running[1])

    grid.run_for(200)

    assert [event.status for event in grid.events_of(JobEnded)] == [JobStatus.COMPLETED]
    assert results(grid) == owed_totals(SUMS)


def test_the_end_of_an_execution_is_reported_until_the_coordinator_knows() -> None:
    grid = run_with()
    link = grid.world.links.at(1, 0)
    link.dropped_kinds = ("ExecutionEnded",)
    grid.run_for(10)
    assert not grid.events_of(JobEnded)

    link.dropped_kinds = ()
    grid.run_for(2)

    assert grid.events_of(JobEnded)


def test_a_commit_in_doubt_restarts_the_job_without_phase_two(monkeypatch: pytest.MonkeyPatch) -> None:
    write = RecordKeeper.write
    doubted: list[ExecutionRecord] = []

    def doubt_the_first_commit(
        keeper: RecordKeeper, record: ExecutionRecord, then: Callable[[Failure | None], None]
    ) -> None:
        is_commit = record.recorded > keeper.known.recorded
        if is_commit and not doubted:
            doubted.append(record)
            write(keeper, record, lambda failure: then(Failure.INDETERMINATE))
        else:
            write(keeper, record, then)

    monkeypatch.setattr(RecordKeeper, "write", doubt_the_first_commit)
    grid = run_with(seconds=20)

    assert [event.why for event in grid.events_of(JobStopped)] == ["a snapshot is in doubt", "completed"]
    assert [event.why for event in grid.events_of(SnapshotFailed)] == [f"the commit: {Failure.INDETERMINATE}"]
    assert grid.events_of(JobStarted)[-1].snapshot == 1
    assert results(grid) == owed_totals(SUMS)
