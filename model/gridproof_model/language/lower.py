"""Lowering: from trees to expressions over numbers.

Arrays and records become their cells, quantifiers are unrolled, and definitions and parameters are inserted. Where a
value may be undefined (as the value of an empty option is), or may leave its domain, lowering adds a demand: a
condition that has to be true wherever the value is used.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from gridproof_model.language import shapes
from gridproof_model.language.cells import bounds
from gridproof_model.language.expressions import Option
from gridproof_model.language.scalars import Demand, Scalar, Scalars, conjuncts
from gridproof_model.language.shapes import Lane, Shaped
from gridproof_model.language.structures import Record
from gridproof_model.language.tree import (
    Applied,
    Bound,
    Constant,
    Construct,
    Field,
    If,
    Node,
    Operation,
    Operator,
    Parameter,
    Quantified,
    Quantifier,
    Variable,
    children,
)
from gridproof_model.language.values import default_value, values_of

Bindings = Mapping[str, Shaped]


@dataclass(frozen=True, slots=True)
class Late:
    """An argument of a definition that may be undefined; this matters only where the definition uses the argument."""

    value: Shaped
    demands: tuple[Demand, ...]


@dataclass(slots=True)
class Known:
    """The lowered forms of those expressions that make no demands, kept because most are needed many times."""

    values: dict[tuple[object, ...], tuple[Node, Shaped]] = field(default_factory=dict)
    """Lowered values, by the expression's address and its names' meaning; the expression is stored with each value."""
    _names: dict[int, tuple[Node, tuple[str, ...]]] = field(default_factory=dict)

    def names_in(self, node: Node) -> tuple[str, ...]:
        """Return the free names of an expression."""
        known = self._names.get(id(node))
        if known is None:
            inner = dict.fromkeys(name for part in children(node) for name in self.names_in(part))
            if isinstance(node, Quantified):
                inner.pop(node.bound.name, None)
            if isinstance(node, Bound):
                inner[node.name] = None
            known = self._names[id(node)] = node, tuple(inner)
        return known[1]


@dataclass
class Lowering:
    """Lowers expressions over given variables and open constants, and collects their demands."""

    make: Scalars
    variables: Mapping[str, Shaped]
    open_constants: Mapping[str, Scalar]
    known: Known
    """The lowered forms known for these variables and constants, which all lowerings over them share."""
    demands: dict[Demand, None] = field(default_factory=dict)
    """The demands in the order in which they were first made, without repetitions."""
    at: str = ""
    """The author's line, which the demands name."""
    _reached: Scalar | None = None
    _asked: int = 0
    """How many demands were made so far, repetitions included."""

    def lower(self, node: Node, bindings: Bindings) -> Shaped:
        """Return the value of an expression, given the values of its bound names."""
        if isinstance(node, Bound):
            return self._read(bindings[node.name])
        key = (id(node), *map(bindings.get, self.known.names_in(node)))
        known = self.known.values.get(key)
        if known is not None:
            return known[1]
        asked = self._asked
        value = self._lowered(node, bindings)
        if self._asked == asked:
            self.known.values[key] = node, value
        return value

    def _lowered(self, node: Node, bindings: Bindings) -> Shaped:
        match node:
            case Constant(value=value, domain=domain):
                return shapes.constant(self.make, domain, value)
            case Parameter(name=name):
                return self.open_constants[name]
            case Variable(name=name):
                return self.variables[name]
            case Bound():
                raise AssertionError("a quantifier's name was not looked up; this is a defect of gridproof: report it")
            case Construct(values=values):
                return tuple(self.lower(value, bindings) for value in values)
            case Field(record=record, name=name):
                assert isinstance(record.domain, Record)
                position = [known for known, _ in record.domain.fields].index(name)
                return self.lower(record, bindings)[position]
            case Applied():
                return self.lower(node.body, self.bound(node, bindings))
            case If():
                return self._if(node, bindings)
            case Quantified():
                return self._quantified(node, bindings)
            case Operation():
                return self._operation(node, bindings)

    def bound(self, node: Applied, bindings: Bindings) -> Bindings:
        """Return the values of a definition's parameters; the conditions under which an argument is defined (its
        demands) are checked only where the definition's body uses the argument."""
        outer, reached = self.demands, self._reached
        result: dict[str, Shaped] = {}
        for parameter, argument in zip(node.parameters, node.arguments, strict=True):
            self.demands, self._reached = {}, None
            value = self.lower(argument, bindings)
            result[parameter.name] = Late(value, tuple(self.demands)) if self.demands else value
        self.demands, self._reached = outer, reached
        return result

    def _read(self, value: Shaped) -> Shaped:
        if not isinstance(value, Late):
            return value
        for demand in value.demands:
            self.demand(demand.condition, demand.sentence)
        return value.value

    def truth(self, node: Node, bindings: Bindings) -> Scalar:
        """Return the value of a condition."""
        value = self.lower(node, bindings)
        assert isinstance(value, Scalar)
        return value

    def demand(self, condition: Scalar, sentence: str) -> None:
        """Record a condition that has to be true at the place that is now being lowered."""
        if condition.is_true:
            return
        self._asked += 1
        if self._reached is not None:
            if condition in conjuncts(self._reached):  # the specification already checks just that
                return
            condition = self.make.either(self.make.negation(self._reached), condition)
        if not condition.is_true:
            self.demands[Demand(condition, sentence, self.at)] = None

    @contextmanager
    def reached(self, condition: Scalar) -> Iterator[None]:
        """Return a context; demands that are made within it apply only where the condition is true."""
        before = self._reached
        self._reached = condition if before is None else self.make.both(before, condition)
        yield
        self._reached = before

    def _if(self, node: If, bindings: Bindings) -> Shaped:
        condition = self.truth(node.condition, bindings)
        if condition.is_true:
            return self.lower(node.then, bindings)
        if condition.is_false:
            return self.lower(node.otherwise, bindings)
        with self.reached(condition):
            then = self.lower(node.then, bindings)
        with self.reached(self.make.negation(condition)):
            otherwise = self.lower(node.otherwise, bindings)
        return shapes.choice(self.make, condition, then, otherwise)

    def _quantified(self, node: Quantified, bindings: Bindings) -> Shaped:
        make, domain = self.make, node.bound.domain
        elements = [shapes.constant(make, domain, element) for element in values_of(domain)]
        bound = [{**bindings, node.bound.name: element} for element in elements]
        if node.quantifier in (Quantifier.ALL, Quantifier.SOME):
            return self._lazily(node.body, bound, stop_at=node.quantifier is Quantifier.SOME)
        if node.quantifier is Quantifier.FIRST:
            return self._first(node.body, bound)
        values = [self.lower(node.body, each) for each in bound]
        match node.quantifier:
            case Quantifier.EACH:
                return tuple(values)
            case Quantifier.COUNT:
                return _folded(make.add, [make.constant(0), *map(make.number, values)])
            case Quantifier.SUM:
                return _folded(make.add, [make.constant(0), *values])
            case Quantifier.LEAST:
                return _folded(self._smaller, values)
            case _:
                return _folded(self._larger, values)

    def _lazily(self, body: Node, bound: list[Bindings] | list[dict[str, Shaped]], *, stop_at: bool) -> Scalar:
        """Return the conjunction (or disjunction) of bodies; each is reached only if earlier ones do not decide it."""
        make = self.make
        result = make.truth(not stop_at)
        for each in bound:
            with self.reached(make.negation(result) if stop_at else result):
                value = self.truth(body, each)
            result = make.either(result, value) if stop_at else make.both(result, value)
        return result

    def _first(self, body: Node, bound: list[dict[str, Shaped]]) -> Scalar:
        make = self.make
        found, result = make.truth(False), make.constant(0)
        for position, each in enumerate(bound):
            with self.reached(make.negation(found)):
                value = self.truth(body, each)
            is_first = make.both(make.negation(found), value)
            result = make.choice(is_first, make.constant(position + 1), result)
            found = make.either(found, value)
        return result

    def _operation(self, node: Operation, bindings: Bindings) -> Shaped:
        if node.operator in (Operator.AND, Operator.OR, Operator.IMPLIES):
            return self._connective(node, bindings)
        make = self.make
        parts = [self.lower(operand, bindings) for operand in node.operands]
        match node.operator:
            case Operator.NOT:
                return make.negation(parts[0])
            case Operator.EQUAL:
                return shapes.equal(make, parts[0], parts[1])
            case Operator.SELECT:
                return shapes.select(make, parts[0], parts[1])
            case Operator.STORE:
                return shapes.store(make, parts[0], parts[1], parts[2])
            case Operator.ORDINAL:
                return parts[0]
            case Operator.SOME | Operator.IS_NONE | Operator.VALUE | Operator.ELEMENT:
                return self._scalar_domain(node, parts[0])
            case Operator.LENGTH | Operator.AT | Operator.APPEND | Operator.REMOVE:
                return self._sequence(node, parts[0], parts[1:])
            case _:
                return self._arithmetic(node.operator, parts[0], parts[1])

    def _connective(self, node: Operation, bindings: Bindings) -> Scalar:
        make = self.make
        left = self.truth(node.operands[0], bindings)
        with self.reached(make.negation(left) if node.operator is Operator.OR else left):
            right = self.truth(node.operands[1], bindings)
        if node.operator is Operator.AND:
            return make.both(left, right)
        return make.either(left if node.operator is Operator.OR else make.negation(left), right)

    def _scalar_domain(self, node: Operation, value: Scalar) -> Scalar:
        make = self.make
        match node.operator:
            case Operator.IS_NONE:
                return make.equal(value, make.constant(0))
            case Operator.ELEMENT:
                low, high = bounds(node.domain)
                self.demand(within(make, value, low, high), "it names a position outside an index set")
                return make.within(value, low, high)
            case Operator.SOME:
                assert isinstance(node.domain, Option)
                distance = make.subtract(value, make.constant(bounds(node.domain.inner)[0] or 0))
                is_inside = make.at_most(make.constant(0), distance)
                return make.choice(is_inside, make.within(make.add(distance, make.constant(1)), 1, None), distance)
            case _:
                first = bounds(node.domain)[0] or 0
                is_some = make.negation(make.equal(value, make.constant(0)))
                self.demand(is_some, "it takes the value of an option that is None")
                inside, below = (make.add(value, make.constant(first - less)) for less in (1, 0))
                is_inside = make.at_most(make.constant(0), value)  # 0 is none
                return make.choice(is_inside, make.within(inside, first, None), below)

    def _sequence(self, node: Operation, lane: Lane, rest: list[Any]) -> Shaped:
        make = self.make
        if node.operator is Operator.LENGTH:
            return lane.length
        if node.operator is Operator.APPEND:
            self.demand(make.less(lane.length, make.constant(len(lane.items))), "it appends to a sequence that is full")
            return shapes.append(make, lane, rest[0])
        inside = make.both(make.at_most(make.constant(0), rest[0]), make.less(rest[0], lane.length))
        self.demand(inside, "it reads a position past the end of a sequence")
        if node.operator is Operator.AT:
            return shapes.select(make, lane.items, rest[0])
        first = shapes.constant(make, node.domain.element, default_value(node.domain.element))  # type: ignore[attr-defined]
        return shapes.without(make, lane, rest[0], first)

    def _arithmetic(self, operator: Operator, a: Scalar, b: Scalar) -> Scalar:
        make = self.make
        if operator in (Operator.DIVIDE, Operator.REMAINDER):
            self.demand(make.less(make.constant(0), b), "it divides by a number that is not above 0")
        compute: dict[Operator, Callable[[Scalar, Scalar], Scalar]] = {
            Operator.LESS: make.less,
            Operator.AT_MOST: make.at_most,
            Operator.ADD: make.add,
            Operator.SUBTRACT: make.subtract,
            Operator.MULTIPLY: make.multiply,
            Operator.DIVIDE: make.divide,
            Operator.REMAINDER: make.remainder,
            Operator.SMALLER: self._smaller,
            Operator.LARGER: self._larger,
        }
        return compute[operator](a, b)

    def _smaller(self, a: Scalar, b: Scalar) -> Scalar:
        return self.make.choice(self.make.at_most(a, b), a, b)

    def _larger(self, a: Scalar, b: Scalar) -> Scalar:
        return self.make.choice(self.make.at_most(a, b), b, a)


def within(make: Scalars, value: Scalar, low: int | None, high: int | None) -> Scalar:
    """Return whether a number is within its bounds; a bound that is None is open."""
    above = make.at_most(make.constant(low), value) if low is not None else make.truth(True)
    below = make.at_most(value, make.constant(high)) if high is not None else make.truth(True)
    return make.both(above, below)


def _folded(combine: Any, values: list[Any]) -> Any:
    result = values[0]
    for value in values[1:]:
        result = combine(result, value)
    return result
