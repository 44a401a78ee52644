"""Expressions in TLA+."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.notation import Binding, Notation, Text
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tla_names import NONE, TlaNames
from gridproof_model.language.tree import (
    Construct,
    Domain,
    If,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    Unsaid,
)
from gridproof_model.language.values import Plain

if TYPE_CHECKING:
    from gridproof_model.language.specification import Specification

_SYMBOLS = {
    "and": "/\\",
    "or": "\\/",
    "implies": "=>",
    "≠": "#",
    "≤": "<=",
    "≥": ">=",
    "×": "*",
    "div": "\\div",
    "mod": "%",
}
_FORMS = {
    Operator.SELECT: "{0}[{1}]",
    Operator.STORE: "[{0} EXCEPT ![{1}] = {2}]",
    Operator.VALUE: "{0}",
    Operator.SOME: "{0}",
    Operator.ORDINAL: "{0}",
    Operator.ELEMENT: "{0}",
    Operator.LENGTH: "Len({0})",
    Operator.AT: "{0}[({1}) + 1]",
    Operator.APPEND: "Append({0}, {1})",
    Operator.REMOVE: "Without({0}, {1})",
    Operator.SMALLER: "LeastOf({{{0}, {1}}})",
    Operator.LARGER: "GreatestOf({{{0}, {1}}})",
}
_QUANTIFIED = {
    Quantifier.ALL: "\\A {0} : {1}",
    Quantifier.SOME: "\\E {0} : {1}",
    Quantifier.COUNT: "Cardinality({{{0} : {1}}})",
    Quantifier.SUM: "SumOver([{0} |-> {1}], {2})",
    Quantifier.LEAST: "LeastOf({{{1} : {0}}})",
    Quantifier.GREATEST: "GreatestOf({{{1} : {0}}})",
    Quantifier.FIRST: "FirstOf({2}, LAMBDA {3} : {1})",
    Quantifier.EACH: "[{0} |-> {1}]",
}


class TlaNotation(Notation):
    """Writes expressions in the language of TLC."""

    def __init__(self, specification: Specification | None = None) -> None:
        self.names = TlaNames(specification)

    def name(self, name: str) -> str:
        """Return the name that a constant, variable, field or definition has in the module."""
        return self.names.of(name)

    def bound_name(self, name: str) -> str:
        """Return the name that a bound name has in the module at this place."""
        return self.names.of_bound(name)

    def assigned(self, node: Node) -> str:
        """Return the text of an expression that stands to the right of `x' =`."""
        written, binding = self.write(node)
        return f"({written})" if Binding.LOOSE < binding <= Binding.COMPARE else written

    def plain(self, value: Plain) -> str:
        """Return the text of a constant's value."""
        if isinstance(value, Enum):
            return f'"{value.name.lower()}"'
        return str(value).upper() if isinstance(value, bool) else str(value)

    def values(self, domain: Domain[Any]) -> str:
        """Return the text for the set of a domain's values."""
        match domain:
            case Bool():
                return "BOOLEAN"
            case Int(low=low, high=high):
                return f"({self._end(low)} .. {self._end(high)})"
            case OneOf(choices=choices):
                return "{" + ", ".join(f'"{str(name).lower()}"' for name in choices.__members__) + "}"
            case IndexSet():
                return self.names.of_set(domain)
            case Option(inner=inner):
                return f"({self.values(inner)} \\cup {{{NONE}}})"
            case Array() | Set():
                return f"[{self.names.of_set(domain.index)} -> {self.values(domain.element)}]"
            case Record(fields=fields):
                return f"[{', '.join(f'{self.name(name)}: {self.values(inner)}' for name, inner in fields)}]"
            case Sequence(element=element, capacity=capacity):
                return f"UNION {{[1 .. n -> {self.values(element)}] : n \\in 0 .. {self._end(capacity)}}}"
            case _:
                raise TypeError(domain)

    def spread(self, domain: Domain[Any], value: Plain) -> str:
        """Return the text of an initial value; for an array, one value is given to every element."""
        if isinstance(domain, Array | Set) and not isinstance(value, tuple | Node):
            return self._each(domain, lambda _: self.spread(domain.element, value))
        return self.text(value) if isinstance(value, Node) else self.value(domain, value)

    def value(self, domain: Domain[Any], value: Plain) -> str:
        """Return the text of a plain value of a domain."""
        match domain:
            case Option() if value is None or value is Unsaid.FIRST:
                return NONE
            case Option(inner=inner):
                return self.value(inner, value)
            case Array() | Set():
                return self._array(domain, value)
            case Record(fields=fields):
                parts = [value] * len(fields) if isinstance(value, Unsaid) else value
                pairs = ((name, self.value(inner, part)) for (name, inner), part in zip(fields, parts, strict=True))
                return f"[{', '.join(f'{self.name(name)} |-> {part}' for name, part in pairs)}]"
            case Sequence(element=element):
                parts = () if isinstance(value, Unsaid) else value
                return f"<<{', '.join(self.value(element, part) for part in parts)}>>"
            case _:
                return self.plain(self._first(domain) if isinstance(value, Unsaid) else value)

    def last(self, index: IndexSet) -> str:
        """Return the text for the last element of an index set."""
        return str(index.size - 1) if isinstance(index.size, int) else f"{self.text(index.size, Binding.ADD)} - 1"

    def _array(self, domain: Array[Any] | Set, value: Plain) -> str:
        if isinstance(value, Unsaid):
            return self.spread(domain, value)
        return self._each(
            domain,
            lambda name: (
                "CASE "
                + " [] ".join(
                    f"{name} = {place} -> {self.value(domain.element, part)}" for place, part in enumerate(value)
                )
            ),
        )

    def _each(self, domain: Array[Any] | Set, body: Callable[[str], str]) -> str:
        """Return the text of an array, given a body over its index; the body must not bind the index's name again."""
        with self.names.binding(["i"]) as (name,):
            return f"[{name} \\in {self.names.of_set(domain.index)} |-> {body(name)}]"

    def _first(self, domain: Domain[Any]) -> Plain:
        match domain:
            case Int(low=low):
                return self._end(low) if low is not None else 0
            case OneOf(choices=choices):
                return next(iter(choices.__members__.values()))
            case Bool():
                return False
            case _:
                return 0

    def _if(self, node: If) -> str:
        return f"IF {self.text(node.condition)} THEN {self.text(node.then)} ELSE {self.text(node.otherwise)}"

    def _construct(self, node: Construct) -> str:
        fields = node.domain.fields  # type: ignore[attr-defined]
        pairs = zip(fields, node.values, strict=True)
        return f"[{', '.join(f'{self.name(name)} |-> {self.text(part)}' for (name, _), part in pairs)}]"

    def _quantified(self, node: Quantified) -> str:
        values = self.values(node.bound.domain)
        with self.names.binding([node.bound]) as (name,):
            return _QUANTIFIED[node.quantifier].format(f"{name} \\in {values}", self.text(node.body), values, name)

    def _quantified_binding(self, node: Quantified) -> Binding:
        return Binding.LOOSE if node.quantifier in (Quantifier.ALL, Quantifier.SOME) else Binding.TIGHT

    def _postfix(self, operator: Operator, first: str, rest: list[str]) -> Text:
        return _FORMS[operator].format(first, *rest), Binding.TIGHT

    def _operation(self, node: Operation) -> Text:
        if node.operator is Operator.IS_NONE:
            return f"{self.text(node.operands[0], Binding.TIGHT)} = {NONE}", Binding.COMPARE
        return super()._operation(node)

    def _negation(self, node: Node) -> Text:
        if isinstance(node, Operation) and node.operator in (Operator.EQUAL, Operator.LESS, Operator.AT_MOST):
            return super()._negation(node)
        return f"~({self.text(node)})", Binding.TIGHT

    def _infix(self, symbol: str, binding: Binding, operands: tuple[Node, ...]) -> Text:
        return super()._infix(_SYMBOLS.get(symbol, symbol), binding, operands)
