"""Stream jobs on whole grids: what was counted, whatever happened."""

from collections.abc import Callable

import pytest

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.invocation.part import InvocationPart
from gridproof_implementation.protocol.jobs.job_master import Outcome, StartAttempt
from gridproof_implementation.protocol.jobs.messages import Rounds
from gridproof_implementation.protocol.jobs.records import JOB_RESULTS, RecordKeeper
from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.simulator.job_rider import owed_totals
from gridproof_model.events.jobs import (
    ChunkWritten,
    CounterSaved,
    JobStarted,
    MapCleared,
    SnapshotBegun,
    SnapshotRecorded,
    SnapshotValidated,
    SourceSaved,
)
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import Failure, JobStatus
from tests.implementation.protocol.grids import make_grid
from tests.implementation.protocol.jobs import (
    SUMS,
    crashing_grid,
    part_of,
    primary_entries,
    results,
    status,
    submit,
)

STEPS = (
    JobStarted,
    SnapshotBegun,
    SourceSaved,
    CounterSaved,
    ChunkWritten,
    SnapshotValidated,
    SnapshotRecorded,
    MapCleared,
)


def test_a_job_counts_and_sums_every_item() -> None:
    grid = make_grid(3)
    submit(grid, grid.running[0])

    grid.run_for(20)

    assert status(grid) is JobStatus.COMPLETED
    assert results(grid) == owed_totals(SUMS)


def test_a_job_can_be_submitted_at_any_member() -> None:
    grid = make_grid(3)
    submit(grid, grid.running[2])

    grid.run_for(20)

    assert results(grid) == owed_totals(SUMS)


def test_how_a_job_ended_is_written_again_where_it_could_not_be(monkeypatch: pytest.MonkeyPatch) -> None:
    invoke = InvocationPart.invoke
    refused: list[Call] = []

    def refuse_the_first(part: InvocationPart, call: Call | CallMany, then: Callable[[Answer], None] | None) -> None:
        is_result = (
            isinstance(call, Call) and isinstance(call.operation, Put) and call.operation.structure == JOB_RESULTS
        )
        if isinstance(call, Call) and is_result and not refused and then is not None:
            refused.append(call)
            then(Answer(call.number, None, Failure.OPERATION_TIMEOUT))
        else:
            invoke(part, call, then)

    monkeypatch.setattr(InvocationPart, "invoke", refuse_the_first)
    grid = make_grid(3)
    submit(grid, grid.running[0])

    grid.run_for(20)

    assert len(refused) == 1
    assert primary_entries(grid, JOB_RESULTS) == {SUMS.name: JobStatus.COMPLETED}


def test_a_job_that_has_ended_is_confirmed_and_not_begun_again() -> None:
    grid = make_grid(3)
    submit(grid, grid.running[0])
    grid.run_for(20)
    submit(grid, grid.running[2])
    grid.run_for(5)

    assert not part_of(grid.running[2]).is_unconfirmed("sums")
    assert len(grid.events_of(JobStarted)) == 1


@pytest.mark.parametrize("victim", [0, 1], ids=["the master", "another"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.__name__)
def test_exactly_once_is_exact_after_a_crash_at_any_step(step: type[TraceEvent], victim: int) -> None:
    grid = crashing_grid(3, victim, step)
    submit(grid, grid.running[2])

    grid.run_for(40)

    assert len(grid.running) == (3 if step is JobStarted else 2)
    assert results(grid) == owed_totals(SUMS)


def test_a_member_that_is_not_the_master_starts_no_job() -> None:
    node = make_grid(2).running[1].member.node
    outcomes: list[Outcome] = []

    StartAttempt(node, Rounds(node), SUMS, RecordKeeper(node, SUMS), outcomes.append).begin("first")

    assert [outcome.wait for outcome in outcomes] == ["this member is not the master"]
