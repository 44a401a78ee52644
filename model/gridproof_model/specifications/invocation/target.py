"""What the target of a request checks, executes and answers."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    SequenceExpr,
    Step,
    Update,
    all_of,
    array_of,
    count,
    first,
    if_else,
)
from gridproof_model.specifications.invocation.state import (
    Answer,
    BackupMessage,
    Kind,
    Request,
    acknowledgement,
    async_backups,
    attempt,
    backup_lane,
    backup_messages,
    executions,
    is_overdue,
    is_owner,
    is_target,
    is_up,
    kind,
    listed,
    members,
    moving_slot,
    request,
    response,
    responses,
    row,
    runs,
    slots,
    specification,
    sync_backups,
)


def request_is_at(member: IndexExpr) -> list[BoolExpr]:
    """Return the guards for the request to have come to its target; the dead are never asked (attempt_is_sent)."""
    return [request == Request.UNDER_WAY, is_target(member)]


def is_refused_with(answer: Answer) -> list[Update]:
    """Return the updates of an answer that says the operation was not executed."""
    return [request.becomes(Request.NOWHERE), response[attempt].becomes(responses(kind=answer))]


@specification.definition()
def is_refused_while_migrating() -> BoolExpr:
    """Whether the owner refuses the operation: the partition migrates, and it is no read."""
    return moving_slot.is_some & (kind != Kind.READ)


@specification.action(members, source="calls.23", fair=True)
def target_refuses_an_overdue_request(member: IndexExpr) -> Step:
    """A request that is older than the call timeout when its turn comes is not executed."""
    return Step(when=[*request_is_at(member), is_overdue], then=is_refused_with(Answer.CALL_TIMEOUT))


@specification.action(members, source="calls.9, migration.9", fair=True)
def target_refuses_while_it_migrates(member: IndexExpr) -> Step:
    """The owner refuses writes as long as its partition is migrating; reads it serves."""
    return Step(
        when=[*request_is_at(member), ~is_overdue, is_owner(member), is_refused_while_migrating()],
        then=is_refused_with(Answer.MIGRATING),
    )


@specification.action(members, source="calls.9, migration.9", fair=True)
def wrong_target_refuses(member: IndexExpr) -> Step:
    """A member that is not the owner executes nothing."""
    return Step(
        when=[*request_is_at(member), ~is_overdue, ~is_owner(member)],
        then=is_refused_with(Answer.WRONG_TARGET),
    )


@specification.action(members, source="calls.9, calls.21", fair=True)
def owner_starts(member: IndexExpr) -> Step:
    """The checks are passed and the operation runs; until it is done its call is kept alive by heartbeats."""
    return Step(
        when=[*request_is_at(member), ~is_overdue, is_owner(member), ~is_refused_while_migrating()],
        then=[request.becomes(Request.RUNNING)],
    )


@specification.definition(slots)
def is_addressed(slot: IndexExpr) -> BoolExpr:
    """Whether a write is sent to a slot: it is filled, and its index is within the members other than the owner."""
    others = count(members, lambda member: listed[member]) - 1
    return all_of(
        slot > slots[0],
        slot.ordinal <= sync_backups + async_backups,
        slot.ordinal <= others,
        row[slot].is_some,
    )


@specification.definition(slots)
def is_sync(slot: IndexExpr) -> BoolExpr:
    """Whether the caller waits for the acknowledgement of a slot."""
    return slot.ordinal <= sync_backups


@specification.action(members, source="calls.10, backups.4, calls.1", fair=True)
def owner_executes(member: IndexExpr) -> Step:
    """The operation is done: it counts once, goes to the backups, and the response says how many of them are sync.

    This is one step of the partition's thread. A crashed backup that is still listed counts as sent to.
    """
    is_write = kind != Kind.READ

    def lane_after(member: IndexExpr) -> SequenceExpr[BackupMessage]:
        slot = first(slots, lambda slot: (row[slot] == member) & is_addressed(slot))
        message = backup_messages(attempt=attempt, slot=slot.value)
        is_sent = all_of(is_write, is_up[member], slot.is_some)
        return if_else(is_sent, backup_lane[member].append(message), backup_lane[member])

    sync_sent = count(slots, lambda slot: is_addressed(slot) & is_sync(slot))
    return Step(
        when=[request == Request.RUNNING, is_target(member)],
        then=[
            request.becomes(Request.NOWHERE),
            executions.becomes(executions + 1),
            runs[member].becomes(if_else(is_write, runs[member] + 1, runs[member])),
            backup_lane.becomes(array_of(members, lane_after)),
            response[attempt].becomes(responses(kind=Answer.NORMAL, backups=if_else(is_write, sync_sent, 0))),
        ],
    )


@specification.action(members, source="backups.10, backups.16", fair=True)
def backup_applies(member: IndexExpr) -> Step:
    """A backup applies the operation; a sync one acknowledges to the caller, not to the owner."""
    message = backup_lane[member].head
    return Step(
        when=[~backup_lane[member].is_empty, row[message.slot] == member],
        then=[
            runs[member].becomes(runs[member] + 1),
            acknowledgement[message.attempt][member].becomes(is_sync(message.slot)),
            backup_lane[member].becomes(()),
        ],
    )


@specification.action(members, source="backups.14", fair=True)
def backup_message_for_another_slot_is_dropped(member: IndexExpr) -> Step:
    """A member that does not hold the slot of a backup message drops it; nobody is notified."""
    message = backup_lane[member].head
    return Step(
        when=[~backup_lane[member].is_empty, row[message.slot] != member],
        then=[backup_lane[member].becomes(())],
    )
