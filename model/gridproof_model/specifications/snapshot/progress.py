"""What must come about in the end, though each member acts on what it knows itself.

Fair is every step of a participant; of a coordinator but an id taken, a write that fails, a plan without somebody and a
stop that nothing asks for; and that somebody that ended is taken for gone. Not fair are ends, removals of the living
and what lacks a second copy: they are counted, so they stop. Weak fairness is not time: of how soon a job goes on
nothing follows, and of runs it is judged by `snapshots-go-on`.
"""

from gridproof_model.language import BoolExpr, LeadsTo, any_of, exists, for_all, leads_to
from gridproof_model.specifications.snapshot.coordinating import is_running
from gridproof_model.specifications.snapshot.planning import is_finished, next_execution
from gridproof_model.specifications.snapshot.state import (
    Phase,
    ended,
    is_over,
    members,
    phase,
    records,
    runs,
    specification,
)


@specification.definition()
def is_out_of_room() -> BoolExpr:
    """Whether the world has no more executions, or no more records: a bound of small worlds, nothing of a job."""
    return next_execution().is_none | records.is_full


@specification.may_stop
def the_job_has_come_to_its_end() -> BoolExpr:
    """It is over, or nobody is left, or the world has no room for more of it."""
    return any_of(is_over, for_all(members, lambda member: ended[member]), is_out_of_room())


@specification.eventually(source="jobs.8")
def every_snapshot_ends() -> LeadsTo:
    """Every snapshot begun is recorded, fails, or is given up with its execution."""
    is_done = for_all(members, lambda member: phase[member].is_in(Phase.NONE, Phase.CORRUPTED))
    return leads_to(~is_done, is_done | records.is_full)


@specification.eventually(source="seed: In-Memory Storage; jobs.15")
def after_a_loss_the_job_goes_on() -> LeadsTo:
    """A job that nobody runs comes to be run, or is over; or nobody is left."""
    is_run = exists(members, is_running)
    is_left = ~for_all(members, lambda member: ended[member])
    return leads_to(~is_run, any_of(is_run, is_over, is_out_of_room(), ~is_left))


@specification.eventually(source="seed: In-Memory Storage; jobs.12")
def every_item_is_counted() -> LeadsTo:
    """A job that runs comes to have emitted and counted everything, unless it is stopped."""
    is_done = for_all(members, lambda member: ~is_running(member) | is_finished(runs[member].value))
    return leads_to(exists(members, is_running), is_done | records.is_full)
