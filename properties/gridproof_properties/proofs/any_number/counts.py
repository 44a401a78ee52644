"""Terms for counts, sums, quorums and other numbers or elements that an expression describes, for sets of any size."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import z3

from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.tree import Constant, Domain, Node, Operation, Operator, Quantified, Quantifier
from gridproof_properties.proofs.any_number.formulas import (
    DESCRIBED,
    TRUE,
    Formula,
    OptionValue,
    Term,
    conjunction,
    equality,
    implication,
    negation,
    occurs,
)
from gridproof_properties.proofs.any_number.meanings import Meanings

Body = Callable[[Term], Formula]


@dataclass(frozen=True, slots=True)
class Count:
    """The elements of a domain for which a condition (the body) is true."""

    domain: Domain[Any]
    body: Body
    name: str


@dataclass(frozen=True, slots=True)
class Described:
    """A function of the surrounding variables: its value is the element or the number that an expression describes."""

    function: Any
    parameters: tuple[Term, ...]
    domain: Domain[Any]
    element: Term
    body: Formula

    @property
    def term(self) -> Term:
        """The described function, applied to its own parameters."""
        return self.function(*self.parameters) if self.parameters else self.function

    @property
    def name(self) -> str:
        """The function's name."""
        return str((self.function if self.parameters else self.function.decl()).name())


class Counts(Meanings):
    """Makes terms for counts and for described elements: functions of the surrounding variables, with axioms."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._described: dict[tuple[str, Domain[Any], int], Described] = {}
        self._quorums: dict[str, Any] = {}

    def has(self, count: Count, least: int, other_than: tuple[Term, ...] = ()) -> Formula:
        """Return the formula that the count is at least `least`."""
        if least <= len(other_than):
            return TRUE

        def one_more(x: Term) -> Formula:
            is_new = conjunction([negation(equality(x, earlier)) for earlier in other_than])
            return conjunction((count.body(x), is_new, self.has(count, least, (*other_than, x))))

        return self.exists(count.domain, one_more, count.name)

    def is_majority(self, index: IndexSet, body: Body) -> Formula:
        """Return the formula that a condition is true for a majority of a set: for each element of some quorum."""
        if index.name not in self._quorums:
            sort = z3.DeclareSort(f"quorum of {index.name}")
            member = z3.Function(f"in quorum of {index.name}{DESCRIBED}", sort, self.sort(index), z3.BoolSort())
            self._quorums[index.name] = sort, member
            p, q = z3.Consts("p q", sort)
            meet = self.exists(index, lambda x: conjunction((member(p, x), member(q, x))))
            self.axioms.append(z3.ForAll([p, q], meet))
        sort, member = self._quorums[index.name]
        quorum = z3.Const(f"quorum!{len(self.scope)}", sort)
        return z3.Exists([quorum], self.for_all(index, lambda x: implication(member(quorum, x), body(x))))

    def counted(self, quantifier: Quantifier, domain: Domain[Any], body: Callable[[Term], Any], name: str) -> Any:
        """Return the value of a quantifier whose value is a number or an optional element, not a truth value."""
        first = len(self.demands or ())
        with self.variable(domain, name) as (x, _):
            said = body(x)
        match quantifier:
            case Quantifier.FIRST:
                found = self._describe(quantifier, domain, x, said, x.sort())
                is_some = self.exists(domain, lambda y: z3.substitute(said, (x, y)))
                self.spare(first, negation(is_some))
                return OptionValue(is_some, found)
            case _:
                return self._describe(quantifier, domain, x, said, z3.IntSort())

    def how_counts_differ(self, points: Sequence[Term], names: Collection[str]) -> list[Formula]:
        """Return axioms that compare each two of the named counts or sums whose summands differ at no more than two of
        the given elements."""
        found = list[Formula]()
        for added_up in (Quantifier.COUNT, Quantifier.SUM):
            known = [one for (kind, *_), one in self._described.items() if kind == added_up and one.name in names]
            found += [said for pair in combinations(known, 2) for said in self._difference(*pair, points)]
        return found

    def _difference(self, one: Described, other: Described, points: Sequence[Term]) -> Iterator[Formula]:
        if one.domain != other.domain or [p.sort() for p in one.parameters] != [p.sort() for p in other.parameters]:
            return
        x, p = one.element, one.body
        q = z3.substitute(other.body, (other.element, x), *zip(other.parameters, one.parameters, strict=True))
        c, d = one.term, other.function(*one.parameters) if one.parameters else other.function

        def everywhere(said: Formula) -> Formula:
            return z3.ForAll([x], implication(self.is_inside(one.domain, x), said))

        said = [z3.Implies(everywhere(_no_more(p, q)), c <= d), z3.Implies(everywhere(_no_more(q, p)), d <= c)]
        here = [point for point in points if point.sort() == x.sort()]
        for places in (*((point,) for point in here), *combinations(here, 2)):
            are_inside = [self.is_inside(one.domain, place) for place in places]
            same = everywhere(z3.Or(*(x == place for place in places), p == q))
            differ = c - _held(p, x, places) == d - _held(q, x, places)
            said.append(z3.Implies(conjunction((*are_inside, same)), differ))
        for formula in said:
            yield z3.ForAll(list(one.parameters), formula) if one.parameters else formula

    def _describe(self, kind: Quantifier, domain: Domain[Any], x: Term, body: Formula, sort: Any) -> Term:
        around = [(term, of) for term, of in self.scope if occurs(term, body)]
        parameters = tuple(z3.Const(f"around {n}", term.sort()) for n, (term, _) in enumerate(around))
        element = z3.Const("element:", x.sort())
        canonical = z3.substitute(body, (x, element), *zip((term for term, _ in around), parameters, strict=True))
        key = kind, domain, canonical.get_id()
        known = self._described.get(key)
        if known is None:
            name = f"{kind}{DESCRIBED}{len(self._described)}"
            sorts = [parameter.sort() for parameter in parameters]
            function = z3.Function(name, *sorts, sort) if parameters else z3.Const(name, sort)
            known = self._described[key] = Described(function, parameters, domain, element, canonical)
            inside = [self.is_inside(of, p) for (_, of), p in zip(around, parameters, strict=True)]
            for axiom in self._axioms(kind, domain, known):
                said = implication(conjunction(inside), axiom)
                self.axioms.append(z3.ForAll(list(parameters), said) if parameters else said)
        return known.function(*(term for term, _ in around)) if parameters else known.function

    def _axioms(self, kind: Quantifier, domain: Domain[Any], one: Described) -> Iterator[Formula]:
        def holds(y: Term) -> Formula:
            return z3.substitute(one.body, (one.element, y))

        term = one.term
        match kind:
            case Quantifier.FIRST:
                before = self.for_all(domain, lambda y: implication(holds(y), self.is_at_most(domain, term, y)))
                found = conjunction((self.is_inside(domain, term), holds(term), before))
                yield implication(self.exists(domain, holds), found)
            case Quantifier.COUNT:
                yield term >= 0
                yield (term == 0) == self.for_all(domain, lambda y: negation(holds(y)))
                yield (term <= 1) == negation(self.has(Count(domain, holds, "y"), 2))
                if isinstance(domain, IndexSet):
                    yield term <= self.size(domain)
                    yield (term == self.size(domain)) == self.for_all(domain, holds)
            case Quantifier.GREATEST | Quantifier.LEAST:
                is_up = kind is Quantifier.GREATEST
                yield self.for_all(domain, lambda y: holds(y) <= term if is_up else term <= holds(y))
                is_some = self.exists(domain, lambda y: self.is_inside(domain, y))
                yield implication(is_some, self.exists(domain, lambda y: holds(y) == term))
            case Quantifier.SUM:
                is_no_more = self.for_all(domain, lambda y: holds(y) <= term)
                yield implication(self.for_all(domain, lambda y: holds(y) >= 0), conjunction((term >= 0, is_no_more)))
                yield implication(self.for_all(domain, lambda y: holds(y) == 0), term == 0)
            case _:
                return


@dataclass(frozen=True, slots=True)
class Majority:
    """A comparison which states that a count is, or is not, more than half the size of its set."""

    count: Quantified
    index: IndexSet
    is_more: bool


def majority_in(operator: Operator, left: Node, right: Node) -> Majority | None:
    """Return what a comparison states about a majority of a set; None if it states nothing about one."""
    match operator, left, right:
        case Operator.LESS, whole, Operation(operator=Operator.MULTIPLY, operands=factors):
            return _half_of(factors, whole, is_more=True)
        case Operator.AT_MOST, Operation(operator=Operator.MULTIPLY, operands=factors), whole:
            return _half_of(factors, whole, is_more=False)
        case Operator.LESS, Operation(operator=Operator.DIVIDE, operands=(whole, Constant() as two)), count:
            return _half_of((two, count), whole, is_more=True)
        case Operator.AT_MOST, count, Operation(operator=Operator.DIVIDE, operands=(whole, Constant() as two)):
            return _half_of((two, count), whole, is_more=False)
        case _:
            return None


def _half_of(factors: tuple[Node, ...], whole: Node, *, is_more: bool) -> Majority | None:
    """Return the majority that "2 * (a count of elements of a set)" states when compared with the set's size `whole`;
    None if the factors are not 2 and such a count."""
    for two, count in (factors, factors[::-1]):
        if isinstance(two, Constant) and two.value == 2 and isinstance(count, Quantified):
            index = count.bound.domain
            if count.quantifier is Quantifier.COUNT and isinstance(index, IndexSet) and whole == index.size:
                return Majority(count, index, is_more)
    return None


def _held(body: Term, element: Term, places: tuple[Term, ...]) -> Term:
    """Return how much the elements at one or two places add to a count or a sum."""
    added = [z3.substitute(body, (element, place)) for place in places]
    held: list[Term] = [z3.If(one, 1, 0) if z3.is_bool(one) else one for one in added]
    if len(places) == 1:
        return held[0]
    return held[0] + z3.If(places[0] != places[1], held[1], 0)


def _no_more(one: Term, other: Term) -> Formula:
    """Return the formula that an element adds no more to the first count or sum than to the second."""
    return z3.Implies(one, other) if z3.is_bool(one) else one <= other
