"""What comes about in the end, once faults have stopped; where lists change in any way nothing is promised to come."""

from gridproof_model.language import BoolExpr, IndexExpr, exists, for_all
from gridproof_model.language.claim import LeadsTo, leads_to
from gridproof_model.specifications.ownership.migrating import unused
from gridproof_model.specifications.ownership.state import (
    Role,
    active,
    any_way,
    begun,
    ended,
    follows,
    leaving,
    members,
    role,
    row,
    slots,
    specification,
    split,
    underway,
    version,
    works,
)


@specification.definition(members)
def has_joined(member: IndexExpr) -> BoolExpr:
    """The member runs and has a master."""
    return ~ended[member] & follows[member].is_some


def _is_over() -> BoolExpr:
    """Return whether nothing more is promised: members went different ways, nobody is left, or no migration fits."""
    return split | ~exists(members, has_joined) | unused().is_none


def _same_table() -> BoolExpr:
    return for_all(
        members,
        members,
        lambda one, other: (has_joined(one) & has_joined(other)).implies(
            (version[one] == version[other]) & (row[one] == row[other])
        ),
    )


def _quiet() -> BoolExpr:
    return for_all(members, lambda member: ended[member] | (active[member].is_none & underway[member].is_none))


def _nobody_leaves() -> BoolExpr:
    return for_all(members, lambda member: ended[member] | ~leaving[member])


def _served() -> BoolExpr:
    def is_served_by(master: IndexExpr) -> BoolExpr:
        return works(master) & exists(members, lambda member: ~ended[member] & (row[master][slots[0]] == member))

    can_be = exists(members, lambda member: has_joined(member) & (role[member] == Role.DATA) & ~leaving[member])
    return exists(members, is_served_by) | ~can_be


@specification.may_stop
def all_is_done() -> BoolExpr:
    """A master works, all have its table and nothing is under way; where lists change in any way, it may stay so."""
    is_done = exists(members, works) & _same_table() & _quiet() & _nobody_leaves() & _served()
    return any_way | _is_over() | is_done


@specification.eventually(source="table.20; invariant T4; table.20; seed: Partition Table")
def every_member_gets_the_table() -> LeadsTo:
    """Whenever members have different tables, later all have the same."""
    same = _same_table()
    return leads_to(~any_way & ~same, same | _is_over())


@specification.eventually(source="invariant M6; migration.15")
def every_migration_ends() -> LeadsTo:
    """Whenever a migration is awaited, or registered by a participant, later none is."""
    quiet = _quiet()
    return leads_to(~any_way & ~quiet, quiet | _is_over())


@specification.eventually(source="invariant S2; leaving.5, leaving.8")
def every_leave_ends() -> LeadsTo:
    """Whoever asks to leave may go in the end."""
    return leads_to(~any_way & ~_nobody_leaves(), _nobody_leaves() | _is_over())


@specification.eventually(source="table.8; invariant S4")
def a_master_takes_over() -> LeadsTo:
    """When the master is gone another one works in the end, if anyone is left."""
    return leads_to(~any_way & ~exists(members, works), exists(members, works) | _is_over())


@specification.eventually(source="repair.12, placement.8, repair.3; invariant A2")
def every_row_is_filled_again() -> LeadsTo:
    """Whenever no working master's row names a primary that runs, later one does, if anyone can be."""
    return leads_to(~any_way & begun & ~_served(), _served() | _is_over())
