"""Measures how well claims and pinned counts detect the mutants of a specification.

A mutant has one slip in the text of the actions: in a guard, in an update, or in a definition that actions use. A slip
in an update, or in a definition, that several actions share changes all these actions; a slip in a definition also
changes the claims that use the definition. A mutant is killed if the verdict on a claim, the failure, or a count of a
world differs from the original's, or if the specification can no longer be built. Survivors are listed: either the
changed text means the same, or nothing checks what it says.

A slip is a small change to an expression. Each variant differs from the original in one place, as by a mistake of the
author: a connective, a comparison or a quantifier is exchanged, a number is off by one, another member of an
enumeration is used, or a truth value is negated. A slip in a definition is a single slip, wherever the definition is
used: `Redefinition` puts it into every use.

The mutants of each specification are tried in several worlds: in small worlds first, as most mutants are killed there;
later worlds allow events that are impossible in earlier worlds. The counts of the worlds are pinned, so that a mutant
that changes a count is killed by a test.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from enum import StrEnum
from random import Random

from gridproof_model.language.declarations import Action
from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import Int, OneOf
from gridproof_model.language.notation import Notation
from gridproof_model.language.specification import Specification
from gridproof_model.language.tree import (
    Applied,
    Constant,
    If,
    Node,
    Operation,
    Operator,
    Quantified,
    Quantifier,
    children,
    walk,
    with_children,
)
from gridproof_model.language.values import Plain
from gridproof_model.language.world import negated
from gridproof_model.specifications.replication import ANY_TABLES, FOUR_MEMBERS, Transfer
from gridproof_properties.explorer.exploration import Exploration
from gridproof_properties.explorer.explore import explore
from gridproof_properties.explorer.search import Progress
from gridproof_properties.judging.verdict import Result

_EXCHANGED = {
    Operator.AND: Operator.OR,
    Operator.OR: Operator.AND,
    Operator.LESS: Operator.AT_MOST,
    Operator.AT_MOST: Operator.LESS,
    Operator.ADD: Operator.SUBTRACT,
    Operator.SUBTRACT: Operator.ADD,
    Operator.SMALLER: Operator.LARGER,
    Operator.LARGER: Operator.SMALLER,
}
_TURNED = {
    Quantifier.ALL: Quantifier.SOME,
    Quantifier.SOME: Quantifier.ALL,
    Quantifier.LEAST: Quantifier.GREATEST,
    Quantifier.GREATEST: Quantifier.LEAST,
}
_ORDERED = (Operator.LESS, Operator.AT_MOST, Operator.SUBTRACT, Operator.IMPLIES)


Place = tuple[int, ...]
"""The place of a slip: the index of a part, of a part in that part and so on, and last the index of the slip there."""


def variants(node: Node) -> Iterator[Node]:
    """Yield every expression that differs from this expression by one slip."""
    return (variant for _, variant in placed_variants(node))


def placed_variants(node: Node) -> Iterator[tuple[Place, Node]]:
    """Yield every variant, with the place of its slip."""
    for number, variant in enumerate(_here(node)):
        yield (number,), variant
    parts = children(node)
    for number, part in enumerate(parts):
        for place, variant in placed_variants(part):
            yield (number, *place), with_children(node, (*parts[:number], variant, *parts[number + 1 :]))


def slip(before: Node, after: Node) -> tuple[Node, Node]:
    """Return the smallest parts in which an expression and a variant of it differ."""
    olds, news = children(before), children(after)
    if len(olds) == len(news) and with_children(before, news) == after:
        differing = [(old, new) for old, new in zip(olds, news, strict=True) if old != new]
        if len(differing) == 1:
            return slip(*differing[0])
    return before, after


class Redefinition:
    """Replaces the body of one definition in expressions, wherever they or other definitions use the definition."""

    def __init__(self, name: str, body: Node) -> None:
        self._name = name
        self._body = body
        # Definitions share bodies: each body is changed once, and the old node is kept so that its id is not reused.
        self._known: dict[int, tuple[Node, Node]] = {}

    def of(self, node: Node) -> Node:
        """Return an expression with the new definition; if it does not use the definition, return the same object."""
        if id(node) not in self._known:
            self._known[id(node)] = node, self._redefined(node)
        return self._known[id(node)][1]

    def _redefined(self, node: Node) -> Node:
        parts = children(node)
        changed = tuple(map(self.of, parts))
        if any(new is not old for new, old in zip(changed, parts, strict=True)):
            node = with_children(node, changed)
        if not isinstance(node, Applied):
            return node
        body = self._body if node.name == self._name else self.of(node.body)
        return node if body is node.body else replace(node, body=body)


def _here(node: Node) -> Iterator[Node]:
    match node:
        case Constant(value=bool(value)):
            yield replace(node, value=not value)
        case Constant(value=int(value), domain=Int()):
            yield from (replace(node, value=value + 1), replace(node, value=value - 1))
        case Constant(value=value, domain=OneOf(choices=choices)):
            members = list(choices.__members__.values())
            if value in members and len(members) > 1:
                yield replace(node, value=members[(members.index(value) + 1) % len(members)])
        case Operation(operator=Operator.NOT, operands=(inner,)):
            yield inner
        case Operation(operator=operator, operands=operands):
            if operator in _EXCHANGED:
                yield replace(node, operator=_EXCHANGED[operator])
            if operator in _ORDERED:
                yield replace(node, operands=operands[::-1])
            if operator in (Operator.EQUAL, Operator.IS_NONE):
                yield negated(node)
        case Quantified(quantifier=quantifier) if quantifier in _TURNED:
            yield replace(node, quantifier=_TURNED[quantifier])
        case If():
            yield replace(node, then=node.otherwise, otherwise=node.then)
        case _:
            return


SPARE_STATES = 20_000
"""The exploration of a mutant stops at four times as many states as the original has, plus this number."""


class KilledBy(StrEnum):
    """Which check noticed a mutant first."""

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
    """For a changed update, the actions that have it: where they never happen, nothing differs. Else None."""


@dataclass(frozen=True, slots=True)
class MutationScore:
    """How many mutants were tried, and which survived."""

    killed: tuple[tuple[Mutant, KilledBy], ...]
    survivors: tuple[Mutant, ...]

    @property
    def share(self) -> float:
        """The share of killed mutants, from 0 to 1; 1 if there are no mutants."""
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
    """Return the score of a random sample of mutants.

    A mutant is tried in the worlds (given by their constants), in order, until one kills it; put small worlds first.
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
    """Return the check that notices a mutant first, trying world by world; None if no check does."""
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
    """Raised if a mutant has far more states than its original."""


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
    """Yield a mutant for every slip that can be made in an update's text, in all actions that share the text."""
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
    """Yield for every slip the line, the place and the kind, the changed action, and a sentence on the slip.

    The kind distinguishes the different values that two actions pass, at the same place, to a shared function.
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


Worlds = tuple[dict[str, Plain], ...]

_ONCE: dict[str, Plain] = {"attempts": 1, "retries": 1, "handlings": 1}
_NO_OTHER_KINDS: dict[str, Plain] = {
    "waiting_operations": False,
    "other_refusals": False,
    "last_steps": False,
    "departures": False,
}
_TWO_SNAPSHOTS: dict[str, Plain] = {
    "at_once": True, "members": 3, "snapshots": 2, "ids": 2, "writes": 5, "removals": 0, "stops": 0,
}  # fmt: skip

_LATE: dict[str, Plain] = {"late": True, "suspicions": 1, "losses": 0, "watched_write": 1}
_ANY_TWO: dict[str, Plain] = {**ANY_TABLES, "members": 2, "backups": 1, "losses": 0}
_ONE_WRITE: dict[str, Plain] = {"writes": 1, "watched_write": 1}
_IN_LANES: dict[str, Plain] = {"in_order": True, "urgent_first": True}
MUTATION_WORLDS: dict[str, Worlds] = {
    "two_phase_commit": ({"size": 3},),
    "ownership": (
        {"members": 2, "orders": 0},
        {"orders": 0, "remembers": False},
        {"backups": 2, "groups": 3},
        {"any_way": True, "members": 2, "orders": 0, "changes": 1, "edits": 2, "losses": 1},
        {"lites": 1, "leaves": 1, "orders": 0, "endings": 0},
        {"leaves": 1, "endings": 0},
        {"any_way": True, "members": 2, "changes": 0, "edits": 2},
        {"members": 2, "leaves": 2, "orders": 0},
        {"newcomers": 1, "orders": 0},
        {"doubts": 1, "endings": 0, "losses": 1},
        {},
        {"migrations": 2, "failures": 1},
        {"any_way": True, "members": 2, "doubts": 1, "freezes": True},
        {"doubts": 1},
    ),
    "replication": (
        {"transfer": Transfer.OPERATION, "members": 2, "backups": 1, "losses": 1, "endings": 0, "mail_capacity": 3},
        {**_ANY_TWO, **_ONE_WRITE, **_IN_LANES, "moves": 0, "checks": 2, "endings": 0},
        {"members": 5, "backups": 3, "mail_capacity": 1, **_ONE_WRITE, "losses": 0, "migrations": 1},
        {**FOUR_MEMBERS, **_ONE_WRITE, "losses": 0, "endings": 2, "refusals": 2},
        {"members": 4, "backups": 3, "mail_capacity": 1, **_ONE_WRITE, "losses": 1, "migrations": 1},
        {**_LATE, "backups": 1, "migrations": 1},
        {**_ANY_TWO, **_ONE_WRITE, "changes": 0},
        {**_ANY_TWO, **_ONE_WRITE, "endings": 0},
        _LATE,
        {},
        {"members": 3, "sync_backups": 2, "watched_write": 1, "losses": 1},
        {"members": 3, "entries_held": 2, "backups": 1, "losses": 1, "migrations": 1},
        {**_LATE, "backups": 1, "migrations": 1, "in_order": False, "urgent_first": False, "repeats": 1},
        {**_ANY_TWO, "watched_write": 1, "changes": 2, "checks": 0, "refusals": 0, "endings": 0},
        {**_ANY_TWO, "watched_write": 1},
        {**_LATE, "suspicions": 2, "backups": 1, "writes": 1},
        {"late": True, "watched_write": 1, "writes": 1, "losses": 1},
        {**_ANY_TWO, **_ONE_WRITE, "changes": 2, "moves": 0, "checks": 2, "endings": 0, "refusals": 0},
        {**_ANY_TWO, "watched_term": 1, "changes": 2, "checks": 0, "refusals": 0, "endings": 0},
        {**_ANY_TWO, "writes": 1, "watched_write": 0, "watched_term": 1, "repeats": 1, "refusals": 0},
    ),
    "invocation": (
        {**_NO_OTHER_KINDS, "endings": 0, "serves_stale_reads": False},
        {"attempts": 3, "retries": 3, "endings": 0, "handlings": 1},
        {**_NO_OTHER_KINDS, **_ONCE, "false_removals": False, "moves": 2},
        {"changes": 0, "endings": 0, "handlings": 3},
        {**_NO_OTHER_KINDS, "backups": 0, "attempts": 1, "retries": 0, "changes": 2},
        {**_NO_OTHER_KINDS, "registers_late": True},
        {"endings": 2, "handlings": 0, "changes": 2},
        {"waiting_operations": False, "departures": False, "attempts": 1, "retries": 1},
        {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "backups": 2, "last_steps": True, "false_removals": False},
        {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "backups": 2, "endings": 2, "strict_counts_leavers": True},
        {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "backups": 2, "endings": 0, "changes": 2, "registers_late": True},
        {**_NO_OTHER_KINDS, "changes": 2},
        {**_NO_OTHER_KINDS, **_ONCE, "members": 3, "changes": 2, "strict_counts_leavers": True},
    ),
    "snapshot": (
        {"members": 1, "items": 0, "executions": 2, "ids": 2, "writes": 3, "endings": 0, "removals": 0},
        {"items": 0, "endings": 0, "removals": 0},
        {"ids": 0, "removals": 0},
        {"at_once": True, "members": 3, "removals": 0, "stops": 0, "items": 0, "strict": False, "misses": 1},
        {"items": 0, "partitions": 2, "endings": 0, "removals": 0, "stops": 0},
        {"items": 0, "omissions": 1, "exposures": 1, "endings": 0, "stops": 0},
        {"at_once": True, "endings": 0, "removals": 2, "stops": 0, "items": 0, "executions": 2, "writes": 4},
        {"items": 0, "strict": False, "misses": 1, "removals": 0},
        _TWO_SNAPSHOTS | {"items": 0, "strict": False, "endings": 2},
        {"executions": 2, "ids": 0, "stops": 0},
        {"shards": 2, "endings": 0, "removals": 0, "stops": 0},
        _TWO_SNAPSHOTS | {"misses": 1},
        {},
        {"members": 1, "executions": 2, "snapshots": 2, "ids": 2, "writes": 5, "endings": 0, "removals": 0},
        {"items": 0, "executions": 2, "writes": 4, "removals": 0, "stops": 0},
        _TWO_SNAPSHOTS | {"strict": False, "misses": 1},
    ),
    "durability": ({"members": 3, "async_backups": 0}, {}, {"members": 4, "sync_backups": 2}),
}
