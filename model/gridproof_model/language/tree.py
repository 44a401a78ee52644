"""The expression tree that every engine reads.

Nodes are frozen values, which are compared by structure. Authors never build nodes; they write expressions
(`gridproof_model.language.expressions`), which check types and build the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from enum import Enum, StrEnum
from typing import Any, ClassVar, Generic, TypeVar, cast

from gridproof_model.language.errors import SpecificationError, where
from gridproof_model.value import Value

E_co = TypeVar("E_co", covariant=True)


@dataclass(frozen=True)
class Domain(Generic[E_co]):
    """A set of values: the values that a variable or field may have.

    A domain is written once and read by every engine. A domain's sizes and bounds may be constants of the specification
    (`Int(0, writes)`); `Grounding` replaces them by plain numbers when a world is chosen. The type argument of a domain
    is the class of the expressions over its values, which is in the same file: `Array[EnumExpr[Kind]]` is a domain of
    `ArrayExpr[EnumExpr[Kind]]`.
    """

    facades: ClassVar[dict[type[Domain[Any]], type[Any]]] = {}
    """The class of the expressions over each domain; each of these classes registers itself here."""

    def expression(self, node: Node) -> E_co:
        """Return a node of this domain as an expression of the domain's class."""
        return cast("E_co", Domain.facades[type(self)](node))

    def describe(self) -> str:
        """Return the domain in a few words, for messages."""
        return type(self).__name__

    def written(self, text: Callable[[Node], str]) -> str:
        """Return the domain as text for a page; `text` makes the text of a bound that is an expression."""
        return self.describe()

    def show(self, value: Any) -> str:
        """Return the words for a plain value of this domain: `member 2`, `prepared`, `{member 0, member 1}`."""
        return str(value).lower() if isinstance(value, bool) else str(value)

    def takes(self, value: object) -> bool:
        """Return whether this plain Python value can stand for a value of the domain in an expression."""
        return False

    def meets(self, other: Domain[Any]) -> bool:
        """Return whether values of the two domains may be compared or assigned; bounds of integers do not matter."""
        return self == other


class Unsaid(Enum):
    """Initial values that are determined only when a world is chosen."""

    FIRST = "the first value of the domain"
    ANY = "any value of the domain"


ANY = Unsaid.ANY
"""As an initial value: one initial state for each value of the domain (for an array: for each combination)."""


class Operator(StrEnum):
    """The operators; the operands are in the order in which authors write them."""

    NOT = "not"
    AND = "and"
    OR = "or"
    IMPLIES = "implies"
    EQUAL = "equal"
    LESS = "less"
    AT_MOST = "at most"
    ADD = "add"
    SUBTRACT = "subtract"
    MULTIPLY = "multiply"
    DIVIDE = "divide"
    """Division, rounded down towards minus infinity; undefined unless the divisor is positive, as in TLA+."""
    REMAINDER = "remainder"
    SMALLER = "smaller"
    LARGER = "larger"
    ORDINAL = "ordinal"
    """The position of an element in an ordered index set, counted from 0."""
    ELEMENT = "element"
    """The element at a position of an ordered index set; undefined if there is no such position."""
    SOME = "some"
    """A value that is turned into an option."""
    IS_NONE = "is none"
    VALUE = "value"
    """The value of an option; undefined for None."""
    SELECT = "select"
    """Array, index."""
    STORE = "store"
    """Operands: array, index, value. The array with one cell replaced."""
    LENGTH = "length"
    AT = "at"
    """Operands: sequence, position (counted from 0). The value at the position; undefined past the end."""
    APPEND = "append"
    """Operands: sequence, value. The sequence with the value added at its end; undefined if the sequence is full."""
    REMOVE = "remove"
    """Operands: sequence, position. The sequence without the element at the position; undefined past the end."""


PARTIAL = frozenset(
    (
        Operator.DIVIDE,
        Operator.REMAINDER,
        Operator.ELEMENT,
        Operator.VALUE,
        Operator.AT,
        Operator.APPEND,
        Operator.REMOVE,
    )
)
"""The operators that are undefined for some operands."""


class Quantifier(StrEnum):
    """The quantifiers; each has a body, and ranges over an index set (or another finite scalar domain).

    The value of each enumeration member is the name of the function of the language that an author calls.
    """

    ALL = "for_all"
    SOME = "exists"
    COUNT = "count"
    SUM = "sum_of"
    LEAST = "least"
    GREATEST = "greatest"
    FIRST = "first"
    """The first element of an ordered index set for which the body is true, or None."""
    EACH = "array_of"
    """The array that has the body's values as elements."""


@dataclass(frozen=True, slots=True)
class Constant(Value):
    """A plain value."""

    value: Any
    domain: Domain[Any]
    at: str = field(default="", compare=False)
    """For an element of an index set: the author's line, which an error names if a world has no such element."""


@dataclass(frozen=True, slots=True)
class Parameter(Value):
    """A constant of the specification, whose value a world fixes."""

    name: str
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class Variable(Value):
    """A declared variable, in the state before the step."""

    name: str
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class Bound(Value):
    """A parameter of an action or a definition, or the variable of a quantifier."""

    name: str
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class Operation(Value):
    """An operator and its operands."""

    operator: Operator
    operands: tuple[Node, ...]
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class If(Value):
    """One of two values, chosen by a condition."""

    condition: Node
    then: Node
    otherwise: Node
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class Quantified(Value):
    """A quantifier with the variable that it binds, and its body over that variable."""

    quantifier: Quantifier
    bound: Bound
    body: Node
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class Field(Value):
    """A field of a record."""

    record: Node
    name: str
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class Construct(Value):
    """A record made from its fields, in the order of the domain."""

    values: tuple[Node, ...]
    domain: Domain[Any]


@dataclass(frozen=True, slots=True)
class Applied(Value):
    """A named definition applied to arguments; its value is that of its body after the arguments are inserted."""

    name: str
    parameters: tuple[Bound, ...]
    arguments: tuple[Node, ...]
    body: Node
    domain: Domain[Any]


Node = Constant | Parameter | Variable | Bound | Operation | If | Quantified | Field | Construct | Applied


def children(node: Node) -> tuple[Node, ...]:
    """Return the direct parts of a node, from left to right; a use of a definition does not have its body as a part."""
    match node:
        case Operation(operands=operands):
            return operands
        case If():
            return (node.condition, node.then, node.otherwise)
        case Quantified():
            return (node.body,)
        case Field():
            return (node.record,)
        case Construct(values=values):
            return values
        case Applied(arguments=arguments):
            return arguments
        case _:
            return ()


def with_children(node: Node, parts: tuple[Node, ...]) -> Node:
    """Return a node in which the direct parts are replaced by new ones, as many as `children` returns for the node."""
    match node:
        case Operation():
            return replace(node, operands=parts)
        case If():
            condition, then, otherwise = parts
            return replace(node, condition=condition, then=then, otherwise=otherwise)
        case Quantified():
            return replace(node, body=parts[0])
        case Field():
            return replace(node, record=parts[0])
        case Construct():
            return replace(node, values=parts)
        case Applied():
            return replace(node, arguments=parts)
        case _:
            return node


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and everything below it, including the bodies of the definitions that it uses."""
    yield node
    for child in children(node):
        yield from walk(child)
    if isinstance(node, Applied):
        yield from walk(node.body)


@dataclass(frozen=True, slots=True)
class Update:
    """One change that an action makes.

    `target` (a variable, or a cell or field of one) is set to `value`, which is computed from the state before the
    step.
    """

    target: Node
    value: Node
    at: str = field(default_factory=where, compare=False)
    """The file and line in the specification."""

    def __post_init__(self) -> None:
        root(self.target, self.at)


def root(target: Node, at: str | None = None) -> Variable:
    """Return the variable to which a target belongs; SpecificationError if the target is not a cell of a variable."""
    match target:
        case Variable():
            return target
        case Operation(operator=Operator.SELECT, operands=(array, _)):
            return root(array, at)
        case Field(record=record):
            return root(record, at)
        case _:
            raise SpecificationError("only a variable, or a cell or field of one, can be set with becomes", at)
