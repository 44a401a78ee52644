"""The ledger: how well every claim is known to hold.

A row for every claim of a specification: proved, exhaustive up to a bound, broken, or open and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from functools import partial

from gridproof_model.spec import ANY_NUMBER, Claim, ClaimKind, Specification
from gridproof_model.spec.lower_world import lower
from gridproof_model.spec.lowered import LoweredWorld
from gridproof_properties.explorer import ClaimVerdict, Exploration, FailureKind, explore
from gridproof_properties.proofs.argument import Argument, Constants
from gridproof_properties.proofs.arguments import ARGUMENTS
from gridproof_properties.proofs.induction import Reason
from gridproof_properties.proofs.prove import Proof, prove
from gridproof_properties.verdict import Result

DEFINED = "every_step_is_defined"
"""The row beside the claims: no reachable step is undefined or leaves a domain."""


class Status(StrEnum):
    """How well a claim is known."""

    PROVED = "proved"
    """For every reachable state of every world named, however many; for a sometimes-claim: seen, and replayed."""
    EXHAUSTIVE = "exhaustive"
    """In every state of the worlds named."""
    OPEN = "open"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """What is known of one claim."""

    specification: str
    claim: str
    kind: ClaimKind
    sentence: str
    source: str
    status: Status
    detail: str
    """Where and how it is known; of an open claim, why it is open."""
    seconds: float
    """What it took, lemmas included; what several claims share counts for each."""
    counterexample: tuple[str, ...] = ()
    """Of a claim that is not inductive: a state, a step and what it changes, in the words of the specification."""

    def as_json(self) -> dict[str, object]:
        """Return the row as plain JSON values."""
        return {**asdict(self), "kind": self.kind.value, "status": self.status.value}


def ledger_rows(
    specification: Specification, *, progress: Callable[[str], None] | None = None
) -> tuple[LedgerRow, ...]:
    """Return a row for every claim of a specification, and one for its steps being defined."""
    return Evidence.gather(argument_of(specification), progress).rows()


def argument_of(specification: Specification) -> Argument:
    """Return the argument written for a specification, or one without lemmas about its default world."""
    known = (argument for argument in ARGUMENTS if argument.specification is specification)
    return next(known, None) or Argument(specification, proved_in=({},), explored_in=({},))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Everything that was found out about a specification.

    A claim about other worlds ("if leavers count for nothing …") says nothing here, and nothing here tells of it.
    """

    argument: Argument
    proofs: tuple[Proof, ...]
    explorations: tuple[tuple[Constants, Exploration], ...]
    empty_claims: frozenset[tuple[str, str]]
    """World, in words, and claim, where the claim is true whatever the state."""

    @classmethod
    def gather(cls, argument: Argument, progress: Callable[[str], None] | None = None) -> Evidence:
        """Prove and explore in every world that an argument names."""
        tell = progress or (lambda _: None)
        proofs: list[Proof] = []
        for constants in argument.proved_in:
            where = f"{argument.specification.name}, {world_in_words(constants)}: "
            proofs.append(prove(argument, constants, progress=partial(_told_where, tell, where)))
        explorations: list[tuple[Constants, Exploration]] = []
        for constants in argument.explored_in:
            tell(f"{argument.specification.name}, {world_in_words(constants)}: every state")
            explorations.append((constants, explore(argument.specification.world(**constants))))
        worlds = [(proof.constants, proof.world.lowered) for proof in proofs]
        worlds += [(constants, lower(exploration.world)) for constants, exploration in explorations]
        empty = frozenset((world_in_words(c), claim) for c, world in worlds for claim in _empty_claims(world))
        return cls(argument, tuple(proofs), tuple(explorations), empty)

    def rows(self) -> tuple[LedgerRow, ...]:
        """Return the ledger's rows: the claims in the order declared, then that steps are defined."""
        return (*map(self._row, self.argument.specification.claims), self._row_of_definedness())

    def _row(self, claim: Claim) -> LedgerRow:
        match claim.kind:
            case ClaimKind.ALWAYS:
                status, parts = self._always(claim)
            case ClaimKind.SOMETIMES:
                status, parts = self._sometimes(claim)
            case ClaimKind.EVENTUALLY:
                status, parts = self._explored(claim)
        name = self.argument.specification.name
        seconds = self._seconds(claim)
        detail = "; ".join(parts)
        shown = self._counterexample(claim) if claim.kind is ClaimKind.ALWAYS else ()
        return LedgerRow(name, claim.name, claim.kind, claim.sentence, claim.source, status, detail, seconds, shown)

    def _counterexample(self, claim: Claim) -> tuple[str, ...]:
        failed = (proof for proof in self.proofs if not proof.is_proved(claim.name))
        shown = (proof.counterexample(claim.name) for proof in failed)
        return next((counterexample.lines() for counterexample in shown if counterexample is not None), ())

    def _always(self, claim: Claim) -> tuple[Status, list[str]]:
        explored, parts = self._explored(claim)
        telling = [p for p in self.proofs if (world_in_words(p.constants), claim.name) not in self.empty_claims]
        proved = [proof for proof in telling if proof.is_proved(claim.name)]
        others = [proof for proof in telling if not proof.is_proved(claim.name)]
        reasons = [f"not inductive for {world_in_words(p.constants)}: {_why(p, claim.name)}" for p in others]
        how = [f"by induction for {_in_words_together(proved)}{self._lemmas(proved, claim.name)}"] if proved else []
        if explored is Status.BROKEN:
            return explored, parts
        if proved and not others:
            return Status.PROVED, how
        return explored, [*how, *parts, *reasons]

    def _sometimes(self, claim: Claim) -> tuple[Status, list[str]]:
        verdicts = list(self._verdicts(claim.name))
        seen = [(constants, verdict) for constants, verdict in verdicts if verdict.result is Result.HOLDS]
        if seen:
            constants, verdict = min(seen, key=lambda pair: len(pair[1].witness))
            return Status.PROVED, [f"{verdict.sentence} for {world_in_words(constants)}"]
        is_certain = bool(verdicts) and all(verdict.result is Result.BROKEN for _, verdict in verdicts)
        return (Status.BROKEN if is_certain else Status.OPEN), [_told(*pair) for pair in verdicts] or [_UNSEEN]

    def _explored(self, claim: Claim) -> tuple[Status, list[str]]:
        verdicts = list(self._verdicts(claim.name))
        parts = [_told(*pair) for pair in verdicts]
        results = {verdict.result for _, verdict in verdicts}
        if Result.BROKEN in results:
            return Status.BROKEN, [_told(*pair) for pair in verdicts if pair[1].result is Result.BROKEN]
        if results == {Result.HOLDS}:
            return Status.EXHAUSTIVE, parts
        return Status.OPEN, parts or [_UNSEEN]

    def _row_of_definedness(self) -> LedgerRow:
        failed = [(c, f) for c, e in self.explorations for f in e.failures if f.kind is not FailureKind.DEADLOCK]
        unsure = [proof for proof in self.proofs if proof.may_be_undefined is not None]
        if failed:
            status, parts = Status.BROKEN, [f"{f.sentence}, for {world_in_words(c)}" for c, f in failed]
        elif self.proofs and not unsure:
            status, parts = Status.PROVED, [f"by the invariant for {_in_words_together(list(self.proofs))}"]
        else:
            complete = bool(self.explorations) and all(e.is_complete for _, e in self.explorations)
            status = Status.EXHAUSTIVE if complete else Status.OPEN
            parts = [f"in all {e.states:,} states for {world_in_words(c)}" for c, e in self.explorations]
            parts += [f"the invariant does not rule it out of {proof.may_be_undefined}" for proof in unsure]
        sentence = "Every step that may happen means something and keeps every variable in its domain."
        source = "the language: updates keep their domains"
        seconds = sum(proof.seconds for proof in self.proofs)
        name = self.argument.specification.name
        return LedgerRow(name, DEFINED, ClaimKind.ALWAYS, sentence, source, status, "; ".join(parts), seconds)

    def _verdicts(self, claim: str) -> Iterator[tuple[Constants, ClaimVerdict]]:
        for constants, exploration in self.explorations:
            if (world_in_words(constants), claim) not in self.empty_claims:
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


def world_in_words(constants: Constants) -> str:
    """Return a world by what is not default: `size 3`, `any number of writes`, `the default constants`."""
    opened = [name for name, value in constants.items() if value is ANY_NUMBER]
    fixed = [f"{name} {getattr(value, 'value', value)}" for name, value in constants.items() if value is not ANY_NUMBER]
    unbounded = [f"any number of {', '.join(opened)}"] if opened else []
    return " and ".join([*([", ".join(fixed)] if fixed else []), *unbounded]) or "the default constants"


def _in_words_together(proofs: list[Proof]) -> str:
    """Return worlds in words; what all of them leave open is said once."""
    if len({frozenset(proof.open_constants) for proof in proofs}) > 1:
        return " / ".join(world_in_words(proof.constants) for proof in proofs)
    fixed = ({name: v for name, v in proof.constants.items() if v is not ANY_NUMBER} for proof in proofs)
    opened = dict.fromkeys(proofs[0].open_constants, ANY_NUMBER)
    return " / ".join(map(world_in_words, fixed)) + (f", and {world_in_words(opened)}" if opened else "")


def _told_where(tell: Callable[[str], None], where: str, said: str) -> None:
    tell(where + said)


def _told(constants: Constants, verdict: ClaimVerdict) -> str:
    return f"{verdict.sentence} for {world_in_words(constants)}"


def _why(proof: Proof, claim: str) -> str:
    dropped = proof.dropped(claim)
    step = f" ({dropped.event.action})" if dropped.event is not None else ""
    return "it is false at the start" if dropped.reason is Reason.FALSE_AT_THE_START else f"{dropped.reason}{step}"
