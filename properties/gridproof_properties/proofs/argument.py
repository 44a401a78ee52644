"""How the claims of one specification are proved.

Claims taken from documents are seldom inductive: they are true because of facts that nobody wrote down. An argument
states these facts as lemmas, in the words of the specification, and names the worlds in which to prove and to explore.
Lemmas are not trusted: a lemma that is false, or not inductive, is dropped by the proof and named in the ledger.

Hints say what an earlier proof needed; they are kept so that the next proof need not search for it. Hints are not
knowledge: Z3 is asked whether a hint is enough; if it is not, or if there is none, the proof searches for what is
needed, as it did the first time. A wrong hint costs time, but changes no answer.
"""

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from gridproof_model.language import BoolExpr, Claim, ClaimKind, Plain, Specification, SpecificationError, World
from gridproof_model.language.expressions import Bool
from gridproof_model.language.specification import claim_of
from gridproof_model.language.tree import Domain, Operation, Operator
from gridproof_model.language.world import checked_constants

HINTS = Path(__file__).parent / "hints.json"
"""The file that keeps what the proofs of gridproof's own arguments needed; `python -m tools.hints` writes it."""
DEFINED = "every_step_is_defined"
"""The name that is used, in place of a claim's, for the fact that an action is defined."""


@dataclass(frozen=True, slots=True)
class Hints:
    """The hints of a specification: where its proofs look first."""

    needed: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """For each action and claim: the claims by which a step preserved this claim; a pair is missing if only the claim
    itself, or no claim at all, was needed."""
    beside: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """For each action and claim: further claims that were needed in a world whose sizes are all set."""
    ways: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """For each action and claim: the form of the question for any number of elements, unless it was the first form."""
    unproved: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each claim that was not proved in some world: the actions that break it, or may break it."""

    def __bool__(self) -> bool:
        """Whether there is any hint."""
        return bool(self.needed or self.ways or self.unproved)

    def of(self, action: str, claim: str) -> frozenset[str]:
        """Return the claims with which a step probably preserves a claim."""
        return self.needed.get((action, claim), frozenset({claim}))

    def of_a_size(self, action: str, claim: str) -> frozenset[str]:
        """Return the claims with which a step probably preserves a claim in a world without open sizes."""
        return self.of(action, claim) | self.beside.get((action, claim), frozenset())


NO_HINTS = Hints()


def stored_hints(file: Path, specification: str) -> Hints:
    """Return the hints that a file has for a specification; no hints if it has none."""
    kept = json.loads(file.read_text("utf-8")).get(specification) if file.exists() else None
    if kept is None:
        return NO_HINTS
    names: list[str] = kept["names"]

    def claims(kind: str) -> dict[tuple[str, str], frozenset[str]]:
        return {
            (action, claim): frozenset(names[number] for number in numbers)
            for action, of_claims in kept[kind].items()
            for claim, numbers in of_claims.items()
        }

    ways = {(action, claim): way for action, said in kept["ways"].items() for claim, way in said.items()}
    return Hints(
        claims("needed"), claims("beside"), ways, {claim: tuple(actions) for claim, actions in kept["unproved"].items()}
    )


Constants = Mapping[str, Plain]
"""The constants of a world, by name; a missing constant has its default, and ANY_NUMBER leaves a constant open."""


class Argument:
    """The lemmas that are added to a specification's claims, and the worlds in which these are proved and explored."""

    def __init__(
        self, specification: Specification, *, proved_in: tuple[Constants, ...], explored_in: tuple[Constants, ...]
    ) -> None:
        caller = sys._getframe(1)
        at = f"{caller.f_code.co_filename}:{caller.f_lineno}"
        for worlds in (proved_in, explored_in):
            if isinstance(worlds, Mapping) or not all(isinstance(world, Mapping) for world in worlds):
                raise SpecificationError("proved_in and explored_in take tuples of worlds: write proved_in=({},)", at)
            for world in worlds:
                checked_constants(specification, world, at)
        self.specification = specification
        self.proved_in = proved_in
        """The worlds for induction; a constant may be open if nothing counts up to it."""
        self.explored_in = explored_in
        """The worlds in which every state is visited, and in which anomalies are searched for."""
        self.lemmas: list[Claim] = []
        self.hints_in: Path | None = None
        """The file that keeps what the argument's proofs needed; None if there is none."""

    @overload
    def lemma(self, function: Callable[[], BoolExpr], /) -> Claim: ...
    @overload
    def lemma(
        self, *domains: Domain[Any], when: BoolExpr | None = None, unless: BoolExpr | None = None
    ) -> Callable[[Callable[..., BoolExpr]], Claim]: ...
    def lemma(self, *given: Any, when: BoolExpr | None = None, unless: BoolExpr | None = None) -> Any:
        """Declare that the condition of the decorated function is true in every reachable state; its docstring says it
        in words.

        With domains, the condition is true for all values of the function's parameters, each in the domain at its
        position.
        """

        def take(function: Callable[..., BoolExpr], domains: tuple[Domain[Any], ...] = given) -> Claim:
            if function.__name__ in self.names:
                code = function.__code__
                problem = f"{function.__name__!r} is already a claim of {self.specification.name}"
                raise SpecificationError(problem, f"{code.co_filename}:{code.co_firstlineno}")
            said = claim_of(ClaimKind.ALWAYS, function, "lemma", domains)
            for operator, around in ((Operator.IMPLIES, when), (Operator.OR, unless)):
                if around is not None:
                    said = replace(said, condition=Operation(operator, (around.node, said.condition), Bool()))
            self.lemmas.append(said)
            return said

        return take(given[0], ()) if given and not isinstance(given[0], Domain) else take

    @cached_property
    def hints(self) -> Hints:
        """The hints that a proof tries first."""
        return NO_HINTS if self.hints_in is None else stored_hints(self.hints_in, self.specification.name)

    @property
    def names(self) -> frozenset[str]:
        """The names of the specification's claims, then those of the lemmas."""
        return frozenset(claim.name for claim in (*self.specification.claims, *self.lemmas))

    def world(self, constants: Constants, only: Iterable[str] | None = None) -> World:
        """Return a world of the specification in which all lemmas, or only those named, are always-claims as well."""
        for claim in self.specification.claims:  # one that was declared after the lemma
            if any(lemma.name == claim.name for lemma in self.lemmas):
                problem = f"{claim.name!r} is a claim of {self.specification.name} and a lemma: rename one of the two"
                raise SpecificationError(problem, claim.at)
        extended = copy(self.specification)
        wanted = self.names if only is None else frozenset(only)
        extended.claims = [*self.specification.claims, *(lemma for lemma in self.lemmas if lemma.name in wanted)]
        return extended.world(**constants)
