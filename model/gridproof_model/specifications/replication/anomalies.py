"""What nobody promises, and must be seen to happen; and what must come about once faults have stopped.

Faults, writes and migrations are counted, so they do stop. Fair: writes, deliveries, checks, answers, expiry, removal
of the dead, promotion, learning of tables. Where members have no one table, and rows and lists are any, nothing is
promised to come.
"""

from collections.abc import Callable

from gridproof_model.language import *
from gridproof_model.specifications.replication.safety import (
    STATE,
    acts,
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
    """Return whether a condition holds of somebody who acts as primary."""
    return exists(members, lambda member: acts(member) & body(member))


def some_backup(body: Callable[[IndexExpr, IndexExpr, IndexExpr], BoolExpr]) -> BoolExpr:
    """Return whether a condition holds of a backup and its primary, which agree that they are."""
    return some_primary(
        lambda primary: exists(
            members,
            backups,
            lambda member, backup: is_backup_of(member, backup, primary) & body(member, backup, primary),
        )
    )


IS_QUIET = for_all(members, lambda member: ended[member] | mail[member].is_empty)
"""Nothing is under way to anybody who lives."""


@specification.sometimes(source="limits.10")
def equal_versions_hide_a_difference() -> BoolExpr:
    """Nothing is under way, a clean backup has the primary's version, and its content is another: for good."""
    return IS_QUIET & some_backup(
        lambda member, backup, primary: (
            is_current(member, backup, primary) & (replica[member].content != replica[primary].content)
        )
    )


@specification.sometimes(source="limits.3, backups.18; seed: Replication Algorithm for AP Data Structures")
def a_call_succeeds_without_any_backup() -> BoolExpr:
    """The response has our caller wait for nobody, a backup lives, and none has its write."""
    return (
        all_of(is_watching, executed >= watched_write, expected == 0)
        & some_backup(lambda *_: all_of())
        & ~some_backup(lambda member, _, __: has_watched_write(member))
    )


@specification.sometimes(source="limits.5; seed: Best-Effort Consistency")
def a_write_is_lost_in_a_replication_lag() -> BoolExpr:
    """Who executed our write has ended, and a primary lacks it."""
    return all_of(is_watching, executed >= watched_write, endings_left < endings) & some_primary(
        lambda member: (STATE & ~has_watched_write(member)) | (~STATE & (replica[member].content < executed))
    )


@specification.sometimes(source="limits.4 dirty read")
def an_unacknowledged_write_survives() -> BoolExpr:
    """Our caller got no acknowledgement it waits for, who wrote has ended, and its successor has the write."""
    is_over = leader.is_none & (endings_left < endings)
    return all_of(is_watching, executed >= watched_write, received < expected, is_over) & some_primary(
        has_watched_write
    )


@specification.sometimes(source="limits.6")
def a_backup_read_is_stale() -> BoolExpr:
    """A clean backup that waits for nothing would answer a read with an older value than its primary."""

    def is_stale(member: IndexExpr, _: IndexExpr, primary: IndexExpr) -> BoolExpr:
        is_older = replica[member].content < replica[primary].content
        return all_of(~replica[member].is_dirty, mail[member].is_empty, is_older)

    return some_backup(is_stale)


@specification.sometimes(source="backups.4, (6)")
def a_live_backup_is_passed_over() -> BoolExpr:
    """Beyond a hole in the row there is a living backup that the primary does not send its writes to."""
    return some_backup(lambda member, _, primary: ~is_addressed(primary, member))


@specification.sometimes(source="backups.13: stable and no promotions; limits.5, limits.10")
def a_backup_is_ahead_of_its_primary() -> BoolExpr:
    """A backup has applied a write that its primary never saw."""
    return some_backup(
        lambda member, backup, primary: replica[member].versions[backup] > replica[primary].versions[backup]
    )


@specification.sometimes(source="sync.15, backups.16, limits.4")
def a_sync_takes_a_backup_back() -> BoolExpr:
    """An answer on its way will undo a write that its receiver has."""
    return in_some_mail(answers_with_less)


@specification.sometimes(source="sync.10")
def a_lost_sync_blocks_the_next() -> BoolExpr:
    """A sync is registered, nothing of it is under way, and the backup that needs it may not ask again."""

    def is_blocked(member: IndexExpr, backup: IndexExpr, primary: IndexExpr) -> BoolExpr:
        is_in_vain = (asked[member][backup] == primary) & ~is_current(member, backup, primary)
        return is_in_vain & mail[primary].is_empty & mail[member].is_empty

    return some_backup(is_blocked)


@specification.sometimes(source="backups.11; invariant R1")
def an_operation_counts_twice() -> BoolExpr:
    """Operation transfer: some replica counts more increments than were executed."""
    return STATE | exists(members, lambda member: ~ended[member] & (replica[member].content > executed))


@specification.sometimes(source="calls.2, calls.3; invariant R4 AckMeansApplied, P2 KCrash")
def an_answer_undoes_an_acknowledged_write() -> BoolExpr:
    """Free lanes: a backup acknowledged our write, nobody ended, and nobody but its primary has it any more."""
    only_primaries = for_all(members, lambda member: has_watched_write(member).implies(is_primary_of(member, member)))
    return (in_order & urgent_first) | all_of(STATE, is_watching, endings_left == endings, received > 0, only_primaries)


@specification.sometimes(source="repair.3; docs/findings.md")
def two_take_themselves_for_the_primary() -> BoolExpr:
    """Two members execute writes: each has a row that says so."""

    def writes_too(one: IndexExpr, other: IndexExpr) -> BoolExpr:
        both = all_of(one < other, acts(one), acts(other))
        return both & for_all(members, lambda m: ((m == one) | (m == other)).implies(replica[m].has_content))

    return exists(members, members, lambda one, other: writes_too(one, other))


@specification.sometimes(source="backups.14; defect HZ-22")
def an_update_comes_from_somebody_else_than_the_primary() -> BoolExpr:
    """An update waits for a member that takes another one for the primary; nobody looks at that when it comes."""
    return in_some_mail(
        lambda member, place: all_of(
            ~ended[member],
            mail[member].at(place).kind == Kind.UPDATE,
            ~is_primary_of(member, mail[member].at(place).sender),
        )
    )


@specification.sometimes(source="backups.5; docs/findings.md")
def a_write_is_nowhere_else() -> BoolExpr:
    """A primary has executed a write that no other living member has, and nothing that brings it is under way."""
    return IS_QUIET & some_primary(
        lambda primary: (
            (replica[primary].content > 0)
            & for_all(members, lambda other: any_of(other == primary, ended[other], replica[other].content == 0))
        )
    )


@specification.sometimes(source="repair.13, members.14, splits.6, limits.11; docs/findings.md")
def one_crash_and_a_suspicion_lose_an_acknowledged_write() -> BoolExpr:
    """All S acknowledged, no more than S ended, one was removed alive, and the newest primary lacks the write."""
    few = (endings - endings_left <= sync_backups) & exists(members, lambda member: ~ended[member] & ~roster[member])
    return all_of(all_acknowledged(), few) & some_primary(
        lambda member: (table[slots[0]] == member) & ~has_watched_write(member)
    )


@specification.sometimes(source="splits.6, migration.9; docs/findings.md")
def a_deposed_primary_lacks_an_acknowledged_write() -> BoolExpr:
    """All S acknowledged, nobody ended, and who was removed alive still acts as primary without the write."""
    return (all_acknowledged() & (endings_left == endings)) & some_primary(
        lambda member: ~roster[member] & ~has_watched_write(member)
    )


@specification.sometimes(source="invariant R7 NoNeedlessSync; backups.4, members.14; docs/findings.md")
def a_suspicion_makes_a_backup_ask_for_a_sync() -> BoolExpr:
    """Nothing was lost, nobody ended, and a backup asks for a sync: fewer members, and it was passed over."""
    return all_of(losses_left == losses, endings_left == endings, was_disturbed) & exists(
        members, backups, lambda member, backup: asked[member][backup].is_some
    )


@specification.sometimes(source="calls.3, backups.17; docs/findings.md")
def more_acknowledgements_come_than_were_promised() -> BoolExpr:
    """A backup message that came twice is acknowledged twice."""
    return received > expected


@specification.sometimes(source="backups.13; invariant R2; docs/findings.md")
def an_update_of_another_primary_takes_an_entry_back() -> BoolExpr:
    """State transfer: an update that will be applied brings an older value than its receiver has."""
    return in_some_mail(lambda member, place: STATE & takes_back(member, place))


NOBODY_IS_LEFT = for_all(members, lambda member: ended[member] | ~roster[member])
"""All members of the newest list have ended."""


@specification.may_stop
def nothing_has_to_happen() -> BoolExpr:
    """What waits in the mail may wait for ever: nothing is promised to come."""
    return all_of()


@specification.eventually(source="sync.18; invariant R3 Heal")
def every_backup_reaches_its_primarys_version() -> LeadsTo:
    """Again and again every backup is clean, with the primary's version and no sync pending.

    Choice (sync.18): L1 and R3 say equal, content included. After a promotion that is false; see docs/findings.md.
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
    """State transfer: again and again every follower in the newest row has the content of who leads by it.

    Nobody is removed alive. Who was, and has not heard of it, gets nothing any more, and answers reads.
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
    """Whenever syncs are registered, a time comes when none is, where nobody is removed alive."""
    registered = exists(
        members, lambda member: ~ended[member] & exists(backups, lambda backup: asked[member][backup].is_some)
    )
    return leads_to(all_of(one_table, suspicions == 0, registered), ~registered)


@specification.eventually(source="repair.3, members.14; invariant P1")
def a_dead_primary_is_replaced() -> LeadsTo:
    """Where nobody acts as primary somebody does later, as long as there is one."""
    replaced = exists(members, acts)
    return leads_to(one_table & ~replaced, any_of(replaced, NOBODY_IS_LEFT))
