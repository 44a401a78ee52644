"""The translation for any number, held against steps that plain values take in worlds of a size."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any

import z3

from gridproof_model.language import State
from gridproof_model.language.expressions import Bool, IndexSet, Int, OneOf, Option
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.structures import Array, Record, Set
from gridproof_model.language.structures import Sequence as SequenceOf
from gridproof_model.language.values import values_of
from gridproof_properties.proofs.any_number.formulas import conjunction
from gridproof_properties.proofs.any_number.meanings import Way
from gridproof_properties.proofs.any_number.symbolic import OpenWorld
from gridproof_properties.proofs.argument import Argument, Constants

WAYS = ((False, 3_000_000), (True, 3_000_000), (False, 60_000_000))
"""Whether quantifiers are pulled out of what is around them, and with what effort: as proofs ask, cheap ways first."""


@dataclass
class HeldAgainstRuns:
    """Every index set has as many elements as in one world, and Z3 is asked about what happens there."""

    argument: Argument
    opened: Constants
    small: Constants
    answers: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        specification = self.argument.specification
        claims = (*specification.claims, *self.argument.lemmas)
        self.open = OpenWorld(specification, claims, self.opened)
        self.world = self.argument.world(self.small)
        self.runner = Runner(self.world)
        self.steps = {action.name: self.open.step(action) for action in specification.actions}
        self.elements: dict[str, list[Any]] = {}
        chosen = dict(self.world.constants)
        self.setting = [term == chosen[name] for name, term in self.open.read.open_constants.items()]
        for index in self.world.index_sets:
            declared = next(one for one in specification.index_sets if one.name == index.name)
            self.setting += self._as_many(declared, index.size)

    def walk(self, seed: int, length: int) -> None:
        """Walk at random, and ask about each step: it is one, to that state alone; what is refused is none."""
        dice = random.Random(seed)
        state = dice.choice([*islice(self.runner.initial_states(), 50)])
        self._ask("it starts there", self._is(self.open.before, state), self.open.initial)
        for _ in range(length):
            events = [*self.runner.events(state)]
            if not events:
                return
            event = dice.choice(events)
            after = self.runner.step(state, event)
            self._step(state, event, after)
            self._claims(state)
            for refused in islice(self._refused(state, dice), 2):
                self._ask("a refused step", self._is(self.open.before, state), *self._chosen(refused))
            state = after

    def _step(self, state: State, event: Event, after: State) -> None:
        step = self.steps[event.action]
        taken = (self._is(self.open.before, state), *self._chosen(event))
        there = self._is(step.after, after)
        kept = [self.open.fits(name, step.after) for name in self.open.domains]
        said = [self.open.claim(name, values) for name in self.open.claims for values in (None, step.after)]
        differ = self.open.how_counts_differ(step.points, (*taken, *said))
        self._ask("a step that is taken", *taken, *step.assured, step.needed, there, *kept, *differ)
        self._ask("the same step to another state", *taken, *step.assured, z3.Not(there))

    def _claims(self, state: State) -> None:
        for claim in self.world.claims:
            if claim.name in self.open.claims:
                said = self.open.claim(claim.name)
                wrong = z3.Not(said) if self.runner.holds(claim, state) else said
                self._ask("another truth of a claim", self._is(self.open.before, state), wrong)

    def _refused(self, state: State, dice: random.Random) -> Iterator[Event]:
        for _ in range(20):
            action = dice.choice(self.world.actions)
            event = Event(action.name, tuple(dice.choice([*values_of(p.domain)]) for p in action.parameters))
            if self.runner.refusal(state, event) is not None:
                yield event

    def _chosen(self, event: Event) -> list[Any]:
        step = self.steps[event.action]
        pairs = zip(self.world.action(event.action).parameters, event.arguments, strict=True)
        return [*(self._same(p.domain, step.parameters[p.name], value) for p, value in pairs), *step.guards]

    def _ask(self, what: str, *formulas: Any) -> None:
        answer = z3.unknown
        for is_pulled, effort in WAYS:
            solver = z3.Solver()
            solver.set("rlimit", effort)
            solver.set("smt.pull_nested_quantifiers", is_pulled)
            solver.add(*self.open.read.axioms, *self.setting, *formulas)
            answer = solver.check()
            if answer != z3.unknown:
                break
        self.answers[f"{what}: {answer}"] += 1

    def _as_many(self, index: IndexSet, size: int) -> list[Any]:
        read = self.open.read
        if read.way(index) not in (Way.ORDERED, Way.UNORDERED):
            self.elements[index.name] = [z3.IntVal(n) for n in range(size)]
            return []
        named = [z3.Const(f"{index.name} number {n}", read.sort(index)) for n in range(size)]
        self.elements[index.name] = named
        x = z3.Const("any of them", read.sort(index))
        is_ordered = read.way(index) is Way.ORDERED
        order = [read.is_at_most(index, *pair) for pair in pairwise(named)] if is_ordered else []
        return [z3.Distinct(*named), z3.ForAll([x], z3.Or(*(x == one for one in named))), *order]

    def _is(self, values: Any, state: State) -> Any:
        return conjunction([self._same(v.domain, values[v.name], state[v.name]) for v in self.world.variables])

    def _same(self, domain: Any, term: Any, value: Any) -> Any:
        match domain:
            case Array(index=index, element=element) | Set(index=index, element=element):
                pairs = zip(self.elements[index.name], value, strict=True)
                return conjunction([self._same(element, term.at(one), part) for one, part in pairs])
            case Record(fields=fields):
                return conjunction([self._same(d, t, v) for (_, d), t, v in zip(fields, term, value, strict=True)])
            case Option(inner=inner):
                return (
                    z3.Not(term.is_some)
                    if value is None
                    else z3.And(term.is_some, self._same(inner, term.value, value))
                )
            case SequenceOf(element=element):
                items = [self._same(element, term.at(z3.IntVal(n)), item) for n, item in enumerate(value)]
                return conjunction([term.length == len(value), *items])
            case IndexSet(name=name):
                return term == self.elements[name][value]
            case Bool() | OneOf() | Int() | _:
                return term == self.open.read.constant(domain, value)
