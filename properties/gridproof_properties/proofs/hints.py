"""What a proof of some day needed, kept so that the next one need not look for it.

Hints are no knowledge: what a hint says is asked of Z3, and where it does not suffice, or where there is none, the
proof looks for what is needed, as it did on the first day. A wrong hint costs time and changes no answer.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

HINTS = Path(__file__).parent / "hints.json"
"""What the proofs of our own arguments needed; `python -m tools.hints` writes it."""
DEFINED = "every_step_is_defined"
"""In place of a claim: what shows that an action means something."""


@dataclass(frozen=True, slots=True)
class Hints:
    """Of one specification: where to look first."""

    needed: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """By action and claim: the claims by which a step preserved it; of those left out, itself alone or nothing."""
    beside: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    """What more was needed where every size is a number."""
    ways: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By action and claim: how Z3 was asked for any number where it was not in the first way."""
    unproved: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By claim that was not proved in some world: the actions that lead out of it."""

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.needed or self.ways or self.unproved)

    def of(self, action: str, claim: str) -> frozenset[str]:
        """Return the claims by which a step may well preserve one."""
        return self.needed.get((action, claim), frozenset({claim}))

    def of_a_size(self, action: str, claim: str) -> frozenset[str]:
        """Return those by which it may well do so in a world without open sizes."""
        return self.of(action, claim) | self.beside.get((action, claim), frozenset())


NO_HINTS = Hints()


def stored_hints(file: Path, specification: str) -> Hints:
    """Return the hints that a file keeps of a specification; none where it keeps none."""
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
