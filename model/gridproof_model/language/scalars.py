"""Expressions over numbers only, which fast engines compute.

A lowered expression is a graph of scalars: constants, cells of the state, and a dozen operators over integers and truth
values (0 and 1). Equal expressions are one object, so that an engine computes each shared part only once. Each scalar
has bounds for its value; they are right wherever the expression is defined, and make most domain checks unnecessary.

A lowered world consists of cells, guards, updates and claims. `lower` makes it, and every fast engine uses it: NumPy
and C kernels, Z3, Spark columns. A lowered world has no arrays, records, sequences, options or quantifiers, only
scalars over cells.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property, reduce

from gridproof_model.language.cells import Cell
from gridproof_model.language.declarations import Claim
from gridproof_model.language.run import Event
from gridproof_model.language.world import World


class Op(StrEnum):
    """The operators that every fast engine implements."""

    CONSTANT = "constant"
    CELL = "cell"
    NOT = "not"
    AND = "and"
    OR = "or"
    EQUAL = "equal"
    LESS = "less"
    AT_MOST = "at most"
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    """Division, rounded down towards minus infinity; the result is arbitrary if the divisor is not positive."""
    REMAINDER = "remainder"
    IF = "if"


@dataclass(frozen=True, slots=True, eq=False)
class Scalar:
    """A number or truth value computed from the cells of a state."""

    op: Op
    operands: tuple[Scalar, ...] = ()
    value: int = 0
    """The value of a constant, or the number of a cell."""
    low: int | None = None
    high: int | None = None
    is_truth: bool = False

    @property
    def is_true(self) -> bool:
        """Whether this is the constant true (or the number 1)."""
        return self.op is Op.CONSTANT and self.value == 1

    @property
    def is_false(self) -> bool:
        """Whether this is the constant false (or the number 0)."""
        return self.op is Op.CONSTANT and self.value == 0


def conjuncts(scalar: Scalar) -> Iterator[Scalar]:
    """Yield the conjuncts of a truth value that is a conjunction, else the value itself."""
    pending = [scalar]
    while pending:
        part = pending.pop()
        if part.op is Op.AND:
            pending.extend(part.operands)
        else:
            yield part


class ExpressionLimitError(Exception):
    """The limit on the number of expressions would be exceeded."""


@dataclass
class Scalars:
    """Makes simplified scalars, and equal scalars only once; ExpressionLimitError if there are more than `most`."""

    most: int | None = None
    knows_bounds: bool = True
    """Whether numbers that are not constants have bounds; if not, only constants allow simplification."""
    _made: dict[tuple[object, ...], Scalar] = field(default_factory=dict)

    def constant(self, value: int) -> Scalar:
        """Return a number."""
        return self._make(Op.CONSTANT, (), value, value, value, is_truth=False)

    def truth(self, value: bool) -> Scalar:
        """Return true or false."""
        return self._make(Op.CONSTANT, (), int(value), int(value), int(value), is_truth=True)

    def cell(self, number: int, low: int | None, high: int | None, *, is_truth: bool) -> Scalar:
        """Return the scalar of a cell, with the cell's value before the step."""
        return self._make(Op.CELL, (), number, low, high, is_truth=is_truth)

    def negation(self, a: Scalar) -> Scalar:
        """Return the negation of a truth value."""
        if a.op is Op.CONSTANT:
            return self.truth(a.value == 0)
        if a.op is Op.NOT:
            return a.operands[0]
        return self._truth(Op.NOT, a)

    def both(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the conjunction."""
        if a.is_false or b.is_false:
            return self.truth(False)
        if a.is_true or a is b:
            return b
        return a if b.is_true else self._truth(Op.AND, a, b)

    def either(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the disjunction."""
        if a.is_true or b.is_true:
            return self.truth(True)
        if a.is_false or a is b:
            return b
        return a if b.is_false else self._truth(Op.OR, a, b)

    def all(self, parts: Iterable[Scalar]) -> Scalar:
        """Return the conjunction of any number of truth values."""
        return reduce(self.both, parts, self.truth(True))

    def any(self, parts: Iterable[Scalar]) -> Scalar:
        """Return the disjunction of any number of truth values."""
        return reduce(self.either, parts, self.truth(False))

    def equal(self, a: Scalar, b: Scalar) -> Scalar:
        """Return whether two numbers, or two truth values, are equal."""
        if a is b:
            return self.truth(True)
        if a.op is Op.CONSTANT and b.op is Op.CONSTANT:
            return self.truth(a.value == b.value)
        if a.op is Op.CONSTANT:
            a, b = b, a
        if b.op is Op.CONSTANT and a.is_truth:
            return a if b.value else self.negation(a)
        if _apart(a, b):
            return self.truth(False)
        return self._truth(Op.EQUAL, a, b)

    def less(self, a: Scalar, b: Scalar) -> Scalar:
        """Return whether a < b."""
        if a.high is not None and b.low is not None and a.high < b.low:
            return self.truth(True)
        if a is b or (a.low is not None and b.high is not None and a.low >= b.high):
            return self.truth(False)
        return self._truth(Op.LESS, a, b)

    def at_most(self, a: Scalar, b: Scalar) -> Scalar:
        """Return whether a <= b."""
        if a is b or (a.high is not None and b.low is not None and a.high <= b.low):
            return self.truth(True)
        if a.low is not None and b.high is not None and a.low > b.high:
            return self.truth(False)
        return self._truth(Op.AT_MOST, a, b)

    def add(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the sum."""
        if a.is_false or b.is_false:
            return b if a.is_false else a
        return self._folded(Op.ADD, a, b, _plus(a.low, b.low), _plus(a.high, b.high))

    def subtract(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the difference."""
        if b.is_false:
            return a
        return self._folded(Op.SUBTRACT, a, b, _minus(a.low, b.high), _minus(a.high, b.low))

    def multiply(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the product."""
        ends = [_times(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
        known = [end for end in ends if end is not None]
        bounded = len(known) == len(ends)
        return self._folded(Op.MULTIPLY, a, b, min(known) if bounded else None, max(known) if bounded else None)

    def divide(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the quotient, rounded towards minus infinity."""
        if a.low is None or a.high is None:
            return self._folded(Op.DIVIDE, a, b, None, None)
        reach = max(abs(a.low), abs(a.high))
        return self._folded(Op.DIVIDE, a, b, 0 if a.low >= 0 and (b.low or 0) > 0 else -reach, reach)

    def remainder(self, a: Scalar, b: Scalar) -> Scalar:
        """Return the remainder, with the sign of the divisor."""
        low = None if b.low is None else min(b.low + 1, 0)
        high = None if b.high is None else max(b.high - 1, 0)
        return self._folded(Op.REMAINDER, a, b, low, high)

    def choice(self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        """Return one of two values, chosen by a condition."""
        if condition.op is Op.CONSTANT:
            return then if condition.value else otherwise
        if then is otherwise:
            return then
        if then.is_truth:
            return self._truth_choice(condition, then, otherwise)
        low = None if then.low is None or otherwise.low is None else min(then.low, otherwise.low)
        high = None if then.high is None or otherwise.high is None else max(then.high, otherwise.high)
        return self._make(Op.IF, (condition, then, otherwise), 0, low, high, is_truth=False)

    def number(self, a: Scalar) -> Scalar:
        """Return a truth value as the number 0 or 1."""
        return self.choice(a, self.constant(1), self.constant(0))

    def within(self, a: Scalar, low: int | None, high: int | None) -> Scalar:
        """Return the same expression with tighter bounds, which the caller knows to be right wherever it is defined."""
        low = a.low if low is None else low if a.low is None else max(low, a.low)
        high = a.high if high is None else high if a.high is None else min(high, a.high)
        if (low, high) == (a.low, a.high) or (low is not None and high is not None and low > high):
            return a
        return self._make(a.op, a.operands, a.value, low, high, is_truth=a.is_truth)

    def _truth_choice(self, condition: Scalar, then: Scalar, otherwise: Scalar) -> Scalar:
        if then.op is Op.CONSTANT:
            return self.either(condition, otherwise) if then.value else self.both(self.negation(condition), otherwise)
        if otherwise.op is Op.CONSTANT:
            return self.either(self.negation(condition), then) if otherwise.value else self.both(condition, then)
        return self._make(Op.IF, (condition, then, otherwise), 0, 0, 1, is_truth=True)

    def _truth(self, op: Op, *operands: Scalar) -> Scalar:
        return self._make(op, operands, 0, 0, 1, is_truth=True)

    def _folded(self, op: Op, a: Scalar, b: Scalar, low: int | None, high: int | None) -> Scalar:
        if a.op is Op.CONSTANT and b.op is Op.CONSTANT and (b.value != 0 or op not in (Op.DIVIDE, Op.REMAINDER)):
            return self.constant(_COMPUTE[op](a.value, b.value))
        return self._make(op, (a, b), 0, low, high, is_truth=False)

    def _make(
        self, op: Op, operands: tuple[Scalar, ...], value: int, low: int | None, high: int | None, *, is_truth: bool
    ) -> Scalar:
        if not self.knows_bounds and op is not Op.CONSTANT:
            low = high = None
        key = (op, operands, value, low, high, is_truth)
        made = self._made.get(key)
        if made is None:
            if self.most is not None and len(self._made) >= self.most:
                raise ExpressionLimitError
            made = self._made[key] = Scalar(op, operands, value, low, high, is_truth)
        return made


def in_order(expressions: Iterable[Scalar], known: Container[Scalar] = ()) -> Iterator[Scalar]:
    """Yield each part of the given expressions once, before the expressions that use it, except the `known` parts.

    Meanwhile, the caller may add the yielded parts to `known`.
    """
    done: set[Scalar] = set()
    pending = [(expression, False) for expression in expressions]
    while pending:
        scalar, is_ready = pending.pop()
        if scalar in done or scalar in known:
            continue
        if is_ready:
            done.add(scalar)
            yield scalar
        else:
            pending.append((scalar, True))
            pending.extend((operand, False) for operand in scalar.operands)


_COMPUTE = {
    Op.ADD: lambda a, b: a + b,
    Op.SUBTRACT: lambda a, b: a - b,
    Op.MULTIPLY: lambda a, b: a * b,
    Op.DIVIDE: lambda a, b: a // b,
    Op.REMAINDER: lambda a, b: a % b,
}


def _apart(a: Scalar, b: Scalar) -> bool:
    below = a.high is not None and b.low is not None and a.high < b.low
    return below or (b.high is not None and a.low is not None and b.high < a.low)


def _plus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a + b


def _minus(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a - b


def _times(a: int | None, b: int | None) -> int | None:
    return None if a is None or b is None else a * b


@dataclass(frozen=True, slots=True)
class Demand:
    """A condition without which a step or claim is undefined: a value is in its domain, or an option has a value."""

    condition: Scalar
    sentence: str
    at: str
    """The file and line in the specification."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One action with the values chosen for its parameters."""

    event: Event
    fair: bool
    guards: tuple[Scalar, ...]
    """The guards in the author's order; a guard that is always true for these parameters is the constant true."""
    guard_demands: tuple[Demand, ...]
    """The demands of the guards; each demand is also true wherever evaluation does not reach its place."""
    demands: tuple[Demand, ...]
    """The demands of the updates; they are true in every state in which a guard is false."""
    updates: tuple[tuple[int, Scalar], ...]
    """The numbers of the cells that may change, in increasing order, each with its value after the step."""
    at: str = ""
    """The line in the specification."""

    @property
    def is_impossible(self) -> bool:
        """Whether some guard is false for these parameters in every state, and no guard can be undefined."""
        return not self.guard_demands and any(guard.is_false for guard in self.guards)


@dataclass(frozen=True, slots=True)
class Premise:
    """A condition that has to be true in some state; otherwise the claim was never tested."""

    condition: Scalar
    text: str
    """The condition in the form in which people read it."""


@dataclass(frozen=True, slots=True)
class LoweredClaim:
    """A claim, as scalars over cells."""

    claim: Claim
    condition: Scalar
    trigger: Scalar | None
    demands: tuple[Demand, ...]
    premises: tuple[Premise, ...]
    is_empty: bool
    """Whether the constants alone make the claim true, so that it says nothing about this world."""


@dataclass(frozen=True)
class LoweredWorld:
    """A world whose actions and claims are scalar expressions over cells."""

    world: World
    cells: tuple[Cell, ...]
    open_constants: tuple[Cell, ...]
    """Constants that are left open for proofs, as cells after all other cells; no step changes them."""
    required: Scalar
    """The condition that the open constants have to satisfy; it is true in every state."""
    initial: Scalar
    """A condition that, if every cell is within its bounds, is true exactly in the initial states."""
    instances: tuple[Instance, ...]
    claims: tuple[LoweredClaim, ...]
    stopping: Scalar
    """The condition under which a behaviour may end."""
    stopping_demands: tuple[Demand, ...]
    """The demands of `stopping`."""

    @cached_property
    def possible_instances(self) -> tuple[Instance, ...]:
        """The action instances (actions with values for their parameters) whose guards can all be true together."""
        return tuple(instance for instance in self.instances if not instance.is_impossible)
