"""What a member does with a table, and leaves behind."""

from collections.abc import Callable

from gridproof_model.language import (
    ArrayExpr,
    BoolExpr,
    EnumExpr,
    IndexExpr,
    IntExpr,
    OneOf,
    Update,
    array_of,
    exists,
    if_else,
)
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.ownership.state import (
    Life,
    Outcome,
    Promotion,
    active,
    follows,
    holds,
    life,
    master,
    members,
    migrations,
    outcomes,
    promotion,
    remembers,
    row,
    slots,
    version,
)
from gridproof_model.specifications.ownership.words import Row, committed_version, is_in

Outcomes = ArrayExpr[EnumExpr[Outcome]]


def takes_table(member: IndexExpr, new_row: Row, new_version: IntExpr, known: Outcomes) -> list[Update]:
    """Return what a member does with a table of its master: table.14, table.17.

    A higher version is taken, an equal or lower one leaves the row alone. Either way the completed migrations of the
    message are added and finished locally, and those it does not name are forgotten. Choice (table.17): with
    `remembers`, only by a table that is not older than they are; docs/findings.md says why.
    """
    is_newer = version[member] < new_version
    kept_row = if_else(is_newer, new_row, row[member])
    still_active = active[member].is_some & ~_is_known(known, member)
    return [
        row[member].becomes(kept_row),
        version[member].becomes(if_else(is_newer, new_version, version[member])),
        outcomes[member].becomes(
            array_of(
                migrations,
                lambda migration: if_else(
                    (known[migration] == Outcome.UNKNOWN) & ~_keeps(member, migration, new_version),
                    known[migration],
                    if_else(
                        outcomes[member][migration] == Outcome.UNKNOWN,
                        known[migration],
                        outcomes[member][migration],
                    ),
                ),
            )
        ),
        active[member].becomes(if_else(still_active, active[member], None)),
        holds[member].becomes(holds[member] & (is_in(kept_row, member) | still_active)),
    ]


def _keeps(member: IndexExpr, migration: IndexExpr, new_version: IntExpr) -> BoolExpr:
    """Return whether the member remembers the end of a migration that a table of this version does not name."""
    is_done = outcomes[member][migration] != Outcome.UNKNOWN
    return remembers & is_done & (new_version < committed_version(migration))


def is_diverged(member: IndexExpr, other_row: Row, other_version: IntExpr) -> BoolExpr:
    """Return whether a table has the member's version but another row: the member refuses it with an error."""
    return (version[member] == other_version) & (row[member] != other_row)


def finishes(
    member: IndexExpr, migration: IndexExpr, new_row: Row, outcome: Outcome | EnumExpr[Outcome]
) -> list[Update]:
    """Return what a member does when it records a migration's outcome and has this row: finish it, drop surplus data.

    Whoever has no slot in the row keeps no data: the source of a committed migration, an old backup that was replaced,
    the destination of one that was rolled back (migration.17).
    """
    still_active = active[member].is_some & (active[member] != migration)
    return [
        outcomes[member][migration].becomes(outcome),
        active[member].becomes(if_else(still_active, active[member], None)),
        holds[member].becomes(holds[member] & (is_in(new_row, member) | still_active)),
    ]


def dies(member: IndexExpr) -> list[Update]:
    """Return what is left of a member that is gone."""
    return all_die(lambda other: other == member)


def all_die(is_one: Callable[[IndexExpr], BoolExpr]) -> list[Update]:
    """Return what is left of members that are gone: nothing, but for the table a promotion under way was sent with."""

    def forgets(member: IndexExpr) -> BoolExpr:
        return is_one(member) & ~((promotion == Promotion.SENT) & (master == member))

    return [
        life.becomes(array_of(members, lambda m: if_else(is_one(m), coerced(Life.GONE, OneOf(Life)), life[m]))),
        follows.becomes(array_of(members, lambda m: if_else(is_one(m), members[0], follows[m]))),
        row.becomes(array_of(members, lambda m: array_of(slots, lambda slot: if_else(forgets(m), None, row[m][slot])))),
        version.becomes(array_of(members, lambda m: if_else(forgets(m), 0, version[m]))),
        outcomes.becomes(
            array_of(
                members,
                lambda m: array_of(
                    migrations,
                    lambda migration: if_else(forgets(m), Outcome.UNKNOWN, outcomes[m][migration]),
                ),
            )
        ),
        active.becomes(array_of(members, lambda m: if_else(is_one(m), None, active[m]))),
        holds.becomes(array_of(members, lambda m: holds[m] & ~is_one(m))),
    ]


def _is_known(known: Outcomes, member: IndexExpr) -> BoolExpr:
    return exists(migrations, lambda migration: (active[member] == migration) & (known[migration] != Outcome.UNKNOWN))
