"""What nobody promises, and must be seen to happen."""

from gridproof_model.language import BoolExpr, all_of, any_of, exists, sum_of
from gridproof_model.specifications.replication.safety import (
    has_content_of_primary,
    has_watched_write,
    is_answered_with_less,
    primary_has_watched_write,
)
from gridproof_model.specifications.replication.state import (
    Standing,
    Transfer,
    backup_replica,
    backups,
    crashes,
    crashes_left,
    entries,
    executed,
    expected,
    is_current,
    is_quiet,
    is_up,
    link,
    primary,
    primary_changed,
    received,
    specification,
    transfer,
    urgent_first,
    watched_write,
)
from gridproof_model.specifications.replication.writes import is_addressed


@specification.sometimes(source="limits.10")
def equal_versions_hide_a_difference() -> BoolExpr:
    """Nothing is under way, a clean backup has the primary's version, and its content is another: for good."""
    return all_of(
        primary.standing == Standing.UP,
        is_quiet(),
        exists(backups, lambda backup: all_of(is_up(backup), is_current(backup), ~has_content_of_primary(backup))),
    )


@specification.sometimes(source="limits.3, backups.18; seed: Replication Algorithm for AP Data Structures")
def a_call_succeeds_without_any_backup() -> BoolExpr:
    """The response has our caller wait for nobody, and no live backup has its write."""
    return all_of(
        executed >= watched_write,
        expected == 0,
        primary.standing == Standing.UP,
        exists(backups, lambda backup: is_up(backup)),
        ~exists(backups, lambda backup: is_up(backup) & has_watched_write(backup)),
    )


@specification.sometimes(source="limits.5; seed: Best-Effort Consistency")
def a_write_is_lost_in_a_replication_lag() -> BoolExpr:
    """The primary executed our write and died before its successor had it."""
    return all_of(
        primary_changed,
        primary.standing == Standing.UP,
        executed >= watched_write,
        any_of(
            (transfer == Transfer.STATE) & ~primary_has_watched_write(),
            (transfer == Transfer.OPERATION) & (sum_of(entries, lambda entry: primary.content[entry]) < executed),
        ),
    )


@specification.sometimes(source="limits.4 dirty read")
def an_unacknowledged_write_survives() -> BoolExpr:
    """Our caller got no acknowledgement it waits for, the primary died, and its successor has the write."""
    return all_of(
        primary_changed,
        primary.standing == Standing.UP,
        received < expected,
        primary_has_watched_write(),
    )


@specification.sometimes(source="limits.6")
def a_backup_read_is_stale() -> BoolExpr:
    """A clean backup that waits for nothing would answer a read with an older value than the primary."""
    return all_of(
        primary.standing == Standing.UP,
        exists(
            backups,
            lambda backup: all_of(
                is_up(backup),
                ~backup_replica[backup].is_dirty,
                link[backup].normal.is_empty,
                exists(entries, lambda entry: backup_replica[backup].content[entry] < primary.content[entry]),
            ),
        ),
    )


@specification.sometimes(source="backups.4, (6)")
def a_live_backup_is_passed_over() -> BoolExpr:
    """Beyond a hole in the row there is a live backup that the primary does not send its writes to."""
    return (primary.standing == Standing.UP) & exists(backups, lambda backup: is_up(backup) & ~is_addressed(backup))


@specification.sometimes(source="backups.13: stable and no promotions; limits.5")
def a_backup_is_ahead_of_its_primary() -> BoolExpr:
    """A backup has applied a write that the promoted primary never saw."""
    return (primary.standing == Standing.UP) & exists(
        backups, lambda backup: backup_replica[backup].versions[backup] > primary.versions[backup]
    )


@specification.sometimes(source="sync.15, limits.4")
def a_sync_takes_a_backup_back() -> BoolExpr:
    """An answer on its way will undo a write that only this backup still has."""
    return exists(backups, lambda backup: is_answered_with_less(backup))


@specification.sometimes(source="sync.10")
def a_lost_sync_blocks_the_next() -> BoolExpr:
    """A sync is registered, nothing of it is under way, and the backup that needs it may not ask again."""
    return (primary.standing == Standing.UP) & exists(
        backups,
        lambda backup: all_of(
            backup_replica[backup].is_syncing,
            ~is_current(backup),
            link[backup].request.is_none,
            link[backup].urgent.is_empty,
        ),
    )


@specification.sometimes(source="backups.11; invariant R1")
def an_operation_counts_twice() -> BoolExpr:
    """Operation transfer: some replica counts more increments than were executed."""
    return any_of(
        transfer == Transfer.STATE,
        exists(
            backups,
            lambda backup: sum_of(entries, lambda entry: backup_replica[backup].content[entry]) > executed,
        ),
    )


@specification.sometimes(source="calls.2, calls.3; invariant R4 AckMeansApplied, P2 KCrash")
def an_answer_undoes_an_acknowledged_write() -> BoolExpr:
    """Free lanes: a backup acknowledged our write, nobody crashed, and no backup has the write any more."""
    return any_of(
        urgent_first,
        transfer == Transfer.OPERATION,
        all_of(
            crashes_left == crashes,
            received > 0,
            ~exists(backups, lambda backup: has_watched_write(backup)),
        ),
    )
