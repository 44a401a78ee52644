"""Peterson's mutual exclusion of two processes. Source: Endive, benchmarks/peterson.tla."""

from enum import Enum

from gridproof_model.language import ANY, Array, BoolExpr, IndexExpr, OneOf, Set, Specification, Step, for_all

SOURCE = "Endive, peterson"


class Place(Enum):
    """Where a process stands."""

    OUTSIDE = "outside"
    RAISING = "raising its flag"
    YIELDING = "yielding the turn"
    WAITING = "waiting"
    INSIDE = "inside"
    LEAVING = "leaving"


specification = Specification("peterson", "Two processes take turns in one section.", source=SOURCE)
processes = specification.index("process", 2)
flag = specification.variable("flag", Set(processes), "Processes that want to enter.")
turn = specification.variable("turn", processes, "Whose turn it is.", initial=ANY)
place = specification.variable("place", Array(processes, OneOf(Place)), "Where each process stands.")


@specification.action(processes, source=SOURCE)
def process_begins(process: IndexExpr) -> Step:
    """A process wants to enter."""
    return Step(when=[place[process] == Place.OUTSIDE], then=[place[process].becomes(Place.RAISING)])


@specification.action(processes, source=SOURCE)
def process_raises_flag(process: IndexExpr) -> Step:
    """It says so."""
    return Step(
        when=[place[process] == Place.RAISING],
        then=[place[process].becomes(Place.YIELDING), flag[process].becomes(True)],
    )


@specification.action(processes, processes, source=SOURCE)
def process_yields(process: IndexExpr, other: IndexExpr) -> Step:
    """It leaves the other the turn."""
    return Step(
        when=[place[process] == Place.YIELDING, process != other],
        then=[place[process].becomes(Place.WAITING), turn.becomes(other)],
    )


@specification.action(processes, processes, source=SOURCE)
def process_enters(process: IndexExpr, other: IndexExpr) -> Step:
    """It enters if the other does not want to, or has left it the turn."""
    return Step(
        when=[place[process] == Place.WAITING, process != other, ~flag[other] | (turn == process)],
        then=[place[process].becomes(Place.INSIDE)],
    )


@specification.action(processes, source=SOURCE)
def process_ends(process: IndexExpr) -> Step:
    """It has done what it entered for."""
    return Step(when=[place[process] == Place.INSIDE], then=[place[process].becomes(Place.LEAVING)])


@specification.action(processes, source=SOURCE)
def process_lowers_flag(process: IndexExpr) -> Step:
    """It is outside again."""
    return Step(
        when=[place[process] == Place.LEAVING],
        then=[place[process].becomes(Place.OUTSIDE), flag[process].becomes(False)],
    )


@specification.always(source=SOURCE)
def one_is_inside() -> BoolExpr:
    """The two processes are not both inside."""
    return for_all(
        processes,
        lambda one: for_all(
            processes,
            lambda other: (one == other) | ~((place[one] == Place.INSIDE) & (place[other] == Place.INSIDE)),
        ),
    )
