"""Anti-entropy: the primary's check, the backup's request, the primary's answer."""

from gridproof_model.language import (
    ArrayExpr,
    BoolExpr,
    IndexExpr,
    Int,
    IntExpr,
    Step,
    Update,
    array_of,
    exists,
    if_else,
)
from gridproof_model.specifications.replication.links import is_next, leaves_normal_lane, leaves_urgent_lane
from gridproof_model.specifications.replication.state import (
    NormalKind,
    Standing,
    UrgentKind,
    backup_replica,
    backups,
    is_up,
    lane_capacity,
    link,
    normal_messages,
    primary,
    refusals_left,
    specification,
    urgent_messages,
)

lane_positions = Int(0, lane_capacity - 1)


@specification.definition(backups)
def may_ask(backup: IndexExpr) -> BoolExpr:
    """Whether a sync request may be sent: the owner is known, none is registered, and none is on its way."""
    return (primary.standing != Standing.EMPTY) & ~backup_replica[backup].is_syncing & link[backup].request.is_none


def asks_for_sync(backup: IndexExpr, reason: BoolExpr) -> list[Update]:
    """Return the updates that register a sync and send its request, where there is a reason and it may be done.

    Source: sync.5 and the guards of 3.4.
    """
    asks = reason & may_ask(backup)
    is_syncing = backup_replica[backup].is_syncing
    return [
        is_syncing.becomes(is_syncing | asks),
        link[backup].request.becomes(if_else(asks, backup, link[backup].request)),
    ]


@specification.definition(backups)
def has_check(backup: IndexExpr) -> BoolExpr:
    """Whether a check is on its way to this backup."""
    lane = link[backup].normal
    return exists(lane_positions, lambda place: (place < lane.length) & (lane.at(place).kind == NormalKind.CHECK))


@specification.action(backups, source="sync.1", fair=True)
def primary_sends_check(backup: IndexExpr) -> Step:
    """The primary sends a backup the one version that concerns it, in the lane of the backup messages before it.

    Bound: one check at a time on a link.
    """
    only_its_own: ArrayExpr[IntExpr] = array_of(
        backups, lambda entry: if_else(entry == backup, primary.versions[entry], 0)
    )
    check = normal_messages(kind=NormalKind.CHECK, index=backup, versions=only_its_own)
    return Step(
        when=[primary.standing == Standing.UP, is_up(backup), ~has_check(backup), ~link[backup].normal.is_full],
        then=[link[backup].normal.becomes(link[backup].normal.append(check))],
    )


@specification.action(backups, source="sync.4", fair=True)
def check_is_compared(backup: IndexExpr) -> Step:
    """A backup that is dirty, or whose version is not the one received, asks for a sync."""
    check, replica = link[backup].normal.head, backup_replica[backup]
    is_in_sync = ~replica.is_dirty & (replica.versions[backup] == check.versions[backup])
    return Step(
        when=[is_next(backup), check.kind == NormalKind.CHECK, check.index == backup],
        then=[*leaves_normal_lane(backup), *asks_for_sync(backup, ~is_in_sync)],
    )


@specification.action(backups, source="sync.12", fair=True)
def primary_answers(backup: IndexExpr) -> Step:
    """The primary answers a sync request with its whole content and its versions, read together."""
    answer = urgent_messages(
        kind=UrgentKind.ANSWER,
        index=link[backup].request.value,
        versions=primary.versions,
        content=primary.content,
    )
    return Step(
        when=[primary.standing == Standing.UP, link[backup].request.is_some, ~link[backup].urgent.is_full],
        then=[link[backup].request.becomes(None), link[backup].urgent.becomes(link[backup].urgent.append(answer))],
    )


@specification.action(backups, source="sync.13: no permit, or migration tasks paused")
def primary_turns_request_down(backup: IndexExpr) -> Step:
    """The primary has no permit left, or its migration tasks are paused, and says: try again."""
    retry = urgent_messages(kind=UrgentKind.RETRY, index=link[backup].request.value)
    return Step(
        when=[
            refusals_left > 0,
            primary.standing == Standing.UP,
            link[backup].request.is_some,
            ~link[backup].urgent.is_full,
        ],
        then=[
            refusals_left.becomes(refusals_left - 1),
            link[backup].request.becomes(None),
            link[backup].urgent.becomes(link[backup].urgent.append(retry)),
        ],
    )


@specification.action(backups, source="sync.14", fair=True)
def answer_is_applied(backup: IndexExpr) -> Step:
    """A backup replaces its content and its versions from its own entry on, whatever it had, and is clean."""
    answer, replica = link[backup].urgent.head, backup_replica[backup]
    return Step(
        when=[~link[backup].urgent.is_empty, answer.kind == UrgentKind.ANSWER, answer.index == backup],
        then=[
            replica.content.becomes(answer.content),
            replica.versions.becomes(
                array_of(backups, lambda entry: if_else(entry < backup, 0, answer.versions[entry]))
            ),
            replica.is_dirty.becomes(False),
            replica.is_syncing.becomes(False),
            replica.follows_another.becomes(False),
            *leaves_urgent_lane(backup),
        ],
    )


@specification.action(backups, source="sync.13: SRET", fair=True)
def retry_is_received(backup: IndexExpr) -> Step:
    """A backup that is asked to try again forgets that it asked; the next check or backup message asks again."""
    retry = link[backup].urgent.head
    return Step(
        when=[~link[backup].urgent.is_empty, retry.kind == UrgentKind.RETRY, retry.index == backup],
        then=[backup_replica[backup].is_syncing.becomes(False), *leaves_urgent_lane(backup)],
    )


@specification.action(backups, source="sync.15: index differs", fair=True)
def answer_for_another_slot_is_dropped(backup: IndexExpr) -> Step:
    """An answer for a slot that its receiver no longer holds is discarded."""
    return Step(
        when=[~link[backup].urgent.is_empty, link[backup].urgent.head.index != backup],
        then=leaves_urgent_lane(backup),
    )


@specification.action(backups, source="sync.10", fair=True)
def registration_expires(backup: IndexExpr) -> Step:
    """After 300 seconds a sync that nothing came of is forgotten; nothing is sent again.

    Bound: 300 seconds outlast whatever is still under way.
    """
    return Step(
        when=[
            backup_replica[backup].is_syncing,
            primary.standing == Standing.UP,
            link[backup].request.is_none,
            link[backup].urgent.is_empty,
        ],
        then=[backup_replica[backup].is_syncing.becomes(False)],
    )
