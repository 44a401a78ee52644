"""What following a run came to."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.refinement.behaviour import Behaviour, OutOfScopeError
from gridproof_properties.validation.engine import RefusedError


@dataclass(slots=True)
class Followed:
    """Behaviours of one specification in one run; mutable."""

    specification: str
    differences: Counter[str]
    behaviours: int = 0
    steps: int = 0
    refused: list[tuple[object, RefusedError]] = field(default_factory=list)
    """Whose behaviour, and why."""

    def goes_on(self, whose: object, take: Callable[[], None]) -> bool:
        """Let a follower take a step; one that refuses, or has nothing more to say, does not go on."""
        try:
            take()
        except RefusedError as refused:
            self.refused.append((whose, refused))
        except OutOfScopeError as over:
            self.differences[over.difference.name] += 1
        else:
            return True
        return False

    def count(self, behaviour: Behaviour) -> None:
        """Count a behaviour that is followed no further."""
        self.steps += behaviour.steps
        self.behaviours += 1

    def finding(self) -> Finding:
        """Return what a judge says."""
        if self.refused:
            whose, first = self.refused[0]
            sentence = f"no behaviour of {self.specification}: {whose}: {first.sentence}"
            return Finding(Result.BROKEN, sentence, first.explanation, self.steps)
        if self.steps == 0:
            return Finding(Result.UNKNOWN, f"nothing happened that {self.specification} speaks of")
        met = ", ".join(f"{name} ({count})" for name, count in sorted(self.differences.items()))
        sentence = (
            f"{self.behaviours} behaviours of {self.specification}, {self.steps} steps; "
            f"left out there: {met or 'nothing that was met'}"
        )
        return Finding(Result.HOLDS, sentence, compared=self.steps)
