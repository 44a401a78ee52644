"""What several runs have to say together.

One entry a system, whether it was judged, or could not be opened and why.
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
    """The page of its run."""
    seconds: float | None = None
    run: str = ""
    """The name of the run, where several runs of one system may stand beside each other."""
    seed: int | None = None
    """Of that run."""
    failure: str = ""
    """Why there are no verdicts, in one line, where the system could not be opened."""

    @property
    def heading(self) -> str:
        """What its column is called: the run and its seed, once, and the system where no run is named."""
        said = f"seed-{self.seed}"
        return self.system if self.seed is None else self.run if said in self.run else f"{self.run}, seed {self.seed}"

    @property
    def headline(self) -> str:
        """The verdict on all its promised properties, or why there is none."""
        return self.failure or headline(self.verdicts)

    @property
    def outcome(self) -> Result:
        """The worst verdict on a promised property; unknown where the system could not be opened."""
        return Result.UNKNOWN if self.failure else outcome(self.verdicts)

    @property
    def broken(self) -> tuple[str, ...]:
        """The promised properties that are broken."""
        promised = (one for one in self.verdicts if one.promise is PromiseLevel.PROMISED)
        return tuple(one.property for one in promised if one.result is Result.BROKEN)

    def verdict_on(self, property_name: str) -> Verdict | None:
        """Return the verdict on one property, or None where it was not judged."""
        return next((verdict for verdict in self.verdicts if verdict.property == property_name), None)


@dataclass(frozen=True, slots=True)
class Compared:
    """What a page says besides of two that were asked the same."""

    labels: tuple[str, str]
    answers: Sequence[str]
    """How far their answers differ, in lines."""
    measures: Sequence[tuple[str, int, int]]
    """Each with its name, of the first and of the second."""
    figures: Sequence[Figure]
    """What clients met over time, of each where there is something."""


def differing(entries: Sequence[SummaryEntry]) -> tuple[str, ...]:
    """Return the properties on which two systems differ, or that one breaks, in the order of `properties_of`."""
    found: list[str] = []
    for name in properties_of(entries):
        results = [verdict.result for entry in entries if (verdict := entry.verdict_on(name)) is not None]
        if len(results) == len(entries) and (len(set(results)) > 1 or Result.BROKEN in results):
            found.append(name)
    return tuple(found)


def properties_of(entries: Iterable[SummaryEntry]) -> tuple[str, ...]:
    """Return every property judged, those first that are promised by most, in the order first met."""
    promised: dict[str, int] = {}
    for entry in entries:
        for verdict in entry.verdicts:
            promised.setdefault(verdict.property, 0)
            promised[verdict.property] += verdict.promise is PromiseLevel.PROMISED
    return tuple(sorted(promised, key=lambda name: -promised[name]))
