"""Prove what an argument can, in one world.

First the largest inductive subset of claims and lemmas; then that no step is undefined, and no deadlock, in any state
the invariant allows. Where a size is left open that is
shown at a small size, and then, of what is inductive there, for every size.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter

import z3

from gridproof_model.language import ClaimKind, SpecificationError
from gridproof_model.language.lower_world import lower
from gridproof_model.language.world import Open, World
from gridproof_properties.proofs.any_number.meanings import NoMeaningError
from gridproof_properties.proofs.any_number.questions import QUESTION_EFFORT, Gap, OpenInduction
from gridproof_properties.proofs.any_number.sizes import at_a_small_size
from gridproof_properties.proofs.any_number.symbolic import OpenWorld
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.counterexample import Counterexample, nearest
from gridproof_properties.proofs.induction import Dropped, Houdini, Induction, representatives
from gridproof_properties.proofs.translation import EFFORT, Formula, SymbolicWorld

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Proof:
    """What was proved in one world, and what was not."""

    constants: Constants
    world: SymbolicWorld
    candidates: Mapping[str, Formula]
    induction: Induction
    may_be_undefined: str | None
    """The first step not shown to mean something in every state the invariant allows; None when all are."""
    definedness_leans_on: frozenset[str]
    """The claims and lemmas that show it of the steps that need any."""
    goes_on: bool
    """Whether it is shown that some step is possible wherever the specification may not stop."""
    seconds: float
    for_any: OpenInduction | None = None
    """What of it is shown for any size, where one is left open; all else is then said of a small size."""

    def is_proved(self, claim: str) -> bool:
        """Whether a claim, or a lemma, holds in every reachable state."""
        if self.for_any is not None:
            return claim in self.for_any.proved
        return claim in self.induction.inductive

    def dropped(self, claim: str) -> Dropped | None:
        """Return why a claim is not inductive; None of one that is, at the small size if one is left open."""
        return next((dropped for dropped in self.induction.dropped if dropped.claim == claim), None)

    def gap(self, claim: str) -> Gap | None:
        """Return why a claim that is inductive at a small size is not shown for any."""
        return None if self.for_any is None else self.for_any.gaps.get(claim)

    def counterexample(self, claim: str) -> Counterexample | None:
        """Return a claim's counterexample to induction, as near to the start as can be, if a step leads out of it."""
        dropped = self.dropped(claim)
        return None if dropped is None else nearest(self.world, dropped, self.candidates)

    @property
    def open_constants(self) -> tuple[str, ...]:
        """The names of the constants that are left open."""
        return tuple(name for name, value in self.constants.items() if isinstance(value, Open))

    @property
    def small(self) -> Constants:
        """The constants, with the small sizes in place of those left open, at which what is not shown for any holds."""
        sizes = dict(self.world.lowered.world.constants)
        return {name: sizes[name] for name in self.constants}

    @property
    def named(self) -> Constants:
        """Every constant of the worlds it speaks of."""
        return {**dict(self.world.lowered.world.constants), **self.constants}


def prove(argument: Argument, constants: Constants, *, effort: int = EFFORT, progress: Progress | None = None) -> Proof:
    """Prove as many claims and lemmas of an argument as can be, in the worlds of these constants."""
    small = at_a_small_size(argument, constants)
    proof = prove_world(argument.world(small), constants, effort=effort, progress=progress)
    return proof if small == constants else _for_any_size(argument, proof, effort, progress)


def _for_any_size(argument: Argument, proof: Proof, effort: int, progress: Progress | None) -> Proof:
    started, induction = perf_counter(), proof.induction
    try:
        world = OpenWorld(argument.specification, (*argument.specification.claims, *argument.lemmas), proof.constants)
        shown = OpenInduction(
            world,
            induction.inductive,
            induction.needed,
            proof.definedness_leans_on,
            progress,
            min(effort, QUESTION_EFFORT),
            goes_on=proof.goes_on,
        ).run()
    except NoMeaningError as problem:
        opened = ", ".join(proof.open_constants)
        raise SpecificationError(f"this has no meaning for any number of {opened}: {problem}") from None
    return replace(
        proof,
        may_be_undefined=next(iter(shown.undefined), None),
        goes_on=shown.goes_on,
        seconds=proof.seconds + perf_counter() - started,
        for_any=shown,
    )


def prove_world(plain: World, constants: Constants, *, effort: int = EFFORT, progress: Progress | None = None) -> Proof:
    """Prove as many always-claims of a world as can be."""
    started = perf_counter()
    world = SymbolicWorld(lower(plain))
    always = (lowered for lowered in world.lowered.claims if lowered.claim.kind is ClaimKind.ALWAYS)
    candidates = {lowered.claim.name: world.claim(lowered) for lowered in always}
    induction = Houdini(world, candidates, effort, progress=progress).run()
    known = {claim: candidates[claim] for claim in induction.inductive}
    undefined, leans_on = _definedness(world, known, effort)
    solver = world.solver(effort)  # asked whether a state that the invariant allows is a deadlock
    solver.add(world.well_formed, world.stands_still, *known.values())
    goes_on = bool(solver.check() == z3.unsat)
    seconds = perf_counter() - started
    return Proof(constants, world, candidates, induction, undefined, leans_on, goes_on, seconds)


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
