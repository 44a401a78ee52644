"""Small changes to an expression.

Each variant differs from the original in one place, as a slip of the author would make it differ: a connective or
comparison exchanged, a quantifier turned, a number off by one, another member of an enumeration, a truth negated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gridproof_model.spec.domains import Bool, Int, OneOf
from gridproof_model.spec.tree import (
    Applied,
    Constant,
    Construct,
    Field,
    If,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
)

_EXCHANGED = {
    Operator.AND: Operator.OR,
    Operator.OR: Operator.AND,
    Operator.LESS: Operator.AT_MOST,
    Operator.AT_MOST: Operator.LESS,
    Operator.ADD: Operator.SUBTRACT,
    Operator.SUBTRACT: Operator.ADD,
    Operator.SMALLER: Operator.LARGER,
    Operator.LARGER: Operator.SMALLER,
}
_TURNED = {
    Quantifier.ALL: Quantifier.SOME,
    Quantifier.SOME: Quantifier.ALL,
    Quantifier.LEAST: Quantifier.GREATEST,
    Quantifier.GREATEST: Quantifier.LEAST,
}
_ORDERED = (Operator.LESS, Operator.AT_MOST, Operator.SUBTRACT, Operator.IMPLIES)


def variants(node: Node) -> Iterator[Node]:
    """Yield every expression that differs from this one by one slip."""
    yield from _here(node)
    yield from _below(node)


def negated(node: Node) -> Node:
    """Return the opposite condition."""
    return Operation(Operator.NOT, (node,), Bool())


def _here(node: Node) -> Iterator[Node]:
    match node:
        case Constant(value=bool(value)):
            yield replace(node, value=not value)
        case Constant(value=int(value), domain=Int()):
            yield from (replace(node, value=value + 1), replace(node, value=value - 1))
        case Constant(value=value, domain=OneOf(choices=choices)):
            members = list(choices.__members__.values())
            if value in members and len(members) > 1:
                yield replace(node, value=members[(members.index(value) + 1) % len(members)])
        case Operation(operator=Operator.NOT, operands=(inner,)):
            yield inner
        case Operation(operator=operator, operands=operands):
            if operator in _EXCHANGED:
                yield replace(node, operator=_EXCHANGED[operator])
            if operator in _ORDERED:
                yield replace(node, operands=operands[::-1])
            if operator in (Operator.EQUAL, Operator.IS_NONE):
                yield negated(node)
        case Quantified(quantifier=quantifier) if quantifier in _TURNED:
            yield replace(node, quantifier=_TURNED[quantifier])
        case If():
            yield replace(node, then=node.otherwise, otherwise=node.then)
        case _:
            return


def _below(node: Node) -> Iterator[Node]:
    match node:
        case Operation(operands=parts):
            yield from (replace(node, operands=changed) for changed in _one_changed(parts))
        case Construct(values=parts):
            yield from (replace(node, values=changed) for changed in _one_changed(parts))
        case If():
            parts = (node.condition, node.then, node.otherwise)
            for condition, then, otherwise in _one_changed(parts):
                yield replace(node, condition=condition, then=then, otherwise=otherwise)
        case Quantified(body=body):
            yield from (replace(node, body=variant) for variant in variants(body))
        case Field(record=record):
            yield from (replace(node, record=variant) for variant in variants(record))
        case Applied(body=body, arguments=parts):
            yield from (replace(node, body=variant) for variant in variants(body))
            yield from (replace(node, arguments=changed) for changed in _one_changed(parts))
        case _:
            return


def _one_changed(parts: tuple[Node, ...]) -> Iterator[tuple[Node, ...]]:
    for number, part in enumerate(parts):
        for variant in variants(part):
            yield (*parts[:number], variant, *parts[number + 1 :])
