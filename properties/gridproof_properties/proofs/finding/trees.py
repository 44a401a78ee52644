"""What is done to trees of expressions: definitions put in place, names bound, every condition made total."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from gridproof_model.language.decided import negated
from gridproof_model.language.domains import Bool, Domain, IndexSet, Int, Sequence
from gridproof_model.language.tree import (
    Applied,
    Bound,
    Constant,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    children,
    with_children,
)

BOOL = Bool()
CONNECTIVES = (Operator.AND, Operator.OR, Operator.NOT, Operator.IMPLIES)


def operation(operator: Operator, *operands: Node, domain: Domain[Any] = BOOL) -> Node:
    """Return an operation, a condition unless another domain is given."""
    return Operation(operator, operands, domain)


def both(left: Node, right: Node) -> Node:
    """Return the conjunction."""
    return operation(Operator.AND, left, right)


def noun_of(domain: Domain[Any]) -> str:
    """Return a word for one value of a domain, as a name of Python."""
    return (domain.name if isinstance(domain, IndexSet) else "value").replace(" ", "_")


def substituted(node: Node, given: Mapping[str, Node], depth: int = 0) -> Node:
    """Return a tree with nodes in place of names and bodies in place of definitions.

    What quantifiers bind is named by how deep it stands, so that what differs in such names only is equal.
    """
    match node:
        case Bound(name=name):
            return given.get(name, node)
        case Applied(parameters=parameters, arguments=arguments, body=body):
            placed = (substituted(argument, given, depth) for argument in arguments)
            return substituted(body, dict(zip((p.name for p in parameters), placed, strict=True)), depth)
        case Quantified(bound=bound):
            name = bound.name.split("~")[0]
            inner = Bound(f"{name}~{depth}", bound.domain)
            return replace(node, bound=inner, body=substituted(node.body, {**given, bound.name: inner}, depth + 1))
        case _:
            parts = tuple(substituted(part, given, depth) for part in children(node))
            if isinstance(node, Operation) and node.operator in (Operator.AND, Operator.OR) and parts[0] == parts[1]:
                return parts[0]
            return with_children(node, parts) if parts else node


def free(node: Node, inside: frozenset[str] = frozenset()) -> dict[str, Bound]:
    """Return what is spoken of and bound nowhere in a tree, by name, in the order of reading."""
    match node:
        case Bound(name=name):
            return {} if name in inside else {name: node}
        case Quantified(bound=bound):
            return free(node.body, inside | {bound.name})
        case _:
            found: dict[str, Bound] = {}
            for part in children(node):
                found.update(free(part, inside))
            return found


def quantified(quantifier: Quantifier, bound: Bound, body: Node) -> Node:
    """Return what is said of every value, or of some."""
    return Quantified(quantifier, bound, body, BOOL)


def total(node: Node) -> Node:
    """Return a condition that means something in every state: where a comparison in it does not, that is false."""
    match node:
        case Operation(operator=operator, operands=operands) if operator in CONNECTIVES:
            return replace(node, operands=tuple(map(total, operands)))
        case Operation(operator=Operator.EQUAL, operands=(left, right)) if isinstance(left.domain, Bool):
            return replace(node, operands=(total(left), total(right)))
        case Quantified(quantifier=Quantifier.ALL | Quantifier.SOME):
            return replace(node, body=total(node.body))
        case _:
            guards = list(dict.fromkeys(_needed(node)))
            return reduce(lambda rest, guard: both(guard, rest), reversed(guards), _with_total_counts(node))


def _with_total_counts(node: Node) -> Node:
    if isinstance(node, Quantified) and isinstance(node.body.domain, Bool):
        return replace(node, body=total(node.body))
    parts = children(node)
    return with_children(node, tuple(map(_with_total_counts, parts))) if parts else node


def _needed(node: Node) -> Iterator[Node]:
    """Yield what must hold for a comparison to mean something; of what quantifiers bind in it, nothing."""
    if isinstance(node, Quantified):
        return
    for part in children(node):
        yield from _needed(part)
    match node:
        case Operation(operator=Operator.VALUE, operands=(option,)):
            yield negated(operation(Operator.IS_NONE, option))
        case Operation(operator=Operator.AT, operands=(lane, place)):
            is_above = isinstance(place, Constant) or (isinstance(place.domain, Int) and place.domain.low == 0)
            if not is_above:
                yield operation(Operator.AT_MOST, Constant(0, Int()), place)
            yield operation(Operator.LESS, place, length_of(lane))
        case _:
            return


def length_of(lane: Node) -> Node:
    """Return how many values a sequence has."""
    assert isinstance(lane.domain, Sequence)
    return operation(Operator.LENGTH, lane, domain=Int(0, lane.domain.capacity))
