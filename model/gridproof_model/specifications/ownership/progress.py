"""What comes about in the end, once faults have stopped."""

from gridproof_model.language import BoolExpr, IndexExpr, all_of, exists, for_all
from gridproof_model.language.claim import LeadsTo, leads_to
from gridproof_model.specifications.ownership.state import (
    Life,
    Promotion,
    Stage,
    active,
    arranged,
    life,
    master,
    members,
    migrations,
    promotion,
    row,
    slots,
    specification,
    stage,
    version,
)
from gridproof_model.specifications.ownership.words import (
    is_in_progress,
    is_repaired,
    is_running,
    master_works,
    may_own,
)


def _has_the_masters_table(member: IndexExpr) -> BoolExpr:
    return (version[member] == version[master]) & (row[member] == row[master])


def _can_serve(member: IndexExpr) -> BoolExpr:
    return is_running(member) & may_own(member)


def _nobody_runs() -> BoolExpr:
    return ~exists(members, is_running)


@specification.may_stop
def nobody_is_left_to_notify() -> BoolExpr:
    """Nobody runs, or the master runs alone, has repaired its row as far as it can, and nothing is under way."""
    is_alone = for_all(members, lambda member: is_running(member) == (master == member))
    is_done = (arranged & is_repaired()) | ~exists(members, _can_serve)
    is_still = for_all(migrations, lambda migration: ~is_in_progress(migration)) & (promotion == Promotion.NONE)
    return _nobody_runs() | all_of(is_alone, master_works(), is_done, is_still)


@specification.eventually(source="table.20; invariant T4; table.20; seed: Partition Table")
def every_member_gets_the_table() -> LeadsTo:
    """Whenever members have different tables, later all have the master's."""
    same = for_all(members, lambda member: is_running(member).implies(_has_the_masters_table(member)))
    return leads_to(~same, same)


@specification.eventually(source="invariant M6; migration.15")
def every_migration_ends() -> LeadsTo:
    """Whenever a migration is under way or registered by a participant, later none is."""
    quiet = for_all(migrations, lambda migration: stage[migration].is_in(Stage.UNUSED, Stage.ENDED)) & for_all(
        members, lambda member: ~is_running(member) | active[member].is_none
    )
    return leads_to(~quiet, quiet | _nobody_runs())


@specification.eventually(source="invariant S2; leaving.5, leaving.8")
def every_leave_ends() -> LeadsTo:
    """Whoever asks to leave may go in the end."""
    nobody = for_all(members, lambda member: life[member] != Life.LEAVING)
    return leads_to(~nobody, nobody)


@specification.eventually(source="table.8; invariant S4")
def a_master_takes_over() -> LeadsTo:
    """When the master is gone another one works in the end, if anyone is left."""
    return leads_to(~master_works(), master_works() | _nobody_runs())


@specification.eventually(source="repair.12, placement.8, repair.3; invariant A2")
def every_row_is_filled_again() -> LeadsTo:
    """Whenever the master's row names no running primary, later it does, if anyone can be."""
    served = exists(members, lambda member: is_running(member) & (row[master][slots[0]] == member))
    return leads_to(arranged & ~served, served | ~exists(members, _can_serve))
