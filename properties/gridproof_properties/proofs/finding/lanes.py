"""What may be said of messages in a lane: of one at a place, of some, of two of a kind, held against a number.

That a place is not past the end is not said here: it is added where conditions are made total.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from gridproof_model.language.decided import negated
from gridproof_model.language.domains import Domain, Int, OneOf, Record
from gridproof_model.language.domains import Sequence as SequenceOf
from gridproof_model.language.tree import Bound, Constant, Field, Node, Operator, Quantified, Quantifier
from gridproof_properties.proofs.finding.trees import both, operation, quantified

PLACES = 3
"""Of so many of the first places a lane is spoken of by number."""

Said = Callable[[Node], Node]
"""Makes a condition on a lane of a condition on a part of a message in it."""


def on_lane(lane: Node, parts: Callable[[Node], Iterable[Node]]) -> Iterator[tuple[Said, Node]]:
    """Yield each part of a message at one of the first places, and of some message, with what puts it into words."""
    for place in range(PLACES):
        yield from ((_as_it_is, part) for part in parts(_item(lane, Constant(place, Int()))))
    somewhere = _somewhere(lane)
    yield from ((lambda condition: _some(somewhere, condition), part) for part in parts(_item(lane, somewhere)))


def holding(lane: Node, numbers: Sequence[Node]) -> Iterator[Node]:
    """Yield that a lane holds a message whose number is that of a cell, below or above it; and two of a kind."""
    element, somewhere = _element(lane), _somewhere(lane)
    item = _item(lane, somewhere)
    if isinstance(element, Int):
        yield from _against(somewhere, item, numbers)
        first = operation(Operator.ADD, somewhere, Constant(1, Int()), domain=Int())
        yield _some(somewhere, negated(operation(Operator.EQUAL, item, first)))
    if not isinstance(element, Record):
        return
    kinds = [
        operation(Operator.EQUAL, Field(item, name, inner), Constant(member, inner))
        for name, inner in element.fields if isinstance(inner, OneOf)
        for member in inner.choices.__members__.values()
    ]  # fmt: skip
    fields = [Field(item, name, inner) for name, inner in element.fields if isinstance(inner, Int)]
    for number in fields:
        yield from _against(somewhere, number, numbers)
        for kind in kinds:
            yield from _against(somewhere, number, numbers, kind)
    for kind in kinds:
        yield operation(Operator.LESS, Constant(1, Int()), Quantified(Quantifier.COUNT, somewhere, kind, Int()))


def _against(somewhere: Bound, number: Node, others: Sequence[Node], kind: Node | None = None) -> Iterator[Node]:
    for other in others:
        ways = (
            operation(Operator.EQUAL, number, other),
            operation(Operator.LESS, number, other),
            operation(Operator.LESS, other, number),
        )
        for way in ways if kind is None else ways[:2]:
            yield _some(somewhere, way if kind is None else both(kind, way))


def _element(lane: Node) -> Domain[Any]:
    assert isinstance(lane.domain, SequenceOf)
    element: Domain[Any] = lane.domain.element
    return element


def _item(lane: Node, place: Node) -> Node:
    return operation(Operator.AT, lane, place, domain=_element(lane))


def _somewhere(lane: Node) -> Bound:
    assert isinstance(lane.domain, SequenceOf)
    capacity = lane.domain.capacity
    if isinstance(capacity, int):
        return Bound("place~9", Int(0, capacity - 1))
    last = operation(Operator.SUBTRACT, capacity, Constant(1, Int()), domain=Int())
    return Bound("place~9", Int(0, last))


def _some(somewhere: Bound, condition: Node) -> Node:
    return quantified(Quantifier.SOME, somewhere, condition)


def _as_it_is(condition: Node) -> Node:
    return condition
