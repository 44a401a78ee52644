"""Expressions as text for people to read.

The subclass `Tla` (in `tla.py`) writes the same trees in the language of TLC.
"""

from enum import IntEnum
from typing import Any

from gridproof_model.language.tree import (
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
    Quantifier,
    Unsaid,
    Update,
    Variable,
)


class Binding(IntEnum):
    """How tightly an operator binds; a part that binds less tightly than its place requires gets parentheses."""

    LOOSE = 0
    IMPLIES = 1
    OR = 2
    AND = 3
    COMPARE = 4
    ADD = 5
    MULTIPLY = 6
    TIGHT = 7


Text = tuple[str, Binding]

_INFIX = {
    Operator.AND: ("and", Binding.AND),
    Operator.OR: ("or", Binding.OR),
    Operator.IMPLIES: ("implies", Binding.IMPLIES),
    Operator.EQUAL: ("=", Binding.COMPARE),
    Operator.LESS: ("<", Binding.COMPARE),
    Operator.AT_MOST: ("≤", Binding.COMPARE),
    Operator.ADD: ("+", Binding.ADD),
    Operator.SUBTRACT: ("-", Binding.ADD),
    Operator.MULTIPLY: ("×", Binding.MULTIPLY),
    Operator.DIVIDE: ("div", Binding.MULTIPLY),
    Operator.REMAINDER: ("mod", Binding.MULTIPLY),
}
_REFUSED = {Operator.EQUAL: "≠", Operator.LESS: "≥", Operator.AT_MOST: ">"}
_WORDS = {
    Quantifier.ALL: "for all {0}: {1}",
    Quantifier.SOME: "for some {0}: {1}",
    Quantifier.COUNT: "number of {0} with {1}",
    Quantifier.SUM: "sum over {0} of {1}",
    Quantifier.LEAST: "least over {0} of {1}",
    Quantifier.GREATEST: "greatest over {0} of {1}",
    Quantifier.FIRST: "first {0} with {1}",
}


class Notation:
    """Writes expressions for readers."""

    def name(self, name: str) -> str:
        """Return the name of a constant, variable, field or definition in the text."""
        return name

    def bound_name(self, name: str) -> str:
        """Return the name of a parameter, or of a variable that a quantifier binds, in the text."""
        return name

    def text(self, node: Node, place: Binding = Binding.LOOSE) -> str:
        """Return an expression, in parentheses if its place requires a tighter binding."""
        written, binding = self.write(node)
        return written if binding >= place else f"({written})"

    def update(self, update: Update) -> str:
        """Return an update."""
        return f"{self.text(update.target)} becomes {self.text(update.value)}"

    def value(self, domain: Domain[Any], value: Any) -> str:
        """Return a plain value."""
        return "first" if isinstance(value, Unsaid) else domain.show(value)

    def domain(self, domain: Domain[Any]) -> str:
        """Return a domain."""
        return domain.written(self.text)

    def write(self, node: Node) -> Text:
        """Return an expression and how tightly it binds."""
        match node:
            case Constant(value=value, domain=domain):
                written = self.value(domain, value)
                return written, Binding.ADD if written.startswith("-") else Binding.TIGHT
            case Parameter(name=name) | Variable(name=name):
                return self.name(name), Binding.TIGHT
            case Bound(name=name):
                return self.bound_name(name), Binding.TIGHT
            case Field(record=record, name=name):
                return f"{self.text(record, Binding.TIGHT)}.{self.name(name)}", Binding.TIGHT
            case Applied(name=name, arguments=arguments):
                head = self.name(name)
                return f"{head}({', '.join(map(self.text, arguments))})" if arguments else head, Binding.TIGHT
            case If():
                return self._if(node), Binding.LOOSE
            case Construct():
                return self._construct(node), Binding.TIGHT
            case Quantified():
                return self._quantified(node), self._quantified_binding(node)
            case Operation():
                return self._operation(node)

    def _if(self, node: If) -> str:
        return f"if {self.text(node.condition)} then {self.text(node.then)} else {self.text(node.otherwise)}"

    def _construct(self, node: Construct) -> str:
        names = (name for name, _ in node.domain.fields)  # type: ignore[attr-defined]
        said = ((name, part) for name, part in zip(names, node.values, strict=True) if not _is_left_out(part))
        return f"{self.domain(node.domain)}({', '.join(f'{name}={self.text(part)}' for name, part in said)})"

    def _quantified(self, node: Quantified) -> str:
        name, domain = node.bound.name, self.domain(node.bound.domain)
        over = name if name == domain or name.rstrip("_0123456789") == domain else f"{name} in {domain}"
        if node.quantifier is Quantifier.EACH:
            return f"[{self.text(node.body)} for each {over}]"
        return _WORDS[node.quantifier].format(over, self.text(node.body))

    def _quantified_binding(self, node: Quantified) -> Binding:
        return Binding.TIGHT if node.quantifier is Quantifier.EACH else Binding.LOOSE

    def _operation(self, node: Operation) -> Text:
        operator, operands = node.operator, node.operands
        if operator is Operator.NOT:
            return self._negation(operands[0])
        if operator in _INFIX:
            return self._infix(*_INFIX[operator], operands)
        first, *rest = (self.text(operand, Binding.TIGHT) for operand in operands[:1])
        rest = [self.text(operand) for operand in operands[1:]]
        return self._postfix(operator, first, rest)

    def _postfix(self, operator: Operator, first: str, rest: list[str]) -> Text:
        forms = {
            Operator.SELECT: "{0}[{1}]",
            Operator.STORE: "{0} with [{1}] = {2}",
            Operator.IS_NONE: "{0} = none",
            Operator.VALUE: "{0}",
            Operator.SOME: "{0}",
            Operator.ORDINAL: "position of {0}",
            Operator.ELEMENT: "element {0}",
            Operator.LENGTH: "length of {0}",
            Operator.AT: "{0}({1})",
            Operator.APPEND: "{0} then {1}",
            Operator.REMOVE: "{0} without ({1})",
            Operator.SMALLER: "min({0}, {1})",
            Operator.LARGER: "max({0}, {1})",
        }
        if operator in (Operator.AT, Operator.REMOVE) and rest == ["0"]:
            return (f"head of {first}" if operator is Operator.AT else f"tail of {first}"), Binding.MULTIPLY
        bindings = {Operator.IS_NONE: Binding.COMPARE, Operator.STORE: Binding.LOOSE, Operator.APPEND: Binding.LOOSE}
        return forms[operator].format(first, *rest), bindings.get(operator, Binding.TIGHT)

    def _negation(self, node: Node) -> Text:
        match node:
            case Operation(operator=operator, operands=operands) if operator in _REFUSED:
                return self._infix(_REFUSED[operator], Binding.COMPARE, operands)
            case Operation(operator=Operator.IS_NONE, operands=(option,)):
                return f"{self.text(option, Binding.TIGHT)} ≠ none", Binding.COMPARE
            case _:
                return f"not {self.text(node, Binding.TIGHT)}", Binding.COMPARE

    def _infix(self, symbol: str, binding: Binding, operands: tuple[Node, ...]) -> Text:
        """Return operands with a symbol between them; an operand needs no parentheses in a chain of one connective."""
        is_connective = binding in (Binding.AND, Binding.OR)
        least = {Binding.OR: Binding.COMPARE, Binding.AND: Binding.COMPARE, Binding.ADD: Binding.TIGHT}
        needed = least.get(binding, Binding(binding + 1))
        parts = []
        for operand in operands:
            written, held = self.write(operand)
            is_bare = held >= needed or (is_connective and held == binding)
            parts.append(written if is_bare else f"({written})")
        return f" {symbol} ".join(parts), binding

    def _end(self, end: Any) -> str:
        return "" if end is None else str(end) if isinstance(end, int) else self.text(end)


def _is_left_out(node: Node) -> bool:
    return isinstance(node, Constant) and isinstance(node.value, Unsaid)
