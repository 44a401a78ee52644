"""Writes a state as a row of numbers.

Every variable is laid out as cells, each of which contains one number. False is 0 and true is 1; an integer stands for
itself; a member of an enumeration, or an element of an index set, is represented by its position. In an option, None is
0, and a value is represented by its distance from the lowest value of the domain, plus one. Only a computed value can
be below the lowest one; its number is the distance, which is negative, without adding one. A sequence is written as its
length, followed by as many elements as it may have; the places past its end have the first value of the domain, so that
equal states have equal rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.structures import Array, Record, Set
from gridproof_model.language.structures import Sequence as SequenceOf
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import Plain, State, default_value, record_value
from gridproof_model.language.world import World


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of a state: its name, its bounds (None for a bound that is open) and the line where it is declared."""

    number: int
    name: str
    low: int | None
    high: int | None
    is_truth: bool = False
    at: str = ""
    """The line of the specification that declares the cell's variable."""


def cells_of(world: World) -> tuple[Cell, ...]:
    """Return the cells of all variables, in the order of declaration."""
    shapes = [(shape, v.at) for v in world.variables for shape in _shapes(v.domain, v.name)]
    return tuple(Cell(number, *shape, at) for number, (shape, at) in enumerate(shapes))


def encode(world: World, state: State) -> tuple[int, ...]:
    """Return a state as a row of numbers."""
    parts = zip(world.variables, state.values, strict=True)
    return tuple(code for variable, value in parts for code in codes(variable.domain, value))


def decode(world: World, row: Sequence[int]) -> State:
    """Return the state that a row of numbers stands for."""
    numbers = iter(row)
    return State(world.names, tuple(plain(variable.domain, numbers) for variable in world.variables))


def width(domain: Domain[Any]) -> int:
    """Return how many cells a value of this domain takes."""
    return sum(1 for _ in _shapes(domain, ""))


def bounds(domain: Domain[Any]) -> tuple[int | None, int | None]:
    """Return the lowest and the highest number that stands for a value of a scalar domain."""
    match domain:
        case Bool():
            return 0, 1
        case Int(low=low, high=high):
            return low, high
        case OneOf(choices=choices):
            return 0, len(choices.__members__) - 1
        case IndexSet(size=size):
            return 0, size - 1
        case Option(inner=inner):
            low, high = bounds(inner)
            if low is None:
                raise SpecificationError(f"{domain.describe()} needs a lowest number: write Int(0, ...)")
            return 0, None if high is None else high - low + 1
        case _:
            raise TypeError(domain)


def are_alike(one: Domain[Any], other: Domain[Any]) -> bool:
    """Return whether the same numbers stand for the same values of two domains, whatever their bounds are."""
    match one, other:
        case ((Array() | Set()), (Array() | Set())):
            return one.index.size == other.index.size and are_alike(one.element, other.element)
        case Record(fields=fields), Record(fields=others):
            pairs = zip(fields, others, strict=False)
            return len(fields) == len(others) and all(a == b and are_alike(x, y) for (a, x), (b, y) in pairs)
        case SequenceOf(element=element, capacity=capacity), SequenceOf(element=inner):
            blanks = ([*codes(of, default_value(of))] for of in (element, inner))
            return capacity == other.capacity and are_alike(element, inner) and next(blanks) == next(blanks)
        case Option(inner=inner), Option(inner=within):
            return are_alike(inner, within) and bounds(inner)[0] == bounds(within)[0]
        case OneOf(choices=choices), OneOf():
            members = ([(a.name, a.value) for a in of.__members__.values()] for of in (choices, other.choices))
            return next(members) == next(members)
        case IndexSet(size=size), IndexSet():
            return bool(size == other.size)
        case _:
            return type(one) is type(other)


def codes(domain: Domain[Any], value: Plain) -> Iterator[int]:
    """Yield the numbers that stand for a value, one for each of its cells."""
    match domain:
        case Array() | Set():
            for part in value:
                yield from codes(domain.element, part)
        case Record(fields=fields):
            for (_, inner), part in zip(fields, value, strict=True):
                yield from codes(inner, part)
        case SequenceOf(element=element, capacity=capacity):
            yield len(value)
            for part in (*value, *[default_value(element)] * (capacity - len(value))):
                yield from codes(element, part)
        case _:
            yield scalar_code(domain, value)


def scalar_code(domain: Domain[Any], value: Plain) -> int:
    """Return the number that stands for a value of a scalar domain."""
    match domain:
        case OneOf(choices=choices):
            return list(choices.__members__.values()).index(value)
        case Option(inner=inner):
            distance = 0 if value is None else scalar_code(inner, value) - (bounds(inner)[0] or 0)
            return distance if value is None or distance < 0 else distance + 1
        case _:
            return int(value)


def plain(domain: Domain[Any], numbers: Iterator[int]) -> Plain:
    """Return the value that the next numbers stand for, given its domain."""
    match domain:
        case Array() | Set():
            return tuple(plain(domain.element, numbers) for _ in range(domain.index.size))
        case Record(fields=fields):
            return record_value(domain, tuple(plain(inner, numbers) for _, inner in fields))
        case SequenceOf(element=element, capacity=capacity):
            length = next(numbers)
            return tuple(plain(element, numbers) for _ in range(capacity))[:length]
        case _:
            return _scalar_plain(domain, next(numbers))


def _scalar_plain(domain: Domain[Any], code: int) -> Plain:
    match domain:
        case Bool():
            return bool(code)
        case OneOf(choices=choices):
            return list(choices.__members__.values())[code]
        case Option(inner=inner):
            return None if code == 0 else _scalar_plain(inner, code - 1 + (bounds(inner)[0] or 0))
        case _:
            return int(code)


def _shapes(domain: Domain[Any], name: str) -> Iterator[tuple[str, int | None, int | None, bool]]:
    match domain:
        case Array() | Set():
            for position in range(domain.index.size):
                yield from _shapes(domain.element, f"{name}[{position}]")
        case Record(fields=fields):
            for field, inner in fields:
                yield from _shapes(inner, f"{name}.{field}")
        case SequenceOf(element=element, capacity=capacity):
            yield f"{name}.length", 0, capacity, False
            for position in range(capacity):
                yield from _shapes(element, f"{name}.{position}")
        case _:
            low, high = bounds(domain)
            yield name, low, high, isinstance(domain, Bool)
