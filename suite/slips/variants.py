"""Small changes to an expression.

Each variant differs from the original in one place, as a slip of the author would make it differ: a connective or
comparison exchanged, a quantifier turned, a number off by one, another member of an enumeration, a truth negated.
A slip in a definition is one slip, wherever the definition is used: `Redefinition` puts it into every use.
"""

from collections.abc import Iterator
from dataclasses import replace

from gridproof_model.language.decided import negated
from gridproof_model.language.expressions import Int, OneOf
from gridproof_model.language.tree import (
    Applied,
    Constant,
    If,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    children,
    with_children,
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


Place = tuple[int, ...]
"""Where a slip is: the number of a part, of a part of that and so on, then which slip there."""


def variants(node: Node) -> Iterator[Node]:
    """Yield every expression that differs from this one by one slip."""
    return (variant for _, variant in placed_variants(node))


def placed_variants(node: Node) -> Iterator[tuple[Place, Node]]:
    """Yield every variant with the place of its slip."""
    for number, variant in enumerate(_here(node)):
        yield (number,), variant
    parts = children(node)
    for number, part in enumerate(parts):
        for place, variant in placed_variants(part):
            yield (number, *place), with_children(node, (*parts[:number], variant, *parts[number + 1 :]))


def slip(before: Node, after: Node) -> tuple[Node, Node]:
    """Return the smallest parts in which an expression and its variant differ."""
    olds, news = children(before), children(after)
    if len(olds) == len(news) and with_children(before, news) == after:
        differing = [(old, new) for old, new in zip(olds, news, strict=True) if old != new]
        if len(differing) == 1:
            return slip(*differing[0])
    return before, after


class Redefinition:
    """Expressions with another body for one definition, in each of its uses and in other definitions' uses of it."""

    def __init__(self, name: str, body: Node) -> None:
        self._name = name
        self._body = body
        # Definitions share their bodies, so that each is changed once; the old node is kept, else its id may recur.
        self._known: dict[int, tuple[Node, Node]] = {}

    def of(self, node: Node) -> Node:
        """Return an expression redefined; the same object when it does not use the definition."""
        if id(node) not in self._known:
            self._known[id(node)] = node, self._redefined(node)
        return self._known[id(node)][1]

    def _redefined(self, node: Node) -> Node:
        parts = children(node)
        changed = tuple(map(self.of, parts))
        if any(new is not old for new, old in zip(changed, parts, strict=True)):
            node = with_children(node, changed)
        if not isinstance(node, Applied):
            return node
        body = self._body if node.name == self._name else self.of(node.body)
        return node if body is node.body else replace(node, body=body)


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
