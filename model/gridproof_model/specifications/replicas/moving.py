"""Replicas that move: promoted, copied, cut down, dropped."""

from gridproof_model.language import ArrayExpr, IndexExpr, IntExpr, Step, array_of, exists, if_else
from gridproof_model.specifications.replicas.state import (
    backups,
    ended,
    is_primary_of,
    known_to,
    members,
    migrating,
    moves_left,
    replica,
    replicas,
    row,
    settled,
    slots,
    specification,
)


@specification.action(members, backups, source="repair.9")
def replica_is_promoted(member: IndexExpr, backup: IndexExpr) -> Step:
    """A backup becomes the primary: the entries of hotter backups take the number of its own, and it is clean."""
    held = replica[member].versions
    versions: ArrayExpr[IntExpr] = array_of(backups, lambda entry: if_else(entry < backup, held[backup], held[entry]))
    return Step(
        when=[moves_left > 0, ~ended[member], is_primary_of(member, member), settled[member]],
        then=[
            moves_left.becomes(moves_left - 1),
            replica[member].versions.becomes(versions),
            replica[member].is_dirty.becomes(False),
        ],
    )


@specification.action(members, source="repair.9, repair.8")
def replica_begins_anew(member: IndexExpr) -> Step:
    """Who had a slot beyond the backups, and so no copy, becomes the primary: it counts from nothing."""
    return Step(
        when=[moves_left > 0, ~ended[member], is_primary_of(member, member), settled[member]],
        then=[moves_left.becomes(moves_left - 1), replica[member].becomes(replicas())],
    )


@specification.action(members, source="migration.9, backups.14")
def migration_begins(member: IndexExpr) -> Step:
    """A member takes part in a migration, as the primary that gives or as who receives; writes and backups wait."""
    return Step(
        when=[moves_left > 0, ~ended[member], ~migrating[member]],
        then=[migrating[member].becomes(True)],
    )


@specification.action(members, source="migration.17")
def migration_ends(member: IndexExpr) -> Step:
    """A member has committed a migration, or rolled it back."""
    return Step(when=[~ended[member], migrating[member]], then=[migrating[member].becomes(False)])


@specification.action(members, members, slots, source="migration.10")
def replica_is_copied(source: IndexExpr, member: IndexExpr, slot: IndexExpr) -> Step:
    """A migration brings a member what the primary holds, as far as the new slot knows it.

    The primary refuses writes meanwhile, so what it holds on arrival is what it held on sending; one that has ended
    since holds what it held.
    """
    held = replica[source]
    return Step(
        when=[
            moves_left > 0,
            source != member,
            ~ended[member],
            migrating[member],
            migrating[source],
            is_primary_of(source, source),
        ],
        then=[
            moves_left.becomes(moves_left - 1),
            replica[member].becomes(replicas(versions=known_to(slot, held.versions), has_content=held.has_content)),
        ],
    )


@specification.action(members, slots, source="migration.18; defect HZ-53, HZ-64")
def replica_is_cut_down(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member that has another slot now keeps the versions that its slot knows, and no more."""
    return Step(
        when=[~ended[member], row[member][slot] == member],
        then=[
            replica[member].versions.becomes(known_to(slot, replica[member].versions)),
            settled[member].becomes(True),
        ],
    )


@specification.action(members, source="migration.18")
def replica_is_dropped(member: IndexExpr) -> Step:
    """A member without a slot, or with one beyond the backups, keeps nothing."""
    return Step(
        when=[~ended[member], ~exists(slots, lambda slot: row[member][slot] == member)],
        then=[replica[member].becomes(replicas()), settled[member].becomes(True)],
    )


@specification.action(members, source="calls.34, sync.6")
def structure_is_destroyed(member: IndexExpr) -> Step:
    """A member forgets the content; the versions stay until the next check."""
    return Step(
        when=[moves_left > 0, ~ended[member]],
        then=[moves_left.becomes(moves_left - 1), replica[member].has_content.becomes(False)],
    )


@specification.action(members, source="calls.34, sync.6; defect HZ-63")
def destroyed_structure_is_forgotten(member: IndexExpr) -> Step:
    """A primary that has nobody to check forgets what is destroyed all the same; whoever was primary since may have."""
    held = replica[member]
    has_versions = held.versions != replicas().versions
    return Step(
        when=[~ended[member], ~held.has_content, has_versions],
        then=[replica[member].becomes(replicas())],
    )
