"""The contents of the report on a validation: each run of a trace, or a log, is checked against one specification."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from gridproof_properties.judging.by_proof import ByProof
from gridproof_properties.judging.verdict import Refusal, Result, worst_of
from gridproof_properties.judging.words import count

WORDS: Mapping[Result, str] = {Result.HOLDS: "explained", Result.BROKEN: "refused", Result.UNKNOWN: "unknown"}


@dataclass(frozen=True, slots=True)
class ValidatedRun:
    """The result for one run of a trace, or for one log."""

    name: str
    result: Result
    sentence: str
    explanation: tuple[str, ...]
    explained: int
    """The number of events, or of lines, that were explained."""
    line: int | None = None
    """For a log, the line that was refused or could not be validated; None if there was no such line."""
    refusal: Refusal | None = None
    by_proof: ByProof | None = None

    @property
    def word(self) -> str:
        """The verdict, as one word."""
        return WORDS[self.result]


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """The report of one validation."""

    source: str
    """The name of the trace or log."""
    specification: str
    runs: tuple[ValidatedRun, ...]
    repeat_line: str
    noun: str = "run"
    """The word for what was validated: "run" for the runs of a trace, or the word for a log."""

    @property
    def refused(self) -> tuple[ValidatedRun, ...]:
        """The runs that are not behaviours of the specification."""
        return tuple(run for run in self.runs if run.result is Result.BROKEN)

    @property
    def outcome(self) -> Result:
        """The worst verdict on a run; unknown if there was nothing to validate."""
        return worst_of(run.result for run in self.runs)

    @property
    def headline(self) -> str:
        """The verdict on all runs in one sentence."""
        if not self.runs:
            return "There was nothing to validate."
        worst = sum(run.result is self.outcome for run in self.runs)
        if len(self.runs) == 1:
            subject = f"The {self.noun} is"
        elif worst == len(self.runs):
            subject = f"All {count(worst, self.noun)} are"
        else:
            subject = f"{worst:,} of {count(len(self.runs), self.noun)} {'is' if worst == 1 else 'are'}"
        match self.outcome:
            case Result.HOLDS:
                return f"{subject} explained by {self.specification}."
            case Result.BROKEN:
                return f"{subject} refused by {self.specification}."
            case Result.UNKNOWN:
                return f"{subject} neither explained nor refused by {self.specification}."
            case _:
                assert_never(self.outcome)
