"""Replicas that move: promoted, copied, cut down, dropped."""

from gridproof_model.language import (
    ArrayExpr,
    IndexExpr,
    IntExpr,
    Step,
    Update,
    all_of,
    array_of,
    exists,
    if_else,
)
from gridproof_model.specifications.replication.history import (
    acknowledged,
    fits,
    is_emptied,
    leader,
    notes,
    promotions,
    some,
    term_ends,
    was_abandoned,
    was_disturbed,
)
from gridproof_model.specifications.replication.state import (
    Replica,
    asked,
    backups,
    ended,
    is_primary_of,
    is_watching,
    known_to,
    members,
    migrating,
    moves_left,
    one_table,
    replica,
    replicas,
    row,
    settled,
    slots,
    specification,
    watched_term,
)


def promoted(member: IndexExpr, backup: IndexExpr) -> list[Update]:
    """Return what a promotion does: hotter entries take the number of the backup's own, and the replica is clean.

    The term that is looked at begins with it where its turn has come and all entries are one number then.
    """
    held = replica[member]
    versions: ArrayExpr[IntExpr] = array_of(
        backups, lambda entry: if_else(entry < backup, held.versions[backup], held.versions[entry])
    )
    counts = is_watching & (promotions < watched_term)
    begins = all_of(counts, promotions + 1 == watched_term, fits(member, backup.ordinal + 1))
    has_reason = held.has_reason & ~one_table
    return [
        replica[member].becomes(
            held.replace(versions=versions, is_dirty=False, has_reason=has_reason, follows=held.follows & ~is_watching)
        ),
        acknowledged[member].becomes(acknowledged[member] & ~is_watching),
        promotions.becomes(if_else(counts, promotions + 1, promotions)),
        leader.becomes(if_else(begins, some(member), if_else(is_watching & (leader == member), None, leader))),
    ]


def copy_of(source: IndexExpr, slot: IndexExpr) -> Replica:
    """Return what a primary gives away: its content, and its versions as far as the new slot knows them."""
    held = replica[source]
    return replicas(
        versions=known_to(slot, held.versions),
        has_content=held.has_content,
        content=held.content,
        follows=is_watching & (leader == source),
    )


def is_copied(source: IndexExpr, member: IndexExpr, slot: IndexExpr) -> list[Update]:
    """Return what a copy does to who gets it: it leads no more, and what it said is void but to the leader's copy."""
    has_asked = exists(backups, lambda backup: asked[member][backup].is_some)
    return [
        replica[member].becomes(copy_of(source, slot)),
        term_ends(member),
        acknowledged[member].becomes(acknowledged[member] & (~is_watching | (leader == source))),
        notes(was_abandoned, is_watching & has_asked),
    ]


@specification.action(members, backups, source="repair.9")
def replica_is_promoted(member: IndexExpr, backup: IndexExpr) -> Step:
    """A backup becomes the primary: the entries of hotter backups take the number of its own, and it is clean."""
    return Step(
        when=[moves_left > 0, ~ended[member], is_primary_of(member, member), settled[member]],
        then=[
            moves_left.becomes(moves_left - 1),
            *promoted(member, backup),
            notes(was_disturbed),
        ],
    )


@specification.action(members, source="repair.9, repair.8")
def replica_begins_anew(member: IndexExpr) -> Step:
    """Who had a slot beyond the backups, and so no copy, becomes the primary: it counts from nothing."""
    return Step(
        when=[moves_left > 0, ~ended[member], is_primary_of(member, member), settled[member]],
        then=[
            moves_left.becomes(moves_left - 1),
            *is_emptied(member),
            notes(was_disturbed),
        ],
    )


@specification.action(members, source="migration.9, backups.14")
def migration_begins(member: IndexExpr) -> Step:
    """A member takes part in a migration, as the primary that gives or as who receives; writes and backups wait."""
    return Step(
        when=[moves_left > 0, ~ended[member], ~migrating[member]],
        then=[migrating[member].becomes(True), notes(was_disturbed)],
    )


@specification.action(members, source="migration.19")
def migration_ends(member: IndexExpr) -> Step:
    """A member has committed a migration, or rolled it back."""
    return Step(when=[~ended[member], migrating[member]], then=[migrating[member].becomes(False)])


@specification.action(members, members, slots, source="migration.10")
def replica_is_copied(source: IndexExpr, member: IndexExpr, slot: IndexExpr) -> Step:
    """A migration brings a member what the primary holds, as far as the new slot knows it.

    The primary refuses writes meanwhile, so what it holds on arrival is what it held on sending; one that has ended
    since holds what it held. What came is not acted on before the migration is over.
    """
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
            settled[member].becomes(False),
            notes(was_disturbed),
            *is_copied(source, member, slot),
        ],
    )


@specification.action(members, slots, source="migration.18; defect HZ-53, HZ-64")
def replica_is_cut_down(member: IndexExpr, slot: IndexExpr) -> Step:
    """A member that has another slot now keeps the versions that its slot knows, and no more."""
    held, stays = replica[member], fits(member, slot.ordinal)
    return Step(
        when=[~one_table, ~ended[member], row[member][slot] == member],
        then=[
            replica[member].becomes(
                held.replace(versions=known_to(slot, held.versions), follows=held.follows & (~is_watching | stays))
            ),
            settled[member].becomes(True),
            term_ends(member, stands=stays & (slot == slots[0])),
            acknowledged[member].becomes(acknowledged[member] & (~is_watching | (stays & held.follows))),
        ],
    )


@specification.action(members, source="migration.18")
def replica_is_dropped(member: IndexExpr) -> Step:
    """A member without a slot, or with one beyond the backups, keeps nothing."""
    return Step(
        when=[~one_table, ~ended[member], ~exists(slots, lambda slot: row[member][slot] == member)],
        then=[settled[member].becomes(True), *is_emptied(member)],
    )


@specification.action(members, source="calls.34, sync.6")
def structure_is_destroyed(member: IndexExpr) -> Step:
    """A member forgets the content; the versions stay until the next check."""
    return Step(
        when=[moves_left > 0, ~ended[member]],
        then=[
            moves_left.becomes(moves_left - 1),
            replica[member].becomes(
                replica[member].replace(
                    has_content=False,
                    content=if_else(is_watching, 0, replica[member].content),
                    follows=replica[member].follows & ~is_watching,
                )
            ),
            term_ends(member),
            acknowledged[member].becomes(acknowledged[member] & ~is_watching),
            notes(was_disturbed),
        ],
    )


@specification.action(members, source="calls.34, sync.6; defect HZ-63")
def destroyed_structure_is_forgotten(member: IndexExpr) -> Step:
    """A primary that has nobody to check forgets what is destroyed all the same; whoever was primary since may have."""
    held = replica[member]
    has_versions = held.versions != replicas().versions
    return Step(
        when=[~ended[member], ~held.has_content, has_versions],
        then=is_emptied(member),
    )
