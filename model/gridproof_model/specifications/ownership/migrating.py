"""Migrations: ordered, copied, committed on the destination first; or failed.

The kinds are those of placement.18: a copy has no old occupant; a move drops it; a shift up brings the
destination from a lower slot of the same row; a shift down puts the old occupant into a lower slot. Which of them a
placement wants is not said here: any may be ordered that fills an empty slot, empties the slots of a member that
leaves, or spreads the load (a bounded number of times).
Choice (placement.24): a migration never brings two members of one group together. The documented planner keeps groups
apart only when a whole plan is done (placement.24), which is judged at the placement.
"""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    OptionExpr,
    Step,
    Update,
    count,
    exists,
    first,
    for_all,
    if_else,
)
from gridproof_model.specifications.ownership.state import (
    MIGRATION,
    Outcome,
    Stage,
    active,
    failures_left,
    follows,
    holds,
    listed,
    master,
    members,
    migrations,
    plan,
    rebalances_left,
    row,
    slots,
    specification,
    stage,
    version,
)
from gridproof_model.specifications.ownership.updates import finishes
from gridproof_model.specifications.ownership.words import (
    committed_version,
    failed_version,
    group_of,
    is_in,
    is_in_progress,
    is_leaving,
    is_repaired,
    is_running,
    master_may_edit,
    master_works,
    may_own,
    migrated,
    wanted_copies,
)


def _may_order(migration: IndexExpr, destination: IndexExpr, slot: IndexExpr) -> list[BoolExpr]:
    return [
        master_may_edit(),
        is_repaired(),
        first(migrations, lambda unused: stage[unused] == Stage.UNUSED) == migration,
        may_own(destination),
        for_all(slots, lambda other: (row[master][other] == destination).implies(slot < other)),
    ]


def _order(migration: IndexExpr, destination: IndexExpr, slot: IndexExpr, lower: IndexExpr | None) -> list[Update]:
    spreads = row[master][slot].is_some & ~is_leaving(slot)
    left: OptionExpr[IndexExpr] = first(slots, lambda other: row[master][other] == destination)
    return [
        plan[migration].becomes(
            MIGRATION(
                master=master,
                primary=row[master][slots[0]],
                destination=destination,
                slot=slot,
                left_slot=left,
                lower_slot=lower,
                initial=version[master],
            )
        ),
        stage[migration].becomes(Stage.REQUESTED),
        rebalances_left.becomes(if_else(spreads, rebalances_left - 1, rebalances_left)),
    ]


def _fails(migration: IndexExpr) -> list[Update]:
    return [
        version[master].becomes(failed_version(migration)),
        *finishes(master, migration, row[master], Outcome.FAILED),
        stage[migration].becomes(Stage.ENDED),
    ]


def _is_wanted(destination: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """Return whether the order fills a slot, frees one of a member that leaves, or spreads the load.

    Migrations never lower the number of copies unless there are to be fewer (placement.23). So a shift
    up drops an old occupant that leaves only when nobody else can take its place, and one that stays only when there
    are more copies than there are to be; it comes back later, into the slot of a member that leaves (placement.21).
    """
    is_shift_up = is_in(row[master], destination)
    are_too_many = wanted_copies() < count(slots, lambda other: row[master][other].is_some)
    return row[master][slot].is_none | if_else(
        is_leaving(slot),
        ~is_shift_up | ~_can_be_replaced(slot),
        (~is_shift_up | are_too_many) & (rebalances_left > 0),
    )


def _can_be_replaced(slot: IndexExpr) -> BoolExpr:
    return exists(members, lambda member: may_own(member) & ~is_in(row[master], member) & _stays_apart(member, slot))


def _is_other_group(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    occupant = row[master][slot]
    return if_else(occupant.is_some, (occupant == member) | (group_of(occupant.value) != group_of(member)), True)


def _stays_apart(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    return for_all(slots, lambda other: (other == slot) | _is_other_group(member, other))


@specification.action(migrations, members, slots, source="placement.18, migration.2, migration.5", fair=True)
def master_orders_migration(migration: IndexExpr, destination: IndexExpr, slot: IndexExpr) -> Step:
    """The master orders a copy, a move or a shift up; it asks the primary, whose data is copied."""
    return Step(
        when=[
            *_may_order(migration, destination, slot),
            _is_wanted(destination, slot),
            _stays_apart(destination, slot),
        ],
        then=_order(migration, destination, slot, None),
    )


@specification.action(migrations, members, slots, slots, source="placement.18, migration.3, migration.5")
def master_orders_shift_down(migration: IndexExpr, destination: IndexExpr, slot: IndexExpr, lower: IndexExpr) -> Step:
    """The master orders a shift down: the occupant goes to a lower, empty slot; the destination takes its place.

    When the destination comes from a slot of the same row, this is the atomic shift up and down.
    """
    return Step(
        when=[
            *_may_order(migration, destination, slot),
            row[master][slot].is_some,
            slot < lower,
            row[master][lower].is_none,
            rebalances_left > 0,
            for_all(slots, lambda other: _is_other_group(destination, other)),
        ],
        then=_order(migration, destination, slot, lower),
    )


@specification.action(slots, source="placement.19, leaving.4", fair=True)
def master_removes_replica(slot: IndexExpr) -> Step:
    """A backup on a member that leaves, and for which no other member can be found, is removed at once."""
    return Step(
        when=[
            master_may_edit(),
            is_repaired(),
            slots[0] < slot,
            is_leaving(slot),
            ~_can_be_replaced(slot),
        ],
        then=[row[master][slot].becomes(None), version[master].becomes(version[master] + 1)],
    )


@specification.action(migrations, members, source="migration.5, migration.6; defect HZ-22", fair=True)
def primary_opens_migration(migration: IndexExpr, primary: IndexExpr) -> Step:
    """The primary checks who asks, that it is the primary, and its row version; it then refuses writes.

    One that is still busy with an earlier migration has not heard of its end, and so has another version.
    """
    return Step(
        when=[
            stage[migration] == Stage.REQUESTED,
            plan[migration].primary == primary,
            is_running(primary),
            plan[migration].master == follows[primary],
            row[primary][slots[0]] == primary,
            version[primary] == plan[migration].initial,
        ],
        then=[active[primary].becomes(migration), stage[migration].becomes(Stage.OPENED)],
    )


@specification.action(migrations, members, source="migration.5, migration.6; defect HZ-39", fair=True)
def destination_gets_ready(migration: IndexExpr, destination: IndexExpr) -> Step:
    """Asked by the primary, the destination makes the same checks, that it is meant itself, and refuses writes, too."""
    return Step(
        when=[
            stage[migration] == Stage.OPENED,
            plan[migration].destination == destination,
            is_running(plan[migration].primary.value),
            is_running(destination),
            plan[migration].master == follows[destination],
            version[destination] == plan[migration].initial,
        ],
        then=[active[destination].becomes(migration), stage[migration].becomes(Stage.READY)],
    )


@specification.action(migrations, members, source="migration.10", fair=True)
def primary_copies_data(migration: IndexExpr, destination: IndexExpr) -> Step:
    """All data goes to the destination; the primary reports success to the master."""
    return Step(
        when=[
            stage[migration] == Stage.READY,
            plan[migration].destination == destination,
            is_running(plan[migration].primary.value),
            is_running(destination),
        ],
        then=[holds[destination].becomes(holds[plan[migration].primary.value]), stage[migration].becomes(Stage.COPIED)],
    )


@specification.action(migrations, source="migration.11", fair=True)
def master_sends_commit(migration: IndexExpr) -> Step:
    """The primary has answered: the master asks the destination to commit, again until the destination answers."""
    return Step(
        when=[is_in_progress(migration), master_works(), stage[migration] == Stage.COPIED],
        then=[stage[migration].becomes(Stage.COMMIT_SENT)],
    )


@specification.action(migrations, members, source="migration.11, migration.12", fair=True)
def destination_commits(migration: IndexExpr, destination: IndexExpr) -> Step:
    """The destination checks that it is meant, its master and its version, makes the change first of all, and says so.

    Asked again it answers yes and changes nothing.
    """
    new_row = migrated(row[destination], migration)
    return Step(
        when=[
            stage[migration] == Stage.COMMIT_SENT,
            plan[migration].destination == destination,
            is_running(destination),
            plan[migration].master == follows[destination],
            version[destination] == plan[migration].initial,
        ],
        then=[
            row[destination].becomes(new_row),
            version[destination].becomes(committed_version(migration)),
            *finishes(destination, migration, new_row, Outcome.SUCCESS),
            stage[migration].becomes(Stage.COMMITTED),
        ],
    )


@specification.action(migrations, source="migration.12", fair=True)
def master_commits(migration: IndexExpr) -> Step:
    """When the destination has answered, the master makes the change; if it is the destination it has done so."""
    is_done = version[master] == committed_version(migration)
    new_row = if_else(is_done, row[master], migrated(row[master], migration))
    return Step(
        when=[is_in_progress(migration), master_works(), stage[migration] == Stage.COMMITTED],
        then=[
            row[master].becomes(new_row),
            version[master].becomes(committed_version(migration)),
            *finishes(master, migration, new_row, Outcome.SUCCESS),
            stage[migration].becomes(Stage.ENDED),
        ],
    )


@specification.action(migrations, source="migration.5, migration.14")
def request_fails(migration: IndexExpr) -> Step:
    """The request is refused or takes too long (a stale table, another migration, a slow copy): it has failed."""
    return Step(
        when=[
            is_in_progress(migration),
            master_works(),
            failures_left > 0,
            stage[migration].is_in(Stage.REQUESTED, Stage.OPENED, Stage.READY, Stage.COPIED),
        ],
        then=[*_fails(migration), failures_left.becomes(failures_left - 1)],
    )


@specification.action(migrations, source="migration.14, migration.22", fair=True)
def migration_fails_with_its_member(migration: IndexExpr) -> Step:
    """The primary left before it had copied everything, or the destination left before its commit was known."""
    primary_left = ~listed[plan[migration].primary.value] & stage[migration].is_in(
        Stage.REQUESTED, Stage.OPENED, Stage.READY
    )
    return Step(
        when=[
            is_in_progress(migration),
            master_works(),
            primary_left | ~listed[plan[migration].destination.value],
        ],
        then=_fails(migration),
    )
