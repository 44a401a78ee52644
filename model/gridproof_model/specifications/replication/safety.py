"""What must always be true."""

from gridproof_model.language import BoolExpr, IndexExpr, all_of, any_of, count, exists, for_all
from gridproof_model.specifications.replication.state import (
    Standing,
    Transfer,
    UrgentKind,
    backup_replica,
    backups,
    crashes,
    crashes_left,
    entries,
    executed,
    expected,
    is_current,
    is_up,
    link,
    losses,
    losses_left,
    primary,
    received,
    specification,
    sync_backups,
    transfer,
    urgent_first,
    watched_entry,
    watched_write,
    went_back,
)
from gridproof_model.specifications.replication.writes import is_sync


@specification.definition(backups)
def has_content_of_primary(backup: IndexExpr) -> BoolExpr:
    """Whether a backup's content is the primary's."""
    return backup_replica[backup].content == primary.content


@specification.definition(backups)
def is_answered(backup: IndexExpr) -> BoolExpr:
    """Whether an answer that this backup will accept is on its way."""
    lane = link[backup].urgent
    return ~lane.is_empty & (lane.head.kind == UrgentKind.ANSWER) & (lane.head.index == backup)


@specification.definition(backups)
def is_answered_with_less(backup: IndexExpr) -> BoolExpr:
    """Whether an answer on its way has a lower version than the backup that will accept it."""
    return is_answered(backup) & (link[backup].urgent.head.versions[backup] < backup_replica[backup].versions[backup])


@specification.always(source="backups.8, repair.9; defect HZ-38, HZ-51, HZ-53")
def a_vector_is_one_number() -> BoolExpr:
    """With one structure all entries that mean something are equal, after promotions and migrations, too.

    On the primary all of them mean something, on a backup those from its own on; the others are 0.
    """
    own = for_all(backups, lambda entry: primary.versions[entry] == primary.versions[backups[0]])
    return own & for_all(
        backups,
        lambda backup: for_all(
            backups,
            lambda entry: any_of(
                (entry < backup) & (backup_replica[backup].versions[entry] == 0),
                (entry >= backup) & (backup_replica[backup].versions[entry] == backup_replica[backup].versions[backup]),
            ),
        ),
    )


@specification.definition(backups)
def is_follower(backup: IndexExpr) -> BoolExpr:
    """Whether there is a primary, and a live backup whose content comes from this primary alone.

    That is a backup of the first primary, or one that had a sync or a migration since the last promotion.
    """
    return (primary.standing == Standing.UP) & is_up(backup) & ~backup_replica[backup].follows_another


@specification.always(source="backups.13")
def no_follower_is_ahead_of_its_primary() -> BoolExpr:
    """A follower never has a higher version than its primary.

    Choice (backups.13): the code has it of every backup as long as nobody is promoted; so it holds after promotions,
    too.
    """
    return for_all(
        backups,
        lambda backup: is_follower(backup).implies(backup_replica[backup].versions[backup] <= primary.versions[backup]),
    )


@specification.always(source="sync.18; invariant R1 VersionMeansContent")
def equal_versions_mean_equal_content() -> BoolExpr:
    """State transfer: a clean follower with its primary's version has its primary's content.

    Choice (sync.4): invariant R1 says it of every backup and of every kind of transfer. Both are
    false: docs/findings.md.
    """
    return (transfer == Transfer.STATE).implies(
        for_all(
            backups,
            lambda backup: (is_follower(backup) & is_current(backup)).implies(has_content_of_primary(backup)),
        )
    )


@specification.always(source="sync.18; invariant R1")
def without_faults_operations_arrive_once() -> BoolExpr:
    """Nothing lost, nobody crashed: a clean follower with its primary's version has its content, by operations, too."""
    return ((losses_left == losses) & (crashes_left == crashes)).implies(
        for_all(
            backups,
            lambda backup: (is_follower(backup) & is_current(backup)).implies(has_content_of_primary(backup)),
        )
    )


@specification.always(source="backups.13; invariant R2 BackupMonotone; defect HZ-49")
def no_backup_message_takes_an_entry_back() -> BoolExpr:
    """No backup message replaces a value by an older one: only a sync or a migration may."""
    return ~went_back


@specification.always(source="backups.13; invariant R2")
def no_answer_takes_a_follower_back() -> BoolExpr:
    """Urgent lanes first: no answer on its way is older than the follower that will accept it."""
    return urgent_first.implies(~exists(backups, lambda backup: is_follower(backup) & is_answered_with_less(backup)))


@specification.always(source="invariant R7 NoNeedlessSync; defect HZ-52")
def without_faults_no_sync_is_asked_for() -> BoolExpr:
    """As long as nothing was lost and nobody crashed, no backup asks for a sync."""
    return all_of(losses_left == losses, crashes_left == crashes).implies(
        ~exists(backups, lambda backup: backup_replica[backup].is_syncing)
    )


@specification.always(source="sync.10, sync.9; invariant R6; defect HZ-61")
def what_is_under_way_is_registered() -> BoolExpr:
    """A request or an answer that names its backup's slot belongs to a sync that the backup has registered."""
    return for_all(
        backups,
        lambda backup: ((link[backup].request == backup) | is_answered(backup)).implies(
            backup_replica[backup].is_syncing
        ),
    )


@specification.always(source="backups.17; invariant R5 AckCount")
def no_more_acknowledgements_come_than_were_promised() -> BoolExpr:
    """The caller never receives more acknowledgements than the response asked it to wait for."""
    return received <= expected


@specification.definition(backups)
def has_watched_write(backup: IndexExpr) -> BoolExpr:
    """Whether a backup holds the watched write, or a later one to its entry."""
    return exists(
        entries,
        lambda entry: (watched_entry == entry) & (backup_replica[backup].content[entry] >= watched_write),
    )


@specification.definition()
def primary_has_watched_write() -> BoolExpr:
    """Whether the primary holds the watched write, or a later one to its entry."""
    return exists(entries, lambda entry: (watched_entry == entry) & (primary.content[entry] >= watched_write))


@specification.always(source="invariant R4 AckMeansApplied")
def acknowledged_means_applied() -> BoolExpr:
    """State transfer, no crash, urgent lanes first: every acknowledgement stands for a backup that has the write."""
    holders = count(backups, lambda backup: is_sync(backup) & has_watched_write(backup))
    return all_of(crashes_left == crashes, urgent_first, transfer == Transfer.STATE).implies(received <= holders)


@specification.always(source="repair.13; invariant P2 KCrash; repair.13")
def a_fully_acknowledged_write_survives() -> BoolExpr:
    """State transfer: a write that all S sync backups acknowledged is still there after at most S crashes."""
    return all_of(
        urgent_first,
        transfer == Transfer.STATE,
        primary.standing == Standing.UP,
        executed >= watched_write,
        received == sync_backups,
        crashes - crashes_left <= sync_backups,
    ).implies(primary_has_watched_write())
