"""What a commitment protocol is to achieve. Source: Endive, benchmarks/TCommit.tla (Gray and Lamport)."""

from enum import Enum

from gridproof_model.language import Array, BoolExpr, IndexExpr, OneOf, Specification, Step, for_all

SOURCE = "Endive, TCommit"


class Manager(Enum):
    """Where a resource manager stands."""

    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


specification = Specification("tcommit", "Resource managers commit together or not at all.", source=SOURCE)
size = specification.constant("size", 3, "How many managers there are.", least=1)
managers = specification.index("manager", size)
state = specification.variable("state", Array(managers, OneOf(Manager)), "Where each manager stands.")


@specification.action(managers, source=SOURCE)
def manager_prepares(manager: IndexExpr) -> Step:
    """A manager is ready."""
    return Step(when=[state[manager] == Manager.WORKING], then=[state[manager].becomes(Manager.PREPARED)])


@specification.action(managers, source=SOURCE)
def manager_commits(manager: IndexExpr) -> Step:
    """A manager commits where all are ready, or have committed."""
    return Step(
        when=[
            state[manager] == Manager.PREPARED,
            for_all(managers, lambda other: state[other].is_in(Manager.PREPARED, Manager.COMMITTED)),
        ],
        then=[state[manager].becomes(Manager.COMMITTED)],
    )


@specification.action(managers, source=SOURCE)
def manager_aborts(manager: IndexExpr) -> Step:
    """A manager that has not decided aborts where nobody has committed."""
    return Step(
        when=[
            state[manager].is_in(Manager.WORKING, Manager.PREPARED),
            for_all(managers, lambda other: state[other] != Manager.COMMITTED),
        ],
        then=[state[manager].becomes(Manager.ABORTED)],
    )


specification.may_stop(lambda: True)


@specification.always(source=SOURCE)
def managers_agree() -> BoolExpr:
    """No manager has aborted where another has committed."""
    return for_all(
        managers,
        lambda one: for_all(
            managers, lambda other: ~((state[one] == Manager.ABORTED) & (state[other] == Manager.COMMITTED))
        ),
    )
