"""Represents structured values as tuples of scalars.

The value of an array or record is a tuple of the values of its parts, that of a sequence is a `Lane`, and any other
value is one `Scalar`. The functions here apply the operators of the language to such values.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from gridproof_model.language.cells import bounds, scalar_code
from gridproof_model.language.expressions import Bool
from gridproof_model.language.scalars import Op, Scalar, Scalars
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import Plain, default_value

Shaped = Any
"""A Scalar, or a tuple of such values, or a Lane of such values."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A sequence: its length, and an item for every place that it has room for."""

    length: Scalar
    items: tuple[Shaped, ...]


def constant(make: Scalars, domain: Domain[Any], value: Plain) -> Shaped:
    """Return a plain value as scalars."""
    match domain:
        case Array() | Set():
            return tuple(constant(make, domain.element, part) for part in value)
        case Record(fields=fields):
            return tuple(constant(make, inner, part) for (_, inner), part in zip(fields, value, strict=True))
        case Sequence(element=element, capacity=capacity):
            padded = (*value, *[default_value(element)] * (capacity - len(value)))
            return Lane(make.constant(len(value)), tuple(constant(make, element, part) for part in padded))
        case Bool():
            return make.truth(value)
        case _:
            return make.constant(scalar_code(domain, value))


def layout(make: Scalars, domain: Domain[Any], numbers: Iterator[int]) -> Shaped:
    """Return the value whose cells are the next ones that are not used yet."""
    match domain:
        case Array() | Set():
            return tuple(layout(make, domain.element, numbers) for _ in range(domain.index.size))
        case Record(fields=fields):
            return tuple(layout(make, inner, numbers) for _, inner in fields)
        case Sequence(element=element, capacity=capacity):
            length = make.cell(next(numbers), 0, capacity, is_truth=False)
            return Lane(length, tuple(layout(make, element, numbers) for _ in range(capacity)))
        case _:
            low, high = bounds(domain)
            return make.cell(next(numbers), low, high, is_truth=isinstance(domain, Bool))


def choice(make: Scalars, condition: Scalar, then: Shaped, otherwise: Shaped) -> Shaped:
    """Return one of two values, chosen by a condition, part by part."""
    if then is otherwise:
        return then
    match then, otherwise:
        case Lane(), Lane():
            items = tuple(choice(make, condition, a, b) for a, b in zip(then.items, otherwise.items, strict=True))
            return Lane(make.choice(condition, then.length, otherwise.length), items)
        case tuple(), tuple():
            return tuple(choice(make, condition, a, b) for a, b in zip(then, otherwise, strict=True))
        case _:
            return make.choice(condition, then, otherwise)


def equal(make: Scalars, one: Shaped, other: Shaped) -> Scalar:
    """Return whether two values are the same."""
    match one, other:
        case Lane(), Lane():
            pairs = zip(one.items, other.items, strict=True)
            return make.both(make.equal(one.length, other.length), make.all(equal(make, a, b) for a, b in pairs))
        case tuple(), tuple():
            return make.all(equal(make, a, b) for a, b in zip(one, other, strict=True))
        case _:
            return make.equal(one, other)


def select(make: Scalars, parts: tuple[Shaped, ...], index: Scalar) -> Shaped:
    """Return the part that is at an index."""
    if index.op is Op.CONSTANT and 0 <= index.value < len(parts):
        return parts[index.value]
    chosen = parts[-1]
    for position in range(len(parts) - 2, -1, -1):
        chosen = choice(make, make.equal(index, make.constant(position)), parts[position], chosen)
    return chosen


def store(make: Scalars, parts: tuple[Shaped, ...], index: Scalar, value: Shaped) -> tuple[Shaped, ...]:
    """Return the parts with the part at an index replaced."""
    here = (make.equal(index, make.constant(position)) for position in range(len(parts)))
    return tuple(choice(make, is_here, value, part) for is_here, part in zip(here, parts, strict=True))


def append(make: Scalars, lane: Lane, value: Shaped) -> Lane:
    """Return a sequence with one more item."""
    length = make.within(make.add(lane.length, make.constant(1)), 1, len(lane.items))
    return Lane(length, store(make, lane.items, lane.length, value))


def without(make: Scalars, lane: Lane, position: Scalar, first: Shaped) -> Lane:
    """Return a sequence without the item at a position; the last place, which becomes free, gets the value `first`."""
    following = (*lane.items[1:], first)
    items = tuple(
        choice(make, make.less(make.constant(place), position), item, after)
        for place, (item, after) in enumerate(zip(lane.items, following, strict=True))
    )
    length = make.subtract(lane.length, make.constant(1))
    return Lane(make.within(length, 0, max(len(lane.items) - 1, 0)), items)


def leaves(shaped: Shaped) -> Iterator[Scalar]:
    """Yield the scalars of a value in the order of the cells."""
    match shaped:
        case Lane(length=length, items=items):
            yield length
            for item in items:
                yield from leaves(item)
        case tuple():
            for part in shaped:
                yield from leaves(part)
        case _:
            yield shaped
