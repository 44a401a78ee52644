"""How firmly claims and counts hold a specification.

Every guard and update is changed in one place at random; a change is caught when a claim's verdict, the failure, or a
count of the world differs, or when the specification no longer builds. What survives is listed: it is either a change
that means the same, or something that nothing watches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from gridproof_model.spec.declarations import Action
from gridproof_model.spec.errors import SpecificationError
from gridproof_model.spec.notation import Notation
from gridproof_model.spec.specification import Specification
from gridproof_model.spec.values import Plain
from gridproof_model.spec.variants import negated, variants
from gridproof_properties.explorer.exploration import Exploration
from gridproof_properties.explorer.explore import explore

LEAST_BYTES = 8 << 20


class CaughtBy(StrEnum):
    """What noticed a mutant first."""

    BUILD = "the language"
    FAILURE = "an undefined step or a deadlock"
    CLAIM = "a claim"
    COUNT = "a pinned count"


@dataclass(frozen=True, slots=True)
class Mutant:
    """A specification with one small change."""

    specification: Specification
    sentence: str
    at: str


@dataclass(frozen=True, slots=True)
class MutationScore:
    """What became of some mutants."""

    caught: tuple[tuple[Mutant, CaughtBy], ...]
    survivors: tuple[Mutant, ...]

    @property
    def share(self) -> float:
        """The share caught, from 0 to 1; 1 of no mutants at all."""
        total = len(self.caught) + len(self.survivors)
        return len(self.caught) / total if total else 1.0


def mutants(specification: Specification) -> Iterator[Mutant]:
    """Yield every specification that differs by one small change of a guard or update."""
    for number, action in enumerate(specification.actions):
        for changed, sentence, at in _changed_actions(action):
            mutant = copy(specification)
            mutant.actions = [*specification.actions[:number], changed, *specification.actions[number + 1 :]]
            yield Mutant(mutant, f"{action.name}: {sentence}", at)


def measure(
    specification: Specification, worlds: Sequence[Mapping[str, Plain]], dice: Random, sample: int
) -> MutationScore:
    """Return what a random sample of mutants came to.

    A mutant goes through the worlds (their constants) in the order given until one notices it; put small ones first.
    """
    every = list(mutants(specification))
    chosen = dice.sample(every, min(sample, len(every)))
    originals = [(constants, explore(specification.world(**constants))) for constants in worlds]
    fates = [(mutant, _fate(mutant, originals)) for mutant in chosen]
    return MutationScore(
        tuple((mutant, fate) for mutant, fate in fates if fate is not None),
        tuple(mutant for mutant, fate in fates if fate is None),
    )


def _fate(mutant: Mutant, originals: Sequence[tuple[Mapping[str, Plain], Exploration]]) -> CaughtBy | None:
    fates = (_fate_in(mutant.specification, constants, original) for constants, original in originals)
    return next((fate for fate in fates if fate is not None), None)


def _fate_in(mutant: Specification, constants: Mapping[str, Plain], original: Exploration) -> CaughtBy | None:
    memory_bytes = max(LEAST_BYTES, 4 * original.bytes_held)
    try:
        found = explore(mutant.world(**constants), memory_bytes=memory_bytes)
    except SpecificationError:
        return CaughtBy.BUILD
    if (found.failure is None) != (original.failure is None):
        return CaughtBy.FAILURE
    before, after = ([verdict.result for verdict in e.verdicts] for e in (original, found))
    if found.is_complete and before != after:
        return CaughtBy.CLAIM
    if (found.level_sizes, found.transitions) != (original.level_sizes, original.transitions):
        return CaughtBy.COUNT
    return None


def _changed_actions(action: Action) -> Iterator[tuple[Action, str, str]]:
    notation = Notation()
    for number, guard in enumerate(action.guards):
        rest = (action.guards[:number], action.guards[number + 1 :])
        yield replace(action, guards=rest[0] + rest[1]), f"without {notation.text(guard)}", action.at
        for variant in (negated(guard), *variants(guard)):
            guards = (*rest[0], variant, *rest[1])
            yield replace(action, guards=guards), f"when {notation.text(variant)}", action.at
    for number, update in enumerate(action.updates):
        before, after = action.updates[:number], action.updates[number + 1 :]
        yield replace(action, updates=before + after), f"without {notation.update(update)}", update.at
        for variant in variants(update.value):
            changed = replace(update, value=variant)
            yield replace(action, updates=(*before, changed, *after)), f"then {notation.update(changed)}", update.at


def describe(score: MutationScore) -> Sequence[str]:
    """Return the score in lines: the share, what caught how many, and every survivor with its line."""
    total = len(score.caught) + len(score.survivors)
    lines = [f"{len(score.caught)} of {total} mutants caught ({score.share:.1%})"]
    lines += [f"  by {way}: {sum(fate is way for _, fate in score.caught)}" for way in CaughtBy]
    return lines + [f"  survived: {mutant.sentence} ({mutant.at})" for mutant in score.survivors]
