"""Indeterminate mode: what the acknowledgements that were counted stand for."""

from gridproof_model.language import (
    BoolExpr,
    IndexExpr,
    IntExpr,
    all_of,
    any_of,
    count,
    exists,
    for_all,
    smaller,
    sum_of,
)
from gridproof_model.specifications.invocation.safety import nothing_migrated
from gridproof_model.specifications.invocation.state import (
    Answer,
    Kind,
    Phase,
    acknowledgement,
    async_backups,
    backup_lane,
    call_ids,
    callers_list,
    counts_leavers,
    crashes,
    crashes_left,
    executions,
    expected,
    is_owner,
    is_replica,
    is_up,
    kind,
    leavers_counted,
    listed,
    members,
    migrations,
    migrations_left,
    moving_slot,
    moving_to,
    number_of_members,
    pending,
    phase,
    received,
    response,
    row,
    runs,
    slots,
    sync_backups,
)
from gridproof_model.specifications.invocation.target import is_sync
from gridproof_properties.proofs.arguments.invocation.words import argument


def acknowledgements() -> IntExpr:
    """Return how many of the acknowledgements counted, or under way, came from backups."""
    under_way = sum_of(call_ids, lambda number: count(members, lambda one: acknowledgement[number][one]))
    return received - leavers_counted + under_way


def copies() -> IntExpr:
    """Return how many copies have, or had when they died, the operation."""
    return count(members, lambda one: runs[one] > 0)


def nobody_is_removed() -> BoolExpr:
    """Return whether all members are listed."""
    return for_all(members, lambda one: listed[one])


@argument.lemma
def what_was_not_executed_is_nowhere() -> BoolExpr:
    """Before an execution no copy has the operation, and nobody has acknowledged it."""
    return (executions == 0).implies(
        all_of(
            copies() == 0,
            received == leavers_counted,
            for_all(call_ids, lambda number: ~exists(members, lambda one: acknowledgement[number][one])),
        )
    )


@argument.lemma
def a_message_that_lost_its_slot_was_all_there_was() -> BoolExpr:
    """One backup: when a message's receiver lost its slot it was promoted, and no replica has the last execution."""

    def is_astray(one: IndexExpr) -> BoolExpr:
        return ~backup_lane[one].is_empty & (row[backup_lane[one].head.slot] != one)

    return (sync_backups + async_backups <= 1).implies(
        exists(members, is_astray).implies(
            for_all(members, lambda one: is_replica(one).implies(runs[one] < executions))
        )
    )


@argument.lemma
def copies_have_no_more_than_was_executed() -> BoolExpr:
    """One backup, nothing migrated or nobody removed: no copy has more than was executed, less what is to come."""
    is_ordered = any_of(sync_backups + async_backups <= 1, nothing_migrated(), nobody_is_removed())
    return is_ordered.implies(
        for_all(
            members,
            lambda one: (runs[one] <= executions) & (~backup_lane[one].is_empty).implies(runs[one] < executions),
        )
    )


@argument.lemma
def acknowledgements_were_sent_for() -> BoolExpr:
    """Every execution brings one acknowledgement a sync backup at most, and every leaver one."""
    to_come = count(members, lambda one: ~backup_lane[one].is_empty & is_sync(backup_lane[one].head.slot))
    return all_of(
        acknowledgements() + to_come <= sync_backups * executions,
        leavers_counted <= count(members, lambda one: ~callers_list[one]),
        leavers_counted <= received,
    )


@argument.lemma
def leavers_count_only_if_they_may() -> BoolExpr:
    """No leaver is counted while all are listed, nor where leavers count for nothing."""
    return (nobody_is_removed() | ~counts_leavers).implies(leavers_counted == 0)


@argument.lemma
def nobody_is_twice_in_the_row() -> BoolExpr:
    """No member holds two slots, only listed members hold any, none does without an owner."""
    return for_all(
        members,
        lambda one: all_of(
            count(slots, lambda slot: row[slot] == one) <= 1,
            is_replica(one).implies(listed[one] & row[slots[0]].is_some),
            (moving_to == one).implies(~is_replica(one)),
        ),
    )


@argument.lemma
def a_slot_is_sent_one_message() -> BoolExpr:
    """No two members have a backup message for one slot."""
    return for_all(
        slots,
        lambda slot: count(members, lambda one: ~backup_lane[one].is_empty & (backup_lane[one].head.slot == slot)) <= 1,
    )


@argument.lemma
def a_migration_is_of_a_free_slot_or_the_owners() -> BoolExpr:
    """A migration has a slot, a destination and an owner to copy from, and its slot is slot 0 or empty."""
    return (moving_slot.is_some == moving_to.is_some) & moving_slot.is_some.implies(
        row[slots[0]].is_some
        & for_all(slots, lambda slot: ((moving_slot == slot) & (slot > slots[0])).implies(row[slot].is_none))
    )


@argument.lemma
def a_full_row_stays_full() -> BoolExpr:
    """As long as nobody is removed every slot has a member that was there for it, and backups keep theirs."""
    return (nobody_is_removed() & (phase != Phase.IDLE)).implies(
        for_all(slots, lambda slot: row[slot].is_some == (slot.ordinal < number_of_members))
        & for_all(members, lambda one: (~backup_lane[one].is_empty).implies(row[backup_lane[one].head.slot] == one))
    )


@argument.lemma
def a_strict_owner_that_executed_has_it() -> BoolExpr:
    """Strict, nobody removed: once executed only replicas have it, the owner does, and all backups were addressed."""
    configured = smaller(sync_backups, number_of_members - 1)
    return all_of(kind == Kind.STRICT_WRITE, nobody_is_removed()).implies(
        all_of(
            (executions == 1).implies(for_all(members, lambda one: is_owner(one).implies(runs[one] == 1))),
            for_all(members, lambda one: (~is_replica(one)).implies(runs[one] == 0)),
            for_all(
                call_ids,
                lambda number: (response[number].kind == Answer.NORMAL).implies(response[number].backups == configured),
            ),
            pending.is_some.implies(expected == configured),
        )
    )


@argument.lemma
def acknowledgements_of_a_full_row_are_backups_that_have_it() -> BoolExpr:
    """Strict, nobody removed: there is a copy for every acknowledgement, beside the owner's."""
    return all_of(kind == Kind.STRICT_WRITE, nobody_is_removed(), executions == 1).implies(
        copies() > acknowledgements()
    )


@argument.lemma
def the_dead_and_the_moves_are_counted() -> BoolExpr:
    """As many members are dead as crashes are gone, and migrations only become fewer."""
    return (count(members, lambda one: ~is_up[one]) == crashes - crashes_left) & (migrations_left <= migrations)


@argument.lemma
def unmoved_replicas_are_where_copies_are() -> BoolExpr:
    """Strict, nothing migrated: no migration is under way, and who is listed and has the operation is a replica."""
    return nothing_migrated().implies(
        moving_slot.is_none & for_all(members, lambda one: (listed[one] & (runs[one] > 0)).implies(is_replica(one)))
    )


@argument.lemma
def an_unmoved_acknowledgement_is_a_copy() -> BoolExpr:
    """Strict, one sync backup, nothing migrated: there is a copy for every acknowledgement, beside the first."""
    return all_of(kind == Kind.STRICT_WRITE, sync_backups <= 1, nothing_migrated(), executions == 1).implies(
        copies() > acknowledgements()
    )


@argument.lemma
def an_unmoved_owner_with_a_backup_has_it() -> BoolExpr:
    """Strict, nothing migrated: as long as every slot has a member the owner has what was executed."""
    is_filled = for_all(slots, lambda slot: row[slot].is_some)
    return all_of(kind == Kind.STRICT_WRITE, nothing_migrated(), executions == 1, is_filled).implies(
        for_all(members, lambda one: is_owner(one).implies(runs[one] == 1))
    )
