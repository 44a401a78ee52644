"""Expressions written as Python and compiled, against nested plain functions.

Both compute the guards of every event that may happen in random states of a specification, in turn; the best turn of
each counts. It is what argues for evaluated text in `gridproof_model/language/evaluate.py`: a plain function for each
node of a tree calls as many functions as the tree has nodes.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from random import Random
from timeit import repeat
from typing import Any, assert_never

from gridproof_model.language import Plain, Specification
from gridproof_model.language.evaluate import Evaluator, evaluator
from gridproof_model.language.run import Runner
from gridproof_model.language.tree import (
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
from gridproof_model.language.values import class_of, values_of
from gridproof_model.language.world import choices_of
from gridproof_model.specifications.invocation import specification as invocation
from gridproof_model.specifications.replication import specification as replication

_BEHAVIOURS, _LENGTH, _TURNS = 4, 20, 5
Case = tuple[Sequence[Node], tuple[Plain, ...], Mapping[str, Plain]]
"""The guards of an action, the values of a state, and the arguments."""
_PLAIN: Mapping[Operator, Callable[..., Any]] = {
    Operator.NOT: operator.not_,
    Operator.EQUAL: operator.eq,
    Operator.LESS: operator.lt,
    Operator.AT_MOST: operator.le,
    Operator.ADD: operator.add,
    Operator.SUBTRACT: operator.sub,
    Operator.SMALLER: min,
    Operator.LARGER: max,
    Operator.MULTIPLY: operator.mul,
    Operator.DIVIDE: operator.floordiv,
    Operator.REMAINDER: operator.mod,
    Operator.ORDINAL: lambda value: value,
    Operator.ELEMENT: lambda value: value,
    Operator.SOME: lambda value: value,
    Operator.VALUE: lambda value: value,
    Operator.IS_NONE: lambda value: value is None,
    Operator.SELECT: operator.getitem,
    Operator.AT: operator.getitem,
    Operator.LENGTH: len,
}
_FOLDED: Mapping[Quantifier, Callable[..., Any]] = {
    Quantifier.ALL: all,
    Quantifier.SOME: any,
    Quantifier.COUNT: sum,
    Quantifier.SUM: sum,
    Quantifier.LEAST: min,
    Quantifier.GREATEST: max,
    Quantifier.EACH: tuple,
}


def nested(node: Node, names: tuple[str, ...]) -> Evaluator:
    """Return the function that computes a grounded expression, made of one function a node."""
    inner = partial(nested, names=names)
    match node:
        case Constant(value=value):
            return lambda state, bound: value
        case Variable(name=name):
            place = names.index(name)
            return lambda state, bound: state[place]
        case Bound(name=name):
            return lambda state, bound: bound[name]
        case Field(record=record, name=name):
            of = inner(record)
            return lambda state, bound: getattr(of(state, bound), name)
        case If(condition=condition, then=then, otherwise=otherwise):
            test, yes, no = inner(condition), inner(then), inner(otherwise)
            return lambda state, bound: yes(state, bound) if test(state, bound) else no(state, bound)
        case Construct(values=values, domain=domain):
            make, parts = class_of(domain), [inner(value) for value in values]  # type: ignore[arg-type]
            return lambda state, bound: make(*(part(state, bound) for part in parts))
        case Applied(parameters=parameters, arguments=arguments, body=body):
            given, within = [inner(argument) for argument in arguments], inner(body)
            words = [parameter.name for parameter in parameters]
            return lambda state, bound: within(
                state, {**bound, **{word: one(state, bound) for word, one in zip(words, given, strict=True)}}
            )
        case Quantified():
            return _quantified(node, inner(node.body))
        case Operation():
            return _operation(node.operator, [inner(operand) for operand in node.operands])
        case Parameter():
            raise AssertionError("a world has no open constants")
        case _:
            assert_never(node)


def _quantified(node: Quantified, body: Evaluator) -> Evaluator:
    elements, name = tuple(values_of(node.bound.domain)), node.bound.name
    if node.quantifier is Quantifier.FIRST:
        return lambda state, bound: next((one for one in elements if body(state, {**bound, name: one})), None)
    fold = _FOLDED[node.quantifier]
    return lambda state, bound: fold(body(state, {**bound, name: one}) for one in elements)


def _operation(operation: Operator, operands: Sequence[Evaluator]) -> Evaluator:
    one, other = operands[0], operands[-1]
    match operation:
        case Operator.AND:
            return lambda state, bound: one(state, bound) and other(state, bound)
        case Operator.OR:
            return lambda state, bound: one(state, bound) or other(state, bound)
        case Operator.IMPLIES:
            return lambda state, bound: not one(state, bound) or other(state, bound)
        case _:
            compute = _PLAIN[operation]
    if len(operands) == 1:
        return lambda state, bound: compute(one(state, bound))
    return lambda state, bound: compute(one(state, bound), other(state, bound))


def cases_of(specification: Specification) -> list[Case]:
    """Return choices of every action in the states of random behaviours, with the guards that are asked of each."""
    runner, found = Runner(specification.world()), list[Case]()
    for seed in range(_BEHAVIOURS):
        for _, state in runner.walk(Random(seed), _LENGTH):
            for action in runner.world.actions:
                names = [parameter.name for parameter in action.parameters]
                for arguments in list(choices_of(action))[:_LENGTH]:
                    found.append((action.guards, state.values, dict(zip(names, arguments, strict=True))))
    return found


def measure(specification: Specification) -> str:
    """Return the line of one specification; AssertionError where the two disagree."""
    cases, names = cases_of(specification), specification.world().names
    guards = {guard for each, _, _ in cases for guard in each}
    found, best = list[list[bool]](), list[float]()
    for make in (evaluator, nested):
        functions = {guard: make(guard, names) for guard in guards}
        asked = [(tuple(functions[guard] for guard in each), values, bound) for each, values, bound in cases]
        found.append(_ask(asked))
        best.append(min(repeat(partial(_ask, asked), number=1, repeat=_TURNS)) / len(cases) * 1e6)
    assert found[0] == found[1], specification.name
    times = f"written {best[0]:5.2f} us a choice   nested functions {best[1]:5.2f} us"
    return f"{specification.name:>8}  {times}   {best[1] / best[0]:4.1f} times as long"


def _ask(cases: Sequence[tuple[Sequence[Evaluator], tuple[Plain, ...], Mapping[str, Plain]]]) -> list[bool]:
    """Return of each choice whether all its guards hold; the first that does not is the last that is asked."""
    return [all(guard(values, bound) for guard in guards) for guards, values, bound in cases]


def main() -> None:
    """Print what the guards of a choice take of both, and their ratio."""
    for specification in (replication, invocation):
        print(measure(specification))


if __name__ == "__main__":
    main()
