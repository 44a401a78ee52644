"""Plain values: the values of expressions in one state.

A truth value is a bool and a number an int; a member of an enumeration is that Python object, an element of an index
set is its position, an option is None or its value, an array or sequence is a tuple, and a record is a named tuple. All
plain values are hashable, and compare as expected.
"""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import ANY, Domain, Unsaid
from gridproof_model.value import Value

Plain = Any
"""The type of plain values, which the module's docstring describes."""


class Names(tuple[str, ...]):
    """The names of the variables in order of declaration, with their positions: a search takes longer than a step."""

    places: Mapping[str, int]

    def __new__(cls, names: Iterable[str]) -> Names:
        """Make the object from the names in the order of declaration."""
        made = super().__new__(cls, names)
        made.places = {name: place for place, name in enumerate(made)}
        return made


class _Hashed:
    """A base class that stores a hash. The hash is not a field: other processes have other hashes of the same texts."""

    __slots__ = ("_hash",)
    _hash: int


@dataclass(frozen=True, slots=True)
class State(_Hashed, Value):
    """The value of every variable at one moment."""

    names: Names
    values: tuple[Plain, ...]

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            object.__setattr__(self, "_hash", hash(self.values))
            return self._hash

    def __getitem__(self, name: str) -> Plain:
        return self.values[self.names.places[name]]

    def items(self) -> Iterator[tuple[str, Plain]]:
        """Yield the name and value of every variable, in the order of declaration."""
        return zip(self.names, self.values, strict=True)

    def replaced(self, changes: Mapping[str, Plain]) -> State:
        """Return the state with some variables changed."""
        values = list(self.values)
        for name, value in changes.items():
            values[self.names.places[name]] = value
        return State(self.names, tuple(values))


@cache
def record_class(name: str, fields: tuple[str, ...]) -> type[Any]:
    """Return the named tuple class for the plain values of a record."""
    return namedtuple(name, fields)


def class_of(domain: Record[Any]) -> type[Any]:
    """Return the named tuple class for the plain values of a domain of records."""
    return record_class(domain.shape.__name__, tuple(name for name, _ in domain.fields))


def record_value(domain: Record[Any], values: tuple[Plain, ...]) -> Plain:
    """Return the plain value of a record."""
    return class_of(domain)(*values)


def default_value(domain: Domain[Any]) -> Plain:
    """Return the first value of a grounded domain, such as false, the lowest number, None or the empty sequence."""
    match domain:
        case Bool():
            return False
        case Int(low=low, high=high):
            return low if low is not None else min(0, high if high is not None else 0)
        case OneOf(choices=choices):
            return next(iter(choices.__members__.values()))
        case IndexSet():
            return 0
        case Option():
            return None
        case Array() | Set():
            return (default_value(domain.element),) * domain.index.size
        case Record():
            return record_value(domain, tuple(default_value(inner) for _, inner in domain.fields))
        case Sequence():
            return ()
        case _:
            raise TypeError(domain)


def values_of(domain: Domain[Any]) -> Iterator[Plain]:
    """Yield every value of a grounded, finite domain, beginning with its first value."""
    match domain:
        case Bool():
            yield from (False, True)
        case Int(low=low, high=high):
            yield from range(low, high + 1)
        case OneOf(choices=choices):
            yield from choices.__members__.values()
        case IndexSet(size=size):
            yield from range(size)
        case Option(inner=inner):
            yield None
            yield from values_of(inner)
        case Array() | Set():
            yield from product(*[tuple(values_of(domain.element))] * domain.index.size)
        case Record(fields=fields):
            for values in product(*(tuple(values_of(inner)) for _, inner in fields)):
                yield record_value(domain, values)
        case Sequence(element=element, capacity=capacity):
            for length in range(capacity + 1):
                yield from product(*[tuple(values_of(element))] * length)
        case _:
            raise TypeError(domain)


def contains(domain: Domain[Any], value: Plain) -> bool:
    """Return whether a plain value belongs to a grounded domain."""
    return membership(domain)(value)


def membership(domain: Domain[Any]) -> Callable[[Plain], bool]:
    """Return the function that says whether a plain value belongs to a grounded domain."""
    match domain:
        case Bool():
            return lambda value: isinstance(value, bool)
        case Int(low=low, high=high):
            least, most = -math.inf if low is None else low, math.inf if high is None else high
            return lambda value: isinstance(value, int) and not isinstance(value, bool) and least <= value <= most
        case OneOf(choices=choices):
            return lambda value: isinstance(value, choices)
        case IndexSet(size=size):
            return lambda value: isinstance(value, int) and not isinstance(value, bool) and 0 <= value < size
        case Option(inner=inner):
            fits = membership(inner)
            return lambda value: value is None or fits(value)
        case Array() | Set():
            length, fits = domain.index.size, membership(domain.element)
            return lambda value: _is_tuple(value, length) and all(map(fits, value))
        case Record(fields=fields):
            parts = [membership(inner) for _, inner in fields]
            return lambda value: (
                _is_tuple(value, len(parts)) and all(fits(part) for fits, part in zip(parts, value, strict=True))
            )
        case Sequence(element=element, capacity=capacity):
            fits = membership(element)
            return lambda value: isinstance(value, tuple) and len(value) <= capacity and all(map(fits, value))
        case _:
            return lambda value: False


def membership_of_changed(domain: Domain[Any]) -> Callable[[Plain, Plain], bool]:
    """Return the function that says whether a value belongs to a domain, given an earlier value that belongs to it.

    Parts that are the same object in both values are not checked again: a step changes a few cells out of thousands.
    """
    fits = membership(domain)
    match domain:
        case Array() | Set():
            length, may_follow = domain.index.size, membership_of_changed(domain.element)
            return lambda before, value: (
                value is before
                or (
                    _is_tuple(value, length)
                    and all(new is old or may_follow(old, new) for old, new in zip(before, value, strict=True))
                )
            )
        case Record(fields=fields):
            parts = [membership_of_changed(inner) for _, inner in fields]
            return lambda before, value: (
                value is before or (_is_tuple(value, len(parts)) and all(map(_called, parts, before, value)))
            )
        case Sequence(element=element, capacity=capacity):
            fits_element = membership(element)

            def fits_sequence(before: Plain, value: Plain) -> bool:
                if not isinstance(value, tuple) or len(value) > capacity:
                    return False
                known = set(map(id, before))
                return all(id(one) in known or fits_element(one) for one in value)

            return fits_sequence
        case _:
            return lambda before, value: fits(value)


def initial_values(domain: Domain[Any], given: Plain) -> Iterator[Plain]:
    """Yield the initial values that a declaration means: one value for a whole array, or every value for ANY."""
    if given is ANY:
        yield from values_of(domain)
    elif given is Unsaid.FIRST:
        yield default_value(domain)
    elif isinstance(domain, Array | Set) and not isinstance(given, tuple):
        yield from product(*[tuple(initial_values(domain.element, given))] * domain.index.size)
    else:
        yield given


def _called(function: Callable[[Plain, Plain], bool], before: Plain, value: Plain) -> bool:
    return function(before, value)


def _is_tuple(value: Plain, size: int) -> bool:
    return isinstance(value, tuple) and len(value) == size
