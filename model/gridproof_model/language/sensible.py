"""Domains that make sense, and ranges that end.

Bounds may be arithmetic over constants, so a world may come to a number without values, a lane without a capacity or
a quantifier without an end. Such a world is refused when it is made, with the author's line.
"""

from typing import Any

from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import Int, Option
from gridproof_model.language.limits import refuse_long
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import Bound, Domain, Quantifier

_NEEDS_AN_ELEMENT = (Quantifier.LEAST, Quantifier.GREATEST)


def refuse_senseless(domain: Domain[Any], at: str) -> None:
    """Raise SpecificationError for a grounded domain that no variable can have."""
    match domain:
        case Int(low=int(low), high=int(high)) if low > high:
            raise SpecificationError(f"Int({low}, {high}) has no number", at)
        case Option(inner=inner):
            if isinstance(inner, Int) and inner.low is None:
                raise SpecificationError(f"{domain.describe()} needs a lowest number: write Int(0, ...)", at)
            refuse_senseless(inner, at)
        case Array() | Set():
            refuse_senseless(domain.element, at)
        case Record(fields=fields):
            for _, inner in fields:
                refuse_senseless(inner, at)
        case Sequence(element=element, capacity=capacity):
            if not isinstance(capacity, int) or capacity < 0:
                known = "an open number" if capacity is None else capacity
                raise SpecificationError(f"a sequence holds some number of values, at least 0, not {known}", at)
            refuse_senseless(element, at)
        case _:
            pass


def refuse_endless(bound: Bound, at: str, quantifier: Quantifier | None = None) -> None:
    """Raise SpecificationError where an element is to range over a domain without an end, or be the least of none."""
    domain = bound.domain
    if not is_finite(domain):
        raise SpecificationError(f"{bound.name} ranges over {domain.describe()}, which has no end", at)
    if quantifier in _NEEDS_AN_ELEMENT and isinstance(domain, Int) and domain.low > domain.high:
        raise SpecificationError(f"the {quantifier} over {domain.describe()}, which has no number, is nothing", at)
    refuse_long(domain, f"what {bound.name} ranges over", at)


def is_finite(domain: Domain[Any]) -> bool:
    """Return whether a grounded domain has an end."""
    match domain:
        case Int(low=low, high=high):
            return low is not None and high is not None
        case Option(inner=inner):
            return is_finite(inner)
        case Array() | Set() | Sequence():
            return is_finite(domain.element)
        case Record(fields=fields):
            return all(is_finite(inner) for _, inner in fields)
        case _:
            return True
