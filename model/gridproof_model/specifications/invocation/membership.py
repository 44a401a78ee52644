"""Crashes and migrations, and how the caller hears of them."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    OptionExpr,
    Step,
    all_of,
    array_of,
    first,
    if_else,
)
from gridproof_model.specifications.invocation.answers import one_more_acknowledgement
from gridproof_model.specifications.invocation.attempts import target_has_left
from gridproof_model.specifications.invocation.state import (
    Phase,
    Request,
    backup_lane,
    callers_list,
    callers_row,
    counts_leavers,
    crashes_left,
    is_owner,
    is_replica,
    is_target,
    is_up,
    leavers_counted,
    listed,
    members,
    migrations_left,
    moving_slot,
    moving_to,
    phase,
    request,
    row,
    runs,
    slots,
    specification,
    target,
)


@specification.action(members, source="calls.3")
def member_crashes(member: IndexExpr) -> Step:
    """A member crashes, with whatever it was about to execute or apply; what it has sent is still under way."""
    return Step(
        when=[crashes_left > 0, phase != Phase.IDLE, is_up[member]],
        then=[
            crashes_left.becomes(crashes_left - 1),
            is_up[member].becomes(False),
            request.becomes(if_else(is_target(member), Request.NOWHERE, request)),
            backup_lane[member].becomes(()),
        ],
    )


@specification.action(members, source="repair.9, calls.4", fair=True)
def dead_member_is_removed(member: IndexExpr) -> Step:
    """The master takes a dead member out of the member list and the row, and promotes the lowest surviving slot.

    The promoted replica leaves a hole where it was. Backup messages from the dead are refused from now on, their sender
    being no member. A migration from it or to it has failed.
    """

    def left(slot: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(row[slot] == member, None, row[slot])

    survivor = first(slots, lambda slot: left(slot).is_some)

    def promoted(slot: IndexExpr) -> OptionExpr[IndexExpr]:
        is_vacant = (row[slots[0]] == member) & survivor.is_some
        moved = if_else(slot == slots[0], left(survivor.value), if_else(survivor == slot, None, left(slot)))
        return if_else(is_vacant, moved, left(slot))

    migration_fails = (moving_to == member) | is_owner(member)
    return Step(
        when=[listed[member], ~is_up[member]],
        then=[
            listed[member].becomes(False),
            row.becomes(array_of(slots, promoted)),
            backup_lane.becomes(
                array_of(
                    members,
                    lambda other: if_else(
                        ~backup_lane[other].is_empty & (target[backup_lane[other].head.attempt] == member),
                        backup_lane[other].tail,
                        backup_lane[other],
                    ),
                )
            ),
            moving_slot.becomes(if_else(migration_fails, None, moving_slot)),
            moving_to.becomes(if_else(migration_fails, None, moving_to)),
        ],
    )


@specification.action(members, source="repair.11: partition lost", fair=True)
def lost_partition_is_assigned(member: IndexExpr) -> Step:
    """No replica survives: a member without a slot becomes the owner, of nothing."""
    return Step(
        when=[phase != Phase.IDLE, row[slots[0]].is_none, listed[member]],
        then=[row[slots[0]].becomes(member), runs[member].becomes(0)],
    )


@specification.action(slots, members, source="migration.9: MOVE, COPY")
def migration_begins(slot: IndexExpr, member: IndexExpr) -> Step:
    """Slot 0, or an empty slot, is migrated to a member without a slot; the owner's thread is free to begin it."""
    return Step(
        when=[
            migrations_left > 0,
            moving_slot.is_none,
            (slot != slots[0]).implies(row[slot].is_none),
            row[slots[0]].is_some,
            listed[member],
            ~is_replica(member),
            request != Request.RUNNING,
        ],
        then=[
            migrations_left.becomes(migrations_left - 1),
            moving_slot.becomes(slot),
            moving_to.becomes(member),
        ],
    )


@specification.action(members, slots, members, source="migration.12, placement.23", fair=True)
def migration_commits(owner: IndexExpr, slot: IndexExpr, member: IndexExpr) -> Step:
    """The destination has what the owner had, and the row names it; an owner that moved away drops its copy."""
    return Step(
        when=[
            moving_slot == slot,
            moving_to == member,
            is_owner(owner),
            all_of(is_up[owner], is_up[member]),
            request != Request.RUNNING,
        ],
        then=[
            runs.becomes(
                array_of(
                    members,
                    lambda one: if_else(
                        one == member, runs[owner], if_else((one == owner) & (slot == slots[0]), 0, runs[one])
                    ),
                )
            ),
            row[slot].becomes(member),
            moving_slot.becomes(None),
            moving_to.becomes(None),
        ],
    )


@specification.action(members, members, source="seed: Best-Effort Consistency; chapter sync", fair=True)
def anti_entropy_repairs_backup(owner: IndexExpr, member: IndexExpr) -> Step:
    """A backup that differs from its live owner gets the owner's copy.

    The comparison travels behind the backup messages, so one that is under way is no difference; not while migrating.
    """
    return Step(
        when=[
            is_owner(owner),
            is_replica(member),
            all_of(is_up[owner], is_up[member]),
            moving_slot.is_none,
            backup_lane[member].is_empty,
            runs[member] != runs[owner],
        ],
        then=[runs[member].becomes(runs[owner])],
    )


@specification.action(source="seed: Partition Table; calls.5", fair=True)
def caller_gets_the_row() -> Step:
    """The caller receives the partition table, before or after the member list that belongs to it."""
    return Step(when=[callers_row != row], then=[callers_row.becomes(row)])


def caller_hears_of_removal(member: IndexExpr) -> list[BoolExpr]:
    """Return the guards for news of a removal."""
    return [callers_list[member], ~listed[member]]


@specification.action(members, source="calls.19, calls.14, strict.2", fair=True)
def target_is_removed(member: IndexExpr) -> Step:
    """The target of the pending attempt leaves the caller's member list: MemberLeftException.

    This is so even when its response is kept and only acknowledgements are outstanding.
    """
    return Step(
        when=[*caller_hears_of_removal(member), phase == Phase.WAITING, is_target(member)],
        then=[callers_list[member].becomes(False), *target_has_left()],
    )


@specification.action(members, source="backups.20: PR 12213", fair=True)
def another_member_is_removed(member: IndexExpr) -> Step:
    """Any other member that leaves counts as one acknowledgement of the pending call, whoever it was."""
    return Step(
        when=[*caller_hears_of_removal(member), phase == Phase.WAITING, ~is_target(member), counts_leavers],
        then=[
            callers_list[member].becomes(False),
            leavers_counted.becomes(leavers_counted + 1),
            *one_more_acknowledgement(),
        ],
    )


@specification.action(members, source="calls.19; defect HZ-68", fair=True)
def removal_concerns_no_call(member: IndexExpr) -> Step:
    """No attempt is registered, not even one whose target is chosen: only the list changes."""
    return Step(
        when=[
            *caller_hears_of_removal(member),
            (phase == Phase.WAITING).implies(~is_target(member) & ~counts_leavers),
        ],
        then=[callers_list[member].becomes(False)],
    )
