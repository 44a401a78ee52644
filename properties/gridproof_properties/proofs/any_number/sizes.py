"""Which constants a world counts up to: where one is left open, a proof begins at a small size."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from gridproof_model.language import ANY_NUMBER, Plain, Specification, SpecificationError
from gridproof_model.language.specification import expressions_of
from gridproof_model.language.tree import Node, Parameter, walk
from gridproof_properties.proofs.argument import Argument, Constants

SMALL = 2
"""Of each set, where a world by default has fewer."""


def at_a_small_size(argument: Argument, constants: Constants) -> Constants:
    """Return constants with small numbers in place of those that a world cannot leave open.

    The same constants where it counts up to none of them. SpecificationError where there is no such world.
    """
    specification = argument.specification
    opened = [name for name, value in constants.items() if value is ANY_NUMBER and not _may_stay_open(argument, name)]
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


def _may_stay_open(argument: Argument, name: str) -> bool:
    """Return whether a world may leave a constant open: it counts up to it nowhere."""
    try:
        argument.world({name: ANY_NUMBER})
    except SpecificationError:
        return False
    return True


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
