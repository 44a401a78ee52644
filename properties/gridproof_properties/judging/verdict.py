"""What a judge can conclude: holds, broken or unknown.

A verdict has one of three results, and results are combined by a rule: broken takes precedence over unknown, and
unknown over holds; a judge that could not look, or that crashed, gives unknown, never holds. A verdict says how many
comparisons it is based on. A property that the system under test never promised is reported with its promise level, and
never fails a run.

The module also defines how every page counts a verdict (`Standing`).

The module also has the values that describe a refusal: the event that was refused, and what was explained just before
it. These values are plain texts and records, not states: they outlive the run, and reports draw them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from gridproof_model.trace import EventRecord, MemberRecord, Record, ViewRecord
from gridproof_model.value import Immutable
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.by_proof import ByProof

Element = tuple[str, int]
"""An element of an index set, with the name of the set before it: ("member", 2)."""


@dataclass(frozen=True, slots=True)
class LogLine(Immutable):
    """A line of a log, with its line number."""

    number: int
    """The line's number; the first line is 1."""
    fields: tuple[tuple[str, object], ...]
    kind: str = ""
    """The kind of the line, which is the only part of the line that is printed."""

    def __str__(self) -> str:
        return self.kind


Recorded = Record | LogLine
"""What one step of a behaviour explains: a record of a trace, or a line of a log."""


@dataclass(frozen=True, slots=True)
class Occurrence(Immutable):
    """A recorded event, as a specification understands it."""

    text: str
    """The event in a few words."""
    recorded: Recorded | None
    """The record that the event was read from; None if it is not known which one it was."""
    actions: tuple[str, ...] = ()
    """The actions that the event stands for; for a refused event, the actions that it might have stood for."""
    named: tuple[Element, ...] = ()
    """The elements, for instance members, that these actions name."""

    @property
    def at_ms(self) -> int:
        """When the event happened; 0 for a line of a log, or if the time is not known."""
        return self.recorded.at_ms if isinstance(self.recorded, EventRecord | MemberRecord | ViewRecord) else 0


@dataclass(frozen=True, slots=True)
class Refusal(Immutable):
    """The first event of a behaviour that its specification refused."""

    whose: str
    """What the behaviour is about, such as one partition; empty if the run has only one behaviour."""
    why: str
    """The refused event, and what is wrong with it, in one sentence."""
    event: Occurrence
    before: tuple[Occurrence, ...]
    """The last events that were explained before the refused one, the newest last."""
    left_out: int
    """How many further events were explained before these."""


class Result(StrEnum):
    """The result of a verdict; `severity` orders the results, the worst last."""

    HOLDS = "holds"
    UNKNOWN = "unknown"
    BROKEN = "broken"

    @property
    def severity(self) -> int:
        """0 for holds, 1 for unknown and 2 for broken."""
        return list(Result).index(self)

    @property
    def exit_status(self) -> int:
        """The exit status of a command that ends with this result as its worst."""
        match self:
            case Result.HOLDS:
                return ExitStatus.HOLDS
            case Result.UNKNOWN:
                return ExitStatus.UNKNOWN
            case Result.BROKEN:
                return ExitStatus.BROKEN
            case _:
                assert_never(self)


class Reason(StrEnum):
    """Why a verdict is unknown."""

    NEVER_MET = "never met"
    """The run has the records, but the situation that the property is about did not occur."""
    NOT_LOOKED_AT = "not looked at"
    """The run has none of the records that the property needs."""
    OUT_OF_SCOPE = "out of scope"
    """A recorded cause suspends the promise for every comparison."""
    UNDECIDED = "undecided"
    """The records leave it open, for instance because a read has no answer, or because a search takes too long."""
    JUDGE_FAILED = "judge failed"
    """The judge itself failed."""


class PromiseLevel(StrEnum):
    """What the documents of the system under test say about a property."""

    PROMISED = "promised"
    WEAKNESS = "weakness"
    """Documented as something that can go wrong: it is counted and shown, but never fails a run."""
    NONE = "none"
    """Not promised at all, or about something that the system does not offer."""


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """The comparisons about which the property claims nothing because of one recorded cause."""

    cause: str
    """The cause in words, such as "a message about the partition got lost"."""
    source: str
    """The document which says that the promise ends with this cause."""
    compared: int
    failed: int
    """How many of these comparisons failed: this is how often the documented weakness showed."""


@dataclass(frozen=True, slots=True)
class Verdict(Immutable):
    """The result of judging one property in one run."""

    property: str
    result: Result
    sentence: str
    """One sentence, clear without the code: what holds, and over how many comparisons, or what is broken."""
    witness: tuple[str, ...] = ()
    """The shortest story that shows the failure, one sentence per step; only if the property is broken."""
    promise: PromiseLevel = PromiseLevel.PROMISED
    compared: int = 0
    """How many comparisons in scope could have failed; at least 1 if the verdict is "holds"."""
    reason: Reason | None = None
    """Why the verdict is unknown; None if the verdict is holds or broken."""
    out_of_scope: tuple[OutOfScope, ...] = ()
    promised_by: str = ""
    """The document that makes the promise, or a note that there is none; empty if neither was given."""
    refusal: Refusal | None = field(default=None, compare=False, repr=False)
    """For a broken refinement: the refused event, so that it can be drawn; a trace does not keep this event."""
    by_proof: ByProof | None = field(default=None, compare=False, repr=False)
    """For a refinement, the claims that hold in every behaviour that explains the run; a trace does not keep them."""


def exit_status(verdicts: Iterable[Verdict]) -> int:
    """Return the exit status of a run: only promised properties count; if there are none, it is that of unknown."""
    return outcome(verdicts).exit_status


def outcome(verdicts: Iterable[Verdict]) -> Result:
    """Return the worst result among the verdicts on promised properties; unknown if nothing was promised."""
    return worst_of(v.result for v in verdicts if v.promise is PromiseLevel.PROMISED)


def is_blind(verdicts: Iterable[Verdict]) -> bool:
    """Whether no promised property was compared: then nothing is known, whatever was found of the other properties."""
    return not any(v.promise is PromiseLevel.PROMISED and (v.compared or v.result is Result.BROKEN) for v in verdicts)


def worst_of(results: Iterable[Result]) -> Result:
    """Return the worst of some results; unknown if there are none."""
    return max(results, key=lambda result: result.severity, default=Result.UNKNOWN)


Weakness = tuple[str, str, str]
"""A property, a cause that suspends the property's promise, and the source that says so."""


class Standing(StrEnum):
    """How a verdict on one property in one run counts."""

    HELD = "held"
    BROKEN = "broken"
    ADMITTED = "admitted"
    """Broken, and documented as something that can go wrong."""
    NOT_HELD = "not held"
    """Broken, and neither promised nor documented."""
    OUT_OF_SCOPE = "out of scope"
    NOT_LOOKED_AT = "not looked at"
    NEVER_MET = "never met"
    UNDECIDED = "undecided"


_BROKEN = {
    PromiseLevel.PROMISED: Standing.BROKEN,
    PromiseLevel.WEAKNESS: Standing.ADMITTED,
    PromiseLevel.NONE: Standing.NOT_HELD,
}


def standing_of(verdict: Verdict) -> Standing:
    """Return how a verdict counts."""
    match verdict.result, verdict.reason:
        case Result.HOLDS, _:
            return Standing.HELD
        case Result.BROKEN, _:
            return _BROKEN[verdict.promise]
        case _, Reason.OUT_OF_SCOPE:
            return Standing.OUT_OF_SCOPE
        case _, Reason.NOT_LOOKED_AT:
            return Standing.NOT_LOOKED_AT
        case _, Reason.NEVER_MET:
            return Standing.NEVER_MET
        case _:
            return Standing.UNDECIDED


def weaknesses_of(verdicts: Iterable[Verdict]) -> dict[Weakness, tuple[int, int]]:
    """Return, over all verdicts, what was compared out of scope and how much of it failed."""
    found: dict[Weakness, tuple[int, int]] = {}
    for verdict in verdicts:
        for out in verdict.out_of_scope:
            key = (verdict.property, out.cause, out.source)
            compared, failed = found.get(key, (0, 0))
            found[key] = (compared + out.compared, failed + out.failed)
    return found
