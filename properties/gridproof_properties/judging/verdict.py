"""What a judge can say: holds, broken, unknown.

There are three verdicts and a rule for joining them: broken beats unknown, unknown beats holds; a judge that could not
look or that crashed gives unknown, never holds. A verdict says how many comparisons it rests on. A property that a
subject never promised is reported with its promise level, and never fails a run.

The module also defines what a verdict counts as, on every page.

The module also holds what is shown of a refusal: the event that is refused, and what was explained just before it. The
values are plain texts and records, without states: they outlive the run, and reports draw them.
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
"""An element of an index set, after the name of the set: ("member", 2)."""


@dataclass(frozen=True, slots=True)
class LogLine(Immutable):
    """A line of a log, with its line number."""

    number: int
    """The line's number; the first line is 1."""
    fields: tuple[tuple[str, object], ...]
    kind: str = ""
    """The kind of the line; only this is printed."""

    def __str__(self) -> str:
        return self.kind


Recorded = Record | LogLine
"""What one step of a behaviour explains: a record of a trace, or a line of a log."""


@dataclass(frozen=True, slots=True)
class Occurrence(Immutable):
    """A recorded event, as a specification takes it."""

    text: str
    """The event in a few words."""
    recorded: Recorded | None
    """None if it is not known which record it was."""
    actions: tuple[str, ...] = ()
    """The actions that the event was taken as; for a refused event, those that it might have been."""
    named: tuple[Element, ...] = ()
    """The elements, members for instance, that these actions name."""

    @property
    def at_ms(self) -> int:
        """When the event happened; 0 for a line of a log, or if it is not known."""
        return self.recorded.at_ms if isinstance(self.recorded, EventRecord | MemberRecord | ViewRecord) else 0


@dataclass(frozen=True, slots=True)
class Refusal(Immutable):
    """The first event of a behaviour that its specification refuses."""

    whose: str
    """What the behaviour is about, such as one partition; empty if the run has only one behaviour."""
    why: str
    """The event, and what is wrong with it, in one sentence."""
    event: Occurrence
    before: tuple[Occurrence, ...]
    """What was explained just before it, the newest last."""
    left_out: int
    """How many further steps were explained before these."""


class Result(StrEnum):
    """The verdict itself, worst last by `severity`."""

    HOLDS = "holds"
    UNKNOWN = "unknown"
    BROKEN = "broken"

    @property
    def severity(self) -> int:
        """0 for holds, 1 for unknown, 2 for broken."""
        return list(Result).index(self)

    @property
    def exit_status(self) -> int:
        """The exit status of a command whose worst verdict this is."""
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
    """The records are there, but the situation that the property is about did not occur."""
    NOT_LOOKED_AT = "not looked at"
    """The run has none of the records that the property needs."""
    OUT_OF_SCOPE = "out of scope"
    """A recorded cause suspends the promise for every comparison."""
    UNDECIDED = "undecided"
    """What was seen leaves it open, as a read without an answer does, or a search that takes too long."""
    JUDGE_FAILED = "judge failed"
    """The judge itself broke down."""


class PromiseLevel(StrEnum):
    """What the subject's own documents say about a property."""

    PROMISED = "promised"
    WEAKNESS = "weakness"
    """Documented as something that can go wrong: counted and shown, never a failure."""
    NONE = "none"
    """Not promised at all, or not offered."""


@dataclass(frozen=True, slots=True)
class OutOfScope:
    """Comparisons about which the property claims nothing, for one recorded cause."""

    cause: str
    """In words: "a message about the partition got lost"."""
    source: str
    """The document that says that the promise ends with this cause."""
    compared: int
    failed: int
    """How many of these comparisons would have been failures: how often the documented weakness showed."""


@dataclass(frozen=True, slots=True)
class Verdict(Immutable):
    """One property of one run, judged."""

    property: str
    result: Result
    sentence: str
    """One sentence, to be understood without the code: what holds, over how many comparisons, or what is broken."""
    witness: tuple[str, ...] = ()
    """The smallest story that shows it, one sentence per step; only if broken."""
    promise: PromiseLevel = PromiseLevel.PROMISED
    compared: int = 0
    """Comparisons in scope that could have failed; a verdict that holds has at least one."""
    reason: Reason | None = None
    """Why the verdict is unknown; None if it is not unknown."""
    out_of_scope: tuple[OutOfScope, ...] = ()
    promised_by: str = ""
    """Which document makes the promise, or that there is none; empty if that was not given."""
    refusal: Refusal | None = field(default=None, compare=False, repr=False)
    """For a broken refinement, the event that was refused, to be drawn; a trace does not keep it."""
    by_proof: ByProof | None = field(default=None, compare=False, repr=False)
    """For a refinement, the claims that hold in every behaviour that explains the run; a trace does not keep them."""


def exit_status(verdicts: Iterable[Verdict]) -> int:
    """Return the exit status of a run: only promised properties count; no promised verdict at all is unknown."""
    return outcome(verdicts).exit_status


def outcome(verdicts: Iterable[Verdict]) -> Result:
    """Return the worst verdict on a promised property; unknown when nothing was promised."""
    return worst_of(v.result for v in verdicts if v.promise is PromiseLevel.PROMISED)


def is_blind(verdicts: Iterable[Verdict]) -> bool:
    """Whether no promised property was compared: then nothing is known, whatever became of properties that are not
    promised."""
    return not any(v.promise is PromiseLevel.PROMISED and (v.compared or v.result is Result.BROKEN) for v in verdicts)


def worst_of(results: Iterable[Result]) -> Result:
    """Return the worst of some results; unknown if there are none."""
    return max(results, key=lambda result: result.severity, default=Result.UNKNOWN)


Weakness = tuple[str, str, str]
"""A property, a cause that suspends its promise, and the source that says so."""


class Standing(StrEnum):
    """What a verdict on one property in one run counts as."""

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
    """Return what a verdict counts as."""
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
    """Return what was compared out of scope and how much of it failed, over all verdicts."""
    found: dict[Weakness, tuple[int, int]] = {}
    for verdict in verdicts:
        for out in verdict.out_of_scope:
            key = (verdict.property, out.cause, out.source)
            compared, failed = found.get(key, (0, 0))
            found[key] = (compared + out.compared, failed + out.failed)
    return found
