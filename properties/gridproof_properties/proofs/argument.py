"""How the claims of one specification are shown.

Claims taken from documents are seldom inductive: they hold because of facts nobody wrote down. An argument states those
facts as lemmas, in the words of the specification, and names the worlds in which to prove and to explore. Lemmas are no
promises: one that is false, or that does not carry itself, is dropped by the proof and named in the ledger.
"""

import sys
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, overload

from gridproof_model.language import BoolExpr, Claim, ClaimKind, Plain, Specification, SpecificationError, World
from gridproof_model.language.expressions import Bool
from gridproof_model.language.specification import claim_of
from gridproof_model.language.tree import Domain, Operation, Operator
from gridproof_properties.proofs.hints import NO_HINTS, Hints, stored_hints

Constants = Mapping[str, Plain]
"""The constants of a world by name; those left out take their defaults, ANY_NUMBER leaves one open."""


class Argument:
    """The lemmas beside a specification's claims, and where they are proved and explored."""

    def __init__(
        self, specification: Specification, *, proved_in: tuple[Constants, ...], explored_in: tuple[Constants, ...]
    ) -> None:
        for worlds in (proved_in, explored_in):
            if isinstance(worlds, Mapping):
                caller = sys._getframe(1)
                at = f"{caller.f_code.co_filename}:{caller.f_lineno}"
                raise SpecificationError("an argument takes several worlds: proved_in=({},), explored_in=({},)", at)
        self.specification = specification
        self.proved_in = proved_in
        """Worlds for induction; numbers that nothing counts up to may be open."""
        self.explored_in = explored_in
        """Worlds to see every state of, and where anomalies are looked for."""
        self.lemmas: list[Claim] = []
        self.hints_in: Path | None = None
        """The file that keeps what its proofs needed, if any does."""

    @overload
    def lemma(self, function: Callable[[], BoolExpr], /) -> Claim: ...
    @overload
    def lemma(
        self, *domains: Domain[Any], when: BoolExpr | None = None, unless: BoolExpr | None = None
    ) -> Callable[[Callable[..., BoolExpr]], Claim]: ...
    def lemma(self, *given: Any, when: BoolExpr | None = None, unless: BoolExpr | None = None) -> Any:
        """Declare that the decorated function's condition holds in every reachable state; its docstring says it.

        With domains it holds for all the function's parameters, each of the domain at its place.
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
        """Where a proof looks first."""
        return NO_HINTS if self.hints_in is None else stored_hints(self.hints_in, self.specification.name)

    @property
    def names(self) -> frozenset[str]:
        """The names of the specification's claims and of the lemmas."""
        return frozenset(claim.name for claim in (*self.specification.claims, *self.lemmas))

    def world(self, constants: Constants, only: Iterable[str] | None = None) -> World:
        """Return a world of the specification in which the lemmas, or only some by name, are always-claims, too."""
        extended = copy(self.specification)
        wanted = self.names if only is None else frozenset(only)
        extended.claims = [*self.specification.claims, *(lemma for lemma in self.lemmas if lemma.name in wanted)]
        return extended.world(**constants)
