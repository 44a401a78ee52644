"""Claims about what is possible and can be reached, and about what happens eventually once faults have stopped.

In worlds with `any_way`, nothing is promised to happen eventually.
"""

from collections.abc import Callable

from gridproof_model.language import *
from gridproof_model.specifications.ownership.claims import awaits, nobody_went, writes
from gridproof_model.specifications.ownership.migrating import unused
from gridproof_model.specifications.ownership.state import *


@specification.sometimes(members, members, source="table.8; invariant T1; docs/findings.md")
def two_take_themselves_for_the_master(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Two members consider themselves the master, each by its own list, and may edit their rows."""
    return (one < other) & is_master(one) & is_master(other)


@specification.sometimes(members, members, source="repair.1")
def somebody_follows_one_that_has_ended(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """A member follows a master that has ended, since it has not yet learned of that end."""
    return ~ended[one] & (follows[one] == other) & ended[other]


@specification.sometimes(members, members, source="table.8, repair.1")
def views_differ_on_who_is_master(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Two live members follow different masters."""
    return (
        ~ended[one] & ~ended[other] & follows[one].is_some & follows[other].is_some & (follows[one] != follows[other])
    )


@specification.sometimes(members, members, source="table.14; invariant T3; docs/findings.md")
def equal_versions_stand_for_different_rows(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Two masters have made different rows of the same version, so followers of either refuse the other's tables."""
    return (version[one] == version[other]) & (version[one] > 0) & (row[one] != row[other])


@specification.sometimes(members, members, source="table.8, table.9; invariant T1; docs/findings.md")
def a_member_is_ahead_of_the_master_that_it_follows(master: IndexExpr, member: IndexExpr) -> BoolExpr:
    """A member that the list left out follows the master at last, but has a newer row, which no migration explains."""
    return (
        works(master)
        & ~ended[member]
        & (follows[member] == master)
        & (version[master] + 2 < version[member])
        & for_all(migrations, lambda migration: ~awaits(master, migration))
    )


@specification.sometimes(
    migrations, members, members, source="migration.14, migration.22; invariant M1; docs/findings.md"
)
def a_migration_succeeds_here_and_fails_there(migration: IndexExpr, one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """The destination has committed a migration, but the master considers it gone, and has recorded a failure."""
    return (outcomes[one][migration] == Outcome.SUCCESS) & (outcomes[other][migration] == Outcome.FAILED)


@specification.sometimes(members, members, source="table.25; docs/findings.md")
def a_spared_master_gives_a_version_out_twice(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """A new master that did not have to fetch rows has changed its row, and another member has a different row with the
    same version."""
    are_alike = ~ended[one] & ~ended[other] & (version[one] == version[other])
    return all_of(~split, unfetched, one < other, are_alike, row[one] != row[other])


@specification.sometimes(members, members, source="repair.3, repair.8")
def two_are_primary_by_their_own_rows(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """Two members have themselves in slot 0 of their rows: the old primary does not know of the promotion yet."""
    return (one < other) & (row[one][slots[0]] == one) & (row[other][slots[0]] == other)


@specification.sometimes(members, members, source="splits.1, limits.7, split brain; docs/findings.md")
def two_members_act_as_primary_for_different_views(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """A live member that was removed from the list executes writes, and so does another member."""
    return (one < other) & writes(one) & writes(other)


@specification.sometimes(members, members, source="migration.9, limits.6; defect HZ-32")
def the_old_primary_still_answers_reads(one: IndexExpr, other: IndexExpr) -> BoolExpr:
    """The destination already executes writes while the old primary, which does not know this, still serves reads."""
    return ~ended[one] & (row[one][slots[0]] == one) & active[one].is_some & (one != other) & writes(other)


@specification.sometimes(members, source="repair.8")
def a_backup_is_about_to_be_primary(member: IndexExpr) -> BoolExpr:
    """A backup has the table in which it is the primary, but has not yet turned its version vector into a primary's."""
    return begins[member] & (row[member][slots[0]] == member)


def has_sent(master: IndexExpr, which: Callable[[Table], BoolExpr]) -> BoolExpr:
    """Return whether the condition is true for some table that a master has sent."""
    return exists(tables, lambda place: if_else(place < sent[master].length, which(sent[master].at(place)), False))


@specification.sometimes(members, members, source="table.14; invariant T2")
def a_stale_table_arrives_late(member: IndexExpr, master: IndexExpr) -> BoolExpr:
    """A table from the member's own master is older than the member's row."""
    return (
        (member != master)
        & ~ended[member]
        & (follows[member] == master)
        & has_sent(master, lambda table: table.version < version[member])
    )


@specification.sometimes(members, members, source="defect HZ-13; table.9")
def a_table_of_a_deposed_master_arrives(member: IndexExpr, master: IndexExpr) -> BoolExpr:
    """A table with a higher version comes from a master that the member no longer follows."""
    return (
        (member != master)
        & ~ended[member]
        & follows[member].is_some
        & (follows[member] != master)
        & has_sent(master, lambda table: version[member] < table.version)
    )


def _a_new_master_has(outcome: Outcome) -> BoolExpr:
    return exists(
        members,
        migrations,
        lambda master, migration: (
            works(master)
            & (stage[migration] != Stage.UNUSED)
            & (plan[migration].master != master)
            & (outcomes[master][migration] == outcome)
        ),
    )


@specification.sometimes(source="migration.21")
def a_new_master_completes_a_committed_migration() -> BoolExpr:
    """A master records the success of a migration that an earlier master had ordered."""
    return _a_new_master_has(Outcome.SUCCESS)


@specification.sometimes(source="migration.21")
def a_new_master_rolls_a_migration_back() -> BoolExpr:
    """A master records the failure of a migration that an earlier master had ordered."""
    return _a_new_master_has(Outcome.FAILED)


@specification.sometimes(members, members, source="table.14, table.21; defect HZ-45")
def a_destination_is_ahead_of_a_new_master(master: IndexExpr, member: IndexExpr) -> BoolExpr:
    """A new master that has not completed its fetch has an older row than a member that follows it."""
    return (
        (must_fetch[master] | fetching[master])
        & ~ended[master]
        & ~ended[member]
        & (follows[member] == master)
        & (version[master] < version[member])
    )


@specification.sometimes(migrations, members, members, source="migration.14; defect HZ-26")
def a_commit_is_under_way_from_a_dead_master(migration: IndexExpr, member: IndexExpr, master: IndexExpr) -> BoolExpr:
    """A commit reaches a destination that has not yet noticed that the master, which sent it, has ended."""
    return (
        ended[master]
        & (stage[migration] == Stage.COMMIT_SENT)
        & (plan[migration].destination == member)
        & (plan[migration].master == master)
        & ~ended[member]
        & (follows[member] == master)
        & (active[member] == migration)
    )


@specification.sometimes(source="repair.1, placement.10")
def a_promotion_leaves_a_hole() -> BoolExpr:
    """After a member ended, a working master's row has a primary, and an empty slot that is not filled again yet."""
    is_left_empty = exists(
        members,
        lambda master: (
            works(master) & row[master][slots[0]].is_some & exists(slots, lambda slot: row[master][slot].is_none)
        ),
    )
    return is_left_empty & exists(members, lambda member: ended[member])


@specification.sometimes(members, members, source="migration.19")
def a_replaced_member_keeps_data_for_a_while(master: IndexExpr, member: IndexExpr) -> BoolExpr:
    """A member still holds the partition's data although a working master's row no longer names it."""
    return (
        works(master)
        & ~ended[member]
        & (version[master] > 0)
        & ~is_in(row[master], member)
        & active[member].is_none
        & is_in(row[member], member)
        & holds[member]
    )


@specification.sometimes(source="repair.3, repair.10, limits.5")
def a_partition_is_lost() -> BoolExpr:
    """Every replica of a partition was lost, and an empty partition took its place."""
    return lost


@specification.sometimes(source="repair.13; invariant P2; docs/findings.md")
def data_is_lost_with_fewer_crashes_than_copies() -> BoolExpr:
    """A partition was lost with fewer crashes than there were copies, because a live member was left out."""
    return (endings - endings_left < first_copies) & (leaves_left == leaves) & lost


@specification.sometimes(source="migration.12; invariant M2; docs/findings.md")
def an_owner_lacks_the_data() -> BoolExpr:
    """A live member has a slot in a working master's row, but no complete copy, though the partition was not lost."""
    return (
        begun
        & ~lost
        & exists(
            members,
            members,
            lambda master, member: works(master) & ~ended[member] & is_in(row[master], member) & ~holds[member],
        )
    )


@specification.sometimes(source="placement.23; docs/findings.md")
def copies_are_fewer_though_nobody_went() -> BoolExpr:
    """A live member with a copy was removed, so that a working master's row has fewer copies than were arranged."""
    return (
        begun
        & nobody_went()
        & exists(
            members,
            lambda master: (
                works(master)
                & (version[master] > 0)
                & (count(members, lambda member: holds[member] & is_in(row[master], member)) < first_copies)
            ),
        )
    )


@specification.sometimes(source="repair.1; docs/findings.md")
def slot_0_is_empty_though_nobody_ended() -> BoolExpr:
    """The primary was removed though it is alive, so that a row lacks a primary."""
    return (
        begun
        & for_all(members, lambda member: ~ended[member])
        & exists(members, lambda master: works(master) & (version[master] > 0) & row[master][slots[0]].is_none)
    )


@specification.sometimes(source="seed: Data Partitioning and Replication")
def everyone_has_the_same_table() -> BoolExpr:
    """All members have the same row with every slot filled."""
    return for_all(
        members,
        lambda member: (
            ~ended[member]
            & for_all(members, lambda other: row[member] == row[other])
            & for_all(slots, lambda slot: row[member][slot].is_some)
        ),
    )


@specification.definition(members)
def has_joined(member: IndexExpr) -> BoolExpr:
    """The member is alive and has a master."""
    return ~ended[member] & follows[member].is_some


IS_OVER = split | ~exists(members, has_joined) | unused().is_none
"""When nothing more is promised: a live member was treated as gone, no member is left, or all migrations are used
up."""
SAME_TABLE = for_all(
    members,
    members,
    lambda one, other: (has_joined(one) & has_joined(other)).implies(
        (version[one] == version[other]) & (row[one] == row[other])
    ),
)
QUIET = for_all(members, lambda member: ended[member] | (active[member].is_none & underway[member].is_none))
NOBODY_LEAVES = for_all(members, lambda member: ended[member] | ~leaving[member])


def _served() -> BoolExpr:
    def is_served_by(master: IndexExpr) -> BoolExpr:
        return works(master) & exists(members, lambda member: ~ended[member] & (row[master][slots[0]] == member))

    can_be = exists(members, lambda member: has_joined(member) & (role[member] == Role.DATA) & ~leaving[member])
    return exists(members, is_served_by) | ~can_be


@specification.may_stop
def all_is_done() -> BoolExpr:
    """A master works, all members have its table, and no migration is under way; or any state, with `any_way`."""
    is_done = exists(members, works) & SAME_TABLE & QUIET & NOBODY_LEAVES & _served()
    return any_way | IS_OVER | is_done


@specification.eventually(source="table.20; invariant T4; table.20; seed: Partition Table")
def every_member_gets_the_table() -> LeadsTo:
    """Whenever members have different tables, all have the same table later."""
    return leads_to(~any_way & ~SAME_TABLE, SAME_TABLE | IS_OVER)


@specification.eventually(source="invariant M6; migration.15")
def every_migration_ends() -> LeadsTo:
    """Whenever a migration is awaited by a master or registered by a participant, at some later time none is."""
    return leads_to(~any_way & ~QUIET, QUIET | IS_OVER)


@specification.eventually(source="invariant S2; leaving.5, leaving.8")
def every_leave_ends() -> LeadsTo:
    """Every member that asks to leave ends eventually."""
    return leads_to(~any_way & ~NOBODY_LEAVES, NOBODY_LEAVES | IS_OVER)


@specification.eventually(source="table.8; invariant S4")
def a_master_takes_over() -> LeadsTo:
    """Whenever there is no working master, there is one later, if any member is left."""
    return leads_to(~any_way & ~exists(members, works), exists(members, works) | IS_OVER)


@specification.eventually(source="repair.12, placement.8, repair.3; invariant A2")
def every_row_is_filled_again() -> LeadsTo:
    """Whenever no working master's row names a live primary, one does later, if a member can be the primary."""
    return leads_to(~any_way & begun & ~_served(), _served() | IS_OVER)
