"""What an expression is worth in one state.

The plainest reading, and the one the others are held against: every node becomes a small Python function of the state's
values and of the bound variables. Conjunctions, disjunctions, implications and if-else look at what they need and no
further, left to right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gridproof_model.spec.domains import Record, Sequence
from gridproof_model.spec.errors import StepError
from gridproof_model.spec.tree import (
    Applied,
    Bound,
    Constant,
    Construct,
    Field,
    If,
    Node,
    Operation,
    Operator,
    Parameter,
    Quantified,
    Quantifier,
    Variable,
)
from gridproof_model.spec.values import Plain, record_value, values_of

Environment = Mapping[str, Plain]
Evaluator = Callable[[tuple[Plain, ...], Environment], Plain]


def evaluator(node: Node, names: tuple[str, ...]) -> Evaluator:
    """Return the function that computes a grounded expression from the variables' values, given in this order."""
    match node:
        case Constant(value=value):
            return lambda state, bound: value
        case Parameter(name=name):
            raise StepError(f"the constant {name!r} is open in this world: choose a number for it")
        case Variable(name=name):
            position = names.index(name)
            return lambda state, bound: state[position]
        case Bound(name=name):
            return lambda state, bound: bound[name]
        case If():
            condition, then, otherwise = (evaluator(n, names) for n in (node.condition, node.then, node.otherwise))
            return lambda state, bound: (then if condition(state, bound) else otherwise)(state, bound)
        case Field(record=inner, name=name):
            record = evaluator(inner, names)
            return lambda state, bound: getattr(record(state, bound), name)
        case Construct(values=values, domain=domain):
            parts = [evaluator(value, names) for value in values]
            assert isinstance(domain, Record)
            return lambda state, bound: record_value(domain, tuple(part(state, bound) for part in parts))
        case Applied():
            return _applied(node, names)
        case Quantified():
            return _quantified(node, names)
        case Operation():
            return _operation(node, names)


def _applied(node: Applied, names: tuple[str, ...]) -> Evaluator:
    body = evaluator(node.body, names)
    keys = [parameter.name for parameter in node.parameters]
    arguments = [evaluator(argument, names) for argument in node.arguments]
    return lambda state, bound: body(state, dict(zip(keys, (a(state, bound) for a in arguments), strict=True)))


def _quantified(node: Quantified, names: tuple[str, ...]) -> Evaluator:
    body = evaluator(node.body, names)
    name = node.bound.name
    elements = tuple(values_of(node.bound.domain))
    gather = _GATHER[node.quantifier]

    def evaluate(state: tuple[Plain, ...], bound: Environment) -> Plain:
        return gather(elements, (body(state, {**bound, name: element}) for element in elements))

    return evaluate


_GATHER: dict[Quantifier, Callable[..., Plain]] = {
    Quantifier.ALL: lambda elements, values: all(values),
    Quantifier.SOME: lambda elements, values: any(values),
    Quantifier.COUNT: lambda elements, values: sum(values),
    Quantifier.SUM: lambda elements, values: sum(values),
    Quantifier.LEAST: lambda elements, values: min(values),
    Quantifier.GREATEST: lambda elements, values: max(values),
    Quantifier.FIRST: lambda elements, values: next((e for e, v in zip(elements, values, strict=False) if v), None),
    Quantifier.EACH: lambda elements, values: tuple(values),
}


def _operation(node: Operation, names: tuple[str, ...]) -> Evaluator:
    parts = [evaluator(operand, names) for operand in node.operands]
    match node.operator:
        case Operator.AND:
            left, right = parts
            return lambda state, bound: left(state, bound) and right(state, bound)
        case Operator.OR:
            left, right = parts
            return lambda state, bound: left(state, bound) or right(state, bound)
        case Operator.IMPLIES:
            left, right = parts
            return lambda state, bound: not left(state, bound) or right(state, bound)
        case Operator.APPEND:
            assert isinstance(node.domain, Sequence)
            return _strict(_append_to(node.domain.capacity), parts)
        case Operator.ELEMENT:
            return _strict(_element_of(node.domain.size), parts)  # type: ignore[attr-defined]
        case operator:
            return _strict(_STRICT[operator], parts)


def _strict(function: Callable[..., Plain], parts: list[Evaluator]) -> Evaluator:
    if len(parts) == 1:
        (only,) = parts
        return lambda state, bound: function(only(state, bound))
    if len(parts) == 2:
        left, right = parts
        return lambda state, bound: function(left(state, bound), right(state, bound))
    return lambda state, bound: function(*(part(state, bound) for part in parts))


def _divide(left: int, right: int) -> int:
    if right <= 0:
        raise StepError(f"division by {right}")
    return left // right


def _remainder(left: int, right: int) -> int:
    if right <= 0:
        raise StepError(f"division by {right}")
    return left % right


def _value(option: Plain) -> Plain:
    if option is None:
        raise StepError("the value of an option that is None")
    return option


def _at(sequence: tuple[Plain, ...], position: int) -> Plain:
    if not 0 <= position < len(sequence):
        raise StepError(f"position {position} of a sequence of {len(sequence)}")
    return sequence[position]


def _without(sequence: tuple[Plain, ...], position: int) -> Plain:
    _at(sequence, position)
    return sequence[:position] + sequence[position + 1 :]


def _append_to(capacity: int) -> Callable[..., Plain]:
    def append(sequence: tuple[Plain, ...], value: Plain) -> Plain:
        if len(sequence) >= capacity:
            raise StepError(f"append to a sequence that is full at {capacity}")
        return (*sequence, value)

    return append


def _element_of(size: int) -> Callable[..., Plain]:
    def element(position: int) -> Plain:
        if not 0 <= position < size:
            raise StepError(f"position {position} of an index set of {size}")
        return position

    return element


_STRICT: dict[Operator, Callable[..., Any]] = {
    Operator.NOT: lambda a: not a,
    Operator.EQUAL: lambda a, b: a == b,
    Operator.LESS: lambda a, b: a < b,
    Operator.AT_MOST: lambda a, b: a <= b,
    Operator.ADD: lambda a, b: a + b,
    Operator.SUBTRACT: lambda a, b: a - b,
    Operator.MULTIPLY: lambda a, b: a * b,
    Operator.DIVIDE: _divide,
    Operator.REMAINDER: _remainder,
    Operator.SMALLER: min,
    Operator.LARGER: max,
    Operator.ORDINAL: lambda a: a,
    Operator.SOME: lambda a: a,
    Operator.IS_NONE: lambda a: a is None,
    Operator.VALUE: _value,
    Operator.SELECT: lambda array, index: array[index],
    Operator.STORE: lambda array, index, value: (*array[:index], value, *array[index + 1 :]),
    Operator.LENGTH: len,
    Operator.AT: _at,
    Operator.REMOVE: _without,
}
