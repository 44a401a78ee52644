"""Promoting, copying, reducing and dropping of replicas; and, in small worlds, a single table that makes these happen.

The single table has the newest row and list; it changes as documented, and members learn it at once or late. Small
worlds have only this table: if even one change to one member's own row or list is free, the world is tens of times as
large. `ownership` specifies where tables come from, and which master members follow.
"""

from collections.abc import Callable
from typing import Any

from gridproof_model.language import *
from gridproof_model.specifications.replication.state import *


def promoted(member: IndexExpr, backup: IndexExpr) -> list[Update]:
    """Return the updates of a promotion: the backup sets entries of lower slots to its own entry, and is not dirty now.

    The watched term begins with this promotion if this promotion is watched and makes all entries of the vector equal.
    """
    held = replica[member]
    versions: ArrayExpr[IntExpr] = array_of(
        backups, lambda entry: if_else(entry < backup, held.versions[backup], held.versions[entry])
    )
    counts = is_watching() & (promotions < watched_term)
    begins = all_of(is_watching(), promotions + 1 == watched_term, fits(member, backup))
    has_reason = held.has_reason & ~one_table
    return [
        replica[member].becomes(held.replace(versions=versions, is_dirty=False, has_reason=has_reason, follows=False)),
        acknowledged[member].becomes(False),
        promotions.becomes(if_else(counts, promotions + 1, promotions)),
        leader.becomes(if_else(begins, some(member), if_else(leader == member, None, leader))),
    ]


def copy_of(source: IndexExpr, slot: IndexExpr) -> Replica:
    """Return the copy that a primary sends: its content, and the versions that the holder of the new slot knows."""
    held = replica[source]
    return replicas(
        versions=known_to(slot, held.versions),
        has_content=held.has_content,
        content=held.content,
        follows=leader == source,
    )


@specification.definition(members)
def has_asked(member: IndexExpr) -> BoolExpr:
    """Whether the member has a registered sync."""
    return exists(backups, lambda backup: asked[member][backup].is_some)


def is_copied(source: IndexExpr, member: IndexExpr, slot: IndexExpr) -> list[Update]:
    """Return the updates of a member that receives a copy: it no longer leads, and its acknowledgement stays only if
    the leader sent the copy."""
    return [
        replica[member].becomes(copy_of(source, slot)),
        term_ends(member),
        acknowledged[member].becomes(acknowledged[member] & (leader == source)),
        notes(was_abandoned, has_asked(member)),
    ]


@specification.action(members, backups, source="repair.9")
def replica_is_promoted(member: IndexExpr, backup: IndexExpr) -> Step:
    """A backup becomes the primary: entries of lower slots are set to its own entry, and it is no longer dirty."""
    return Step(
        when=[moves_left > 0, ~ended[member], is_primary_of(member, member), settled[member]],
        then=[moves_left.becomes(moves_left - 1), *promoted(member, backup), notes(was_disturbed)],
    )


@specification.action(members, source="repair.9, repair.8")
def replica_begins_anew(member: IndexExpr) -> Step:
    """A member without a copy, as its slot was above those of the backups, becomes primary: its versions start at 0."""
    return Step(
        when=[moves_left > 0, ~ended[member], is_primary_of(member, member), settled[member]],
        then=[moves_left.becomes(moves_left - 1), *is_emptied(member), endangers(), notes(was_disturbed)],
    )


@specification.action(members, source="migration.9, backups.14")
def migration_begins(member: IndexExpr) -> Step:
    """A member takes part in a migration, as sending primary or as receiver; writes and backup messages wait."""
    return Step(
        when=[moves_left > 0, ~ended[member], ~migrating[member]],
        then=[migrating[member].becomes(True), notes(was_disturbed)],
    )


@specification.action(members, source="migration.19")
def migration_ends(member: IndexExpr) -> Step:
    """A member has committed a migration, or rolled it back."""
    return Step(when=[~ended[member], migrating[member]], then=[migrating[member].becomes(False)])


@specification.action(members, members, slots, source="migration.10")
def replica_is_copied(source: IndexExpr, member: IndexExpr, slot: IndexExpr) -> Step:
    """A migration copies the primary's content to a member, with the versions that the member's new slot knows.

    The primary refuses writes meanwhile, so when the copy arrives, the primary's replica is still the replica that it
    sent; a primary that has ended since keeps its replica unchanged. The receiver does not act on the copy until the
    migration is over.
    """
    is_primary = is_primary_of(source, source)
    return Step(
        when=[moves_left > 0, source != member, ~ended[member], migrating[member], migrating[source], is_primary],
        then=[
            moves_left.becomes(moves_left - 1),
            settled[member].becomes(False),
            endangers(acts(member)),
            notes(was_disturbed),
            *is_copied(source, member, slot),
        ],
    )


@specification.action(members, slots, source="migration.18; defect HZ-53, HZ-64")
def replica_is_cut_down(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member that now has another slot keeps only the versions that this slot knows."""
    held, stays = replica[member], fits(member, element_at(backups, larger(slot.ordinal - 1, 0)))
    return Step(
        when=[~one_table, ~ended[member], row[member][slot] == member],
        then=[
            replica[member].becomes(held.replace(versions=known_to(slot, held.versions), follows=held.follows & stays)),
            settled[member].becomes(True),
            term_ends(member, stands=stays & (slot == slots[0])),
            acknowledged[member].becomes(all_of(acknowledged[member], stays, held.follows)),
        ],
    )


@specification.action(members, source="migration.18")
def replica_is_dropped(member: IndexExpr) -> Step:
    """A member without a slot, or with a slot beyond the backups, drops its replica."""
    return Step(
        when=[~one_table, ~ended[member], ~exists(slots, lambda slot: row[member][slot] == member)],
        then=[settled[member].becomes(True), *is_emptied(member)],
    )


@specification.action(members, source="calls.34, sync.6")
def structure_is_destroyed(member: IndexExpr) -> Step:
    """A member deletes the content of a destroyed structure, and keeps its versions until the next check."""
    return Step(
        when=[moves_left > 0, ~ended[member]],
        then=[
            moves_left.becomes(moves_left - 1),
            replica[member].becomes(replica[member].replace(has_content=False, content=0, follows=False)),
            endangers(acts(member)),
            term_ends(member),
            acknowledged[member].becomes(False),
            notes(was_disturbed),
        ],
    )


@specification.action(members, source="calls.34, sync.6; defect HZ-63")
def destroyed_structure_is_forgotten(member: IndexExpr) -> Step:
    """A primary without backups forgets a destroyed structure; a member may do so before it becomes the primary."""
    held = replica[member]
    has_versions = held.versions != replicas().versions
    return Step(when=[~ended[member], ~held.has_content, has_versions], then=is_emptied(member))


OfMember = Callable[[IndexExpr], BoolExpr]
NewRow = Callable[[IndexExpr], OptionExpr[IndexExpr]]


def _learns(who: OfMember, new_list: OfMember, new_row: NewRow) -> list[Update]:
    """Return the updates by which some members learn a row and a list, and cancel syncs with a former primary."""

    def still_asked(one: IndexExpr, backup: IndexExpr) -> OptionExpr[IndexExpr]:
        stays = (asked[one][backup] == new_row(slots[0])) & (new_row(slot_of(backup)) == one)
        return if_else(who(one) & ~stays, None, asked[one][backup])

    def lists(one: IndexExpr) -> Any:  # an array of truth values is a set
        return array_of(members, lambda other: if_else(who(one), new_list(other), listed[one][other]))

    known = array_of(members, lists)
    coldest = element_at(slots, smaller(count(members, new_list) - 1, backup_count))
    return [
        row.becomes(
            array_of(members, lambda one: array_of(slots, lambda s: if_else(who(one), new_row(s), row[one][s])))
        ),
        listed.becomes(known),
        reach.becomes(array_of(members, lambda one: if_else(who(one), coldest, reach[one]))),
        asked.becomes(array_of(members, lambda one: array_of(backups, lambda backup: still_asked(one, backup)))),
    ]


def is_given_up(who: OfMember, new_row: NewRow) -> Update:
    """Return the update that records whether a new row cancels a sync of some member that learns the row."""

    def goes(one: IndexExpr, backup: IndexExpr) -> BoolExpr:
        target = asked[one][backup]
        return target.is_some & ((target != new_row(slots[0])) | (new_row(slot_of(backup)) != one))

    return notes(
        was_abandoned, exists(members, lambda one: who(one) & exists(backups, lambda backup: goes(one, backup)))
    )


def published(new_row: NewRow, *learners: IndexExpr) -> list[Update]:
    """Return the updates of a new row: all members learn it at once or, with `late`, only the named members."""
    return [
        table.becomes(array_of(slots, new_row)),
        *_learns(
            lambda one: any_of(~late, *(one == other for other in learners)), lambda other: roster[other], new_row
        ),
    ]


def oldest_but(gone: IndexExpr) -> OptionExpr[IndexExpr]:
    """Return the first live member of the newest list other than the given one: the member that removes it."""
    return first(members, lambda one: (one != gone) & ~ended[one] & roster[one])


def is_removed(gone: IndexExpr) -> list[Update]:
    """Return the updates by which a member is removed from the list and the row."""
    witness = oldest_but(gone)

    def learns(one: IndexExpr) -> BoolExpr:
        return ~late | (witness == one)

    def new_row(slot: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(table[slot] == gone, None, table[slot])

    def new_list(other: IndexExpr) -> BoolExpr:
        return roster[other] & (other != gone)

    return [
        roster.becomes(array_of(members, new_list)),
        table.becomes(array_of(slots, new_row)),
        *_learns(learns, new_list, new_row),
        is_given_up(learns, new_row),
        notes(was_disturbed),
    ]


@specification.action(members, source="repair.1, calls.4, sync.11", fair=True)
def ended_member_is_removed(gone: IndexExpr) -> Step:
    """A member that has ended is removed from the list and the row."""
    return Step(when=[one_table, ended[gone], roster[gone], oldest_but(gone).is_some], then=is_removed(gone))


@specification.action(members, source="members.14, splits.6, limits.11")
def live_member_is_removed(gone: IndexExpr) -> Step:
    """A live member is removed from the list and the row as if it had ended; it does not learn of its removal."""
    return Step(
        when=[one_table, suspicions_left > 0, ~ended[gone], roster[gone], oldest_but(gone).is_some],
        then=[suspicions_left.becomes(suspicions_left - 1), *is_removed(gone)],
    )


@specification.action(members, source="table.14", fair=True)
def table_is_learned(member: IndexExpr) -> Step:
    """A member that is still listed learns the newest row and list."""
    return Step(
        when=[one_table, late, ~ended[member], roster[member], (row[member] != table) | (listed[member] != roster)],
        then=[
            *_learns(lambda one: one == member, lambda other: roster[other], lambda s: table[s]),
            is_given_up(lambda one: one == member, lambda s: table[s]),
        ],
    )


@specification.action(members, backups, source="repair.9", fair=True)
def lowest_is_promoted(member: IndexExpr, backup: IndexExpr) -> Step:
    """The holder of the lowest surviving slot becomes primary and leaves that slot; it has to know the newest list."""
    hotter_are_empty = for_all(backups, lambda hotter: (hotter < backup).implies(table[slot_of(hotter)].is_none))

    def new_row(slot: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(slot == slots[0], some(member), if_else(slot == slot_of(backup), None, table[slot]))

    has_the_slot = table[slot_of(backup)] == member
    has_the_list = listed[member] == roster
    # The partition had no primary: a member that learns of the new primary gives up the syncs that it asked for.
    given_up = exists(members, lambda one: (~late | (one == member)) & has_asked(one))
    return Step(
        when=[one_table, ~ended[member], table[slots[0]].is_none, has_the_slot, has_the_list, hotter_are_empty],
        then=[
            *published(new_row, member),
            notes(was_abandoned, given_up),
            *promoted(member, backup),
            endangers(may_lack(member)),
        ],
    )


@specification.action(members, source="repair.11: partition lost", fair=True)
def lost_partition_is_assigned(member: IndexExpr) -> Step:
    """No replica survives, and the first live member of the list becomes the owner of an empty partition."""
    heir = first(members, lambda one: ~ended[one] & roster[one])
    return Step(
        when=[one_table, heir == member, listed[member] == roster, for_all(slots, lambda slot: table[slot].is_none)],
        then=[
            *published(lambda slot: if_else(slot == slots[0], some(member), None), member),
            endangers(may_lack(member)),
        ],
    )


def may_fill(source: IndexExpr, slot: IndexExpr) -> list[BoolExpr]:
    """Return the guards for filling an empty slot with data from the owner, which has to know the newest row."""
    return [
        one_table,
        migrations_left > 0,
        ~ended[source],
        table[slots[0]] == source,
        row[source] == table,
        table[slot].is_none,
    ]


@specification.definition()
def spare() -> OptionExpr[IndexExpr]:
    """The first live member of the list that has no slot."""
    return first(members, lambda one: all_of(~ended[one], roster[one], ~exists(slots, lambda slot: table[slot] == one)))


@specification.action(members, members, slots, source="migration.10, placement.18")
def spare_gets_a_copy(member: IndexExpr, source: IndexExpr, slot: IndexExpr) -> Step:
    """A member without a slot gets an empty slot, with the owner's content and versions."""
    return Step(
        when=[*may_fill(source, slot), spare() == member],
        then=[
            migrations_left.becomes(migrations_left - 1),
            *published(lambda one: if_else(one == slot, some(member), table[one]), member, source),
            *is_copied(source, member, slot),
        ],
    )


def nothing_urgent(member: IndexExpr, source: IndexExpr) -> BoolExpr:
    """Return whether no urgent message is under way between two members (a migration's data would arrive after it)."""
    is_replied = some_mail(member, lambda message: is_reply(message.kind))
    has_asked = some_mail(source, lambda message: (message.kind == Kind.REQUEST) & (message.sender == member))
    return ~is_replied & ~has_asked


@specification.action(members, members, slots, source="migration.10, placement.18")
def backup_is_shifted_up(member: IndexExpr, source: IndexExpr, slot: IndexExpr) -> Step:
    """A backup moves to an empty slot with a lower index, and gets the owner's content and versions."""
    is_colder = exists(slots, lambda colder: (slot < colder) & (table[colder] == member))

    def new_row(one: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(one == slot, some(member), if_else(table[one] == member, None, table[one]))

    return Step(
        when=[~late, *may_fill(source, slot), ~ended[member], is_colder, nothing_urgent(member, source)],
        then=[migrations_left.becomes(migrations_left - 1), *published(new_row), *is_copied(source, member, slot)],
    )


@specification.action(members, members, slots, source="migration.18, placement.18")
def backup_is_shifted_down(member: IndexExpr, source: IndexExpr, slot: IndexExpr) -> Step:
    """A spare member takes a backup's slot and the owner's data; the backup moves to an empty higher slot."""
    newcomer, hotter = spare(), first(slots, lambda one: table[one] == member)

    def new_row(one: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(one == slot, some(member), if_else(table[one] == member, newcomer, table[one]))

    def after(one: IndexExpr) -> Replica:
        stepped = replica[one].replace(versions=known_to(slot, replica[one].versions))
        given = copy_of(source, hotter.value)
        return if_else(one == member, stepped, if_else(newcomer == one, given, replica[one]))

    is_hotter = hotter.is_some & (slots[0] < hotter.value) & (hotter.value < slot)
    return Step(
        when=[~late, *may_fill(source, slot), ~ended[member], is_hotter, newcomer.is_some],
        then=[
            migrations_left.becomes(migrations_left - 1),
            *published(new_row),
            notes(was_abandoned, has_asked(member)),
            replica.becomes(array_of(members, after)),
        ],
    )
