"""What members learn: slots of the row, entries of the list, the mail of an address; and how they end."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, Step, Update, exists, if_else
from gridproof_model.specifications.replication.history import (
    acknowledged,
    notes,
    term_ends,
    was_disturbed,
    was_repeated,
)
from gridproof_model.specifications.replication.state import (
    Kind,
    changes_left,
    ended,
    endings_left,
    has_unrecorded,
    is_watching,
    listed,
    mail,
    members,
    one_table,
    places,
    reach,
    repeats_left,
    replica,
    replicas,
    row,
    settled,
    slots,
    specification,
    table,
)


def unsettled(member: IndexExpr, is_own: BoolExpr) -> Update:
    """Return the update after which a member has to settle its replica first, where a slot of its own changes."""
    return settled[member].becomes(settled[member] & ~is_own)


@specification.action(members, slots, members, source="table.4, table.14")
def slot_is_learned(member: IndexExpr, slot: IndexExpr, holder: IndexExpr) -> Step:
    """A member learns that somebody has a slot; how its table comes about is what `ownership` is about."""
    return Step(
        when=[changes_left > 0, ~exists(slots, lambda one: row[member][one] == holder)],
        then=[
            changes_left.becomes(changes_left - 1),
            notes(was_disturbed),
            row[member][slot].becomes(holder),
            unsettled(member, (holder == member) | (row[member][slot] == member)),
        ],
    )


@specification.action(members, slots, source="table.4, table.14")
def slot_is_emptied(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member learns that nobody has a slot."""
    return Step(
        when=[changes_left > 0, row[member][slot].is_some],
        then=[
            changes_left.becomes(changes_left - 1),
            notes(was_disturbed),
            row[member][slot].becomes(None),
            unsettled(member, row[member][slot] == member),
        ],
    )


@specification.action(members, members, source="members.2")
def member_is_listed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list from now on."""
    return Step(
        when=[changes_left > 0, ~listed[observer][member]],
        then=[
            changes_left.becomes(changes_left - 1),
            notes(was_disturbed),
            listed[observer][member].becomes(True),
        ],
    )


@specification.action(members, members, source="members.2, repair.1")
def member_is_removed(observer: IndexExpr, member: IndexExpr) -> Step:
    """A member has somebody in its list no more, and takes nothing of it."""
    return Step(
        when=[changes_left > 0, listed[observer][member]],
        then=[
            changes_left.becomes(changes_left - 1),
            notes(was_disturbed),
            listed[observer][member].becomes(False),
        ],
    )


@specification.action(members, slots, source="placement.8")
def groups_are_counted(member: IndexExpr, coldest: IndexExpr) -> Step:
    """A member sends its writes as far down the row as there are other partition groups, whatever slots are filled."""
    return Step(
        when=[changes_left > 0, reach[member] != coldest],
        then=[changes_left.becomes(changes_left - 1), notes(was_disturbed), reach[member].becomes(coldest)],
    )


@specification.action(members, source="calls.3")
def member_ends(member: IndexExpr) -> Step:
    """A member crashes, leaves or merges: it does nothing more; what it sent stays under way.

    One table: who has no slot does not end; what was held, and what waits, is looked at no more.
    """
    has_slot = exists(slots, lambda slot: table[slot] == member)
    return Step(
        when=[endings_left > 0, ~ended[member], ~one_table | has_slot],
        then=[
            endings_left.becomes(endings_left - 1),
            ended[member].becomes(True),
            has_unrecorded[member].becomes(~one_table),
            mail[member].becomes(if_else(one_table, (), mail[member])),
            replica[member].becomes(if_else(one_table, replicas(), replica[member])),
            term_ends(member),
            acknowledged[member].becomes(acknowledged[member] & ~(is_watching & one_table)),
            notes(was_disturbed),
        ],
    )


@specification.action(members, members, source="table.3")
def message_reaches_successor(former: IndexExpr, member: IndexExpr) -> Step:
    """A member that started on the address of one that has ended gets what is sent to the address.

    What answers its former is no answer to it: answers name the incarnation that asked.
    """
    first_kind = mail[former].head.kind
    is_reply = (first_kind == Kind.ANSWER) | (first_kind == Kind.RETRY)
    return Step(
        when=[former != member, ended[former], ~ended[member], ~mail[former].is_empty, ~mail[member].is_full],
        then=[
            mail[member].becomes(if_else(is_reply, mail[member], mail[member].append(mail[former].head))),
            mail[former].becomes(mail[former].tail),
        ],
    )


@specification.action(members, places, source="calls.3")
def message_comes_twice(member: IndexExpr, place: IntExpr) -> Step:
    """The network repeats what is under way to a member."""
    return Step(
        when=[repeats_left > 0, place < mail[member].length, ~mail[member].is_full],
        then=[
            repeats_left.becomes(repeats_left - 1),
            mail[member].becomes(mail[member].append(mail[member].at(place))),
            notes(was_repeated),
            notes(was_disturbed),
        ],
    )
