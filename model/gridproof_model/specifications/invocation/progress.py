"""What must come about in the end.

Fair are nine steps, of the caller alone: to send, to give up, to answer. Nothing that others do has to happen, so this
holds where every message is lost for ever. What a member reads of itself never times out, and has to be executed.
"""

from gridproof_model.language import BoolExpr, LeadsTo, all_of, any_of, leads_to
from gridproof_model.specifications.invocation.state import (
    Kind,
    Phase,
    attempts,
    caller,
    ended,
    kind,
    phase,
    present,
    sent,
    specification,
    target,
)


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """What others do may be for ever about to happen; what a caller has to do is fair."""
    return all_of()


@specification.eventually(source="calls.25; invariant I3 Completes")
def every_call_ends() -> LeadsTo:
    """Every call ends, whatever was lost and whoever left, unless its caller ends, or waits for a read of its own.

    A world has only so many call ids: a call that may wait and is sent again and again ends with the last of them here.
    """
    is_own_read = all_of(phase == Phase.WAITING, kind == Kind.READ, target[present()] == caller)
    has_no_id = (phase == Phase.RESOLVING) & (sent == attempts)
    return leads_to(phase != Phase.IDLE, any_of(phase == Phase.ENDED, ended[caller], is_own_read, has_no_id))
