"""What a claim is: always, sometimes, eventually."""

from dataclasses import dataclass
from enum import StrEnum

from gridproof_model.language.errors import SpecificationError
from gridproof_model.language.expressions import BoolExpr
from gridproof_model.language.refused import shown
from gridproof_model.language.tree import Node


class ClaimKind(StrEnum):
    """How a claim speaks of behaviours."""

    ALWAYS = "always"
    """The condition holds in every reachable state."""
    SOMETIMES = "sometimes"
    """Some reachable state satisfies it: a documented anomaly or non-guarantee, or proof that something happens."""
    EVENTUALLY = "eventually"
    """Every fair behaviour comes to it: from the start, or whenever a trigger holds."""


@dataclass(frozen=True, slots=True)
class Claim:
    """A named sentence about every behaviour, its expression, and the document it is taken from."""

    kind: ClaimKind
    name: str
    sentence: str
    source: str
    condition: Node
    trigger: Node | None = None
    """Eventually-claims only: whenever this holds, the condition holds then or later; None means from the start."""
    at: str = ""


@dataclass(frozen=True)
class LeadsTo:
    """What an eventually-claim returns when it speaks of more than the start."""

    trigger: BoolExpr
    condition: BoolExpr


def leads_to(trigger: BoolExpr, condition: BoolExpr) -> LeadsTo:
    """Return the promise that whenever the trigger holds, the condition holds then or at some later moment."""
    for part in (trigger, condition):
        if not isinstance(part, BoolExpr):
            what = "another leads_to: two promises are two claims" if isinstance(part, LeadsTo) else shown(part)
            raise SpecificationError(f"leads_to takes two conditions, not {what}")
    return LeadsTo(trigger, condition)
