"""Migrations: ordered, copied, committed on the destination first; or failed."""

from gridproof_model.language import (
    BoolExpr,
    EnumExpr,
    IndexExpr,
    IntExpr,
    OneOf,
    OptionExpr,
    Step,
    Update,
    all_of,
    any_of,
    array_of,
    count,
    exists,
    first,
    for_all,
    if_else,
)
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.tables.editing import is_named, may_edit
from gridproof_model.specifications.tables.state import (
    MIGRATION,
    Outcome,
    Row,
    Stage,
    active,
    asked_at,
    ended,
    fetching,
    follows,
    is_listed,
    is_master,
    is_stranger,
    members,
    migrations,
    orders_left,
    outcomes,
    plan,
    row,
    slots,
    specification,
    stage,
    underway,
    version,
)

OUTCOME = OneOf(Outcome)
LATER = (Stage.OPENED, Stage.READY, Stage.COPIED, Stage.COMMIT_SENT, Stage.COMMITTED)
"""Stages after the order, each with all that were before it."""


@specification.definition(migrations)
def committed_version(migration: IndexExpr) -> IntExpr:
    """The row version after the migration succeeded: one more for every slot that changed."""
    change = plan[migration]
    return change.initial + count(
        slots,
        lambda slot: (change.slot == slot) | (change.left_slot == slot) | (change.lower_slot == slot),
    )


@specification.definition(migrations)
def failed_version(migration: IndexExpr) -> IntExpr:
    """The row version after the migration failed: above anything its destination may have had."""
    return committed_version(migration) + 1


def migrated(slots_of: Row, migration: IndexExpr) -> Row:
    """Return a row after a migration: the destination in, the old occupant out or down, the slot left behind empty."""
    change = plan[migration]
    return array_of(
        slots,
        lambda slot: if_else(
            slot == change.slot,
            change.destination,
            if_else(
                change.lower_slot == slot,
                slots_of[change.slot],
                if_else(change.left_slot == slot, None, slots_of[slot]),
            ),
        ),
    )


def place_of(member: IndexExpr, holder: IndexExpr) -> OptionExpr[IndexExpr]:
    """Return the slot that somebody has in a member's row."""
    return first(slots, lambda slot: row[member][slot] == holder)


@specification.definition()
def unused() -> OptionExpr[IndexExpr]:
    """The first migration that was not ordered yet."""
    return first(migrations, lambda migration: stage[migration] == Stage.UNUSED)


def may_order(member: IndexExpr, destination: IndexExpr, slot: IndexExpr) -> list[BoolExpr]:
    """Return the guards of an order: the row is repaired, and a member that is listed moves to a hotter slot."""
    return [
        orders_left > 0,
        may_edit(member),
        unused().is_some,
        row[member][slots[0]].is_some,
        for_all(slots, lambda other: ~is_stranger(member, other)),
        is_listed(member, destination),
        ~is_named(member, destination) | (slot < place_of(member, destination).value),
    ]


def is_ordered(member: IndexExpr, destination: IndexExpr, slot: IndexExpr, lower: IndexExpr | None) -> list[Update]:
    """Return what an order does: the master asks the primary."""
    migration = unused().value
    return [
        orders_left.becomes(orders_left - 1),
        plan[migration].becomes(
            MIGRATION(
                master=member,
                primary=row[member][slots[0]],
                destination=destination,
                slot=slot,
                source=row[member][slot],
                left_slot=place_of(member, destination),
                lower_slot=lower,
                initial=version[member],
            )
        ),
        stage[migration].becomes(Stage.ORDERED),
        underway[member].becomes(migration),
    ]


@specification.action(members, members, slots, source="placement.18, migration.2, migration.5")
def master_orders_migration(member: IndexExpr, destination: IndexExpr, slot: IndexExpr) -> Step:
    """The master orders a copy, a move or a shift up; it asks the primary, whose data is copied."""
    return Step(
        when=may_order(member, destination, slot),
        then=is_ordered(member, destination, slot, None),
    )


@specification.action(members, members, slots, slots, source="placement.18, migration.2, migration.5")
def master_orders_shift_down(member: IndexExpr, destination: IndexExpr, slot: IndexExpr, lower: IndexExpr) -> Step:
    """The master orders a shift down: the occupant goes to a colder slot, which is empty or the destination leaves."""
    return Step(
        when=[
            *may_order(member, destination, slot),
            row[member][slot].is_some,
            slot < lower,
            row[member][lower].is_none | (row[member][lower] == destination),
        ],
        then=is_ordered(member, destination, slot, lower),
    )


@specification.definition(members, migrations)
def fits(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """A migration changes a member's row: its version and the slots concerned are those that it was ordered for."""
    change = plan[migration]
    lower = change.lower_slot
    return all_of(
        version[member] == change.initial,
        row[member][change.slot] == change.source,
        place_of(member, change.destination.value) == change.left_slot,
        lower.is_none | row[member][lower.value].is_none | (row[member][lower.value] == change.destination),
    )


def takes_part(member: IndexExpr, migration: IndexExpr) -> list[BoolExpr]:
    """Return the guards of whoever is asked to take part: it follows the master, and has the row it starts from."""
    return [
        ~ended[member],
        plan[migration].master.is_some,
        follows[member] == plan[migration].master,
        active[member].is_none,
        version[member] == plan[migration].initial,
    ]


def reaches(migration: IndexExpr, before: Stage, after: Stage) -> Update:
    """Return the update of a step that may be repeated: a migration never goes back."""
    now = stage[migration]
    return stage[migration].becomes(if_else(now == before, coerced(after, OneOf(Stage)), now))


@specification.action(members, migrations, source="migration.5, migration.6; defect HZ-22")
def primary_opens_migration(member: IndexExpr, migration: IndexExpr) -> Step:
    """The primary checks who asks, that it is meant, and its row version; it then refuses writes."""
    return Step(
        when=[*takes_part(member, migration), plan[migration].primary == member],
        then=[active[member].becomes(migration), reaches(migration, Stage.ORDERED, Stage.OPENED)],
    )


@specification.action(members, migrations, source="migration.5, migration.6; defect HZ-39")
def destination_gets_ready(member: IndexExpr, migration: IndexExpr) -> Step:
    """Asked by the primary, the destination makes the same checks, and refuses writes, too."""
    return Step(
        when=[
            *takes_part(member, migration),
            plan[migration].destination == member,
            stage[migration].is_in(*LATER),
        ],
        then=[active[member].becomes(migration), reaches(migration, Stage.OPENED, Stage.READY)],
    )


@specification.action(members, migrations, source="migration.10")
def primary_copies_data(member: IndexExpr, migration: IndexExpr) -> Step:
    """The destination has everything; the primary reports that to the master."""
    return Step(
        when=[
            ~ended[member],
            plan[migration].primary == member,
            active[member] == migration,
            stage[migration].is_in(*LATER[1:]),
        ],
        then=[reaches(migration, Stage.READY, Stage.COPIED)],
    )


@specification.action(members, migrations, source="migration.11")
def master_sends_commit(member: IndexExpr, migration: IndexExpr) -> Step:
    """The primary has answered: the master asks the destination to commit, again and again until it is answered."""
    return Step(
        when=[~ended[member], underway[member] == migration, stage[migration].is_in(*LATER[2:])],
        then=[reaches(migration, Stage.COPIED, Stage.COMMIT_SENT)],
    )


@specification.action(members, migrations, source="migration.11, migration.12")
def destination_commits(member: IndexExpr, migration: IndexExpr) -> Step:
    """The destination checks that it is meant, its master and its version, and makes the change first of all."""
    return Step(
        when=[
            ~ended[member],
            plan[migration].destination == member,
            follows[member] == plan[migration].master,
            active[member] == migration,
            stage[migration].is_in(*LATER[3:]),
            fits(member, migration),
        ],
        then=[
            row[member].becomes(migrated(row[member], migration)),
            version[member].becomes(committed_version(migration)),
            outcomes[member][migration].becomes(Outcome.SUCCESS),
            stage[migration].becomes(Stage.COMMITTED),
        ],
    )


@specification.action(members, migrations, source="migration.12")
def master_commits(member: IndexExpr, migration: IndexExpr) -> Step:
    """When the destination has answered, the master makes the change."""
    return Step(
        when=[
            ~ended[member],
            underway[member] == migration,
            stage[migration] == Stage.COMMITTED,
            fits(member, migration),
        ],
        then=[
            row[member].becomes(migrated(row[member], migration)),
            version[member].becomes(committed_version(migration)),
            outcomes[member][migration].becomes(Outcome.SUCCESS),
        ],
    )


@specification.action(members, migrations, source="migration.14, migration.22")
def migration_fails(member: IndexExpr, migration: IndexExpr) -> Step:
    """A participant refuses, takes too long or has left: the version rises above what the destination may have.

    Once the destination has committed, only its leaving makes the migration fail.
    """
    destination = plan[migration].destination
    return Step(
        when=[
            ~ended[member],
            underway[member] == migration,
            outcomes[member][migration] != Outcome.FAILED,
            version[member] < failed_version(migration),
            (stage[migration] != Stage.COMMITTED) | ~is_listed(member, destination.value),
        ],
        then=[
            version[member].becomes(failed_version(migration)),
            outcomes[member][migration].becomes(Outcome.FAILED),
        ],
    )


@specification.action(members, migrations, source="migration.12, migration.14")
def migration_ends(member: IndexExpr, migration: IndexExpr) -> Step:
    """The master has recorded the outcome; as the destination it did so when it committed."""
    return Step(
        when=[~ended[member], underway[member] == migration, outcomes[member][migration] != Outcome.UNKNOWN],
        then=[underway[member].becomes(None)],
    )


@specification.definition(members, migrations)
def outcome_known(member: IndexExpr, migration: IndexExpr) -> EnumExpr[Outcome]:
    """What a member knows of a migration's end, or else its master, which may have announced it."""
    own = outcomes[member][migration]
    return if_else((own == Outcome.UNKNOWN) & follows[member].is_some, outcomes[follows[member].value][migration], own)


@specification.action(members, migrations, source="table.18; defect HZ-15")
def completed_migration_is_applied(member: IndexExpr, migration: IndexExpr) -> Step:
    """A member that has the row from which a completed migration started makes the same change."""
    known = outcome_known(member, migration)
    succeeded = known == Outcome.SUCCESS
    return Step(
        when=[
            ~ended[member],
            follows[member] != member,
            known != Outcome.UNKNOWN,
            version[member] > 0,
            (known == Outcome.FAILED) | fits(member, migration),
            version[member] == plan[migration].initial,
        ],
        then=[
            row[member].becomes(if_else(succeeded, migrated(row[member], migration), row[member])),
            version[member].becomes(if_else(succeeded, committed_version(migration), failed_version(migration))),
            outcomes[member][migration].becomes(known),
        ],
    )


@specification.action(members, migrations, source="table.17")
def outcome_is_learned(member: IndexExpr, migration: IndexExpr) -> Step:
    """A member hears with a table of its master how a migration ended."""
    known = outcome_known(member, migration)
    return Step(
        when=[~ended[member], outcomes[member][migration] == Outcome.UNKNOWN, known != Outcome.UNKNOWN],
        then=[outcomes[member][migration].becomes(known)],
    )


@specification.action(members, migrations, source="migration.17")
def participant_finishes(member: IndexExpr, migration: IndexExpr) -> Step:
    """A participant hears how a migration ended: it commits or rolls back what it holds, and takes writes again."""
    known = outcome_known(member, migration)
    return Step(
        when=[~ended[member], active[member] == migration, known != Outcome.UNKNOWN],
        then=[active[member].becomes(None), outcomes[member][migration].becomes(known)],
    )


@specification.action(members, migrations, source="table.23")
def migration_is_settled(member: IndexExpr, migration: IndexExpr) -> Step:
    """A new master hears of a migration: it succeeded if somebody says so, and has failed if nobody does."""

    def says_so(other: IndexExpr) -> BoolExpr:
        has_answered = (other == member) | asked_at[member][other].is_some
        return has_answered & (outcomes[other][migration] == Outcome.SUCCESS)

    outcome = if_else(exists(members, says_so), coerced(Outcome.SUCCESS, OUTCOME), Outcome.FAILED)
    return Step(
        when=[
            is_master(member),
            fetching[member],
            stage[migration] != Stage.UNUSED,
            any_of(outcomes[member][migration] == Outcome.UNKNOWN, active[member] == migration),
        ],
        then=[
            outcomes[member][migration].becomes(outcome),
            active[member].becomes(if_else(active[member] == migration, None, active[member])),
        ],
    )
