"""Index sets of any size, and the scalars of a specification as Z3 sorts.

A set whose size is a number is its positions, and quantifiers over it unroll. One whose size is open is a sort without
order; a sort with a total order and a first element; or, where positions are reckoned with, the integers below its
size. What is said of it stands in `axioms`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

import z3

from gridproof_model.language import Plain, Specification
from gridproof_model.language.domains import Bool, Domain, IndexSet, Int, OneOf
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.tree import Node, Operation, Operator, Parameter, walk
from gridproof_model.language.world import Open
from gridproof_properties.proofs.any_number.formulas import FALSE, TRUE, Formula, Term, at_most, conjunction

UNROLLED_MAX = 8
"""A range of numbers that has no more than so many unrolls; one with open ends never does."""


class NoMeaningError(Exception):
    """What a specification says that has no meaning for any number; its text names it."""


class Way(Enum):
    """How the elements of an index set are spoken of."""

    FIXED = "positions, as many as its size"
    UNORDERED = "a sort"
    ORDERED = "a sort with an order"
    NUMBERED = "the integers below its size"


@dataclass(frozen=True, slots=True)
class OrderedSort:
    """The order of a sort and its first element."""

    at_most: Any
    first: Term


class Elements:
    """The constants and index sets of a specification, of which some are open."""

    def __init__(self, specification: Specification, constants: Mapping[str, Plain], trees: Iterable[Node]) -> None:
        self.axioms: list[Formula] = []
        """True in every state."""
        self.specification = specification
        self.given = {name: value for name, value in constants.items() if not isinstance(value, Open)}
        self._ground = Grounding(self.given)
        self._numbered = frozenset(_with_positions(trees))
        opened = [constant for constant in specification.constants if constant.name not in self.given]
        truths = {one.name for one in opened if isinstance(one.domain, Bool)}
        self.open_constants: dict[str, Term] = {
            one.name: (z3.Bool if one.name in truths else z3.Int)(one.name) for one in opened
        }
        self.axioms += [self.open_constants[one.name] >= one.least for one in opened if one.name not in truths]
        self._orders: dict[str, OrderedSort] = {}
        self._nth: dict[tuple[str, int], Term] = {}
        for index in specification.index_sets:
            if self.way(index) is not Way.FIXED:
                self._declare(index)

    def way(self, index: IndexSet) -> Way:
        """Return how the elements of a set are spoken of."""
        if self.number(index.size) is not None:
            return Way.FIXED
        if index.name in self._numbered:
            return Way.NUMBERED
        return Way.ORDERED if index.ordered else Way.UNORDERED

    def number(self, number: Any) -> int | None:
        """Return a bound or size as a number; None where it has none, or an open constant is in it."""
        return self._ground.number(number)

    def size(self, index: IndexSet) -> Term:
        """Return how many elements a set has."""
        return self._term(index.size)

    def sort(self, domain: Domain[Any]) -> Any:
        """Return the Z3 sort of a domain of scalars."""
        match domain:
            case Bool():
                return z3.BoolSort()
            case OneOf(choices=choices):
                return choices_of(choices)[0]
            case IndexSet() if self.way(domain) in (Way.UNORDERED, Way.ORDERED):
                return z3.DeclareSort(domain.name)
            case IndexSet() | Int():
                return z3.IntSort()
            case _:
                raise NoMeaningError(f"a quantifier over {domain.describe()}")

    def elements(self, domain: Domain[Any]) -> tuple[Term, ...] | None:
        """Return every element of a domain over which quantifiers unroll; None of another."""
        match domain:
            case Bool():
                return FALSE, TRUE
            case OneOf(choices=choices):
                return tuple(choices_of(choices)[1].values())
            case IndexSet() if self.way(domain) is Way.FIXED:
                return tuple(map(z3.IntVal, range(self.number(domain.size) or 0)))
            case Int(low=low, high=high):
                first, last = self.number(low), self.number(high)
                if first is None or last is None or last - first >= UNROLLED_MAX:
                    return None
                return tuple(map(z3.IntVal, range(first, last + 1)))
            case _:
                return None

    def is_inside(self, domain: Domain[Any], term: Term) -> Formula:
        """Return whether a scalar is in its domain; a bound that is open keeps nothing out."""
        match domain:
            case IndexSet() if self.way(domain) in (Way.FIXED, Way.NUMBERED):
                return conjunction((at_most(z3.IntVal(0), term), z3.Not(at_most(self.size(domain), term))))
            case Int(low=low, high=high):
                first, last = self.number(low), self.number(high)
                above = TRUE if first is None else at_most(z3.IntVal(first), term)
                return conjunction((above, TRUE if last is None else at_most(term, z3.IntVal(last))))
            case _:
                return TRUE

    def is_at_most(self, domain: Domain[Any], one: Term, other: Term) -> Formula:
        """Return whether one element, or number, comes no later than another."""
        if isinstance(domain, IndexSet) and self.way(domain) is Way.ORDERED:
            return TRUE if one.eq(other) else self._orders[domain.name].at_most(one, other)
        return at_most(one, other)

    def element(self, index: IndexSet, position: int) -> Term:
        """Return the element of a set at a position; NoMeaningError where the set has no order."""
        match self.way(index):
            case Way.UNORDERED:
                raise NoMeaningError(f"an element of {index.name!r} by its position")
            case Way.ORDERED:
                return self._element_of_order(index, position)
            case _:
                return z3.IntVal(position)

    def first_element(self, index: IndexSet) -> Term:
        """Return the first element of a set; of one without order some element, the same one always."""
        is_unordered = self.way(index) is Way.UNORDERED
        return z3.Const(f"some {index.name}", self.sort(index)) if is_unordered else self.element(index, 0)

    def _term(self, node: Any) -> Term:
        """Return a size as a term over the open constants."""
        known = self.number(node)
        if known is not None:
            return z3.IntVal(known)
        match node:
            case Parameter(name=name):
                return self.open_constants[name]
            case Operation(operator=Operator.ADD, operands=(left, right)):
                return self._term(left) + self._term(right)
            case Operation(operator=Operator.SUBTRACT, operands=(left, right)):
                return self._term(left) - self._term(right)
            case Operation(operator=Operator.MULTIPLY, operands=(left, right)):
                return self._term(left) * self._term(right)
            case _:
                raise NoMeaningError("a size that is more than a sum, a difference or a product of open constants")

    def _declare(self, index: IndexSet) -> None:
        self.axioms.append(self.size(index) >= 1)
        if self.way(index) is not Way.ORDERED:
            return
        sort, name = self.sort(index), index.name
        a, b, c = (z3.Const(f"{name} {letter}", sort) for letter in "abc")
        below, first = z3.Function(f"{name} at most", sort, sort, z3.BoolSort()), z3.Const(f"first {name}", sort)
        self._orders[index.name] = OrderedSort(below, first)
        self.axioms += [
            z3.ForAll([a], below(a, a)),
            z3.ForAll([a, b], z3.Or(below(a, b), below(b, a))),
            z3.ForAll([a, b], z3.Implies(z3.And(below(a, b), below(b, a)), a == b)),
            z3.ForAll([a, b, c], z3.Implies(z3.And(below(a, b), below(b, c)), below(a, c))),
            z3.ForAll([a], below(first, a)),
        ]

    def _element_of_order(self, index: IndexSet, position: int) -> Term:
        order = self._orders[index.name]
        if position == 0:
            return order.first
        known = self._nth.get((index.name, position))
        if known is None:
            before = self._element_of_order(index, position - 1)
            known = self._nth[index.name, position] = z3.Const(f"{index.name} {position}", before.sort())
            other = z3.Const(f"{index.name} beside {position}", before.sort())
            between = z3.Or(order.at_most(other, before), order.at_most(known, other))
            self.axioms += [order.at_most(before, known), before != known, z3.ForAll([other], between)]
        return known


def _with_positions(trees: Iterable[Node]) -> Iterator[str]:
    """Yield the names of the index sets whose positions are reckoned with."""
    for tree in trees:
        for part in walk(tree):
            match part:
                case Operation(operator=Operator.ORDINAL, operands=(element,)) if isinstance(element.domain, IndexSet):
                    yield element.domain.name
                case Operation(operator=Operator.ELEMENT, domain=IndexSet(name=name)):
                    yield name
                case _:
                    pass


_enumerations: dict[type[Enum], tuple[Any, Mapping[Enum, Term]]] = {}


def choices_of(choices: type[Enum]) -> tuple[Any, Mapping[Enum, Term]]:
    """Return the Z3 sort of an enumeration, made once and with a name of its own, and its members' constants."""
    if choices not in _enumerations:
        names = [f"{choices.__name__}.{name} {len(_enumerations)}" for name in choices.__members__]
        sort, constants = z3.EnumSort(f"{choices.__name__} {len(_enumerations)}", names)
        _enumerations[choices] = sort, dict(zip(choices.__members__.values(), constants, strict=True))
    return _enumerations[choices]
