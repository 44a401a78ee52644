"""How tables reach the members, and how a new master collects the newest rows."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IntExpr,
    Option,
    OptionExpr,
    Step,
    array_of,
    for_all,
    if_else,
)
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.tables.migrating import failed_version
from gridproof_model.specifications.tables.state import (
    TABLE,
    Outcome,
    asked_at,
    ended,
    fetching,
    follows,
    has_claimed,
    is_listed,
    is_master,
    losses_left,
    members,
    migrations,
    numbers,
    outcomes,
    row,
    sent,
    specification,
    tables,
    version,
)


@specification.action(members, source="table.12, table.21")
def table_is_sent(member: IndexExpr) -> Step:
    """A member's table goes out as it is: from a master to whoever takes it for one, from others to a new master."""
    table = TABLE(row=row[member], version=version[member])
    return Step(
        when=[~ended[member], version[member] > 0, ~sent[member].is_full],
        then=[sent[member].becomes(sent[member].append(table))],
    )


@specification.action(members, source="table.12")
def oldest_table_is_lost(member: IndexExpr) -> Step:
    """Nobody gets any more what a member sent first."""
    return Step(
        when=[losses_left > 0, sent[member].is_full],
        then=[losses_left.becomes(losses_left - 1), sent[member].becomes(sent[member].tail)],
    )


@specification.action(members, members, tables, source="table.9, table.14")
def table_arrives(member: IndexExpr, master: IndexExpr, place: IntExpr) -> Step:
    """A member takes a row of its master that is newer than its own."""
    table = sent[master].at(place)
    return Step(
        when=[
            ~ended[member],
            place < sent[master].length,
            follows[member] == master,
            table.promotes.is_none,
            version[member] < table.version,
        ],
        then=[row[member].becomes(table.row), version[member].becomes(table.version)],
    )


@specification.action(members, source="table.21, table.25")
def fetch_begins(member: IndexExpr) -> Step:
    """A new master asks everybody in its list for what they have; nobody answers with less than it has now."""

    def asked(other: IndexExpr) -> OptionExpr[IntExpr]:
        return if_else(is_listed(member, other) & (other != member), version[other], None)

    return Step(
        when=[is_master(member), has_claimed[member]],
        then=[fetching[member].becomes(True), asked_at[member].becomes(array_of(members, asked))],
    )


def is_newest(member: IndexExpr, found: IntExpr) -> BoolExpr:
    """Return whether no answer that a new master has waited for can have brought a newer row."""
    return for_all(members, lambda other: asked_at[member][other].is_none | (asked_at[member][other].value <= found))


@specification.action(members, members, tables, source="table.22; defect HZ-45")
def newest_row_is_fetched(member: IndexExpr, other: IndexExpr, place: IntExpr) -> Step:
    """A new master takes the newest row of those that have answered."""
    table = sent[other].at(place)
    return Step(
        when=[
            ~ended[member],
            fetching[member],
            asked_at[member][other].is_some,
            place < sent[other].length,
            table.promotes.is_none,
            version[member] < table.version,
            is_newest(member, table.version),
        ],
        then=[row[member].becomes(table.row), version[member].becomes(table.version)],
    )


@specification.action(members, migrations, source="table.23, table.24")
def fetched_row_is_lifted(member: IndexExpr, migration: IndexExpr) -> Step:
    """The row of a migration that has failed is lifted above what its destination may have."""
    return Step(
        when=[
            ~ended[member],
            fetching[member],
            is_newest(member, version[member]),
            outcomes[member][migration] == Outcome.FAILED,
            version[member] < failed_version(migration),
        ],
        then=[version[member].becomes(failed_version(migration))],
    )


@specification.action(members, source="table.22, table.12")
def fetch_ends(member: IndexExpr) -> Step:
    """A new master has the newest row, its own or another's, and may edit it."""
    return Step(
        when=[~ended[member], fetching[member], is_newest(member, version[member])],
        then=[
            fetching[member].becomes(False),
            asked_at[member].becomes(array_of(members, lambda _: coerced(None, Option(numbers)))),
        ],
    )
