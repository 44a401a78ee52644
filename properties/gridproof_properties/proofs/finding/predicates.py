"""Simple conditions from which lemmas are made: parts of the specification's conditions, and conditions on its cells.

Each predicate speaks of a few different elements of the index sets; these elements are its template. A predicate is an
expression of the specification itself, in which constants have no values yet, so that it can be evaluated in a world of
any size.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cached_property
from itertools import combinations, islice, permutations, product
from typing import Any

from gridproof_model.language import Specification
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.limits import count_of
from gridproof_model.language.specification import expressions_of, variables_in
from gridproof_model.language.structures import Array, Record, Set
from gridproof_model.language.structures import Sequence as SequenceOf
from gridproof_model.language.tree import (
    Bound,
    Constant,
    Domain,
    Field,
    Node,
    Operation,
    Operator,
    Parameter,
    Quantified,
    Quantifier,
    Variable,
    children,
    walk,
)
from gridproof_model.language.world import negated
from gridproof_properties.proofs.finding import trees

WHOLE_MAX = 40
"""The largest number of nodes in a compound condition (a guard, for example) that is used as a predicate as a whole."""
CHOICES_MAX = 200
"""The largest number of ways to choose, from the template, the elements of a condition in the specification's text."""
RANGE_MAX = 16
"""The largest number of values of a parameter, if it is no element, over which a condition is quantified."""
SMALL = 3
"""Numbers have predicates of their own if they exceed their domain's lowest number by at most this much."""
PLACES = 3
"""How many positions at the beginning of a lane have predicates of their own."""

Said = Callable[[Node], Node]
"""A function that turns a condition on a part of a message in a lane into a condition on the lane."""

Scope = Mapping[Domain[Any], tuple[Bound, ...]]


class Words(IntEnum):
    """The sources of predicates; each source includes those above it."""

    CELLS = 1
    """The conditions in the specification's text, and conditions on single cells."""
    COMPARISONS = 2
    """In addition, comparisons of two cells of the same domain, and comparisons of messages under way with cells."""
    SUMS = 3
    """In addition, two cells whose difference is a number or a third cell; elements with two properties; and
    majorities."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on the elements of a template, defined in every state."""

    node: Node
    rank: int
    """How far the predicate is from the text: 0 is a condition of the text, 1 a cell or a compound condition, 2 a
    quantified condition, 3 and more a condition on two cells."""


def template_of(counts: Mapping[IndexSet, int]) -> tuple[Bound, ...]:
    """Return as many different, named elements of each index set as are asked for."""
    named = ("{}", "other_{}", "third_{}")
    return tuple(Bound(word.format(trees.noun_of(index)), index) for index, n in counts.items() for word in named[:n])


@dataclass(frozen=True)
class Vocabulary:
    """The predicates over the elements of one template."""

    specification: Specification
    ground: Grounding
    """The constants of the explored world, which determine the numbers that count as small."""
    template: tuple[Bound, ...]
    words: Words
    given: Sequence[Node] = ()
    """The predicates that the user adds."""
    _named: dict[Node, None] = field(default_factory=dict)

    def predicates(self) -> Iterator[Predicate]:
        """Yield every predicate once; of several that are equal, yield the one nearest to the specification's text."""
        for made in (self._said(), self._order(), self._cells(), *self._comparisons(), *self._sums()):
            for node, rank in made:
                meant = trees.total(node)
                if meant not in self._named:
                    self._named[meant] = None
                    yield Predicate(meant, rank)

    @cached_property
    def _scope(self) -> Scope:
        scope: dict[Domain[Any], tuple[Bound, ...]] = {}
        for bound in self.template:
            scope[bound.domain] = (*scope.get(bound.domain, ()), bound)
        return scope

    @cached_property
    def _inner(self) -> tuple[Bound, ...]:
        """For each index set, one more element, which a quantifier will bind."""
        return tuple(Bound(f"{trees.noun_of(index)}*", index) for index in self.specification.index_sets)

    @cached_property
    def _wide(self) -> Scope:
        return {bound.domain: (*self._scope.get(bound.domain, ()), bound) for bound in self._inner}

    def _said(self) -> Iterator[tuple[Node, int]]:
        """Yield the conditions in the specification's text, for every choice of elements from the template."""
        for node in self.given:
            yield from self._chosen(node, 0)
        for root in dict.fromkeys(said(self.specification)):
            for condition in dict.fromkeys(conditions_in(root)):
                if variables_in(condition) and sum(1 for _ in walk(condition)) <= WHOLE_MAX:
                    joined = isinstance(condition, Operation) and condition.operator in trees.CONNECTIVES
                    yield from self._chosen(condition, int(joined))

    def _chosen(self, condition: Node, rank: int) -> Iterator[tuple[Node, int]]:
        bounds = trees.free(condition)
        choices = [self._wide.get(bound.domain) or self._ranged(bound) for bound in bounds.values()]
        for mapped in islice(product(*choices), CHOICES_MAX):
            node = trees.substituted(condition, dict(zip(bounds, mapped, strict=True)))
            for done in closed(node, mapped):
                yield done, rank if done is node else 2

    def _ranged(self, bound: Bound) -> tuple[Bound, ...]:
        domain = self.ground.domain(bound.domain)
        is_small = isinstance(domain, Bool | OneOf | Int) and count_of(domain) <= RANGE_MAX
        return (Bound(f"{bound.name.rstrip('*')}*", bound.domain),) if is_small else ()

    def _order(self) -> Iterator[tuple[Node, int]]:
        for one, other in permutations(self.template, 2):
            if one.domain == other.domain and isinstance(one.domain, IndexSet) and one.domain.ordered:
                yield trees.operation(Operator.LESS, one, other), 1

    def _cells(self) -> Iterator[tuple[Node, int]]:
        for term in self._terms(self._wide):
            for condition in self.about(term, self._wide):
                for done in closed(condition, self._inner):
                    yield done, 1 if done is condition else 2

    def _comparisons(self) -> Iterator[Iterator[tuple[Node, int]]]:
        if self.words < Words.COMPARISONS:
            return
        terms = list(self._terms(self._scope))
        numbers = [term for term in terms if isinstance(term.domain, Int)]
        lanes = [term for term in terms if isinstance(term.domain, SequenceOf)]
        lengths = [trees.length_of(lane) for lane in lanes]
        yield ((node, 3) for node in compared(terms))
        yield ((node, 3) for length in lengths for other in (*numbers, *lengths) for node in in_order(length, other))
        yield ((node, 3) for lane in lanes for node in holding(lane, [*numbers, *lengths]))

    def _sums(self) -> Iterator[Iterator[tuple[Node, int]]]:
        if self.words < Words.SUMS:
            return
        terms = [term for term in self._terms(self._scope) if isinstance(term.domain, Int)]
        yield ((node, 4) for one, other in permutations(terms, 2) for node in self._offsets(one, other))
        yield (
            (trees.operation(Operator.AT_MOST, one, trees.operation(Operator.ADD, *pair, domain=Int())), 4)
            for one in terms for pair in combinations(terms, 2) if one not in pair
        )  # fmt: skip
        yield ((node, 4) for bound in self._inner for node in self._of_one_element(bound))

    def _offsets(self, one: Node, other: Node) -> Iterator[Node]:
        """Yield conditions that one number is at least a constant below another, or at most a constant above it."""
        constants = (constant for constant in self.specification.constants if isinstance(constant.domain, Int))
        numbers: list[Node] = [Constant(1, Int()), *(Parameter(constant.name, Int()) for constant in constants)]
        for number in numbers:
            yield trees.operation(Operator.AT_MOST, trees.operation(Operator.ADD, one, number, domain=Int()), other)
            yield trees.operation(Operator.AT_MOST, one, trees.operation(Operator.ADD, other, number, domain=Int()))
        if one.domain != other.domain:
            yield trees.operation(Operator.AT_MOST, one, other)

    def _of_one_element(self, bound: Bound) -> Iterator[Node]:
        """Yield conditions that some element has two properties at once, and that most elements have a property."""
        one = {**self._scope, bound.domain: (*self._scope.get(bound.domain, ()), bound)}
        simple = [c for term in self._terms(one) for c in self.about(term, one) if bound.name in trees.free(c)]
        for left, right in combinations(simple, 2):
            for pair in (trees.both(left, right), trees.both(left, negated(right)), trees.both(negated(left), right)):
                yield from islice(closed(pair, (bound,)), 1)
        assert isinstance(bound.domain, IndexSet)
        size = bound.domain.size if not isinstance(bound.domain.size, int) else Constant(bound.domain.size, Int())
        inner = Bound(f"{trees.noun_of(bound.domain)}~0", bound.domain)
        for condition in simple:
            body = trees.substituted(condition, {bound.name: inner}, 1)
            number: Node = Quantified(Quantifier.COUNT, inner, trees.total(body), Int())
            twice = trees.operation(Operator.MULTIPLY, number, Constant(2, Int()), domain=Int())
            yield trees.operation(Operator.LESS, size, twice)

    def _terms(self, scope: Scope) -> Iterator[Node]:
        for declared in self.specification.variables:
            yield from cells(Variable(declared.name, declared.domain), declared.domain, scope)

    def about(self, term: Node, scope: Scope) -> Iterator[Node]:
        """Yield the simple conditions on a single cell."""
        domain: Domain[Any] = term.domain
        match domain:
            case Bool():
                yield term
            case OneOf(choices=choices):
                members = list(choices.__members__.values())
                for member in members[: 1 if len(members) == 2 else None]:
                    yield trees.operation(Operator.EQUAL, term, Constant(member, domain))
            case IndexSet():
                yield from (trees.operation(Operator.EQUAL, term, bound) for bound in scope.get(domain, ()))
            case Option(inner=inner):
                yield trees.operation(Operator.IS_NONE, term)
                for value in self._values(inner, scope):
                    yield trees.operation(Operator.EQUAL, term, trees.operation(Operator.SOME, value, domain=domain))
            case Int():
                yield from self._about_number(term)
            case SequenceOf():
                for condition, part in on_lane(term, lambda item: cells(item, item.domain, scope)):
                    yield from (condition(about) for about in self.about(part, scope))
                yield from self._about_number(trees.length_of(term))
            case _:
                return

    def _values(self, domain: Domain[Any], scope: Scope) -> Iterator[Node]:
        match domain:
            case IndexSet():
                yield from scope.get(domain, ())
            case OneOf(choices=choices):
                yield from (Constant(member, domain) for member in choices.__members__.values())
            case Int():
                yield from self._small(domain)
            case _:
                return

    def _about_number(self, term: Node) -> Iterator[Node]:
        values = list(self._small(term.domain))
        yield from (trees.operation(Operator.EQUAL, term, value) for value in values)
        yield from (
            trees.operation(Operator.AT_MOST, term, value) for value in values[1:] if isinstance(value, Constant)
        )

    def _small(self, domain: Domain[Any]) -> Iterator[Node]:
        """Yield the lowest numbers of a domain, and its highest number as the specification writes it."""
        known = self.ground.domain(domain)
        assert isinstance(known, Int)
        assert isinstance(domain, Int)
        low, high = known.low, known.high
        if low is not None:
            last = low + SMALL if high is None else min(low + SMALL, high - (not isinstance(domain.high, int)))
            yield from (Constant(number, Int()) for number in range(low, last + 1))
        if domain.high is not None and not isinstance(domain.high, int):
            yield domain.high
        elif high is not None and low is not None and high > low + SMALL:
            yield Constant(high, Int())


def said(specification: Specification) -> Iterator[Node]:
    """Yield every expression of a specification that speaks of a state, with definitions inserted for their names."""
    yield from (trees.substituted(node, {}) for node in expressions_of(specification))
    yield from (trees.substituted(definition.body, {}) for definition in specification.definitions)
    if specification.stopping is not None:
        yield trees.substituted(specification.stopping.condition, {})


def conditions_in(node: Node) -> Iterator[Node]:
    """Yield the conditions at and below a node; in place of a negation, the condition that it negates."""
    match node:
        case Constant() | Bound():
            return
        case Operation(operator=Operator.NOT):
            yield from conditions_in(node.operands[0])
        case _:
            if isinstance(node.domain, Bool):
                yield node
            for part in children(node):
                yield from conditions_in(part)


def cells(node: Node, domain: Domain[Any], scope: Scope) -> Iterator[Node]:
    """Yield the values (also whole sequences) of those cells of a variable that are selected by elements in scope."""
    match domain:
        case Array(index=index) | Set(index=index):
            for bound in scope.get(index, ()):
                element: Domain[Any] = domain.element
                yield from cells(trees.operation(Operator.SELECT, node, bound, domain=element), element, scope)
        case Record(fields=fields):
            for name, inner in fields:
                yield from cells(Field(node, name, inner), inner, scope)
        case _:
            yield node


def compared(terms: Sequence[Node]) -> Iterator[Node]:
    """Yield comparisons of two cells of the same domain."""
    for one, other in combinations(terms, 2):
        if one.domain != other.domain:
            continue
        match one.domain:
            case Int():
                yield trees.operation(Operator.AT_MOST, one, other)
                yield trees.operation(Operator.AT_MOST, other, one)
                yield trees.operation(Operator.EQUAL, one, other)
            case IndexSet(ordered=True):
                yield from in_order(one, other)
            case IndexSet() | OneOf() | Option() | SequenceOf():
                yield trees.operation(Operator.EQUAL, one, other)
            case _:
                continue


def in_order(one: Node, other: Node) -> Iterator[Node]:
    """Yield the conditions that two values are equal, that the first is below the second, and that it is above."""
    if one != other:
        yield trees.operation(Operator.EQUAL, one, other)
        yield trees.operation(Operator.LESS, one, other)
        yield trees.operation(Operator.LESS, other, one)


def closed(node: Node, inner: Iterable[Bound]) -> Iterator[Node]:
    """Yield a condition unchanged, or with each of the two quantifiers if it has one element to bind; nothing if it has
    several."""
    spoken_of = trees.free(node)
    used = [bound for bound in dict.fromkeys(inner) if bound.name.endswith("*") and bound.name in spoken_of]
    if not used:
        yield node
    elif len(used) == 1:
        bound = Bound(f"{used[0].name.rstrip('*')}~0", used[0].domain)
        body = trees.substituted(node, {used[0].name: bound}, 1)
        yield from (trees.quantified(quantifier, bound, body) for quantifier in (Quantifier.SOME, Quantifier.ALL))


def on_lane(lane: Node, parts: Callable[[Node], Iterable[Node]]) -> Iterator[tuple[Said, Node]]:
    """Yield parts of a message (at one of the first positions, or any message) with a function that makes a condition
    on the lane.

    The condition that a position is not past the end is added later, when conditions are made defined in every state.
    """
    for place in range(PLACES):
        yield from ((lambda condition: condition, part) for part in parts(_item(lane, Constant(place, Int()))))
    somewhere = _somewhere(lane)
    yield from ((lambda condition: _some(somewhere, condition), part) for part in parts(_item(lane, somewhere)))


def holding(lane: Node, numbers: Sequence[Node]) -> Iterator[Node]:
    """Yield conditions that a lane has a message with a number equal to, below or above a cell's, or two of a kind."""
    element, somewhere = _element(lane), _somewhere(lane)
    item = _item(lane, somewhere)
    if isinstance(element, Int):
        yield from _against(somewhere, item, numbers)
        first = trees.operation(Operator.ADD, somewhere, Constant(1, Int()), domain=Int())
        yield _some(somewhere, negated(trees.operation(Operator.EQUAL, item, first)))
    if not isinstance(element, Record):
        return
    kinds = [
        trees.operation(Operator.EQUAL, Field(item, name, inner), Constant(member, inner))
        for name, inner in element.fields if isinstance(inner, OneOf)
        for member in inner.choices.__members__.values()
    ]  # fmt: skip
    fields = [Field(item, name, inner) for name, inner in element.fields if isinstance(inner, Int)]
    for number in fields:
        yield from _against(somewhere, number, numbers)
        for kind in kinds:
            yield from _against(somewhere, number, numbers, kind)
    for kind in kinds:
        yield trees.operation(Operator.LESS, Constant(1, Int()), Quantified(Quantifier.COUNT, somewhere, kind, Int()))


def _against(somewhere: Bound, number: Node, others: Sequence[Node], kind: Node | None = None) -> Iterator[Node]:
    for other in others:
        for way in islice(in_order(number, other), 3 if kind is None else 2):
            yield _some(somewhere, way if kind is None else trees.both(kind, way))


def _element(lane: Node) -> Domain[Any]:
    assert isinstance(lane.domain, SequenceOf)
    element: Domain[Any] = lane.domain.element
    return element


def _item(lane: Node, place: Node) -> Node:
    return trees.operation(Operator.AT, lane, place, domain=_element(lane))


def _somewhere(lane: Node) -> Bound:
    assert isinstance(lane.domain, SequenceOf)
    capacity = lane.domain.capacity
    if isinstance(capacity, int):
        return Bound("place~9", Int(0, capacity - 1))
    last = trees.operation(Operator.SUBTRACT, capacity, Constant(1, Int()), domain=Int())
    return Bound("place~9", Int(0, last))


def _some(somewhere: Bound, condition: Node) -> Node:
    return trees.quantified(Quantifier.SOME, somewhere, condition)
