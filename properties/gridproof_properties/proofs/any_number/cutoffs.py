"""How many elements show every violation.

In a question, once what exists has a name (Skolem), all else speaks of every element. It still holds where elements are
taken away, unless one is taken that something names. So where names can be made for finitely many elements only, what
breaks a claim at some size breaks it at a size of no more elements than that. Counts, sums, majorities and sizes speak
of how many there are, and no longer hold where some are taken away: with any of them there is no such number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import inf, prod
from typing import Any

import z3

from gridproof_model.language.tree import Parameter
from gridproof_properties.proofs.any_number.elements import Elements, Way
from gridproof_properties.proofs.any_number.formulas import Formula, every_part, named_in


def sets_of_their_own(read: Elements) -> dict[str, int]:
    """Return the sets that may have any number of elements, whatever other sizes are, and the least number of each."""
    sets = [one for one in read.specification.index_sets if read.way(one) in (Way.UNORDERED, Way.ORDERED)]
    uses = Counter(size.name for size in (one.size for one in read.specification.index_sets) if _is_constant(size))
    least = {constant.name: constant.least for constant in read.specification.constants}
    alone = [one for one in sets if _is_constant(one.size) and uses[one.size.name] == 1]
    return {one.name: max(1, least[one.size.name]) for one in alone}


def named_elements(formulas: Iterable[Formula], read: Elements, least: Mapping[str, int]) -> dict[str, int]:
    """Return how many elements of each set given names can be made for; sets of which there is no end are left out."""
    goal = z3.Goal()
    goal.add(*formulas)
    sizes = {one.name: one.size.name for one in read.specification.index_sets if one.name in least}
    bounds = {size: least[name] for name, size in sizes.items()}
    said = [part for part in z3.Then("simplify", "nnf")(goal)[0] if not _is_known(part, bounds)]
    if any(z3.is_quantifier(part) and not part.is_forall() for part in every_part(said)):
        return {}
    functions, spoken_of = dict[str, set[Any]](), set[str]()
    for function in named_in(said):
        functions.setdefault(function.range().name(), set()).add(function)
        spoken_of.add(function.name())
    numbers = {name: _number(name, functions, least, ()) for name in least if sizes[name] not in spoken_of}
    return {name: int(number) for name, number in numbers.items() if number < inf}


def _is_known(part: Formula, bounds: Mapping[str, int]) -> bool:
    """Return whether a formula says no more of a size than how large it is at least."""
    is_bound = z3.is_ge(part) and z3.is_const(part.arg(0)) and z3.is_int_value(part.arg(1))
    return bool(is_bound and part.arg(1).as_long() <= bounds.get(part.arg(0).decl().name(), 0))


def _is_constant(size: Any) -> bool:
    return isinstance(size, Parameter)


def _number(sort: str, functions: Mapping[str, set[Any]], least: Mapping[str, int], within: tuple[str, ...]) -> float:
    if sort in within:
        return inf
    names = sum(
        prod(_values(f.domain(n), functions, least, (*within, sort)) for n in range(f.arity()))
        for f in functions.get(sort, ())
    )
    return max(names, least.get(sort, 1))


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
