"""What is true of ownership in every state, however little members know of each other.

Most claims are true until a live member is treated as gone (`split`); the anomalies show which are false after that.
"""

from gridproof_model.language import *
from gridproof_model.specifications.ownership.editing import lowest_survivor
from gridproof_model.specifications.ownership.state import *

NOT_COLLECTED = split | unfetched
"""The condition after which claims about rows are no longer promised."""
NOT_AS_PLANNED = NOT_COLLECTED | unplanned
"""The condition after which claims about data are no longer promised."""


@specification.definition(members)
def writes(member: IndexExpr) -> BoolExpr:
    """The member executes writes: its own row has it as primary, its promotion is over, and no migration blocks it."""
    return ~ended[member] & (row[member][slots[0]] == member) & active[member].is_none & ~begins[member]


@specification.definition(members, migrations)
def awaits(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """The member is a master with the newest rows and waits for the end of the migration."""
    return works(member) & (underway[member] == migration) & (outcomes[member][migration] == Outcome.UNKNOWN)


@specification.definition(members)
def keeps_apart(member: IndexExpr) -> BoolExpr:
    """This member's row does not name two members of the same group."""

    def are_apart(slot: IndexExpr, other: IndexExpr) -> BoolExpr:
        one, two = row[member][slot], row[member][other]
        return one.is_none | two.is_none | (group[one.value] != group[two.value])

    return for_all(slots, slots, lambda slot, other: (slot == other) | are_apart(slot, other))


@specification.definition()
def nobody_went() -> BoolExpr:
    """No member has ended without asking, and none has asked to leave."""
    return (endings_left == endings) & (leaves_left == leaves)


def someone_has(migration: IndexExpr, outcome: Outcome) -> BoolExpr:
    """Return whether some live member knows that the migration had this outcome."""
    return exists(members, lambda member: ~ended[member] & (outcomes[member][migration] == outcome))


@specification.always(source="table.8; invariant T1")
def one_is_the_master() -> BoolExpr:
    """Unless a live member was treated as gone, at most one member considers itself the master."""
    return split | for_all(members, members, lambda one, other: (one == other) | ~is_master(one) | ~is_master(other))


@specification.always(members, slots, slots, source="table.2; invariant A1; table.2")
def nobody_is_twice_in_a_row(member: IndexExpr, slot: IndexExpr, other: IndexExpr) -> BoolExpr:
    """No member's row names the same member in two slots."""
    return (other <= slot) | row[member][slot].is_none | (row[member][slot] != row[member][other])


@specification.always(source="placement.1; invariant A3; seed: Partition Group Configuration")
def replicas_are_arranged_in_different_groups() -> BoolExpr:
    """No row names two members of the same group, as long as no migration was ordered and no member was put into a row
    that already named another member of its group."""
    is_moved = exists(migrations, lambda migration: stage[migration] != Stage.UNUSED)
    return mixed | is_moved | for_all(members, keeps_apart)


@specification.always(source="placement.1, placement.24; invariant A3; seed: Partition Group Configuration")
def replicas_are_in_different_groups() -> BoolExpr:
    """No row names two members of the same group, as long as no member was put into, or ordered to migrate into, a row
    that already named another member of its group, and no live member was treated as gone."""
    return mixed | split | for_all(members, keeps_apart)


@specification.always(members, slots, source="members.4, placement.2; invariant A4; seed: Lite Members")
def lite_members_own_nothing(member: IndexExpr, slot: IndexExpr) -> BoolExpr:
    """No row contains a lite member."""
    return row[member][slot].is_none | (role[row[member][slot].value] != Role.LITE)


@specification.always(members, tables, source="table.14, table.5")
def nobody_is_behind_what_it_sent(member: IndexExpr, place: IntExpr) -> BoolExpr:
    """A table that a member has sent is newer than the member's own row only if the table promotes a member."""
    return (place < sent[member].length).implies(
        (sent[member].at(place).version <= version[member])
        | (sent[member].at(place).promotes.is_some & (sent[member].at(place).version <= version[member] + 2))
    )


@specification.always(source="table.14, table.5; invariant T3; table.5")
def equal_versions_mean_equal_rows() -> BoolExpr:
    """Unless a live member was treated as gone, or a master acted on rows that it had not fully fetched (some new
    masters need not fetch any), live members with the same row version have the same row."""
    return NOT_COLLECTED | for_all(
        members,
        members,
        lambda one, other: (~ended[one] & ~ended[other] & (version[one] == version[other])).implies(
            row[one] == row[other]
        ),
    )


@specification.always(source="table.8, table.9; invariant T1")
def nobody_is_ahead_of_the_master() -> BoolExpr:
    """Unless a live member was treated as gone, or a master acted on rows that it had not fully fetched (some new
    masters need not fetch any), only a member that has just committed a migration or been promoted has a higher row
    version than the working master that it follows."""

    def has_just_committed(member: IndexExpr, master: IndexExpr) -> BoolExpr:
        return exists(
            migrations,
            lambda migration: all_of(
                awaits(master, migration), stage[migration] == Stage.COMMITTED, plan[migration].destination == member
            ),
        )

    def was_just_promoted(member: IndexExpr, master: IndexExpr) -> BoolExpr:
        return (promotion[master] == member) & (version[member] == version[master] + 2)

    return NOT_COLLECTED | for_all(
        members,
        members,
        lambda member, master: (works(master) & ~ended[member] & (follows[member] == master)).implies(
            (version[member] <= version[master])
            | has_just_committed(member, master)
            | was_just_promoted(member, master)
        ),
    )


@specification.always(source="invariant P1; repair.3")
def the_lowest_survivor_is_promoted() -> BoolExpr:
    """Unless a live member was treated as gone, a working master asks only the member in the lowest filled slot of its
    row to become the primary; a table that promotes a member always has this member as the primary."""
    is_first = for_all(
        members,
        lambda master: (works(master) & promotion[master].is_some & row[master][slots[0]].is_none).implies(
            if_else(
                lowest_survivor(master).is_some, row[master][lowest_survivor(master).value] == promotion[master], False
            )
        ),
    )
    is_said = for_all(
        members,
        tables,
        lambda master, place: if_else(
            place < sent[master].length,
            sent[master].at(place).promotes.is_none
            | (sent[master].at(place).row[slots[0]] == sent[master].at(place).promotes),
            True,
        ),
    )
    return (split | is_first) & is_said


@specification.always(members, migrations, source="migration.12")
def a_migration_succeeds_at_its_destination_first(member: IndexExpr, migration: IndexExpr) -> BoolExpr:
    """No member records a migration as successful before its destination has committed it."""
    return (outcomes[member][migration] == Outcome.SUCCESS).implies(stage[migration] == Stage.COMMITTED)


@specification.always(source="invariant M1; migration.15")
def a_migration_has_one_outcome() -> BoolExpr:
    """Unless a live member was treated as gone, no two live members record different outcomes of a migration."""
    return split | for_all(
        migrations,
        lambda migration: ~(someone_has(migration, Outcome.SUCCESS) & someone_has(migration, Outcome.FAILED)),
    )


@specification.always(source="migration.12")
def the_master_commits_after_the_destination() -> BoolExpr:
    """Unless a live member was treated as gone, a master that waits for a migration does not apply it to its own row
    before the destination has committed it."""
    return split | for_all(
        migrations,
        members,
        lambda migration, master: (awaits(master, migration) & (stage[migration] != Stage.COMMITTED)).implies(
            version[master] == plan[migration].initial
        ),
    )


@specification.always(source="migration.2")
def a_partition_has_one_migration() -> BoolExpr:
    """Unless a live member was treated as gone, all masters together wait for the end of at most one migration."""

    def is_awaited(migration: IndexExpr) -> BoolExpr:
        return exists(members, lambda member: awaits(member, migration))

    return split | for_all(
        migrations, migrations, lambda one, other: (one == other) | ~is_awaited(one) | ~is_awaited(other)
    )


@specification.always(source="migration.9; invariant M3; migration.9")
def one_member_executes_writes() -> BoolExpr:
    """Unless a live member was treated as gone, or a master acted on rows that it had not fully fetched (some new
    masters need not fetch any), at most one member executes writes of the partition."""
    return NOT_COLLECTED | for_all(members, members, lambda one, other: (one == other) | ~writes(one) | ~writes(other))


@specification.always(source="invariant M2, M7, S3; migration.12, placement.23")
def owners_have_the_data() -> BoolExpr:
    """Until the partition is lost, each live member with a slot in a working master's row has a complete copy of the
    data; this is not promised once a live member was treated as gone, a master acted on rows that it had not fully
    fetched, or a row changed in a way that no placement plans.

    The claim depends on placement: if cleared slots were filled while copies are left, their holders would lack data.
    """
    return (
        NOT_AS_PLANNED
        | lost
        | for_all(
            members,
            lambda master: (works(master) & (version[master] > 0)).implies(
                for_all(members, lambda member: (~ended[member] & is_in(row[master], member)).implies(holds[member]))
            ),
        )
    )


@specification.always(source="invariant M2; placement.23")
def planned_migrations_keep_every_copy() -> BoolExpr:
    """As long as no member has ended or asked to leave, there are never fewer complete copies than the first
    arrangement made; this is not promised once a live member was treated as gone, a master acted on rows that it had
    not fully fetched, or a row changed in a way that no placement plans."""
    return NOT_AS_PLANNED | (begun & nobody_went()).implies(
        for_all(
            members,
            lambda master: (works(master) & (version[master] > 0)).implies(
                arranged <= count(members, lambda member: ~ended[member] & holds[member] & is_in(row[master], member))
            ),
        )
    )


@specification.always(source="invariant P2; repair.13")
def few_crashes_lose_nothing() -> BoolExpr:
    """If no member leaves and fewer members crash than copies were made at first, no data is lost; this is not
    promised once a live member was treated as gone, a master acted on rows that it had not fully fetched, or a row
    changed in a way that no placement plans."""
    return NOT_AS_PLANNED | ((endings - endings_left < arranged) & (leaves_left == leaves)).implies(~lost)


@specification.always(source="invariant S1; leaving.6, leaving.8")
def graceful_leaves_lose_nothing() -> BoolExpr:
    """If no member crashes, members that ask before they leave lose no data, unless all data members have asked at the
    same time; this is not promised once a live member was treated as gone, a master acted on rows that it had not fully
    fetched, or a row changed in a way that no placement plans."""
    return NOT_AS_PLANNED | gives_up | (endings_left == endings).implies(~lost)


@specification.always(source="invariant A2; repair.1, repair.3")
def only_a_death_empties_slot_0() -> BoolExpr:
    """Unless a live member was treated as gone, a row lacks a primary only after a member has ended."""
    return (
        split
        | exists(members, lambda member: ended[member])
        | for_all(members, lambda member: (version[member] == 0) | row[member][slots[0]].is_some)
    )
