"""Which values a variable or field may hold.

A domain is written once and read by every engine. Its sizes and bounds may be constants of the specification
(`Int(0, writes)`); `grounded` puts plain numbers in their place when a world is chosen. The type argument of a domain
is the expression its values are spoken of with: `Array[EnumExpr[Kind]]` is a domain of `ArrayExpr[EnumExpr[Kind]]`.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, is_dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.refused import shown

if TYPE_CHECKING:  # The names stand in quoted type arguments, where ruff does not see them.
    from gridproof_model.language.expressions import (  # noqa: F401
        BoolExpr,
        EnumExpr,
        Expr,
        IndexExpr,
        IntExpr,
        OptionExpr,
    )
    from gridproof_model.language.structures import ArrayExpr, RecordExpr, SequenceExpr, SetExpr  # noqa: F401
    from gridproof_model.language.tree import Node  # noqa: F401

E_co = TypeVar("E_co", bound="Expr", covariant=True)
X = TypeVar("X", bound="Expr")
T = TypeVar("T", bound=Enum)
R = TypeVar("R", bound="RecordExpr")


@dataclass(frozen=True)
class Domain(Generic[E_co]):
    """A set of values."""

    def describe(self) -> str:
        """Return the domain in a few words, for messages."""
        return type(self).__name__


@dataclass(frozen=True)
class Bool(Domain["BoolExpr"]):
    """True and false."""


@dataclass(frozen=True)
class Int(Domain["IntExpr"]):
    """Whole numbers from `low` to `high`, both included; None leaves that side open.

    Only bounded integers can be explored; proofs take both.
    """

    low: Any = None
    high: Any = None

    def __post_init__(self) -> None:
        _take_constant(self, "low")
        _take_constant(self, "high")

    def describe(self) -> str:
        """Return the bounds."""
        from gridproof_model.language.notation import Notation

        ends = (self.low, self.high)
        low, high = (end if end is None or isinstance(end, int) else Notation().text(end) for end in ends)
        if high is None:
            return "Int" if low is None else f"Int({low} and more)"
        return f"Int({high} and less)" if low is None else f"Int({low}, {high})"


@dataclass(frozen=True)
class OneOf(Domain["EnumExpr[T]"], Generic[T]):
    """The members of a Python enumeration."""

    choices: type[T]

    def __post_init__(self) -> None:
        given: object = self.choices
        if not isinstance(given, type) or not issubclass(given, Enum) or not given.__members__:
            raise SpecificationError(f"OneOf takes an enumeration with at least one member, not {shown(given)}")
        if min(len({name.lower() for name in given.__members__}), len(list(given))) < len(given.__members__):
            raise SpecificationError(f"{given.__name__} has two names for one choice, or two that differ in case only")

    def describe(self) -> str:
        """Return the enumeration's name."""
        return self.choices.__name__


@dataclass(frozen=True)
class IndexSet(Domain["IndexExpr"]):
    """A finite set of things named by a noun: members, slots, partitions.

    `ordered` sets compare with `<` and have a first element. The elements of an unordered one are interchangeable:
    nothing in the language can distinguish them, which is what makes symmetry reduction over them sound.
    """

    name: str
    size: Any
    ordered: bool = False

    def __post_init__(self) -> None:
        _take_constant(self, "size")

    def __getitem__(self, position: int) -> IndexExpr:
        """Return one element of an ordered set."""
        from gridproof_model.language.expressions import index_constant

        return index_constant(self, position)

    def __iter__(self) -> NoReturn:
        """Refuse: without this, Python would count through the positions for ever."""
        raise SpecificationError(
            f"how many elements {self.name!r} has is known only in a world: "
            "write for_all, exists, count or array_of, not `for` or `in`"
        )

    def describe(self) -> str:
        """Return the noun."""
        return self.name

    def label(self, position: int) -> str:
        """Return the name of one element, as traces print it."""
        return f"{self.name} {position}"


@dataclass(frozen=True)
class Option(Domain["OptionExpr[X]"], Generic[X]):
    """A value of another scalar domain, or None: the slot that may be empty."""

    inner: Domain[X]

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Int | OneOf | IndexSet):
            raise SpecificationError(f"Option holds an Int, an enumeration or an index, not {_describe(self.inner)}")

    def describe(self) -> str:
        """Return the inner domain with a question mark."""
        return f"{self.inner.describe()} or None"


@dataclass(frozen=True)
class Array(Domain["ArrayExpr[X]"], Generic[X]):
    """One value for every element of an index set; arrays of arrays are tables."""

    index: IndexSet
    element: Domain[X] = None  # type: ignore[assignment]  # So that one left out is reported like one that is wrong.

    def __post_init__(self) -> None:
        _require_index("Array", self.index, "and the domain of a cell: Array(members, Int(0, 3))")
        _require_domain("the cells of an Array have a domain: Array(members, Int(0, 3))", self.element)

    def describe(self) -> str:
        """Return index and element."""
        return f"array over {self.index.name} of {self.element.describe()}"


@dataclass(frozen=True)
class Set(Domain["SetExpr"]):
    """A set of elements of an index set."""

    index: IndexSet

    def __post_init__(self) -> None:
        _require_index("Set", self.index, "as its elements are numbered: Set(members)")

    @property
    def element(self) -> Domain[BoolExpr]:
        """A set is an array of truth values."""
        return Bool()

    def describe(self) -> str:
        """Return the index set."""
        return f"set of {self.index.name}"


@dataclass(frozen=True)
class Record(Domain[R], Generic[R]):
    """Named fields: the contents of a message.

    `Record(Message, kind=OneOf(Kind), number=Int(0, 3))`, where `class Message(RecordExpr)` annotates its fields.
    """

    shape: type[R]
    fields: tuple[tuple[str, Domain[Any]], ...]

    def __init__(self, shape: type[R], **fields_given: Domain[Any]) -> None:
        if not isinstance(shape, type):
            raise SpecificationError(f"Record takes a class of named fields first, not {shown(shape)}")
        wanted = tuple(shape.__annotations__)
        if tuple(fields_given) != wanted:
            raise SpecificationError(f"{shape.__name__} has the fields {', '.join(wanted)}; give a domain for each")
        for name, domain in fields_given.items():
            _require_domain(f"the field {name!r} of {shape.__name__} has a domain", domain)
            if any(name in vars(base) for base in shape.__mro__):
                raise SpecificationError(f"a field cannot be called {name!r}: every record has something of that name")
        object.__setattr__(self, "shape", shape)
        object.__setattr__(self, "fields", tuple(fields_given.items()))

    def __call__(self, **values: Any) -> R:
        """Return a record; a field left out takes the first value of its domain."""
        from gridproof_model.language.structures import construct

        return construct(self, values)

    def field(self, name: str) -> Domain[Any]:
        """Return a field's domain; SpecificationError if there is none of that name."""
        for known, domain in self.fields:
            if known == name:
                return domain
        raise SpecificationError(
            f"{self.describe()} has no field {name!r}; it has {', '.join(n for n, _ in self.fields)}"
        )

    def describe(self) -> str:
        """Return the record's name."""
        return self.shape.__name__


@dataclass(frozen=True)
class Sequence(Domain["SequenceExpr[X]"], Generic[X]):
    """At most `capacity` values in order: a lane of messages in flight."""

    element: Domain[X]
    capacity: Any

    def __post_init__(self) -> None:
        _require_domain("the values of a Sequence have a domain: Sequence(Int(0, 3), 2)", self.element)
        _take_constant(self, "capacity")

    def describe(self) -> str:
        """Return the element and the capacity."""
        return f"sequence of {self.element.describe()}"


def grounded(domain: Domain[Any], evaluate: Callable[[Any], Any]) -> Domain[Any]:
    """Return the domain with plain numbers for its bounds and sizes; `evaluate` turns a constant into its value."""
    if isinstance(domain, Record):
        plain: Record[Any] = object.__new__(Record)
        object.__setattr__(plain, "shape", domain.shape)
        object.__setattr__(plain, "fields", tuple((name, grounded(inner, evaluate)) for name, inner in domain.fields))
        return plain
    changes: dict[str, Any] = {}
    for name, value in vars(domain).items():  # its fields
        if isinstance(value, Domain):
            changes[name] = grounded(value, evaluate)
        elif is_dataclass(value) and not isinstance(value, type):
            changes[name] = evaluate(value)
    if not changes:
        return domain
    plain_domain = copy(domain)
    for name, value in changes.items():  # as `replace` does, but for what is looked at when an author writes it
        object.__setattr__(plain_domain, name, value)
    return plain_domain


def _take_constant(domain: Domain[Any], name: str) -> None:
    """Replace an expression given as a bound by its tree; anything but a number or a constant expression is refused."""
    value = getattr(domain, name)
    node = getattr(value, "node", None)
    if node is not None:
        object.__setattr__(domain, name, node)
    elif value is not None and (isinstance(value, bool) or not isinstance(value, int)) and not is_dataclass(value):
        raise SpecificationError(f"{name} is a whole number or a constant, not {value!r}")


def _require_index(what: str, index: object, cure: str) -> None:
    if not isinstance(index, IndexSet):
        raise SpecificationError(f"{what} takes an index set, not {_describe(index)}, {cure}")


def _require_domain(what: str, domain: object) -> None:
    if not isinstance(domain, Domain):
        raise SpecificationError(f"{what}, not {_describe(domain)}")


def _describe(value: object) -> str:
    return shown(value)
