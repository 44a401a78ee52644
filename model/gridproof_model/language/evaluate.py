"""Computes the value of an expression in one state.

This evaluation is the plainest, and tests compare the other evaluations with it: every expression becomes the Python
expression that it looks like, and is compiled; nested plain functions take 2 to 3 times as long
(`benchmarks/written_expressions.py`). Conjunctions, disjunctions, implications and if-else evaluate their parts from
left to right, and only as far as necessary.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from collections.abc import Sequence as Sequence_
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from itertools import takewhile
from types import CodeType
from typing import Any

from gridproof_model.language.errors import StepError
from gridproof_model.language.expressions import IndexSet, Int
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.limits import count_of
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
    Quantifier,
    Unsaid,
    Variable,
    walk,
)
from gridproof_model.language.values import Plain, class_of, default_value, values_of

Environment = Mapping[str, Plain]
Evaluator = Callable[[tuple[Plain, ...], Environment], Plain]
Scope = Mapping[str, str]
"""For each name that a quantifier or definition binds, the name that it has in Python."""


def evaluator(node: Node, names: tuple[str, ...]) -> Evaluator:
    """Return the function that computes a grounded expression from the variables' values, in the order of `names`."""
    return Expression(node, names).evaluator(Grounding({}))


class Expression:
    """An expression that is written once for worlds of all sizes; each world supplies the values that the text uses."""

    def __init__(self, node: Node, names: tuple[str, ...]) -> None:
        self._node, self._names, self._writer = node, names, Writer(names)
        self._code = code_of(f"lambda state, bound: {self._writer.write(node, {})}", "eval")

    @cached_property
    def reads(self) -> frozenset[int]:
        """The positions, in the order of variables, of the variables that the expression uses."""
        return frozenset(self._names.index(one.name) for one in walk(self._node) if isinstance(one, Variable))

    def evaluator(self, ground: Grounding) -> Evaluator:
        """Return the function that computes the expression in one world; StepError if a constant has no value there."""
        function: Evaluator = eval(self._code, self._writer.values_in(ground))
        return function


_NUMBERS = re.compile(r"[\d()+ ]+")
"""Numbers and sums of numbers, which Python computes at compile time."""
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"\w+")
TEXTS_KEPT_MAX = 4_096
"""For how many texts the code is kept: ordinary runs have some 400 texts, and a search for lemmas has any number."""


@lru_cache(TEXTS_KEPT_MAX)
def code_of(text: str, mode: str) -> CodeType:
    """Return the code of a text; worlds of different sizes share one text, since it refers to numbers by name."""
    return compile(text, "<specification>", mode)


@dataclass(frozen=True, slots=True)
class _OfWorld:
    """A value to which a text refers, and which is computed for each world."""

    read: Callable[[Grounding], object]


def _no_values(domain: Domain[Any]) -> tuple[Plain, ...]:
    del domain
    return ()


@dataclass(slots=True)
class Writer:
    """Writes expressions as Python expressions; each world supplies its own constants and domains. Mutable."""

    names: tuple[str, ...]
    """The names of the variables, in the order in which `state` has their values."""
    arguments: Scope = field(default_factory=dict)
    """The Python names of a compiled action's parameters; names of all other parameters are looked up in `bound`."""
    positions: Collection[str] = ()
    """The arguments that are never negative: if one of them is the position in a sequence, Python's own check of the
    upper bound is enough."""
    shortest: Callable[[Domain[Any]], tuple[Plain, ...]] = _no_values
    """For a compiled action: returns the values of a domain, if they are few in each world that shares the text."""
    truths: Mapping[int, bool] = field(default_factory=dict)
    """For conditions on constants alone, by identity: their truth in the worlds that share an action's text."""
    rows: dict[str, str] = field(default_factory=dict)
    """For each element of a variable that arguments select: the name of its local variable in the compiled action."""
    values: dict[str, Any] = field(default_factory=lambda: dict(_FUNCTIONS))
    """The values to which the text refers, by name."""
    sequences: dict[str, str] = field(default_factory=dict)
    """For each local name whose value is an existing position of a sequence: the text of this sequence."""
    _locals: int = 0

    def write(self, node: Node, scope: Scope) -> str:
        """Return a node as a Python expression that needs no brackets around it."""
        if (truth := self.truths.get(id(node))) is not None:
            return repr(truth)
        match node:
            case Operation():  # most nodes are such
                return self._operation(node, scope)
            case Bound(name=name):
                return scope.get(name) or self.arguments.get(name) or f"bound[{name!r}]"
            case Constant(value=Unsaid.FIRST, domain=domain):
                return self.of_domain(domain, default_value)
            case Constant(value=value):
                return self._constant(value)
            case Parameter(name=name):
                return self.parameter(name)
            case Variable(name=name):
                return f"state[{self.names.index(name)}]"
            case If():
                parts = (node.then, node.condition, node.otherwise)
                then, condition, otherwise = (self.write(part, scope) for part in parts)
                known = {"True": then, "False": otherwise}
                return known.get(condition) or f"({then} if {condition} else {otherwise})"
            case Field(record=record, name=name):
                return f"{self.write(record, scope)}.{name}"
            case Construct(values=values, domain=domain):
                assert isinstance(domain, Record)
                shape = self.of_domain(domain, class_of)
                return f"new_tuple({shape}, ({''.join(f'{self.write(value, scope)}, ' for value in values)}))"
            case Applied():
                return self._applied(node, scope)
            case Quantified():
                return self._quantified(node, scope)

    def _applied(self, node: Applied, scope: Scope) -> str:
        inner: dict[str, str] = {}
        computed: list[tuple[str, str]] = []
        for parameter, argument in zip(node.parameters, node.arguments, strict=True):
            text = self.write(argument, scope)
            # Only compound arguments get a local name; an argument that may be undefined is computed only when read.
            if not (text.removesuffix("()").replace(".", "").isidentifier() or _is_number(text)):
                is_late = any(_may_be_undefined(part, scope) for part in walk(argument))
                computed.append((self._local(), f"lambda: {text}" if is_late else text))
                text = computed[-1][0] + ("()" if is_late else "")
            inner[parameter.name] = text
        body = self.write(node.body, inner)
        if not computed:
            return body if body.isidentifier() else f"({body})"
        return f"(lambda {', '.join(name for name, _ in computed)}: {body})({', '.join(text for _, text in computed)})"

    def _quantified(self, node: Quantified, scope: Scope) -> str:
        if self.arguments and node.quantifier is Quantifier.EACH and isinstance(node.body, Constant):
            return self.named(_OfWorld(partial(_repeated, node)))
        unrolled, is_innermost = _UNROLLED.get(node.quantifier), not any(map(_is_quantified, walk(node.body)))
        if unrolled is not None and is_innermost and (few := self.shortest(node.bound.domain)):
            values = [self._constant(value) for value in few]
            return unrolled([(self.write(node.body, {**scope, node.bound.name: one}), one) for one in values])
        name, elements = self._local(), self.of_domain(node.bound.domain, _elements)
        before, inner = _once_for_all(node)
        within, looked_at = {**scope, node.bound.name: name}, elements
        if (sequence := self._sequence_below(node, name, within)) is not None:
            self.sequences[name], looked_at = sequence, f"{elements}[:len({sequence})]"
        body = self.write(inner, within)
        text = _QUANTIFIERS[node.quantifier].format(body=body, name=name, elements=looked_at)
        parts = [elements, *(self.write(part, scope) for part in before)]
        return f"(not ({' and '.join(parts)}) or {text})" if before else text

    def _sequence_below(self, node: Quantified, name: str, scope: Scope) -> str | None:
        """Return the sequence to whose positions a quantifier can limit its check; None if there is none."""
        domain = node.bound.domain
        if not (isinstance(domain, IndexSet) or (isinstance(domain, Int) and domain.low == 0)):
            return None
        match node.quantifier, node.body:
            case Quantifier.ALL, Operation(Operator.IMPLIES, (condition, _)) | If(condition, _, Constant(value=True)):
                found = self._conjuncts(condition, scope)
            case ((Quantifier.SOME | Quantifier.COUNT | Quantifier.FIRST), condition):
                found = self._conjuncts(condition, scope)
            case _:
                return None
        for part, inner in found:
            match part:
                case Operation(Operator.LESS, (Bound(name=bound), Operation(Operator.LENGTH, (sequence,)))) if (
                    inner.get(bound) == name and _is_total(sequence, inner)
                ):
                    text = self.write(sequence, inner)
                    return None if name in _WORD.findall(text) else text
                case _ if not _is_total(part, inner):
                    return None
                case _:
                    pass
        return None

    def _conjuncts(self, node: Node, scope: Scope) -> Iterator[tuple[Node, Scope]]:
        """Yield the conjuncts of a condition in order, each with the Python names of its bound names."""
        for part in _chain(node, Operator.AND):
            if isinstance(part, Applied) and all(_is_total(one, scope) for one in part.arguments):
                texts = (self.write(argument, scope) for argument in part.arguments)
                yield from self._conjuncts(
                    part.body, dict(zip((one.name for one in part.parameters), texts, strict=True))
                )
            else:
                yield part, scope

    def _operation(self, node: Operation, scope: Scope) -> str:
        match node.operator:
            case Operator.AND | Operator.OR as operator:
                parts = [self.write(part, scope) for part in _chain(node, operator)]
                return _joined(parts, operator)
            case Operator.SELECT | Operator.AT as operator if self.arguments or self.sequences:
                return self._chosen(node, operator, scope)
            case Operator.APPEND:
                extra = [self.of_domain(node.domain, _capacity)]
            case Operator.ELEMENT:
                extra = [self.of_domain(node.domain, _size)]
            case _:
                extra = []
        operands = [self.write(operand, scope) for operand in node.operands]
        if node.operator is Operator.IS_NONE and _is_number(operands[0]):
            return "False"  # a number is never None, and Python warns of a number compared by `is`
        if (known := _KNOWN.get((node.operator, operands[0]))) is not None:
            return known.format(*operands)
        text = _OPERATORS[node.operator].format(*operands, *extra)
        if node.operator is Operator.ELEMENT and _NUMBERS.fullmatch(operands[0]):  # from an unrolled quantifier
            if sum(map(int, _DIGITS.findall(operands[0]))) < len(self.shortest(node.domain)):
                return operands[0]
            return f"({operands[0]} if {operands[0]} < {extra[0]} else {text})"
        return text

    def _chosen(self, node: Operation, operator: Operator, scope: Scope) -> str:
        array, position = node.operands
        if self.arguments and isinstance(position, Operation) and (operator, position.operator) == _AT_VALUE:
            # With None as an index Python raises an error, just as `value_of` does; compiled actions catch both errors.
            return f"{self.write(array, scope)}[{self.write(position.operands[0], scope)}]"
        whole, index = self.write(array, scope), self.write(position, scope)
        if operator is Operator.AT:
            is_there = index in self.positions or self.sequences.get(index) == whole
            if index in self.positions and whole in self.rows.values():
                return self.rows.setdefault(f"{whole}[{index}]", f"row_{len(self.rows)}")
            return f"{whole}[{index}]" if is_there else f"at({whole}, {index})"
        if isinstance(array, Variable) and index in self.arguments.values():
            return self.rows.setdefault(f"{whole}[{index}]", f"row_{len(self.rows)}")
        return f"{whole}[{index}]"

    def _constant(self, value: Plain) -> str:
        if value is None or type(value) is bool:
            return repr(value)
        return f"({value})" if type(value) is int and value in (0, 1) else self.named(value)

    def named(self, value: object) -> str:
        """Return a new name by which the text refers to this value."""
        name = f"value_{len(self.values)}"
        self.values[name] = value
        return name

    def of_domain(self, domain: Domain[Any], read: Callable[[Any], object]) -> str:
        """Return the name of a value that is computed from a domain in each world."""
        return self.named(_OfWorld(lambda ground: read(ground.domain(domain))))

    def parameter(self, name: str) -> str:
        """Return the name of the value that a constant has in each world."""
        return self.named(_OfWorld(lambda ground: _chosen_in(ground, name)))

    def number(self, size: Any) -> str:
        """Return the name of a bound or size, which is a number or an expression over constants."""
        return str(size) if size in (0, 1) else self.named(_OfWorld(lambda ground: ground.number(size)))

    def values_in(self, ground: Grounding) -> dict[str, Any]:
        """Return the values to which the text refers in one world, by name; StepError if a constant has none there."""
        return {name: one.read(ground) if type(one) is _OfWorld else one for name, one in self.values.items()}

    def _local(self) -> str:
        self._locals += 1
        return f"local_{self._locals}"


def _elements(domain: Domain[Any]) -> tuple[Plain, ...]:
    return tuple(values_of(domain))


def _capacity(domain: Any) -> Any:
    return domain.capacity


def _size(domain: Any) -> Any:
    return domain.size


def _once_for_all(node: Quantified) -> tuple[list[Node], Node]:
    """Split the body of a "for all": the leading conjuncts of its premise without the bound element, and what remains.

    The first part is computed only once. If it is false, as a premise about the first of two positions may be, no
    element (here: no second position) is tried.
    """
    match node:
        case Quantified(quantifier=Quantifier.ALL, body=Operation(Operator.IMPLIES, (premise, conclusion), domain)):
            parts = _chain(premise, Operator.AND)
        case _:
            return [], node.body
    before = [*takewhile(lambda part: all(not _is_bound(one, node.bound.name) for one in walk(part)), parts)]
    left = parts[len(before) :]
    if not left:
        return before, conclusion
    rest = left[0] if len(left) == 1 else Operation(Operator.AND, tuple(left), domain)
    return before, Operation(Operator.IMPLIES, (rest, conclusion), domain)


def _is_bound(node: Node, name: str) -> bool:
    return name == (node.bound.name if isinstance(node, Quantified) else node.name if isinstance(node, Bound) else None)


def _chain(node: Node, operator: Operator) -> list[Node]:
    """Return the parts of a nested conjunction (or disjunction) as one list: Python nests at most 200 brackets."""
    if isinstance(node, Operation) and node.operator is operator:
        return [part for operand in node.operands for part in _chain(operand, operator)]
    return [node]


def _joined(parts: Sequence_[str], operator: Operator) -> str:
    """Join the texts of conditions by `and` or `or`, without the texts that are known not to change the result."""
    decides = repr(operator is Operator.OR)
    needed = [part for part in parts if part not in ("True", "False") or part == decides]
    needed = needed[: needed.index(decides) + 1] if decides in needed else needed
    return (
        needed[0]
        if len(needed) == 1
        else f"({f' {operator.value} '.join(needed)})"
        if needed
        else repr(decides == "False")
    )


def _may_be_undefined(node: Node, scope: Scope) -> bool:
    """Return whether a node may be undefined by itself, or is the name of an argument that may be undefined."""
    match node:
        case Operation(operator=operator):
            return operator in PARTIAL
        case Bound(name=name):
            return scope.get(name, "").endswith("()")
        case _:
            return False


def _is_total(node: Node, scope: Scope) -> bool:
    return not any(_may_be_undefined(part, scope) for part in walk(node))


def _is_number(text: str) -> bool:
    return text.strip("()").isdigit()


def _is_quantified(node: Node) -> bool:
    return isinstance(node, Quantified)


def _repeated(node: Quantified, ground: Grounding) -> tuple[Plain, ...]:
    """Return the array that a "for each" builds if its body is a constant: every element is this constant."""
    body = ground.node(node.body)
    assert isinstance(body, Constant)
    return (body.value,) * count_of(ground.domain(node.bound.domain))


def _chosen_in(ground: Grounding, name: str) -> Plain:
    try:
        return ground.value(name)
    except KeyError:
        raise StepError(f"the constant {name!r} is open in this world: choose a number for {name!r}") from None


def _divide(left: int, right: int) -> int:
    if right <= 0:
        raise StepError(f"an expression divides by {right}: add a guard, as a divisor must be above 0")
    return left // right


def _remainder(left: int, right: int) -> int:
    if right <= 0:
        raise StepError(f"an expression divides by {right}: add a guard, as a divisor must be above 0")
    return left % right


def _value(option: Plain) -> Plain:
    if option is None:
        raise StepError("an expression takes the value of an option that is None: add a guard with is_some")
    return option


def _at(sequence: tuple[Plain, ...], position: int) -> Plain:
    if not 0 <= position < len(sequence):
        values = f"a sequence of {len(sequence)} values, counted from 0"
        raise StepError(f"an expression reads position {position} of {values}: add a guard with the length")
    return sequence[position]


def _without(sequence: tuple[Plain, ...], position: int) -> Plain:
    _at(sequence, position)
    return sequence[:position] + sequence[position + 1 :]


def _append(sequence: tuple[Plain, ...], value: Plain, capacity: int) -> Plain:
    if len(sequence) >= capacity:
        raise StepError(f"an expression appends to a full sequence of {capacity} values: add a guard with the length")
    return (*sequence, value)


def _element(position: int, size: int) -> Plain:
    if not 0 <= position < size:
        elements = f"{size} elements, counted from 0: add a guard with the size"
        raise StepError(f"an expression names position {position} of an index set of {elements}")
    return position


def _store(array: tuple[Plain, ...], index: int, value: Plain) -> Plain:
    return (*array[:index], value, *array[index + 1 :])


_FUNCTIONS: Mapping[str, Callable[..., Plain]] = {
    "divide": _divide,
    "remainder": _remainder,
    "value_of": _value,
    "at": _at,
    "without": _without,
    "append": _append,
    "element": _element,
    "store": _store,
    "new_tuple": tuple.__new__,
}
_OPERATORS: Mapping[Operator, str] = {
    Operator.NOT: "(not {0})",
    Operator.IMPLIES: "(not {0} or {1})",
    Operator.EQUAL: "({0} == {1})",
    Operator.LESS: "({0} < {1})",
    Operator.AT_MOST: "({0} <= {1})",
    Operator.ADD: "({0} + {1})",
    Operator.SUBTRACT: "({0} - {1})",
    Operator.MULTIPLY: "({0} * {1})",
    Operator.DIVIDE: "divide({0}, {1})",
    Operator.REMAINDER: "remainder({0}, {1})",
    Operator.SMALLER: "min({0}, {1})",
    Operator.LARGER: "max({0}, {1})",
    Operator.ORDINAL: "{0}",
    Operator.ELEMENT: "element({0}, {1})",
    Operator.SOME: "{0}",
    Operator.IS_NONE: "({0} is None)",
    Operator.VALUE: "value_of({0})",
    Operator.SELECT: "{0}[{1}]",
    Operator.STORE: "store({0}, {1}, {2})",
    Operator.LENGTH: "len({0})",
    Operator.AT: "at({0}, {1})",
    Operator.APPEND: "append({0}, {1}, {2})",
    Operator.REMOVE: "without({0}, {1})",
}
_KNOWN: Mapping[tuple[Operator, str], str] = {
    (Operator.NOT, "True"): "False",
    (Operator.NOT, "False"): "True",
    (Operator.IMPLIES, "True"): "{1}",
    (Operator.IMPLIES, "False"): "True",
}
"""The text of an operation, by its operator and its first operand, if this operand decides the text."""
_AT_VALUE = Operator.SELECT, Operator.VALUE
_QUANTIFIERS: Mapping[Quantifier, str] = {
    Quantifier.ALL: "all({body} for {name} in {elements})",
    Quantifier.SOME: "any({body} for {name} in {elements})",
    Quantifier.COUNT: "sum({body} for {name} in {elements})",
    Quantifier.SUM: "sum({body} for {name} in {elements})",
    Quantifier.LEAST: "min({body} for {name} in {elements})",
    Quantifier.GREATEST: "max({body} for {name} in {elements})",
    Quantifier.FIRST: "next(({name} for {name} in {elements} if {body}), None)",
    Quantifier.EACH: "tuple([{body} for {name} in {elements}])",
}
_UNROLLED: Mapping[Quantifier, Callable[[Sequence_[tuple[str, str]]], str]] = {
    Quantifier.ALL: lambda parts: f"({' and '.join(body for body, _ in parts)})",
    Quantifier.SOME: lambda parts: f"({' or '.join(body for body, _ in parts)})",
    Quantifier.COUNT: lambda parts: f"(0 + {' + '.join(body for body, _ in parts)})",
    Quantifier.SUM: lambda parts: f"(0 + {' + '.join(body for body, _ in parts)})",
    Quantifier.FIRST: lambda parts: f"({' else '.join(f'{value} if {body}' for body, value in parts)} else None)",
    Quantifier.EACH: lambda parts: f"({', '.join(body for body, _ in parts)},)",
}
