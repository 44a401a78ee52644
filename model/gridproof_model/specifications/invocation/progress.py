"""What must come about in the end.

Crashes, losses and migrations are counted, so they stop. Fair: deliveries, executions, removals, publication, timeouts,
the caller's retries, anti-entropy. Not fair: faults, migrations beginning, reads by others.
"""

from gridproof_model.spec import BoolExpr, LeadsTo, any_of, exists, for_all, leads_to
from gridproof_model.specifications.invocation.state import (
    Outcome,
    Phase,
    is_owner,
    is_replica,
    is_up,
    members,
    outcome,
    phase,
    runs,
    specification,
)


@specification.eventually(source="reference replication 11 L4; bug-zoo I3 Completes")
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
