"""One write and its acknowledgements."""

from gridproof_model.language import BoolExpr, IndexExpr, IntExpr, all_of, count, exists, for_all, sum_of
from gridproof_model.specifications.replication import Transfer
from gridproof_model.specifications.replication.safety import (
    has_watched_write,
    is_answered,
    primary_has_watched_write,
)
from gridproof_model.specifications.replication.state import (
    Standing,
    backup_replica,
    backups,
    crashes,
    crashes_left,
    entries,
    executed,
    expected,
    is_up,
    link,
    primary,
    received,
    sync_backups,
    transfer,
    urgent_first,
    watched_entry,
    watched_write,
)
from gridproof_model.specifications.replication.writes import is_sync
from gridproof_properties.proofs.arguments.replication.words import (
    argument,
    how_many,
    of_every_answer,
    of_every_backup_message,
)


def pending(backup: IndexExpr) -> IntExpr:
    """Return how many messages on a link bring the watched write and may be acknowledged to our caller."""
    return how_many(backup, lambda message: message.is_watched & is_sync(message.index))


def is_pending(backup: IndexExpr) -> BoolExpr:
    """Return whether there is one."""
    return pending(backup) > 0


@argument.lemma
def before_the_watched_write_nobody_has_it() -> BoolExpr:
    """Until our caller's write is executed nothing is on its way, expected, acknowledged or known of it."""
    return (executed < watched_write).implies(
        all_of(
            expected == 0,
            received == 0,
            watched_entry.is_none,
            for_all(backups, lambda backup: how_many(backup, lambda message: message.is_watched) == 0),
        )
    )


@argument.lemma
def the_watched_write_is_one_message_a_backup() -> BoolExpr:
    """The watched write is on its way to a backup once at most, with its own number."""
    return for_all(backups, lambda backup: how_many(backup, lambda message: message.is_watched) <= 1) & (
        transfer == Transfer.STATE
    ).implies(
        of_every_backup_message(
            lambda _, message, __: message.is_watched.implies(
                (message.value == watched_write) & (watched_entry == message.entry)
            )
        )
    )


@argument.lemma
def acknowledgements_still_to_come_were_promised() -> BoolExpr:
    """Those received and those that may still come are no more than the response said to wait for."""
    return received + sum_of(backups, pending) <= expected


@argument.lemma
def without_crashes_versions_count_writes() -> BoolExpr:
    """Nobody crashed: the primary is the first one, and its version is the number of writes."""
    return (crashes_left == crashes).implies(
        all_of(
            primary.standing == Standing.UP,
            primary.versions[backups[0]] == executed,
            for_all(backups, lambda backup: is_up(backup) & ~backup_replica[backup].follows_another),
            of_every_backup_message(lambda b, message, _: message.index == b),
        )
    )


def has(content_entry: IntExpr) -> BoolExpr:
    """Return whether an entry holds the watched write or a later one."""
    return content_entry >= watched_write


@argument.lemma
def without_crashes_nothing_is_ahead_of_its_version() -> BoolExpr:
    """State transfer, nobody crashed: no content is of a write later than the version says."""
    return all_of(crashes_left == crashes, transfer == Transfer.STATE).implies(
        for_all(
            backups,
            lambda b: for_all(entries, lambda entry: backup_replica[b].content[entry] <= backup_replica[b].versions[b]),
        )
        & for_all(entries, lambda entry: primary.content[entry] <= executed)
        & of_every_backup_message(lambda b, message, _: message.value == message.versions[b])
        & of_every_answer(lambda b, answer: for_all(entries, lambda entry: answer.content[entry] <= answer.versions[b]))
    )


@argument.lemma
def without_crashes_the_primary_has_the_watched_write() -> BoolExpr:
    """State transfer, nobody crashed: the primary, and every answer late enough, has the watched write."""
    return all_of(
        crashes_left == crashes, transfer == Transfer.STATE, executed >= watched_write, watched_write >= 1
    ).implies(
        primary_has_watched_write()
        & of_every_answer(
            lambda b, answer: (answer.versions[b] >= watched_write).implies(
                exists(entries, lambda entry: (watched_entry == entry) & has(answer.content[entry]))
            )
        )
    )


@argument.lemma
def who_acknowledged_has_the_write() -> BoolExpr:
    """State transfer, nobody crashed, urgent lanes first: acknowledgements, come or to come, are backups with it."""
    return all_of(crashes_left == crashes, transfer == Transfer.STATE, urgent_first).implies(
        received + count(backups, lambda b: is_sync(b) & is_pending(b))
        <= count(backups, lambda b: is_sync(b) & (is_pending(b) | has_watched_write(b)))
    )


@argument.lemma
def a_crash_takes_one_holder() -> BoolExpr:
    """Of the primary and the S sync backups, at most one fewer for every crash is alive."""
    alive = count(backups, lambda b: is_sync(b) & is_up(b))
    return (primary.standing == Standing.UP).implies(alive + 1 + (crashes - crashes_left) >= sync_backups + 1) & (
        primary.standing != Standing.UP
    ).implies(alive + (crashes - crashes_left) >= sync_backups + 1)


def is_or_will_be_everywhere() -> BoolExpr:
    """Return whether all S sync backups have acknowledged or may still do so, and few enough have crashed."""
    return all_of(
        transfer == Transfer.STATE,
        urgent_first,
        executed >= watched_write,
        received + sum_of(backups, pending) == sync_backups,
        crashes - crashes_left <= sync_backups,
    )


@argument.lemma
def a_fully_acknowledged_write_is_everywhere() -> BoolExpr:
    """State transfer, urgent lanes first, S crashes at most: every sync replica has a write that all S acknowledge."""
    return is_or_will_be_everywhere().implies(
        all_of(
            (primary.standing == Standing.UP).implies(primary_has_watched_write()),
            for_all(backups, lambda b: (is_sync(b) & is_up(b)).implies(is_pending(b) | has_watched_write(b))),
            for_all(
                backups,
                lambda b: (is_sync(b) & is_answered(b) & has_watched_write(b)).implies(
                    exists(entries, lambda e: (watched_entry == e) & has(link[b].urgent.head.content[e]))
                ),
            ),
        )
    )
