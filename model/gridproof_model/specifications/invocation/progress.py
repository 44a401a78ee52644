"""What must come about in the end.

Crashes, losses and migrations are counted, so they stop. Fair: deliveries, executions, removals, publication, timeouts,
the caller's retries, anti-entropy. Not fair: faults, migrations beginning, reads by others.
"""

from gridproof_model.language import BoolExpr, LeadsTo, all_of, any_of, exists, for_all, leads_to
from gridproof_model.specifications.invocation.state import (
    Answer,
    Outcome,
    Phase,
    Request,
    acknowledgement,
    backup_lane,
    call_ids,
    callers_list,
    callers_row,
    is_owner,
    is_replica,
    is_up,
    listed,
    members,
    moving_slot,
    outcome,
    phase,
    request,
    response,
    row,
    runs,
    specification,
)


@specification.may_stop
def the_call_is_over() -> BoolExpr:
    """The call has ended, nothing is under way, no slot is on the move, and the caller knows what the members know."""
    nothing_comes = for_all(
        call_ids,
        lambda call_id: (response[call_id].kind == Answer.NONE) & acknowledgement[call_id].is_empty(),
    )
    return all_of(
        phase == Phase.ENDED,
        request == Request.NOWHERE,
        nothing_comes,
        for_all(members, lambda member: backup_lane[member].is_empty),
        moving_slot.is_none,
        callers_row == row,
        callers_list == listed,
        listed == is_up,
    )


@specification.eventually(source="calls.25; invariant I3 Completes")
def every_call_ends() -> BoolExpr:
    """Every call ends, whatever was lost and whoever left."""
    return phase == Phase.ENDED


@specification.eventually(
    source="seed: Throwing an IndeterminateOperationStateException; seed: Best-Effort Consistency"
)
def every_backup_comes_to_have_what_its_live_owner_has() -> LeadsTo:
    """After an indeterminate call all live backups come to agree with the owner, as long as there is a live one."""
    owner_is_gone = ~exists(members, lambda member: is_owner(member) & is_up[member])
    agree = for_all(
        members,
        lambda owner: is_owner(owner).implies(
            for_all(
                members,
                lambda backup: (is_replica(backup) & is_up[backup]).implies(runs[backup] == runs[owner]),
            )
        ),
    )
    return leads_to(outcome == Outcome.INDETERMINATE, any_of(owner_is_gone, agree))
