"""What proofs of a specification imply for runs.

A run, or a log, that a specification explains to its end is a behaviour of the specification's world with the constants
with which the run was validated. A proved claim is true for the run if the proof has the same value for every one of
these constants, or leaves it open. If the value of one constant differs, the proof is about other worlds. There are two
kinds of constants:

- A **size**: the number of elements in an index set, or the capacity of a sequence, if it is not 0. "Proved for members
  3; validated with members 8": this proves nothing about such a run, but is worth stating.
- Any other: a truth value, a choice, the number of times that something may happen. A proof that leaves out lost
  messages says nothing about a run in which messages may be lost.

`of_runs(argument, constants)` says for every always-claim which of these cases applies. `constants` may have ANY_NUMBER
where a run may have any number, so that the result applies to all runs at once; `families_of` in
`tools/of_every_run.py` returns such constants, and `in_words` describes them in a sentence. This module proves nothing
and reads no run: `validation/concluding.py` decides whether a condition is true in a run, and whether its behaviours
begin in states that a proof covers.
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
from gridproof_model.language.world import Open, decided, negated, plain_text
from gridproof_properties.claims.known import Knowledge, KnownIn, recorded
from gridproof_properties.proofs.argument import Argument


class Scope(StrEnum):
    """How much of what is known about a claim applies to the worlds in which runs are validated, strongest first."""

    CONCLUDED = "concluded"
    """The claim is proved in that world, or is true in every state of it."""
    BUT_FOR_SIZE = "concluded but for size"
    """The claim is proved for worlds of another size that are equal in everything else."""
    UP_TO = "in every state of smaller worlds"
    """The claim is true in every state of worlds of another size that are equal in everything else."""
    NOTHING = "nothing is concluded"


@dataclass(frozen=True, slots=True)
class OfRuns:
    """What is known about one claim for runs."""

    claim: Claim
    scope: Scope
    why: str
    """If the claim is not proved there, what is known instead: "proved for members 3; validated with members 8"."""
    conditions: tuple[Node, ...] = ()
    """Conditions on a state for the claim to be tested there, as far as constants do not decide them."""
    base: KnownIn | None = None
    """The proof that is used, if any. All that this proof shows has to be true in a behaviour's first state."""
    is_empty: bool = False
    """Whether the constants alone make the claim's condition false, or the claim true."""


def of_runs(
    argument: Argument, constants: Mapping[str, Plain], knowledge: Knowledge | None = None
) -> tuple[OfRuns, ...]:
    """Return what is known for runs about every always-claim of a specification, in the order of their declarations.

    `constants` are all the constants with which runs are validated. By default, `knowledge` is what the ledger
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
    """A constant with one value in a proof and another in the validation of runs."""

    name: str
    proved: Plain
    of_runs: Plain
    is_size: bool


def _differences(
    proved: Mapping[str, Plain], constants: Mapping[str, Plain], sizes: frozenset[str]
) -> list[_Difference]:
    """Return the constants that differ between a proof's world and the world in which runs are validated."""
    pairs = ((name, proved[name], value) for name, value in constants.items())
    different = (one for one in pairs if not isinstance(one[1], Open) and one[1] != one[2])
    return [_Difference(*one, one[0] in sizes and 0 not in one[1:]) for one in different]


def _sizes_of(specification: Specification) -> Iterator[str]:
    """Yield the constants that state the number of elements in a set, or the capacity of a sequence."""
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
    """Return a text on how the worlds differ: `members 3; validated with members 8`."""
    proved = ", ".join(f"{one.name} {_said(one.proved)}" for one in differing)
    values = {_said(one.of_runs) for one in differing}
    if len(differing) > 1 and len(values) == 1 and not isinstance(differing[0].of_runs, bool):
        return f"{proved}; validated with {values.pop()} of each"
    return f"{proved}; validated with {', '.join(f'{one.name} {_said(one.of_runs)}' for one in differing)}"


def _said(value: Plain) -> str:
    if value is ANY_NUMBER:
        return "as many as there are"
    return f"{value:,}" if type(value) is int else plain_text(value)


@lru_cache(4_096)
def _the_same(condition: Node) -> Node:
    """Return one object for all equal conditions, so that a behaviour keeps its premises when it continues in a larger
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
    """Return the body of a definition that has no parameters."""
    while isinstance(node, Applied) and not node.parameters:
        node = node.body
    return node
