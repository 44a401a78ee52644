"""One table for all: the newest row and list, changed as documented, and learned at once or late.

Small worlds are those of one table: where rows and lists are any, one change of a row makes a world tens of times as
large. How tables come about, and whom members take for the master, is what `ownership` is about.
"""

from collections.abc import Callable
from typing import Any

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IntExpr,
    OptionExpr,
    Step,
    Update,
    all_of,
    any_of,
    array_of,
    count,
    element_at,
    exists,
    first,
    for_all,
    if_else,
    smaller,
)
from gridproof_model.specifications.replication.history import notes, some, was_abandoned, was_disturbed
from gridproof_model.specifications.replication.moving import copy_of, is_copied, promoted
from gridproof_model.specifications.replication.state import (
    Kind,
    Replica,
    asked,
    backup_count,
    backups,
    ended,
    known_to,
    late,
    listed,
    mail,
    members,
    migrations_left,
    one_table,
    places,
    reach,
    replica,
    roster,
    row,
    slot_of,
    slots,
    specification,
    suspicions_left,
    table,
)

OfMember = Callable[[IndexExpr], BoolExpr]
NewRow = Callable[[IndexExpr], OptionExpr[IndexExpr]]


def _learns(who: OfMember, new_list: OfMember, new_row: NewRow) -> list[Update]:
    """Return the updates after which some have a row and a list; a sync with who is no primary is cancelled."""

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
    """Return the update that notes whether a sync of those who learn a row is cancelled by it."""

    def goes(one: IndexExpr, backup: IndexExpr) -> BoolExpr:
        target = asked[one][backup]
        return target.is_some & ((target != new_row(slots[0])) | (new_row(slot_of(backup)) != one))

    return notes(
        was_abandoned,
        exists(members, lambda one: who(one) & exists(backups, lambda backup: goes(one, backup))),
    )


def published(new_row: NewRow, *learners: IndexExpr) -> list[Update]:
    """Return the updates of a new row that all have at once or, where they learn late, some members."""
    return [
        table.becomes(array_of(slots, new_row)),
        *_learns(
            lambda one: ~late | any_of(*(one == other for other in learners)), lambda other: roster[other], new_row
        ),
    ]


def oldest_but(gone: IndexExpr) -> OptionExpr[IndexExpr]:
    """Return the first living member of the newest list but one: who removes it."""
    return first(members, lambda one: (one != gone) & ~ended[one] & roster[one])


def is_removed(gone: IndexExpr) -> list[Update]:
    """Return the updates of a removal from list and row."""
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
    """A member that has ended is removed from list and row."""
    return Step(when=[one_table, ended[gone], roster[gone], oldest_but(gone).is_some], then=is_removed(gone))


@specification.action(members, source="members.14, splits.6, limits.11")
def live_member_is_removed(gone: IndexExpr) -> Step:
    """A living member is taken for dead, and does not hear of it."""
    return Step(
        when=[one_table, suspicions_left > 0, ~ended[gone], roster[gone], oldest_but(gone).is_some],
        then=[suspicions_left.becomes(suspicions_left - 1), *is_removed(gone)],
    )


@specification.action(members, source="table.14", fair=True)
def table_is_learned(member: IndexExpr) -> Step:
    """A member that was not removed learns of the newest row and list."""
    return Step(
        when=[one_table, late, ~ended[member], roster[member], (row[member] != table) | (listed[member] != roster)],
        then=[
            *_learns(lambda one: one == member, lambda other: roster[other], lambda s: table[s]),
            is_given_up(lambda one: one == member, lambda s: table[s]),
        ],
    )


@specification.action(members, backups, source="repair.9", fair=True)
def lowest_is_promoted(member: IndexExpr, backup: IndexExpr) -> Step:
    """The lowest surviving slot becomes the primary and leaves a hole; who holds it knows the newest list."""
    hotter_are_empty = for_all(backups, lambda hotter: (hotter < backup).implies(table[slot_of(hotter)].is_none))

    def new_row(slot: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(slot == slots[0], some(member), if_else(slot == slot_of(backup), None, table[slot]))

    return Step(
        when=[
            one_table,
            ~ended[member],
            table[slots[0]].is_none,
            table[slot_of(backup)] == member,
            listed[member] == roster,
            hotter_are_empty,
        ],
        then=[
            *published(new_row, member),
            is_given_up(lambda one: ~late | (one == member), new_row),
            *promoted(member, backup),
        ],
    )


@specification.action(members, source="repair.11: partition lost", fair=True)
def lost_partition_is_assigned(member: IndexExpr) -> Step:
    """No replica survives: the first member becomes the owner, of nothing."""
    heir = first(members, lambda one: ~ended[one] & roster[one])
    return Step(
        when=[one_table, heir == member, listed[member] == roster, for_all(slots, lambda slot: table[slot].is_none)],
        then=published(lambda slot: if_else(slot == slots[0], some(member), None), member),
    )


def may_fill(source: IndexExpr, slot: IndexExpr) -> list[BoolExpr]:
    """Return the guards for filling an empty slot from the owner, which knows the newest row."""
    return [
        one_table,
        migrations_left > 0,
        ~ended[source],
        table[slots[0]] == source,
        row[source] == table,
        slot != slots[0],
        table[slot].is_none,
    ]


def spare() -> OptionExpr[IndexExpr]:
    """Return the first living member of the list without a slot."""
    return first(members, lambda one: all_of(~ended[one], roster[one], ~exists(slots, lambda slot: table[slot] == one)))


@specification.action(members, members, slots, source="migration.10, placement.18")
def spare_gets_a_copy(member: IndexExpr, source: IndexExpr, slot: IndexExpr) -> Step:
    """A member without a slot gets an empty one, with content and versions from the owner."""
    return Step(
        when=[*may_fill(source, slot), spare() == member],
        then=[
            migrations_left.becomes(migrations_left - 1),
            *published(lambda one: if_else(one == slot, some(member), table[one]), member, source),
            *is_copied(source, member, slot),
        ],
    )


def nothing_urgent(member: IndexExpr, source: IndexExpr) -> BoolExpr:
    """Return whether nothing urgent is under way between two: a migration's data, and its reply, came behind it."""

    def is_reply(place: IntExpr) -> BoolExpr:
        message = mail[member].at(place)
        return (place < mail[member].length) & any_of(message.kind == Kind.ANSWER, message.kind == Kind.RETRY)

    def is_request(place: IntExpr) -> BoolExpr:
        message = mail[source].at(place)
        return all_of(place < mail[source].length, message.kind == Kind.REQUEST, message.sender == member)

    return ~exists(places, is_reply) & ~exists(places, is_request)


@specification.action(members, members, slots, source="migration.10, placement.18")
def backup_is_shifted_up(member: IndexExpr, source: IndexExpr, slot: IndexExpr) -> Step:
    """A colder backup moves up into an empty slot, with content and versions from the owner."""
    is_colder = exists(slots, lambda colder: (slot < colder) & (table[colder] == member))

    def new_row(one: IndexExpr) -> OptionExpr[IndexExpr]:
        return if_else(one == slot, some(member), if_else(table[one] == member, None, table[one]))

    return Step(
        when=[~late, *may_fill(source, slot), ~ended[member], is_colder, nothing_urgent(member, source)],
        then=[
            migrations_left.becomes(migrations_left - 1),
            *published(new_row),
            *is_copied(source, member, slot),
        ],
    )


@specification.action(members, members, slots, source="migration.18, placement.18")
def backup_is_shifted_down(member: IndexExpr, source: IndexExpr, slot: IndexExpr) -> Step:
    """A spare takes a filled slot from the owner; its holder steps down to an empty one with what it has."""
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
            is_given_up(lambda one: one == member, new_row),
            replica.becomes(array_of(members, after)),
        ],
    )
