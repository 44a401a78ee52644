"""Transforms expressions: expands definitions, binds names, and makes every condition defined in all states."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import reduce
from typing import Any

from gridproof_model.language import tree
from gridproof_model.language.expressions import Bool, IndexSet, Int
from gridproof_model.language.structures import Sequence
from gridproof_model.language.tree import Domain
from gridproof_model.language.world import negated

BOOL = Bool()
CONNECTIVES = (tree.Operator.AND, tree.Operator.OR, tree.Operator.NOT, tree.Operator.IMPLIES)


def operation(operator: tree.Operator, *operands: tree.Node, domain: Domain[Any] = BOOL) -> tree.Node:
    """Return an operation; it is a condition unless another domain is given."""
    return tree.Operation(operator, operands, domain)


def both(left: tree.Node, right: tree.Node) -> tree.Node:
    """Return the conjunction of two conditions."""
    return operation(tree.Operator.AND, left, right)


def noun_of(domain: Domain[Any]) -> str:
    """Return a word, valid as a name in Python, for one value of a domain."""
    return (domain.name if isinstance(domain, IndexSet) else "value").replace(" ", "_")


def substituted(node: tree.Node, given: Mapping[str, tree.Node], depth: int = 0) -> tree.Node:
    """Return an expression with the given nodes in place of names, and with bodies in place of definitions.

    The new name of what a quantifier binds depends only on its depth, so that expressions that differ only in bound
    names become equal.
    """
    match node:
        case tree.Bound(name=name):
            return given.get(name, node)
        case tree.Applied(parameters=parameters, arguments=arguments, body=body):
            placed = (substituted(argument, given, depth) for argument in arguments)
            return substituted(body, dict(zip((p.name for p in parameters), placed, strict=True)), depth)
        case tree.Quantified(bound=bound):
            name = bound.name.split("~")[0]
            inner = tree.Bound(f"{name}~{depth}", bound.domain)
            return replace(node, bound=inner, body=substituted(node.body, {**given, bound.name: inner}, depth + 1))
        case _:
            parts = tuple(substituted(part, given, depth) for part in tree.children(node))
            if (
                isinstance(node, tree.Operation)
                and node.operator in (tree.Operator.AND, tree.Operator.OR)
                and parts[0] == parts[1]
            ):
                return parts[0]
            return tree.with_children(node, parts) if parts else node


def free(node: tree.Node, inside: frozenset[str] = frozenset()) -> dict[str, tree.Bound]:
    """Return the free elements of an expression by name, in the order in which they occur."""
    match node:
        case tree.Bound(name=name):
            return {} if name in inside else {name: node}
        case tree.Quantified(bound=bound):
            return free(node.body, inside | {bound.name})
        case _:
            found: dict[str, tree.Bound] = {}
            for part in tree.children(node):
                found.update(free(part, inside))
            return found


def quantified(quantifier: tree.Quantifier, bound: tree.Bound, body: tree.Node) -> tree.Node:
    """Return the condition that a body is true for all values, or for some value."""
    return tree.Quantified(quantifier, bound, body, BOOL)


def total(node: tree.Node) -> tree.Node:
    """Return a condition that is defined in every state, because an undefined comparison in it counts as false."""
    match node:
        case tree.Operation(operator=operator, operands=operands) if operator in CONNECTIVES:
            return replace(node, operands=tuple(map(total, operands)))
        case tree.Operation(operator=tree.Operator.EQUAL, operands=(left, right)) if isinstance(left.domain, Bool):
            return replace(node, operands=(total(left), total(right)))
        case tree.Quantified(quantifier=tree.Quantifier.ALL | tree.Quantifier.SOME):
            return replace(node, body=total(node.body))
        case _:
            guards = list(dict.fromkeys(_needed(node)))
            return reduce(lambda rest, guard: both(guard, rest), reversed(guards), _with_total_counts(node))


def _with_total_counts(node: tree.Node) -> tree.Node:
    if isinstance(node, tree.Quantified) and isinstance(node.body.domain, Bool):
        return replace(node, body=total(node.body))
    parts = tree.children(node)
    return tree.with_children(node, tuple(map(_with_total_counts, parts))) if parts else node


def _needed(node: tree.Node) -> Iterator[tree.Node]:
    """Yield the conditions under which a comparison is defined, except those about names that its quantifiers bind."""
    if isinstance(node, tree.Quantified):
        return
    for part in tree.children(node):
        yield from _needed(part)
    match node:
        case tree.Operation(operator=tree.Operator.VALUE, operands=(option,)):
            yield negated(operation(tree.Operator.IS_NONE, option))
        case tree.Operation(operator=tree.Operator.AT, operands=(lane, place)):
            is_above = isinstance(place, tree.Constant) or (isinstance(place.domain, Int) and place.domain.low == 0)
            if not is_above:
                yield operation(tree.Operator.AT_MOST, tree.Constant(0, Int()), place)
            yield operation(tree.Operator.LESS, place, length_of(lane))
        case _:
            return


def length_of(lane: tree.Node) -> tree.Node:
    """Return the length of a sequence as an expression."""
    assert isinstance(lane.domain, Sequence)
    return operation(tree.Operator.LENGTH, lane, domain=Int(0, lane.domain.capacity))
