"""What holds however little members know of each other, and what does not."""

from gridproof_model.language import BoolExpr, IndexExpr, all_of, exists, for_all
from gridproof_model.specifications.replicas.state import (
    Kind,
    backups,
    executed,
    has_backup,
    is_primary_of,
    mail,
    members,
    places,
    replica,
    specification,
)


@specification.always(source="backups.9, backups.13")
def nobody_counts_more_than_was_written() -> BoolExpr:
    """No number of a vector is above the number of writes that were executed."""
    return for_all(
        members,
        lambda member: for_all(backups, lambda entry: replica[member].versions[entry] <= executed),
    )


@specification.always(source="backups.8, backups.10, repair.9")
def colder_entries_are_not_behind() -> BoolExpr:
    """Each entry of a vector is at least as high as those of hotter backups, wherever the replica has been."""
    return for_all(
        members,
        lambda member: for_all(
            backups,
            lambda colder: for_all(
                backups,
                lambda hotter: (hotter < colder).implies(
                    replica[member].versions[hotter] <= replica[member].versions[colder]
                ),
            ),
        ),
    )


@specification.sometimes(source="repair.3; docs/findings.md")
def two_take_themselves_for_the_primary() -> BoolExpr:
    """Two members execute writes: each has a row that says so."""
    return exists(
        members,
        lambda one: exists(
            members,
            lambda other: (
                (one < other)
                & is_primary_of(one, one)
                & is_primary_of(other, other)
                & (replica[one].versions[backups[0]] > 0)
                & (replica[other].versions[backups[0]] > 0)
            ),
        ),
    )


@specification.definition(members, members)
def is_clean_backup_of(member: IndexExpr, primary: IndexExpr) -> BoolExpr:
    """Whether a member holds the first backup of a primary, has heard of a write, and knows of nothing missing."""
    held = replica[member]
    is_backup = has_backup(member, backups[0]) & is_primary_of(member, primary) & is_primary_of(primary, primary)
    return is_backup & ~held.is_dirty & (held.versions[backups[0]] > 0)


@specification.sometimes(source="limits.10; docs/findings.md")
def backup_is_ahead_of_its_primary() -> BoolExpr:
    """A backup has a higher number than its primary: another primary's write came first."""
    return exists(
        members,
        lambda member: exists(
            members,
            lambda primary: (
                is_clean_backup_of(member, primary)
                & (replica[member].versions[backups[0]] > replica[primary].versions[backups[0]])
            ),
        ),
    )


@specification.sometimes(source="sync.15, backups.16; docs/findings.md")
def answer_is_behind_its_asker() -> BoolExpr:
    """An answer is under way that takes a backup back behind what it has."""
    return exists(
        members,
        lambda member: exists(
            places,
            lambda place: (
                (place < mail[member].length)
                & (mail[member].at(place).kind == Kind.ANSWER)
                & (mail[member].at(place).versions[backups[0]] < replica[member].versions[backups[0]])
            ),
        ),
    )


@specification.sometimes(source="backups.14; defect HZ-22")
def update_comes_from_somebody_else_than_the_primary() -> BoolExpr:
    """An update waits for a member that takes another one for the primary; nobody looks at that when it comes."""
    return exists(
        members,
        lambda member: exists(
            places,
            lambda place: (
                (place < mail[member].length)
                & (mail[member].at(place).kind == Kind.UPDATE)
                & ~is_primary_of(member, mail[member].at(place).sender)
            ),
        ),
    )


@specification.sometimes(source="backups.5; docs/findings.md")
def write_is_nowhere_else() -> BoolExpr:
    """A primary has executed a write that no other member has, and nothing that brings it is under way."""
    return exists(
        members,
        lambda primary: (
            is_primary_of(primary, primary)
            & (replica[primary].versions[backups[0]] > 0)
            & for_all(
                members,
                lambda other: (other != primary).implies(
                    mail[other].is_empty & (replica[other].versions[backups[0]] == 0)
                ),
            )
        ),
    )


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """What waits in the mail may wait for ever: nothing is promised to come."""
    return all_of()
