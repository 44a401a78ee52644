"""Which constants a world counts up to: where one is left open, a proof begins at a small size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from gridproof_model.language import ANY_NUMBER, Plain, Specification, SpecificationError
from gridproof_model.language.domains import Array, Domain, Int, Record, Set
from gridproof_model.language.domains import Sequence as SequenceOf
from gridproof_model.language.specification import expressions_of
from gridproof_model.language.tree import Node, Parameter, Quantified, walk
from gridproof_properties.proofs.argument import Argument, Constants

SMALL = 2
"""Of each set, where a world by default has fewer."""


def at_a_small_size(argument: Argument, constants: Constants) -> Constants:
    """Return constants with small numbers in place of those that a world cannot leave open.

    The same constants where it counts up to none of them. SpecificationError where there is no such world.
    """
    specification, counted = argument.specification, frozenset(_counted_up_to(argument))
    opened = [name for name, value in constants.items() if value is ANY_NUMBER and name in counted]
    defaults: dict[str, Plain] = {constant.name: constant.default for constant in specification.constants}
    usual = {**constants, **{name: defaults[name] for name in opened}}
    larger = {**usual, **{name: max(SMALL, defaults[name]) for name in open_sizes(specification, constants)}}
    with suppress(SpecificationError):  # constants must fit one another
        specification.world(**larger)
        return larger
    return usual


def by_size(argument: Argument, constants: Constants, more: int) -> Iterator[Constants]:
    """Yield constants with small numbers in place of the open sizes, the fewest elements first.

    They are those of `at_a_small_size`, and the same number for each: from 1 on, to so many more than those.
    """
    small, opened = at_a_small_size(argument, constants), open_sizes(argument.specification, constants)
    alike = range(1, 1 + max((int(small[name]) + more for name in opened), default=0))
    sizes = [small, *({**small, **dict.fromkeys(opened, number)} for number in alike)]
    for sized in sorted(sizes, key=lambda one: sum(int(one[name]) for name in opened)):
        with suppress(SpecificationError):  # there may be no such world
            if sized is small or sized != small:
                argument.world(sized)
                yield sized


def set_sizes(specification: Specification) -> dict[str, int]:
    """Return the constants that say how many elements an index set has, and their defaults."""
    names = set(_names_in(index.size for index in specification.index_sets))
    return {one.name: int(one.default) for one in specification.constants if one.name in names}


def open_sizes(specification: Specification, constants: Constants) -> list[str]:
    """Return the open constants that say how many elements a set has."""
    return [name for name in set_sizes(specification) if constants.get(name) is ANY_NUMBER]


def _counted_up_to(argument: Argument) -> Iterator[str]:
    """Yield the constants in sizes of index sets, in capacities, and in the ranges of what is quantified or chosen."""
    specification = argument.specification
    sizes: list[Any] = [index.size for index in specification.index_sets]
    for variable in specification.variables:
        sizes += _capacities(variable.domain)
    for action in specification.actions:
        sizes += [end for parameter in action.parameters for end in _ends(parameter.domain)]
    for tree in (*trees_of(specification), *(lemma.condition for lemma in argument.lemmas)):
        sizes += [e for part in walk(tree) if isinstance(part, Quantified) for e in _ends(part.bound.domain)]
    yield from _names_in(sizes)


def _names_in(sizes: Iterable[Any]) -> Iterator[str]:
    for size in sizes:
        if not isinstance(size, int) and size is not None:
            yield from (part.name for part in walk(size) if isinstance(part, Parameter))


def trees_of(specification: Specification) -> Iterator[Node]:
    """Yield every expression of a specification, what it starts as and where it may stop among them."""
    yield from expressions_of(specification)
    yield from (variable.initial for variable in specification.variables if isinstance(variable.initial, Node))
    if specification.stopping is not None:
        yield specification.stopping.condition


def _ends(domain: Domain[Any]) -> tuple[Any, ...]:
    return (domain.low, domain.high) if isinstance(domain, Int) else ()


def _capacities(domain: Domain[Any]) -> Iterator[Any]:
    match domain:
        case SequenceOf(element=element, capacity=capacity):
            yield capacity
            yield from _capacities(element)
        case Array(element=element) | Set(element=element):
            yield from _capacities(element)
        case Record(fields=fields):
            for _, inner in fields:
                yield from _capacities(inner)
        case _:
            return
