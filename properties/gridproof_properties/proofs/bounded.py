"""Bounded model checking: the shortest behaviours that reach a goal, also for claims that induction leaves undecided.

The world's steps are unrolled, one more each time, and Z3 is asked for a behaviour whose last state fulfils a goal: a
claim is broken, an anomaly is seen, or a step is undefined. Every answer is replayed by the plain interpreter, which
shares no code with Z3, before it is shown.

A claim that is not inductive may be false: then a behaviour of few steps may show it. The search may also show that a
sometimes-claim is reachable, or prove that it is not; and it may show that whenever an eventually-claim begins to wait
for a condition, the condition is true already.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import z3

from gridproof_model.language.declarations import ClaimKind
from gridproof_model.language.errors import SpecificationError, StepError
from gridproof_model.language.lower_world import lower
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.scalars import Scalar
from gridproof_model.language.tree import ANY
from gridproof_model.language.values import Plain, State, contains, initial_values
from gridproof_model.language.world import World
from gridproof_properties.judging.words import count
from gridproof_properties.proofs.any_number.cutoffs import at_a_small_size, by_size
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.prove import Proof
from gridproof_properties.proofs.translation import EFFORT, Formula, SymbolicWorld, Term

UNDEFINED = "a step is undefined"
"""The name of a goal that is not a claim: some step is possible, but is undefined or leaves a domain."""

UNDEFINED_CLAIM = "a claim is undefined"
"""The name of a goal that is not a claim: some claim, or the condition where the world may stop, is undefined."""

DEADLOCK = "nothing can happen"
"""The name of a goal that is not a claim: no step is possible although the specification may not stop."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A shortest behaviour that reaches a goal, as the plain interpreter replayed it."""

    goal: str
    world: World
    """The world of the behaviour; open constants have the values that the behaviour needs."""
    behaviour: tuple[tuple[Event | None, State], ...]
    """The initial state, in a pair with None; then every event, in a pair with the state after it."""

    @property
    def length(self) -> int:
        """The number of events in the behaviour."""
        return len(self.behaviour) - 1


class ReplayError(AssertionError):
    """Raised if the plain interpreter cannot replay a behaviour that Z3 found, so that the two disagree on a rule."""


def search(
    world: SymbolicWorld,
    depth: int,
    *,
    claims: tuple[str, ...] | None = None,
    effort: int = EFFORT,
    progress: Callable[[str], None] | None = None,
    reached: dict[str, Reached] | None = None,
) -> Mapping[str, Reached]:
    """Search for the shortest behaviours, of at most `depth` events, that break always-claims or reach
    sometimes-claims.

    An eventually-claim is broken by a behaviour that may stop for ever before the awaited condition is true. `claims`
    names the claims, and other goals, to search for; without it, all are searched for. What is found is put into
    `reached` at once, by name; goals that are already there are not searched for. If a goal is missing in `reached` at
    the end, no behaviour of up to `depth` events reaches it, unless Z3 gave up.
    """
    goals = {name: goal for name, goal in _goals(world) if claims is None or name in claims}
    unrolling = Unrolling(world, effort)
    reached = {} if reached is None else reached
    lost: set[str] = set()
    for length in range(depth + 1):
        for name in [name for name in goals if name not in reached and name not in lost]:
            if progress is not None:
                progress(f"{name}: behaviours of {count(length, 'step')}")
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
    """Yield each goal by name: its condition on the last state of a behaviour, and its condition on all states."""
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
    """Whether the behaviour begins in an initial state; otherwise it begins in any well-formed state."""
    moments: list[tuple[Term, ...]] = field(default_factory=list)
    """The cells at each moment of the behaviour."""
    choices: list[tuple[Term, ...]] = field(default_factory=list)
    """For each two successive moments and each step of the world, whether this step was taken between them."""
    _model: Any = None

    def __post_init__(self) -> None:
        self.solver = self.world.solver(self.effort)
        self.moments.append(self.world.named(" @0"))
        self.solver.add(self.at_end(self.world.well_formed))
        if self.is_rooted:
            self.solver.add(self.at_end(self.world.initial))

    def at_end(self, formula: Formula) -> Formula:
        """Return a formula about the last moment of the behaviour."""
        return self.world.at(formula, self.moments[-1])

    def assume(self, *known: Formula) -> None:
        """From now on, consider only behaviours whose last state fulfils these formulas."""
        self.solver.add(*map(self.at_end, known))

    def ask(self, goal: Formula, throughout: Formula | None = None) -> bool | None:
        """Return whether some behaviour ends in a goal and fulfils `throughout` in all states; None if Z3 gave up."""
        self.solver.push()
        self.solver.add(self.at_end(goal))
        if throughout is not None:
            self.solver.add(*(self.world.at(throughout, moment) for moment in self.moments))
        answer = self.solver.check()
        self._model = self.solver.model() if answer == z3.sat else None
        self.solver.pop()
        return None if answer == z3.unknown else bool(answer == z3.sat)

    def grow(self) -> None:
        """Make all behaviours one step longer."""
        moment = len(self.moments)
        after = self.world.named(f" @{moment}")
        taken = tuple(z3.Bool(f"step {number} @{moment}") for number in range(len(self.world.steps)))
        pairs = [*zip(self._relation_choices, taken, strict=True), *zip(self._relation_after, after, strict=True)]
        relation = z3.substitute(self._relation, *pairs)
        self.solver.add(self.at_end(relation))
        self.moments.append(after)
        self.choices.append(taken)

    def reached(self, goal: str) -> Reached:
        """Return the behaviour that was found last, replayed."""
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
        """The formula for one step, which relates the world's cells before the step to those after it."""
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
    """Return a behaviour as the plain interpreter replays it; raise ReplayError if that differs from Z3's answer."""
    runner = Runner(world)
    if not is_initial(world, states[0]):
        found = f"Z3's behaviour starts in {states[0]}, which is no initial state"
        raise ReplayError(f"{world.title}: {found}; this is a defect of gridproof: report it")
    try:
        behaviour = tuple(runner.replay(states[0], events))
    except StepError as refusal:
        why = f"Z3 found a step that the replay refuses ({refusal})"
        raise ReplayError(f"{world.title}: {why}; this is a defect of gridproof: report it") from refusal
    for (_, walked), state in zip(behaviour, states, strict=True):
        if walked != state:
            found = f"Z3's behaviour reaches {state}, but its replay reaches {walked}"
            raise ReplayError(f"{world.title}: {found}; this is a defect of gridproof: report it")
    return behaviour


def is_initial(world: World, state: State) -> bool:
    """Return whether a state is an initial state."""
    return all(_may_start_as(variable.domain, variable.initial, state[variable.name]) for variable in world.variables)


def _may_start_as(domain: Any, initial: Plain, value: Plain) -> bool:
    if initial is ANY:
        return contains(domain, value)
    return any(value == start for start in initial_values(domain, initial))


DEPTH = 12
"""How many steps from the start are searched; fewer if Z3 gives up."""
MORE = 2
"""How many more elements than at the start of the proof are tried, to refute claims not shown for all sizes."""
EFFORT_OF_A_SIZE = EFFORT // 10
"""How much work Z3 may spend on one question about a world of another size."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search near the start adds to what a proof shows about the claims of its world."""

    reached: Mapping[str, Reached] = field(default_factory=dict)
    """For each claim or other goal: the behaviour that breaks an always-claim, reaches a sometimes-claim, or never
    fulfils an eventually-claim."""
    never: frozenset[str] = frozenset()
    """Sometimes-claims that are true in no reachable state."""
    at_once: frozenset[str] = frozenset()
    """Eventually-claims whose condition is already true in every state in which the wait for it begins."""
    is_whole: bool = True
    """Whether the search ended without an interruption."""


def look_near_the_start(
    argument: Argument, proof: Proof, open_claims: Collection[str], progress: Callable[[str], None] | None = None
) -> Found:
    """Return what a search finds out about these claims, and about undefined steps and deadlocks that the proof leaves
    open.

    `open_claims` may name lemmas, too. If sizes are open, a claim is refuted in the smallest of the tried worlds that
    refute it. A KeyboardInterrupt ends the search, but is not raised again.
    """
    world, claims = proof.world, {lowered.claim.name: lowered for lowered in proof.world.lowered.claims}
    known = [proof.candidates[name] for name in proof.candidates if proof.is_proved(name)]
    beside = [UNDEFINED_CLAIM]
    beside += [UNDEFINED] if proof.may_be_undefined is not None else []
    beside += [] if proof.goes_on else [DEADLOCK]
    reached, never, at_once, is_whole = dict[str, Reached](), set[str](), set[str](), False
    always = tuple(name for name in open_claims if claims[name].claim.kind is ClaimKind.ALWAYS)
    small = at_a_small_size(argument, proof.constants)
    with suppress(KeyboardInterrupt):
        for constants in by_size(argument, proof.constants, MORE) if always else [small]:
            if constants == small:
                search(world, DEPTH, claims=(*open_claims, *beside), progress=progress, reached=reached)
            elif not reached.keys() >= set(always):
                other = SymbolicWorld(lower(argument.world(constants)))
                search(other, DEPTH, claims=always, effort=EFFORT_OF_A_SIZE, progress=progress, reached=reached)
        for name in (name for name in open_claims if name not in reached and proof.for_any is None):
            lowered, kind, condition = claims[name], claims[name].claim.kind, world.claim(claims[name])
            if kind is ClaimKind.SOMETIMES and _is_never(world, condition, known):
                never.add(name)
            if kind is ClaimKind.EVENTUALLY and _holds_at_once(proof, lowered.trigger, condition, known):
                at_once.add(name)
        is_whole = True
    confirmed = {name: _confirmed(argument, proof, one) for name, one in reached.items()}
    shown = {name: one for name, one in confirmed.items() if one is not None}
    return Found(shown, frozenset(never), frozenset(at_once), is_whole)


def undefined_steps(world: World, state: State) -> tuple[str, ...]:
    """Return, in the plain interpreter's words, why steps that may happen in a state are undefined there."""
    runner, problems = Runner(world), list[str]()
    for action in world.actions:
        try:
            for event in runner.events(state, {action.name}):
                runner.step(state, event)
        except StepError as problem:
            problems.append(str(problem) if action.name in str(problem) else f"{action.name}: {problem}")
    return tuple(problems)


def _is_never(world: SymbolicWorld, condition: Formula, known: Collection[Formula]) -> bool:
    start, step = Unrolling(world), Unrolling(world, is_rooted=False)
    step.assume(*known, z3.Not(condition))
    step.grow()
    return start.ask(condition) is False and step.ask(condition) is False


def _holds_at_once(proof: Proof, trigger: Scalar | None, condition: Formula, known: Collection[Formula]) -> bool:
    world, solver = proof.world, proof.world.solver()
    solver.add(world.well_formed, *known)
    solver.add(world.initial if trigger is None else world.truth(trigger))
    is_waited_for = solver.check() == z3.sat
    solver.add(z3.Not(condition))
    return is_waited_for and bool(solver.check() == z3.unsat)


def _confirmed(argument: Argument, proof: Proof, reached: Reached) -> Reached | None:
    """Return the behaviour in the world with these constants; None if this world does not exist, or the behaviour
    leaves a domain there.

    Raises ReplayError if the plain interpreter and Z3 disagree about the last state.
    """
    if not proof.open_constants:
        world = reached.world
    else:
        try:
            world = argument.world(dict(reached.world.constants))
            states, events = [s for _, s in reached.behaviour], [e for e, _ in reached.behaviour if e is not None]
            replayed(world, states, events)
        except (SpecificationError, ReplayError):
            return None
    if not _is_so(reached.goal, world, reached.behaviour[-1][1]):
        wrong = f"Z3 found {reached.goal} in {reached.behaviour[-1]}, but the replay did not"
        raise ReplayError(f"{world.title}: {wrong}; this is a defect of gridproof: report it")
    return replace(reached, world=world)


def _is_so(goal: str, world: World, state: State) -> bool:
    runner = Runner(world)
    claim = next((claim for claim in world.claims if claim.name == goal), None)
    if claim is not None:
        return runner.holds(claim, state) is (claim.kind is ClaimKind.SOMETIMES)
    if goal == DEADLOCK:
        return not runner.may_stop(state) and not any(runner.events(state))
    return bool(undefined_steps(world, state) if goal == UNDEFINED else undefined_claims(world, state))


def undefined_claims(world: World, state: State) -> tuple[str, ...]:
    """Return, in the plain interpreter's words, why claims, or the condition where the world may stop, are undefined in
    a state."""
    runner, problems = Runner(world), list[str]()
    parts = [(claim.name, node) for claim in world.claims for node in (claim.trigger, claim.condition) if node]
    for name, condition in [*parts, *([("may_stop", world.stopping.condition)] if world.stopping else [])]:
        try:
            runner.holds(condition, state)
        except StepError as problem:
            problems.append(f"{name}: {problem}")
    return tuple(problems)
