"""Proves as many claims of an argument as possible in one world.

First it finds the largest inductive subset of claims and lemmas, which is the invariant; then it shows that in the
states that the invariant allows no step is undefined, and no state is a deadlock. If a size is open, all this is shown
at a small size first; then, for the claims that are inductive there, for every size.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter

import z3

from gridproof_model.language import ClaimKind, SpecificationError
from gridproof_model.language.lower_world import lower
from gridproof_model.language.world import Open, World
from gridproof_properties.proofs.any_number.cutoffs import at_a_small_size
from gridproof_properties.proofs.any_number.meanings import NoMeaningError
from gridproof_properties.proofs.any_number.questions import QUESTION_EFFORT, START, Gap, OpenInduction
from gridproof_properties.proofs.any_number.symbolic import OpenWorld
from gridproof_properties.proofs.argument import DEFINED, NO_HINTS, Argument, Constants, Hints
from gridproof_properties.proofs.counterexample import Counterexample, nearest
from gridproof_properties.proofs.induction import Dropped, Houdini, Induction, representatives
from gridproof_properties.proofs.translation import (
    EFFORT,
    Formula,
    SymbolicWorld,
    claims_in_core,
    label_of,
    solver_apart,
)

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Proof:
    """What was proved in one world, and what was not."""

    constants: Constants
    asked: "Asked"
    """The world of the proof; if a size is open, the world with a small size."""
    induction: Induction
    """The claims that are inductive in this world, and which claims each of them needed (for every size, if shown
    so)."""
    may_be_undefined: str | None
    """The first step that is not shown to be defined in every state that the invariant allows; None if all are."""
    definedness_leans_on: frozenset[str]
    """The claims and lemmas that were needed to show that the other steps are defined."""
    goes_on: bool
    """Whether some step is shown to be possible in every state in which the specification may not stop."""
    seconds: float
    for_any: OpenInduction | None = None
    """If a size is open: what is shown for every size; all else in this class is then about a small size."""

    @property
    def world(self) -> SymbolicWorld:
        """The world of the proof, in Z3."""
        return self.asked.world

    @property
    def candidates(self) -> Mapping[str, Formula]:
        """The claims and lemmas whose proofs were tried."""
        return self.asked.candidates

    def is_proved(self, claim: str) -> bool:
        """Whether a claim or a lemma is proved to be true in every reachable state."""
        if self.for_any is not None:
            return claim in self.for_any.proved
        return claim in self.induction.inductive

    def dropped(self, claim: str) -> Dropped | None:
        """Return why a claim is not inductive; None if it is (at the small size, if a size is open)."""
        return next((dropped for dropped in self.induction.dropped if dropped.claim == claim), None)

    def gap(self, claim: str) -> Gap | None:
        """Return why a claim that is inductive at a small size is not shown for every size."""
        return None if self.for_any is None else self.for_any.gaps.get(claim)

    def counterexample(self, claim: str) -> Counterexample | None:
        """Return a claim's counterexample to induction, as near the start as possible; None if no step breaks it."""
        dropped = self.dropped(claim)
        return None if dropped is None else nearest(self.world, dropped, self.candidates)

    @property
    def open_constants(self) -> tuple[str, ...]:
        """The names of the constants that are open."""
        return tuple(name for name, value in self.constants.items() if isinstance(value, Open))

    @property
    def small(self) -> Constants:
        """The constants, with small sizes for open ones; what is not shown for every size is shown for these sizes."""
        sizes = dict(self.asked.plain.constants)
        return {name: sizes[name] for name in self.constants}

    @property
    def named(self) -> Constants:
        """Every constant of the worlds to which the proof applies, with its value."""
        return {**dict(self.asked.plain.constants), **self.constants}


def prove(
    argument: Argument,
    constants: Constants,
    *,
    effort: int = EFFORT,
    progress: Progress | None = None,
    is_least: bool = False,
) -> Proof:
    """Prove as many claims and lemmas of an argument as possible, in the worlds with these constants.

    With `is_least`, search for the fewest claims that each answer for any number of elements needs.
    """
    small = at_a_small_size(argument, constants)
    plain = argument.world(small)
    if small == constants:
        return prove_world(plain, constants, effort=effort, progress=progress, hints=argument.hints)
    try:
        world = OpenWorld(argument.specification, (*argument.specification.claims, *argument.lemmas), constants)
        shown = OpenInduction(world, progress, min(effort, QUESTION_EFFORT), is_least=is_least)
        return _for_any_size(argument.hints, Asked(plain), constants, shown, effort)
    except NoMeaningError as problem:
        opened = ", ".join(name for name, value in constants.items() if isinstance(value, Open))
        why = f"the claims cannot be proved for every {opened}, because {problem}"
        raise SpecificationError(f"{why}: give numbers for {opened} in proved_in") from None


def _for_any_size(hints: Hints, asked: "Asked", constants: Constants, shown: OpenInduction, effort: int) -> Proof:
    """Prove for every size, first with hints; then other claims that are inductive at a small size, with what they
    needed there."""
    started = perf_counter()
    names = tuple(claim.name for claim in asked.plain.claims_of(ClaimKind.ALWAYS))
    if hints:
        shown.ask([name for name in names if name not in hints.unproved], hints)
    induction = Induction((), (), {}, {})
    if len(shown.proved) < len(names):
        houdini = Houdini(
            asked.world, asked.candidates, effort, progress=shown.progress, hints=hints, given=shown.proved
        )
        induction = houdini.run()
        needed = dict(hints.needed) | dict(induction.needed)
        if not hints:
            small = _what_follows(asked, induction, effort)
            shown.goes_on = small.goes_on
            needed |= {(one.name, DEFINED): small.leans_on for one in shown.world.specification.actions}
        shown.ask(induction.inductive, replace(hints, needed=needed))
    shown.end()
    return Proof(
        constants,
        asked,
        _together(names, induction, shown),
        next(iter(shown.undefined), None),
        frozenset().union(*(used for (_, what), used in shown.used.items() if what == DEFINED)),
        shown.goes_on,
        perf_counter() - started,
        shown,
    )


def _together(names: Iterable[str], small: Induction, shown: OpenInduction) -> Induction:
    """Return the claims that are inductive at a small size: shown there or for every size."""
    inductive = tuple(name for name in names if name in shown.proved or name in small.inductive)
    needed = {key: used for key, used in small.needed.items() if key[1] not in shown.proved}
    needed |= {key: used for key, used in shown.used.items() if key[1] in shown.proved and key[0] != START}
    leans_on = {
        name: frozenset().union(*(used for (_, claim), used in needed.items() if claim == name)) - {name}
        for name in inductive
    }
    seconds = {name: small.seconds.get(name, 0.0) + shown.seconds.get(name, 0.0) for name in names}
    return Induction(inductive, small.dropped, leans_on, seconds, needed)


@dataclass(frozen=True)
class Asked:
    """A world and its formulas for Z3, which are made when they are first needed."""

    plain: World

    @cached_property
    def world(self) -> SymbolicWorld:
        """The world in Z3."""
        return SymbolicWorld(lower(self.plain))

    @cached_property
    def candidates(self) -> Mapping[str, Formula]:
        """The formulas of the world's always-claims, which are the candidates."""
        always = (lowered for lowered in self.world.lowered.claims if lowered.claim.kind is ClaimKind.ALWAYS)
        return {lowered.claim.name: self.world.claim(lowered) for lowered in always}


def prove_world(
    plain: World,
    constants: Constants,
    *,
    effort: int = EFFORT,
    progress: Progress | None = None,
    hints: Hints = NO_HINTS,
) -> Proof:
    """Prove as many always-claims of a world as possible."""
    started, asked = perf_counter(), Asked(plain)
    induction = Houdini(asked.world, asked.candidates, effort, progress=progress, hints=hints).run()
    small = _what_follows(asked, induction, effort)
    seconds = perf_counter() - started
    return Proof(constants, asked, induction, small.may_be_undefined, small.leans_on, small.goes_on, seconds)


@dataclass(frozen=True, slots=True)
class _Following:
    """What the inductive claims together imply for all steps of a world."""

    may_be_undefined: str | None
    leans_on: frozenset[str]
    goes_on: bool


def _what_follows(asked: Asked, induction: Induction, effort: int) -> _Following:
    world, known = asked.world, {claim: asked.candidates[claim] for claim in induction.inductive}
    solver = world.solver(effort)  # used to ask whether the invariant allows a deadlock
    solver.add(world.well_formed, world.stands_still, *known.values())
    return _Following(*_definedness(world, known, effort), bool(solver.check() == z3.unsat))


def _definedness(world: SymbolicWorld, known: Mapping[str, Formula], effort: int) -> tuple[str | None, frozenset[str]]:
    """Return the first step that may be undefined, given what is known, and the claims that show that other steps are
    defined."""
    labels = {name: label_of(name) for name in known}
    needed: set[str] = set()
    for step in representatives(world):
        solver = world.solver(effort)
        solver.add(world.well_formed, z3.Not(step.defined))
        if solver.check() == z3.unsat:
            continue
        solver.add(*(z3.Implies(labels[name], formula) for name, formula in known.items()))
        if solver.check(*labels.values()) == z3.unsat:
            needed |= claims_in_core(solver)
        elif solver_apart((world.well_formed, z3.Not(step.defined), *known.values()), effort).check() == z3.unsat:
            needed.update(known)
        else:
            return step.event.action, frozenset(needed)
    return None, frozenset(needed)
