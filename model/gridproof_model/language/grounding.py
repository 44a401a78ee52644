"""Replaces constants by their values in expressions and domains."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import is_dataclass
from typing import Any

from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import IndexSet, refuse_missing_element
from gridproof_model.language.limits import refuse_deep, refuse_endless
from gridproof_model.language.structures import Record
from gridproof_model.language.tree import (
    PARTIAL,
    Applied,
    Bound,
    Constant,
    Construct,
    Domain,
    Field,
    If,
    Node,
    Operation,
    Operator,
    Parameter,
    Quantified,
    Unsaid,
    Variable,
)
from gridproof_model.language.values import Plain, default_value

_ARITHMETIC: dict[Operator, Callable[[int, int], int]] = {
    Operator.ADD: lambda a, b: a + b,
    Operator.SUBTRACT: lambda a, b: a - b,
    Operator.MULTIPLY: lambda a, b: a * b,
    Operator.DIVIDE: lambda a, b: a // b,
    Operator.REMAINDER: lambda a, b: a % b,
    Operator.SMALLER: min,
    Operator.LARGER: max,
}


class Grounding:
    """Replaces constants by their values; constants without a value remain, and so do bounds that depend on them."""

    def __init__(self, values: Mapping[str, Plain], looked_at: dict[int, Node] | None = None) -> None:
        self._values = values
        self._looked_at = {} if looked_at is None else looked_at
        self._domains: dict[int, tuple[Domain[Any], Domain[Any]]] = {}
        """Grounded domains, by identity: hashing a domain of records takes long, and many expressions share it."""
        self._nodes: dict[int, tuple[Node, Node]] = {}
        """Grounded trees, by identity: all uses of a named expression share one tree."""
        self._at = ""

    def part(self, node: Node, at: str) -> Node:
        """Return a tree with its constants replaced; if that fails, SpecificationError names the author's line `at`."""
        self._at = at
        if id(node) not in self._looked_at:
            refuse_deep(node, at)
            self._looked_at[id(node)] = node
        return self.node(node)

    def parameter(self, bound: Bound, at: str) -> Bound:
        """Return a parameter of an action with its domain grounded; the domain has to be finite."""
        self._at = at
        grounded_bound = self.bound(bound)
        refuse_endless(grounded_bound, at)
        return grounded_bound

    def declared(self, domain: Domain[Any], at: str) -> Domain[Any]:
        """Return the domain of a declaration with plain numbers; an error names the author's line `at`."""
        self._at = at
        return self.domain(domain)

    def domain(self, domain: Domain[Any]) -> Domain[Any]:
        """Return the domain in which constants are replaced by plain numbers."""
        known = self._domains.get(id(domain))
        if known is None:
            known = self._domains[id(domain)] = domain, _grounded(domain, self.number)
        return known[1]

    def value(self, name: str) -> Plain:
        """Return the value of a constant; KeyError if it has none."""
        return self._values[name]

    def number(self, node: Any) -> int | None:
        """Return the value of an expression over constants; None if one of them has no value."""
        match node:
            case int() | None:
                return node
            case Constant(value=value):
                return int(value)
            case Parameter(name=name):
                value = self._values.get(name)
                return None if value is None else int(value)
            case Operation(operator=operator, operands=(left, right)) if operator in _ARITHMETIC:
                one, other = self.number(left), self.number(right)
                if other is not None and other < 1 and operator in PARTIAL:
                    raise SpecificationError(f"a bound or size divides by {other}: use 1 or more", self._at or None)
                return None if one is None or other is None else int(_ARITHMETIC[operator](one, other))
            case If(condition=condition, then=then, otherwise=otherwise):
                chosen = self.number(condition)
                return None if chosen is None else self.number(then if chosen else otherwise)
            case _:
                raise SpecificationError(
                    "a bound or size must be a number, or arithmetic over constants", self._at or None
                )

    def bound(self, bound: Bound) -> Bound:
        """Return a bound variable over a grounded domain."""
        return Bound(bound.name, self.domain(bound.domain))

    def node(self, node: Node) -> Node:
        """Return the tree in which constants are replaced."""
        known = self._nodes.get(id(node))
        if known is None:
            known = self._nodes[id(node)] = node, self._node(node)
        return known[1]

    def _node(self, node: Node) -> Node:
        domain = self.domain(node.domain)
        match node:
            case Operation(operator=operator, operands=operands):  # most nodes are such
                return Operation(operator, tuple(map(self.node, operands)), domain)
            case Constant(value=Unsaid.FIRST):
                return Constant(default_value(domain), domain)
            case Constant(value=value, at=at):
                if isinstance(domain, IndexSet):
                    refuse_missing_element(domain, value, at)
                return Constant(value, domain, at)
            case Parameter(name=name):
                return Constant(self._values[name], domain) if name in self._values else node
            case Variable(name=name):
                return Variable(name, domain)
            case Bound(name=name):
                return Bound(name, domain)
            case If():
                return If(self.node(node.condition), self.node(node.then), self.node(node.otherwise), domain)
            case Quantified():
                bound = self.bound(node.bound)
                refuse_endless(bound, self._at, node.quantifier)
                return Quantified(node.quantifier, bound, self.node(node.body), domain)
            case Field(record=record, name=name):
                return Field(self.node(record), name, domain)
            case Construct(values=values):
                return Construct(tuple(map(self.node, values)), domain)
            case Applied():
                return Applied(
                    node.name,
                    tuple(map(self.bound, node.parameters)),
                    tuple(map(self.node, node.arguments)),
                    self.node(node.body),
                    domain,
                )


def _grounded(domain: Domain[Any], evaluate: Callable[[Any], Any]) -> Domain[Any]:
    """Return the domain with plain numbers as bounds and sizes; `evaluate` computes those that are expressions."""
    if isinstance(domain, Record):
        plain: Record[Any] = object.__new__(Record)
        object.__setattr__(plain, "shape", domain.shape)
        object.__setattr__(plain, "fields", tuple((name, _grounded(inner, evaluate)) for name, inner in domain.fields))
        return plain
    changes: dict[str, Any] = {}
    for name, value in vars(domain).items():  # its fields
        if isinstance(value, Domain):
            changes[name] = _grounded(value, evaluate)
        elif is_dataclass(value) and not isinstance(value, type):
            changes[name] = evaluate(value)
    if not changes:
        return domain
    plain_domain = copy(domain)
    for name, value in changes.items():  # as `replace` does, but without the checks for what an author writes
        object.__setattr__(plain_domain, name, value)
    return plain_domain
