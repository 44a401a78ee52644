"""A request for an execution, behind a newer one.

Found in seed 5002342 with steps, by the refinement of snapshots. A member is to make a job's second execution ready and
starts anew; the request is under way for seconds and reaches the next incarnation at the address, after the third
execution has begun there. It was taken for the newest: the third execution was dropped, its coordinator never heard of
it, and every snapshot failed from then on, so that the job could not end. Now a request counts only if its coordinator
has not asked for a newer execution.
"""

from dataclasses import replace

from gridproof_implementation.protocol.jobs.messages import ExecutionPlan, InitExecution
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.job_rider import owed_totals
from tests.implementation.protocol.grids import Grid, make_grid
from tests.implementation.protocol.jobs import SUMS, part_of, results, submit

JOB = replace(SUMS, items_per_shard=1500)
FIRST_REQUEST = 1
"""No question of a coordinator has a smaller number."""


def plan_at(host: Host) -> ExecutionPlan:
    """Return the plan of the execution that a member takes part in."""
    execution = part_of(host).participant.execution_of(JOB.name)
    assert execution is not None
    return execution.plan


def restarted_grid() -> tuple[Grid, ExecutionPlan]:
    """Return a grid whose job was restarted after a crash, and the plan of its first execution."""
    grid = make_grid(4)
    submit(grid, grid.running[0], JOB)
    grid.run_for(2)
    first = plan_at(grid.running[1])
    grid.world.crash(grid.running[3])
    grid.run_for(5)
    return grid, first


def test_a_late_request_for_an_older_execution_ends_no_newer_one() -> None:
    grid, first = restarted_grid()
    master, late = grid.running[0], grid.running[1]
    newer = plan_at(late)

    part_of(late).participant.on_init(master.member.node.me, InitExecution(FIRST_REQUEST, first))

    assert newer.execution != first.execution
    assert plan_at(late) == newer


def test_a_job_ends_though_a_request_for_an_older_execution_comes_late() -> None:
    grid, first = restarted_grid()
    master, late = grid.running[0], grid.running[1]
    part_of(late).participant.on_init(master.member.node.me, InitExecution(FIRST_REQUEST, first))

    grid.run_for(40)

    assert results(grid, JOB) == owed_totals(JOB)
