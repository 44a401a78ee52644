"""The ledger: how well every claim is known to hold.

A row for every claim of a specification: proved, exhaustive up to a bound, seen, broken, or open and why. Each names
the worlds it is known in. What an argument proves in one world and explores in another is not known in a third that
it names as well: such a claim counts as open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from gridproof_model.language import Claim, ClaimKind, Specification
from gridproof_model.language.lower_world import lower
from gridproof_model.language.lowered import LoweredWorld
from gridproof_properties.claims.ledger_row import LedgerRow, Standing, Status, covers, world_in_words, worlds_in_words
from gridproof_properties.explorer import ClaimVerdict, Exploration, Failure, FailureKind, explore
from gridproof_properties.judging.verdict import Result
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.arguments import ARGUMENTS
from gridproof_properties.proofs.induction import Reason
from gridproof_properties.proofs.prove import Proof, prove

DEFINED = "every_step_is_defined"
"""The row beside the claims: no reachable step is undefined or leaves a domain."""
GOES_ON = "it_goes_on_or_may_stop"
"""The row beside the claims: no state is a deadlock."""

Found = tuple[Status, list[str]]
"""A status, and where and how it is known."""


def ledger_rows(
    specification: Specification,
    argument: Argument | None = None,
    *,
    progress: Callable[[str], None] | None = None,
) -> tuple[LedgerRow, ...]:
    """Return a row for every claim, one for its steps being defined, and one for its going on.

    Without an argument it is the one written for the specification.
    """
    return Evidence.gather(argument or argument_of(specification), progress).rows()


def argument_of(specification: Specification) -> Argument:
    """Return the argument written for a specification, or one without lemmas about its default world."""
    known = (argument for argument in ARGUMENTS if argument.specification is specification)
    return next(known, None) or Argument(specification, proved_in=({},), explored_in=({},))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that was found out about a specification.

    A claim about other worlds ("if leavers count for nothing …") says nothing here, and nothing here speaks of it.
    """

    argument: Argument
    proofs: tuple[Proof, ...]
    explorations: tuple[tuple[Constants, Exploration], ...]
    empty_claims: frozenset[tuple[str, str]]
    """World, in words, and claim, where the claim is true whatever the state."""

    @classmethod
    def gather(cls, argument: Argument, progress: Callable[[str], None] | None = None) -> Evidence:
        """Prove and explore in every world that an argument names."""
        report = progress or (lambda _: None)
        proofs: list[Proof] = []
        for constants in argument.proved_in:
            where = f"{argument.specification.name}, {world_in_words(constants)}: "
            proofs.append(prove(argument, constants, progress=partial(_report_where, report, where)))
        unproved = [lemma.name for lemma in argument.lemmas if not all(proof.is_proved(lemma.name) for proof in proofs)]
        explorations: list[tuple[Constants, Exploration]] = []
        for constants in argument.explored_in:
            report(f"{argument.specification.name}, {world_in_words(constants)}: every state")
            explorations.append((constants, explore(argument.world(constants, only=unproved))))
        worlds = [(proof.constants, proof.world.lowered) for proof in proofs]
        worlds += [(constants, lower(exploration.world)) for constants, exploration in explorations]
        empty = frozenset((world_in_words(c), claim) for c, world in worlds for claim in _empty_claims(world))
        return cls(argument, tuple(proofs), tuple(explorations), empty)

    def rows(self) -> tuple[LedgerRow, ...]:
        """Return the ledger's rows: the claims in the order declared, then that steps are defined and it goes on."""
        return (
            *map(self._row, self.argument.specification.claims),
            self._row_of_definedness(),
            self._row_of_going_on(),
        )

    def lemma_rows(self) -> tuple[LedgerRow, ...]:
        """Return a row for every lemma: proved, or why it is not. None of them is a promise."""
        return tuple(map(self._row, self.argument.lemmas))

    def _row(self, claim: Claim) -> LedgerRow:
        match claim.kind:
            case ClaimKind.ALWAYS:
                status, parts = self._always(claim)
            case ClaimKind.SOMETIMES:
                status, parts = self._sometimes(claim)
            case ClaimKind.EVENTUALLY:
                status, parts = self._explored(claim, self._deciding(claim))
        shown = self._counterexample(claim) if claim.kind is ClaimKind.ALWAYS else ()
        worlds = tuple(self._standings(claim))
        name, seconds, detail = self.argument.specification.name, self._seconds(claim), "; ".join(parts)
        kind, sentence, source = claim.kind, claim.sentence, claim.source
        return LedgerRow(name, claim.name, kind, sentence, source, status, detail, seconds, shown, worlds)

    def _counterexample(self, claim: Claim) -> tuple[str, ...]:
        failed = (proof for proof in self.proofs if not proof.is_proved(claim.name))
        shown = (proof.counterexample(claim.name) for proof in failed)
        return next((counterexample.lines() for counterexample in shown if counterexample is not None), ())

    def _deciding(self, claim: Claim) -> list[Proof]:
        """Return the proofs in whose worlds a claim says something."""
        return [p for p in self.proofs if (world_in_words(p.constants), claim.name) not in self.empty_claims]

    def _always(self, claim: Claim) -> Found:
        deciding = self._deciding(claim)
        proved = [proof for proof in deciding if proof.is_proved(claim.name)]
        others = [proof for proof in deciding if not proof.is_proved(claim.name)]
        status, parts = self._explored(claim, others)
        if status is Status.BROKEN:
            return status, parts
        how = [f"by induction for {_in_words(proved)}{self._lemmas(proved, claim.name)}"] if proved else []
        if proved and not others:
            return Status.PROVED, [*how, *self._vacuous_everywhere(claim)]
        reasons = [f"not inductive for {world_in_words(p.constants)}: {_why(p, claim.name)}" for p in others]
        return status, [*how, *parts, *reasons]

    def _sometimes(self, claim: Claim) -> Found:
        verdicts = list(self._verdicts(claim.name))
        seen = [(constants, verdict) for constants, verdict in verdicts if verdict.result is Result.HOLDS]
        if seen:
            constants, verdict = min(seen, key=lambda pair: len(pair[1].witness))
            return Status.SEEN, [f"{verdict.sentence} for {world_in_words(constants)}"]
        is_certain = bool(verdicts) and all(verdict.result is Result.BROKEN for _, verdict in verdicts)
        return (Status.BROKEN if is_certain else Status.OPEN), [_describe(*pair) for pair in verdicts] or [_UNSEEN]

    def _explored(self, claim: Claim, unproved: Sequence[Proof]) -> Found:
        """Return what explorations say of a claim, given the worlds where no proof does."""
        verdicts = list(self._verdicts(claim.name))
        broken = [_describe(*pair) for pair in verdicts if pair[1].result is Result.BROKEN]
        if broken:
            return Status.BROKEN, broken
        parts = [_describe(*pair) for pair in verdicts]
        tested = [pair for pair in verdicts if not pair[1].is_vacuous]
        if not tested or any(verdict.result is not Result.HOLDS for _, verdict in verdicts):
            return Status.OPEN, parts or [_UNSEEN]
        return self._unless_left_out(parts, unproved, claim)

    def _unless_left_out(self, parts: list[str], unproved: Sequence[Proof], claim: Claim | None = None) -> Found:
        """Return exhaustive, or partly where a world that proofs speak of was not explored for any open number."""
        left_out = [proof for proof in unproved if not self._is_explored(proof, claim)]
        if not left_out:
            return Status.EXHAUSTIVE, parts
        return Status.PARTLY, [*parts, f"not looked at for {_in_words(left_out)}"]

    def _is_explored(self, proof: Proof, claim: Claim | None) -> bool:
        """Return whether a world of those a proof speaks of was explored, and something there tests the claim."""
        named = dict(proof.world.lowered.world.constants)
        found = (e for _, e in self.explorations if covers(dict(e.world.constants), named))
        return any(claim is None or e.verdict(claim.name) in e.tested for e in found)

    def _vacuous_everywhere(self, claim: Claim) -> list[str]:
        verdicts = list(self._verdicts(claim.name))
        is_vacuous = bool(verdicts) and all(verdict.is_vacuous for _, verdict in verdicts)
        return [f"nothing tests it for {world_in_words(constants)}" for constants, _ in verdicts] if is_vacuous else []

    def _standings(self, claim: Claim) -> Iterator[tuple[str, Standing]]:
        """Yield every world with what is known of a claim there: first those of proofs, then those explored."""
        for proof in self.proofs:
            world = world_in_words(proof.constants)
            if (world, claim.name) in self.empty_claims:
                yield world, Standing.SAYS_NOTHING
            elif claim.kind is ClaimKind.ALWAYS:
                yield world, Standing.PROVED if proof.is_proved(claim.name) else Standing.NOT_INDUCTIVE
            elif not self._is_explored(proof, None):
                yield world, Standing.UNTRIED
        for constants, exploration in self.explorations:
            if exploration.has_verdict(claim.name):
                yield world_in_words(constants), _standing(exploration.verdict(claim.name))

    def _row_of_definedness(self) -> LedgerRow:
        failed = [(c, f) for c, e in self.explorations for f in e.failures if f.kind is not FailureKind.DEADLOCK]
        unsure = [proof for proof in self.proofs if proof.may_be_undefined is not None]
        reasons = [f"the invariant does not rule it out of {proof.may_be_undefined}" for proof in unsure]
        sentence = "Every step that may happen means something and keeps every variable in its domain."
        return self._row_beside(DEFINED, sentence, "the language: updates keep their domains", failed, unsure, reasons)

    def _row_of_going_on(self) -> LedgerRow:
        failed = [(c, f) for c, e in self.explorations for f in e.failures if f.kind is FailureKind.DEADLOCK]
        unsure = [proof for proof in self.proofs if not proof.goes_on]
        reasons = [f"the invariant does not show it for {_in_words(unsure)}"] if unsure else []
        sentence = "Where nothing can happen any more, the specification may stop."
        return self._row_beside(GOES_ON, sentence, "the language: may_stop", failed, unsure, reasons)

    def _row_beside(
        self,
        name: str,
        sentence: str,
        source: str,
        failed: Sequence[tuple[Constants, Failure]],
        unsure: Sequence[Proof],
        reasons: Sequence[str],
    ) -> LedgerRow:
        if failed:
            status, parts = Status.BROKEN, [f"{f.sentence}, for {world_in_words(c)}" for c, f in failed]
        elif self.proofs and not unsure:
            status, parts = Status.PROVED, [f"by the invariant for {_in_words(self.proofs)}"]
        else:
            parts = [
                f"in all {e.states:,} states for {world_in_words(c)}" for c, e in self.explorations if e.is_complete
            ]
            is_whole = bool(parts) and len(parts) == len(self.explorations)
            status, parts = self._unless_left_out(parts, unsure) if is_whole else (Status.OPEN, parts)
            parts = [*parts, *reasons]
        seconds = sum(proof.seconds for proof in self.proofs)
        specification = self.argument.specification.name
        return LedgerRow(specification, name, ClaimKind.ALWAYS, sentence, source, status, "; ".join(parts), seconds)

    def _verdicts(self, claim: str) -> Iterator[tuple[Constants, ClaimVerdict]]:
        """Yield what explorations say of a claim, where it says something; lemmas that are proved were not explored."""
        for constants, exploration in self.explorations:
            if (world_in_words(constants), claim) not in self.empty_claims and exploration.has_verdict(claim):
                yield constants, exploration.verdict(claim)

    def _lemmas(self, proofs: list[Proof], claim: str) -> str:
        lemmas = {lemma.name for lemma in self.argument.lemmas}
        used = {name for p in proofs if claim in p.induction.inductive for name in p.induction.support(claim)}
        back = max((proof.steps_back.get(claim, 1) for proof in proofs), default=1)
        over = f", over {back} steps at once" if back > 1 else ""
        # Not how many: Z3's reasons may differ from one process to the next.
        return over + (", with lemmas" if used & lemmas else "")

    def _seconds(self, claim: Claim) -> float:
        if claim.kind is not ClaimKind.ALWAYS:
            return sum(exploration.seconds for _, exploration in self.explorations)
        return sum(
            proof.induction.seconds.get(name, 0.0)
            for proof in self.proofs
            for name in {claim.name, *(proof.induction.support(claim.name) if proof.is_proved(claim.name) else ())}
        )


_UNSEEN = "no world that it speaks of is explored"


def _empty_claims(world: LoweredWorld) -> Iterator[str]:
    """Yield the claims that are true in every state of a world, reachable or not."""
    for lowered in world.claims:
        if lowered.is_empty:
            yield lowered.claim.name


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


def _in_words(proofs: Sequence[Proof]) -> str:
    return worlds_in_words([proof.constants for proof in proofs])


def _report_where(report: Callable[[str], None], where: str, said: str) -> None:
    report(where + said)


def _describe(constants: Constants, verdict: ClaimVerdict) -> str:
    return f"{verdict.sentence} for {world_in_words(constants)}"


def _why(proof: Proof, claim: str) -> str:
    dropped = proof.dropped(claim)
    step = f" ({dropped.event.action})" if dropped.event is not None else ""
    return "it is false at the start" if dropped.reason is Reason.FALSE_AT_THE_START else f"{dropped.reason}{step}"
