"""Values for sets of any size: their elements, and values made of elements; with layout, choices and comparisons.

A set whose size is a number consists of its positions, and a quantifier over it is unrolled. A set whose size is open
is one of three things: a sort without order; a sort with a total order and a first element; or, if the specification
computes with positions, the integers below the size. `axioms` states the properties of orders and sizes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import z3

from gridproof_model.language import Specification
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.structures import Array, Record, Set
from gridproof_model.language.structures import Sequence as SequenceOf
from gridproof_model.language.tree import ANY, Domain, Node, Operation, Operator, Parameter, Unsaid, walk
from gridproof_model.language.values import Plain, default_value
from gridproof_model.language.world import Open
from gridproof_properties.proofs.any_number.formulas import (
    FALSE,
    TRUE,
    ArrayValue,
    Formula,
    Meaning,
    OptionValue,
    SequenceValue,
    Term,
    at_most,
    choice,
    conjunction,
    equality,
    implication,
    is_false,
    is_true,
    negation,
    occurs,
)

UNROLLED_MAX = 8
"""A quantifier over at most this many numbers is unrolled; a quantifier over a range with an open end never is."""


class NoMeaningError(Exception):
    """Raised if a part of a specification cannot be stated for sets of any size; the error's text names the part."""


class Way(Enum):
    """The ways to represent the elements of an index set."""

    FIXED = "positions, as many as its size"
    UNORDERED = "a sort"
    ORDERED = "a sort with an order"
    NUMBERED = "the integers below its size"


@dataclass(frozen=True, slots=True)
class OrderedSort:
    """The order of a sort, and its first element."""

    at_most: Any
    first: Term


class Elements:
    """The constants and index sets of a specification, some of which are open."""

    def __init__(self, specification: Specification, constants: Mapping[str, Plain], trees: Iterable[Node]) -> None:
        self.axioms: list[Formula] = []
        """The formulas that are true in every state."""
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
        """Return how the elements of a set are represented."""
        if self.number(index.size) is not None:
            return Way.FIXED
        if index.name in self._numbered:
            return Way.NUMBERED
        return Way.ORDERED if index.ordered else Way.UNORDERED

    def number(self, number: Any) -> int | None:
        """Return a bound or a size as a number; None if it is missing or depends on an open constant."""
        return self._ground.number(number)

    def size(self, index: IndexSet) -> Term:
        """Return the size of a set as a term."""
        return self._term(index.size)

    def sort(self, domain: Domain[Any]) -> Any:
        """Return the Z3 sort for the values of a domain of scalars."""
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
                raise NoMeaningError(f"an expression quantifies over {domain.describe()}, which is no scalar domain")

    def elements(self, domain: Domain[Any]) -> tuple[Term, ...] | None:
        """Return all elements of a domain if quantifiers over it are unrolled, otherwise None."""
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
        """Return the formula that a scalar is in its domain."""
        match domain:
            case IndexSet() if self.way(domain) in (Way.FIXED, Way.NUMBERED):
                return conjunction((at_most(z3.IntVal(0), term), z3.Not(at_most(self.size(domain), term))))
            case Int(low=low, high=high):
                above = TRUE if low is None else at_most(self._term(low), term)
                return conjunction((above, TRUE if high is None else at_most(term, self._term(high))))
            case _:
                return TRUE

    def is_at_most(self, domain: Domain[Any], one: Term, other: Term) -> Formula:
        """Return the formula that one element or number does not come after another."""
        if isinstance(domain, IndexSet) and self.way(domain) is Way.ORDERED:
            return TRUE if one.eq(other) else self._orders[domain.name].at_most(one, other)
        return at_most(one, other)

    def element(self, index: IndexSet, position: int) -> Term:
        """Return the element of a set at a position; raise NoMeaningError if the set has no order."""
        match self.way(index):
            case Way.UNORDERED:
                raise NoMeaningError(
                    f"an expression names an element of {index.name!r} by position, but {index.name!r} has no order"
                )
            case Way.ORDERED:
                return self._element_of_order(index, position)
            case _:
                return z3.IntVal(position)

    def first_element(self, index: IndexSet) -> Term:
        """Return the first element of a set; for a set without an order, always the same arbitrary element."""
        is_unordered = self.way(index) is Way.UNORDERED
        return z3.Const(f"some: {index.name}", self.sort(index)) if is_unordered else self.element(index, 0)

    def _term(self, node: Any) -> Term:
        """Return a bound or a size as a term in which open constants may occur."""
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
                raise NoMeaningError("a bound or a size is not a sum, difference or product of open constants")

    def _declare(self, index: IndexSet) -> None:
        self.axioms.append(self.size(index) >= 1)
        if self.way(index) is not Way.ORDERED:
            return
        sort, name = self.sort(index), index.name
        a, b, c = (z3.Const(f"{name} {letter}", sort) for letter in "abc")
        below, first = z3.Function(f"{name} at most", sort, sort, z3.BoolSort()), z3.Const(f"first: {name}", sort)
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
    """Yield the names of the index sets for which these expressions compute with positions."""
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
    """Return the Z3 sort of an enumeration, made only once and under a unique name, and a constant for each member."""
    if choices not in _enumerations:
        names = [f"{choices.__name__}.{name} {len(_enumerations)}" for name in choices.__members__]
        sort, constants = z3.EnumSort(f"{choices.__name__} {len(_enumerations)}", names)
        _enumerations[choices] = sort, dict(zip(choices.__members__.values(), constants, strict=True))
    return _enumerations[choices]


POSITIONS: Domain[Any] = Int(0, None)
"""The positions in a sequence of any length."""


@dataclass(frozen=True, slots=True)
class Demand:
    """A condition under which an expression is defined; variables of the quantifiers around it are free in it."""

    needed: Formula
    """A condition that is enough for the expression to be defined."""
    assured: Formula
    """A condition that is true if the expression is defined; it leaves out what a quantifier may leave unevaluated."""
    variables: tuple[Term, ...]

    def where(self, condition: Formula, around: tuple[Term, ...] = ()) -> "Demand":
        """Return this demand for where a condition is true, with the variables of further quantifiers around it."""
        needed, assured = (implication(condition, said) for said in (self.needed, self.assured))
        return Demand(needed, assured, (*self.variables, *around))


class Meanings(Elements):
    """Values made of the elements of index sets, and quantifiers over these elements."""

    is_lenient = False
    """Whether a number in a variable fits its domain whatever a bound is in which a constant is open."""
    demands: list[Demand] | None = None
    """The conditions for definedness (demands) gathered so far; None while none are gathered."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.scope: list[tuple[Term, Domain[Any]]] = []
        """The variables of the quantifiers around the expression that is being read."""
        self.path: list[Formula] = []
        """Conditions that are true wherever the expression that is being read is evaluated."""

    @contextmanager
    def reached(self, condition: Formula) -> Iterator[None]:
        """Return a context within which expressions are evaluated only where a condition is true."""
        self.path.append(condition)
        yield
        self.path.pop()

    @contextmanager
    def variable(self, domain: Domain[Any], name: str) -> Iterator[tuple[Term, Formula]]:
        """Return a context that yields a variable for any element of a domain, and the formula that it is in the
        domain."""
        x = z3.Const(f"{name}!{len(self.scope)}", self.sort(domain))
        is_inside = self.is_inside(domain, x)
        self.scope.append((x, domain))
        with self.reached(is_inside):
            yield x, is_inside
        self.scope.pop()

    def for_all(self, domain: Domain[Any], body: Callable[[Term], Formula], name: str = "x") -> Formula:
        """Return the formula that a condition is true for every element."""
        known = self.elements(domain)
        if known is not None:
            parts = list[Formula]()
            for element in known:
                with self.reached(conjunction(parts)):
                    parts.append(body(element))
            return conjunction(parts)
        first = len(self.demands or ())
        with self.variable(domain, name) as (x, is_inside):
            said = implication(is_inside, body(x))
        whole = z3.ForAll([x], said) if occurs(x, said) else said
        self.spare(first, whole)
        return whole

    def spare(self, first: int, condition: Formula) -> None:
        """Let the demands from number `first` on count only where a condition is true: elsewhere nothing is read."""
        if self.demands is not None:
            later = (replace(one, assured=implication(condition, one.assured)) for one in self.demands[first:])
            self.demands[first:] = later

    def exists(self, domain: Domain[Any], body: Callable[[Term], Formula], name: str = "x") -> Formula:
        """Return the formula that a condition is true for some element."""
        return negation(self.for_all(domain, lambda x: negation(body(x)), name))

    def laid_out(self, name: str, domain: Domain[Any], indices: tuple[Term, ...] = ()) -> Meaning:
        """Return the value of a variable, in which each scalar is a function of the indices."""
        match domain:
            case Array(element=element) | Set(element=element):
                return ArrayValue(lambda i: self.laid_out(name, element, (*indices, i)))
            case Record(fields=fields):
                return tuple(self.laid_out(f"{name}.{part}", inner, indices) for part, inner in fields)
            case Option(inner=inner):
                is_some = self.laid_out(f"{name} is some", Bool(), indices)
                return OptionValue(is_some, self.laid_out(name, inner, indices))
            case SequenceOf(element=element):
                length = self.laid_out(f"{name} length", POSITIONS, indices)
                return SequenceValue(lambda j: self.laid_out(f"{name} item", element, (*indices, j)), length=length)
            case _:
                sort = self.sort(domain)
                if not indices:
                    return z3.Const(name, sort)
                return z3.Function(name, *(i.sort() for i in indices), sort)(*indices)

    def constant(self, domain: Domain[Any], given: Plain) -> Meaning:
        """Return a plain value as terms; a single value that is given for an array is the value of each cell.

        The first value of a set without an order is an arbitrary element.
        """
        value: Any = given
        is_listed = isinstance(given, tuple)
        match domain:
            case IndexSet() if value is Unsaid.FIRST:
                return self.first_element(domain)
            case Array(element=element) | Set(element=element) if not is_listed:
                return ArrayValue(lambda _: self.constant(element, value))
            case Array(index=index, element=element) | Set(index=index, element=element):
                if self.way(index) is not Way.FIXED:
                    raise NoMeaningError(f"an array is given a value for each {index.name}, not one value for all")
                parts = [self.constant(element, part) for part in value]
                return ArrayValue(lambda i: self._picked(element, parts, i))
            case Record(fields=fields):
                parts = [value] * len(fields) if value is Unsaid.FIRST else value
                return tuple(self.constant(inner, part) for (_, inner), part in zip(fields, parts, strict=True))
            case _ if value is Unsaid.FIRST:
                known = Int(*map(self.number, (domain.low, domain.high))) if isinstance(domain, Int) else domain
                return self.constant(domain, default_value(known))
            case Option(inner=inner):
                shown = self.constant(inner, Unsaid.FIRST if value is None else value)
                return OptionValue(FALSE if value is None else TRUE, shown)
            case SequenceOf(element=element):
                items = [self.constant(element, part) for part in value]
                return SequenceValue(lambda j: self._picked(element, items, j), length=z3.IntVal(len(items)))
            case Bool():
                return TRUE if value else FALSE
            case OneOf(choices=choices):
                return choices_of(choices)[1][value]
            case IndexSet():
                return self.element(domain, value)
            case _:
                return z3.IntVal(value)

    def either(self, domain: Domain[Any], condition: Formula, then: Meaning, otherwise: Meaning) -> Meaning:
        """Return one of two values, depending on a condition."""
        if is_true(condition) or is_false(condition):
            return then if is_true(condition) else otherwise
        match domain:
            case Array(element=element) | Set(element=element):
                return ArrayValue(lambda i: self.either(element, condition, then.at(i), otherwise.at(i)))
            case Record(fields=fields):
                parts = zip(fields, then, otherwise, strict=True)
                return tuple(self.either(inner, condition, one, other) for (_, inner), one, other in parts)
            case Option():
                is_some = choice(condition, then.is_some, otherwise.is_some)
                if is_false(then.is_some):
                    return OptionValue(is_some, otherwise.value)
                value = then.value if is_false(otherwise.is_some) else choice(condition, then.value, otherwise.value)
                return OptionValue(is_some, value)
            case SequenceOf(element=element):
                length = choice(condition, then.length, otherwise.length)
                return SequenceValue(
                    lambda j: self.either(element, condition, then.at(j), otherwise.at(j)), length=length
                )
            case _:
                return choice(condition, then, otherwise)

    def equal(self, domain: Domain[Any], one: Meaning, other: Meaning) -> Formula:
        """Return the formula that two values are equal; items past a sequence's end and missing values are ignored."""
        match domain:
            case Array(index=index, element=element) | Set(index=index, element=element):
                return self.for_all(index, lambda i: self.equal(element, one.at(i), other.at(i)))
            case Record(fields=fields):
                parts = zip(fields, one, other, strict=True)
                return conjunction([self.equal(inner, a, b) for (_, inner), a, b in parts])
            case Option():
                same = implication(one.is_some, equality(one.value, other.value))
                return conjunction((equality(one.is_some, other.is_some), same))
            case SequenceOf(element=element):
                same = self._items(one, lambda j: self.equal(element, one.at(j), other.at(j)))
                return conjunction((equality(one.length, other.length), same))
            case _:
                return equality(one, other)

    def fits(self, domain: Domain[Any], value: Meaning) -> Formula:
        """Return the formula that a value is in its domain."""
        match domain:
            case Array(index=index, element=element) | Set(index=index, element=element):
                return self.for_all(index, lambda i: self.fits(element, value.at(i)))
            case Record(fields=fields):
                return conjunction([self.fits(inner, part) for (_, inner), part in zip(fields, value, strict=True)])
            case Option(inner=inner):
                return implication(value.is_some, self.fits(inner, value.value))
            case SequenceOf(element=element):
                ends = at_most(value.length, self._term(domain.capacity))
                items = self._items(value, lambda j: self.fits(element, value.at(j)))
                return conjunction((at_most(z3.IntVal(0), value.length), ends, items))
            case Int(low=low, high=high) if self.is_lenient:
                return self.is_inside(Int(self.number(low), self.number(high)), value)
            case _:
                return self.is_inside(domain, value)

    def starts_as(self, domain: Domain[Any], value: Meaning, given: Plain) -> Formula:
        """Return the formula that a variable's value is a possible initial value by its declaration; initial values
        that are expressions are handled elsewhere."""
        if given is ANY:
            return self.fits(domain, value)
        if isinstance(domain, Array | Set) and not isinstance(given, tuple | Unsaid | Node):
            return self.for_all(domain.index, lambda i: self.starts_as(domain.element, value.at(i), given))
        return self.equal(domain, value, self.constant(domain, given))

    def _items(self, sequence: SequenceValue, body: Callable[[Term], Formula]) -> Formula:
        return self.for_all(POSITIONS, lambda j: implication(negation(at_most(sequence.length, j)), body(j)))

    def _picked(self, element: Domain[Any], parts: list[Meaning], position: Term) -> Meaning:
        """Return the value at a position of a list; a position past the end gives a value without meaning."""
        result = parts[-1] if parts else self.constant(element, Unsaid.FIRST)
        for number in range(len(parts) - 2, -1, -1):
            result = self.either(element, equality(position, z3.IntVal(number)), parts[number], result)
        return result
