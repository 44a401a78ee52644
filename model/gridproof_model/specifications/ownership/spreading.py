"""How tables reach the members, and how a new master collects the newest rows."""

from gridproof_model.language import *
from gridproof_model.language.expressions import coerced
from gridproof_model.specifications.ownership.migrating import OUTCOME, committed_version, failed_version, keeps
from gridproof_model.specifications.ownership.state import *


@specification.action(members, source="table.12, table.21")
def table_is_sent(member: IndexExpr) -> Step:
    """A member sends its table as it is: a master to the members that follow it, another member to a new master."""
    table = TABLE(row=row[member], version=version[member])
    return Step(
        when=[~ended[member], version[member] > 0, ~sent[member].is_full, any_way | works(member)],
        then=[sent[member].becomes(sent[member].append(table)), departs(works(member) | ~is_master(member))],
    )


@specification.action(members, source="table.12")
def oldest_table_is_lost(member: IndexExpr) -> Step:
    """The oldest table that a member has sent is lost, and reaches no member any more."""
    return Step(
        when=[losses_left > 0, sent[member].is_full],
        then=[losses_left.becomes(losses_left - 1), sent[member].becomes(sent[member].tail)],
    )


def takes(member: IndexExpr, sender: IndexExpr, new_row: Row, new_version: IntExpr) -> list[Update]:
    """Return the updates of a member that takes a newer row, and the outcomes of migrations that come with the row.

    With `any_way`, the member may learn the outcomes later, since no record says which outcomes a table has named.
    """

    def heard(migration: IndexExpr) -> EnumExpr[Outcome]:
        own, its = outcomes[member][migration], outcomes[sender][migration]
        final = if_else(its == Outcome.SUCCESS, committed_version(migration), failed_version(migration))
        is_named = (own == Outcome.UNKNOWN) & (its != Outcome.UNKNOWN) & (final <= new_version)
        return if_else(is_named, its, own)

    return [
        row[member].becomes(new_row),
        version[member].becomes(new_version),
        outcomes[member].becomes(if_else(any_way, outcomes[member], array_of(migrations, heard))),
        keeps(member, new_row),
        begun.becomes(begun | is_in(new_row, member)),
    ]


@specification.action(members, members, tables, source="table.9, table.14", fair=True)
def table_arrives(member: IndexExpr, master: IndexExpr, place: IntExpr) -> Step:
    """A member takes the row from a table of its master, if this row is newer than the member's own."""
    table = sent[master].at(place)
    is_newer = version[member] < table.version
    is_there = place < sent[master].length
    return Step(
        when=[~ended[member], is_there, follows[member] == master, table.promotes.is_none, is_newer],
        then=takes(member, master, table.row, table.version),
    )


@specification.action(members, members, source="table.12, table.14", fair=True)
def newest_table_arrives(member: IndexExpr, master: IndexExpr) -> Step:
    """A member takes its master's present row from a table that arrives at once, so that no table stays under way."""
    return Step(
        when=[~ended[member], works(master), follows[member] == master, version[member] < version[master]],
        then=takes(member, master, row[master], version[master]),
    )


@specification.action(members, source="table.21, table.25", fair=True)
def fetch_begins(member: IndexExpr) -> Step:
    """A new master asks all members in its list for their rows; each answers with its present row or a newer row."""

    def asked(other: IndexExpr) -> OptionExpr[IntExpr]:
        return if_else(is_listed(member, other) & (other != member), version[other], None)

    return Step(
        when=[is_master(member), must_fetch[member]],
        then=[
            must_fetch[member].becomes(False),
            fetching[member].becomes(True),
            asked_at[member].becomes(array_of(members, asked)),
        ],
    )


@specification.action(members, source="table.25")
def nothing_is_fetched(member: IndexExpr) -> Step:
    """A new master does not have to fetch rows, because in this cluster state no row may change."""
    return Step(
        when=[freezes, is_master(member), must_fetch[member]],
        then=[must_fetch[member].becomes(False), unfetched.becomes(True)],
    )


@specification.definition(members, numbers)
def is_newest(member: IndexExpr, found: IntExpr) -> BoolExpr:
    """Among the answers for which a new master has waited, none can have brought a row newer than this version."""
    return for_all(members, lambda other: asked_at[member][other].is_none | (asked_at[member][other].value <= found))


@specification.definition(members, migrations)
def is_reported(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """The new master, or a member that it has asked, takes part in the migration or knows its outcome."""
    return exists(
        members,
        lambda other: (
            ((other == member) | asked_at[member][other].is_some)
            & ((outcomes[other][migration] != Outcome.UNKNOWN) | (active[other] == migration))
        ),
    )


@specification.action(members, migrations, source="table.23", fair=True)
def migration_is_settled(member: IndexExpr, migration: IndexExpr) -> Step:
    """A new master settles a migration: as a success if the master or a member that answered knows of it, else a
    failure."""

    def says_so(other: IndexExpr) -> BoolExpr:
        has_answered = (other == member) | asked_at[member][other].is_some
        return has_answered & (outcomes[other][migration] == Outcome.SUCCESS)

    outcome = if_else(exists(members, says_so), coerced(Outcome.SUCCESS, OUTCOME), Outcome.FAILED)
    is_open = any_of(outcomes[member][migration] == Outcome.UNKNOWN, active[member] == migration)
    has_the_newest = is_newest(member, version[member])
    has_heard = (outcome == Outcome.SUCCESS) | (version[member] < committed_version(migration))
    # With `any_way` a row may contain the change of a commit that nobody reports, so nothing is promised about rows.
    # Without `any_way` the promise about rows is kept, unless outcomes are cleared as documented (docs/findings.md).
    is_in_order = any_of(~any_way, stage[migration] != Stage.COMMITTED, has_heard)
    return Step(
        when=[is_master(member), fetching[member], is_reported(member, migration), is_open, any_way | has_the_newest],
        then=[
            outcomes[member][migration].becomes(outcome),
            active[member].becomes(if_else(active[member] == migration, None, active[member])),
            goes_without(has_the_newest & is_in_order),
        ],
    )


@specification.action(members, members, tables, source="table.22; defect HZ-45", fair=True)
def newest_row_is_fetched(member: IndexExpr, other: IndexExpr, place: IntExpr) -> Step:
    """A new master takes the newest row from a table among the answers."""
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
        then=[row[member].becomes(table.row), version[member].becomes(table.version), keeps(member, table.row)],
    )


@specification.action(members, members, source="table.22; defect HZ-45", fair=True)
def newest_row_is_fetched_at_once(member: IndexExpr, other: IndexExpr) -> Step:
    """A new master takes the newest row among the members that have answered, as the sender has it now."""
    is_the_newest = is_newest(member, version[other])
    is_newer = version[member] < version[other]
    has_been_asked = asked_at[member][other].is_some
    return Step(
        when=[~ended[member], fetching[member], has_been_asked, ~ended[other], is_newer, is_the_newest],
        then=[row[member].becomes(row[other]), version[member].becomes(version[other]), keeps(member, row[other])],
    )


@specification.action(members, migrations, source="table.23, table.24", fair=True)
def fetched_row_is_lifted(member: IndexExpr, migration: IndexExpr) -> Step:
    """After a migration failed, a new master raises the row's version above any that the destination may have."""
    return Step(
        when=[
            ~ended[member],
            fetching[member],
            is_newest(member, version[member]),
            outcomes[member][migration] == Outcome.FAILED,
            (version[member] < failed_version(migration)) | (~lifts & (failed_version(migration) < version[member])),
        ],
        then=[version[member].becomes(failed_version(migration))],
    )


@specification.definition(members, migrations)
def is_settled(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """A new master knows how a migration ended; if it failed, the row's version is at least that after the failure."""
    is_not_behind = (outcomes[member][migration] == Outcome.SUCCESS) | (failed_version(migration) <= version[member])
    return all_of(outcomes[member][migration] != Outcome.UNKNOWN, active[member] != migration, is_not_behind)


@specification.action(members, source="table.22, table.23, table.24, table.12", fair=True)
def fetch_ends(member: IndexExpr) -> Step:
    """A new master ends the fetch: it has the newest row and the outcome of every migration, and may edit the row."""
    nobody = array_of(members, lambda _: coerced(None, Option(numbers)))
    has_all = for_all(members, lambda other: asked_at[member][other].is_none | (follows[other] == member)) & for_all(
        migrations, lambda migration: ~is_reported(member, migration) | is_settled(member, migration)
    )
    return Step(
        when=[
            ~ended[member],
            fetching[member],
            ~lifts | is_newest(member, version[member]),
            # When runs are validated, members that were asked may have forgotten a migration that ended long ago.
            any_way | has_all,
        ],
        then=[fetching[member].becomes(False), asked_at[member].becomes(nobody), goes_without(has_all)],
    )
