"""The contents of the report on a run, without a layout.

A report is a tree of frozen values, and a page is one way to show it. Verdicts come first, in the order in which a
reader needs them: promised properties before others, and broken properties before those that hold. A witness, which is
a tuple of sentences, is shown as a story: if its sentences name members ("member 2", "members 0 and 3"), it has a lane
for each member, and every step marks the lanes of the members that it names.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from gridproof_implementation.adapter import Promise, PromiseWord
from gridproof_model.trace import RunRecord
from gridproof_properties.campaign.over_time import FaultEffect
from gridproof_properties.judging.judge import Property, Severity
from gridproof_properties.judging.verdict import (
    PromiseLevel,
    Result,
    Standing,
    Verdict,
    outcome,
    standing_of,
    weaknesses_of,
    worst_of,
)
from gridproof_reports.contents.timeline import Timeline
from gridproof_reports.drawing.figure import Figure, listed

if TYPE_CHECKING:
    from gridproof_properties.campaign.losses import Loss

LANES_MAX = 8
_NAMED = re.compile(r"\bmembers? \[?(\d+(?:(?:, and |, | and | or |/)\d+)*)", re.IGNORECASE)

_CRASHED = re.compile(r"\b(crashed|is killed|was killed)\b")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Facts about a run that its records do not contain."""

    repeat_line: str = ""
    """The command that repeats the run."""
    trace: str = ""
    """The path of the trace, relative to the page if page and trace are moved together."""
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """A verdict, with the statement of its property and with the sources."""

    verdict: Verdict
    statement: str = ""
    """The statement of the property, which is true of every good run."""
    source: str = ""
    """Where the property is defined."""
    promise_source: str = ""
    """Where the subject promises the property, and who says so."""

    @property
    def standing(self) -> Standing:
        """How the verdict counts."""
        return standing_of(self.verdict)


@dataclass(frozen=True, slots=True)
class CountedWeakness:
    """A weakness that the documents admit in a property, and how often it showed."""

    property: str
    cause: str
    source: str
    compared: int
    failed: int


@dataclass(frozen=True, slots=True)
class WitnessStep:
    """One sentence, and the members that it names."""

    words: str
    members: tuple[int, ...]

    @property
    def is_crash(self) -> bool:
        """Whether the step names only one member, and says that it crashed."""
        return len(self.members) == 1 and _CRASHED.search(self.words) is not None


@dataclass(frozen=True, slots=True)
class WitnessStory:
    """The shortest story found that shows a property broken."""

    property: str
    promise: PromiseLevel
    sentence: str
    lanes: tuple[int, ...]
    """The members that the steps name, in ascending order; empty if there are none, or too many."""
    steps: tuple[WitnessStep, ...]


@dataclass(frozen=True, slots=True)
class LivePart:
    """The part of a report that is only about runs with real clients; it stands above the verdicts."""

    faults: tuple[FaultEffect, ...]
    """The faults with their effects, in the order in which they began."""
    over_time: Figure | None
    """How long clients waited; None if no clients were at work during faults, or in a run without faults."""
    losses: str
    """In short, which acknowledged writes were lost."""
    lost: "tuple[Loss, ...]"
    history: str
    """Whether operations overlap."""
    timers: tuple[str, ...]
    """Those of the system's documented times that the audit has changed."""
    machine: str
    """The machine on which the run took place, if the trace says so."""


@dataclass(frozen=True, slots=True)
class Report:
    """The report of one run."""

    run: RunRecord
    provenance: Provenance
    verdicts: tuple[VerdictRow, ...]
    stories: tuple[WitnessStory, ...]
    timeline: Timeline
    figures: tuple[Figure, ...]
    taken: tuple[str, ...] = ()
    """The lines of a user's configuration that take effect."""
    passed_over: tuple[str, ...] = ()
    """The lines of a user's configuration that do not take effect, and why."""
    live: LivePart | None = None
    unknown: tuple[str, ...] = ()
    """The reasons why the run tests nothing, if there are any: for instance, that no change was acknowledged."""

    @property
    def caveat(self) -> str:
        """What a run without failures does not show, if it had members; else empty."""
        return caveat_of(self.run.backup_count) if self.timeline.members else ""

    @property
    def weaknesses(self) -> tuple[CountedWeakness, ...]:
        """Comparisons made while nothing was promised, by property; properties with the most failures come first."""
        found = weaknesses_of(row.verdict for row in self.verdicts)
        counted = [CountedWeakness(*key, *counts) for key, counts in found.items()]
        return tuple(sorted(counted, key=lambda one: (-one.failed, one.property, -one.compared)))

    @property
    def headline(self) -> str:
        """The verdict on all promised properties in one sentence."""
        return headline(row.verdict for row in self.verdicts)

    @property
    def outcome(self) -> Result:
        """The worst verdict on a promised property; unknown if nothing was promised."""
        return outcome(row.verdict for row in self.verdicts)


def caveat_of(backup_count: int) -> str:
    """Return what a run without failures does not show of a grid with this many backups; empty if there is nothing."""
    if backup_count:
        return ""
    return "0 backups: what a crash takes along is lost, and no promise about crashes was tried."


def verdict_rows(
    verdicts: Iterable[Verdict], properties: Iterable[Property], promises: Mapping[str, Promise]
) -> tuple[VerdictRow, ...]:
    """Return the verdicts in the order in which they are read, each with its statement and sources as far as known."""
    known = {prop.name: prop for prop in properties}
    rows = []
    for verdict in sorted(verdicts, key=_reading_order):
        prop, promise = known.get(verdict.property), promises.get(verdict.property)
        rows.append(
            VerdictRow(
                verdict,
                statement=prop.sentence if prop is not None else "",
                source=prop.source if prop is not None else "",
                promise_source=_said(promise, verdict.promised_by),
            )
        )
    return tuple(rows)


def _said(promise: Promise | None, by: str) -> str:
    """Return the source of a promise or an admission, and who says that the source states it."""
    if promise is None:
        return f"promised, as {by} says" if by else ""
    word = "admitted" if promise.word is PromiseWord.WEAKNESS else promise.word.value
    return f"{word} in {promise.source}{f' ({by} says so)' if by else ''}"


def stories_of(rows: Iterable[VerdictRow]) -> tuple[WitnessStory, ...]:
    """Return the stories of all verdicts that have a witness, in the order of the verdicts."""
    return tuple(explain(row.verdict) for row in rows if row.verdict.witness)


def headline(verdicts: Iterable[Verdict]) -> str:
    """Return a sentence with the verdict on all promised properties, and one on losses that break no promise."""
    found = list(verdicts)
    lost = f" Not promised here, and broken: {', '.join(names)}." if (names := _lost(found)) else ""
    return _of_promised([verdict for verdict in found if verdict.promise is PromiseLevel.PROMISED]) + lost


def _lost(verdicts: Sequence[Verdict]) -> list[str]:
    """Return the broken properties that are about data and not promised: a run with such a loss must not look good."""
    from gridproof_properties.catalogue import CATALOGUE  # imported here: it loads every judge

    broken = {one.property for one in verdicts if one.result is Result.BROKEN}
    broken -= {one.property for one in verdicts if one.promise is PromiseLevel.PROMISED}
    return [one.name for one in CATALOGUE if one.severity is Severity.DATA_LOSS and one.name in broken]


def _of_promised(promised: Sequence[Verdict]) -> str:
    if not promised:
        return "Nothing was promised, so nothing can be broken."
    total = f"{len(promised)} promised {'property' if len(promised) == 1 else 'properties'}"
    results = [verdict.result for verdict in promised]
    worst = worst_of(results)
    count = results.count(worst)
    match worst:
        case Result.HOLDS:
            return f"All {total} hold." if len(promised) > 1 else f"The {total} holds."
        case Result.UNKNOWN:
            held = results.count(Result.HOLDS)
            return f"{held} of {total} {'holds' if held == 1 else 'hold'}, none is broken; {_unknown(promised)}."
        case Result.BROKEN:
            return f"{count} of {total} {'is' if count == 1 else 'are'} broken."
    assert_never(worst)


def _unknown(verdicts: Iterable[Verdict]) -> str:
    """Return, for each reason, how many verdicts are unknown."""
    counts = Counter(standing_of(verdict) for verdict in verdicts if verdict.result is Result.UNKNOWN)
    return listed([f"{counts[standing]} {standing.value}" for standing in Standing if counts[standing]])


_READ_FIRST = (
    Standing.BROKEN,
    Standing.ADMITTED,
    Standing.NOT_HELD,
    Standing.UNDECIDED,
    Standing.OUT_OF_SCOPE,
    Standing.HELD,
    Standing.NEVER_MET,
    Standing.NOT_LOOKED_AT,
)


def _reading_order(verdict: Verdict) -> tuple[int, int, str]:
    promise = list(PromiseLevel).index(verdict.promise)
    return promise, _READ_FIRST.index(standing_of(verdict)), verdict.property


def explain(verdict: Verdict) -> WitnessStory:
    """Return the story of a verdict's witness."""
    steps = tuple(WitnessStep(words, members_named(words)) for words in verdict.witness)
    named = sorted({member for step in steps for member in step.members})
    lanes = tuple(named) if len(named) <= LANES_MAX else ()
    return WitnessStory(verdict.property, verdict.promise, verdict.sentence, lanes, steps)


def members_named(words: str) -> tuple[int, ...]:
    """Return the member numbers that a sentence names, in ascending order."""
    numbers = {int(number) for found in _NAMED.findall(words) for number in re.findall(r"\d+", found)}
    return tuple(sorted(numbers))
