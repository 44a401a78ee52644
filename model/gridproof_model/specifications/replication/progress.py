"""What must come about once faults have stopped.

Faults, writes and migrations are counted, so they do stop. Fair: deliveries, checks, answers, expiry, removal of the
dead, promotion.
"""

from gridproof_model.language import BoolExpr, all_of, any_of, exists, for_all, leads_to
from gridproof_model.language.claim import LeadsTo
from gridproof_model.specifications.replication.safety import has_content_of_primary, is_follower
from gridproof_model.specifications.replication.state import (
    Standing,
    Transfer,
    backup_replica,
    backups,
    executed,
    is_current,
    is_quiet,
    is_up,
    primary,
    spares,
    specification,
    transfer,
    writes,
)


@specification.definition()
def nobody_is_left() -> BoolExpr:
    """Whether no slot of the partition holds a replica, and no spare member is left that could."""
    return all_of(
        primary.standing == Standing.EMPTY,
        spares == 0,
        for_all(backups, lambda backup: backup_replica[backup].standing == Standing.EMPTY),
    )


@specification.may_stop
def nothing_is_left_to_do() -> BoolExpr:
    """Nothing is under way, and nobody is left, or a primary without any backup has executed every write."""
    is_alone = (primary.standing == Standing.UP) & for_all(
        backups, lambda backup: backup_replica[backup].standing == Standing.EMPTY
    )
    return is_quiet() & any_of(nobody_is_left(), is_alone & (executed == writes))


@specification.eventually(source="sync.18; invariant R3 Heal")
def every_backup_reaches_its_primarys_version() -> LeadsTo:
    """Again and again every backup is clean, with the primary's version and no sync pending.

    Choice (sync.18): invariant R3 says equal, content included. After a promotion that is false; see docs/findings.md.
    """
    return leads_to(
        all_of(),
        any_of(
            nobody_is_left(),
            (primary.standing == Standing.UP)
            & for_all(
                backups,
                lambda backup: is_up(backup).implies(
                    is_current(backup) & ~backup_replica[backup].is_syncing,
                ),
            ),
        ),
    )


@specification.eventually(source="sync.18; invariant R3 Heal; seed: Best-Effort Consistency")
def every_follower_reaches_the_content_of_its_primary() -> LeadsTo:
    """State transfer: again and again every follower has its primary's content."""
    return leads_to(
        all_of(),
        any_of(
            transfer == Transfer.OPERATION,
            for_all(backups, lambda backup: is_follower(backup).implies(has_content_of_primary(backup))),
        ),
    )


@specification.eventually(source="sync.9; invariant R6")
def every_sync_ends() -> LeadsTo:
    """Whenever syncs are registered, a time comes when none is."""
    registered = exists(backups, lambda backup: backup_replica[backup].is_syncing)
    return leads_to(registered, ~registered)


@specification.eventually(source="repair.3, members.14; invariant P1")
def a_dead_primary_is_replaced() -> LeadsTo:
    """A crashed primary is removed, and a survivor takes its place as long as there is one."""
    return leads_to(
        primary.standing == Standing.CRASHED,
        any_of(primary.standing == Standing.UP, nobody_is_left()),
    )
