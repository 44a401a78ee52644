"""What can be measured: claims, and conditions with a name.

A sometimes-claim is reached where its condition is true, an always-claim is broken where its condition is false, and an
eventually-claim without a trigger is fulfilled where its condition is true. A definition without parameters is reached
where it is true.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gridproof_model.language import Bool, Claim, ClaimKind, Int, Specification, World
from gridproof_model.language.declarations import Definition
from gridproof_model.language.grounding import Grounding
from gridproof_model.language.rates import Rate, Timed
from gridproof_model.language.tree import Node, Operation, Operator
from gridproof_model.user_error import UserError, nearest


class PredicateError(UserError, ValueError):
    """Raised for a name that cannot be measured; the error's message is one line."""


@dataclass(frozen=True, slots=True)
class Predicate:
    """A condition on states, and the name by which users ask for it."""

    name: str
    condition: Node
    at: str
    is_sometimes: bool = False
    """Whether the predicate is measured even if the user names none."""

    @property
    def claim(self) -> Claim:
        """A sometimes-claim that the condition can be reached; the explorer and the proofs take a condition in this
        form."""
        return Claim(ClaimKind.SOMETIMES, self.name, self.name, "", self.condition, None, self.at)


def predicates_of(specification: Specification, world: World, names: Sequence[str]) -> tuple[Predicate, ...]:
    """Return the predicates that were asked for, or every sometimes-claim if none was; raise PredicateError for an
    unknown name."""
    known = _every(specification, world)
    if not names:
        return tuple(one for one in known.values() if one.is_sometimes)
    return tuple(_found(specification, name, known) for name in dict.fromkeys(names))


def counted(specification: Specification, world: World, name: str) -> Node:
    """Return the expression of a numeric definition or of a condition; raise PredicateError if the name is neither."""
    condition = _every(specification, world).get(name)
    if condition is not None:
        return condition.condition
    found = number_of(specification, name)
    return Grounding(dict(world.constants)).part(found.body, found.at)


def multiplied(specification: Specification, world: World, rates: Mapping[str, Rate]) -> dict[str, Node]:
    """Return, by name, every definition with which a rate is multiplied; raise PredicateError as `counted` does."""
    names = {rate.each for rate in rates.values() if isinstance(rate, Timed) and rate.each}
    return {name: counted(specification, world, name) for name in sorted(names)}


def number_of(specification: Specification, name: str) -> Definition:
    """Return the numeric definition with this name; raise PredicateError if there is none."""
    definitions = (one for one in specification.definitions if not one.parameters)
    numbers = {one.name: one for one in definitions if isinstance(one.body.domain, Int)}
    if name not in numbers:
        known = f"there are {', '.join(numbers)}" if numbers else "it has none"
        raise PredicateError(f"{specification.name} has no definition {name[:60]!r} with a number as value: {known}")
    return numbers[name]


def _found(specification: Specification, name: str, known: dict[str, Predicate]) -> Predicate:
    if name in known:
        return known[name]
    cure = nearest(name, known)
    if any(claim.name == name for claim in specification.claims):
        raise PredicateError(f"{name} is about what follows a trigger, so no single state decides it: {cure}")
    if any(definition.name == name for definition in specification.definitions):
        raise PredicateError(f"{name} is no condition on a single state: {cure}")
    raise PredicateError(f"{specification.name} has no claim or condition {name!r}: {cure}")


def _every(specification: Specification, world: World) -> dict[str, Predicate]:
    known: dict[str, Predicate] = {}
    for claim in world.claims:
        if claim.trigger is None:
            node = claim.condition
            if claim.kind is ClaimKind.ALWAYS:
                node = Operation(Operator.NOT, (node,), Bool())
            known[claim.name] = Predicate(claim.name, node, claim.at, claim.kind is ClaimKind.SOMETIMES)
    ground = Grounding(dict(world.constants))
    for definition in specification.definitions:
        if not definition.parameters and isinstance(definition.body.domain, Bool):
            body = ground.part(definition.body, definition.at)
            known[definition.name] = Predicate(definition.name, body, definition.at)
    return known
