"""Writes at the primary, and their messages at a backup."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IntExpr,
    Step,
    Update,
    all_of,
    array_of,
    count,
    for_all,
    if_else,
)
from gridproof_model.specifications.replication.anti_entropy import asks_for_sync
from gridproof_model.specifications.replication.links import is_next, leaves_normal_lane
from gridproof_model.specifications.replication.state import (
    Link,
    NormalKind,
    Standing,
    Transfer,
    backup_replica,
    backups,
    entries,
    executed,
    expected,
    is_up,
    link,
    listed_members,
    normal_messages,
    primary,
    received,
    specification,
    sync_backups,
    transfer,
    watched_entry,
    watched_write,
    went_back,
    writes,
)


@specification.definition(backups)
def is_addressed(backup: IndexExpr) -> BoolExpr:
    """Whether a write is sent to this slot: it is filled, and its index is within the members other than the primary.

    With M other members, indices 1 to min(M, S + A) are addressed, empty ones skipped. A replica beyond a hole may so
    be passed over although it is there.
    """
    return (backup.ordinal + 1 < listed_members()) & (backup_replica[backup].standing != Standing.EMPTY)


@specification.definition(backups)
def is_sync(backup: IndexExpr) -> BoolExpr:
    """Whether the caller waits for this backup's acknowledgement: its index is at most S."""
    return backup.ordinal < sync_backups


@specification.action(entries, source="calls.10, backups.4", fair=True)
def primary_executes_write(entry: IndexExpr) -> Step:
    """The primary executes a write, counts it for every configured backup, and sends it to those it addresses.

    Run, backup dispatch and response are one step. Every entry of the vector goes up, whether or not there is a backup.
    A message to a crashed member is handed to the network, and its acknowledgement awaited, all the same.
    """
    versions = array_of(backups, lambda backup: primary.versions[backup] + 1)
    number = executed + 1
    is_watched = number == watched_write

    def gets_it(backup: IndexExpr) -> BoolExpr:
        return is_addressed(backup) & is_up(backup)

    def after(backup: IndexExpr) -> Link:
        message = normal_messages(
            kind=NormalKind.BACKUP,
            index=backup,
            versions=versions,
            entry=entry,
            value=if_else(transfer == Transfer.STATE, number, 0),
            is_watched=is_watched,
        )
        return if_else(gets_it(backup), link[backup].replace(normal=link[backup].normal.append(message)), link[backup])

    sync_sent = count(backups, lambda backup: is_addressed(backup) & is_sync(backup))
    return Step(
        when=[
            executed < writes,
            primary.standing == Standing.UP,
            for_all(backups, lambda backup: gets_it(backup).implies(~link[backup].normal.is_full)),
        ],
        then=[
            executed.becomes(number),
            primary.versions.becomes(versions),
            primary.content[entry].becomes(
                if_else(transfer == Transfer.STATE, number, primary.content[entry] + 1),
            ),
            link.becomes(array_of(backups, after)),
            expected.becomes(if_else(is_watched, sync_sent, expected)),
            watched_entry.becomes(if_else(is_watched, entry, watched_entry)),
        ],
    )


def a_backup_message_is_next(backup: IndexExpr, *, received_against_own: BoolExpr) -> list[BoolExpr]:
    """Return the guards for a backup message that passes validation and stands so to the backup's own version."""
    message = link[backup].normal.head
    return [
        is_next(backup),
        message.kind == NormalKind.BACKUP,
        message.index == backup,
        received_against_own,
    ]


def new_version(backup: IndexExpr) -> IntExpr:
    """Return the version a backup message brings for the slot it is meant for."""
    return link[backup].normal.head.versions[backup]


def own_version(backup: IndexExpr) -> IntExpr:
    """Return a backup's version for its own slot."""
    return backup_replica[backup].versions[backup]


def applies_payload(backup: IndexExpr) -> list[Update]:
    """Return what applying a backup message does: the entry changes, and a sync backup acknowledges to the caller.

    The acknowledgement's way to the caller is `invocation`'s; here it arrives at once.
    """
    message, content = link[backup].normal.head, backup_replica[backup].content
    held = content[message.entry.value]
    return [
        content[message.entry.value].becomes(if_else(transfer == Transfer.STATE, message.value, held + 1)),
        went_back.becomes(went_back | all_of(transfer == Transfer.STATE, message.value < held)),
        received.becomes(if_else(message.is_watched & is_sync(backup), received + 1, received)),
        *leaves_normal_lane(backup),
    ]


def copies_versions(backup: IndexExpr) -> Update:
    """Return the update that takes over the vector from the backup's own entry on."""
    own, brought = backup_replica[backup].versions, link[backup].normal.head.versions
    return own.becomes(array_of(backups, lambda entry: if_else(entry < backup, own[entry], brought[entry])))


@specification.action(backups, source="backups.10: new < cur", fair=True)
def stale_backup_message_is_dropped(backup: IndexExpr) -> Step:
    """A backup message older than what the backup has is dropped: no acknowledgement, no error."""
    return Step(
        when=a_backup_message_is_next(backup, received_against_own=new_version(backup) < own_version(backup)),
        then=leaves_normal_lane(backup),
    )


@specification.action(backups, source="backups.10: new == cur", fair=True)
def equal_backup_message_is_applied(backup: IndexExpr) -> Step:
    """A backup message with the version the backup has already is applied; the vector stays."""
    return Step(
        when=a_backup_message_is_next(backup, received_against_own=new_version(backup) == own_version(backup)),
        then=[*applies_payload(backup), *asks_for_sync(backup, backup_replica[backup].is_dirty)],
    )


@specification.action(backups, source="backups.11: new == cur + 1", fair=True)
def next_backup_message_is_applied(backup: IndexExpr) -> Step:
    """The next backup message is applied and its vector taken over; a dirty backup asks for a sync again."""
    return Step(
        when=a_backup_message_is_next(backup, received_against_own=new_version(backup) == own_version(backup) + 1),
        then=[
            *applies_payload(backup),
            copies_versions(backup),
            *asks_for_sync(backup, backup_replica[backup].is_dirty),
        ],
    )


@specification.action(backups, source="backups.11: new > cur + 1; backups.10", fair=True)
def gapped_backup_message_is_applied(backup: IndexExpr) -> Step:
    """A backup message after a gap is applied at once; the backup takes its vector, is dirty, and asks for a sync."""
    return Step(
        when=a_backup_message_is_next(backup, received_against_own=new_version(backup) > own_version(backup) + 1),
        then=[
            *applies_payload(backup),
            copies_versions(backup),
            backup_replica[backup].is_dirty.becomes(True),
            *asks_for_sync(backup, all_of()),
        ],
    )


@specification.action(backups, source="backups.14, sync.4", fair=True)
def message_for_another_slot_is_dropped(backup: IndexExpr) -> Step:
    """A backup message or check for a slot that its receiver no longer holds is dropped without a word."""
    return Step(
        when=[is_next(backup), link[backup].normal.head.index != backup],
        then=leaves_normal_lane(backup),
    )
