"""What following a run came to."""

from dataclasses import dataclass, field

from gridproof_properties.judging.judge import Finding
from gridproof_properties.judging.verdict import Result
from gridproof_properties.validation.engine import RefusedError


@dataclass(slots=True)
class Followed:
    """Behaviours of one specification in one run; mutable."""

    specification: str
    behaviours: int = 0
    steps: int = 0
    refused: list[tuple[object, RefusedError]] = field(default_factory=list)
    """Whose behaviour, and why."""

    def finding(self) -> Finding:
        """Return what a judge says."""
        if self.refused:
            whose, first = self.refused[0]
            sentence = f"no behaviour of {self.specification}: {whose}: {first.sentence}"
            return Finding(Result.BROKEN, sentence, first.explanation, self.steps)
        if self.steps == 0:
            return Finding(Result.UNKNOWN, f"nothing happened that {self.specification} speaks of")
        sentence = f"{self.behaviours} behaviours of {self.specification}, {self.steps} steps"
        return Finding(Result.HOLDS, sentence, compared=self.steps)
