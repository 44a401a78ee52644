"""Crashes, promotion, and slots that migrate."""

from gridproof_model.language import ArrayExpr, BoolExpr, IndexExpr, IntExpr, Step, Update, array_of, for_all, if_else
from gridproof_model.specifications.replication.state import (
    Standing,
    backup_replica,
    backups,
    crashes_left,
    is_up,
    link,
    links,
    migrations_left,
    primary,
    primary_changed,
    replicas,
    spares,
    specification,
)


def leaves_slot(backup: IndexExpr, standing: Standing) -> list[Update]:
    """Return the updates after which nothing is left of a backup, and nothing under way to it or from it."""
    return [
        backup_replica[backup].becomes(replicas(standing=standing)),
        link[backup].becomes(links()),
    ]


@specification.action(source="calls.3")
def primary_crashes() -> Step:
    """The primary's member crashes: its replica is gone; what it sent is still under way."""
    return Step(
        when=[crashes_left > 0, primary.standing == Standing.UP],
        then=[
            crashes_left.becomes(crashes_left - 1),
            primary.becomes(replicas(standing=Standing.CRASHED)),
        ],
    )


@specification.action(backups, source="calls.3")
def backup_crashes(backup: IndexExpr) -> Step:
    """A backup's member crashes: its replica is gone, and whatever was under way to it."""
    return Step(
        when=[crashes_left > 0, is_up(backup)],
        then=[crashes_left.becomes(crashes_left - 1), *leaves_slot(backup, Standing.CRASHED)],
    )


@specification.action(source="repair.1, calls.4, sync.11", fair=True)
def crashed_primary_is_removed() -> Step:
    """The dead primary leaves the member list and the row.

    What it sent is refused from now on, its sender being no member; syncs registered with it are cancelled.
    """
    cancelled = array_of(backups, lambda backup: backup_replica[backup].replace(is_syncing=False))
    return Step(
        when=[primary.standing == Standing.CRASHED],
        then=[
            primary.becomes(replicas(standing=Standing.EMPTY)),
            backup_replica.becomes(cancelled),
            link.becomes(array_of(backups, lambda backup: links())),
        ],
    )


@specification.action(backups, source="repair.1", fair=True)
def crashed_backup_is_removed(backup: IndexExpr) -> Step:
    """A dead backup leaves the member list and the row; the other replicas keep their slots."""
    return Step(
        when=[backup_replica[backup].standing == Standing.CRASHED],
        then=[backup_replica[backup].standing.becomes(Standing.EMPTY)],
    )


@specification.definition(backups)
def is_lowest(backup: IndexExpr) -> BoolExpr:
    """Whether all hotter slots are empty."""
    return for_all(
        backups,
        lambda hotter: (hotter < backup).implies(backup_replica[hotter].standing == Standing.EMPTY),
    )


@specification.action(backups, source="repair.9", fair=True)
def backup_is_promoted(backup: IndexExpr) -> Step:
    """The lowest surviving slot becomes the primary and leaves a hole; hotter entries take its own entry's number."""
    replica = backup_replica[backup]
    versions: ArrayExpr[IntExpr] = array_of(
        backups, lambda entry: replica.versions[if_else(entry < backup, backup, entry)]
    )
    return Step(
        when=[primary.standing == Standing.EMPTY, is_up(backup), is_lowest(backup)],
        then=[
            primary.becomes(replicas(standing=Standing.UP, versions=versions, content=replica.content)),
            backup_replica.becomes(
                array_of(
                    backups,
                    lambda other: if_else(
                        other == backup,
                        replicas(standing=Standing.EMPTY),
                        backup_replica[other].replace(follows_another=is_up(other)),
                    ),
                )
            ),
            primary_changed.becomes(True),
        ],
    )


@specification.action(source="repair.11: partition lost", fair=True)
def lost_partition_is_assigned() -> Step:
    """No replica survives: a member without a slot becomes the owner, of nothing."""
    nobody = for_all(backups, lambda backup: backup_replica[backup].standing == Standing.EMPTY)
    return Step(
        when=[primary.standing == Standing.EMPTY, nobody, spares > 0],
        then=[
            primary.becomes(replicas(standing=Standing.UP)),
            primary_changed.becomes(True),
            spares.becomes(spares - 1),
        ],
    )


def holds_copy_of_primary(slot: IndexExpr) -> Update:
    """Return the update after which a slot holds what the primary holds, versions from the slot's own entry on."""
    versions = array_of(backups, lambda entry: if_else(entry < slot, 0, primary.versions[entry]))
    return backup_replica[slot].becomes(replicas(standing=Standing.UP, versions=versions, content=primary.content))


def may_migrate(slot: IndexExpr) -> list[BoolExpr]:
    """Return the guards for filling an empty slot from the owner."""
    return [
        migrations_left > 0,
        primary.standing == Standing.UP,
        backup_replica[slot].standing == Standing.EMPTY,
    ]


@specification.action(backups, source="migration.10, placement.18")
def replica_is_copied(slot: IndexExpr) -> Step:
    """A member without a slot gets an empty one, with content and versions from the owner."""
    return Step(
        when=[*may_migrate(slot), spares > 0],
        then=[
            migrations_left.becomes(migrations_left - 1),
            spares.becomes(spares - 1),
            holds_copy_of_primary(slot),
        ],
    )


@specification.action(backups, backups, source="migration.10, placement.18")
def replica_is_shifted_up(colder: IndexExpr, slot: IndexExpr) -> Step:
    """A colder backup moves up into an empty slot, with content and versions from the owner.

    The data and the reply to it take the urgent lanes, so urgent messages that were under way have arrived. Normal ones
    go along, and name the old slot.
    """
    is_behind = link[colder].urgent.is_empty & link[colder].request.is_none
    return Step(
        when=[slot < colder, *may_migrate(slot), is_up(colder), is_behind],
        then=[
            migrations_left.becomes(migrations_left - 1),
            holds_copy_of_primary(slot),
            link[slot].becomes(link[colder]),
            *leaves_slot(colder, Standing.EMPTY),
        ],
    )


@specification.action(backups, backups, source="migration.18, placement.18")
def replica_is_shifted_down(slot: IndexExpr, colder: IndexExpr) -> Step:
    """A member without a slot takes a filled one from the owner; its holder steps down to an empty one as it is.

    The holder forgets the versions of slots hotter than its new one. It learns of its new slot from the master, so
    whatever the primary sent it before, normal or urgent, goes along and names the old one; so does its sync request.
    """
    stepped_down = backup_replica[slot].replace(
        versions=array_of(backups, lambda entry: if_else(entry < colder, 0, backup_replica[slot].versions[entry])),
        is_syncing=False,
    )
    return Step(
        when=[slot < colder, *may_migrate(colder), is_up(slot), spares > 0],
        then=[
            migrations_left.becomes(migrations_left - 1),
            spares.becomes(spares - 1),
            backup_replica[colder].becomes(stepped_down),
            link[colder].becomes(link[slot]),
            holds_copy_of_primary(slot),
            link[slot].becomes(links()),
        ],
    )
