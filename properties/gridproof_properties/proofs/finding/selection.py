"""Selects candidates that make a claim inductive: those that exclude the counterexamples to its induction.

Z3 is asked for a step that breaks a claim. Candidates have to exclude the state before that step, and each candidate
has to be preserved by all steps as well. If no candidate excludes the state, the claim or candidate that the step
breaks is given up, and all that depended on it is asked about again. Only what a claim depends on, according to Z3's
unsatisfiable cores, has to be proved.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gridproof_model.language.run import Event
from gridproof_model.language.scalars import Scalar
from gridproof_properties.explorer.packing import Packing, Words
from gridproof_properties.judging.words import count
from gridproof_properties.proofs.finding.candidates import Candidates, Clause, ClauseKey
from gridproof_properties.proofs.induction import StepSolver, representatives
from gridproof_properties.proofs.translation import Formula, SymbolicWorld

TOGETHER = 6
"""How many counterexamples are collected before candidates are chosen to exclude them."""
QUESTIONS_MAX = 3_000
"""The most questions for a claim on one rung: the next rung may succeed at once, and other claims are waiting."""
MADE_MAX = 60
"""The most times that longer clauses are made, since such clauses say little."""


@dataclass(frozen=True, slots=True)
class Stuck:
    """A state that no candidate excludes, and a step from it that breaks a claim that was to be proved."""

    claim: str
    event: Event
    row: tuple[int, ...] | None
    """The state, as a number for each cell; None if Z3 gave up, or if too many questions were asked."""
    is_blind: bool = True
    """Whether no predicate distinguishes the state from explored states, so that no clause can exclude it."""


@dataclass
class Selection:
    """The candidates of one rung that were taken, and the candidates on which each of them depends."""

    world: SymbolicWorld
    packing: Packing
    candidates: Candidates
    claims: Mapping[str, Scalar]
    """The claims and the lemmas found before, all of which can be used as lemmas."""
    makes_longer: bool
    refused: Collection[ClauseKey]
    """The candidates that must not be taken."""
    progress: Callable[[str], None]
    made: int = 0
    clauses: dict[str, Clause] = field(default_factory=dict)
    """The clauses that were taken, by their names in this selection."""
    _formulas: dict[str, Formula] = field(default_factory=dict)
    _cores: dict[tuple[int, str], frozenset[str]] = field(default_factory=dict)
    _given_up: dict[str, Stuck] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._solvers = tuple(StepSolver(self.world, step) for step in representatives(self.world))
        for name, claim in self.claims.items():
            self._take(name, claim)

    def carry(self, target: str) -> Stuck | None:
        """Add the lemmas that a claim needs until all are inductive together; return the obstacle, if there is one."""
        asked_before = self.questions
        while target in self._formulas:
            if self.questions - asked_before > QUESTIONS_MAX:
                number = next((step for step, _ in reversed(self._cores)), 0)
                return Stuck(target, self._solvers[number].step.event, None)
            order = self.needed(target)
            name = next((one for one in order if self._open_steps(one)), None)
            if name is None:
                return None
            self.progress(f"{target}: {count(len(order) - 1, 'lemma')}, {count(self.questions, 'question')}")
            stuck = self._settle(name, order)
            if stuck is not None:
                self._give_up(name, stuck)
        stuck = self._given_up[target]
        if stuck.row is None:
            return stuck
        return replace(stuck, is_blind=self.candidates.looks_explored(self.packing.pack([stuck.row])))

    @property
    def questions(self) -> int:
        """The number of questions that Z3 was asked."""
        return sum(solver.asked for solver in self._solvers)

    def needed(self, target: str) -> tuple[str, ...]:
        """Return a claim and, nearest first, all claims and candidates that it is known to depend on so far."""
        order = [target]
        for name in order:
            cores = (core for (_, proved), core in self._cores.items() if proved == name)
            order += sorted(set().union(*cores) - set(order))
        return tuple(order)

    def _open_steps(self, name: str) -> list[int]:
        return [number for number in range(len(self._solvers)) if (number, name) not in self._cores]

    def _settle(self, name: str, order: Sequence[str]) -> Stuck | None:
        """Ask which steps preserve a claim, and take candidates that exclude the counterexamples."""
        found: list[tuple[int, tuple[int, ...]]] = []
        for number in self._open_steps(name):
            answer = self._ask(number, name, order)
            if answer is None:
                return Stuck(name, self._solvers[number].step.event, None)
            if isinstance(answer, frozenset):
                self._cores[number, name] = answer
            else:
                found.append((number, answer))
            if len(found) == TOGETHER:
                break
        return self._exclude(name, found) if found else None

    def _ask(self, number: int, name: str, order: Sequence[str]) -> frozenset[str] | tuple[int, ...] | None:
        """Return what a step needs to preserve a claim, or a state where the step breaks it; None if Z3 gives up."""
        # Z3 is first given only lemmas that are needed anyway, so that fewer lemmas have to be proved.
        assumed = [[one for one in order if one in self._formulas], self._formulas]
        found = self._solvers[number].keeps(self._formulas[name], *assumed[: 1 + (len(self._formulas) > len(order))])
        if found is None or isinstance(found, frozenset):
            return found
        return self.world.row(found, self.world.cells)[: len(self.world.lowered.cells)]

    def _exclude(self, name: str, found: Sequence[tuple[int, tuple[int, ...]]]) -> Stuck | None:
        """Take candidates until no counterexample is left: the shortest first, then by how many each excludes."""
        states = self.packing.pack([row for _, row in found])
        false = self.candidates.false_in(states)
        left = np.ones(len(found), dtype=bool)
        while left.any():
            excluding = np.flatnonzero(false[:, left].any(axis=1)).tolist()
            able = [n for n in excluding if self._may_be_taken(n)]
            if not able:
                first = int(np.argmax(left))
                number, row = found[first]
                if self._made(states[:, [first]]) is None:
                    return Stuck(name, self._solvers[number].step.event, row)
                false = self.candidates.false_in(states)
                able = [len(self.candidates.clauses) - 1]
            best = min(able, key=lambda number: self._order(number, int(false[number, left].sum())))
            self._take_candidate(best)
            left &= ~false[best]
        return None

    def _order(self, number: int, excluded: int) -> tuple[int, ...]:
        clause = self.candidates.clauses[number]
        return len(clause.literals), -excluded, -clause.strength, clause.rank, number

    def _made(self, state: Words) -> Clause | None:
        self.made += self.makes_longer
        return self.candidates.made_to_exclude(state) if self.makes_longer and self.made <= MADE_MAX else None

    def _may_be_taken(self, number: int) -> bool:
        name = _name(number)
        is_refused = bool(self.refused) and self.candidates.clauses[number].key in self.refused
        return name not in self._given_up and name not in self._formulas and not is_refused

    def _take_candidate(self, number: int) -> None:
        name, clause = _name(number), self.candidates.clauses[number]
        self.clauses[name] = clause
        self._take(name, clause.scalar())

    def _take(self, name: str, scalar: Scalar) -> None:
        self._formulas[name] = self.world.truth(scalar)
        for solver in self._solvers:
            solver.know(name, self._formulas[name])

    def _give_up(self, name: str, stuck: Stuck) -> None:
        del self._formulas[name]
        self._given_up[name] = stuck
        for key in [key for key, core in self._cores.items() if name in core or key[1] == name]:
            del self._cores[key]


def _name(number: int) -> str:
    return f"candidate {number}"
