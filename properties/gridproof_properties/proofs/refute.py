"""What induction leaves undecided, looked for near the start.

A claim that is not inductive may be false: a behaviour of a few steps shows it, and the run reading walks it in the
very world. A sometimes-claim may be met so, or be shown to be met nowhere; an eventually-claim may be met already
wherever it is waited for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

import z3

from gridproof_model.language import ClaimKind, SpecificationError, State, StepError, World
from gridproof_model.language.lower_world import lower
from gridproof_model.language.run import Runner
from gridproof_model.language.scalars import Scalar
from gridproof_properties.proofs import bounded
from gridproof_properties.proofs.any_number.sizes import at_a_small_size, by_size
from gridproof_properties.proofs.argument import Argument
from gridproof_properties.proofs.bounded import Reached, ReplayError, Unrolling, replayed, search
from gridproof_properties.proofs.prove import Proof
from gridproof_properties.proofs.translation import EFFORT, Formula, SymbolicWorld

DEPTH = 12
"""How many steps from the start are looked at, or fewer where Z3 gives up."""
MORE = 2
"""So many elements more than a proof began with may it take to refute what is not shown for any number."""
EFFORT_OF_A_SIZE = EFFORT // 10
"""How much Z3 may do for one question about a world of another size."""


@dataclass(frozen=True, slots=True)
class Found:
    """What else is known of the claims in the world of a proof."""

    reached: Mapping[str, Reached] = field(default_factory=dict)
    """By claim, or by the goal beside the claims: always broken, sometimes seen, eventually never come to."""
    never: frozenset[str] = frozenset()
    """Sometimes-claims that no reachable state meets."""
    at_once: frozenset[str] = frozenset()
    """Eventually-claims that hold wherever they are waited for."""
    is_whole: bool = True
    """Whether nobody interrupted it."""


def look_near_the_start(
    argument: Argument, proof: Proof, open_claims: Collection[str], progress: Callable[[str], None] | None = None
) -> Found:
    """Return what can be found out about these claims, and about steps and deadlocks where the proof leaves them open.

    `open_claims` may name lemmas, too. Where sizes are open, a claim is refuted in the smallest world that does so. A
    KeyboardInterrupt ends it, and is raised no further.
    """
    world, claims = proof.world, {lowered.claim.name: lowered for lowered in proof.world.lowered.claims}
    known = [proof.candidates[name] for name in proof.candidates if proof.is_proved(name)]
    beside = [bounded.UNDEFINED_CLAIM]
    beside += [bounded.UNDEFINED] if proof.may_be_undefined is not None else []
    beside += [] if proof.goes_on else [bounded.DEADLOCK]
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
    """Return why steps that may happen in a state mean nothing there, in the words of the run reading."""
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
    """Return what was reached in the world with these constants; None where there is none, or a domain is left there.

    ReplayError where the run reading judges the end otherwise than Z3.
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
        raise ReplayError(f"{world.title}: the run reading does not see that {reached.goal} in {reached.behaviour[-1]}")
    return replace(reached, world=world)


def _is_so(goal: str, world: World, state: State) -> bool:
    runner = Runner(world)
    claim = next((claim for claim in world.claims if claim.name == goal), None)
    match goal:
        case _ if claim is not None:
            return runner.holds(claim, state) is (claim.kind is ClaimKind.SOMETIMES)
        case bounded.DEADLOCK:
            return not runner.may_stop(state) and not any(runner.events(state))
        case bounded.UNDEFINED:
            return bool(undefined_steps(world, state))
        case _:
            return bool(undefined_claims(world, state))


def undefined_claims(world: World, state: State) -> tuple[str, ...]:
    """Return why claims, or where it may stop, mean nothing in a state, in the words of the run reading."""
    runner, problems = Runner(world), list[str]()
    parts = [(claim.name, node) for claim in world.claims for node in (claim.trigger, claim.condition) if node]
    for name, condition in [*parts, *([("may_stop", world.stopping.condition)] if world.stopping else [])]:
        try:
            runner.holds(condition, state)
        except StepError as problem:
            problems.append(f"{name}: {problem}")
    return tuple(problems)
