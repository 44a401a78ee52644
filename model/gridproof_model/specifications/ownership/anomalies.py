"""What is allowed to happen, and must be reachable."""

from gridproof_model.language import BoolExpr, exists, for_all
from gridproof_model.specifications.ownership.claims import writes
from gridproof_model.specifications.ownership.state import (
    Life,
    Outcome,
    Stage,
    active,
    fetching,
    follows,
    late,
    letters,
    life,
    lost,
    master,
    members,
    migrations,
    outcomes,
    plan,
    row,
    slots,
    specification,
    stage,
    version,
)
from gridproof_model.specifications.ownership.words import is_in, is_running, master_works


@specification.sometimes(source="splits.1, limits.7, split brain")
def two_members_act_as_primary_for_different_views() -> BoolExpr:
    """A member that was cut off still executes writes, and so does the one promoted in its place."""
    return exists(
        members,
        lambda one: exists(
            members, lambda other: (life[one] == Life.CUT_OFF) & writes(one) & is_running(other) & writes(other)
        ),
    )


@specification.sometimes(source="migration.9, limits.6; defect HZ-32")
def the_old_primary_still_answers_reads() -> BoolExpr:
    """The destination already executes writes while the old primary, which has not heard of it, still serves reads."""
    return exists(
        members,
        lambda one: exists(
            members,
            lambda other: (
                is_running(one) & (row[one][slots[0]] == one) & active[one].is_some & is_running(other) & writes(other)
            ),
        ),
    )


@specification.sometimes(source="table.14; invariant T2")
def a_stale_table_arrives_late() -> BoolExpr:
    """A table from the member's own master is older than what the member has."""
    return exists(
        letters,
        lambda letter: exists(
            members,
            lambda member: (
                is_running(member)
                & (late[letter].receiver == member)
                & (late[letter].sender == follows[member])
                & (late[letter].version < version[member])
            ),
        ),
    )


@specification.sometimes(source="defect HZ-13; table.9")
def a_table_of_a_deposed_master_arrives() -> BoolExpr:
    """A newer-looking table comes from a master that the member no longer follows."""
    return exists(
        letters,
        lambda letter: exists(
            members,
            lambda member: (
                is_running(member)
                & (late[letter].receiver == member)
                & late[letter].sender.is_some
                & (late[letter].sender != follows[member])
                & (version[member] < late[letter].version)
            ),
        ),
    )


@specification.sometimes(source="migration.21")
def a_new_master_completes_a_committed_migration() -> BoolExpr:
    """A master finished a migration that an older one had ordered and only its destination had committed."""
    return master_works() & exists(
        migrations,
        lambda migration: (plan[migration].master != master) & (outcomes[master][migration] == Outcome.SUCCESS),
    )


@specification.sometimes(source="migration.21")
def a_new_master_rolls_a_migration_back() -> BoolExpr:
    """A master failed a migration that an older one had ordered and nobody had committed."""
    return master_works() & exists(
        migrations,
        lambda migration: (plan[migration].master != master) & (outcomes[master][migration] == Outcome.FAILED),
    )


@specification.sometimes(source="table.14, table.21; defect HZ-45")
def a_destination_is_ahead_of_a_new_master() -> BoolExpr:
    """A new master that has not fetched yet has an older row than one of its members."""
    return fetching & exists(members, lambda member: is_running(member) & (version[master] < version[member]))


@specification.sometimes(source="repair.1, placement.10")
def a_promotion_leaves_a_hole() -> BoolExpr:
    """The row has a primary and an empty slot in which nobody has been replaced yet."""
    is_left_empty = exists(slots, lambda slot: row[master][slot].is_none)
    someone_is_gone = exists(members, lambda member: life[member] == Life.GONE)
    return master_works() & someone_is_gone & row[master][slots[0]].is_some & is_left_empty


@specification.sometimes(source="repair.3, repair.10, limits.5")
def a_partition_is_lost() -> BoolExpr:
    """Every replica is gone, and an empty partition takes its place."""
    return lost


@specification.sometimes(source="migration.19")
def a_replaced_member_keeps_data_for_a_while() -> BoolExpr:
    """A member still holds the partition's data although the master's row no longer names it."""
    return master_works() & exists(
        members,
        lambda member: (
            is_running(member)
            & ~is_in(row[master], member)
            & active[member].is_none
            & (row[member][slots[0]].is_some & is_in(row[member], member))
        ),
    )


@specification.sometimes(source="migration.14; defect HZ-26")
def a_commit_is_under_way_from_a_dead_master() -> BoolExpr:
    """A commit reaches a destination that has not yet noticed that its sender is gone."""
    return ~is_running(master) & exists(
        migrations,
        lambda migration: exists(
            members,
            lambda member: (
                (stage[migration] == Stage.COMMIT_SENT)
                & (plan[migration].destination == member)
                & is_running(member)
                & (follows[member] == master)
            ),
        ),
    )


@specification.sometimes(source="table.8, repair.1")
def views_differ_on_who_is_master() -> BoolExpr:
    """Two members that run follow different masters."""
    return exists(
        members,
        lambda one: exists(
            members, lambda other: is_running(one) & is_running(other) & (follows[one] != follows[other])
        ),
    )


@specification.sometimes(source="seed: Data Partitioning and Replication")
def everyone_has_the_same_table() -> BoolExpr:
    """All members, the newcomers too, have the same row with every slot filled."""
    return for_all(members, lambda member: is_running(member) & (row[member] == row[master])) & for_all(
        slots, lambda slot: row[master][slot].is_some
    )
