"""Why two-phase commit agrees.

What was sent says enough about the managers: Commit that all are prepared for good, Abort that none will commit.
"""

from gridproof_model.language import ANY_NUMBER, BoolExpr, exists, for_all
from gridproof_model.specifications.two_phase_commit import (
    Coordinator,
    Manager,
    abort_sent,
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


@argument.lemma
def only_managers_that_said_so_are_heard() -> BoolExpr:
    """Whoever the coordinator has heard from has sent Prepared."""
    return for_all(managers, lambda manager: heard[manager].implies(prepared_sent[manager]))


@argument.lemma
def working_managers_have_said_nothing() -> BoolExpr:
    """A manager that still works has not sent Prepared."""
    return for_all(
        managers, lambda manager: (manager_state[manager] == Manager.WORKING).implies(~prepared_sent[manager])
    )


@argument.lemma
def commit_means_that_all_were_heard() -> BoolExpr:
    """Commit is sent only after the coordinator has heard from every manager."""
    return commit_sent.implies(for_all(managers, lambda manager: heard[manager]))


@argument.lemma
def managers_commit_only_when_asked() -> BoolExpr:
    """A manager that has committed was asked to."""
    return exists(managers, lambda manager: manager_state[manager] == Manager.COMMITTED).implies(commit_sent)


@argument.lemma
def prepared_managers_abort_only_when_asked() -> BoolExpr:
    """A manager that has sent Prepared and aborted was asked to."""
    return exists(
        managers, lambda manager: prepared_sent[manager] & (manager_state[manager] == Manager.ABORTED)
    ).implies(abort_sent)


@argument.lemma
def the_coordinator_decides_once() -> BoolExpr:
    """Not both Commit and Abort are sent."""
    return ~(commit_sent & abort_sent) & ((coordinator_state == Coordinator.WAITING) == ~(commit_sent | abort_sent))
