"""What must come about once faults have stopped, where members have one table.

Faults, writes and migrations are counted, so they do stop. Fair: writes, deliveries, checks, answers, expiry, removal
of the dead, promotion, learning of tables. Where rows and lists are any, nothing is promised to come.
"""

from gridproof_model.language import BoolExpr, all_of, any_of, exists, for_all, leads_to
from gridproof_model.language.claim import LeadsTo
from gridproof_model.specifications.replication.anomalies import some_primary
from gridproof_model.specifications.replication.safety import STATE, acts, every_follower, is_backup_of, is_current
from gridproof_model.specifications.replication.state import (
    asked,
    backups,
    ended,
    members,
    one_table,
    replica,
    roster,
    slot_of,
    slots,
    specification,
    suspicions,
    table,
)


def nobody_is_left() -> BoolExpr:
    """Return whether all members of the newest list have ended."""
    return for_all(members, lambda member: ended[member] | ~roster[member])


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
            nobody_is_left(),
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
    return leads_to(one_table & ~replaced, any_of(replaced, nobody_is_left()))
