"""The summary of several runs, on one page.

A summary has one entry for each system, with the verdicts on it, or with the reason why it could not be opened.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict, outcome
from gridproof_reports.contents.report import headline
from gridproof_reports.drawing.figure import Figure


@dataclass(frozen=True, slots=True)
class SummaryEntry:
    """One system of a summary."""

    system: str
    version: str
    verdicts: tuple[Verdict, ...]
    report: Path | None = None
    """The page of the system's run."""
    seconds: float | None = None
    run: str = ""
    """The name of the run; empty if only one run of each system is listed."""
    seed: int | None = None
    """The seed of the run."""
    failure: str = ""
    """One line that says why there are no verdicts, if the system could not be opened."""

    @property
    def heading(self) -> str:
        """The title of the entry's column: the run and its seed, or the system if no run is named."""
        said = f"seed-{self.seed}"
        return self.system if self.seed is None else self.run if said in self.run else f"{self.run}, seed {self.seed}"

    @property
    def headline(self) -> str:
        """The verdict on all promised properties of the system, or the reason why there is none."""
        return self.failure or headline(self.verdicts)

    @property
    def outcome(self) -> Result:
        """The worst verdict on a promised property; unknown if the system could not be opened."""
        return Result.UNKNOWN if self.failure else outcome(self.verdicts)

    @property
    def broken(self) -> tuple[str, ...]:
        """The promised properties that are broken."""
        promised = (one for one in self.verdicts if one.promise is PromiseLevel.PROMISED)
        return tuple(one.property for one in promised if one.result is Result.BROKEN)

    def verdict_on(self, property_name: str) -> Verdict | None:
        """Return the verdict on one property, or None if it was not judged."""
        return next((verdict for verdict in self.verdicts if verdict.property == property_name), None)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a page shows besides verdicts if it is about two systems that were asked the same operations."""

    labels: tuple[str, str]
    answers: Sequence[str]
    """Lines that say by how much the answers of the two systems differ."""
    measures: Sequence[tuple[str, int, int]]
    """Measures: the name of each, and its values for the first and for the second system."""
    figures: Sequence[Figure]
    """How clients' operations went over time, for each system whose records show this."""


def differing(entries: Sequence[SummaryEntry]) -> tuple[str, ...]:
    """Return the properties on which two systems differ, or that one system breaks, in the order of `properties_of`."""
    found: list[str] = []
    for name in properties_of(entries):
        results = [verdict.result for entry in entries if (verdict := entry.verdict_on(name)) is not None]
        if len(results) == len(entries) and (len(set(results)) > 1 or Result.BROKEN in results):
            found.append(name)
    return tuple(found)


def properties_of(entries: Iterable[SummaryEntry]) -> tuple[str, ...]:
    """Return every property that was judged: first those that most systems promise; else in the order of appearance."""
    promised: dict[str, int] = {}
    for entry in entries:
        for verdict in entry.verdicts:
            promised.setdefault(verdict.property, 0)
            promised[verdict.property] += verdict.promise is PromiseLevel.PROMISED
    return tuple(sorted(promised, key=lambda name: -promised[name]))
