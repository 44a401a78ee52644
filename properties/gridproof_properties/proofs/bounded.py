"""Bounded model checking: shortest behaviours that reach a goal.

The world's steps are unrolled, one more at a time, and Z3 is asked for a behaviour whose last state satisfies a goal: a
claim's breach, sight of an anomaly, a step that is undefined. Whatever it answers is replayed by the run reading, which
shares no code with it, before anyone sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import z3

from gridproof_model.language.claim import ClaimKind
from gridproof_model.language.errors import StepError
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import ANY, Plain, State, contains, initial_values
from gridproof_model.language.world import World
from gridproof_properties.proofs.translation import EFFORT, Formula, SymbolicWorld, Term

UNDEFINED = "a step is undefined"
"""The goal beside the claims: some step is possible, and means nothing or leaves a domain."""

UNDEFINED_CLAIM = "a claim is undefined"
"""The goal beside the claims: one of them, or where it may stop, means nothing."""

DEADLOCK = "nothing can happen"
"""The goal beside the claims: no step is possible, and the specification may not stop."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A shortest behaviour to a goal, as the run reading replayed it."""

    goal: str
    world: World
    """The world it happens in, with what was open fixed as the behaviour needs it."""
    behaviour: tuple[tuple[Event | None, State], ...]
    """The initial state with None, then every event with the state after it."""

    @property
    def length(self) -> int:
        """How many events it takes."""
        return len(self.behaviour) - 1


class ReplayError(AssertionError):
    """The run reading does not walk a behaviour that Z3 found: the two readings differ."""


def search(
    world: SymbolicWorld,
    depth: int,
    *,
    claims: tuple[str, ...] | None = None,
    effort: int = EFFORT,
    progress: Callable[[str], None] | None = None,
    reached: dict[str, Reached] | None = None,
) -> Mapping[str, Reached]:
    """Look for shortest behaviours of up to `depth` events that break an always-claim or reach a sometimes-claim.

    An eventually-claim is broken by one that may rest short of what it waits for. `claims` names some of them, or the
    goals beside them; all are meant when it is left out. What is reached is put into `reached` at once, by
    name; what is there before is not looked for. No shorter behaviour reaches what is not there, unless Z3 gave up.
    """
    goals = {name: goal for name, goal in _goals(world) if claims is None or name in claims}
    unrolling = Unrolling(world, effort)
    reached = {} if reached is None else reached
    lost: set[str] = set()
    for length in range(depth + 1):
        for name in [name for name in goals if name not in reached and name not in lost]:
            if progress is not None:
                progress(f"{name}: behaviours of {length} steps")
            answer = unrolling.ask(*goals[name])
            if answer is None:
                lost.add(name)
            elif answer:
                reached[name] = unrolling.reached(name)
        if all(name in reached or name in lost for name in goals) or length == depth:
            break
        unrolling.grow()
    return reached


def _goals(world: SymbolicWorld) -> Iterator[tuple[str, tuple[Formula, Formula]]]:
    """Yield by name what is to hold at the end of a behaviour, and what all along."""
    anything = z3.BoolVal(True)
    for lowered in world.lowered.claims:
        defined, condition = world.defined(lowered.demands), world.truth(lowered.condition)
        match lowered.claim.kind:
            case ClaimKind.ALWAYS:
                yield lowered.claim.name, (z3.And(defined, z3.Not(condition)), anything)
            case ClaimKind.SOMETIMES:
                yield lowered.claim.name, (z3.And(defined, condition), anything)
            case ClaimKind.EVENTUALLY:
                waits = z3.And(defined, z3.Not(condition))
                if lowered.trigger is None:
                    yield lowered.claim.name, (world.rests, waits)
                else:
                    yield lowered.claim.name, (z3.And(world.rests, waits, world.truth(lowered.trigger)), anything)
    demands = (*world.lowered.stopping_demands, *(d for lowered in world.lowered.claims for d in lowered.demands))
    yield UNDEFINED, (z3.Not(z3.And(*(step.defined for step in world.steps))), anything)
    yield UNDEFINED_CLAIM, (z3.Not(world.defined(demands)), anything)
    yield DEADLOCK, (world.stands_still, anything)


@dataclass
class Unrolling:
    """All behaviours of some length from an initial state."""

    world: SymbolicWorld
    effort: int = EFFORT
    is_rooted: bool = True
    """Whether it begins in an initial state; otherwise in any well-formed one."""
    moments: list[tuple[Term, ...]] = field(default_factory=list)
    """The cells at every moment."""
    choices: list[tuple[Term, ...]] = field(default_factory=list)
    """Between two moments, for every step of the world, whether it is the one taken."""
    _model: Any = None

    def __post_init__(self) -> None:
        self.solver = self.world.solver(self.effort)
        self.moments.append(self.world.named(" @0"))
        self.solver.add(self.at_end(self.world.well_formed))
        if self.is_rooted:
            self.solver.add(self.at_end(self.world.initial))

    def at_end(self, formula: Formula) -> Formula:
        """Return a formula about the last moment."""
        return self.world.at(formula, self.moments[-1])

    def assume(self, *known: Formula) -> None:
        """Keep to behaviours whose last state satisfies these."""
        self.solver.add(*map(self.at_end, known))

    def ask(self, goal: Formula, throughout: Formula | None = None) -> bool | None:
        """Return whether some behaviour ends in a goal, and satisfies something all along; None when Z3 gave up."""
        self.solver.push()
        self.solver.add(self.at_end(goal))
        if throughout is not None:
            self.solver.add(*(self.world.at(throughout, moment) for moment in self.moments))
        answer = self.solver.check()
        self._model = self.solver.model() if answer == z3.sat else None
        self.solver.pop()
        return None if answer == z3.unknown else bool(answer == z3.sat)

    def grow(self) -> None:
        """Make the behaviours one step longer."""
        moment = len(self.moments)
        after = self.world.named(f" @{moment}")
        taken = tuple(z3.Bool(f"step {number} @{moment}") for number in range(len(self.world.steps)))
        pairs = [*zip(self._relation_choices, taken, strict=True), *zip(self._relation_after, after, strict=True)]
        relation = z3.substitute(self._relation, *pairs)
        self.solver.add(self.at_end(relation))
        self.moments.append(after)
        self.choices.append(taken)

    def reached(self, goal: str) -> Reached:
        """Return the behaviour last found, replayed."""
        states = [self.world.state(self._model, moment) for moment in self.moments]
        events: list[Event] = []
        for taken in self.choices:
            number = next(n for n, choice in enumerate(taken) if z3.is_true(self._model.eval(choice)))
            events.append(self.world.steps[number].event)
        settled = self.world.lowered.world.settled(**self.world.open_values(self._model))
        return Reached(goal, settled, replayed(settled, states, events))

    @cached_property
    def _relation_choices(self) -> tuple[Term, ...]:
        return tuple(z3.Bool(f"step {number}") for number in range(len(self.world.steps)))

    @cached_property
    def _relation_after(self) -> tuple[Term, ...]:
        return self.world.named(" after")

    @cached_property
    def _relation(self) -> Formula:
        """One step, from the world's own cells to those after it."""
        steps, taken = self.world.steps, self._relation_choices
        parts = [z3.Or(*taken), z3.AtMost(*taken, 1)] if taken else [z3.BoolVal(False)]
        parts += [z3.Implies(choice, z3.And(s.possible, s.defined)) for choice, s in zip(taken, steps, strict=True)]
        for number in range(len(self.world.lowered.cells)):
            value = self.world.cells[number]
            for choice, step in zip(taken, steps, strict=True):
                if number in step.updates:
                    value = z3.If(choice, step.updates[number], value)
            parts.append(self._relation_after[number] == value)
        return z3.And(*parts)


def replayed(world: World, states: list[State], events: list[Event]) -> tuple[tuple[Event | None, State], ...]:
    """Return a behaviour as the run reading walks it; ReplayError when that is not what Z3 said."""
    runner = Runner(world)
    if not is_initial(world, states[0]):
        raise ReplayError(f"{world.title}: this is no initial state: {states[0]}")
    try:
        behaviour = tuple(runner.replay(states[0], events))
    except StepError as refusal:
        raise ReplayError(f"{world.title}: {refusal}") from refusal
    for (_, walked), state in zip(behaviour, states, strict=True):
        if walked != state:
            raise ReplayError(f"{world.title}: Z3 says {state}, the run reading {walked}")
    return behaviour


def is_initial(world: World, state: State) -> bool:
    """Return whether a state is an initial one."""
    return all(_may_start_as(variable.domain, variable.initial, state[variable.name]) for variable in world.variables)


def _may_start_as(domain: Any, initial: Plain, value: Plain) -> bool:
    if initial is ANY:
        return contains(domain, value)
    return any(value == start for start in initial_values(domain, initial))
