"""Two-phase commit: either all managers commit, or none does.

This is not a protocol of the grid. The specification is here because publications on other checkers state the number of
its states, so that ours can be compared: 288, 8,832, 296,448 and 1,745,408 distinct states for 3, 5, 7 and 8 managers.

Source: Gray and Lamport, "Consensus on Transaction Commit" (2006), section 3 and the module TwoPhase of its appendix.
Messages are never lost and may be received again, so a message is modelled by the fact that it was sent.
"""

from enum import Enum

from gridproof_model.language import *


class Manager(Enum):
    """The state of a resource manager."""

    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Coordinator(Enum):
    """The state of the transaction coordinator."""

    WAITING = "waiting"
    COMMITTED = "committed"
    ABORTED = "aborted"


specification = Specification(
    "two_phase_commit",
    "Resource managers and a coordinator agree whether a transaction commits or aborts.",
    source="Gray and Lamport 2006, section 3",
)

size = specification.constant("size", 3, "How many resource managers take part.", least=1)
managers = specification.index("manager", size)

manager_state = specification.variable(
    "manager_state", Array(managers, OneOf(Manager)), "The state of each manager.", initial=Manager.WORKING
)
coordinator_state = specification.variable(
    "coordinator_state", OneOf(Coordinator), "The state of the coordinator.", initial=Coordinator.WAITING
)
heard = specification.variable("heard", Set(managers), "Managers the coordinator knows to be prepared.")
prepared_sent = specification.variable("prepared_sent", Set(managers), "Managers that have sent Prepared.")
commit_sent = specification.variable("commit_sent", Bool(), "Whether the coordinator has sent Commit.")
abort_sent = specification.variable("abort_sent", Bool(), "Whether the coordinator has sent Abort.")


@specification.action(managers, source="TwoPhase: TMRcvPrepared", fair=True)
def coordinator_hears_prepared(manager: IndexExpr) -> Step:
    """The coordinator, still waiting, receives a manager's Prepared message."""
    return Step(
        when=[coordinator_state == Coordinator.WAITING, prepared_sent[manager]], then=[heard[manager].becomes(True)]
    )


@specification.action(source="TwoPhase: TMCommit", fair=True)
def coordinator_commits() -> Step:
    """The coordinator, which has a Prepared message from every manager, commits and sends Commit."""
    return Step(
        when=[coordinator_state == Coordinator.WAITING, for_all(managers, lambda manager: heard[manager])],
        then=[coordinator_state.becomes(Coordinator.COMMITTED), commit_sent.becomes(True)],
    )


@specification.action(source="TwoPhase: TMAbort")
def coordinator_aborts() -> Step:
    """The coordinator may abort at any moment while it waits."""
    return Step(
        when=[coordinator_state == Coordinator.WAITING],
        then=[coordinator_state.becomes(Coordinator.ABORTED), abort_sent.becomes(True)],
    )


@specification.action(managers, source="TwoPhase: RMPrepare", fair=True)
def manager_prepares(manager: IndexExpr) -> Step:
    """A working manager prepares, and sends the coordinator a Prepared message."""
    return Step(
        when=[manager_state[manager] == Manager.WORKING],
        then=[manager_state[manager].becomes(Manager.PREPARED), prepared_sent[manager].becomes(True)],
    )


@specification.action(managers, source="TwoPhase: RMChooseToAbort")
def manager_chooses_to_abort(manager: IndexExpr) -> Step:
    """A working manager may decide alone to abort; it sends no message."""
    return Step(
        when=[manager_state[manager] == Manager.WORKING], then=[manager_state[manager].becomes(Manager.ABORTED)]
    )


@specification.action(managers, source="TwoPhase: RMRcvCommitMsg", fair=True)
def manager_receives_commit(manager: IndexExpr) -> Step:
    """A manager receives the Commit message and commits."""
    return Step(when=[commit_sent], then=[manager_state[manager].becomes(Manager.COMMITTED)])


@specification.action(managers, source="TwoPhase: RMRcvAbortMsg", fair=True)
def manager_receives_abort(manager: IndexExpr) -> Step:
    """A manager receives the Abort message and aborts."""
    return Step(when=[abort_sent], then=[manager_state[manager].becomes(Manager.ABORTED)])


@specification.always(source="Gray and Lamport 2006, section 2: consistency")
def managers_agree() -> BoolExpr:
    """No manager has committed while another has aborted."""
    return for_all(
        managers,
        managers,
        lambda one, other: ~((manager_state[one] == Manager.COMMITTED) & (manager_state[other] == Manager.ABORTED)),
    )


@specification.always(source="TwoPhase: TMCommit and TMAbort each set both")
def decisions_are_announced() -> BoolExpr:
    """The coordinator has committed if and only if it has sent Commit, and aborted if and only if it has sent Abort."""
    return all_of(
        (coordinator_state == Coordinator.COMMITTED) == commit_sent,
        (coordinator_state == Coordinator.ABORTED) == abort_sent,
    )


@specification.sometimes(source="Gray and Lamport 2006, section 2: nontriviality")
def all_managers_commit() -> BoolExpr:
    """Every manager commits."""
    return for_all(managers, lambda manager: manager_state[manager] == Manager.COMMITTED)


@specification.sometimes(source="Gray and Lamport 2006, section 2: nontriviality")
def all_managers_abort() -> BoolExpr:
    """Every manager aborts."""
    return for_all(managers, lambda manager: manager_state[manager] == Manager.ABORTED)


@specification.sometimes(source="Gray and Lamport 2006, section 3: two-phase commit blocks")
def a_prepared_manager_waits_for_an_undecided_coordinator() -> BoolExpr:
    """A prepared manager waits for an undecided coordinator; if the coordinator fails, the manager is blocked."""
    return (coordinator_state == Coordinator.WAITING) & exists(
        managers, lambda manager: manager_state[manager] == Manager.PREPARED
    )


@specification.eventually(source="Gray and Lamport 2006, section 2: progress")
def a_commit_reaches_every_manager() -> LeadsTo:
    """Once Commit is sent, every manager commits."""
    return leads_to(commit_sent, for_all(managers, lambda manager: manager_state[manager] == Manager.COMMITTED))


@specification.eventually(source="Gray and Lamport 2006, section 2: progress")
def an_abort_reaches_every_manager() -> LeadsTo:
    """Once Abort is sent, every manager aborts."""
    return leads_to(abort_sent, for_all(managers, lambda manager: manager_state[manager] == Manager.ABORTED))
