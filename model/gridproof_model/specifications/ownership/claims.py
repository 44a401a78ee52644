"""What must hold of ownership in every state."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, count, exists, for_all, if_else, smaller
from gridproof_model.specifications.ownership.state import (
    Life,
    Outcome,
    Promotion,
    Stage,
    active,
    arranged,
    backups,
    crashes,
    crashes_left,
    follows,
    founders,
    groups,
    holds,
    leaves,
    leaves_left,
    life,
    lite,
    lost,
    master,
    members,
    migrations,
    outcomes,
    plan,
    promotion,
    row,
    slots,
    specification,
    stage,
    version,
)
from gridproof_model.specifications.ownership.words import (
    group_of,
    is_in,
    is_in_progress,
    is_lite,
    is_running,
    lowest_survivor,
    master_works,
    promoted,
)


def _are_apart(member: IndexExpr, slot: IndexExpr, other: IndexExpr) -> BoolExpr:
    one, two = row[member][slot], row[member][other]
    return if_else(one.is_some & two.is_some, group_of(one.value) != group_of(two.value), True)


def _has_just_committed(member: IndexExpr) -> BoolExpr:
    return exists(
        migrations,
        lambda migration: (
            is_in_progress(migration) & (stage[migration] == Stage.COMMITTED) & (plan[migration].destination == member)
        ),
    )


def _was_just_promoted(member: IndexExpr) -> BoolExpr:
    return (promotion == Promotion.DONE) & (
        (row[member] == promoted(row[master])) & (version[member] == version[master] + 2)
    )


def _someone_has(migration: IndexExpr, outcome: Outcome) -> BoolExpr:
    return exists(members, lambda member: is_running(member) & (outcomes[member][migration] == outcome))


@specification.definition(members)
def writes(member: IndexExpr) -> BoolExpr:
    """The member executes writes: its own row names it the primary and no migration blocks it."""
    return (
        life[member].is_in(Life.RUNNING, Life.LEAVING, Life.CUT_OFF)
        & (row[member][slots[0]] == member)
        & active[member].is_none
    )


@specification.definition()
def first_copies() -> IntExpr:
    """How many copies the founders make: one in each slot, as far as there are groups."""
    return smaller(backups + 1, smaller(groups, founders - lite))


@specification.always(source="table.2; invariant A1; table.2")
def nobody_is_twice_in_a_row() -> BoolExpr:
    """A member occupies at most one slot of any member's row."""
    return for_all(
        members,
        lambda member: for_all(
            slots,
            lambda slot: for_all(
                slots,
                lambda other: (slot == other) | row[member][slot].is_none | (row[member][slot] != row[member][other]),
            ),
        ),
    )


@specification.always(source="placement.1; invariant A3; seed: Partition Group Configuration")
def replicas_are_in_different_groups() -> BoolExpr:
    """No row has two members of one partition group."""
    return for_all(
        members,
        lambda member: for_all(
            slots,
            lambda slot: for_all(slots, lambda other: (slot == other) | _are_apart(member, slot, other)),
        ),
    )


@specification.always(source="placement.2; invariant A4; seed: Lite Members")
def lite_members_own_nothing() -> BoolExpr:
    """No row has a lite member."""
    return for_all(
        members, lambda member: for_all(members, lambda owner: ~(is_lite(owner) & is_in(row[member], owner)))
    )


@specification.always(source="table.14, table.5; invariant T3; table.5")
def equal_versions_mean_equal_rows() -> BoolExpr:
    """Two members that are not cut off and have the same row version have the same row."""
    return for_all(
        members,
        lambda one: for_all(
            members,
            lambda other: (is_running(one) & is_running(other) & (version[one] == version[other])).implies(
                row[one] == row[other]
            ),
        ),
    )


@specification.always(source="table.8, table.9; invariant T1")
def nobody_is_ahead_of_the_master() -> BoolExpr:
    """While the master works nobody has a higher row version, but for who has just committed or been promoted."""
    return for_all(
        members,
        lambda member: (master_works() & is_running(member) & (follows[member] == master)).implies(
            (version[member] <= version[master]) | _has_just_committed(member) | _was_just_promoted(member)
        ),
    )


@specification.always(source="invariant P1; repair.3")
def the_lowest_survivor_is_promoted() -> BoolExpr:
    """Who answered a promotion is the primary of its own row; before, it was the first in the master's row."""
    survivor = row[master][lowest_survivor(row[master]).value].value
    return (master_works() & (promotion == Promotion.DONE)).implies(
        row[master][slots[0]].is_none & is_running(survivor).implies(row[survivor] == promoted(row[master]))
    )


@specification.always(source="invariant M1; migration.15")
def a_migration_has_one_outcome() -> BoolExpr:
    """No two members record different ends of a migration."""
    return for_all(
        migrations,
        lambda migration: ~(_someone_has(migration, Outcome.SUCCESS) & _someone_has(migration, Outcome.FAILED)),
    )


@specification.always(source="migration.12")
def the_master_commits_after_the_destination() -> BoolExpr:
    """While a migration is in progress the master has not made its change unless the destination has."""
    return for_all(
        migrations,
        lambda migration: (master_works() & is_in_progress(migration) & (stage[migration] != Stage.COMMITTED)).implies(
            version[master] == plan[migration].initial
        ),
    )


@specification.always(source="migration.2")
def a_partition_has_one_migration() -> BoolExpr:
    """At most one migration is in progress."""
    return for_all(
        migrations,
        lambda one: for_all(migrations, lambda other: (one == other) | ~is_in_progress(one) | ~is_in_progress(other)),
    )


@specification.always(source="migration.9; invariant M3; migration.9")
def one_member_executes_writes() -> BoolExpr:
    """Among members that are not cut off at most one executes writes of the partition."""
    return for_all(
        members,
        lambda one: for_all(
            members,
            lambda other: ~((one != other) & is_running(one) & is_running(other) & writes(one) & writes(other)),
        ),
    )


@specification.always(source="invariant M2, M7, S3; migration.12, placement.23")
def owners_have_the_data() -> BoolExpr:
    """Whoever runs and has a slot in the working master's row has a complete copy, until the partition began anew."""
    return (master_works() & arranged & ~lost).implies(
        for_all(members, lambda member: (is_running(member) & is_in(row[master], member)).implies(holds[member]))
    )


@specification.always(source="invariant M2; placement.23")
def planned_migrations_keep_every_copy() -> BoolExpr:
    """Without crashes and leaves there are never fewer complete copies than the first arrangement made."""
    copies = count(members, lambda member: is_running(member) & holds[member] & is_in(row[master], member))
    nothing_happened = (crashes_left == crashes) & (leaves_left == leaves)
    return (arranged & nothing_happened).implies(first_copies() <= copies)


@specification.always(source="invariant P2; repair.13")
def few_crashes_lose_nothing() -> BoolExpr:
    """Fewer crashes than there are copies lose no data, unless members have left, too."""
    return ((crashes - crashes_left < first_copies()) & (leaves_left == leaves)).implies(~lost)


@specification.always(source="invariant S1; leaving.8")
def graceful_leaves_lose_nothing() -> BoolExpr:
    """Without a crash no data is lost by members that ask before they leave, unless all data members left at once.

    Only a lite master outlives such a leave, so the exception is judged by the founders.
    """
    a_data_member_stayed = (lite == 0) | (leaves - leaves_left < founders - lite)
    return ((crashes_left == crashes) & a_data_member_stayed).implies(~lost)


@specification.always(source="invariant A2; repair.1, repair.3")
def only_a_death_empties_slot_0() -> BoolExpr:
    """The working master's row lacks a primary only after a member is gone or was cut off."""
    someone_is_gone = exists(members, lambda member: life[member].is_in(Life.GONE, Life.CUT_OFF))
    return (master_works() & arranged).implies(row[master][slots[0]].is_some | someone_is_gone)
