"""Why all managers in two-phase commit agree.

The lemmas are those found by `gridproof prove two_phase_commit --find`; their names and sentences were written by hand.
If Commit was sent, the coordinator has heard from all managers; a manager that it has heard from is no longer working,
so none aborts after Commit was sent.
"""

from gridproof_model.language import ANY_NUMBER, BoolExpr, IndexExpr, exists
from gridproof_model.specifications.two_phase_commit import (
    Coordinator,
    Manager,
    commit_sent,
    coordinator_state,
    heard,
    manager_state,
    managers,
    prepared_sent,
    specification,
)
from gridproof_properties.proofs.argument import Argument

argument = Argument(
    specification,
    proved_in=({"size": ANY_NUMBER},),
    explored_in=tuple({"size": size} for size in (1, 2, 3, 5, 7)),
)


@argument.lemma(managers)
def only_managers_that_said_so_are_heard(manager: IndexExpr) -> BoolExpr:
    """Every manager that the coordinator has heard from has sent Prepared."""
    return heard[manager].implies(prepared_sent[manager])


@argument.lemma(managers)
def whoever_was_heard_works_no_more(manager: IndexExpr) -> BoolExpr:
    """A manager that the coordinator has heard from no longer works, so that it does not choose to abort."""
    return heard[manager].implies(manager_state[manager] != Manager.WORKING)


@argument.lemma(managers, when=coordinator_state == Coordinator.WAITING)
def until_the_decision_prepared_managers_wait(manager: IndexExpr) -> BoolExpr:
    """As long as the coordinator waits, a manager that has sent Prepared is prepared."""
    return prepared_sent[manager].implies(manager_state[manager] == Manager.PREPARED)


@argument.lemma(managers, when=commit_sent)
def commit_means_that_all_were_heard(manager: IndexExpr) -> BoolExpr:
    """Commit is sent only after the coordinator has heard from every manager."""
    return heard[manager]


@argument.lemma
def managers_commit_only_when_asked() -> BoolExpr:
    """A manager that has committed was asked to commit."""
    return exists(managers, lambda manager: manager_state[manager] == Manager.COMMITTED).implies(commit_sent)


@argument.lemma(managers, when=commit_sent)
def where_commit_is_sent_nobody_has_aborted(manager: IndexExpr) -> BoolExpr:
    """No manager has aborted once Commit is sent."""
    return manager_state[manager] != Manager.ABORTED
