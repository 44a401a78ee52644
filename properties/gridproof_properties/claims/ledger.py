"""The ledger: how well it is known that each claim is true.

The ledger has a row for every claim of a specification: it is proved, exhaustive up to a bound, seen, broken, or open,
with the reason. Each row names the worlds for which the claim is known to be true. A claim counts as open if it is
proved in one world of an argument and explored in another, but neither proved nor explored in a third.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

from gridproof_model.language import EITHER, Claim, ClaimKind
from gridproof_model.language.limits import is_finite
from gridproof_model.language.lower_world import lower
from gridproof_model.language.run import Runner, table
from gridproof_model.language.scalars import LoweredWorld
from gridproof_model.language.world import decided
from gridproof_properties.claims.known import Knowledge, KnownIn
from gridproof_properties.claims.ledger_row import LedgerRow, Standing, Status, covers, world_in_words, worlds_in_words
from gridproof_properties.claims.proof_graph import ProofGraph
from gridproof_properties.explorer import ClaimVerdict, Exploration, Failure, FailureKind, explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count
from gridproof_properties.proofs.any_number.cutoffs import Cutoff, widest
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.bounded import (
    DEADLOCK,
    UNDEFINED,
    UNDEFINED_CLAIM,
    Found,
    Reached,
    look_near_the_start,
    undefined_claims,
    undefined_steps,
)
from gridproof_properties.proofs.induction import Reason
from gridproof_properties.proofs.prove import Proof, prove

DEFINED = "every_step_is_defined"
"""The name of an additional row, which states that no reachable step is undefined or leaves a domain."""
GOES_ON = "it_goes_on_or_may_stop"
"""The name of an additional row, which states that no state is a deadlock."""

Known = tuple[Status, list[str]]
"""The status of a claim, and the texts that say where and how the claim is known."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that was found out about a specification.

    A claim that speaks only of other worlds ("if leavers count for nothing …") is not tested, and says nothing about
    this one.
    """

    argument: Argument
    proofs: tuple[Proof, ...]
    explorations: tuple[tuple[Constants, Exploration], ...]
    empty_claims: frozenset[tuple[str, str]]
    """Pairs of a world, in words, and a claim that is true in every state of this world, reachable or not."""
    found: tuple[Found, ...]
    """For each proof, what a search near the start found about claims it leaves open, unless its world was explored."""

    @classmethod
    def gather(cls, argument: Argument, progress: Callable[[str], None] | None = None) -> "Evidence":
        """Prove the claims, and explore the states, in every world that an argument names.

        A KeyboardInterrupt ends the gathering, and is not raised again: what was not proved or explored by then stays
        open, and the evidence is marked as incomplete.
        """
        report = progress or (lambda _: None)
        proofs: list[Proof] = []
        explorations: list[tuple[Constants, Exploration]] = []
        with suppress(KeyboardInterrupt):
            for constants in argument.proved_in:
                where = f"{argument.specification.name}, {world_in_words(constants)}: "
                proofs.append(prove(argument, constants, progress=partial(_report_where, report, where)))
            unproved = [one.name for one in argument.lemmas if not all(proof.is_proved(one.name) for proof in proofs)]
            for constants in argument.explored_in:
                if any(exploration.is_interrupted for _, exploration in explorations):
                    break
                report(f"{argument.specification.name}, {world_in_words(constants)}: every state")
                world = argument.world(constants, only=unproved)
                explorations.append((constants, explore(world, is_interruptible=True)))
        empty = {(world_in_words(proof.constants), claim) for proof in proofs for claim in _empty_in_proof(proof)}
        empty |= {
            (world_in_words(c), claim) for c, found in explorations for claim in _empty_claims(lower(found.world))
        }
        evidence = cls(argument, tuple(proofs), tuple(explorations), frozenset(empty), (Found(),) * len(proofs))
        for number, proof in enumerate(proofs if evidence.is_whole else ()):
            found = (*evidence.found[:number], evidence._found(proof, report), *evidence.found[number + 1 :])
            evidence = replace(evidence, found=found)
            if not evidence.is_whole:
                break
        return evidence

    @property
    def is_whole(self) -> bool:
        """Whether the evidence was gathered without an interruption."""
        is_explored = len(self.explorations) == len(self.argument.explored_in)
        is_cut = any(exploration.is_interrupted for _, exploration in self.explorations)
        return self._is_tried and is_explored and not is_cut and all(found.is_whole for found in self.found)

    @property
    def knowledge(self) -> Knowledge:
        """Which claims are true in which worlds, in the form that verdicts on runs read."""
        proved = (
            KnownIn(proof.named, frozenset(one for one in proof.induction.inductive if proof.is_proved(one)))
            for proof in self.proofs
        )
        explored = (
            KnownIn(dict(one.world.constants), frozenset(_hold_everywhere(one)), one.states)
            for _, one in self.explorations
            if one.is_complete
        )
        return Knowledge(tuple(proved), tuple(explored))

    @property
    def _is_tried(self) -> bool:
        """Whether proofs were tried in every world that the argument names."""
        return len(self.proofs) == len(self.argument.proved_in)

    def _found(self, proof: Proof, report: Callable[[str], None]) -> Found:
        """Search near the start, in a proof's world, for open claims: all, or those that exploring the world leaves
        open."""
        claims = (*self.argument.specification.claims, *self.argument.lemmas)
        undecided = [one.name for one in claims if not proof.is_proved(one.name) and proof in self._deciding(one)]
        if any(exploration.is_complete for exploration in self._explored_worlds(proof)):
            undecided = [name for name in undecided if proof.gap(name) is not None]
            if not undecided:
                return Found()
        where = f"{self.argument.specification.name}, {world_in_words(proof.constants)}: "
        return look_near_the_start(self.argument, proof, undecided, partial(_report_where, report, where))

    @property
    def graph(self) -> ProofGraph | None:
        """Return which claims depend on which in the proof for every size, or else in the one that drops and needs
        most; None without proofs."""
        widest = max(self.proofs, key=_breadth, default=None)
        return None if widest is None else ProofGraph.of(self.argument, widest)

    @property
    def cutoffs(self) -> tuple[str, ...]:
        """For claims proved for every size, in words: how many elements are enough to show every violation, or why this
        is unknown."""
        found = [one.cutoffs for proof in self.proofs if (one := proof.for_any) is not None and one.proved]
        names = [claim.name for claim in self.argument.specification.claims if any(claim.name in one for one in found)]
        return tuple(_cutoffs_in_words({name: [one[name] for one in found if name in one] for name in names}))

    def rows(self, *, is_shown: bool = True) -> tuple[LedgerRow, ...]:
        """Return the ledger's rows: the claims in their order, then definedness of steps, then absence of deadlocks.

        With `is_shown`, a search finds the reason why a claim is not inductive, which takes time.
        """
        return (
            *(self._row(claim, is_shown=is_shown) for claim in self.argument.specification.claims),
            self._row_of_definedness(),
            self._row_of_going_on(),
        )

    def lemma_rows(self, *, is_shown: bool = True) -> tuple[LedgerRow, ...]:
        """Return a row for every lemma: it is proved, or else the reason why not. No document promises a lemma."""
        return tuple(self._row(lemma, is_shown=is_shown) for lemma in self.argument.lemmas)

    def _row(self, claim: Claim, *, is_shown: bool) -> LedgerRow:
        is_sought = claim.kind is ClaimKind.SOMETIMES
        status, parts = self._so_far(
            *(self._sometimes(claim) if is_sought else self._promised(claim)), sought=is_sought
        )
        shown = () if is_sought else self._counterexample(claim, is_shown=is_shown)
        worlds = tuple(self._standings(claim))
        name, seconds, detail = self.argument.specification.name, self._seconds(claim), "; ".join(parts)
        kind, sentence, source = claim.kind, claim.sentence, claim.source
        return LedgerRow(name, claim.name, kind, sentence, source, status, detail, seconds, shown, worlds)

    def _so_far(self, status: Status, parts: Sequence[str], *, sought: bool = False) -> Known:
        """Return what stays known if the work was interrupted: that a claim was seen, is broken, or is proved in all
        worlds named for proofs."""
        stands = {Status.SEEN, *([] if sought else [Status.BROKEN]), *([Status.PROVED] if self._is_tried else [])}
        if self.is_whole or status in stands:
            return status, list(parts)
        return Status.OPEN, [*(part for part in parts if part != _UNSEEN), "it was interrupted"]

    def _counterexample(self, claim: Claim, *, is_shown: bool) -> tuple[str, ...]:
        """Return a behaviour that breaks a claim, if a search near the start found one; otherwise why the claim is not
        inductive."""
        reached = self._reached(claim.name)
        if reached or claim.kind is not ClaimKind.ALWAYS or not is_shown:
            return next((tuple(table(Runner(one.world), one.behaviour).splitlines()) for _, one in reached), ())
        failed = (proof for proof in self.proofs if not proof.is_proved(claim.name))
        shown = (proof.counterexample(claim.name) for proof in failed)
        return next((counterexample.lines() for counterexample in shown if counterexample is not None), ())

    def _deciding(self, claim: Claim) -> list[Proof]:
        """Return the proofs about worlds in which a claim is not trivial."""
        return [p for p in self.proofs if (world_in_words(p.constants), claim.name) not in self.empty_claims]

    def _promised(self, claim: Claim) -> Known:
        """Return what is known about an always-claim or an eventually-claim."""
        deciding = self._deciding(claim)
        proved = [proof for proof in deciding if self._is_proved(proof, claim)]
        gaps = [proof for proof in deciding if proof.gap(claim.name) is not None]
        others = [proof for proof in deciding if proof not in proved and proof not in gaps]
        status, parts = self._explored(claim, others)
        if status is Status.BROKEN:
            return status, parts
        way = "by induction" if claim.kind is ClaimKind.ALWAYS else "it holds wherever it is waited for,"
        known = [*(one.small for one in gaps), *(one.constants for one in proved)]
        how = [f"{way} for {worlds_in_words(known)}{self._lemmas([*gaps, *proved], claim.name)}"] if known else []
        if how and not others:
            status = Status.PARTLY if gaps else Status.PROVED
            return status, [*how, *(_why(one, claim.name) for one in gaps), *self._vacuous_everywhere(claim)]
        others += gaps
        return status, [*how, *parts, *(_why(proof, claim.name) for proof in others if claim.kind is ClaimKind.ALWAYS)]

    def _is_proved(self, proof: Proof, claim: Claim) -> bool:
        return proof.is_proved(claim.name) or claim.name in self._found_of(proof).at_once

    def _found_of(self, proof: Proof) -> Found:
        return self.found[self.proofs.index(proof)]

    def _reached(self, goal: str) -> list[tuple[Proof, Reached]]:
        """Return the behaviours that the searches near the start found in unexplored worlds, each with its proof."""
        pairs = zip(self.proofs, self.found, strict=True)
        return [(proof, found.reached[goal]) for proof, found in pairs if goal in found.reached]

    def _sometimes(self, claim: Claim) -> Known:
        verdicts = list(self._verdicts(claim.name))
        seen = [
            (len(verdict.witness), f"{verdict.sentence} for {world_in_words(constants)}")
            for constants, verdict in verdicts
            if verdict.result is Result.HOLDS
        ]
        seen += [(one.length + 1, f"seen {_where(one, proof)}") for proof, one in self._reached(claim.name)]
        if seen:
            return Status.SEEN, [min(seen, key=lambda pair: pair[0])[1]]
        never = [proof for proof in self._deciding(claim) if claim.name in self._found_of(proof).never]
        unsure = [p for p in self._deciding(claim) if p not in never and not self._is_explored(p, None)]
        parts = [_describe(*pair) for pair in verdicts]
        parts += [f"in no state, by induction, for {_in_words(never)}"] if never else []
        is_certain = not unsure and all(verdict.result is Result.BROKEN for _, verdict in verdicts)
        return (Status.BROKEN if parts and is_certain else Status.OPEN), parts or [_UNSEEN]

    def _explored(self, claim: Claim, unproved: Sequence[Proof]) -> Known:
        """Return what explorations show about a claim that the given proofs have not proved."""
        verdicts = list(self._verdicts(claim.name))
        broken = [_describe(*pair) for pair in verdicts if pair[1].result is Result.BROKEN]
        may_rest = ": it may stay for ever as it is" if claim.kind is ClaimKind.EVENTUALLY else ""
        broken += [f"broken{may_rest} {_where(reached, proof)}" for proof, reached in self._reached(claim.name)]
        if broken:
            return Status.BROKEN, broken
        parts = [_describe(*pair) for pair in verdicts]
        tested = [pair for pair in verdicts if not pair[1].is_vacuous]
        if not tested or any(verdict.result is not Result.HOLDS for _, verdict in verdicts):
            return Status.OPEN, parts or [_UNSEEN]
        return self._unless_left_out(parts, unproved, claim)

    def _unless_left_out(self, parts: list[str], unproved: Sequence[Proof], claim: Claim | None = None) -> Known:
        """Return "exhaustive" if every world of the given proofs was explored, else "partly".

        An eventually-claim, which no induction proves, counts as explored if it was for some value of open numbers.
        Of all else, the caller says why each proof failed.
        """
        left_out = [proof for proof in unproved if not self._is_explored(proof, claim)]
        if not left_out:
            return Status.EXHAUSTIVE, parts
        if claim is None or claim.kind is ClaimKind.ALWAYS:
            return Status.PARTLY, parts
        return Status.PARTLY, [*parts, f"not looked at for {_in_words(left_out)}"]

    def _is_explored(self, proof: Proof, claim: Claim | None) -> bool:
        """Return whether the worlds that a proof covers were explored, and whether one of them tests the claim."""
        worlds = self._explored_worlds(proof)
        is_tested = any(claim is None or e.verdict(claim.name) in e.tested for e in worlds)
        is_waited_for = claim is not None and claim.kind is ClaimKind.EVENTUALLY
        return is_tested and (is_waited_for or _are_all_worlds(proof, worlds))

    def _explored_worlds(self, proof: Proof) -> list[Exploration]:
        """Return the explorations of worlds that a proof covers, whatever the values of its open numbers."""
        return [e for _, e in self.explorations if covers(dict(e.world.constants), proof.named)]

    def _vacuous_everywhere(self, claim: Claim) -> list[str]:
        verdicts = list(self._verdicts(claim.name))
        is_vacuous = bool(verdicts) and all(verdict.is_vacuous for _, verdict in verdicts)
        return [f"nothing tests it for {world_in_words(constants)}" for constants, _ in verdicts] if is_vacuous else []

    def _standings(self, claim: Claim) -> Iterator[tuple[str, Standing]]:
        """Yield every world with what is known about a claim there: the worlds of proofs, then the explored worlds."""
        for proof in self.proofs:
            world = world_in_words(proof.constants)
            standing = self._standing_of_proof(proof, claim)
            if (world, claim.name) in self.empty_claims:
                yield world, Standing.SAYS_NOTHING
            elif standing is not Standing.UNTRIED or not self._explored_worlds(proof):
                yield world, standing
        for constants, exploration in self.explorations:
            if exploration.has_verdict(claim.name):
                yield world_in_words(constants), _standing(exploration.verdict(claim.name))

    def _standing_of_proof(self, proof: Proof, claim: Claim) -> Standing:
        if claim.name in self._found_of(proof).reached:
            return Standing.SEEN if claim.kind is ClaimKind.SOMETIMES else Standing.BROKEN
        if self._is_proved(proof, claim):
            return Standing.PROVED
        if claim.kind is ClaimKind.ALWAYS:
            dropped = proof.dropped(claim.name)
            is_lost = dropped is None or dropped.reason is Reason.UNDECIDED
            return Standing.UNKNOWN if is_lost else Standing.NOT_INDUCTIVE
        return Standing.UNSEEN if claim.name in self._found_of(proof).never else Standing.UNTRIED

    def _row_of_definedness(self) -> LedgerRow:
        failed = [_failed(c, f) for c, e in self.explorations for f in e.failures if f.kind is not FailureKind.DEADLOCK]
        for goal, why in ((UNDEFINED, undefined_steps), (UNDEFINED_CLAIM, undefined_claims)):
            for proof, one in self._reached(goal):
                failed.append(f"{goal}: {why(one.world, one.behaviour[-1][1])[0]}, {_where(one, proof)}")
        unsure = [proof for proof in self.proofs if proof.may_be_undefined is not None]
        reasons = [f"the invariant does not rule it out of {p.may_be_undefined} for {_in_words([p])}" for p in unsure]
        sentence = "Every step that may happen is defined and keeps every variable in its domain."
        row = self._row_beside(DEFINED, sentence, "the language: updates keep their domains", failed, unsure, reasons)
        unbounded = {variable for proof in self.proofs for variable in self._unbounded(proof)}
        but = f"; no bound that an open number sets is looked at (for {count(len(unbounded), 'variable')})"
        return replace(row, detail=row.detail + but) if unbounded and row.status is Status.PROVED else row

    def _unbounded(self, proof: Proof) -> Iterator[str]:
        """Yield the variables whose numbers have a bound, but none in a proof that leaves constants open."""
        usual = self.argument.specification.world().variables
        for bounded, opened in zip(usual, proof.asked.plain.variables, strict=True):
            if is_finite(bounded.domain) and not is_finite(opened.domain):
                yield bounded.name

    def _row_of_going_on(self) -> LedgerRow:
        failed = [_failed(c, f) for c, e in self.explorations for f in e.failures if f.kind is FailureKind.DEADLOCK]
        failed += [f"{DEADLOCK} any more {_where(reached, proof)}" for proof, reached in self._reached(DEADLOCK)]
        unsure = [proof for proof in self.proofs if not proof.goes_on]
        reasons = [f"the invariant does not show it for {_in_words(unsure)}"] if unsure else []
        sentence = "In a state in which nothing can happen any more, the specification may stop."
        return self._row_beside(GOES_ON, sentence, "the language: may_stop", failed, unsure, reasons)

    def _row_beside(
        self, name: str, sentence: str, source: str, failed: list[str], unsure: Sequence[Proof], reasons: Sequence[str]
    ) -> LedgerRow:
        if failed:
            status, parts = Status.BROKEN, failed
        elif self.proofs and not unsure:
            status, parts = Status.PROVED, [f"by the invariant for {_in_words(self.proofs)}"]
        else:
            parts = [
                f"in all {count(e.states, 'state')} for {world_in_words(c)}"
                for c, e in self.explorations
                if e.is_complete
            ]
            is_whole = bool(parts) and len(parts) == len(self.explorations)
            status, parts = self._unless_left_out(parts, unsure) if is_whole else (Status.OPEN, parts)
            parts = [*parts, *reasons] or [_UNEXPLORED]
        status, parts = self._so_far(status, parts)
        seconds = sum(proof.seconds for proof in self.proofs)
        specification = self.argument.specification.name
        return LedgerRow(specification, name, ClaimKind.ALWAYS, sentence, source, status, "; ".join(parts), seconds)

    def _verdicts(self, claim: str) -> Iterator[tuple[Constants, ClaimVerdict]]:
        """Yield the verdicts of explorations on a claim unless it is trivial there; there are none on proved lemmas."""
        for constants, exploration in self.explorations:
            if (world_in_words(constants), claim) not in self.empty_claims and exploration.has_verdict(claim):
                yield constants, exploration.verdict(claim)

    def _lemmas(self, proofs: list[Proof], claim: str) -> str:
        lemmas = {lemma.name for lemma in self.argument.lemmas}
        used = {name for p in proofs if claim in p.induction.inductive for name in p.induction.support(claim)}
        return ", with lemmas" if used & lemmas else ""  # not how many: Z3's cores differ between processes

    def _seconds(self, claim: Claim) -> float:
        if claim.kind is not ClaimKind.ALWAYS:
            return sum(exploration.seconds for _, exploration in self.explorations)
        return sum(
            proof.induction.seconds.get(name, 0.0)
            for proof in self.proofs
            for name in {claim.name, *(proof.induction.support(claim.name) if proof.is_proved(claim.name) else ())}
        )


_UNSEEN = "no world that it speaks of is explored"
_UNEXPLORED = "no world is proved or explored"


def _empty_claims(world: LoweredWorld) -> Iterator[str]:
    """Yield the claims that are true in every state of a world, reachable or not."""
    for lowered in world.claims:
        if lowered.is_empty:
            yield lowered.claim.name


def _empty_in_proof(proof: Proof) -> Iterator[str]:
    """Yield the claims that are true in every state of each world that a proof covers, whatever its open sizes are."""
    if proof.for_any is None:
        yield from _empty_claims(proof.world.lowered)
        return
    for claim in (*proof.for_any.world.specification.claims, *proof.for_any.world.claims.values()):
        is_never_triggered = claim.trigger is not None and decided(claim.trigger, proof.named) is False
        if is_never_triggered or decided(claim.condition, proof.named):
            yield claim.name


def _hold_everywhere(exploration: Exploration) -> Iterator[str]:
    """Yield the always-claims that are true in every state of a world and are not trivial there."""
    for verdict in exploration.judged:
        if verdict.claim.kind is ClaimKind.ALWAYS and verdict.result is Result.HOLDS:
            yield verdict.claim.name


def _standing(verdict: ClaimVerdict) -> Standing:
    is_sometimes = verdict.claim.kind is ClaimKind.SOMETIMES
    if verdict.is_empty:
        return Standing.SAYS_NOTHING
    if verdict.is_vacuous:
        return Standing.VACUOUS
    match verdict.result:
        case Result.HOLDS:
            return Standing.SEEN if is_sometimes else Standing.EXHAUSTIVE
        case Result.BROKEN:
            return Standing.UNSEEN if is_sometimes else Standing.BROKEN
        case Result.UNKNOWN:
            return Standing.UNKNOWN


def _are_all_worlds(proof: Proof, explored: Sequence[Exploration]) -> bool:
    """Return whether the explored worlds are all that a proof covers: never, if a number is open."""
    opened = proof.open_constants
    values = {tuple(dict(one.world.constants)[name] for name in opened) for one in explored}
    return all(proof.constants[name] is EITHER for name in opened) and len(values) == 2 ** len(opened)


def _breadth(proof: Proof) -> tuple[bool, int, int]:
    """Return what orders proofs by how much their graphs show."""
    induction = proof.induction
    return proof.for_any is not None, len(induction.dropped), sum(map(len, induction.leans_on.values()))


def _in_words(proofs: Sequence[Proof]) -> str:
    return worlds_in_words([proof.constants for proof in proofs])


def _cutoffs_in_words(known: Mapping[str, Sequence[Mapping[str, Cutoff]]]) -> Iterator[str]:
    """Yield sentences: how many elements of each set are enough to show every violation of these claims; or why it is
    unknown."""
    for index in dict.fromkeys(index for found in known.values() for one in found for index in one):
        said = {name: widest(one[index] for one in found) for name, found in known.items()}
        whys = [*dict.fromkeys(why for why in said.values() if isinstance(why, str))]
        most, numbered = widest(n for n in said.values() if isinstance(n, int)), set(said.values()) - set(whys)
        if numbered:
            of = _of([name for name, n in said.items() if isinstance(n, int)]) if whys else ""
            few = f"if a step breaks a claim with more elements, some step breaks it with {most}"
            yield f"At most {most} elements of {index!r} are needed to show every violation{of}: {few}."
        for why in whys:
            of = _of([name for name, n in said.items() if n == why]) if len(whys) > 1 or numbered else ""
            yield f"It is not known how many elements of {index!r} are needed to show every violation{of}: {why}."


def _of(names: Sequence[str]) -> str:
    return f" of {', '.join(names)}"


def _report_where(report: Callable[[str], None], where: str, said: str) -> None:
    report(where + said)


def _describe(constants: Constants, verdict: ClaimVerdict) -> str:
    return f"{verdict.sentence} for {world_in_words(constants)}"


def _failed(constants: Constants, failure: Failure) -> str:
    return f"{failure.sentence}, for {world_in_words(constants)}"


def _where(reached: Reached, proof: Proof) -> str:
    """Return a text: how many steps from the start, in which world, and with which values of open constants."""
    opened = {name: value for name, value in reached.world.constants if name in proof.open_constants}
    steps = f"{reached.length} {'step' if reached.length == 1 else 'steps'} from the start"
    return f"{steps if reached.length else 'at the start'} for {world_in_words({**proof.constants, **opened})}"


def _why(proof: Proof, claim: str) -> str:
    """Return why a claim is not proved: it is not inductive, or it is not known whether it is."""
    dropped, world = proof.dropped(claim), world_in_words(proof.constants)
    if dropped is None:
        gap = proof.gap(claim)
        assert gap is not None, "it is inductive, and not proved"
        return f"not shown for {world}: {gap.sentence}"
    step = f" ({dropped.event.action})" if dropped.event is not None else ""
    if dropped.reason is Reason.UNDECIDED:
        return f"not decided for {world}: {dropped.reason}{step}"
    return f"not inductive for {world}: {dropped.reason}{step}"
