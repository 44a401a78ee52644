"""How many elements are enough to show every violation of a claim.

Once every element whose existence a question states has a name (a Skolem constant), the rest of the question is about
all elements. A statement about all elements stays true if elements without a name are removed. So if only finitely many
elements need a name, a claim that is broken at some size is also broken with no more elements than that. Counts, sums,
majorities and sizes depend on how many elements there are, and may become false when elements are removed: for a
question that contains any of these, no sufficient number of elements is known.

The module also finds which constants a world needs as numbers, since the world counts up to them: a proof that leaves
one of these constants open begins at a small size.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from math import inf, prod
from typing import Any

import z3

from gridproof_model.language import ANY_NUMBER, Plain, Specification, SpecificationError
from gridproof_model.language.specification import expressions_of
from gridproof_model.language.tree import Node, Parameter, walk
from gridproof_properties.proofs.any_number.formulas import Formula, every_part, named_in
from gridproof_properties.proofs.any_number.meanings import Elements, Way
from gridproof_properties.proofs.argument import Argument, Constants

SMALL = 2
"""The small size that is used for an open set, unless its default size is larger."""


def at_a_small_size(argument: Argument, constants: Constants) -> Constants:
    """Return the constants, with small numbers for the constants that a world cannot leave open.

    Open constants that a world does not need as numbers stay open. Raises SpecificationError if there is no such world.
    """
    specification = argument.specification
    opened = [name for name, value in constants.items() if value is ANY_NUMBER and not _may_stay_open(argument, name)]
    defaults: dict[str, Plain] = {constant.name: constant.default for constant in specification.constants}
    usual = {**constants, **{name: defaults[name] for name in opened}}
    larger = {**usual, **{name: max(SMALL, defaults[name]) for name in open_sizes(specification, constants)}}
    with suppress(SpecificationError):  # constants may not fit each other
        specification.world(**larger)
        return larger
    return usual


def by_size(argument: Argument, constants: Constants, more: int) -> Iterator[Constants]:
    """Yield the constants with small numbers for the open sizes, the fewest elements first.

    The yielded constants include those of `at_a_small_size`, and worlds in which all sizes are equal: from 1 up to the
    largest of the small sizes plus `more`.
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
    """Return the constants that are sizes of index sets, with their default values."""
    names = set(_names_in(index.size for index in specification.index_sets))
    return {one.name: int(one.default) for one in specification.constants if one.name in names}


def open_sizes(specification: Specification, constants: Constants) -> list[str]:
    """Return the open constants that are sizes of sets."""
    return [name for name in set_sizes(specification) if constants.get(name) is ANY_NUMBER]


def _may_stay_open(argument: Argument, name: str) -> bool:
    """Return whether a world may leave a constant open, because it never counts up to this constant."""
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
    """Yield every expression of a specification, including initial values and the condition under which it may stop."""
    yield from expressions_of(specification)
    yield from (variable.initial for variable in specification.variables if isinstance(variable.initial, Node))
    if specification.stopping is not None:
        yield specification.stopping.condition


Cutoff = int | str
"""The number of elements that are enough to show every violation, or the reason why no number is known."""
HOW_MANY = "the proof compares the number of these elements"


def widest(found: Iterable[Cutoff]) -> Cutoff:
    """Return the largest of these numbers, or the reason why one of them is not known."""
    most = 0
    for one in found:
        if isinstance(one, str):
            return one
        most = max(most, one)
    return most


def at_first(read: Elements) -> dict[str, Cutoff]:
    """Return for each open set the least number of its elements, or the reason if its size depends on other sizes."""
    opened = [one for one in read.specification.index_sets if read.way(one) is not Way.FIXED]
    uses = Counter(one.size.name for one in opened if isinstance(one.size, Parameter))
    least = {constant.name: constant.least for constant in read.specification.constants}
    found = dict[str, Cutoff]()
    for one in opened:
        if read.way(one) is Way.NUMBERED:
            found[one.name] = "the proof uses the positions of these elements as numbers"
        elif not isinstance(one.size, Parameter) or uses[one.size.name] > 1:
            found[one.name] = "its size depends on other sizes"
        else:
            found[one.name] = max(1, least[one.size.name])
    return found


def named_elements(formulas: Iterable[Formula], read: Elements, least: Mapping[str, int]) -> dict[str, Cutoff]:
    """Return how many elements of each given set these formulas name, or why they name infinitely many."""
    goal = z3.Goal()
    goal.add(*formulas)
    sizes = {one.name: one.size.name for one in read.specification.index_sets if one.name in least}
    bounds = {size: least[name] for name, size in sizes.items()}
    said = [part for part in z3.Then("simplify", "nnf")(goal)[0] if not _is_known(part, bounds)]
    if any(z3.is_quantifier(part) and not part.is_forall() for part in every_part(said)):
        return dict.fromkeys(least, "something exists that can be given no name")
    functions, spoken_of = dict[str, set[Any]](), set[str]()
    for function in named_in(said):
        functions.setdefault(function.range().name(), set()).add(function)
        spoken_of.add(function.name())
    return {
        name: HOW_MANY if sizes[name] in spoken_of else _named(name, functions, least) for name in least
    }  # fmt: skip


def _named(sort: str, functions: Mapping[str, set[Any]], least: Mapping[str, int]) -> Cutoff:
    number = _number(sort, functions, least, ())
    if number < inf:
        return int(number)
    endless = (f for f in functions[sort] if _product(f, functions, least, (sort,)) == inf)
    names = sorted("something that exists" if "!" in f.name() else f"`{f.name()}`" for f in endless)
    return f"the proof names one of these elements for each element of another set, by {names[0]}"


def _is_known(part: Formula, bounds: Mapping[str, int]) -> bool:
    """Return whether a formula states no more than a lower bound of a size, which the given bounds imply."""
    is_bound = z3.is_ge(part) and z3.is_const(part.arg(0)) and z3.is_int_value(part.arg(1))
    return bool(is_bound and part.arg(1).as_long() <= bounds.get(part.arg(0).decl().name(), 0))


def _number(sort: str, functions: Mapping[str, set[Any]], least: Mapping[str, int], within: tuple[str, ...]) -> float:
    if sort in within:
        return inf
    names = sum(_product(f, functions, least, (*within, sort)) for f in functions.get(sort, ()))
    return max(names, least.get(sort, 1))


def _product(
    function: Any, functions: Mapping[str, set[Any]], least: Mapping[str, int], within: tuple[str, ...]
) -> float:
    return prod(_values(function.domain(n), functions, least, within) for n in range(function.arity()))


def _values(sort: Any, functions: Mapping[str, set[Any]], least: Mapping[str, int], within: tuple[str, ...]) -> float:
    match sort.kind():
        case z3.Z3_BOOL_SORT:
            return 2
        case z3.Z3_DATATYPE_SORT:
            return float(sort.num_constructors())
        case z3.Z3_UNINTERPRETED_SORT:
            return _number(sort.name(), functions, least, within)
        case _:
            return inf
