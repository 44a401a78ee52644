"""Arrays, sets, records and sequences in expressions."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Generic, Self, TypeVar, cast

from gridproof_model.language.domains import Array, Domain, IndexSet, Int, Record, Sequence, Set
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import BoolExpr, Expr, IndexExpr, IntExpr, coerce, wrap
from gridproof_model.language.refused import Called
from gridproof_model.language.tree import Constant, Construct, Field, Node, Operation, Operator
from gridproof_model.language.update import Update
from gridproof_model.language.values import Unsaid

X = TypeVar("X", bound=Expr)
F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound="RecordExpr")


def called(method: F) -> F:
    """Return a method that is refused where somebody forgets to call it; type checkers see the method."""
    return cast("F", Called(method))


class ArrayExpr(Expr, Generic[X], speaks_of=Array):
    """A value for every element of an index set."""

    __slots__ = ()

    @property
    def index(self) -> IndexSet:
        """The index set."""
        return cast("Array[X]", self.node.domain).index

    @property
    def element(self) -> Domain[X]:
        """The domain of one cell."""
        return cast("Array[X]", self.node.domain).element

    def __getitem__(self, index: IndexExpr) -> X:
        operands = (self.node, coerce(index, self.index))
        return cast("X", wrap(Operation(Operator.SELECT, operands, self.element)))

    def store(self, index: IndexExpr, value: object) -> Self:
        """Return this array with one cell replaced."""
        operands = (self.node, coerce(index, self.index), coerce(value, self.element))
        return cast("Self", wrap(Operation(Operator.STORE, operands, self.node.domain)))

    def becomes(self, value: ArrayExpr[X]) -> Update:
        """Return the update that sets every cell."""
        return self._becomes(value)


class SetExpr(ArrayExpr[BoolExpr], speaks_of=Set):
    """A set of elements of an index set: `heard[manager]` says whether the manager is in it."""

    __slots__ = ()

    @called
    def count(self) -> IntExpr:
        """Return how many elements it has."""
        from gridproof_model.language.quantifiers import count

        return count(self.index, lambda element: self[element])

    @called
    def is_empty(self) -> BoolExpr:
        """Return whether nothing is in it."""
        return ~self.is_any()

    @called
    def is_any(self) -> BoolExpr:
        """Return whether something is in it."""
        from gridproof_model.language.quantifiers import exists

        return exists(self.index, lambda element: self[element])

    def is_within(self, other: ArrayExpr[BoolExpr]) -> BoolExpr:
        """Return whether every element is in the other, too."""
        from gridproof_model.language.quantifiers import for_all

        return for_all(self.index, lambda element: self[element].implies(other[element]))


class RecordExpr(Expr, speaks_of=Record):
    """A record; subclass it and annotate the fields with their expression classes."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        domain = cast("Record[Any]", self.node.domain)
        return wrap(Field(self.node, name, domain.field(name)))

    def replace(self: R, **values: object) -> R:
        """Return this record with some fields replaced."""
        domain = cast("Record[R]", self.node.domain)
        for name in values:
            domain.field(name)
        parts = tuple(
            coerce(values[name], inner) if name in values else Field(self.node, name, inner)
            for name, inner in domain.fields
        )
        return cast("R", wrap(Construct(parts, domain)))

    def becomes(self: R, value: R) -> Update:
        """Return the update that sets every field."""
        return self._becomes(value)


class SequenceExpr(Expr, Generic[X], speaks_of=Sequence):
    """Values in order; `head` is the oldest."""

    __slots__ = ()

    @property
    def element(self) -> Domain[X]:
        """The domain of one value."""
        return cast("Sequence[X]", self.node.domain).element

    @property
    def length(self) -> IntExpr:
        """How many values there are."""
        return IntExpr(Operation(Operator.LENGTH, (self.node,), Int(0, self._domain.capacity)))

    @property
    def is_empty(self) -> BoolExpr:
        """Whether there is no value."""
        return self.length == 0

    @property
    def is_full(self) -> BoolExpr:
        """Whether nothing more can be appended."""
        return self.length == IntExpr(capacity_node(self._domain))

    @property
    def head(self) -> X:
        """The oldest value; undefined when empty."""
        return self.at(0)

    @property
    def tail(self) -> SequenceExpr[X]:
        """Everything but the oldest value; undefined when empty."""
        return self.without(0)

    def at(self, position: IntExpr | int) -> X:
        """Return the value at a position from 0; undefined past the end."""
        operands = (self.node, self._position(position))
        return cast("X", wrap(Operation(Operator.AT, operands, self.element)))

    def without(self, position: IntExpr | int) -> SequenceExpr[X]:
        """Return the sequence with one value lost; undefined past the end."""
        operands = (self.node, self._position(position))
        return SequenceExpr(Operation(Operator.REMOVE, operands, self._domain))

    def _position(self, position: IntExpr | int) -> Node:
        if isinstance(position, int) and position < 0:
            raise SpecificationError(f"positions are counted from 0, not from the end: .at({position}) is none")
        return coerce(position, Int())

    def append(self, value: X | Enum | int) -> SequenceExpr[X]:
        """Return the sequence with one more value; undefined when full."""
        operands = (self.node, coerce(value, self.element))
        return SequenceExpr(Operation(Operator.APPEND, operands, self._domain))

    def becomes(self, value: SequenceExpr[X] | tuple[()]) -> Update:
        """Return the update that sets the whole sequence; `()` empties it."""
        return self._becomes(value)

    @property
    def _domain(self) -> Sequence[X]:
        return cast("Sequence[X]", self.node.domain)


def construct(domain: Record[R], values: dict[str, object]) -> R:
    """Return a record from named fields; those left out take the first value of their domain."""
    for name in values:
        domain.field(name)
    parts = tuple(
        coerce(values[name], inner) if name in values else _left_out(name, inner) for name, inner in domain.fields
    )
    return cast("R", wrap(Construct(parts, domain)))


def capacity_node(domain: Sequence[Any]) -> Any:
    """Return a sequence's capacity as a tree."""
    return Constant(domain.capacity, Int()) if isinstance(domain.capacity, int) else domain.capacity


def _left_out(name: str, domain: Domain[Any]) -> Constant:
    if isinstance(domain, IndexSet) and not domain.ordered:
        raise SpecificationError(f"{name} needs a value: no {domain.name} is the first; or make it an Option")
    return Constant(Unsaid.FIRST, domain)
