"""What holds however little members know of each other, and what does not."""

from gridproof_model.language import BoolExpr, all_of, exists, for_all
from gridproof_model.specifications.tables.state import (
    Outcome,
    Stage,
    begins,
    ended,
    follows,
    is_master,
    members,
    migrations,
    outcomes,
    row,
    sent,
    slots,
    specification,
    stage,
    tables,
    version,
)


@specification.always(source="table.2; invariant A1; table.2")
def nobody_is_twice_in_a_row() -> BoolExpr:
    """A member occupies at most one slot of any member's row."""
    return for_all(
        members,
        lambda member: for_all(
            slots,
            lambda slot: for_all(
                slots,
                lambda other: (slot == other) | row[member][slot].is_none | (row[member][slot] != row[member][other]),
            ),
        ),
    )


@specification.always(source="table.14, table.5")
def nobody_is_behind_what_it_sent() -> BoolExpr:
    """No table that a member has sent is newer than its own, but by the promotion that it asks for."""
    return for_all(
        members,
        lambda member: for_all(
            tables,
            lambda place: (place < sent[member].length).implies(
                (sent[member].at(place).version <= version[member])
                | (sent[member].at(place).promotes.is_some & (sent[member].at(place).version <= version[member] + 2))
            ),
        ),
    )


@specification.always(source="migration.12")
def a_migration_succeeds_at_its_destination_first() -> BoolExpr:
    """Nobody takes a migration for a success that its destination has not committed."""
    return for_all(
        members,
        lambda member: for_all(
            migrations,
            lambda migration: (outcomes[member][migration] == Outcome.SUCCESS).implies(
                stage[migration] == Stage.COMMITTED
            ),
        ),
    )


@specification.sometimes(source="table.8; invariant T1; docs/findings.md")
def two_take_themselves_for_the_master() -> BoolExpr:
    """Two members may edit their rows, each by a list of its own."""
    return exists(
        members,
        lambda one: exists(
            members,
            lambda other: (one < other) & is_master(one) & is_master(other),
        ),
    )


@specification.sometimes(source="repair.1")
def somebody_follows_one_that_has_ended() -> BoolExpr:
    """A member has not heard yet that its master is gone."""
    return exists(
        members,
        lambda one: exists(members, lambda other: ~ended[one] & (follows[one] == other) & ended[other]),
    )


@specification.sometimes(source="table.14; invariant T3")
def equal_versions_stand_for_different_rows() -> BoolExpr:
    """Two masters have raised a row to one version, each in its own way: their followers refuse each other's tables."""
    return exists(
        members,
        lambda one: exists(
            members,
            lambda other: (version[one] == version[other]) & (version[one] > 0) & (row[one] != row[other]),
        ),
    )


@specification.sometimes(source="migration.14, migration.22; invariant M1")
def a_migration_succeeds_here_and_fails_there() -> BoolExpr:
    """The destination has committed, and its master, which takes it for gone, has recorded a failure."""
    return exists(
        migrations,
        lambda migration: exists(
            members,
            lambda one: exists(
                members,
                lambda other: (
                    (outcomes[one][migration] == Outcome.SUCCESS) & (outcomes[other][migration] == Outcome.FAILED)
                ),
            ),
        ),
    )


@specification.sometimes(source="repair.3, repair.8")
def two_are_primary_by_their_own_rows() -> BoolExpr:
    """Two members have themselves in slot 0: the promoted one knows of it before the other."""
    return exists(
        members,
        lambda one: exists(
            members,
            lambda other: (one < other) & (row[one][slots[0]] == one) & (row[other][slots[0]] == other),
        ),
    )


@specification.sometimes(source="repair.8")
def a_backup_is_about_to_be_primary() -> BoolExpr:
    """A backup has the table by which it is the primary, and has not turned its versions into a primary's yet."""
    return exists(members, lambda member: begins[member] & (row[member][slots[0]] == member))


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """What is under way may be for ever: nothing is promised to come."""
    return all_of()
