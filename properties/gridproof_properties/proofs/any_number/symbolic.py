"""A specification in Z3 with some sizes open: its start, its steps, its claims, and the domains of its values.

An open constant may have any value, so a proof covers the worlds with all values of the open constants at once.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import z3

from gridproof_model.language import ClaimKind, Plain, Specification
from gridproof_model.language.declarations import Action, Claim
from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.structures import Record
from gridproof_model.language.tree import (
    Bound,
    Domain,
    Field,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    root,
    walk,
)
from gridproof_properties.proofs.any_number.cutoffs import HOW_MANY, Cutoff, named_elements, trees_of
from gridproof_properties.proofs.any_number.formulas import (
    FALSE,
    ArrayValue,
    Formula,
    Meaning,
    Term,
    conjunction,
    described_in,
    equality,
    for_every,
    negation,
)
from gridproof_properties.proofs.any_number.meanings import Way
from gridproof_properties.proofs.any_number.reading import Given, Reading

_RECKONED = (Operator.ADD, Operator.SUBTRACT, Operator.MULTIPLY, Operator.REMAINDER)
Path = tuple[Any, ...]
"""The path from a variable down to a cell: a list of index terms and field names."""


@dataclass(frozen=True, slots=True)
class OpenStep:
    """The step of an action, for any values of its parameters."""

    action: Action
    parameters: Mapping[str, Meaning]
    guards: tuple[Formula, ...]
    """The guards, and the formulas that the parameters are in their domains."""
    assured: tuple[Formula, ...]
    """Formulas that are true if the step is defined."""
    needed: Formula
    """A formula that, if it is true wherever the guards are, shows that the step is defined."""
    after: Mapping[str, Meaning]
    changed: frozenset[str]
    """The variables that the step may change."""

    @property
    def points(self) -> tuple[Term, ...]:
        """The parameters that are scalars, and not whole sets, records or options."""
        return tuple(chosen for chosen in self.parameters.values() if isinstance(chosen, z3.ExprRef))


class OpenWorld:
    """A specification in Z3 constants and functions, for any values of its open constants."""

    def __init__(self, specification: Specification, claims: Sequence[Claim], constants: Mapping[str, Plain]) -> None:
        self.specification = specification
        self.claims = {claim.name: claim for claim in claims if claim.kind is ClaimKind.ALWAYS}
        given = {constant.name: constant.default for constant in specification.constants} | dict(constants)
        trees = (*trees_of(specification), *(claim.condition for claim in self.claims.values()))
        self.read = Reading(specification, given, trees)
        self.before = {v.name: self.read.laid_out(v.name, v.domain) for v in specification.variables}
        self.domains: dict[str, Domain[Any]] = {v.name: v.domain for v in specification.variables}
        self._axioms: list[tuple[Formula, frozenset[str]]] = []
        """The axioms, each with the names of the described functions that occur in it."""
        self._known_names: dict[int, tuple[Formula, frozenset[str]]] = {}
        for requirement in specification.requirements:
            self.read.axioms.append(self.read.lower(requirement.condition, Given({}, {})))

    @cached_property
    def initial(self) -> Formula:
        """The formula that is true in the initial states, and in no others."""
        return conjunction([self._starts(v.name, v.initial) for v in self.specification.variables])

    def fits(self, variable: str, state: Mapping[str, Meaning] | None = None) -> Formula:
        """Return the formula that a variable is in its domain; after a step, numbers may pass open bounds."""
        self.read.is_lenient = state is not None
        found = self.read.fits(self.domains[variable], (self.before if state is None else state)[variable])
        self.read.is_lenient = False
        return found

    def claim(self, name: str, state: Mapping[str, Meaning] | None = None) -> Formula:
        """Return a claim's condition as a formula that is false where the condition is undefined."""
        given = Given(self.before if state is None else state, {})
        said, demands = self.read.gathering(lambda: self.read.lower(self.claims[name].condition, given))
        return conjunction((said, *(for_every(demand.variables, demand.needed) for demand in demands)))

    def hardly_known(self, name: str) -> str | None:
        """Return a part of a claim about which little is known (a sum over an open set, or a computation with its
        size); None if there is none."""
        opened = {index.size: index for index in self.specification.index_sets if self.read.way(index) is not Way.FIXED}
        for part in walk(self.claims[name].condition):
            match part:
                case Quantified(quantifier=Quantifier.SUM, bound=Bound(domain=IndexSet() as of)) if (
                    of in opened.values()
                ):
                    return f"it says sum_of over {of.name!r}"
                case Operation(operator=operator, operands=operands) if operator in _RECKONED:
                    size = next((one for one in operands if one in opened), None)
                    if size is not None:
                        return f"it reckons with the size of {opened[size].name!r}"
                case _:
                    pass
        return None

    def step(self, action: Action) -> OpenStep:
        """Return an action's step from an arbitrary state."""
        read = self.read
        parameters = {p.name: read.laid_out(f"{action.name} {p.name}", p.domain) for p in action.parameters}
        given = Given(self.before, parameters)
        guards = [read.fits(p.domain, parameters[p.name]) for p in action.parameters]
        read.demands, read.path = [], list(guards)
        for guard in action.guards:
            guards.append(read.lower(guard, given))
            read.path.append(guards[-1])
        after, paths = dict(self.before), list[tuple[str, Path]]()
        for update in action.updates:
            name, path = root(update.target).name, self._path(update.target, given)
            for other, earlier in paths:
                if other == name:
                    read.demand(negation(_meet(path, earlier)))
            paths.append((name, path))
            value = read.lower(update.value, given)
            after[name] = self._placed(self.domains[name], after[name], path, value)
        demands, read.demands, read.path = read.demands, None, []
        needed = conjunction([for_every(demand.variables, demand.needed) for demand in demands])
        assured = [for_every(demand.variables, demand.assured) for demand in demands]
        changed = frozenset(name for name, _ in paths)
        return OpenStep(action, parameters, tuple(guards), tuple(assured), needed, after, changed)

    def stands_still(self, steps: Iterable[OpenStep]) -> Formula:
        """Return the formula that no action is possible although the specification may not stop."""
        stopping, parts = self.specification.stopping, list[Formula]()
        if stopping is not None:
            parts.append(negation(self.read.lower(stopping.condition, Given(self.before, {}))))
        for step in steps:
            if len(step.points) < len(step.parameters):
                continue  # "no set makes it possible" is not expressible here; leaving it out is sound
            never = negation(conjunction(step.guards))
            parts.append(z3.ForAll(list(step.points), never) if step.points else never)
        return conjunction(parts)

    def axioms_for(self, formulas: tuple[Formula, ...]) -> list[Formula]:
        """Return the axioms, except those on described functions that do not occur in the formulas."""
        known = self._described_in(formulas)
        later = self.read.axioms[len(self._axioms) :]
        self._axioms += [(axiom, self._described_in([axiom])) for axiom in later]
        return [axiom for axiom, of in self._axioms if of <= known]

    def how_counts_differ(self, points: Sequence[Term], formulas: Iterable[Formula]) -> list[Formula]:
        """Return axioms that compare each two counts in the formulas, if what they count differs at no more than two of
        the given elements."""
        return self.read.how_counts_differ(points, self._described_in(formulas))

    def named_elements(self, formulas: tuple[Formula, ...], least: Mapping[str, int]) -> dict[str, Cutoff]:
        """Return for each of the given sets how many elements the formulas have to name, or why no number is known."""
        if self._described_in(formulas):
            return dict.fromkeys(least, HOW_MANY)
        return named_elements((*formulas, *self.axioms_for(formulas)), self.read, least)

    def _described_in(self, formulas: Iterable[Formula]) -> frozenset[str]:
        found = frozenset[str]()
        for formula in formulas:
            known = self._known_names.get(formula.get_id())
            if known is None:
                known = self._known_names[formula.get_id()] = formula, described_in(formula)
            found |= known[1]
        return found

    def _starts(self, name: str, initial: Plain) -> Formula:
        if isinstance(initial, Node):
            return self.read.equal(self.domains[name], self.before[name], self.read.lower(initial, Given({}, {})))
        return self.read.starts_as(self.domains[name], self.before[name], initial)

    def _path(self, target: Node, given: Given) -> Path:
        match target:
            case Operation(operands=(array, index)):
                return (*self._path(array, given), self.read.lower(index, given))
            case Field(record=record, name=name):
                return (*self._path(record, given), name)
            case _:
                return ()

    def _placed(self, domain: Domain[Any], old: Meaning, path: Path, value: Meaning) -> Meaning:
        """Return a value in which one cell, or the whole value, is replaced."""
        if not path:
            return value
        first, rest = path[0], path[1:]
        if isinstance(domain, Record):
            parts = zip(domain.fields, old, strict=True)
            return tuple(self._placed(d, part, rest, value) if name == first else part for (name, d), part in parts)
        element = domain.element  # type: ignore[attr-defined]

        def at(index: Term) -> Meaning:
            here = old.at(index)
            return self.read.either(element, equality(first, index), self._placed(element, here, rest, value), here)

        return ArrayValue(at)


def _meet(one: Path, other: Path) -> Formula:
    """Return the formula that two targets in one variable share a cell."""
    parts = list[Formula]()
    for a, b in zip(one, other, strict=False):
        if isinstance(a, str) and a != b:
            return FALSE
        parts += [] if isinstance(a, str) else [equality(a, b)]
    return conjunction(parts)
