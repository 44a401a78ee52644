"""Reads expressions for any number of elements: quantifiers stay quantifiers, and counts are terms with axioms.

If a count is compared with a plain number, the result is a formula that there are that many different elements; if it
is compared with half its set, it is a formula about a quorum (any two quorums share an element). Any other count is an
unknown number, of which this is known: when it is 0, at most 1, or the size of the whole set; and by how much two
counts differ if their conditions differ at a few elements only. About sums, as much is known as about counts.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import z3

from gridproof_model.language import tree
from gridproof_model.language.tree import Domain
from gridproof_properties.proofs.any_number.counts import Count, Counts, majority_in
from gridproof_properties.proofs.any_number.formulas import (
    TRUE,
    ArrayValue,
    Formula,
    Meaning,
    OptionValue,
    SequenceValue,
    Term,
    at_most,
    choice,
    conjunction,
    disjunction,
    equality,
    implication,
    is_true,
    negation,
)
from gridproof_properties.proofs.any_number.meanings import Demand


@dataclass(frozen=True, slots=True)
class Late:
    """An argument of a definition; conditions for its definedness matter only where the definition evaluates it."""

    value: Meaning
    demands: tuple[Demand, ...]


@dataclass(frozen=True, slots=True)
class Given:
    """The values of variables and of bound names."""

    variables: Mapping[str, Meaning]
    names: Mapping[str, Meaning]

    def with_name(self, name: str, value: Meaning) -> "Given":
        """Return these values, together with the value of one more name."""
        return replace(self, names={**self.names, name: value})


class Reading(Counts):
    """Reads expressions over a state, and gathers the conditions (demands) under which they are defined."""

    def demand(self, condition: Formula) -> None:
        """Record a condition that must be true for the expression being read to be defined."""
        if self.demands is not None:
            said = implication(conjunction(self.path), condition)
            if not is_true(said):
                self.demands.append(Demand(said, said, tuple(x for x, _ in self.scope)))

    def gathering(self, read: Callable[[], Meaning]) -> tuple[Meaning, tuple[Demand, ...]]:
        """Return the value that is read and the conditions for its definedness, whatever is true around it."""
        outer, path, self.demands, self.path = self.demands, self.path, [], []
        value = read()
        found, self.demands, self.path = tuple(self.demands), outer, path
        return value, found

    def lower(self, node: tree.Node, given: Given) -> Meaning:
        """Return the value of an expression."""
        match node:
            case tree.Constant(value=value, domain=domain):
                return self.constant(domain, value)
            case tree.Parameter(name=name, domain=domain):
                opened = self.open_constants.get(name)
                return self.constant(domain, self.given[name]) if opened is None else opened
            case tree.Variable(name=name):
                return given.variables[name]
            case tree.Bound(name=name):
                return self._read(given.names[name])
            case tree.Construct(values=values):
                return tuple(self.lower(value, given) for value in values)
            case tree.Field(record=record, name=name):
                names = [known for known, _ in record.domain.fields]  # type: ignore[attr-defined]
                return self.lower(record, given)[names.index(name)]
            case tree.Applied():
                return self.lower(node.body, replace(given, names=self._arguments(node, given)))
            case tree.If():
                return self._if(node, given)
            case tree.Quantified():
                return self._quantified(node, given)
            case tree.Operation():
                return self._operation(node, given)

    def _arguments(self, node: tree.Applied, given: Given) -> dict[str, Meaning]:
        result = dict[str, Meaning]()
        for parameter, argument in zip(node.parameters, node.arguments, strict=True):
            value, demands = self.gathering(lambda argument=argument: self.lower(argument, given))  # type: ignore[misc]
            result[parameter.name] = Late(value, demands) if demands else value
        return result

    def _read(self, value: Meaning) -> Meaning:
        if not isinstance(value, Late):
            return value
        if self.demands is not None:
            here, around = conjunction(self.path), tuple(x for x, _ in self.scope)
            self.demands.extend(demand.where(here, around) for demand in value.demands)
        return value.value

    def _if(self, node: tree.If, given: Given) -> Meaning:
        condition = self.lower(node.condition, given)
        with self.reached(condition):
            then = self.lower(node.then, given)
        with self.reached(negation(condition)):
            otherwise = self.lower(node.otherwise, given)
        return self.either(node.domain, condition, then, otherwise)

    def _quantified(self, node: tree.Quantified, given: Given) -> Meaning:
        domain, name, body = node.bound.domain, node.bound.name, self._body(node, given)
        match node.quantifier:
            case tree.Quantifier.ALL:
                return self.for_all(domain, body, name)
            case tree.Quantifier.SOME:
                return self.exists(domain, body, name)
            case tree.Quantifier.EACH:
                return self._each(domain, body, name)
            case quantifier:
                elements = self.elements(domain)
                if elements is None:
                    return self.counted(quantifier, domain, body, name)
                return self._unrolled(quantifier, elements, body)

    def _body(self, node: tree.Quantified, given: Given) -> Callable[[Term], Meaning]:
        return lambda element: self.lower(node.body, given.with_name(node.bound.name, element))

    def _each(self, domain: Domain[Any], body: Callable[[Term], Meaning], name: str) -> ArrayValue:
        """Return an array of values; conditions for their definedness are recorded here, not where a cell is read."""
        if self.demands is not None:
            for element in self.elements(domain) or ():
                body(element)
            if self.elements(domain) is None:
                with self.variable(domain, name) as (x, _):
                    body(x)

        def silent(x: Term) -> Meaning:
            outer, self.demands = self.demands, None
            value = body(x)
            self.demands = outer
            return value

        return ArrayValue(silent)

    def _unrolled(
        self, quantifier: tree.Quantifier, elements: Sequence[Term], body: Callable[[Term], Meaning]
    ) -> Meaning:
        if quantifier is tree.Quantifier.FIRST:
            parts = list[Formula]()
            for element in elements:
                with self.reached(negation(disjunction(parts))):
                    parts.append(body(element))
            found = elements[-1]
            for element, part in zip(reversed(elements[:-1]), reversed(parts[:-1]), strict=True):
                found = choice(part, element, found)
            return OptionValue(disjunction(parts), found)
        values = [body(element) for element in elements]
        if quantifier is tree.Quantifier.COUNT:
            return z3.simplify(z3.Sum(*(z3.If(value, 1, 0) for value in values)))
        if quantifier is tree.Quantifier.SUM:
            return z3.simplify(z3.Sum(*values))
        result = values[0]
        for value in values[1:]:
            is_chosen = at_most(value, result) if quantifier is tree.Quantifier.LEAST else at_most(result, value)
            result = choice(is_chosen, value, result)
        return result

    def _operation(self, node: tree.Operation, given: Given) -> Meaning:
        operator = node.operator
        if operator in (tree.Operator.AND, tree.Operator.OR, tree.Operator.IMPLIES):
            left = self.lower(node.operands[0], given)
            with self.reached(negation(left) if operator is tree.Operator.OR else left):
                right = self.lower(node.operands[1], given)
            if operator is tree.Operator.IMPLIES:
                return implication(left, right)
            return conjunction((left, right)) if operator is tree.Operator.AND else disjunction((left, right))
        if operator in (tree.Operator.LESS, tree.Operator.AT_MOST, tree.Operator.EQUAL):
            compared = self._compared_count(node, given)
            if compared is not None:
                return compared
        parts = [self.lower(operand, given) for operand in node.operands]
        domain = node.operands[0].domain
        match operator:
            case tree.Operator.NOT:
                return negation(parts[0])
            case tree.Operator.EQUAL:
                return self.equal(domain, parts[0], parts[1])
            case tree.Operator.LESS:
                return negation(self.is_at_most(domain, parts[1], parts[0]))
            case tree.Operator.AT_MOST:
                return self.is_at_most(domain, parts[0], parts[1])
            case tree.Operator.SELECT:
                return parts[0].at(parts[1])
            case tree.Operator.STORE:
                old, index, value = parts
                element = node.domain.element  # type: ignore[attr-defined]
                return ArrayValue(lambda i: self.either(element, equality(index, i), value, old.at(i)))
            case tree.Operator.SOME:
                return OptionValue(TRUE, parts[0])
            case tree.Operator.IS_NONE:
                return negation(parts[0].is_some)
            case tree.Operator.VALUE:
                self.demand(parts[0].is_some)
                return parts[0].value
            case tree.Operator.ORDINAL:
                return parts[0]
            case tree.Operator.ELEMENT:
                self.demand(self.is_inside(node.domain, parts[0]))
                return parts[0]
            case tree.Operator.LENGTH | tree.Operator.AT | tree.Operator.APPEND | tree.Operator.REMOVE:
                return self._sequence(node, parts[0], parts[1:])
            case _:
                return self._arithmetic(operator, parts[0], parts[1])

    def _sequence(self, node: tree.Operation, lane: SequenceValue, rest: Sequence[Term]) -> Meaning:
        domain = node.operands[0].domain
        element = domain.element  # type: ignore[attr-defined]
        if node.operator is tree.Operator.LENGTH:
            return lane.length
        if node.operator is tree.Operator.APPEND:
            self.demand(negation(at_most(self._term(domain.capacity), lane.length)))  # type: ignore[attr-defined]
            end = lane.length
            return SequenceValue(lambda j: self.either(element, equality(j, end), rest[0], lane.at(j)), length=end + 1)
        at = rest[0]
        self.demand(conjunction((at_most(z3.IntVal(0), at), negation(at_most(lane.length, at)))))
        if node.operator is tree.Operator.AT:
            return lane.at(at)

        def kept(j: Term) -> Meaning:
            return self.either(element, at_most(at, j), lane.at(z3.simplify(j + 1)), lane.at(j))

        return SequenceValue(kept, length=lane.length - 1)

    def _arithmetic(self, operator: tree.Operator, one: Term, other: Term) -> Term:
        if operator in (tree.Operator.DIVIDE, tree.Operator.REMAINDER):
            self.demand(negation(at_most(other, z3.IntVal(0))))
        match operator:
            case tree.Operator.ADD:
                return z3.simplify(one + other)
            case tree.Operator.SUBTRACT:
                return z3.simplify(one - other)
            case tree.Operator.MULTIPLY:
                return z3.simplify(one * other)
            case tree.Operator.DIVIDE:
                return one / other
            case tree.Operator.REMAINDER:
                return one % other
            case _:
                is_one = at_most(one, other) if operator is tree.Operator.SMALLER else at_most(other, one)
                return choice(is_one, one, other)

    def _compared_count(self, node: tree.Operation, given: Given) -> Formula | None:
        """Return the formula for comparing a count with a plain number or half its set; None for other comparisons."""
        left, right = map(_bare, node.operands)
        majority = majority_in(node.operator, left, right)
        if majority is not None and self.elements(majority.index) is None:
            said = self.is_majority(majority.index, self._body(majority.count, given))
            return said if majority.is_more else negation(said)
        count = next((side for side in (left, right) if _is_count(side)), None)
        if not isinstance(count, tree.Quantified) or self.elements(count.bound.domain) is not None:
            return None
        number = right if count is left else left
        if not isinstance(number, tree.Constant):
            return None
        some = Count(count.bound.domain, self._body(count, given), count.bound.name)
        match node.operator, count is left:
            case tree.Operator.EQUAL, _:
                return conjunction((self.has(some, number.value), negation(self.has(some, number.value + 1))))
            case tree.Operator.LESS, True:
                return negation(self.has(some, number.value))
            case tree.Operator.AT_MOST, True:
                return negation(self.has(some, number.value + 1))
            case tree.Operator.LESS, False:
                return self.has(some, number.value + 1)
            case _:
                return self.has(some, number.value)


def _bare(node: tree.Node) -> tree.Node:
    """Return the body of a definition without parameters in place of the definition."""
    while isinstance(node, tree.Applied) and not node.parameters:
        node = node.body
    return node


def _is_count(node: tree.Node) -> bool:
    return isinstance(node, tree.Quantified) and node.quantifier is tree.Quantifier.COUNT
