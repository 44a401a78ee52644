"""How many elements show every violation.

In a question, once what exists has a name (Skolem), all else speaks of every element. It still holds where elements are
taken away, unless one is taken that something names. So where names can be made for finitely many elements only, what
breaks a claim at some size breaks it at a size of no more elements than that. Counts, sums, majorities and sizes speak
of how many there are, and no longer hold where some are taken away: with any of them there is no such number.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from math import inf, prod
from typing import Any

import z3

from gridproof_model.language.tree import Parameter
from gridproof_properties.proofs.any_number.formulas import Formula, every_part, named_in
from gridproof_properties.proofs.any_number.meanings import Elements, Way

Cutoff = int | str
"""So many elements show every violation; or why no number is known."""
HOW_MANY = "it is said how many there are"


def widest(found: Iterable[Cutoff]) -> Cutoff:
    """Return the most of some numbers; where one of them is not known, why."""
    most = 0
    for one in found:
        if isinstance(one, str):
            return one
        most = max(most, one)
    return most


def at_first(read: Elements) -> dict[str, Cutoff]:
    """Return the least number of each open set that may have any, whatever other sizes are; why of another set."""
    opened = [one for one in read.specification.index_sets if read.way(one) is not Way.FIXED]
    uses = Counter(one.size.name for one in opened if isinstance(one.size, Parameter))
    least = {constant.name: constant.least for constant in read.specification.constants}
    found = dict[str, Cutoff]()
    for one in opened:
        if read.way(one) is Way.NUMBERED:
            found[one.name] = "positions are reckoned with"
        elif not isinstance(one.size, Parameter) or uses[one.size.name] > 1:
            found[one.name] = "its size goes with other sizes"
        else:
            found[one.name] = max(1, least[one.size.name])
    return found


def named_elements(formulas: Iterable[Formula], read: Elements, least: Mapping[str, int]) -> dict[str, Cutoff]:
    """Return how many elements of each set given names can be made for, or why there is no end of them."""
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
    names = sorted("what exists for another one" if "!" in f.name() else f"`{f.name()}`" for f in endless)
    return f"{names[0]} names one for each of others"


def _is_known(part: Formula, bounds: Mapping[str, int]) -> bool:
    """Return whether a formula says no more of a size than how large it is at least."""
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
