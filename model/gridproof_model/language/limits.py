"""Limits on the size of a world, checked before anything is computed.

If an author writes one zero too many in a constant, an error message has to appear, and the machine's memory must not
be used up. Sizes are computed from the domains, without making any of their values.

This file also checks that domains make sense and that ranges are finite. Bounds may be arithmetic over constants, so in
some worlds an integer may have no values, a sequence no capacity, or a quantifier no end. A world whose bounds leave an
integer, a sequence or a quantifier without values or end is refused when it is made, with the author's line in the
message.
"""

from collections.abc import Iterable
from typing import Any

from gridproof_model.language.declarations import Action, VariableDeclaration
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.structures import Array, Record, Sequence, Set
from gridproof_model.language.tree import ANY, Applied, Bound, Domain, Node, Quantifier, children

PACKED_CELLS_MAX = 10_000
"""The most numbers in a state, for engines that keep millions of states."""
PLAIN_CELLS_MAX = 100_000
"""The most numbers in a state, for engines that keep few states, such as the validation of a run."""
CHOICES_MAX = 1_000_000
"""The most choices of parameters, for all actions together."""
RANGE_MAX = 10_000
"""The most elements of an index set, and the most values that one quantifier ranges over."""


DEPTH_MAX = 150
"""The deepest nesting of expressions, including the bodies of definitions."""
EXPRESSIONS_MAX = 2_000_000
"""The most expressions over numbers into which the rules of a world may be unrolled."""
COUNT_MAX = 10**18
"""The largest count: larger numbers are reported as this number."""


def refuse_large(variables: Iterable[VariableDeclaration], *, is_packed: bool) -> None:
    """Raise SpecificationError, with the author's line, if a state would take too many numbers.

    A packed state has room for the largest length of each sequence; a state of plain values takes only what its
    sequences contain.
    """
    cells, limit = 0, PACKED_CELLS_MAX if is_packed else PLAIN_CELLS_MAX
    for variable in variables:
        cells += cells_in(variable.domain, is_packed=is_packed)
        if cells > limit:
            raise SpecificationError(
                f"with the variable {variable.name} a state takes {describe_count(cells)} numbers, but the limit is "
                f"{limit:,}: choose smaller constants",
                variable.at,
            )


def refuse_many(actions: Iterable[Action]) -> None:
    """Raise SpecificationError, with the author's line, if actions have too many choices of parameters."""
    choices = 0
    for action in actions:
        choices += _product(count_of(parameter.domain) for parameter in action.parameters)
        if choices > CHOICES_MAX:
            raise SpecificationError(
                f"with the action {action.name} there are {describe_count(choices)} ways to choose parameters of "
                f"actions, but the limit is {CHOICES_MAX:,}: choose smaller constants",
                action.at,
            )


def refuse_long(domain: Domain[Any], what: str, at: str) -> None:
    """Raise SpecificationError if an index set is too large, or a quantifier ranges over too many values."""
    count = count_of(domain)
    if count > RANGE_MAX:
        limit = f"the limit is {RANGE_MAX:,}: choose smaller constants"
        raise SpecificationError(f"{what} has {describe_count(count)} values, but {limit}", at)


def refuse_deep(node: Node, at: str) -> None:
    """Raise SpecificationError for an expression that is nested too deeply."""
    level: list[Node] = [node]
    for _ in range(DEPTH_MAX):
        bodies = [part.body for part in level if isinstance(part, Applied)]
        level = [child for part in level for child in children(part)] + bodies
        if not level:
            return
    cure = "write a quantifier in place of a loop in Python"
    raise SpecificationError(f"an expression is nested more than {DEPTH_MAX} deep: {cure}", at)


def starts_of(variables: Iterable[VariableDeclaration]) -> int:
    """Return how many initial states there are, at most `COUNT_MAX`."""
    return _product(count_of(variable.domain) for variable in variables if variable.initial is ANY)


def cells_in(domain: Domain[Any], *, is_packed: bool = True) -> int:
    """Return how many numbers a value of a grounded domain takes."""
    match domain:
        case Array() | Set():
            return int(domain.index.size) * cells_in(domain.element, is_packed=is_packed)
        case Record(fields=fields):
            return sum(cells_in(inner, is_packed=is_packed) for _, inner in fields)
        case Sequence(element=element, capacity=capacity):
            return 1 + (int(capacity) * cells_in(element) if is_packed else 0)
        case _:
            return 1


def count_of(domain: Domain[Any]) -> int:
    """Return how many values a finite grounded domain has, at most `COUNT_MAX`."""
    match domain:
        case Bool():
            return 2
        case Int(low=low, high=high):
            return min(max(int(high) - int(low) + 1, 0), COUNT_MAX)
        case OneOf(choices=choices):
            return len(choices.__members__)
        case IndexSet(size=size):
            return min(int(size), COUNT_MAX)
        case Option(inner=inner):
            return count_of(inner) + 1
        case Array() | Set():
            return _power(count_of(domain.element), int(domain.index.size))
        case Record(fields=fields):
            return _product(count_of(inner) for _, inner in fields)
        case Sequence(element=element, capacity=capacity):
            return min(_power(count_of(element) + 1, int(capacity)), COUNT_MAX)
        case _:
            raise TypeError(domain)


def describe_count(count: int) -> str:
    """Return a count in a form that people can read."""
    return f"{count:,}" if count < COUNT_MAX else "more than 10^18"


def _product(counts: Iterable[int]) -> int:
    result = 1
    for count in counts:
        result = min(result * count, COUNT_MAX)
    return result


def _power(count: int, exponent: int) -> int:
    """Return a power, at most `COUNT_MAX`, which is below two to the power of sixty."""
    return count if count < 2 else min(count ** min(exponent, 60), COUNT_MAX)


_NEEDS_AN_ELEMENT = (Quantifier.LEAST, Quantifier.GREATEST)


def refuse_senseless(domain: Domain[Any], at: str) -> None:
    """Raise SpecificationError for a grounded domain that makes no sense for a variable."""
    match domain:
        case Int(low=int(low), high=int(high)) if low > high:
            raise SpecificationError(f"Int({low}, {high}) is empty: write the lower bound first", at)
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
                raise SpecificationError(f"the capacity of a sequence must be a number, at least 0, not {known}", at)
            refuse_senseless(element, at)
        case _:
            pass


def refuse_endless(bound: Bound, at: str, quantifier: Quantifier | None = None) -> None:
    """Raise SpecificationError for a quantifier over an infinite domain, or for the least element of an empty one."""
    domain = bound.domain
    if not is_finite(domain):
        raise SpecificationError(f"{bound.name} ranges over {domain.describe()}, which has no end: write bounds", at)
    if quantifier in _NEEDS_AN_ELEMENT and isinstance(domain, Int) and domain.low > domain.high:
        raise SpecificationError(f"{domain.describe()} has no {quantifier} number: write the lower bound first", at)
    refuse_long(domain, f"what {bound.name} ranges over", at)


def is_finite(domain: Domain[Any]) -> bool:
    """Return whether a grounded domain is finite."""
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
