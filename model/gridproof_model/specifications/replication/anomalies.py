"""Anomalies, which no document excludes, so they must be reachable; and what must happen once faults have stopped.

The numbers of faults, writes and migrations are limited, so faults do stop. The fair actions are: writes, deliveries,
checks, answers, expiry of syncs, removal of ended members, promotion, and learning of tables. In worlds where members
do not share one table, any rows and member lists are possible, and nothing is promised to happen eventually.
"""

from collections.abc import Callable

from gridproof_model.language import *
from gridproof_model.specifications.replication.safety import (
    STATE,
    all_acknowledged,
    answers_with_less,
    every_follower,
    has_watched_write,
    in_some_mail,
    is_backup_of,
    is_current,
    takes_back,
)
from gridproof_model.specifications.replication.state import *
from gridproof_model.specifications.replication.updating import is_addressed


def some_primary(body: Callable[[IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for some member that acts as primary."""
    return exists(members, lambda member: acts(member) & body(member))


def some_backup(body: Callable[[IndexExpr, IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition is true for some backup and primary that agree on these roles."""
    return some_primary(
        lambda primary: exists(
            members,
            backups,
            lambda member, backup: is_backup_of(member, backup, primary) & body(member, backup, primary),
        )
    )


IS_QUIET = for_all(members, lambda member: ended[member] | mail[member].is_empty)
"""Whether no message is under way to a live member."""


@specification.sometimes(source="limits.10")
def equal_versions_hide_a_difference() -> BoolExpr:
    """No message is under way, and a clean backup has the primary's version but other content, and so keeps it."""
    return IS_QUIET & some_backup(
        lambda member, backup, primary: (
            is_current(member, backup, primary) & (replica[member].content != replica[primary].content)
        )
    )


@specification.sometimes(source="limits.3, backups.18; seed: Replication Algorithm for AP Data Structures")
def a_call_succeeds_without_any_backup() -> BoolExpr:
    """The response asks the caller to wait for no backup; some backup is alive, but no backup has the write."""
    return (
        all_of(is_watching(), executed >= watched_write, expected == 0)
        & some_backup(lambda *_: all_of())
        & ~some_backup(lambda member, _, __: has_watched_write(member))
    )


@specification.sometimes(source="limits.5; seed: Best-Effort Consistency")
def a_write_is_lost_in_a_replication_lag() -> BoolExpr:
    """After a member has ended, a primary lacks an executed write."""
    return all_of(is_watching(), executed >= watched_write, endings_left < endings) & some_primary(
        lambda member: (STATE & ~has_watched_write(member)) | (~STATE & (replica[member].content < executed))
    )


@specification.sometimes(source="limits.4 dirty read")
def an_unacknowledged_write_survives() -> BoolExpr:
    """The caller lacks an acknowledgement, and the write's executor has ended, but the next primary has the write."""
    is_over = leader.is_none & (endings_left < endings)
    return all_of(is_watching(), executed >= watched_write, received < expected, is_over) & some_primary(
        has_watched_write
    )


@specification.sometimes(source="limits.6")
def a_backup_read_is_stale() -> BoolExpr:
    """A clean backup to which no message is under way would answer a read with an older value than its primary."""

    def is_stale(member: IndexExpr, _: IndexExpr, primary: IndexExpr) -> BoolExpr:
        is_older = replica[member].content < replica[primary].content
        return all_of(~replica[member].is_dirty, mail[member].is_empty, is_older)

    return some_backup(is_stale)


@specification.sometimes(source="backups.4, (6)")
def a_live_backup_is_passed_over() -> BoolExpr:
    """After a hole in the row there is a live backup that the primary does not send its writes to."""
    return some_backup(lambda member, _, primary: ~is_addressed(primary, member))


@specification.sometimes(source="backups.13: stable and no promotions; limits.5, limits.10")
def a_backup_is_ahead_of_its_primary() -> BoolExpr:
    """A backup has a higher version than its primary: it applied a write that the primary never had."""
    return some_backup(
        lambda member, backup, primary: replica[member].versions[backup] > replica[primary].versions[backup]
    )


@specification.sometimes(source="sync.15, backups.16, limits.4")
def a_sync_takes_a_backup_back() -> BoolExpr:
    """An answer under way will undo a write that its receiver has."""
    return in_some_mail(answers_with_less)


@specification.sometimes(source="sync.10")
def a_lost_sync_blocks_the_next() -> BoolExpr:
    """A sync is registered, none of its messages is under way, and the backup, still behind, must not ask again."""

    def is_blocked(member: IndexExpr, backup: IndexExpr, primary: IndexExpr) -> BoolExpr:
        is_in_vain = (asked[member][backup] == primary) & ~is_current(member, backup, primary)
        return is_in_vain & mail[primary].is_empty & mail[member].is_empty

    return some_backup(is_blocked)


@specification.sometimes(source="backups.11; invariant R1")
def an_operation_counts_twice() -> BoolExpr:
    """With operation transfer, some replica has counted more increments than were executed."""
    return STATE | exists(members, lambda member: ~ended[member] & (replica[member].content > executed))


@specification.sometimes(source="calls.2, calls.3; invariant R4 AckMeansApplied, P2 KCrash")
def an_answer_undoes_an_acknowledged_write() -> BoolExpr:
    """Messages were taken out of order: a backup acknowledged a write, no member ended, but only the primary has it."""
    only_primaries = for_all(members, lambda member: has_watched_write(member).implies(is_primary_of(member, member)))
    return (in_order & urgent_first) | all_of(
        STATE, is_watching(), endings_left == endings, received > 0, only_primaries
    )


@specification.sometimes(source="repair.3; docs/findings.md")
def two_take_themselves_for_the_primary() -> BoolExpr:
    """Two members execute writes, since each is the primary in its own row."""

    def writes_too(one: IndexExpr, other: IndexExpr) -> BoolExpr:
        both = all_of(one < other, acts(one), acts(other))
        return both & for_all(members, lambda m: ((m == one) | (m == other)).implies(replica[m].has_content))

    return exists(members, members, lambda one, other: writes_too(one, other))


@specification.sometimes(source="backups.14; defect HZ-22")
def an_update_comes_from_somebody_else_than_the_primary() -> BoolExpr:
    """An update waits whose sender is not the primary in the receiver's row; on arrival, this is not checked."""
    return in_some_mail(
        lambda member, place: all_of(
            ~ended[member],
            mail[member].at(place).kind == Kind.UPDATE,
            ~is_primary_of(member, mail[member].at(place).sender),
        )
    )


@specification.sometimes(source="backups.5; docs/findings.md")
def a_write_is_nowhere_else() -> BoolExpr:
    """A primary has executed a write that no other live member has, and no message with it is under way."""
    return IS_QUIET & some_primary(
        lambda primary: (
            (replica[primary].content > 0)
            & for_all(members, lambda other: any_of(other == primary, ended[other], replica[other].content == 0))
        )
    )


@specification.sometimes(source="repair.13, members.14, splits.6, limits.11; docs/findings.md")
def one_crash_and_a_suspicion_lose_an_acknowledged_write() -> BoolExpr:
    """All S sync backups acknowledged a write, at most S members ended, a live member was removed, and the primary of
    the newest row lacks the write."""
    few = (endings - endings_left <= sync_backups) & exists(members, lambda member: ~ended[member] & ~roster[member])
    return all_of(all_acknowledged(), few) & some_primary(
        lambda member: (table[slots[0]] == member) & ~has_watched_write(member)
    )


@specification.sometimes(source="splits.6, migration.9; docs/findings.md")
def a_deposed_primary_lacks_an_acknowledged_write() -> BoolExpr:
    """All S sync backups acknowledged a write, no member ended, and a removed live member still acts as primary without
    the write."""
    return (all_acknowledged() & (endings_left == endings)) & some_primary(
        lambda member: ~roster[member] & ~has_watched_write(member)
    )


@specification.sometimes(source="invariant R7 NoNeedlessSync; backups.4, members.14; docs/findings.md")
def a_suspicion_makes_a_backup_ask_for_a_sync() -> BoolExpr:
    """No message was lost and no member ended, yet a backup asks for a sync: because fewer members were listed, a write
    was not sent to it."""
    return all_of(losses_left == losses, endings_left == endings, was_disturbed) & exists(
        members, backups, lambda member, backup: asked[member][backup].is_some
    )


@specification.sometimes(source="calls.3, backups.17; docs/findings.md")
def more_acknowledgements_come_than_were_promised() -> BoolExpr:
    """A backup message that came twice is acknowledged twice, so that more acknowledgements come than were promised."""
    return received > expected


@specification.sometimes(source="backups.13; invariant R2; docs/findings.md")
def an_update_of_another_primary_takes_an_entry_back() -> BoolExpr:
    """With state transfer, an update that will be applied carries an older value than its receiver has."""
    return in_some_mail(lambda member, place: STATE & takes_back(member, place))


NOBODY_IS_LEFT = for_all(members, lambda member: ended[member] | ~roster[member])
"""Whether all members of the newest list have ended."""


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """A behaviour may end in any state: messages may wait in the mail for ever."""
    return all_of()


@specification.eventually(source="sync.18; invariant R3 Heal")
def every_backup_reaches_its_primarys_version() -> LeadsTo:
    """With one table, it happens again and again that every backup is clean and has the primary's version, with no sync
    pending.

    Choice (sync.18): L1 and R3 demand equal contents, too, which is false after a promotion (docs/findings.md).
    """
    return leads_to(
        one_table,
        any_of(
            NOBODY_IS_LEFT,
            some_primary(
                lambda primary: for_all(
                    members,
                    backups,
                    lambda member, backup: is_backup_of(member, backup, primary).implies(
                        is_current(member, backup, primary) & asked[member][backup].is_none
                    ),
                )
            ),
        ),
    )


@specification.eventually(source="sync.18; invariant R3 Heal; seed: Best-Effort Consistency")
def every_follower_reaches_the_content_of_its_primary() -> LeadsTo:
    """With one table and state transfer, if no live member is removed, it happens again and again that every follower
    in the newest row has its leader's content.

    A live member that was removed and has not learnt this gets no more messages, and still answers reads.
    """
    return leads_to(
        all_of(one_table, suspicions == 0, STATE),
        every_follower(
            lambda member, backup, one: ((table[slots[0]] == one) & (table[slot_of(backup)] == member)).implies(
                replica[member].content == replica[one].content
            )
        ),
    )


@specification.eventually(source="sync.9; invariant R6")
def every_sync_ends() -> LeadsTo:
    """With one table, if no live member is removed: whenever syncs are registered, at some later time none is."""
    registered = exists(
        members, lambda member: ~ended[member] & exists(backups, lambda backup: asked[member][backup].is_some)
    )
    return leads_to(all_of(one_table, suspicions == 0, registered), ~registered)


@specification.eventually(source="repair.3, members.14; invariant P1")
def a_dead_primary_is_replaced() -> LeadsTo:
    """With one table, whenever no member acts as primary, one does later, if any live member is still listed."""
    replaced = exists(members, acts)
    return leads_to(one_table & ~replaced, any_of(replaced, NOBODY_IS_LEFT))
