"""Migrations: each is ordered, its data is copied, and the destination is the first to commit it; or it fails.

The kinds of migrations are those of placement.18. A copy fills an empty slot; a move removes the slot's old holder; in
a shift up, the destination comes from a higher slot of the same row; in a shift down, the old holder moves to a higher
slot of the same row. Choice (placement.24): in a world with a placement, no order puts two members of one group into
the row. In recorded runs, an order in the middle of a plan may put two members of one group there; the variable `mixed`
records this.
"""

from gridproof_model.language import *
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.ownership.editing import can_be_replaced, is_leavers, is_named, may_edit
from gridproof_model.specifications.ownership.state import *

OUTCOME = OneOf(Outcome)
LATER = (Stage.OPENED, Stage.READY, Stage.COPIED, Stage.COMMIT_SENT, Stage.COMMITTED)
"""The stages that follow the order, earliest first."""


@specification.definition(migrations)
def committed_version(migration: IndexExpr) -> IntExpr:
    """The row version after a successful migration: it rises by one for every slot that changes."""
    change = plan[migration]
    return change.initial + count(
        slots, lambda slot: (change.slot == slot) | (change.left_slot == slot) | (change.lower_slot == slot)
    )


@specification.definition(migrations)
def failed_version(migration: IndexExpr) -> IntExpr:
    """The row version after a failed migration: it is higher than any version that the destination may have had."""
    return committed_version(migration) + 1


def migrated(slots_of: Row, migration: IndexExpr) -> Row:
    """Return a row after a migration: the destination has the slot; its old holder has no slot, or a higher slot."""
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
    """Return the slot of a holder in a member's row."""
    return first(slots, lambda slot: row[member][slot] == holder)


@specification.definition()
def unused() -> OptionExpr[IndexExpr]:
    """The first migration that has not been ordered yet."""
    return first(migrations, lambda migration: stage[migration] == Stage.UNUSED)


def may_order(member: IndexExpr, destination: IndexExpr, slot: IndexExpr) -> list[BoolExpr]:
    """Return the guards of an order: the row is repaired, and a destination that has a slot moves to a lower slot."""
    return [
        ~any_way | (orders_left > 0),
        may_edit(member),
        unused().is_some,
        row[member][slots[0]].is_some,
        for_all(slots, lambda other: ~is_stranger(member, other)),
        may_own(member, destination),
        ~is_named(member, destination) | (slot < place_of(member, destination).value),
    ]


@specification.definition(members)
def groups_that_may_own(member: IndexExpr) -> IntExpr:
    """How many groups have a member to which the master may give a copy."""
    return count(
        members,
        lambda one: (
            may_own(member, one)
            & ~exists(members, lambda older: (older < one) & may_own(member, older) & (group[older] == group[one]))
        ),
    )


def is_wanted(member: IndexExpr, destination: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """Return whether an order fills a slot, frees a leaver's slot or spreads the load, and costs no needed copy.

    Migrations never lower the number of copies, unless the row has more copies than it should (placement.23). So a
    shift up may replace a leaver only if no other member can take the slot, and may replace a member that stays only if
    there are too many copies.
    """
    is_shift_up = is_named(member, destination)
    are_too_many = groups_that_may_own(member) < count(slots, lambda other: row[member][other].is_some)
    return row[member][slot].is_none | if_else(
        is_leavers(member, slot),
        ~is_shift_up | ~can_be_replaced(member, slot),
        (~is_shift_up | are_too_many) & (orders_left > 0),
    )


def is_ordered(member: IndexExpr, destination: IndexExpr, slot: IndexExpr, lower: IndexExpr | None) -> list[Update]:
    """Return the updates of an order, which asks the primary to migrate."""
    is_planned = is_wanted(member, destination, slot) if lower is None else row[member][lower].is_none
    migration = unused().value
    is_needed = ~any_way & (row[member][slot].is_none | is_leavers(member, slot))
    beside = slot if lower is None else lower
    return [
        orders_left.becomes(if_else(is_needed, orders_left, orders_left - 1)),
        mixed.becomes(mixed | ~is_apart(member, destination, beside)),
        departs(~leaving[destination] & is_planned),
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


@specification.action(members, members, slots, source="placement.18, migration.2, migration.5", fair=True)
def master_orders_migration(member: IndexExpr, destination: IndexExpr, slot: IndexExpr) -> Step:
    """The master orders a copy, a move or a shift up; the data is copied from the primary."""
    is_good = any_way | (is_wanted(member, destination, slot) & is_apart(member, destination, slot))
    return Step(when=[*may_order(member, destination, slot), is_good], then=is_ordered(member, destination, slot, None))


@specification.action(members, members, slots, slots, source="placement.18, migration.2, migration.5")
def master_orders_shift_down(member: IndexExpr, destination: IndexExpr, slot: IndexExpr, lower: IndexExpr) -> Step:
    """The master orders a shift down: the slot's holder moves to a higher slot, empty or left by the destination."""
    return Step(
        when=[
            *may_order(member, destination, slot),
            row[member][slot].is_some,
            slot < lower,
            row[member][lower].is_none | (row[member][lower] == destination),
            any_way | ((orders_left > 0) & row[member][lower].is_none & is_apart(member, destination, lower)),
        ],
        then=is_ordered(member, destination, slot, lower),
    )


@specification.definition(members, migrations)
def fits(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """The migration fits the member's row: the row's version and slots are those that it was ordered for."""
    change = plan[migration]
    lower = change.lower_slot
    return all_of(
        version[member] == change.initial,
        row[member][change.slot] == change.source,
        place_of(member, change.destination.value) == change.left_slot,
        lower.is_none | row[member][lower.value].is_none | (row[member][lower.value] == change.destination),
    )


def takes_part(member: IndexExpr, migration: IndexExpr) -> list[BoolExpr]:
    """Return the guards of a participant: it follows the master, and has the row from which the migration starts."""
    has_the_row = version[member] == plan[migration].initial
    follows_it = follows[member] == plan[migration].master
    return [~ended[member], plan[migration].master.is_some, follows_it, active[member].is_none, has_the_row]


def keeps(member: IndexExpr, new_row: Row) -> Update:
    """Return the update of a member's data when it takes a row: a member without slot and migration drops its data."""
    return holds[member].becomes(holds[member] & (is_in(new_row, member) | active[member].is_some))


def reaches(migration: IndexExpr, before: Stage, after: Stage) -> Update:
    """Return the update of a stage in a step that may be repeated: a migration never returns to an earlier stage."""
    now = stage[migration]
    return stage[migration].becomes(if_else(now == before, coerced(after, OneOf(Stage)), now))


@specification.action(members, migrations, source="migration.5, migration.6, migration.8; defect HZ-22", fair=True)
def primary_opens_migration(member: IndexExpr, migration: IndexExpr) -> Step:
    """The primary checks the order's master, primary (itself) and row version; from then on it refuses writes."""
    return Step(
        when=[*takes_part(member, migration), plan[migration].primary == member],
        then=[active[member].becomes(migration), reaches(migration, Stage.ORDERED, Stage.OPENED)],
    )


@specification.action(members, migrations, source="migration.5, migration.6, migration.8; defect HZ-39", fair=True)
def destination_gets_ready(member: IndexExpr, migration: IndexExpr) -> Step:
    """The primary asks the destination, which makes the same checks and then refuses writes, too."""
    return Step(
        when=[*takes_part(member, migration), plan[migration].destination == member, stage[migration].is_in(*LATER)],
        then=[active[member].becomes(migration), reaches(migration, Stage.OPENED, Stage.READY)],
    )


@specification.action(members, migrations, source="migration.1, migration.10", fair=True)
def primary_copies_data(member: IndexExpr, migration: IndexExpr) -> Step:
    """The primary reports to the master that the destination has all data."""
    is_ready = stage[migration].is_in(*LATER[1:])
    return Step(
        when=[~ended[member], plan[migration].primary == member, active[member] == migration, is_ready],
        then=[
            reaches(migration, Stage.READY, Stage.COPIED),
            holds.becomes(
                array_of(
                    members,
                    lambda other: if_else(
                        (stage[migration] == Stage.READY)
                        & (plan[migration].destination == other)
                        & ~ended[other]
                        & (active[other] == migration),
                        holds[member],
                        holds[other],
                    ),
                )
            ),
        ],
    )


@specification.action(members, migrations, source="migration.11", fair=True)
def master_sends_commit(member: IndexExpr, migration: IndexExpr) -> Step:
    """After the primary's answer, the master asks the destination to commit, repeatedly until the destination
    answers."""
    is_open = outcomes[member][migration] == Outcome.UNKNOWN
    return Step(
        when=[~ended[member], underway[member] == migration, is_open, stage[migration].is_in(*LATER[2:])],
        then=[reaches(migration, Stage.COPIED, Stage.COMMIT_SENT)],
    )


def makes_the_change(member: IndexExpr, migration: IndexExpr) -> list[Update]:
    """Return the updates by which a successful migration changes the row for which it was ordered."""
    return [
        row[member].becomes(migrated(row[member], migration)),
        version[member].becomes(committed_version(migration)),
        outcomes[member][migration].becomes(Outcome.SUCCESS),
    ]


@specification.action(members, migrations, source="migration.4, migration.11, migration.12", fair=True)
def destination_commits(member: IndexExpr, migration: IndexExpr) -> Step:
    """The destination checks the order, its master and its row version, and is the first to commit the change."""
    return Step(
        when=[
            ~ended[member],
            plan[migration].destination == member,
            follows[member] == plan[migration].master,
            active[member] == migration,
            stage[migration].is_in(*LATER[3:]),
            fits(member, migration),
        ],
        then=[*makes_the_change(member, migration), stage[migration].becomes(Stage.COMMITTED)],
    )


@specification.action(members, migrations, source="migration.12", fair=True)
def master_commits(member: IndexExpr, migration: IndexExpr) -> Step:
    """After the destination's answer, the master commits the change."""
    has_committed = stage[migration] == Stage.COMMITTED
    return Step(
        when=[~ended[member], underway[member] == migration, has_committed, fits(member, migration)],
        then=[*makes_the_change(member, migration), keeps(member, migrated(row[member], migration))],
    )


@specification.definition(members, migrations)
def refuses(destination: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """The destination is alive, but would refuse to commit now, because it has another master, migration or row."""
    return ~ended[destination] & ~all_of(
        follows[destination] == plan[migration].master, active[destination] == migration, fits(destination, migration)
    )


@specification.definition(members, migrations)
def has_to_fail(master: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """The destination has left, or would refuse to commit as asked; or the primary left before it copied the data."""
    destination, primary = plan[migration].destination.value, plan[migration].primary.value
    has_copied = stage[migration].is_in(*LATER[2:])
    return any_of(
        (stage[migration] == Stage.COMMIT_SENT) & refuses(destination, migration),
        ~is_listed(master, destination),
        ~has_copied & ~is_listed(master, primary),
    )


@specification.action(members, migrations, source="migration.4, migration.14, migration.22", fair=True)
def migration_fails(member: IndexExpr, migration: IndexExpr) -> Step:
    """A participant refuses, takes too long or has left: the row version rises above any that the destination may have.

    Once the destination has been asked to commit, the migration fails only if the destination has left or would refuse;
    once the destination has committed, the migration fails only if the destination has left.
    """
    may_fail = has_to_fail(member, migration) | (~stage[migration].is_in(*LATER[3:]) & (failures_left > 0))
    is_open = outcomes[member][migration] == Outcome.UNKNOWN
    is_lower = version[member] < failed_version(migration)
    return Step(
        when=[~ended[member], underway[member] == migration, is_open, is_lower, may_fail],
        then=[
            failures_left.becomes(if_else(has_to_fail(member, migration), failures_left, failures_left - 1)),
            version[member].becomes(failed_version(migration)),
            outcomes[member][migration].becomes(Outcome.FAILED),
        ],
    )


@specification.action(members, migrations, source="migration.12, migration.14", fair=True)
def migration_ends(member: IndexExpr, migration: IndexExpr) -> Step:
    """The master stops waiting, since it has recorded the outcome (at its own commit, if it is the destination)."""
    return Step(
        when=[~ended[member], underway[member] == migration, outcomes[member][migration] != Outcome.UNKNOWN],
        then=[underway[member].becomes(None)],
    )


@specification.definition(members, migrations)
def outcome_known(member: IndexExpr, migration: IndexExpr) -> EnumExpr[Outcome]:
    """The outcome that the member knows; if none, the outcome that its master knows, unless the master still claims."""
    own, master = outcomes[member][migration], follows[member]
    is_asked = (own == Outcome.UNKNOWN) & master.is_some
    return if_else(is_asked, if_else(claiming[master.value], own, outcomes[master.value][migration]), own)


@specification.definition(members, migrations, OUTCOME)
def has_its_row(member: IndexExpr, migration: IndexExpr, outcome: EnumExpr[Outcome]) -> BoolExpr:
    """The member has a row at least as new as the row that resulted from the migration."""
    final = if_else(outcome == Outcome.SUCCESS, committed_version(migration), failed_version(migration))
    return final <= version[member]


@specification.action(members, migrations, source="table.18; defect HZ-15", fair=True)
def completed_migration_is_applied(member: IndexExpr, migration: IndexExpr) -> Step:
    """A member that has the row from which a completed migration started applies the migration's change to this row."""
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
            keeps(member, if_else(succeeded, migrated(row[member], migration), row[member])),
        ],
    )


@specification.action(members, migrations, source="table.17", fair=True)
def outcome_is_learned(member: IndexExpr, migration: IndexExpr) -> Step:
    """A member learns how a migration ended from a table of its master, after it has taken that table's row."""
    known = outcome_known(member, migration)
    is_open = outcomes[member][migration] == Outcome.UNKNOWN
    return Step(
        when=[~ended[member], is_open, known != Outcome.UNKNOWN, has_its_row(member, migration, known)],
        then=[outcomes[member][migration].becomes(known)],
    )


@specification.action(members, migrations, source="table.17; docs/findings.md")
def outcome_is_cleared(member: IndexExpr, migration: IndexExpr) -> Step:
    """A member forgets an outcome, as documented, by a table that its master sent before knowing this outcome."""
    # Choice (table.17): a member forgets only migrations that ended at or below the version of the table.
    return Step(
        when=[
            ~remembers,
            ~ended[member],
            outcomes[member][migration] != Outcome.UNKNOWN,
            follows[member].is_some & (follows[member] != member),
            outcomes[follows[member].value][migration] == Outcome.UNKNOWN,
        ],
        then=[outcomes[member][migration].becomes(Outcome.UNKNOWN)],
    )


@specification.action(members, migrations, source="migration.17", fair=True)
def participant_finishes(member: IndexExpr, migration: IndexExpr) -> Step:
    """A participant learns how a migration ended, commits it or rolls it back, and then accepts writes again.

    The participant already has the row that belongs to the outcome, unless it is a new master that still fetches rows.
    """
    known = outcome_known(member, migration)
    has_the_row = fetching[member] | has_its_row(member, migration, known)
    return Step(
        when=[~ended[member], active[member] == migration, known != Outcome.UNKNOWN, has_the_row],
        then=[
            active[member].becomes(None),
            outcomes[member][migration].becomes(known),
            holds[member].becomes(holds[member] & is_in(row[member], member)),
        ],
    )
