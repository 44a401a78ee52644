"""Why the rows of members stay consistent although members know different things.

Versions only rise, no matter from which member a row comes; and a row that was sent was either its sender's own row or
the row by which the lowest survivor is promoted. As long as no running member was treated as gone, a new master is
followed by every running member that any member lists; so there is one master, and no other. Here, as in the validation
of runs, lists may change, rows may be filled and migrations may be ordered in any way.
"""

from collections.abc import Callable

from gridproof_model.language import ANY_NUMBER, BoolExpr, IndexExpr, Plain, all_of, exists, for_all, if_else
from gridproof_model.specifications.ownership.state import *
from gridproof_properties.proofs.argument import Argument

OF_RUNS: dict[str, Plain] = {
    "any_way": True,
    "freezes": True,
    **dict.fromkeys(
        ("changes", "edits", "orders", "losses", "endings", "doubts", "failures", "leaves", "versions"), ANY_NUMBER
    ),
}
"""The constants with which runs are validated, except sizes; the limits on how much may happen are open."""
ANY_SIZE: dict[str, Plain] = dict.fromkeys(("members", "backups", "migrations", "tables_sent"), ANY_NUMBER)
WORLDS: tuple[dict[str, Plain], ...] = (
    {},
    {"doubts": 1},
    {"members": 2, "leaves": 2, "orders": 0},
    {"any_way": True, "freezes": True, "orders": 0, "edits": 2},
    {"any_way": True, "freezes": True, "members": 2, "edits": 2},
)

argument = Argument(specification, proved_in=({**OF_RUNS, **ANY_SIZE},), explored_in=WORLDS)


def _of_every_table_sent(holds_of: Callable[[IndexExpr, Table], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for each sender and each table that it has sent."""
    return for_all(
        members,
        tables,
        lambda member, place: if_else(place < sent[member].length, holds_of(member, sent[member].at(place)), True),
    )


def _has_data_members_only(of: Row) -> BoolExpr:
    return for_all(slots, lambda slot: of[slot].is_none | (role[of[slot].value] == Role.DATA))


def _somebody_ended() -> BoolExpr:
    return exists(members, lambda member: ended[member])


@argument.lemma
def nobody_is_twice_in_a_row_that_was_sent() -> BoolExpr:
    """No row in a table that was sent names the same member in two slots."""
    return _of_every_table_sent(
        lambda _, table: for_all(
            slots,
            slots,
            lambda slot, other: (other <= slot) | table.row[slot].is_none | (table.row[slot] != table.row[other]),
        )
    )


@argument.lemma(migrations)
def orders_move_to_a_hotter_slot(migration: IndexExpr) -> BoolExpr:
    """If the destination of a migration already has a slot, it moves to a slot with a lower index; if the member that
    held the migrated slot keeps a slot, that slot has a higher index."""
    return (plan[migration].left_slot.is_none | (plan[migration].slot < plan[migration].left_slot.value)) & (
        plan[migration].lower_slot.is_none | (plan[migration].slot < plan[migration].lower_slot.value)
    )


@argument.lemma(members)
def whoever_is_in_a_row_is_a_data_member(member: IndexExpr) -> BoolExpr:
    """Only data members have slots in rows."""
    return _has_data_members_only(row[member])


@argument.lemma
def whoever_is_in_a_row_that_was_sent_is_a_data_member() -> BoolExpr:
    """Only data members have slots in rows that were sent."""
    return _of_every_table_sent(lambda _, table: _has_data_members_only(table.row))


@argument.lemma(migrations)
def destinations_are_data_members(migration: IndexExpr) -> BoolExpr:
    """The destination of a migration is never a lite member, nor a member that has not started."""
    return plan[migration].destination.is_none | (role[plan[migration].destination.value] == Role.DATA)


@argument.lemma
def a_row_that_was_sent_is_apart() -> BoolExpr:
    """No row that was sent names two members of the same group, as long as no migration was ordered and no member was
    put into a row that already named another member of its group."""
    is_moved = exists(migrations, lambda migration: stage[migration] != Stage.UNUSED)

    def are_apart(table: Table, slot: IndexExpr, other: IndexExpr) -> BoolExpr:
        one, two = table.row[slot], table.row[other]
        return (slot == other) | one.is_none | two.is_none | (group[one.value] != group[two.value])

    return (
        mixed
        | is_moved
        | _of_every_table_sent(
            lambda _, table: for_all(slots, slots, lambda slot, other: are_apart(table, slot, other))
        )
    )


@argument.lemma(members, unless=split)
def who_follows_somebody_lists_itself(member: IndexExpr) -> BoolExpr:
    """A running member that follows a master is in its own list."""
    return ended[member] | follows[member].is_none | is_listed(member, member)


@argument.lemma(members, unless=split)
def who_has_a_row_follows_somebody(member: IndexExpr) -> BoolExpr:
    """A member that has received a row follows a master; before that, its row is empty."""
    return if_else(
        version[member] == 0,
        for_all(slots, lambda slot: row[member][slot].is_none),
        follows[member].is_some,
    )


@argument.lemma(members, unless=split)
def who_claims_follows_itself(member: IndexExpr) -> BoolExpr:
    """A member that claims mastership follows no other member: it is its own master."""
    return claiming[member].implies(follows[member] == member)


@argument.lemma(members, unless=split)
def who_fetches_is_the_master(member: IndexExpr) -> BoolExpr:
    """A member that fetches rows, or must still do so, is its own master and is not claiming mastership."""
    return (must_fetch[member] | fetching[member]).implies((follows[member] == member) & ~claiming[member])


@argument.lemma(migrations, unless=split)
def migrations_start_from_a_row(migration: IndexExpr) -> BoolExpr:
    """No migration starts from an empty row."""
    return plan[migration].master.is_none | (plan[migration].initial > 0)


@argument.lemma(migrations, unless=split)
def who_has_ordered_stays_the_master(migration: IndexExpr) -> BoolExpr:
    """A member that has ordered a migration is its own master, is not claiming mastership, and fetches no rows."""
    return if_else(
        plan[migration].master.is_some,
        all_of(
            follows[plan[migration].master.value] == plan[migration].master,
            ~claiming[plan[migration].master.value],
            ~must_fetch[plan[migration].master.value],
            ~fetching[plan[migration].master.value],
        ),
        True,
    )


@argument.lemma(members, unless=split)
def who_asks_for_a_promotion_stays_the_master(member: IndexExpr) -> BoolExpr:
    """A member that waits for a promotion is its own master, is not claiming mastership, and fetches no rows."""
    return promotion[member].is_none | all_of(
        follows[member] == member, ~claiming[member], ~must_fetch[member], ~fetching[member]
    )


@argument.lemma(migrations)
def a_migration_is_planned_when_it_is_ordered(migration: IndexExpr) -> BoolExpr:
    """A migration has a master, a primary and a destination if and only if it was ordered."""
    return (
        ((stage[migration] == Stage.UNUSED) == plan[migration].master.is_none)
        & ((stage[migration] == Stage.UNUSED) == plan[migration].destination.is_none)
        & ((stage[migration] == Stage.UNUSED) == plan[migration].primary.is_none)
    )


@argument.lemma(members, migrations)
def who_awaits_a_migration_has_ordered_it(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """A member that waits for the end of a migration has ordered this migration itself, and waits for no promotion."""
    return (underway[member] == migration).implies((plan[migration].master == member) & promotion[member].is_none)


@argument.lemma(migrations)
def nothing_is_known_of_what_was_not_ordered(migration: IndexExpr) -> BoolExpr:
    """No member knows an outcome of a migration that was not ordered, and no member takes part in it."""
    return (stage[migration] == Stage.UNUSED).implies(
        for_all(
            members,
            lambda member: all_of(
                outcomes[member][migration] == Outcome.UNKNOWN,
                active[member] != migration,
                underway[member] != migration,
            ),
        )
    )


@argument.lemma
def what_was_sent_is_no_newer_but_by_the_promotion_asked_for() -> BoolExpr:
    """A table that was sent is newer than its sender's own row only if the table promotes a member and the sender waits
    for that promotion."""
    return split | _of_every_table_sent(
        lambda member, table: (
            (table.version <= version[member])
            | all_of(
                promotion[member].is_some,
                row[member][slots[0]].is_none,
                table.promotes.is_some,
                table.version == version[member] + 2,
            )
        )
    )


@argument.lemma(members, migrations, unless=split)
def a_master_is_past_what_it_ordered_before(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """Once a master no longer waits for a migration that it ordered, its row version is higher than the version from
    which the migration started."""
    return ((plan[migration].master == member) & (underway[member] != migration)).implies(
        plan[migration].initial < version[member]
    )


@argument.lemma(members, migrations, unless=split)
def a_master_has_the_row_it_ordered_for_until_it_knows_the_end(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """A master that waits for a migration still has the row version from which the migration started, or it knows the
    migration's outcome and has a higher version."""
    return (underway[member] == migration).implies(
        if_else(
            outcomes[member][migration] == Outcome.UNKNOWN,
            version[member] == plan[migration].initial,
            plan[migration].initial < version[member],
        )
    )


@argument.lemma
def there_is_a_master_where_there_are_rows() -> BoolExpr:
    """As long as no member has ended, if any member has a row, there is a master."""
    nothing_yet = for_all(members, lambda member: (version[member] == 0) & (sent[member].length == 0)) & for_all(
        migrations, lambda migration: stage[migration] == Stage.UNUSED
    )
    return split | _somebody_ended() | nothing_yet | exists(members, is_master)


def _is_listed_by_masters(named: IndexExpr) -> BoolExpr:
    return for_all(members, lambda master: is_master(master).implies(is_listed(master, named)))


@argument.lemma(members, members, unless=split | _somebody_ended())
def a_master_lists_whoever_is_in_a_row(member: IndexExpr, named: IndexExpr) -> BoolExpr:
    """As long as no member has ended, every member that has a slot in some row is in the master's list."""
    return is_in(row[member], named).implies(_is_listed_by_masters(named))


@argument.lemma
def a_master_lists_whoever_is_in_a_row_that_was_sent() -> BoolExpr:
    """As long as no member has ended, every member with a slot in a row that was sent is in the master's list."""
    return (
        split
        | _somebody_ended()
        | _of_every_table_sent(
            lambda _, table: for_all(
                members, lambda named: is_in(table.row, named).implies(_is_listed_by_masters(named))
            )
        )
    )


@argument.lemma(migrations, unless=split | _somebody_ended())
def a_master_lists_destinations(migration: IndexExpr) -> BoolExpr:
    """As long as no member has ended, the destination of every migration is in the master's list."""
    return if_else(
        plan[migration].destination.is_some,
        _is_listed_by_masters(plan[migration].destination.value),
        True,
    )


@argument.lemma
def a_row_that_was_sent_has_a_primary() -> BoolExpr:
    """As long as no member has ended, a row that was sent has a primary."""
    return split | _somebody_ended() | _of_every_table_sent(lambda _, table: table.row[slots[0]].is_some)
