"""Finds lemmas that make a specification's always-claims inductive.

The candidates are conditions in the specification's own words that are true in every explored state of a small world;
counterexamples to induction select among them. The lemmas that were found are proved again from their expressions, as
handwritten lemmas are, and a lemma is left out if the others are enough without it.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

import numpy as np

from gridproof_model.language import ANY_NUMBER, ClaimKind, Specification, SpecificationError, World
from gridproof_model.language.cells import decode
from gridproof_model.language.changes import changes_between
from gridproof_model.language.declarations import Claim
from gridproof_model.language.lower_world import lower
from gridproof_model.language.run import Runner
from gridproof_model.language.tree import Node
from gridproof_model.language.world import Open
from gridproof_properties.explorer.exploration import ClaimVerdict
from gridproof_properties.explorer.explore import DEFAULT_MEMORY_BYTES
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.any_number.cutoffs import set_sizes
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.finding.candidates import Candidates, ClauseKey
from gridproof_properties.proofs.finding.columns import Explored, explored
from gridproof_properties.proofs.finding.lemmas import declared_names, lemma_of
from gridproof_properties.proofs.finding.selection import Selection, Stuck
from gridproof_properties.proofs.finding.stage import Rung, Stage
from gridproof_properties.proofs.induction import Houdini
from gridproof_properties.proofs.prove import prove
from gridproof_properties.proofs.translation import SymbolicWorld

ROUNDS = 6
"""How many times lemmas that a larger world refutes are left out and the search is repeated."""

Progress = Callable[[str, int], None]


class End(StrEnum):
    """How the search for the lemmas of a claim ended."""

    PROVED = "proved"
    NOT_FOUND = "not found"
    BROKEN = "broken"
    SAYS_NOTHING = "says nothing"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True)
class Finding:
    """The outcome of the search for one claim."""

    claim: str
    end: End
    lemmas: tuple[str, ...] = ()
    """The lemmas and other claims on which the claim's proof depends."""
    verdict: ClaimVerdict | None = None
    """For a claim that is broken, or undefined in some state: the story that shows it."""
    obstacle: "Obstacle | None" = None
    """For a claim without lemmas: the obstacle to its proof."""
    world: World | None = None
    """For a broken claim: the world in which it is broken."""


@dataclass
class Finder:
    """A search for lemmas; if it is interrupted, what it has found until then can be read."""

    specification: Specification
    claims: Sequence[str]
    """The names of the always-claims for which lemmas are searched."""
    given: Constants = field(default_factory=dict)
    """The constants whose values are given; the others are chosen by the search."""
    predicates: Sequence[Node] = ()
    """Predicates that the user adds to those of the specification."""
    named_worlds: tuple[Constants, ...] = ()
    """The worlds that a proof argument lists to be explored; they are searched if three elements of each set are too
    many."""
    seed: int = 1
    memory_bytes: int = DEFAULT_MEMORY_BYTES
    progress: Progress = lambda _what, _done: None
    explored: Explored | None = None
    tried: list[str] = field(default_factory=list)
    """The rungs of the ladder that were tried, each with its numbers of candidates and of clauses tried."""
    lemmas: list[Claim] = field(default_factory=list)
    proved_in: list[Constants] = field(default_factory=list)
    not_proved_in: list[Constants] = field(default_factory=list)
    gaps: tuple[str, ...] = ()
    """For each claim that is not shown for every number of elements, the reason."""
    questions: int = 0
    _found: dict[str, Finding] = field(default_factory=dict)
    _stages: dict[int, Stage | None] = field(default_factory=dict)
    _made_of: dict[str, ClauseKey] = field(default_factory=dict)
    _refuted: frozenset[ClauseKey] = frozenset()
    """The clauses that are true in the explored world but not in a larger world."""
    _dropped: tuple[str, ...] = ()
    """The claims and lemmas that could not be proved in a larger world, in the order in which they were dropped."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The outcome for each claim until now."""
        return tuple(self._found.get(name, Finding(name, End.NOT_TRIED)) for name in self.claims)

    @property
    def argument(self) -> Argument:
        """The lemmas that were found, and the worlds in which they were proved."""
        searched = () if self.explored is None else (dict(self.explored.constants),)
        found = Argument(self.specification, proved_in=tuple(self.proved_in) or searched, explored_in=searched)
        found.lemmas.extend(self.lemmas)
        return found

    def run(self) -> None:
        """Explore, climb the ladder, and prove the lemmas found, in the explored world and in a larger world."""
        self.explored = explored(
            self.specification, self.given, self.named_worlds, memory_bytes=self.memory_bytes, progress=self.progress
        )
        self._run_in(self.explored)
        for constants in self.not_proved_in:
            if not any(isinstance(value, Open) for value in constants.values()):
                with suppress(SpecificationError):  # it may have too many states to be counted
                    self._look_in(constants)

    def _look_in(self, constants: Constants) -> None:
        """Explore a larger world, as far as memory allows, for claims that are false there and seemed true only because
        there were too few elements."""
        larger = explored(self.specification, constants, memory_bytes=self.memory_bytes, progress=self.progress)
        for verdict in larger.verdicts:
            name = verdict.claim.name
            if verdict.result is Result.BROKEN and self._is_proved(name):
                self._found[name] = Finding(name, End.BROKEN, verdict=verdict, world=larger.world)

    def _run_in(self, space: Explored) -> None:
        """Search for lemmas in a world; then search again without the lemmas that a larger world refutes."""
        self._search(space, list(self._not_settled(space)))
        self._try_larger()
        for _ in range(ROUNDS):
            refuted = next((name for name in self._dropped if name in self._made_of), None)
            if refuted is None:
                return
            before, proved = copy(self), [finding.claim for finding in self.findings if finding.end is End.PROVED]
            self._found = {name: finding for name, finding in self._found.items() if name not in proved}
            self.lemmas, self.proved_in, self.not_proved_in = [], [], []
            self._refuted |= {self._made_of[refuted]}
            is_carried = False
            try:
                self._search(space, proved)
                self._try_larger()
                is_carried = all(map(self._is_proved, proved))
            finally:
                if not is_carried:  # what was known before is kept, also if this is interrupted
                    vars(self).update(vars(before))
            if not is_carried:
                return

    def _search(self, space: Explored, targets: list[str]) -> None:
        rung: Rung | None = Rung()
        while targets and rung is not None:
            self.progress(f"candidates: {rung.describe()}", 0)
            stage = self._stage(space, rung)
            is_blind = True
            if stage is not None:
                stuck = self._climb(space, rung, stage, targets)
                targets = [name for name in targets if not self._is_proved(name)]
                is_blind = stuck is not None and stuck.is_blind
            rung = rung.next(is_blind=is_blind)

    def _is_proved(self, name: str) -> bool:
        return name in self._found and self._found[name].end is End.PROVED

    def _not_settled(self, space: Explored) -> Iterator[str]:
        """Yield the claims that exploration does not settle; record the outcome of the others."""
        empty = {lowered.claim.name for lowered in space.explorer.lowered.claims if lowered.is_empty}
        for verdict in space.verdicts:
            name = verdict.claim.name
            if name not in self.claims:
                continue
            if verdict.result is Result.BROKEN or verdict.is_undefined:
                self._found[name] = Finding(name, End.BROKEN, verdict=verdict, world=space.world)
            elif name in empty:
                self._found[name] = Finding(name, End.SAYS_NOTHING)
            else:
                yield name

    def _climb(self, space: Explored, rung: Rung, stage: Stage, targets: Sequence[str]) -> Stuck | None:
        """Try the candidates of one rung; return the obstacle to the first claim that they do not prove, if any."""
        candidates = stage.candidates(min(rung.length, 3), self.seed)
        self.tried.append(f"{rung.describe()}: {len(candidates.clauses):,} candidates of {candidates.tried:,} tried")
        world, known = stage.world(space, self.lemmas)
        holding = {verdict.claim.name for verdict in space.verdicts if verdict.result is not Result.BROKEN}
        make = stage.conditions.make
        claims = {
            one.claim.name: make.all((one.condition, *(demand.condition for demand in one.demands)))
            for one in space.explorer.lowered.claims
            if one.claim.name in holding
        }
        selection = Selection(
            world, space.kernel.packing, candidates, {**claims, **known}, rung.makes_longer, self._refuted, self._report
        )
        return self._carried(space, selection, targets)

    def _stage(self, space: Explored, rung: Rung) -> Stage | None:
        """Return the predicates of a rung; None if they are the same as those of the rung before."""
        if rung.place not in self._stages:
            earlier = [stage for stage in self._stages.values() if stage is not None]
            before = earlier[-1].words if earlier else frozenset()
            self._stages[rung.place] = Stage.of(
                self.specification, space, rung, given=self.predicates, before=before, seed=self.seed
            )
        return self._stages[rung.place]

    def _carried(self, space: Explored, selection: Selection, targets: Sequence[str]) -> Stuck | None:
        first: Stuck | None = None
        needed: dict[str, None] = {}
        for name in targets:
            stuck = selection.carry(name)
            if stuck is None:
                needed.update(dict.fromkeys(selection.needed(name)))
                continue
            first = first or stuck
            self._found[name] = Finding(name, End.NOT_FOUND, obstacle=obstacle(stuck, space, selection.candidates))
        self.questions += selection.questions
        if needed:
            lemmas = list(self.lemmas)
            for name in needed:
                if name in selection.clauses:
                    taken = self._declared.union(claim.name for claim in (*self.specification.claims, *lemmas))
                    lemmas.append(lemma_of(selection.clauses[name], taken))
                    self._made_of[lemmas[-1].name] = selection.clauses[name].key
            self._confirm(space, [name for name in targets if name in needed], lemmas)
        return first

    @cached_property
    def _declared(self) -> frozenset[str]:
        return declared_names(self.specification)

    def _confirm(self, space: Explored, carried: Sequence[str], lemmas: Sequence[Claim]) -> None:
        """Prove claims from the expressions of the lemmas, and keep the lemmas without which a claim is not proved."""
        before = [finding.claim for finding in self.findings if finding.end is End.PROVED]
        argument = Argument(self.specification, proved_in=(), explored_in=())
        argument.lemmas.extend(lemmas)
        plain = argument.world(space.constants)
        world = SymbolicWorld(lower(replace(plain, claims=plain.claims_of(ClaimKind.ALWAYS))))
        formulas = {one.claim.name: world.claim(one) for one in world.lowered.claims}
        houdini = Houdini(world, formulas, progress=self._report)
        induction = houdini.run()
        wanted = [name for name in dict.fromkeys((*before, *carried)) if name in induction.inductive]
        least = houdini.spare(induction, wanted)
        self.lemmas = [lemma for lemma in lemmas if lemma.name in least.inductive]
        for name in wanted:
            self._found[name] = Finding(name, End.PROVED, tuple(sorted(least.support(name))))
        self.proved_in = [dict(space.constants)]

    def _try_larger(self) -> None:
        """Prove the lemmas found for any size; if that fails, prove them with one more element in each set."""
        self._dropped, self.gaps = (), ()
        proved = [finding.claim for finding in self.findings if finding.end is End.PROVED]
        if self.explored is None or not proved:
            return
        sizes = {name: dict(self.explored.world.constants)[name] for name in set_sizes(self.specification)}
        larger = {**self.explored.constants, **{name: size + 1 for name, size in sizes.items()}}
        for constants in ({**larger, **dict.fromkeys(sizes, ANY_NUMBER)}, larger) if sizes else ():
            try:
                proof = prove(self.argument, constants, progress=self._report)
            except SpecificationError as problem:  # no such world: constants do not fit, or something needs a size
                self.gaps = (str(problem),) if constants is not larger else self.gaps
                continue
            if all(map(proof.is_proved, proved)):
                self.proved_in = [constants] if proof.for_any is not None else [*self.proved_in, constants]
                return
            self.not_proved_in.append(constants)
            self._dropped = tuple(dropped.claim for dropped in proof.induction.dropped)
            if proof.for_any is not None:
                self.gaps = tuple(f"{name}: {gap.sentence}" for name, gap in proof.for_any.gaps.items())

    def _report(self, what: str) -> None:
        self.progress(what, self.questions)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """An unreachable state that no candidate excludes, described in words."""

    claim: str
    """The claim that a step breaks: the claim for which lemmas were searched, since the lemmas that it leaned on were
    given up before."""
    step: str
    differs_in: tuple[str, ...]
    """How the state differs from the nearest explored state; empty if Z3 gave no answer."""
    is_blind: bool
    """Whether no predicate distinguishes the state from the explored states."""
    unread: tuple[str, ...]
    """The parts of the state that no predicate reads."""

    def lines(self) -> tuple[str, ...]:
        """Return the obstacle as sentences."""
        if not self.differs_in:
            return (f"There was no answer within the effort that a claim is given; {self.step} was asked last.",)
        missing = (
            "No predicate distinguishes it from explored states: predicates are missing (--with adds some)."
            if self.is_blind
            else "Predicates distinguish it from every explored state, but no lemma made of few of them holds."
        )
        unread = (f"No predicate reads {', '.join(self.unread)}.",) if self.unread else ()
        return (
            f"{self.step} leads out of {self.claim} from a state that nothing excludes. It differs from the nearest",
            "explored state in (explored → this one):",
            *(f"  {change}" for change in self.differs_in),
            missing,
            *unread,
        )


def obstacle(stuck: Stuck, explored: Explored, candidates: Candidates) -> Obstacle:
    """Return the obstacle as plain values."""
    world = explored.world
    step = Runner(world).describe(stuck.event)
    unread = _unread(explored, candidates)
    if stuck.row is None:
        return Obstacle(stuck.claim, step, (), False, unread)
    differing = changes_between(world, decode(world, _nearest(explored, stuck.row)), decode(world, stuck.row))
    return Obstacle(stuck.claim, step, tuple(map(str, differing)), stuck.is_blind, unread)


def _nearest(explored: Explored, row: Sequence[int]) -> tuple[int, ...]:
    """Return the explored state that differs from a given one in the fewest numbers."""
    columns = explored.kernel.columns(explored.states)
    differing = np.zeros(explored.states.shape[1], dtype=np.int32)
    for number, value in enumerate(row):
        differing += columns(number) != value
    return explored.kernel.packing.unpack(explored.states[:, int(np.argmin(differing))])


def _unread(explored: Explored, candidates: Candidates) -> tuple[str, ...]:
    read = frozenset().union(*(table.columns.cells_read for table in candidates.tables))
    cells = explored.explorer.lowered.cells
    parts = {number: re.sub(r"\[\d+\]|\.\d+", "", cell.name) for number, cell in enumerate(cells)}
    seen = {parts[number] for number in read}
    return tuple(dict.fromkeys(part for part in parts.values() if part not in seen))
