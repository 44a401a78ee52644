"""How firmly claims and counts hold a specification.

A mutant is one slip in the text of the actions: in a guard, an update, or a definition that actions use. What several
actions share, an update or a definition, changes in all of them, a definition in claims too. It is killed when a
claim's verdict, the failure, or a count of a world differs, or when the specification no longer builds. What survives
is listed: it is either a change that means the same, or something that nothing watches.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from gridproof_model.language.decided import negated
from gridproof_model.language.declarations import Action
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.notation import Notation
from gridproof_model.language.specification import Specification
from gridproof_model.language.tree import Applied, Constant, Node, Operation, Quantified, walk
from gridproof_model.language.values import Plain
from gridproof_properties.explorer.exploration import Exploration
from gridproof_properties.explorer.explore import explore
from gridproof_properties.explorer.search import Progress
from gridproof_properties.judging.verdict import Result
from suite.slips.variants import Place, Redefinition, placed_variants, slip, variants

SPARE_STATES = 20_000
"""A mutant with four times the states of its original and so many more is not followed further."""


class KilledBy(StrEnum):
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
    only_in: frozenset[str] | None
    """The actions that it changes an update of: it makes no difference where they never happen. Else None."""


@dataclass(frozen=True, slots=True)
class MutationScore:
    """What became of some mutants."""

    killed: tuple[tuple[Mutant, KilledBy], ...]
    survivors: tuple[Mutant, ...]

    @property
    def share(self) -> float:
        """The share killed, from 0 to 1; 1 of no mutants at all."""
        total = len(self.killed) + len(self.survivors)
        return len(self.killed) / total if total else 1.0


def mutants(specification: Specification) -> Iterator[Mutant]:
    """Yield every specification that differs by one small change of a guard, an update or a definition."""
    yield from _guard_mutants(specification)
    yield from _update_mutants(specification)
    nodes = (node for action in specification.actions for node in _nodes(action))
    used = {part.name for node in nodes for part in walk(node) if isinstance(part, Applied)}
    for definition in specification.definitions:
        if definition.name in used:
            for variant in variants(definition.body):
                sentence = f"{definition.name}: {_describe_slip(definition.body, variant)}"
                yield Mutant(_redefined(specification, definition.name, variant), sentence, definition.at, None)


def measure(
    specification: Specification, worlds: Sequence[Mapping[str, Plain]], dice: Random, sample: int
) -> MutationScore:
    """Return what a random sample of mutants came to.

    A mutant goes through the worlds (their constants) in the order given until one notices it; put small ones first.
    """
    every = list(mutants(specification))
    chosen = dice.sample(every, min(sample, len(every)))
    originals = [explore(specification.world(**constants), stories=False) for constants in worlds]
    fates = [(mutant, fate(mutant, originals)) for mutant in chosen]
    return MutationScore(
        tuple((mutant, killed) for mutant, killed in fates if killed is not None),
        tuple(mutant for mutant, killed in fates if killed is None),
    )


def fate(mutant: Mutant, originals: Sequence[Exploration]) -> KilledBy | None:
    """Return what notices a mutant first, world by world; None when nothing does."""
    fates = (_fate_in(mutant, original) for original in originals if _may_differ(mutant, original))
    return next((killed for killed in fates if killed is not None), None)


def _may_differ(mutant: Mutant, original: Exploration) -> bool:
    return mutant.only_in is None or any(row.fired for row in original.coverage if row.action in mutant.only_in)


def _fate_in(mutant: Mutant, original: Exploration) -> KilledBy | None:
    constants = dict(original.world.constants)
    try:
        found = explore(mutant.specification.world(**constants), progress=_stop_past(original), stories=False)
    except SpecificationError:
        return KilledBy.BUILD
    except _GrewError:
        return KilledBy.COUNT
    if (found.failure is None) != (original.failure is None):
        return KilledBy.FAILURE
    before, after = ([verdict.result for verdict in e.verdicts] for e in (original, found))
    if any(Result.UNKNOWN not in pair and pair[0] != pair[1] for pair in zip(before, after, strict=True)):
        return KilledBy.CLAIM
    if (found.states, found.transitions, found.depth) != (original.states, original.transitions, original.depth):
        return KilledBy.COUNT
    return None


class _GrewError(Exception):
    """A mutant has far more states than its original."""


def _stop_past(original: Exploration) -> Callable[[Progress], None]:
    def stop(progress: Progress) -> None:
        if progress.states > 4 * original.states + SPARE_STATES:
            raise _GrewError

    return stop


def _guard_mutants(specification: Specification) -> Iterator[Mutant]:
    for number, action in enumerate(specification.actions):
        for place, guard in enumerate(action.guards):
            before, after = action.guards[:place], action.guards[place + 1 :]
            opposite = negated(guard)
            others = [opposite, *(variant for variant in variants(guard) if variant != opposite)]
            changes = [(f"without {Notation().text(guard)}", before + after)]
            changes += [(f"when {_describe_slip(guard, other)}", (*before, other, *after)) for other in others]
            for sentence, guards in changes:
                mutant = _with_actions(specification, {number: replace(action, guards=guards)})
                yield Mutant(mutant, f"{action.name}: {sentence}", action.at, None)


def _update_mutants(specification: Specification) -> Iterator[Mutant]:
    """Yield a mutant for every slip in an update's text, made wherever actions share that text."""
    slips: dict[tuple[str, Place, str], dict[int, tuple[Action, str]]] = {}
    for number, action in enumerate(specification.actions):
        for at, place, kind, changed, sentence in _changed_updates(action):
            slips.setdefault((at, place, kind), {})[number] = changed, f"{action.name}: {sentence}"
    for (at, _, _), changes in slips.items():
        mutant = _with_actions(specification, {number: changed for number, (changed, _) in changes.items()})
        sentence = next(sentence for _, sentence in changes.values())
        others = f" (and {len(changes) - 1} more)" if len(changes) > 1 else ""
        yield Mutant(mutant, sentence + others, at, frozenset(changed.name for changed, _ in changes.values()))


def _changed_updates(action: Action) -> Iterator[tuple[str, Place, str, Action, str]]:
    """Yield line, place and kind of every slip, what it makes of the action, and its sentence.

    The kind distinguishes what two actions hand to a function that both share, should it stand in the same place.
    """
    notation = Notation()
    for number, update in enumerate(action.updates):
        before, after = action.updates[:number], action.updates[number + 1 :]
        in_line = sum(earlier.at == update.at for earlier in before)
        yield (
            update.at,
            (in_line,),
            "left out",
            replace(action, updates=before + after),
            f"without {notation.update(update)}",
        )
        for place, variant in placed_variants(update.value):
            changed = replace(action, updates=(*before, replace(update, value=variant), *after))
            sentence = f"{notation.text(update.target)} becomes {_describe_slip(update.value, variant)}"
            yield update.at, (in_line, *place), _kind(slip(update.value, variant)[0]), changed, sentence


def _kind(node: Node) -> str:
    match node:
        case Operation(operator=operator):
            return operator
        case Quantified(quantifier=quantifier):
            return quantifier
        case Constant(value=value):
            return repr(value)
        case _:
            return type(node).__name__


def _with_actions(specification: Specification, changed: Mapping[int, Action]) -> Specification:
    mutant = copy(specification)
    mutant.actions = [changed.get(number, action) for number, action in enumerate(specification.actions)]
    return mutant


def _redefined(specification: Specification, name: str, body: Node) -> Specification:
    new = Redefinition(name, body)
    mutant = copy(specification)
    mutant.actions = [
        replace(
            action,
            guards=tuple(map(new.of, action.guards)),
            updates=tuple(replace(u, target=new.of(u.target), value=new.of(u.value)) for u in action.updates),
        )
        for action in specification.actions
    ]
    mutant.claims = [
        replace(
            claim, condition=new.of(claim.condition), trigger=None if claim.trigger is None else new.of(claim.trigger)
        )
        for claim in specification.claims
    ]
    if specification.stopping is not None:
        mutant.stopping = replace(specification.stopping, condition=new.of(specification.stopping.condition))
    return mutant


def _nodes(action: Action) -> Iterator[Node]:
    yield from action.guards
    for update in action.updates:
        yield from (update.target, update.value)


def _describe_slip(before: Node, after: Node) -> str:
    notation = Notation()
    old, new = slip(before, after)
    return f"{notation.text(new)}, for {notation.text(old)}"
