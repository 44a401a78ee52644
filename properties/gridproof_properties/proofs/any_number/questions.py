"""Induction for any number of elements; each question is asked with the claims that the proof at a small size needed.

Z3 gives up on a quantified question if it is given all lemmas, and answers the same question at once if it is given the
few that matter. The proof at a small size shows which lemmas matter. Assuming fewer claims is sound, so every claim
that is shown is true. A claim that is not shown is unknown, not false; claims whose proof needs it are dropped, too,
and a counterexample that Z3 finds may belong to no world.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import z3

from gridproof_model.language.specification import variables_in
from gridproof_properties.proofs.any_number.cutoffs import Cutoff, at_first, widest
from gridproof_properties.proofs.any_number.formulas import Formula, Term, is_true, parts_of
from gridproof_properties.proofs.any_number.symbolic import OpenStep, OpenWorld
from gridproof_properties.proofs.argument import DEFINED, NO_HINTS, Hints
from gridproof_properties.proofs.translation import ASSUMED, claims_in_core, solver_apart

QUESTION_EFFORT = 3_000_000
"""The most work that Z3 may spend on one form of a question, in Z3's own units."""
AT_FIRST = 10
"""Every form of a question is first tried with a tenth of the effort: Z3 may answer one at once, and no other."""
START = "the start"
PLAIN, PULLED, COUNTS, PARTS = "plain", "pulled", "counts", "parts"
"""The forms of a question: as it is; with quantifiers pulled out; with axioms on how counts differ; with the goal split
into parts."""
EVERY_DOMAIN = ", every domain"
Names = frozenset[str]
Rung = tuple[tuple[str, ...], int, Names, bool]
"""One attempt at a question: its forms, the effort, the claims assumed, and whether all domains are assumed."""


@dataclass(frozen=True, slots=True)
class Gap:
    """The reason why a claim is not proved for every number of elements."""

    action: str
    """The action at which Z3 gave up on the claim, or "the start"."""
    leans_on: str | None = None
    """Another claim that the proof needs at this action, and that is not shown either."""
    hardly_known: str | None = None
    """The part of the claim (or of a claim that its proof needs) about which Z3 knows little if the number of elements
    is open."""

    @property
    def sentence(self) -> str:
        """Why the claim is not proved, as a sentence."""
        leaning = f"it leans on {self.leans_on}, which is not shown for any number"
        why = f": {self.hardly_known}, of which little is known for any number" if self.hardly_known else ""
        return (leaning if self.leans_on is not None else f"Z3 gave up at {self.action}") + why


@dataclass
class OpenInduction:
    """The claims of an open world that are inductive together; as with a fixed size, this is shown only for behaviours
    whose steps are all defined."""

    world: OpenWorld
    progress: Callable[[str], None] | None = None
    effort: int = QUESTION_EFFORT
    proved: dict[str, None] = field(default_factory=dict)
    """The claims that are true in every reachable state of every world with these constants."""
    gaps: dict[str, Gap] = field(default_factory=dict)
    """For each claim that is not proved, the reason."""
    undefined: dict[str, None] = field(default_factory=dict)
    """The actions not shown to be defined and to keep every variable in its domain."""
    goes_on: bool = True
    """Whether some step is shown to be possible wherever the specification may not stop (at first: at a small size)."""
    cutoffs: dict[str, dict[str, Cutoff]] = field(default_factory=dict)
    """For each claim and index set: a number of elements that is enough to show any violation, given the claims that
    the proof needed; or why no number is known (the reason at the first question that gave none)."""
    is_least: bool = False
    """Whether to search for the fewest claims that each answer needs, so that these can be stored."""
    used: dict[tuple[str, str], Names] = field(default_factory=dict)
    """For each action (or the start) and claim (or that the step is defined), the claims used to show it."""
    ways: dict[tuple[str, str], str] = field(default_factory=dict)
    """For each action and claim: the form in which the question was answered, unless it was the plain form."""
    seconds: dict[str, float] = field(default_factory=dict)
    """For each claim, the time that its questions took, in seconds."""
    hints: Hints = NO_HINTS
    _formulas: dict[str, Formula] = field(default_factory=dict)
    _reads: dict[str, Names] = field(default_factory=dict)
    _domains: dict[str, Formula] = field(default_factory=dict)
    _steps: tuple[OpenStep, ...] = ()
    _least: dict[str, Cutoff] = field(default_factory=dict)

    def ask(self, claims: Iterable[str], hints: Hints) -> None:
        """Add further claims to the proved claims, and ask about them until the claims left are inductive together."""
        self.hints = hints
        self._read(claims)
        for name in [name for name in self.proved if (START, name) not in self.used]:
            effort = self._effort_for(name)
            if self._shown((self.world.initial,), self._formulas[name], (), f"{name}: {START}", effort) is None:
                self._lose(name, Gap(START))
                continue
            self.used[START, name] = frozenset()
            self._name_elements(name, (self.world.initial, z3.Not(self._formulas[name])))
        while missing := list(self._missing()):
            # Questions left unanswered by earlier proofs come first, so that a false claim costs only one question.
            missing.sort(key=lambda pair: pair[0].action.name not in hints.unproved.get(pair[1], ()))
            for step, name in missing:
                if name in self.proved:
                    self._show_preserved(step, name)

    def end(self) -> "OpenInduction":
        """Finally, ask whether the proved claims make every step defined, and make some step always possible."""
        self._read(())  # if there is no claim, no step was read before
        known = tuple(self._formulas[name] for name in self.proved)
        moves = z3.Not(self.world.stands_still(self._steps))
        self.goes_on = self.goes_on and self._shown(known, moves, (), "it goes on", self.effort) is not None
        self.undefined = {step.action.name: None for step in self._steps if not self._is_defined(step)}
        return self

    def _read(self, claims: Iterable[str]) -> None:
        self._least = at_first(self.world.read)
        new = [name for name in claims if name not in self.proved]
        self.proved |= dict.fromkeys(new)
        self.cutoffs |= {name: dict(self._least) for name in new}
        for name in new:
            self.gaps.pop(name, None)
            self._formulas[name] = self.world.claim(name)
            self._reads[name] = variables_in(self.world.claims[name].condition)
        if not self._steps:
            domains = {name: self.world.fits(name) for name in self.world.domains}
            self._domains = {name: said for name, said in domains.items() if not is_true(said)}
            self._steps = tuple(self.world.step(action) for action in self.world.specification.actions)

    def _missing(self) -> Iterator[tuple[OpenStep, str]]:
        """Yield the pairs of a step and a claim that are still to be asked about."""
        for step in self._steps:
            for name in self.proved:
                if step.changed & self._reads[name] and (step.action.name, name) not in self.used:
                    yield step, name

    def _name_elements(self, claim: str, question: tuple[Formula, ...]) -> None:
        """For each set, keep the largest number of elements that a claim's questions name, or why it has no limit."""
        known = self.cutoffs.get(claim, {})
        numbered = {name for name, most in known.items() if isinstance(most, int)}
        least = {name: most for name, most in self._least.items() if isinstance(most, int) and name in numbered}
        for name, found in (self.world.named_elements(question, least) if least else {}).items():
            known[name] = widest((known[name], found))

    def _is_defined(self, step: OpenStep) -> bool:
        """Return whether a step is shown to be defined and to keep every variable in its domain."""
        hints = [name for name in sorted(self.hints.of(step.action.name, DEFINED)) if name in self.proved]
        kept = (self.world.fits(name, step.after) for name in self._domains if name in step.changed)
        goals = [((), step.needed), *(((*step.guards, *step.assured), said) for said in kept)]
        ways = (self._shown_of(step, said, before, hints, frozenset(), DEFINED) for before, said in goals)
        return all(ways)

    def _show_preserved(self, step: OpenStep, name: str) -> None:
        action = step.action.name
        hints = sorted(self.hints.of(action, name) & self.world.claims.keys())  # old hints may name others
        lost = next((one for one in hints if one not in self.proved), None)
        known = [one for one in hints if one in self.proved]
        goal, before = self.world.claim(name, step.after), (*step.guards, *step.assured)
        is_hopeless = lost is not None or action in self.hints.unproved.get(name, ())
        if not self._shown_of(step, goal, before, known, self._reads[name], name, is_hopeless=is_hopeless):
            self._lose(name, Gap(action, lost))

    def _lose(self, name: str, gap: Gap) -> None:
        """Drop a claim that is not shown, and everything that was shown with its help."""
        del self.proved[name], self.cutoffs[name]
        self.gaps[name] = replace(gap, hardly_known=self.world.hardly_known(gap.leans_on or name))
        self.used = {key: used for key, used in self.used.items() if name not in used and key[1] != name}

    def _effort_for(self, name: str) -> int:
        """Return how much work Z3 may spend on a claim: less if little is known about parts of it, since then more
        effort hardly helps."""
        is_known = name not in self.world.claims or self.world.hardly_known(name) is None
        return self.effort if is_known else self.effort // AT_FIRST

    def _shown_of(
        self,
        step: OpenStep,
        goal: Formula,
        before: tuple[Formula, ...],
        hints: Collection[str],
        reads: Names,
        what: str,
        *,
        is_hopeless: bool = False,
    ) -> bool:
        """Return whether a goal is shown for a step, with as few claims as possible; keep the claims that were used.

        With `is_hopeless` (a claim named by the hints was dropped, or they say that the question failed before), only a
        part of the effort is spent.
        """
        key, started = (step.action.name, what), perf_counter()
        if is_true(goal):
            self.used.setdefault(key, frozenset())
            return True
        few, every = frozenset(hints), frozenset(self.proved)
        at_first, effort = self.effort // AT_FIRST, self._effort_for(what) // (AT_FIRST if is_hopeless else 1)
        rest = (PULLED, COUNTS, PARTS)
        ladder: list[Rung] = [((PLAIN,), at_first, few, False), ((PLAIN,), at_first, every, True)]
        for most in dict.fromkeys((at_first, effort)):
            ladder += [((PLAIN, *rest), most, few, False), ((PLAIN, *rest), most, few, True)]
            ladder.append(((PLAIN, *rest), most, every, True))
        hinted = self.hints.ways.get(key)
        if hinted is not None:
            way = hinted.removesuffix(EVERY_DOMAIN)
            ladder.insert(0, ((way,), effort, few, hinted != way))
        shown = next((one for rung in ladder if (one := self._asked(step, goal, before, reads, what, *rung))), None)
        if shown is not None:
            claims, way, known = shown
            self.used[key] = self.used.get(key, frozenset()) | claims
            if way != PLAIN:
                self.ways[key] = way
            self._name_elements(what, (*before, *known, z3.Not(goal)))
        self.seconds[what] = self.seconds.get(what, 0.0) + perf_counter() - started
        return shown is not None

    def _asked(
        self,
        step: OpenStep,
        goal: Formula,
        before: tuple[Formula, ...],
        reads: Names,
        what: str,
        ways: Sequence[str],
        effort: int,
        claims: Names,
        has_every_domain: bool,
    ) -> tuple[Names, str, tuple[Formula, ...]] | None:
        """Return the claims, the form and the hypotheses by which a goal is shown; None if it is not shown."""
        touched = step.changed.union(reads, *(self._reads[one] for one in claims))
        known = [said for name, said in self._domains.items() if has_every_domain or name in touched]
        said = {one: self._formulas[one] for one in self.proved if one in claims}
        what_at = f"{what}: {step.action.name}"
        way = self._shown((*before, *known, *said.values()), goal, step.points, what_at, effort, ways)
        if way is None:
            return None
        if self.is_least and claims:
            least = self._core((*before, *known), said, goal, step.points, way)
            if least < claims:
                rung = ((PLAIN, PULLED, COUNTS, PARTS), self.effort, least)
                for more in (False, True):
                    if (found := self._asked(step, goal, before, reads, what, *rung, more)) is not None:
                        return found
        return claims, f"{way}{EVERY_DOMAIN if has_every_domain else ''}", (*known, *said.values())

    def _shown(
        self,
        known: tuple[Formula, ...],
        goal: Formula,
        points: tuple[Term, ...],
        what: str,
        effort: int,
        ways: Sequence[str] = (PLAIN, PULLED, COUNTS, PARTS),
    ) -> str | None:
        """Return the first of these forms in which Z3 shows a goal; None if there is none."""
        if self.progress is not None:
            self.progress(what)
        for way, asked in self._questions(known, goal, points, ways):
            if way in ways and all(self._follows(*one, effort) is not None for one in asked):
                return way
        return None

    def _questions(
        self, known: tuple[Formula, ...], goal: Formula, points: tuple[Term, ...], ways: Sequence[str]
    ) -> Iterator[tuple[str, list[tuple[tuple[Formula, ...], Formula, bool]]]]:
        """Yield each form of a question: its hypotheses and goals, and whether quantifiers are pulled out."""
        yield PLAIN, [(known, goal, False)]
        yield PULLED, [(known, goal, True)]
        if COUNTS in ways or PARTS in ways:
            counts = tuple(self.world.how_counts_differ(points, (*known, goal)))
            if counts:
                yield COUNTS, [((*counts, *known), goal, False)]
            parts = parts_of(goal)
            if len(parts) > 1:
                yield PARTS, [((*counts, *known), part, False) for part in parts]

    def _core(
        self,
        known: tuple[Formula, ...],
        said: Mapping[str, Formula],
        goal: Formula,
        points: tuple[Term, ...],
        way: str,
    ) -> Names:
        """Return the claims in `said` that an answer needs; all of them if Z3 does not find the answer again."""
        whole = (*known, *said.values())
        asked = next(asked for one, asked in self._questions(whole, goal, points, (way,)) if one == way)
        cores = list[Names | None]()
        for every, part, is_pulled in asked:
            bare = every[: len(every) - len(said)]
            cores.append(self._follows(bare, part, is_pulled, self.effort, said))
        return frozenset(said) if None in cores else frozenset().union(*(core for core in cores if core))

    def _follows(
        self,
        known: tuple[Formula, ...],
        goal: Formula,
        is_pulled: bool,
        effort: int,
        said: Mapping[str, Formula] | None = None,
    ) -> Names | None:
        """Return None if Z3 does not show a goal, otherwise the names of the formulas that Z3 needed.

        Each question has a Z3 context of its own, to which the goal is added first.
        """
        named = dict(said or {})
        axioms = self.world.axioms_for((*known, *named.values(), goal))
        options = {"smt.pull_nested_quantifiers": is_pulled} | ({"core.minimize": True} if named else {})
        solver = solver_apart((z3.Not(goal), *axioms, *known), effort, **options)
        for name, formula in named.items():
            solver.assert_and_track(formula.translate(solver.ctx), f"{ASSUMED}{name}")
        if solver.check() != z3.unsat:
            return None
        return claims_in_core(solver) if named else frozenset()
