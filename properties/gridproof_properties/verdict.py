"""What a judge can say: holds, broken, unknown.

Three verdicts and a rule for joining them: broken beats unknown, unknown beats holds; a judge that could not look or
that crashed is unknown, never green. What a subject never promised is reported with its promise level and never fails
a run.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """The verdict itself, worst last by `severity`."""

    HOLDS = "holds"
    UNKNOWN = "unknown"
    BROKEN = "broken"

    @property
    def severity(self) -> int:
        """0 for holds, 1 for unknown, 2 for broken."""
        return list(Result).index(self)


class PromiseLevel(StrEnum):
    """What the subject's own documents say about a property."""

    PROMISED = "promised"
    WEAKNESS = "weakness"
    """Documented as something that can go wrong: counted and shown, never a failure."""
    NONE = "none"
    """Not promised at all, or not offered."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One property of one run, judged."""

    property: str
    result: Result
    sentence: str
    """One sentence a person understands without the code: what holds and over how much, or what is broken."""
    witness: tuple[str, ...] = ()
    """The smallest story that shows it, a sentence per step; only when broken."""
    promise: PromiseLevel = PromiseLevel.PROMISED


class ExitStatus:
    """The exit statuses of every command."""

    HOLDS = 0
    BROKEN = 1
    WRONG_USE = 2
    UNKNOWN = 3


def exit_status(verdicts: Iterable[Verdict]) -> int:
    """Return the exit status of a run: only promised properties count; no promised verdict at all is unknown."""
    promised = [v.result for v in verdicts if v.promise is PromiseLevel.PROMISED]
    worst = max(promised, key=lambda result: result.severity, default=Result.UNKNOWN)
    return {
        Result.HOLDS: ExitStatus.HOLDS,
        Result.BROKEN: ExitStatus.BROKEN,
        Result.UNKNOWN: ExitStatus.UNKNOWN,
    }[worst]
