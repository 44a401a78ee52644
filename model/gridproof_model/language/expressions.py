"""What authors write: typed expressions over the state.

An expression is built, never evaluated: operators return new expressions, and Python code that asks for its truth
(`if`, `and`, `not`, a chained comparison) fails at once with the author's line. Each expression wraps a node of the
tree (`.node`); this file decides, while the specification is built, which expressions may be combined. A domain says
which values a variable may have, and stands in the file before the class of its expressions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from enum import Enum
from functools import reduce
from typing import Any, Generic, NoReturn, TypeVar, cast

from gridproof_model.language.errors import SpecificationError, refuse_what_means_nothing, shown, where
from gridproof_model.language.notation import Notation
from gridproof_model.language.tree import Bound, Constant, Domain, Node, Operation, Operator, Parameter, Update

T = TypeVar("T", bound=Enum)
X = TypeVar("X", bound="Expr")
E = TypeVar("E", bound="Expr")


class Expr:
    """An expression of the language."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __init_subclass__(cls, speaks_of: type[Domain[Any]] | None = None) -> None:
        super().__init_subclass__()
        if speaks_of is not None:
            Domain.facades[speaks_of] = cls

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise SpecificationError(
            "an expression is neither true nor false while the specification is built: write & | ~ and if_else, "
            "not `and`, `or`, `not`, `if` or a chained comparison"
        )

    def __eq__(self, other: object) -> BoolExpr:  # type: ignore[override]
        return BoolExpr(Operation(Operator.EQUAL, meet(self, other), Bool()))

    def __ne__(self, other: object) -> BoolExpr:  # type: ignore[override]
        return ~(self == other)

    def _becomes(self, value: object) -> Update:
        node = coerce(value, self.node.domain)
        if isinstance(node, Constant) and _is_outside(node.value, self.node.domain):
            outside = f"becomes: the value {node.value} is outside {self.node.domain.describe()}"
            raise SpecificationError(f"{outside}: assign another value, or widen the domain")
        return Update(self.node, node)


refuse_what_means_nothing(Expr)


@dataclass(frozen=True)
class Bool(Domain["BoolExpr"]):
    """True and false."""

    def written(self, text: Callable[[Node], str]) -> str:
        """Return the domain as text, as a specification's page prints it."""
        return "true | false"

    def takes(self, value: object) -> bool:
        """Return whether this plain Python value can stand for a value of the domain in an expression."""
        return isinstance(value, bool)


class BoolExpr(Expr, speaks_of=Bool):
    """A truth value."""

    __slots__ = ()

    def __and__(self, other: BoolExpr | bool) -> BoolExpr:
        return BoolExpr(Operation(Operator.AND, (self.node, _condition(other)), Bool()))

    def __or__(self, other: BoolExpr | bool) -> BoolExpr:
        return BoolExpr(Operation(Operator.OR, (self.node, _condition(other)), Bool()))

    def __invert__(self) -> BoolExpr:
        return BoolExpr(Operation(Operator.NOT, (self.node,), Bool()))

    def implies(self, other: BoolExpr | bool) -> BoolExpr:
        """Return the implication, which is false only if this condition is true and the other condition is false."""
        return BoolExpr(Operation(Operator.IMPLIES, (self.node, coerce(other, Bool())), Bool()))

    def becomes(self, value: BoolExpr | bool) -> Update:
        """Return the update that sets this cell to the given value."""
        return self._becomes(value)


def _condition(other: object) -> Node:
    if isinstance(other, Expr) and not isinstance(other, BoolExpr):
        raise SpecificationError(f"a condition is needed where {shown(other)} stands: put each comparison in brackets")
    return coerce(other, Bool())


@dataclass(frozen=True)
class Int(Domain["IntExpr"]):
    """Whole numbers from `low` to `high`, both included; a bound that is None leaves its side open.

    Only bounded integers can be explored; proofs also accept unbounded integers.
    """

    low: Any = None
    high: Any = None

    def __post_init__(self) -> None:
        take_constant(self, "low")
        take_constant(self, "high")

    def describe(self) -> str:
        """Return the bounds."""
        low, high = (end if end is None or isinstance(end, int) else Notation().text(end) for end in self._ends)
        if high is None:
            return "Int" if low is None else f"Int({low} and more)"
        return f"Int({high} and less)" if low is None else f"Int({low}, {high})"

    def written(self, text: Callable[[Node], str]) -> str:
        """Return the domain as text, as a specification's page prints it."""
        if self.low is None and self.high is None:
            return "number"
        return " .. ".join("" if end is None else str(end) if isinstance(end, int) else text(end) for end in self._ends)

    def takes(self, value: object) -> bool:
        """Return whether this plain Python value can stand for a value of the domain in an expression."""
        return isinstance(value, int) and not isinstance(value, bool | Enum)

    def meets(self, other: Domain[Any]) -> bool:
        """Return whether values of the two domains may be compared or combined."""
        return isinstance(other, Int)

    @property
    def _ends(self) -> tuple[Any, Any]:
        return self.low, self.high


class IntExpr(Expr, speaks_of=Int):
    """A whole number."""

    __slots__ = ()

    def __add__(self, other: IntExpr | int) -> IntExpr:
        return self._arithmetic(Operator.ADD, other)

    def __sub__(self, other: IntExpr | int) -> IntExpr:
        return self._arithmetic(Operator.SUBTRACT, other)

    def __mul__(self, other: IntExpr | int) -> IntExpr:
        return self._arithmetic(Operator.MULTIPLY, other)

    def __floordiv__(self, other: IntExpr | int) -> IntExpr:
        return self._arithmetic(Operator.DIVIDE, other)

    def __mod__(self, other: IntExpr | int) -> IntExpr:
        return self._arithmetic(Operator.REMAINDER, other)

    def __radd__(self, other: int) -> IntExpr:
        return coerced(other, Int()) + self

    def __rsub__(self, other: int) -> IntExpr:
        return coerced(other, Int()) - self

    def __rmul__(self, other: int) -> IntExpr:
        return coerced(other, Int()) * self

    def __rfloordiv__(self, other: int) -> IntExpr:
        return coerced(other, Int()) // self

    def __rmod__(self, other: int) -> IntExpr:
        return coerced(other, Int()) % self

    def __neg__(self) -> IntExpr:
        return 0 - self

    def __lt__(self, other: IntExpr | int) -> BoolExpr:
        return compare(Operator.LESS, self, other)

    def __le__(self, other: IntExpr | int) -> BoolExpr:
        return compare(Operator.AT_MOST, self, other)

    def __gt__(self, other: IntExpr | int) -> BoolExpr:
        return compare(Operator.LESS, coerced(other, self.node.domain), self)

    def __ge__(self, other: IntExpr | int) -> BoolExpr:
        return compare(Operator.AT_MOST, coerced(other, self.node.domain), self)

    def becomes(self, value: IntExpr | int) -> Update:
        """Return the update that sets this cell to the given value."""
        return self._becomes(value)

    def _arithmetic(self, operator: Operator, other: IntExpr | int) -> IntExpr:
        return IntExpr(Operation(operator, (self.node, coerce(other, Int())), Int()))


@dataclass(frozen=True)
class OneOf(Domain["EnumExpr[T]"], Generic[T]):
    """The members of a Python enumeration."""

    choices: type[T]

    def __post_init__(self) -> None:
        given: object = self.choices
        if not isinstance(given, type) or not issubclass(given, Enum) or not given.__members__:
            raise SpecificationError(f"OneOf needs an enumeration with at least one member, not {shown(given)}")
        if min(len({name.lower() for name in given.__members__}), len(list(given))) < len(given.__members__):
            twice = "has two names for one value, or two names that differ in case only"
            raise SpecificationError(f"{given.__name__} {twice}: rename or remove one of the two")

    def describe(self) -> str:
        """Return the enumeration's name."""
        return self.choices.__name__

    def written(self, text: Callable[[Node], str]) -> str:
        """Return the domain as text, as a specification's page prints it."""
        return " | ".join(str(name).lower() for name in self.choices.__members__)

    def show(self, value: Any) -> str:
        """Return the words for a plain value of this domain."""
        return str(value.name).lower()

    def takes(self, value: object) -> bool:
        """Return whether this plain Python value can stand for a value of the domain in an expression."""
        return isinstance(value, self.choices)


class EnumExpr(Expr, Generic[T], speaks_of=OneOf):
    """A member of an enumeration."""

    __slots__ = ()

    def is_in(self, *choices: T) -> BoolExpr:
        """Return whether the value is one of the given values."""
        return any_of(*(self == choice for choice in choices))

    def becomes(self, value: EnumExpr[T] | T) -> Update:
        """Return the update that sets this cell to the given value."""
        return self._becomes(value)


@dataclass(frozen=True)
class IndexSet(Domain["IndexExpr"]):
    """A finite set of things, named by a noun such as members, slots or partitions.

    The elements of an `ordered` set can be compared with `<`, and one of them is the first. The elements of an
    unordered set are interchangeable: no expression can distinguish them, so symmetry reduction over them is sound.
    """

    name: str
    size: Any
    ordered: bool = False

    def __post_init__(self) -> None:
        take_constant(self, "size")

    def __getitem__(self, position: int) -> IndexExpr:
        """Return one element of an ordered set."""
        return index_constant(self, position)

    def __iter__(self) -> NoReturn:
        """Refuse iteration, since Python would ask for one position after another, without end."""
        raise SpecificationError(
            f"the size of {self.name!r} is known only in a world: "
            "write for_all, exists, count or array_of, not `for` or `in`"
        )

    def describe(self) -> str:
        """Return the noun."""
        return self.name

    def show(self, value: Any) -> str:
        """Return the name of one element, as traces print it."""
        return f"{self.name} {value}"


class IndexExpr(Expr, speaks_of=IndexSet):
    """An element of an index set."""

    __slots__ = ()

    def __lt__(self, other: IndexExpr) -> BoolExpr:
        return compare(Operator.LESS, self, other)

    def __le__(self, other: IndexExpr) -> BoolExpr:
        return compare(Operator.AT_MOST, self, other)

    def __gt__(self, other: IndexExpr) -> BoolExpr:
        return compare(Operator.LESS, other, self)

    def __ge__(self, other: IndexExpr) -> BoolExpr:
        return compare(Operator.AT_MOST, other, self)

    @property
    def ordinal(self) -> IntExpr:
        """The position of the element in an ordered set, counted from 0."""
        _require_order(self.node.domain)
        return IntExpr(Operation(Operator.ORDINAL, (self.node,), Int()))

    def becomes(self, value: IndexExpr) -> Update:
        """Return the update that sets this cell to the given value."""
        return self._becomes(value)


@dataclass(frozen=True)
class Option(Domain["OptionExpr[X]"], Generic[X]):
    """A value of another scalar domain, or None, such as a slot that may be empty."""

    inner: Domain[X]

    def __post_init__(self) -> None:
        if not isinstance(self.inner, Int | OneOf | IndexSet):
            raise SpecificationError(f"Option takes an Int, an enumeration or an index set, not {shown(self.inner)}")

    def describe(self) -> str:
        """Return the name of the inner domain, followed by a question mark."""
        return f"{self.inner.describe()} or None"

    def written(self, text: Callable[[Node], str]) -> str:
        """Return the domain as text, as a specification's page prints it."""
        return f"{self.inner.written(text)} or none"

    def show(self, value: Any) -> str:
        """Return the words for a plain value of this domain."""
        return "none" if value is None else self.inner.show(value)

    def takes(self, value: object) -> bool:
        """Return whether this plain Python value can stand for a value of the domain in an expression."""
        return value is None or (not isinstance(self.inner, IndexSet) and self.inner.takes(value))


class OptionExpr(Expr, Generic[X], speaks_of=Option):
    """A value or None."""

    __slots__ = ()

    @property
    def is_none(self) -> BoolExpr:
        """Whether the option has no value."""
        return BoolExpr(Operation(Operator.IS_NONE, (self.node,), Bool()))

    @property
    def is_some(self) -> BoolExpr:
        """Whether the option has a value."""
        return ~self.is_none

    @property
    def value(self) -> X:
        """The value of the option; a step that uses it while there is none is an error of the specification."""
        inner = cast("Option[Any]", self.node.domain).inner
        return cast("X", wrap(Operation(Operator.VALUE, (self.node,), inner)))

    def becomes(self, value: OptionExpr[X] | X | Enum | int | None) -> Update:
        """Return the update that sets this cell to the given value."""
        return self._becomes(value)


def wrap(node: Node) -> Expr:
    """Return the expression of a node, in the class that belongs to its domain."""
    return cast("Expr", node.domain.expression(node))


def bind(domain: Domain[X], name: str) -> X:
    """Return a bound variable over a domain, as an expression."""
    return domain.expression(Bound(name, domain))


def parameter(domain: Domain[X], name: str) -> X:
    """Return a constant of a specification as an expression."""
    return domain.expression(Parameter(name, domain))


def index_constant(index: IndexSet, position: int) -> IndexExpr:
    """Return the element at a position of an ordered set; if the size has constants, each world checks the position."""
    _require_order(index)
    if isinstance(position, bool) or not isinstance(position, int):
        how = "with a whole number in brackets, or with element_at and an expression"
        raise SpecificationError(f"an element of {index.name!r} is named in a wrong way: name it {how}")
    refuse_missing_element(index, position, where())
    return IndexExpr(Constant(position, index, at=where()))


def coerce(value: object, domain: Domain[Any]) -> Node:
    """Return a value or expression as a tree of this domain; SpecificationError if it does not fit the domain."""
    if isinstance(value, Expr):
        node = value.node
        if node.domain.meets(domain):
            return node
        if isinstance(domain, Option) and node.domain.meets(domain.inner):
            return Operation(Operator.SOME, (node,), domain)
        raise SpecificationError(f"{domain.describe()} is needed where {shown(value)} stands")
    if not domain.takes(value):
        cure = ": array_of(members, lambda one: ...) sets each element" if hasattr(domain, "index") else ""
        raise SpecificationError(f"{domain.describe()} is needed where {shown(value)} stands{cure}")
    return Constant(value, domain)


def coerced(value: object, domain: Domain[E]) -> E:
    """Return a value or expression as an expression of this domain."""
    return domain.expression(coerce(value, domain))


def meet(left: Expr, right: object) -> tuple[Node, Node]:
    """Return both sides of a comparison as trees of one domain; one side may be an option of the other's domain."""
    if isinstance(right, Expr) and isinstance(right.node.domain, Option) and not isinstance(left, OptionExpr):
        return coerce(left, right.node.domain), right.node
    return left.node, coerce(right, left.node.domain)


def compare(operator: Operator, left: Expr, right: object) -> BoolExpr:
    """Return an order comparison; SpecificationError for elements of an unordered set."""
    if isinstance(left.node.domain, IndexSet):
        _require_order(left.node.domain)
    return BoolExpr(Operation(operator, (left.node, coerce(right, left.node.domain)), Bool()))


def all_of(*conditions: BoolExpr | bool) -> BoolExpr:
    """Return the conjunction of the conditions; true if there are none."""
    return _joined(Operator.AND, conditions, empty=True)


def any_of(*conditions: BoolExpr | bool) -> BoolExpr:
    """Return the disjunction of the conditions; false if there are none."""
    return _joined(Operator.OR, conditions, empty=False)


def _joined(operator: Operator, conditions: tuple[BoolExpr | bool, ...], *, empty: bool) -> BoolExpr:
    nodes: list[Node] = [coerce(condition, Bool()) for condition in conditions]
    if not nodes:
        return BoolExpr(Constant(empty, Bool()))
    return BoolExpr(reduce(lambda left, right: Operation(operator, (left, right), Bool()), nodes))


def _require_order(domain: Domain[Any]) -> None:
    if isinstance(domain, IndexSet) and not domain.ordered:
        raise SpecificationError(
            f"the elements of {domain.name!r} have no order: declare the index set {domain.name!r} with ordered=True"
        )


def refuse_missing_element(index: IndexSet, position: int, at: str) -> None:
    """Raise SpecificationError if an index set has no element at a position; an open size allows any from 0."""
    if position < 0 or (isinstance(index.size, int) and position >= index.size):
        known = f"it has {index.size}, counted from 0" if isinstance(index.size, int) else "they are counted from 0"
        raise SpecificationError(f"{index.name} has no element {position}: {known}", at)


def _is_outside(value: object, domain: Domain[Any]) -> bool:
    """Return whether a plain number is outside bounds that are plain numbers; each world checks other bounds."""
    if isinstance(domain, Option):
        return _is_outside(value, domain.inner)
    if not isinstance(domain, Int) or not isinstance(value, int):
        return False
    too_low = isinstance(domain.low, int) and value < domain.low
    return too_low or (isinstance(domain.high, int) and value > domain.high)


def take_constant(domain: Domain[Any], name: str) -> None:
    """Replace a bound that is an expression by its tree; it has to be a number or an expression over constants."""
    value = getattr(domain, name)
    node = getattr(value, "node", None)
    if node is not None:
        object.__setattr__(domain, name, node)
    elif value is not None and (isinstance(value, bool) or not isinstance(value, int)) and not is_dataclass(value):
        raise SpecificationError(f"{name} must be a whole number or a constant, not {value!r}")
