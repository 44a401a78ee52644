"""Messages that are lost.

Only those that somebody still waits for: to lose another is no different from dropping it. What a crashed member has
sent may be lost or come through, and is not counted as a loss.
"""

from gridproof_model.language import IndexExpr, Step, Update, if_else
from gridproof_model.specifications.invocation.answers import is_registered
from gridproof_model.specifications.invocation.state import (
    Answer,
    Phase,
    Request,
    acknowledgement,
    backup_lane,
    call_ids,
    is_up,
    losses_left,
    may_be_lost_from,
    members,
    phase,
    request,
    response,
    responses,
    specification,
    target,
)


def costs_a_loss(sender: IndexExpr) -> Update:
    """Return the update that counts a loss, unless the sender is dead."""
    return losses_left.becomes(if_else(is_up[sender], losses_left - 1, losses_left))


@specification.action(source="seed: Invocation Lifecycle, network splits and long pauses")
def request_is_lost() -> Step:
    """A request does not come to its target."""
    return Step(
        when=[losses_left > 0, phase == Phase.WAITING, request == Request.UNDER_WAY],
        then=[losses_left.becomes(losses_left - 1), request.becomes(Request.NOWHERE)],
    )


@specification.action(call_ids, members, source="seed: Execution Guarantees, the response is not received")
def response_is_lost(number: IndexExpr, sender: IndexExpr) -> Step:
    """A response does not come to the caller."""
    return Step(
        when=[
            is_registered(number),
            target[number] == sender,
            response[number].kind != Answer.NONE,
            may_be_lost_from(sender),
        ],
        then=[costs_a_loss(sender), response[number].becomes(responses(kind=Answer.NONE))],
    )


@specification.action(members, members, source="seed: Invocation Lifecycle, a backup update can be missed")
def backup_message_is_lost(sender: IndexExpr, member: IndexExpr) -> Step:
    """A backup misses the operation."""
    return Step(
        when=[
            ~backup_lane[member].is_empty,
            target[backup_lane[member].head.attempt] == sender,
            may_be_lost_from(sender),
        ],
        then=[costs_a_loss(sender), backup_lane[member].becomes(())],
    )


@specification.action(call_ids, members, source="backups.17, backups.16")
def acknowledgement_is_lost(number: IndexExpr, sender: IndexExpr) -> Step:
    """A backup's acknowledgement does not come to the caller."""
    return Step(
        when=[is_registered(number), acknowledgement[number][sender], may_be_lost_from(sender)],
        then=[costs_a_loss(sender), acknowledgement[number][sender].becomes(False)],
    )
