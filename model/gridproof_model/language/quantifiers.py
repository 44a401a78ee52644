"""Quantifiers over the elements of a domain, and the choice between two values."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from typing import Any, TypeVar, cast, overload

from gridproof_model.language.errors import SpecificationError, shown
from gridproof_model.language.expressions import (
    Bool,
    BoolExpr,
    EnumExpr,
    Expr,
    IndexExpr,
    IndexSet,
    Int,
    IntExpr,
    OneOf,
    Option,
    OptionExpr,
    coerce,
    coerced,
    wrap,
)
from gridproof_model.language.tree import Bound, Domain, If, Node, Operation, Operator, Quantified, Quantifier

E = TypeVar("E", bound=Expr)
F = TypeVar("F", bound=Expr)
G = TypeVar("G", bound=Expr)
X = TypeVar("X", bound=Expr)
C = TypeVar("C", bound=Enum)

_names_in_use: list[str] = []
"""Names that are already in use where a lambda is called: the parameters of the action or definition that is being
declared, and the variables of outer quantifiers. An inner variable must not have the name of an outer one, since an
expression that is passed to the inner quantifier may use the outer variable."""


@contextmanager
def declaring(*parameters: Expr) -> Iterator[None]:
    """Reserve the names of an action's or definition's parameters while its function is called."""
    names = [parameter.node.name for parameter in parameters if isinstance(parameter.node, Bound)]
    outer, _names_in_use[:] = list(_names_in_use), names
    try:
        yield
    finally:
        _names_in_use[:] = outer


@overload
def for_all(domain: Domain[E], body: Callable[[E], BoolExpr], /) -> BoolExpr: ...
@overload
def for_all(one: Domain[E], other: Domain[F], body: Callable[[E, F], BoolExpr], /) -> BoolExpr: ...
@overload
def for_all(one: Domain[E], other: Domain[F], third: Domain[G], body: Callable[[E, F, G], BoolExpr], /) -> BoolExpr: ...
def for_all(*domains_and_body: Any) -> BoolExpr:
    """Return whether the body is true for every element (with several domains: for every choice of elements)."""
    return _of_each(Quantifier.ALL, *domains_and_body)


@overload
def exists(domain: Domain[E], body: Callable[[E], BoolExpr], /) -> BoolExpr: ...
@overload
def exists(one: Domain[E], other: Domain[F], body: Callable[[E, F], BoolExpr], /) -> BoolExpr: ...
@overload
def exists(one: Domain[E], other: Domain[F], third: Domain[G], body: Callable[[E, F, G], BoolExpr], /) -> BoolExpr: ...
def exists(*domains_and_body: Any) -> BoolExpr:
    """Return whether the body is true for some element (with several domains: for some choice of elements)."""
    return _of_each(Quantifier.SOME, *domains_and_body)


def count(domain: Domain[E], body: Callable[[E], BoolExpr]) -> IntExpr:
    """Return for how many elements the body is true."""
    return IntExpr(_quantified(Quantifier.COUNT, domain, body, Bool(), Int()))


def sum_of(domain: Domain[E], body: Callable[[E], IntExpr]) -> IntExpr:
    """Return the sum of the body's values over all elements."""
    return IntExpr(_quantified(Quantifier.SUM, domain, body, Int()))


def least(domain: Domain[E], body: Callable[[E], IntExpr]) -> IntExpr:
    """Return the smallest value of the body."""
    return IntExpr(_quantified(Quantifier.LEAST, domain, body, Int()))


def greatest(domain: Domain[E], body: Callable[[E], IntExpr]) -> IntExpr:
    """Return the largest value of the body."""
    return IntExpr(_quantified(Quantifier.GREATEST, domain, body, Int()))


def first(index: IndexSet, body: Callable[[IndexExpr], BoolExpr]) -> OptionExpr[IndexExpr]:
    """Return the first element of an ordered set for which the body is true, or None."""
    _require_index_set(index)
    if not index.ordered:
        raise SpecificationError(f"{index.name!r} has no first element: declare {index.name!r} with ordered=True")
    return OptionExpr(_quantified(Quantifier.FIRST, index, body, Bool(), Option(index)))


@overload
def if_else(condition: BoolExpr, then: OptionExpr[X], otherwise: object) -> OptionExpr[X]: ...
@overload
def if_else(condition: BoolExpr, then: object, otherwise: OptionExpr[X]) -> OptionExpr[X]: ...
@overload
def if_else(condition: BoolExpr, then: X, otherwise: None) -> OptionExpr[X]: ...
@overload
def if_else(condition: BoolExpr, then: None, otherwise: X) -> OptionExpr[X]: ...
@overload
def if_else(condition: BoolExpr, then: C, otherwise: C) -> EnumExpr[C]: ...
@overload
def if_else(condition: BoolExpr, then: E, otherwise: object) -> E: ...
@overload
def if_else(condition: BoolExpr, then: object, otherwise: E) -> E: ...
def if_else(condition: BoolExpr, then: object, otherwise: object) -> Expr:
    """Return one of two values; at least one of them has to be an expression, or both have to be members of one
    enumeration. If one of the two is None, the result is an option."""
    if not isinstance(condition, BoolExpr):
        raise SpecificationError(f"if_else needs a condition of the specification language, not {shown(condition)}")
    if isinstance(then, Enum) and type(then) is type(otherwise):
        then = coerced(then, OneOf(type(then)))
    sides = [side for side in (then, otherwise) if isinstance(side, Expr)]
    if not sides:
        unknown = "neither value of if_else is an expression, so the domain of the result is unknown"
        raise SpecificationError(f"{unknown}: make one of the two values an expression")
    domain = next((s.node.domain for s in sides if isinstance(s.node.domain, Option)), sides[0].node.domain)
    if (then is None or otherwise is None) and not isinstance(domain, Option):
        domain = Option(domain)
    return wrap(If(condition.node, coerce(then, domain), coerce(otherwise, domain), widened(domain)))


def smaller(one: IntExpr, other: IntExpr | int) -> IntExpr:
    """Return the smaller of two numbers."""
    return IntExpr(Operation(Operator.SMALLER, (coerce(one, Int()), coerce(other, Int())), Int()))


def larger(one: IntExpr, other: IntExpr | int) -> IntExpr:
    """Return the larger of two numbers."""
    return IntExpr(Operation(Operator.LARGER, (coerce(one, Int()), coerce(other, Int())), Int()))


def element_at(index: IndexSet, position: IntExpr) -> IndexExpr:
    """Return the element at a position of an ordered set, counted from 0; undefined if there is no such position."""
    _require_index_set(index)
    if isinstance(position, int):
        return index[position]
    if not index.ordered:
        raise SpecificationError(f"{index.name!r} has no positions: declare {index.name!r} with ordered=True")
    return IndexExpr(Operation(Operator.ELEMENT, (coerce(position, Int()),), index))


def widened(domain: Domain[Any]) -> Domain[Any]:
    """Return the domain of a computed value, in which integers have no bounds."""
    return Int() if isinstance(domain, Int) else domain


def _of_each(quantifier: Quantifier, *domains_and_body: Any) -> BoolExpr:
    """Return nested quantifiers, with the first domain outermost."""
    *domains, body = domains_and_body
    names = _names_of(body, len(domains))

    def within(*elements: Expr) -> BoolExpr:
        place = len(elements)
        if place == len(domains):
            return cast("BoolExpr", body(*elements))
        inner = _quantified(quantifier, domains[place], lambda one: within(*elements, one), Bool(), name=names[place])
        return BoolExpr(inner)

    return within()


def said_of_an_element(domain: Domain[E], body: Callable[[E], Any], name: str = "") -> tuple[Bound, object]:
    """Return the name that stands for an element of a domain, and the lambda's result for that element."""
    if not isinstance(domain, IndexSet | OneOf | Bool | Int):
        raise SpecificationError(f"quantifiers range over index sets and other scalar domains, not {shown(domain)}")
    bound = Bound(_fresh_name(name or _names_of(body, 1)[0]), domain)
    _names_in_use.append(bound.name)
    try:
        return bound, body(cast("E", domain.expression(bound)))
    finally:
        _names_in_use.pop()


def _quantified(
    quantifier: Quantifier,
    domain: Domain[E],
    body: Callable[[E], Any],
    body_domain: Domain[Any],
    result: Domain[Any] | None = None,
    *,
    name: str = "",
) -> Node:
    bound, value = said_of_an_element(domain, body, name)
    return Quantified(quantifier, bound, coerce(value, body_domain), result or body_domain)


def _require_index_set(index: object) -> None:
    if not isinstance(index, IndexSet):
        raise SpecificationError(f"an index set is needed where {shown(index)} stands")


def _names_of(body: object, count: int) -> list[str]:
    """Return the names of the lambda's arguments; there has to be one argument for each domain."""
    if not callable(body) or isinstance(body, Expr):
        raise SpecificationError(f"a quantifier needs a lambda of one element, not {shown(body)}")
    names = list(inspect.signature(body).parameters)
    if len(names) != count:
        raise SpecificationError(f"this quantifier's lambda must take {_ELEMENTS.get(count, count)}, not {len(names)}")
    return names


_ELEMENTS = {1: "one element", 2: "two elements, one of each domain", 3: "three elements, one of each domain"}


def _fresh_name(wanted: str) -> str:
    name, number = wanted, 2
    while name in _names_in_use:
        name, number = f"{wanted}_{number}", number + 1
    return name
