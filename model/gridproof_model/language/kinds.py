"""Which values and expressions may meet."""

from enum import Enum
from typing import Any

from gridproof_model.language.domains import Array, Bool, Domain, IndexSet, Int, OneOf, Option, Sequence, Set
from gridproof_model.language.errors import SpecificationError


def same_kind(one: Domain[Any], other: Domain[Any]) -> bool:
    """Return whether values of the two may meet; only the bounds of integers, alone or in arrays, do not matter."""
    match one, other:
        case Int(), Int():
            return True
        case (Array() | Set(), Array() | Set()):
            return one.index == other.index and same_kind(one.element, other.element)
        case _:
            return one == other


def is_plain(value: object, domain: Domain[Any]) -> bool:
    """Return whether a plain Python value may stand for a value of the domain in an expression."""
    match domain:
        case Bool():
            return isinstance(value, bool)
        case Int():
            return isinstance(value, int) and not isinstance(value, bool | Enum)
        case OneOf():
            return isinstance(value, domain.choices)
        case Option():
            return value is None or (not isinstance(domain.inner, IndexSet) and is_plain(value, domain.inner))
        case Sequence():
            return value == ()
        case _:
            return False


def is_outside(value: object, domain: Domain[Any]) -> bool:
    """Return whether a plain number misses bounds that are plain numbers, too; other bounds wait for a world."""
    if isinstance(domain, Option):
        return is_outside(value, domain.inner)
    if not isinstance(domain, Int) or not isinstance(value, int):
        return False
    too_low = isinstance(domain.low, int) and value < domain.low
    return too_low or (isinstance(domain.high, int) and value > domain.high)


def refuse_missing_element(index: IndexSet, position: int, at: str) -> None:
    """Raise SpecificationError where an index set surely has no element at a position; an open size has any above 0."""
    if position < 0 or (isinstance(index.size, int) and position >= index.size):
        known = f"it has {index.size}, counted from 0" if isinstance(index.size, int) else "they are counted from 0"
        raise SpecificationError(f"{index.name} has no element {position}: {known}", at)
