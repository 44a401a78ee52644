"""Arrays, sets, records and sequences: their domains, and the classes of their expressions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Self, TypeVar, cast

from gridproof_model.language.errors import Called, SpecificationError, shown
from gridproof_model.language.expressions import (
    Bool,
    BoolExpr,
    Expr,
    IndexExpr,
    IndexSet,
    Int,
    IntExpr,
    coerce,
    take_constant,
    wrap,
)
from gridproof_model.language.quantifiers import count, exists, for_all, said_of_an_element
from gridproof_model.language.tree import (
    Constant,
    Construct,
    Domain,
    Field,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    Unsaid,
    Update,
)

X = TypeVar("X", bound=Expr)
F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R", bound="RecordExpr")


def called(method: F) -> F:
    """Return a method that raises an error if an author forgets to call it; type checkers see an ordinary method."""
    return cast("F", Called(method))


@dataclass(frozen=True)
class Array(Domain["ArrayExpr[X]"], Generic[X]):
    """One value for every element of an index set; an array of arrays is a table."""

    index: IndexSet
    element: Domain[X] = None  # type: ignore[assignment]  # A missing one is reported like a wrong one.

    def __post_init__(self) -> None:
        _require_index("Array", self.index, "write Array(members, Int(0, 3))")
        _require_domain("the cells of an Array", "write, for example, Array(members, Int(0, 3))", self.element)

    def describe(self) -> str:
        """Return the text for the index set and the domain of the elements."""
        return f"array over {self.index.name} of {self.element.describe()}"

    def written(self, text: Callable[[Node], str]) -> str:
        """Return the domain as text, as a specification's page prints it."""
        return f"for each {self.index.name}: {self.element.written(text)}"

    def show(self, value: Any) -> str:
        """Return the words for a plain value of this domain."""
        return "[" + ", ".join(map(self.element.show, value)) + "]"

    def meets(self, other: Domain[Any]) -> bool:
        """Return whether values of the two domains may be compared or assigned."""
        return _meet_in_each(self, other)


class ArrayExpr(Expr, Generic[X], speaks_of=Array):
    """An array: one value for every element of an index set."""

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
        """Return the update that sets every cell to the value that the given array has for it."""
        return self._becomes(value)


@dataclass(frozen=True)
class Set(Domain["SetExpr"]):
    """A set of elements of an index set."""

    index: IndexSet

    def __post_init__(self) -> None:
        _require_index("Set", self.index, "write Set(members)")

    @property
    def element(self) -> Domain[BoolExpr]:
        """The domain of truth values: a set is an array of truth values."""
        return Bool()

    def describe(self) -> str:
        """Return the text for the index set."""
        return f"set of {self.index.name}"

    def show(self, value: Any) -> str:
        """Return the words for a plain value of this domain."""
        return "{" + ", ".join(self.index.show(i) for i, held in enumerate(value) if held) + "}"

    def meets(self, other: Domain[Any]) -> bool:
        """Return whether values of the two domains may be compared or assigned."""
        return _meet_in_each(self, other)


class SetExpr(ArrayExpr[BoolExpr], speaks_of=Set):
    """A set of elements of an index set: `heard[manager]` says whether the manager is in it."""

    __slots__ = ()

    @called
    def count(self) -> IntExpr:
        """Return how many elements the set has."""
        return count(self.index, lambda element: self[element])

    @called
    def is_empty(self) -> BoolExpr:
        """Return whether the set has no element."""
        return ~self.is_any()

    @called
    def is_any(self) -> BoolExpr:
        """Return whether the set has at least one element."""
        return exists(self.index, lambda element: self[element])

    def is_within(self, other: ArrayExpr[BoolExpr]) -> BoolExpr:
        """Return whether every element is also in the other set."""
        return for_all(self.index, lambda element: self[element].implies(other[element]))


@dataclass(frozen=True)
class Record(Domain[R], Generic[R]):
    """A record of named fields, such as the contents of a message.

    Authors write `Record(Message, kind=OneOf(Kind), number=Int(0, 3))`; the class `Message(RecordExpr)` annotates the
    fields.
    """

    shape: type[R]
    fields: tuple[tuple[str, Domain[Any]], ...]

    def __init__(self, shape: type[R], **fields_given: Domain[Any]) -> None:
        if not isinstance(shape, type):
            raise SpecificationError(f"the first argument of Record must be a class with fields, not {shown(shape)}")
        wanted = tuple(shape.__annotations__)
        if tuple(fields_given) != wanted:
            raise SpecificationError(f"{shape.__name__} has the fields {', '.join(wanted)}; give a domain for each")
        for name, domain in fields_given.items():
            _require_domain(f"the values of {shape.__name__}.{name}", "write, for example, Int(0, 3)", domain)
            if any(name in vars(base) for base in shape.__mro__):
                raise SpecificationError(f"a field cannot be called {name!r}, which every record has; rename it")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "fields", tuple(fields_given.items()))

    def __call__(self, **values: Any) -> R:
        """Return a record with these fields; a field that is left out has the first value of its domain."""
        return construct(self, values)

    def field(self, name: str) -> Domain[Any]:
        """Return the domain of a field; SpecificationError if the record has no such field."""
        for known, domain in self.fields:
            if known == name:
                return domain
        raise SpecificationError(
            f"{self.describe()} has no field {name!r}; it has {', '.join(n for n, _ in self.fields)}"
        )

    def describe(self) -> str:
        """Return the record's name."""
        return self.shape.__name__

    def expression(self, node: Node) -> R:
        """Return a node as an expression over this record."""
        return self.shape(node)

    def show(self, value: Any) -> str:
        """Return the words for a plain value of this domain."""
        parts = (f"{name}={inner.show(part)}" for (name, inner), part in zip(self.fields, value, strict=True))
        return f"{self.describe()}({', '.join(parts)})"


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
        """Return the update that sets every field to the value that the given record has for it."""
        return self._becomes(value)


@dataclass(frozen=True)
class Sequence(Domain["SequenceExpr[X]"], Generic[X]):
    """A sequence of at most `capacity` values, such as the messages in flight on one lane."""

    element: Domain[X]
    capacity: Any

    def __post_init__(self) -> None:
        _require_domain("the values of a Sequence", "write, for example, Sequence(Int(0, 3), 2)", self.element)
        take_constant(self, "capacity")

    def describe(self) -> str:
        """Return the text for the element and the capacity."""
        return f"sequence of {self.element.describe()}"

    def written(self, text: Callable[[Node], str]) -> str:
        """Return the domain as text, as a specification's page prints it."""
        capacity = str(self.capacity) if isinstance(self.capacity, int) else text(self.capacity)
        return f"at most {capacity} in order: {self.element.written(text)}"

    def show(self, value: Any) -> str:
        """Return the words for a plain value of this domain."""
        return "<" + ", ".join(map(self.element.show, value)) + ">"

    def takes(self, value: object) -> bool:
        """Return whether this plain Python value can stand for a value of the domain in an expression."""
        return value == ()


class SequenceExpr(Expr, Generic[X], speaks_of=Sequence):
    """A sequence of values; `head` is the oldest one."""

    __slots__ = ()

    @property
    def element(self) -> Domain[X]:
        """The domain of a single value."""
        return cast("Sequence[X]", self.node.domain).element

    @property
    def length(self) -> IntExpr:
        """How many values the sequence has."""
        return IntExpr(Operation(Operator.LENGTH, (self.node,), Int(0, self._domain.capacity)))

    @property
    def is_empty(self) -> BoolExpr:
        """Whether the sequence has no value."""
        return self.length == 0

    @property
    def is_full(self) -> BoolExpr:
        """Whether no further value can be appended."""
        return self.length == IntExpr(capacity_node(self._domain))

    @property
    def head(self) -> X:
        """The oldest value; undefined if the sequence is empty."""
        return self.at(0)

    @property
    def tail(self) -> SequenceExpr[X]:
        """The sequence without its oldest value; undefined if it is empty."""
        return self.without(0)

    def at(self, position: IntExpr | int) -> X:
        """Return the value at a position, counted from 0; undefined past the end."""
        operands = (self.node, self._position(position))
        return cast("X", wrap(Operation(Operator.AT, operands, self.element)))

    def without(self, position: IntExpr | int) -> SequenceExpr[X]:
        """Return the sequence without the value at a position; undefined past the end."""
        operands = (self.node, self._position(position))
        return SequenceExpr(Operation(Operator.REMOVE, operands, self._domain))

    def _position(self, position: IntExpr | int) -> Node:
        if isinstance(position, int) and position < 0:
            raise SpecificationError(f".at({position}): positions are counted from 0 at the start: write 0 or more")
        return coerce(position, Int())

    def append(self, value: X | Enum | int) -> SequenceExpr[X]:
        """Return the sequence with one more value at its end; undefined if the sequence is full."""
        operands = (self.node, coerce(value, self.element))
        return SequenceExpr(Operation(Operator.APPEND, operands, self._domain))

    def becomes(self, value: SequenceExpr[X] | tuple[()]) -> Update:
        """Return the update that sets the whole sequence; `()` empties it."""
        return self._becomes(value)

    @property
    def _domain(self) -> Sequence[X]:
        return cast("Sequence[X]", self.node.domain)


def construct(domain: Record[R], values: dict[str, object]) -> R:
    """Return a record with these values of its fields; a field that is left out has the first value of its domain."""
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
        problem = f"{name} needs an initial value, since {domain.name!r} has no order and so no first element"
        raise SpecificationError(f"{problem}: give {name} an initial value, or make its domain an Option")
    return Constant(Unsaid.FIRST, domain)


def array_of(index: IndexSet, body: Callable[[IndexExpr], X]) -> ArrayExpr[X]:
    """Return the array that has, for every element of an index set, the body's value."""
    bound, value = said_of_an_element(index, body)
    if not isinstance(value, Expr) or not isinstance(index, IndexSet):
        raise SpecificationError(f"the lambda of array_of must return an expression, not {shown(value)}")
    return ArrayExpr(Quantified(Quantifier.EACH, bound, value.node, Array(index, value.node.domain)))


def _meet_in_each(one: Array[Any] | Set, other: Domain[Any]) -> bool:
    return isinstance(other, Array | Set) and one.index == other.index and one.element.meets(other.element)


def _require_index(what: str, index: object, cure: str) -> None:
    if not isinstance(index, IndexSet):
        raise SpecificationError(f"{what} needs an index set, not {shown(index)}: {cure}")


def _require_domain(what: str, cure: str, domain: object) -> None:
    if not isinstance(domain, Domain):
        raise SpecificationError(f"{what} need a domain, not {shown(domain)}: {cure}")
