"""Random expressions of the specification language.

Every operator of the language occurs, also the partial ones: an expression may be undefined in some states, and the
readings must then agree on where.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, cast

from hypothesis import strategies as st

from gridproof_model.language import (
    Array,
    Bool,
    BoolExpr,
    Domain,
    EnumExpr,
    Expr,
    IndexExpr,
    IndexSet,
    Int,
    IntExpr,
    OneOf,
    Option,
    OptionExpr,
    Record,
    RecordExpr,
    Sequence,
    SequenceExpr,
    Set,
    array_of,
    count,
    element_at,
    exists,
    first,
    for_all,
    greatest,
    if_else,
    larger,
    least,
    smaller,
    sum_of,
)
from gridproof_model.language.expressions import coerced

Draw = Callable[[st.SearchStrategy[Any]], Any]


class Colour(Enum):
    """Some enumeration."""

    RED = "red"
    GREEN = "green"
    BLUE = "blue"


class Message(RecordExpr):
    """Some record."""

    colour: EnumExpr[Colour]
    number: IntExpr
    sender: OptionExpr[IndexExpr]


@dataclass(frozen=True)
class Scope:
    """What an expression may speak of."""

    variables: tuple[Expr, ...]
    members: IndexSet
    slots: IndexSet
    literals: tuple[int, ...]
    """The positions of slots that may be named; a world need not have them all."""
    bound: tuple[IndexExpr, ...] = ()
    numbers: tuple[IntExpr, ...] = ()
    """Parameters of the definition that is being drawn."""
    definitions: tuple[Callable[[IntExpr], BoolExpr], ...] = ()
    """Conditions on a number, which may be undefined where the condition does not look at it."""

    def with_bound(self, element: IndexExpr) -> Scope:
        """Return the scope inside a quantifier."""
        return replace(self, bound=(*self.bound, element))

    def cells(self, domain: Domain[Any]) -> list[Expr]:
        """Return readable cells of a domain: variables, and cells of arrays at bound elements."""
        found = [variable for variable in self.variables if variable.node.domain == domain]
        for variable in self.variables:
            held = variable.node.domain
            if isinstance(held, Array | Set) and held.element == domain:
                elements = [element for element in self.bound if element.node.domain == held.index]
                found += [cast("Any", variable)[element] for element in elements]
        return found


def expression(draw: Draw, domain: Domain[Any], scope: Scope, depth: int) -> Expr:
    """Draw an expression of any domain."""
    cells = scope.cells(domain)
    if cells and draw(st.integers(0, 2)) == 0:
        return cast("Expr", draw(st.sampled_from(cells)))
    if depth > 0 and not isinstance(domain, Int | Bool | IndexSet) and draw(st.integers(0, 3)) == 0:
        condition = truth(draw, scope, depth - 1)
        then, otherwise = (expression(draw, domain, scope, depth - 1) for _ in range(2))
        return if_else(condition, then, otherwise)
    match domain:
        case Bool():
            return truth(draw, scope, depth)
        case Int():
            return number(draw, scope, depth)
        case OneOf():
            return coerced(draw(st.sampled_from(domain.choices)), domain)
        case Option():
            return _option(draw, domain, scope, depth)
        case Array() | Set():
            return array_of(domain.index, lambda e: expression(draw, domain.element, scope.with_bound(e), depth - 1))
        case Record():
            return cast(
                "Expr", domain(**{name: expression(draw, inner, scope, depth - 1) for name, inner in domain.fields})
            )
        case Sequence():
            return _sequence(draw, domain, scope, depth)
        case _:
            assert isinstance(domain, IndexSet)
            return _element(draw, domain, scope)


def truth(draw: Draw, scope: Scope, depth: int) -> BoolExpr:
    """Draw a condition."""
    below = depth - 1
    if depth <= 0:
        cells = cast("list[BoolExpr]", scope.cells(Bool()))
        return draw(st.sampled_from(cells)) if cells else number(draw, scope, 0) == 1
    index = draw(st.sampled_from([scope.members, scope.slots]))
    compared = draw(st.sampled_from([variable.node.domain for variable in scope.variables]))
    makers: list[Callable[[], BoolExpr]] = [
        lambda: truth(draw, scope, below) & truth(draw, scope, below),
        lambda: truth(draw, scope, below) | truth(draw, scope, below),
        lambda: ~truth(draw, scope, below),
        lambda: truth(draw, scope, below).implies(truth(draw, scope, below)),
        lambda: number(draw, scope, below) < number(draw, scope, below),
        lambda: number(draw, scope, below) >= number(draw, scope, below),
        lambda: expression(draw, compared, scope, below) == expression(draw, compared, scope, below),
        lambda: for_all(index, lambda e: truth(draw, scope.with_bound(e), below)),
        lambda: exists(index, lambda e: truth(draw, scope.with_bound(e), below)),
        lambda: _option(draw, Option(scope.slots), scope, below).is_none,
        lambda: _option(draw, Option(scope.slots), scope, below).value < _element(draw, scope.slots, scope),
        lambda: count(index, lambda e: truth(draw, scope.with_bound(e), below)) * 2 > draw(st.integers(0, 4)),
        *[lambda it=it: it == number(draw, scope, below) for it in _options_of_numbers(scope)],
        *[lambda it=it: it(number(draw, scope, below)) for it in scope.definitions],
    ]
    return draw(st.sampled_from(makers))()  # type: ignore[no-any-return]


def number(draw: Draw, scope: Scope, depth: int) -> IntExpr:
    """Draw a number."""
    below = depth - 1
    if depth <= 0:
        literal = coerced(draw(st.integers(-2, 4)), Int())
        cells = [*scope.numbers, *(cell for low in (0, -1) for cell in scope.cells(Int(low, 3)))]
        return cast("IntExpr", draw(st.sampled_from([literal, *cells])))
    index = draw(st.sampled_from([scope.members, scope.slots]))
    lanes = [variable for variable in scope.variables if isinstance(variable, SequenceExpr)]
    makers: list[Callable[[], IntExpr]] = [
        lambda: number(draw, scope, below) + number(draw, scope, below),
        lambda: number(draw, scope, below) - number(draw, scope, below),
        lambda: number(draw, scope, below) * number(draw, scope, below),
        lambda: number(draw, scope, below) // number(draw, scope, below),
        lambda: number(draw, scope, below) % number(draw, scope, below),
        lambda: smaller(number(draw, scope, below), number(draw, scope, below)),
        lambda: larger(number(draw, scope, below), number(draw, scope, below)),
        lambda: if_else(truth(draw, scope, below), number(draw, scope, below), number(draw, scope, below)),
        lambda: count(index, lambda e: truth(draw, scope.with_bound(e), below)),
        lambda: sum_of(index, lambda e: number(draw, scope.with_bound(e), below)),
        lambda: least(index, lambda e: number(draw, scope.with_bound(e), below)),
        lambda: greatest(index, lambda e: number(draw, scope.with_bound(e), below)),
        lambda: _element(draw, scope.slots, scope).ordinal,
        *[lambda lane=lane: lane.length for lane in lanes],
        *[lambda lane=lane: lane.head.number for lane in lanes],
        *[lambda it=it: it.value for it in _options_of_numbers(scope)],
    ]
    return draw(st.sampled_from(makers))()  # type: ignore[no-any-return]


def _options_of_numbers(scope: Scope) -> list[OptionExpr[IntExpr]]:
    return cast("list[OptionExpr[IntExpr]]", [cell for low in (0, 1) for cell in scope.cells(Option(Int(low, 2)))])


def _option(draw: Draw, domain: Option[Any], scope: Scope, depth: int) -> OptionExpr[Any]:
    if isinstance(domain.inner, Int):
        return coerced(draw(st.sampled_from([None, 1, number(draw, scope, depth)])), domain)
    if domain.inner == scope.slots and depth > 0 and draw(st.booleans()):
        return first(scope.slots, lambda e: truth(draw, scope.with_bound(e), depth - 1))
    values = [element for element in scope.bound if element.node.domain == domain.inner]
    return coerced(draw(st.sampled_from([None, *values])), domain)


def _sequence(draw: Draw, domain: Sequence[Any], scope: Scope, depth: int) -> Expr:
    lanes = cast("list[SequenceExpr[Any]]", scope.cells(domain))
    if not lanes or depth <= 0:
        return coerced((), domain)
    lane = draw(st.sampled_from(lanes))
    choice = draw(st.integers(0, 4))
    if choice == 0:
        return cast("Expr", lane.tail)
    if choice == 1:
        return cast("Expr", lane.without(number(draw, scope, depth - 1)))
    appended = lane.append(expression(draw, domain.element, scope, depth - 1))
    return if_else(lane.is_full, lane.tail, appended) if choice == 2 else cast("Expr", appended)


def _element(draw: Draw, index: IndexSet, scope: Scope) -> IndexExpr:
    known: list[IndexExpr] = [element for element in scope.bound if element.node.domain == index]
    if index.ordered:
        known.append(index[draw(st.sampled_from(scope.literals))])
        known.append(element_at(index, number(draw, scope, 0)))
    return cast("IndexExpr", draw(st.sampled_from(known)))
