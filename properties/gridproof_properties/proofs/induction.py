"""Finds the largest inductive subset of a set of claims.

A claim is inductive together with others if it is true initially, and no step leads from a state in which all of them
are true to a state in which it is false. A claim that fails either test is dropped, and the claims that leaned on it
are tried again, until the rest is inductive (Flanagan and Leino, "Houdini", 2001): then every claim of the rest is true
in every reachable state.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from time import perf_counter
from typing import Any

import z3

from gridproof_model.language.expressions import IndexSet
from gridproof_model.language.permute import interchangeable
from gridproof_model.language.run import Event
from gridproof_model.language.world import World
from gridproof_properties.proofs.argument import NO_HINTS, Hints
from gridproof_properties.proofs.translation import (
    EFFORT,
    Formula,
    SymbolicStep,
    SymbolicWorld,
    claims_in_core,
    label_of,
)


class Reason(StrEnum):
    """Why a claim does not belong to the inductive subset."""

    FALSE_AT_THE_START = "it is false, or means nothing, at the start"
    NOT_PRESERVED = "a step leads out of it"
    UNDECIDED = "Z3 gave up"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A claim that was dropped, and how it was found not to be inductive."""

    claim: str
    reason: Reason
    event: Event | None = None
    together_with: tuple[str, ...] = ()
    """The claims that were assumed to be true before the step."""


@dataclass(frozen=True, slots=True)
class Induction:
    """The claims that are left, and why each of the others was dropped."""

    inductive: tuple[str, ...]
    dropped: tuple[Dropped, ...]
    leans_on: Mapping[str, frozenset[str]]
    """For every claim that is left: the other claims that its steps needed."""
    seconds: Mapping[str, float]
    """The time that each claim took, in seconds, without the claims on which it depends."""
    needed: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """For each action and claim: the claims that the action's steps needed to preserve this claim."""

    def support(self, claim: str) -> frozenset[str]:
        """Return all other claims that the proof of a claim needs, directly or indirectly."""
        found: set[str] = set()
        pending = [claim]
        while pending:
            new = self.leans_on[pending.pop()] - found
            found |= new
            pending.extend(new)
        return frozenset(found - {claim})


@dataclass
class Houdini:
    """A search for the largest inductive subset of candidates."""

    world: SymbolicWorld
    candidates: Mapping[str, Formula]
    effort: int = EFFORT
    by_symmetry: bool = True
    """Whether only one is tried of several steps that differ only by a renaming of interchangeable things."""
    progress: Callable[[str], None] | None = None
    hints: Hints = NO_HINTS
    """What is tried first to preserve or to refute a claim."""
    given: Collection[str] = ()
    """The candidates that are known to be inductive, so that nothing is asked about them."""
    _dropped: list[Dropped] = field(default_factory=list)
    _cores: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)
    _solvers: dict[int, "StepSolver"] = field(default_factory=dict)

    def run(self) -> Induction:
        """Drop claims until none needs to be dropped any more, and return those that are left."""
        kept = dict.fromkeys(self.candidates)
        for claim in self._asked:
            with self._timed(claim):
                if not self._holds_initially(claim):
                    del kept[claim]
        pending = [(number, claim) for number in range(len(self._steps)) for claim in self._asked]
        pending.sort(key=lambda one: self._steps[one[0]].event.action not in self.hints.unproved.get(one[1], ()))
        while pending:
            number, claim = pending.pop(0)
            if claim not in kept:
                continue
            self._report(f"{claim}: {self._steps[number].event.action}")
            with self._timed(claim):
                core = self._preserved(number, claim, tuple(kept))
            if core is not None:
                self._cores[number, claim] = core
                continue
            del kept[claim]
            shaken = [key for key, leant in self._cores.items() if claim in leant]
            for key in shaken:
                del self._cores[key]
            pending.extend(shaken)
        leans_on = {claim: self._leans_on(claim) for claim in kept if claim not in self.given}
        return Induction(tuple(kept), tuple(self._dropped), leans_on, self._seconds, self._needed())

    def spare(self, induction: Induction, wanted: Iterable[str]) -> Induction:
        """Return the induction without claims that the wanted claims do not need; these are dropped one by one."""
        wanted = tuple(wanted)
        kept = list(dict.fromkeys((*wanted, *(one for claim in wanted for one in sorted(induction.support(claim))))))
        self._cores = {key: core for key, core in self._cores.items() if key[1] in kept}
        for claim in [one for one in reversed(kept) if one not in wanted]:
            rest = tuple(one for one in kept if one != claim)
            before, dropped = dict(self._cores), len(self._dropped)
            leaning = [key for key, core in before.items() if claim in core and key[1] != claim]
            for number, other in leaning:
                self._report(f"without {claim}")
                core = self._preserved(number, other, rest)
                if core is None:
                    self._cores = before
                    break
                self._cores[number, other] = core
            else:
                kept.remove(claim)
                self._cores = {key: core for key, core in self._cores.items() if key[1] != claim}
            del self._dropped[dropped:]
        leans_on = {claim: self._leans_on(claim) for claim in kept}
        spared = Induction(tuple(kept), tuple(self._dropped), leans_on, self._seconds)
        reached = {*wanted, *(one for claim in wanted for one in spared.support(claim))}
        return replace(spared, inductive=tuple(one for one in kept if one in reached))

    @contextmanager
    def _timed(self, claim: str) -> Iterator[None]:
        started = perf_counter()
        yield
        self._seconds[claim] = self._seconds.get(claim, 0.0) + perf_counter() - started

    def _needed(self) -> dict[tuple[str, str], frozenset[str]]:
        needed = dict[tuple[str, str], frozenset[str]]()
        for (number, claim), core in self._cores.items():
            action = self._steps[number].event.action
            needed[action, claim] = needed.get((action, claim), frozenset()) | core
        return needed

    def _leans_on(self, claim: str) -> frozenset[str]:
        return frozenset().union(*(core for (_, proved), core in self._cores.items() if proved == claim)) - {claim}

    def _holds_initially(self, claim: str) -> bool:
        solver = self.world.solver(self.effort)
        solver.add(self.world.well_formed, self.world.initial, z3.Not(self.candidates[claim]))
        answer = solver.check()
        if answer != z3.unsat:
            is_false = answer == z3.sat
            self._dropped.append(Dropped(claim, Reason.FALSE_AT_THE_START if is_false else Reason.UNDECIDED))
        return bool(answer == z3.unsat)

    def _preserved(self, number: int, claim: str, kept: tuple[str, ...]) -> frozenset[str] | None:
        """Return the claims that a step needs to preserve a claim; record the claim and return None if it is not
        preserved."""
        step = self._steps[number]
        hinted = self.hints.of_a_size(step.event.action, claim).intersection(kept)
        ways = (tuple(sorted(hinted)), kept) if self.hints and claim not in self.hints.unproved else (kept,)
        found = self._solver(number).keeps(self.candidates[claim], *ways)
        if isinstance(found, frozenset):
            return found
        reason = Reason.UNDECIDED if found is None else Reason.NOT_PRESERVED
        self._dropped.append(Dropped(claim, reason, step.event, kept))
        return None

    @cached_property
    def _asked(self) -> list[str]:
        return [claim for claim in self.candidates if claim not in self.given]

    @cached_property
    def _steps(self) -> tuple[SymbolicStep, ...]:
        return representatives(self.world) if self.by_symmetry else self.world.steps

    def _solver(self, number: int) -> "StepSolver":
        if number not in self._solvers:
            solver = StepSolver(self.world, self._steps[number], self.effort, has_least_cores=True)
            for name, formula in self.candidates.items():
                solver.know(name, formula)
            self._solvers[number] = solver
        return self._solvers[number]

    def _report(self, sentence: str) -> None:
        if self.progress is not None:
            self.progress(sentence)


class StepSolver:
    """A solver which assumes that a step happens and, for each question, some of its named formulas."""

    def __init__(
        self, world: SymbolicWorld, step: SymbolicStep, effort: int = EFFORT, *, has_least_cores: bool = False
    ) -> None:
        self.step, self._world, self._solver = step, world, world.solver(effort)
        self._labels, self._formulas, self.asked = dict[str, Any](), dict[str, Formula](), 0
        if has_least_cores:  # users read what leans on what, and proofs of larger sizes begin with it
            self._solver.set("core.minimize", True)
        self._solver.add(world.well_formed, step.possible, step.defined)

    def know(self, name: str, formula: Formula) -> None:
        """Add a formula that may be assumed before the step; Z3 gets the formula when it is first assumed."""
        self._formulas[name] = formula

    def _label(self, name: str) -> Any:
        if name not in self._labels:
            self._labels[name] = label_of(name)
            self._solver.add(z3.Implies(self._labels[name], self._formulas[name]))
        return self._labels[name]

    def keeps(self, formula: Formula, *assumed: Iterable[str]) -> Any:
        """Return which assumptions the step needs to preserve a formula, by name, from the first set that is enough.

        If no set of assumptions is enough, return a model of the state before the step; None if Z3 gives up.
        """
        goal = self._world.after(formula, self.step)
        if goal.eq(formula):
            return frozenset[str]()
        found = None
        for names in assumed:
            labels = [self._label(name) for name in names]
            self._solver.push()
            self._solver.add(z3.Not(goal))
            answer, self.asked = self._solver.check(*labels), self.asked + 1
            if answer == z3.unsat:
                found = claims_in_core(self._solver)
            else:
                found = self._solver.model() if answer == z3.sat else None
            self._solver.pop()
            if answer == z3.unsat:
                break
        return found


def representatives(world: SymbolicWorld) -> tuple[SymbolicStep, ...]:
    """Return one step for each way to choose parameters, up to a renaming of interchangeable things.

    Claims do not distinguish interchangeable things, so what is shown for one of these steps is true for all steps that
    it stands for.
    """
    plain = world.lowered.world
    return tuple(step for step in world.steps if is_first_of_its_kind(_named_elements(plain, step.event)))


def is_first_of_its_kind(elements: Iterable[tuple[IndexSet, int]]) -> bool:
    """Return whether the elements of each set appear in the order 0, 1, 2 …, so that no renaming makes one earlier."""
    seen: dict[IndexSet, int] = {}
    for index, value in elements:
        if value > seen.get(index, 0):
            return False
        seen[index] = max(seen.get(index, 0), value + 1)
    return True


def _named_elements(world: World, event: Event) -> Iterator[tuple[IndexSet, int]]:
    sets = interchangeable(world)
    for parameter, value in zip(world.action(event.action).parameters, event.arguments, strict=True):
        if isinstance(parameter.domain, IndexSet) and parameter.domain in sets:
            yield parameter.domain, value
