"""Induction for any number, each question asked with what the proof at a small size needed.

Z3 gives up on a quantified question that has all lemmas in it, and answers the same one at once with the few that
matter. The small proof knows which. To ask with fewer hypotheses is sound, so what is shown is so; what is not shown is
unknown: it drops only what leans on it, and a counterexample among infinitely many sizes need be one of no world.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import z3

from gridproof_model.language.specification import variables_in
from gridproof_properties.proofs.any_number.cutoffs import Cutoff, at_first, widest
from gridproof_properties.proofs.any_number.formulas import Formula, Term, parts_of
from gridproof_properties.proofs.any_number.symbolic import OpenStep, OpenWorld
from gridproof_properties.proofs.heeding import HeedingSolver

QUESTION_EFFORT = 3_000_000
"""How much Z3 may do for one way to ask a question, in its own units."""
AT_FIRST = 10
"""A tenth of it comes first, in every way: what one way does not come to an end with, another says at once."""
START = "the start"


Hints = Mapping[tuple[str, str], Collection[str]]
"""By action and claim: the claims that its proof at a small size needed."""
Names = frozenset[str]


@dataclass(frozen=True, slots=True)
class Gap:
    """Why a claim is not shown for any number."""

    action: str
    """Where Z3 gave up on it; or the start."""
    leans_on: str | None = None
    """What it needs there that is not shown either."""
    hardly_known: str | None = None
    """What it, or what it leans on, speaks of, and of which little is known for any number."""

    @property
    def sentence(self) -> str:
        """Why, in words."""
        leaning = f"it leans on {self.leans_on}, which is not shown for any number"
        why = f": {self.hardly_known}, of which little is known for any number" if self.hardly_known else ""
        return (leaning if self.leans_on is not None else f"Z3 gave up at {self.action}") + why


@dataclass
class OpenInduction:
    """The claims of an open world that carry each other; as at every size, of behaviours whose steps are defined."""

    world: OpenWorld
    claims: Iterable[str]
    """Those that carry each other at a small size."""
    hints: Hints
    defined_by: Collection[str] = ()
    """The claims that show at a small size that steps are defined."""
    progress: Callable[[str], None] | None = None
    effort: int = QUESTION_EFFORT
    proved: dict[str, None] = field(default_factory=dict)
    """The claims that hold in every reachable state of every world of these constants."""
    gaps: dict[str, Gap] = field(default_factory=dict)
    """Why the others are not shown."""
    undefined: dict[str, None] = field(default_factory=dict)
    """The actions that are not shown to be defined, and to keep every variable in its domain."""
    goes_on: bool = True
    """Whether it is shown that some step is possible wherever the specification may not stop; before, at a small size.
    """
    cutoffs: dict[str, dict[str, Cutoff]] = field(default_factory=dict)
    """By claim, and index set: what breaks it at some size breaks it with no more elements, given what it was shown
    with; or why no number is known, as the first question says for which there is none.
    """
    _formulas: dict[str, Formula] = field(default_factory=dict)
    _reads: dict[str, Names] = field(default_factory=dict)
    _domains: dict[str, Formula] = field(default_factory=dict)
    _steps: tuple[OpenStep, ...] = ()
    _least: dict[str, Cutoff] = field(default_factory=dict)
    _used: dict[tuple[str, str], Names] = field(default_factory=dict)
    """By action and claim: the claims it was shown with."""

    def run(self) -> "OpenInduction":
        """Ask until what is left carries itself."""
        self._read()
        for name in list(self.proved):
            if not self._shown((self.world.initial,), self._formulas[name], (), f"{name}: {START}", self.effort):
                self._lose(name, Gap(START))
            self._name_elements(name, (self.world.initial, z3.Not(self._formulas[name])))
        while missing := list(self._missing()):
            for step, name in missing:
                if name in self.proved:
                    self._show_preserved(step, name)
        known = tuple(self._formulas[name] for name in self.proved)
        moves = z3.Not(self.world.stands_still(self._steps))
        self.goes_on = self.goes_on and self._shown(known, moves, (), "it goes on", self.effort)
        self.undefined = {step.action.name: None for step in self._steps if not self._is_defined(step)}
        return self

    def _read(self) -> None:
        self.proved = dict.fromkeys(self.claims)
        self._least = at_first(self.world.read)
        self.cutoffs = {name: dict(self._least) for name in self.proved}
        for name in self.proved:
            self._formulas[name] = self.world.claim(name)
            self._reads[name] = variables_in(self.world.claims[name].condition)
        domains = {name: self.world.fits(name) for name in self.world.domains}
        self._domains = {name: said for name, said in domains.items() if not z3.is_true(said)}
        self._steps = tuple(self.world.step(action) for action in self.world.specification.actions)

    def _missing(self) -> Iterator[tuple[OpenStep, str]]:
        """Yield what is still to be asked."""
        for step in self._steps:
            for name in self.proved:
                if step.changed & self._reads[name] and (step.action.name, name) not in self._used:
                    yield step, name

    def _name_elements(self, claim: str, question: tuple[Formula, ...]) -> None:
        """Keep of each set the most elements that a claim's questions name, or why they are without end."""
        known = self.cutoffs.get(claim, {})
        numbered = {name for name, most in known.items() if isinstance(most, int)}
        least = {name: most for name, most in self._least.items() if isinstance(most, int) and name in numbered}
        for name, found in (self.world.named_elements(question, least) if least else {}).items():
            known[name] = widest((known[name], found))

    def _is_defined(self, step: OpenStep) -> bool:
        """Return whether a step is shown to mean something, and to keep every variable in its domain."""
        hints = [name for name in self.defined_by if name in self.proved]
        kept = (self.world.fits(name, step.after) for name in self._domains if name in step.changed)
        goals = [((), step.needed), *(((*step.guards, *step.assured), said) for said in kept)]
        ways = (self._shown_of(step, said, before, hints, frozenset(), "it is defined") for before, said in goals)
        return all(way is not None for way in ways)

    def _show_preserved(self, step: OpenStep, name: str) -> None:
        action = step.action.name
        hints = self.hints.get((action, name), ())
        known = [one for one in hints if one in self.proved]
        goal, before = self.world.claim(name, step.after), (*step.guards, *step.assured)
        used = self._shown_of(step, goal, before, known, self._reads[name], name)
        if used is None:
            self._lose(name, Gap(action, next((one for one in hints if one not in self.proved), None)))
        else:
            self._used[action, name] = used

    def _lose(self, name: str, gap: Gap) -> None:
        """Drop what is not shown, and take back what was shown with it."""
        del self.proved[name], self.cutoffs[name]
        self.gaps[name] = replace(gap, hardly_known=self.world.hardly_known(gap.leans_on or name))
        self._used = {key: used for key, used in self._used.items() if name not in used and key[1] != name}

    def _shown_of(
        self,
        step: OpenStep,
        goal: Formula,
        before: tuple[Formula, ...],
        hints: Collection[str],
        reads: Names,
        what: str,
    ) -> Names | None:
        """Return with which claims a goal is shown of a step, the fewest first; None where it is not."""
        touched = step.changed.union(reads, *(self._reads[one] for one in hints))
        if z3.is_true(goal):
            return frozenset()
        few, some, every = (hints, touched), (hints, self._domains), (list(self.proved), self._domains)
        at_first = self.effort // AT_FIRST
        ladder = [(True, at_first, few), (True, at_first, every)]
        ladder += [(False, effort, way) for effort in (at_first, self.effort) for way in (few, some, every)]
        for is_plain, effort, (claims, domains) in ladder:
            known = [self._domains[one] for one in self._domains if one in domains]
            known += [self._formulas[one] for one in self.proved if one in claims]
            if self._shown(
                (*before, *known), goal, step.points, f"{what}: {step.action.name}", effort, is_plain=is_plain
            ):
                self._name_elements(what, (*before, *known, z3.Not(goal)))
                return frozenset(claims)
        return None

    def _shown(
        self,
        known: tuple[Formula, ...],
        goal: Formula,
        points: tuple[Term, ...],
        what: str,
        effort: int,
        *,
        is_plain: bool = False,
    ) -> bool:
        """Return whether Z3 shows a goal: as it stands, or, unless it is asked plainly, in one of the other ways.

        Those are quantifiers pulled out, how counts differ at the points, and the goal in parts.
        """
        if self.progress is not None:
            self.progress(what)
        if self._follows(known, goal, effort):
            return True
        if is_plain:
            return False
        if self._follows(known, goal, effort, is_pulled=True):
            return True
        counts = tuple(self.world.how_counts_differ(points, (*known, goal)))
        if counts and self._follows((*counts, *known), goal, effort):
            return True
        parts = parts_of(goal)
        return len(parts) > 1 and all(self._follows((*counts, *known), part, effort) for part in parts)

    def _follows(self, known: tuple[Formula, ...], goal: Formula, effort: int, *, is_pulled: bool = False) -> bool:
        """Return whether Z3 shows a goal, with quantifiers where they stand or pulled out of what is around them.

        Asked in a context of its own, the goal first. Z3 numbers terms as they come, and looks at them in this order:
        in one context for all, Paxos was proved or not by what the process had proved before.
        """
        context = z3.Context()
        solver = HeedingSolver(context=context)
        solver.set("rlimit", effort)
        solver.set("smt.pull_nested_quantifiers", is_pulled)
        asked: tuple[Formula, ...] = z3.Not(goal), *self.world.axioms_for((*known, goal)), *known
        solver.add(*(formula.translate(context) for formula in asked))
        return bool(solver.check() == z3.unsat)
