"""Two lanes on every link, and what is lost.

Source: calls.3. Between two members the messages of a partition keep their order within a lane. The
urgent lane is drained before the normal one, at the sender and at the receiver, so a normal message is taken only when
no urgent one is under way. (That is all overtaking can do: a normal message that arrives before the urgent one is
*sent* leaves the same state.) `urgent_first=False` lets the lanes run freely, as polling first the one queue and then
the other allows for a moment.
"""

from gridproof_model.language import BoolExpr, IndexExpr, Step, Update
from gridproof_model.specifications.replication.state import (
    backups,
    link,
    losses_left,
    specification,
    urgent_first,
)


@specification.definition(backups)
def is_next(backup: IndexExpr) -> BoolExpr:
    """Whether a normal message to this backup is next: there is one, and no urgent one goes before it."""
    return ~link[backup].normal.is_empty & (link[backup].urgent.is_empty | ~urgent_first)


def leaves_normal_lane(backup: IndexExpr) -> list[Update]:
    """Return the update that takes the oldest normal message off the link."""
    return [link[backup].normal.becomes(link[backup].normal.tail)]


def leaves_urgent_lane(backup: IndexExpr) -> list[Update]:
    """Return the update that takes the oldest urgent message off the link."""
    return [link[backup].urgent.becomes(link[backup].urgent.tail)]


@specification.action(backups, source="seed: Replication Algorithm for AP Data Structures; calls.3: loss on disconnect")
def normal_message_is_lost(backup: IndexExpr) -> Step:
    """A backup message or check to this backup is lost."""
    return Step(
        when=[losses_left > 0, is_next(backup)],
        then=[losses_left.becomes(losses_left - 1), *leaves_normal_lane(backup)],
    )


@specification.action(backups, source="sync.10")
def urgent_message_is_lost(backup: IndexExpr) -> Step:
    """An answer to this backup is lost: its sync stays registered."""
    return Step(
        when=[losses_left > 0, ~link[backup].urgent.is_empty],
        then=[losses_left.becomes(losses_left - 1), *leaves_urgent_lane(backup)],
    )


@specification.action(backups, source="sync.10")
def request_is_lost(backup: IndexExpr) -> Step:
    """A sync request is lost: it stays registered as in progress."""
    return Step(
        when=[losses_left > 0, link[backup].request.is_some],
        then=[losses_left.becomes(losses_left - 1), link[backup].request.becomes(None)],
    )
