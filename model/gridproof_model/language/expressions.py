"""The words authors write: typed expressions over the state.

An expression is built, never evaluated: operators return new expressions, and asking one for its truth (`if`, `and`,
`not`, a chained comparison) fails at once with the author's line. Each wraps a node of the tree (`.node`); what may be
combined with what is decided here, when the specification is built.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, ClassVar, Generic, NoReturn, TypeVar, cast

from gridproof_model.language.domains import Array, Bool, Domain, IndexSet, Int, OneOf, Option, Record, Set
from gridproof_model.language.errors import SpecificationError, where
from gridproof_model.language.kinds import is_outside, is_plain, refuse_missing_element, same_kind
from gridproof_model.language.refused import refuse_what_means_nothing, shown
from gridproof_model.language.tree import Bound, Constant, Node, Operation, Operator, Parameter
from gridproof_model.language.update import Update

T = TypeVar("T", bound=Enum)
X = TypeVar("X", bound="Expr")
E = TypeVar("E", bound="Expr")


class Expr:
    """An expression of the language."""

    __slots__ = ("node",)
    facades: ClassVar[dict[type[Domain[Any]], type[Expr]]] = {}
    """Which class speaks of the values of which domain; each class enters itself."""

    def __init__(self, node: Node) -> None:
        self.node = node

    def __init_subclass__(cls, speaks_of: type[Domain[Any]] | None = None) -> None:
        super().__init_subclass__()
        if speaks_of is not None:
            Expr.facades[speaks_of] = cls

    __hash__ = object.__hash__

    def __bool__(self) -> NoReturn:
        raise SpecificationError(
            "an expression has no truth while the specification is built: write & | ~ and if_else, "
            "not `and`, `or`, `not`, `if` or a chained comparison"
        )

    def __eq__(self, other: object) -> BoolExpr:  # type: ignore[override]
        return BoolExpr(Operation(Operator.EQUAL, meet(self, other), Bool()))

    def __ne__(self, other: object) -> BoolExpr:  # type: ignore[override]
        return ~(self == other)

    def _becomes(self, value: object) -> Update:
        node = coerce(value, self.node.domain)
        if isinstance(node, Constant) and is_outside(node.value, self.node.domain):
            raise SpecificationError(f"{node.value} is outside {self.node.domain.describe()}")
        return Update(self.node, node)


refuse_what_means_nothing(Expr)


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
        """Return whether the other holds wherever this does."""
        return BoolExpr(Operation(Operator.IMPLIES, (self.node, coerce(other, Bool())), Bool()))

    def becomes(self, value: BoolExpr | bool) -> Update:
        """Return the update that sets this cell."""
        return self._becomes(value)


def _condition(other: object) -> Node:
    if isinstance(other, Expr) and not isinstance(other, BoolExpr):
        raise SpecificationError(f"here belongs a condition, not {shown(other)}: put each comparison in brackets")
    return coerce(other, Bool())


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
        """Return the update that sets this cell."""
        return self._becomes(value)

    def _arithmetic(self, operator: Operator, other: IntExpr | int) -> IntExpr:
        return IntExpr(Operation(operator, (self.node, coerce(other, Int())), Int()))


class EnumExpr(Expr, Generic[T], speaks_of=OneOf):
    """A member of an enumeration."""

    __slots__ = ()

    def is_in(self, *choices: T) -> BoolExpr:
        """Return whether it is one of these."""
        from gridproof_model.language.quantifiers import any_of

        return any_of(*(self == choice for choice in choices))

    def becomes(self, value: EnumExpr[T] | T) -> Update:
        """Return the update that sets this cell."""
        return self._becomes(value)


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
        """The position in an ordered set, from 0."""
        _require_order(self.node.domain)
        return IntExpr(Operation(Operator.ORDINAL, (self.node,), Int()))

    def becomes(self, value: IndexExpr) -> Update:
        """Return the update that sets this cell."""
        return self._becomes(value)


class OptionExpr(Expr, Generic[X], speaks_of=Option):
    """A value or None."""

    __slots__ = ()

    @property
    def is_none(self) -> BoolExpr:
        """Whether there is no value."""
        return BoolExpr(Operation(Operator.IS_NONE, (self.node,), Bool()))

    @property
    def is_some(self) -> BoolExpr:
        """Whether there is a value."""
        return ~self.is_none

    @property
    def value(self) -> X:
        """The value; a step that asks for it where there is none is an error of the specification."""
        inner = cast("Option[Any]", self.node.domain).inner
        return cast("X", wrap(Operation(Operator.VALUE, (self.node,), inner)))

    def becomes(self, value: OptionExpr[X] | X | Enum | int | None) -> Update:
        """Return the update that sets this cell."""
        return self._becomes(value)


def wrap(node: Node) -> Expr:
    """Return the expression class that speaks of a node."""
    domain = node.domain
    return domain.shape(node) if isinstance(domain, Record) else Expr.facades[type(domain)](node)


def bind(domain: Domain[X], name: str) -> X:
    """Return a bound variable of a domain."""
    return cast("X", wrap(Bound(name, domain)))


def parameter(domain: Domain[X], name: str) -> X:
    """Return a constant of a specification as an expression."""
    return cast("X", wrap(Parameter(name, domain)))


def index_constant(index: IndexSet, position: int) -> IndexExpr:
    """Return an element of an ordered index set by its position; a size that is no plain number waits for a world."""
    _require_order(index)
    if isinstance(position, bool) or not isinstance(position, int):
        raise SpecificationError(
            f"an element of {index.name!r} is named by a whole number; element_at takes an expression"
        )
    refuse_missing_element(index, position, where())
    return IndexExpr(Constant(position, index, at=where()))


def coerce(value: object, domain: Domain[Any]) -> Node:
    """Return a value or expression as a tree of this domain; SpecificationError when it is of another kind."""
    if isinstance(value, Expr):
        node = value.node
        if same_kind(node.domain, domain):
            return node
        if isinstance(domain, Option) and same_kind(node.domain, domain.inner):
            return Operation(Operator.SOME, (node,), domain)
        raise SpecificationError(f"here belongs {domain.describe()}, not {shown(value)}")
    if not is_plain(value, domain):
        cure = ": array_of(members, lambda one: ...) says it of each element" if isinstance(domain, Array | Set) else ""
        raise SpecificationError(f"here belongs {domain.describe()}, not {shown(value)}{cure}")
    return Constant(value, domain)


def coerced(value: object, domain: Domain[E]) -> E:
    """Return a value or expression as an expression of this domain."""
    return cast("E", wrap(coerce(value, domain)))


def meet(left: Expr, right: object) -> tuple[Node, Node]:
    """Return both sides of a comparison as trees of one kind; either may be the option of the other."""
    if isinstance(right, Expr) and isinstance(right.node.domain, Option) and not isinstance(left, OptionExpr):
        return coerce(left, right.node.domain), right.node
    return left.node, coerce(right, left.node.domain)


def compare(operator: Operator, left: Expr, right: object) -> BoolExpr:
    """Return an order comparison; elements of unordered sets have none."""
    if isinstance(left.node.domain, IndexSet):
        _require_order(left.node.domain)
    return BoolExpr(Operation(operator, (left.node, coerce(right, left.node.domain)), Bool()))


def _require_order(domain: Domain[Any]) -> None:
    if isinstance(domain, IndexSet) and not domain.ordered:
        raise SpecificationError(
            f"the elements of {domain.name!r} are interchangeable: they have no order; declare it with ordered=True"
        )
