"""What may be concluded about runs from what is proved.

A run, or a log, that a specification explains to its end is a behaviour of the specification's world with the constants
that it was validated with. A proved claim holds for it if every one of these constants agrees with the proof's: it is
equal there, or open. If one differs, what was proved is about other worlds. Constants are of two kinds:

- A **size**: how many elements an index set has, or how much room a sequence has, and not 0. "Proved for members 3;
  validated with members 8" is no proof for such a run, and worth stating.
- Anything else: a truth value, a choice, how often something may happen. What is proved only if no message is lost says
  nothing about a run in which some may be.

`of_runs(argument, constants)` says this for every always-claim. `constants` may have ANY_NUMBER if a run may have any
number, so that the result applies to all runs at once (`families_of` in `tools/of_every_run.py` returns such
constants), and `in_words` makes a sentence of it. This module proves nothing and reads no run: whether a condition
holds in a run, and whether its behaviours begin in states that a proof is about, is decided in
`validation/concluding.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from gridproof_model.language import ANY_NUMBER, Claim, ClaimKind, Plain, Specification
from gridproof_model.language.expressions import IndexSet, Option
from gridproof_model.language.notation import Notation
from gridproof_model.language.structures import Array, Record, Sequence
from gridproof_model.language.tree import Applied, Domain, Node, Operation, Operator, Parameter, walk
from gridproof_model.language.world import Open, decided, negated
from gridproof_properties.claims.known import Knowledge, KnownIn, recorded
from gridproof_properties.proofs.argument import Argument


class Scope(StrEnum):
    """How much of what is known about a claim applies to the worlds with which runs are validated; the most first."""

    CONCLUDED = "concluded"
    """The claim is proved there, or holds in every state there."""
    BUT_FOR_SIZE = "concluded but for size"
    """The claim is proved for another size, with everything else the same."""
    UP_TO = "in every state of smaller worlds"
    """The claim holds in every state of worlds of another size, with everything else the same."""
    NOTHING = "nothing is concluded"


@dataclass(frozen=True, slots=True)
class OfRuns:
    """What may be concluded about one claim."""

    claim: Claim
    scope: Scope
    why: str
    """If the claim is not proved there, what is known instead: "proved for members 3; validated with members 8"."""
    conditions: tuple[Node, ...] = ()
    """Conditions on a state for the claim to be tested there, as far as constants do not decide them."""
    base: KnownIn | None = None
    """The proof that is used, if there is one: all that it proves has to hold in the state where a behaviour begins."""
    is_empty: bool = False
    """Whether constants alone make its condition false, or the claim true."""


def of_runs(
    argument: Argument, constants: Mapping[str, Plain], knowledge: Knowledge | None = None
) -> tuple[OfRuns, ...]:
    """Return what may be concluded about every always-claim of a specification, in the order declared.

    `constants` are all constants with which runs are validated. By default, `knowledge` is what the ledger has
    recorded.
    """
    known = recorded(argument) if knowledge is None else knowledge
    always = (claim for claim in argument.specification.claims if claim.kind is ClaimKind.ALWAYS)
    sizes = frozenset(_sizes_of(argument.specification))
    differing = {id(one): _differences(one.constants, constants, sizes) for one in (*known.proved, *known.explored)}
    return tuple(_of_claim(claim, constants, known, differing) for claim in always)


def _of_claim(
    claim: Claim, constants: Mapping[str, Plain], known: Knowledge, differing_by_id: "Mapping[int, list[_Difference]]"
) -> OfRuns:
    conditions, why_empty = _conditions(claim.condition, constants)
    if why_empty or decided(claim.condition, constants):
        why = why_empty or "its constants alone make it true"
        return OfRuns(claim, Scope.NOTHING, f"{why} where runs are validated", is_empty=True)
    proved, explored = (
        [(one, differing_by_id[id(one)]) for one in worlds if claim.name in one.holds]
        for worlds in (known.proved, known.explored)
    )
    near = [(one, differing) for one, differing in proved if all(each.is_size for each in differing)]
    if near:
        one, differing = min(near, key=lambda pair: len(pair[1]))
        scope, why = (Scope.BUT_FOR_SIZE, f"proved for {_listed(differing)}") if differing else (Scope.CONCLUDED, "")
        return OfRuns(claim, scope, why, conditions, one)
    seen = [(one, differing) for one, differing in explored if all(each.is_size for each in differing)]
    for one, differing in seen:
        if not differing:
            return OfRuns(claim, Scope.CONCLUDED, f"it holds in all {one.states:,} states", conditions)
    if seen:
        worlds = " / ".join(dict.fromkeys(_listed(differing) for _, differing in seen))
        return OfRuns(claim, Scope.UP_TO, f"in every state of worlds with {worlds}", conditions)
    if not proved and not explored:
        return OfRuns(claim, Scope.NOTHING, "no proof of it is recorded", conditions)
    how, rest = ("proved", proved) if proved else ("known", explored)
    least = min(([each for each in differing if not each.is_size] for _, differing in rest), key=len)
    return OfRuns(claim, Scope.NOTHING, f"it is {how} only for {_listed(least)}", conditions)


@dataclass(frozen=True, slots=True)
class _Difference:
    """A constant that differs between a proof and the validation of runs."""

    name: str
    proved: Plain
    of_runs: Plain
    is_size: bool


def _differences(
    proved: Mapping[str, Plain], constants: Mapping[str, Plain], sizes: frozenset[str]
) -> list[_Difference]:
    """Return the constants in which the world of validation differs from those of a proof."""
    pairs = ((name, proved[name], value) for name, value in constants.items())
    different = (one for one in pairs if not isinstance(one[1], Open) and one[1] != one[2])
    return [_Difference(*one, one[0] in sizes and 0 not in one[1:]) for one in different]


def _sizes_of(specification: Specification) -> Iterator[str]:
    """Yield the constants that say how many elements a set has, or how much room a sequence has."""
    domains: list[Domain[Any]] = [*specification.index_sets, *(one.domain for one in specification.variables)]
    while domains:
        size: object = None
        match domains.pop():
            case IndexSet(size=size):
                pass
            case Array(element=inner) | Option(inner=inner):
                domains.append(inner)
            case Record(fields=fields):
                domains += [domain for _, domain in fields]
            case Sequence(element=inner, capacity=size):
                domains.append(inner)
            case _:
                pass
        if isinstance(size, Node):
            yield from (one.name for one in walk(size) if isinstance(one, Parameter))


def _listed(differing: list[_Difference]) -> str:
    """Return in words how worlds differ: `members 3; validated with members 8`."""
    proved = ", ".join(f"{one.name} {_said(one.proved)}" for one in differing)
    values = {_said(one.of_runs) for one in differing}
    if len(differing) > 1 and len(values) == 1 and not isinstance(differing[0].of_runs, bool):
        return f"{proved}; validated with {values.pop()} of each"
    return f"{proved}; validated with {', '.join(f'{one.name} {_said(one.of_runs)}' for one in differing)}"


def _said(value: Plain) -> str:
    if value is ANY_NUMBER:
        return "as many as there are"
    return f"{value:,}" if type(value) is int else str(getattr(value, "value", value))


@lru_cache(4_096)
def _the_same(condition: Node) -> Node:
    """Return one object for all equal conditions, so that a behaviour keeps its premises when it goes on in a larger
    world."""
    return condition


def _conditions(node: Node, constants: Mapping[str, Plain]) -> tuple[tuple[Node, ...], str]:
    """Return the parts of a claim's premise that constants do not decide, and the part that they make false, if any.

    A claim has a premise if it is an implication, or a disjunction whose first part is the exception: `split | X`.
    """
    node = _unfolded(node)
    match node:
        case Operation(Operator.IMPLIES, (premise, _)):
            parts = [*_conjuncts(premise)]
        case Operation(Operator.OR, operands):
            parts = [negated(one) for one in operands[:-1]]
        case _:
            return (), ""
    left = tuple(_the_same(part) for part in parts if decided(part, constants) is None)
    false = [part for part in parts if decided(part, constants) is False]
    return (left, "") if not false else ((), f"{Notation().text(negated(false[0]))} holds")


def _conjuncts(node: Node) -> Iterator[Node]:
    match _unfolded(node):
        case Operation(Operator.AND, operands):
            for operand in operands:
                yield from _conjuncts(operand)
        case _:  # kept under its own name
            yield node


def _unfolded(node: Node) -> Node:
    """Return the body of a definition without parameters."""
    while isinstance(node, Applied) and not node.parameters:
        node = node.body
    return node
