"""Prove what an argument can, in one world.

First the largest inductive subset of claims and lemmas; then, given that, induction over more steps for what is left;
then that no step is undefined, and no deadlock, in any state the invariant allows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

import z3

from gridproof_model.language import ClaimKind
from gridproof_model.language.lower_world import lower
from gridproof_model.language.world import ANY_NUMBER, World
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.counterexample import Counterexample, nearest
from gridproof_properties.proofs.induction import Dropped, Houdini, Induction, representatives
from gridproof_properties.proofs.k_induction import holds_by_k_induction
from gridproof_properties.proofs.translation import EFFORT, Formula, SymbolicWorld

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Proof:
    """What was proved in one world, and what was not."""

    constants: Constants
    world: SymbolicWorld
    candidates: Mapping[str, Formula]
    induction: Induction
    steps_back: Mapping[str, int]
    """Claims proved by induction over more than one step, and over how many."""
    may_be_undefined: str | None
    """The first step not shown to mean something in every state the invariant allows; None when all are."""
    definedness_leans_on: frozenset[str]
    """The claims and lemmas that show it of the steps that need any."""
    goes_on: bool
    """Whether it is shown that some step is possible wherever the specification may not stop."""
    seconds: float

    def is_proved(self, claim: str) -> bool:
        """Whether a claim, or a lemma, holds in every reachable state."""
        return claim in self.induction.inductive or claim in self.steps_back

    def dropped(self, claim: str) -> Dropped:
        """Return why a claim is not inductive; StopIteration when it is."""
        return next(dropped for dropped in self.induction.dropped if dropped.claim == claim)

    def counterexample(self, claim: str) -> Counterexample | None:
        """Return a claim's counterexample to induction, as near to the start as can be, if a step leads out of it."""
        return nearest(self.world, self.dropped(claim), self.candidates)

    @property
    def open_constants(self) -> tuple[str, ...]:
        """The names of the constants that may be any number."""
        return tuple(name for name, value in self.constants.items() if value is ANY_NUMBER)


def prove(argument: Argument, constants: Constants, *, effort: int = EFFORT, progress: Progress | None = None) -> Proof:
    """Prove as many claims and lemmas of an argument as can be, in the world of these constants."""
    return prove_world(
        argument.world(constants), constants, steps_back_max=argument.steps_back_max, effort=effort, progress=progress
    )


def prove_world(
    plain: World,
    constants: Constants,
    *,
    steps_back_max: int = 1,
    effort: int = EFFORT,
    progress: Progress | None = None,
) -> Proof:
    """Prove as many always-claims of a world as can be."""
    started = perf_counter()
    world = SymbolicWorld(lower(plain))
    always = (lowered for lowered in world.lowered.claims if lowered.claim.kind is ClaimKind.ALWAYS)
    candidates = {lowered.claim.name: world.claim(lowered) for lowered in always}
    induction = Houdini(world, candidates, effort, progress=progress).run()
    known = {claim: candidates[claim] for claim in induction.inductive}
    steps_back: dict[str, int] = {}
    for k in range(2, steps_back_max + 1):
        for claim in [d.claim for d in induction.dropped if d.claim not in steps_back]:
            if holds_by_k_induction(world, candidates[claim], k, known=known.values(), effort=effort):
                steps_back[claim] = k
                known[claim] = candidates[claim]
    undefined, leans_on = _definedness(world, known, effort)
    goes_on = _goes_on(world, known, effort)
    seconds = perf_counter() - started
    return Proof(constants, world, candidates, induction, steps_back, undefined, leans_on, goes_on, seconds)


def _goes_on(world: SymbolicWorld, known: Mapping[str, Formula], effort: int) -> bool:
    """Return whether no state that the invariant allows is a deadlock."""
    solver = world.solver(effort)
    solver.add(world.well_formed, world.stands_still, *known.values())
    return bool(solver.check() == z3.unsat)


def _definedness(world: SymbolicWorld, known: Mapping[str, Formula], effort: int) -> tuple[str | None, frozenset[str]]:
    """Return the first step that may be undefined for all that is known, and what shows that the others are not."""
    labels = {name: z3.Bool(name) for name in known}
    needed: set[str] = set()
    for step in representatives(world):
        solver = world.solver(effort)
        solver.add(world.well_formed, z3.Not(step.defined))
        if solver.check() == z3.unsat:
            continue
        solver.add(*(z3.Implies(labels[name], formula) for name, formula in known.items()))
        if solver.check(*labels.values()) != z3.unsat:
            return step.event.action, frozenset(needed)
        needed.update(str(label) for label in solver.unsat_core())
    return None, frozenset(needed)
