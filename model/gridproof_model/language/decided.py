"""Conditions taken as such: what constants alone decide of one, whatever the state, and its opposite."""

import operator
from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

from gridproof_model.language.expressions import Bool
from gridproof_model.language.tree import (
    Applied,
    Constant,
    If,
    Node,
    Operation,
    Operator,
    Parameter,
    Quantified,
    Quantifier,
)
from gridproof_model.language.values import Plain
from gridproof_model.language.world import ANY_NUMBER, Open


def decided(condition: Node, constants: Mapping[str, Plain]) -> bool | None:
    """Return whether a condition holds in every state, or in none; None where that may depend on the state.

    Constants that are left out, or open, may have any value.
    """
    found = _worth(condition, constants)
    return None if found is _Open.OPEN else bool(found)


def negated(node: Node) -> Node:
    """Return the opposite condition, of a negation what it negates."""
    match node:
        case Operation(operator=Operator.NOT, operands=(inner,)):
            return inner
        case _:
            return Operation(Operator.NOT, (node,), Bool())


class _Open(Enum):
    """What stands for a value that constants do not decide; None is one that they may."""

    OPEN = "open"


_OF_TWO: Mapping[Operator, Callable[[Any, Any], Plain]] = {
    Operator.EQUAL: operator.eq,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.ADD: operator.add,
    Operator.SUBTRACT: operator.sub,
    Operator.MULTIPLY: operator.mul,
    Operator.SMALLER: min,
    Operator.LARGER: max,
}


def _worth(node: Node, constants: Mapping[str, Plain]) -> Plain:
    match node:
        case Constant(value=value):
            return value
        case Parameter(name=name):
            value = constants.get(name, ANY_NUMBER)
            return _Open.OPEN if isinstance(value, Open) else value
        case Operation(operator=kind, operands=operands):
            return _of_operation(kind, [_worth(one, constants) for one in operands])
        case If():
            condition = _worth(node.condition, constants)
            branches = [_worth(one, constants) for one in (node.then, node.otherwise)]
            return branches[0 if condition else 1] if condition is not _Open.OPEN else _common(branches)
        case Quantified(quantifier=Quantifier.ALL) if _worth(node.body, constants) is True:
            return True
        case Quantified(quantifier=Quantifier.SOME) if _worth(node.body, constants) is False:
            return False
        case Applied():
            return _worth(node.body, constants)
        case _:
            return _Open.OPEN


def _of_operation(kind: Operator, worth: list[Plain]) -> Plain:
    match kind:
        case Operator.NOT:
            return _Open.OPEN if worth[0] is _Open.OPEN else not worth[0]
        case Operator.AND:
            return False if False in worth else _common([*worth, True])
        case Operator.OR:
            return True if True in worth else _common([*worth, False])
        case Operator.IMPLIES:
            return _of_operation(Operator.OR, [_of_operation(Operator.NOT, worth[:1]), worth[1]])
        case _ if kind in _OF_TWO and _Open.OPEN not in worth:
            return _OF_TWO[kind](*worth)
        case _:
            return _Open.OPEN


def _common(worth: list[Plain]) -> Plain:
    """Return the value of all; OPEN where they differ."""
    return worth[0] if all(one is worth[0] for one in worth) else _Open.OPEN
