"""Symbols that stand for every number.

A proof about a copy of a function proves little. So the functions of the model are called themselves, with symbols in
place of numbers: arithmetic on a symbol builds a Z3 expression, and a comparison is answered once yes and once no, each
answer in a run of its own (`each_path`).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import z3


@dataclass(frozen=True, slots=True)
class Path:
    """One way through a function: what was assumed at its branches, and what it returned or raised."""

    assumed: tuple[Any, ...]
    result: Any
    """A Z3 expression or a plain number; None when the function raised."""
    error: str | None = None


@dataclass(slots=True)
class _Branches:
    """The answers to give in this run, and those given so far."""

    planned: list[bool]
    given: list[bool] = field(default_factory=list)
    assumed: list[Any] = field(default_factory=list)

    def choose(self, condition: Any) -> bool:
        answer = self.planned[len(self.given)] if len(self.given) < len(self.planned) else True
        self.given.append(answer)
        self.assumed.append(condition if answer else z3.Not(condition))
        return answer


class Condition:
    """The outcome of a comparison, decided when it is asked for."""

    def __init__(self, expression: Any, branches: _Branches) -> None:
        self._expression = expression
        self._branches = branches

    def __bool__(self) -> bool:
        return self._branches.choose(self._expression)


class Whole:
    """A whole number without bounds; division and remainder as in Python, for a positive divisor."""

    def __init__(self, expression: Any, branches: _Branches) -> None:
        self.expression = expression
        self._branches = branches

    def __lt__(self, other: Any) -> Condition:
        return Condition(self.expression < _plain(other), self._branches)

    def __gt__(self, other: Any) -> Condition:
        return Condition(self.expression > _plain(other), self._branches)

    def __eq__(self, other: object) -> Any:
        return Condition(self.expression == _plain(other), self._branches)

    def __abs__(self) -> "Whole":
        return Whole(z3.If(self.expression < 0, -self.expression, self.expression), self._branches)

    def __neg__(self) -> "Whole":
        return Whole(-self.expression, self._branches)

    def __mul__(self, other: Any) -> "Whole":
        return Whole(self.expression * _plain(other), self._branches)

    def __mod__(self, other: Any) -> "Whole":
        return Whole(self.expression % _plain(other), self._branches)

    def __format__(self, spec: str) -> str:
        return str(self.expression)


class Word:
    """A 32-bit word; what is cut off by 32 bits is cut off at once, as the model's masks do later.

    A product with a constant is not multiplied out, which no solver would survive, but named: it is a function of which
    nothing is known except what `undoing` says.
    """

    def __init__(self, expression: Any, products: list["Product"]) -> None:
        self.expression = expression
        self.products = products

    def __xor__(self, other: Any) -> "Word":
        return self._word(self.expression ^ _plain(other))

    def __or__(self, other: Any) -> "Word":
        return self._word(self.expression | _plain(other))

    def __and__(self, other: Any) -> "Word":
        return self._word(self.expression & _plain(other))

    def __add__(self, other: Any) -> "Word":
        return self._word(self.expression + _plain(other))

    def __sub__(self, other: Any) -> "Word":
        return self._word(self.expression - _plain(other))

    def __mul__(self, factor: int) -> "Word":
        self.products.append(Product(factor, self.expression))
        return self._word(_times(factor)(self.expression))

    def __lshift__(self, bits: int) -> "Word":
        return self._word(self.expression << bits)

    def __rshift__(self, bits: int) -> "Word":
        return self._word(z3.LShR(self.expression, bits))

    def _word(self, expression: Any) -> "Word":
        return Word(expression, self.products)


@dataclass(frozen=True, slots=True)
class Product:
    """A word was multiplied by a constant."""

    factor: int
    operand: Any

    def undoing(self) -> Any:
        """Return what is known of it: multiplying by the inverse of an odd factor gives the operand back."""
        return _times(inverse_of(self.factor))(_times(self.factor)(self.operand)) == self.operand


def inverse_of(factor: int) -> int:
    """Return the number that undoes multiplication of 32-bit words by an odd factor; ValueError for an even one."""
    return pow(factor, -1, 1 << 32)


def _times(factor: int) -> Any:
    word = z3.BitVecSort(32)
    return z3.Function(f"times {factor}", word, word)


def each_path(function: Callable[..., Any], *arguments: Any) -> Iterator[Path]:
    """Yield every path through a function of whole numbers, called with Z3 integers in place of its arguments."""
    pending: list[list[bool]] = [[]]
    while pending:
        planned = pending.pop()
        branches = _Branches(planned)
        result, error = None, None
        try:
            result = _plain(function(*(Whole(argument, branches) for argument in arguments)))
        except ValueError as refusal:
            error = str(refusal)
        yield Path(tuple(branches.assumed), result, error)
        taken = branches.given
        pending.extend([*taken[:depth], False] for depth in range(len(planned), len(taken)))


def _plain(value: Any) -> Any:
    return value.expression if isinstance(value, Whole | Word) else value
