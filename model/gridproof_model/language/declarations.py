"""The parts of a specification: constants, variables, steps, actions and claims.

A claim says what is true always, sometimes or eventually.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from gridproof_model.language.errors import SpecificationError, shown, where
from gridproof_model.language.expressions import BoolExpr
from gridproof_model.language.tree import Bound, Domain, Field, Node, Operation, Operator, Update, root
from gridproof_model.language.values import Plain


class ClaimKind(StrEnum):
    """What a claim says about behaviours."""

    ALWAYS = "always"
    """The condition is true in every reachable state."""
    SOMETIMES = "sometimes"
    """The condition is true in some reachable state: it is an anomaly or missing guarantee that the documents admit, or
    shows that something does happen."""
    EVENTUALLY = "eventually"
    """Every fair behaviour reaches a state in which the condition is true, either once or after every trigger."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A named sentence about every behaviour, with its expression and the document from which it is taken."""

    kind: ClaimKind
    name: str
    sentence: str
    source: str
    condition: Node
    trigger: Node | None = None
    """For eventually-claims only: after each state in which this trigger is true, the condition becomes true; None
    means after the start."""
    at: str = ""


@dataclass(frozen=True)
class LeadsTo:
    """What the function of an eventually-claim returns if the claim has a trigger."""

    trigger: BoolExpr
    condition: BoolExpr


def leads_to(trigger: BoolExpr, condition: BoolExpr) -> LeadsTo:
    """Return the promise that whenever the trigger is true, the condition is true then or at some later moment."""
    for part in (trigger, condition):
        if not isinstance(part, BoolExpr):
            what = "another leads_to: two promises are two claims" if isinstance(part, LeadsTo) else shown(part)
            raise SpecificationError(f"leads_to takes two conditions, not {what}")
    return LeadsTo(trigger, condition)


@dataclass(frozen=True, slots=True)
class ConstantDeclaration:
    """A number, truth value or choice that is the same throughout a world."""

    name: str
    domain: Domain[Any]
    default: Plain
    meaning: str
    least: int = 0
    """The smallest number that the constant may have; without meaning for truth values and choices."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A condition on constants; a world in which it is false is refused."""

    condition: Node
    meaning: str
    at: str


@dataclass(frozen=True, slots=True)
class VariableDeclaration:
    """A variable, which is a part of the state."""

    name: str
    domain: Domain[Any]
    meaning: str
    initial: Plain
    """The initial value: one value (the same for every element of an array), ANY, or a tree over constants."""
    at: str = ""


class Step:
    """What the function of an action returns: the conditions under which the action may happen, and its updates.

    All updates use the state before the step. Cells without an update keep their values.
    """

    __slots__ = ("guards", "updates")

    def __init__(self, *, when: Sequence[BoolExpr], then: Sequence[Update]) -> None:
        for name, given in (("when", when), ("then", then)):
            if not isinstance(given, list | tuple):
                raise SpecificationError(f"`{name}` must be a list, also if it has one part only: write {name}=[...]")
        for guard in when:
            if not isinstance(guard, BoolExpr):
                raise SpecificationError(f"a guard must be a condition of a specification, not {shown(guard)}")
        for update in then:
            if not isinstance(update, Update):
                raise SpecificationError(f"`then` lists updates such as x.becomes(...), not {shown(update)}")
        self.guards = tuple(guard.node for guard in when)
        self.updates = tuple(then)
        _refuse_two_updates_of_one_cell(self.updates)


@dataclass(frozen=True, slots=True)
class Action:
    """A named kind of step, which exists for every choice of its parameters."""

    name: str
    sentence: str
    source: str
    parameters: tuple[Bound, ...]
    guards: tuple[Node, ...]
    updates: tuple[Update, ...]
    fair: bool = False
    """Whether the action is weakly fair: for each choice of its parameters, it happens if it remains possible."""
    at: str = ""


@dataclass(frozen=True, slots=True)
class Stopping:
    """The condition under which a behaviour may end."""

    condition: Node
    at: str = ""


@dataclass(frozen=True, slots=True)
class Definition:
    """A named expression with parameters."""

    name: str
    sentence: str
    parameters: tuple[Bound, ...]
    body: Node
    at: str = ""


def overlap(one: Node, other: Node) -> bool:
    """Return whether two targets certainly share a cell: their paths are equal, or one path is a part of the other."""
    left, right = path_of(one), path_of(other)
    shorter = min(len(left), len(right))
    return left[:shorter] == right[:shorter]


def path_of(target: Node) -> tuple[object, ...]:
    """Return the path from the name of the variable to the cell."""
    match target:
        case Operation(operator=Operator.SELECT, operands=(array, index)):
            return (*path_of(array), index)
        case Field(record=record, name=name):
            return (*path_of(record), name)
        case _:
            return (root(target).name,)


def _refuse_two_updates_of_one_cell(updates: tuple[Update, ...]) -> None:
    for position, update in enumerate(updates):
        for earlier in updates[:position]:
            if overlap(update.target, earlier.target):
                name = root(update.target).name
                at = update.at or where()
                raise SpecificationError(f"one step updates a cell of {name!r} twice: keep one of the two updates", at)
