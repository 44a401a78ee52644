"""What clients met over time, and what each fault changed of it.

A fold over the records of a run: the operations while clients were at work, with begin, end and outcome, and the spans
of its faults. What was under way while a fault lasted, or a second behind it, is held against what was under way in
none of these spans: longer waits, calls refused or of unknown outcome, tables that changed, members that came or went.
A fault that changed nothing of it may still be one: then the load, or what is measured, is not such that it shows.
Judges nothing.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from statistics import median

from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.trace import EventRecord, MemberRecord, OperationRecord, Outcome, Record, ViewRecord
from gridproof_properties.judging.incidents import FaultSpan, FaultSpans
from gridproof_properties.judging.words import count
from gridproof_properties.judging.work import BUSY

OPERATIONS_MAX = 500_000
"""What is kept of a run; of a longer one the first."""
BEHIND_MS = 1_000
"""So long behind its end a fault is still felt: connections are made anew, calls sent again."""
LONGER, LONGER_MS = 1.5, 5
"""A wait is longer than in the calm by more than this factor and so many ms."""


@dataclass(frozen=True, slots=True)
class Met:
    """One operation while clients were at work."""

    start_ms: int
    end_ms: int
    outcome: Outcome

    @property
    def waited_ms(self) -> int:
        """How long its client waited."""
        return self.end_ms - self.start_ms


@dataclass(frozen=True, slots=True)
class Waits:
    """How some operations went."""

    operations: int
    median_ms: float
    longest_ms: int
    refused: int
    unknown: int

    @classmethod
    def of(cls, met: Sequence[Met]) -> "Waits":
        """Sum them up; all is 0 where there are none."""
        ends = Counter(one.outcome for one in met)
        waited = [one.waited_ms for one in met] or [0]
        return cls(len(met), median(waited), max(waited), ends[Outcome.REFUSED], ends[Outcome.UNKNOWN])

    @property
    def failed_share(self) -> float:
        """Which part was refused, or is of unknown outcome."""
        return (self.refused + self.unknown) / self.operations if self.operations else 0.0


@dataclass(frozen=True, slots=True)
class FaultEffect:
    """What was measured while a fault lasted, beside the calm."""

    span: FaultSpan
    during: Waits
    calm: Waits
    tables: int
    """Tables shown meanwhile that were others than before."""
    members: int
    """Members that came or went."""

    @property
    def changes(self) -> list[str]:
        """Return what is other than in the calm, a clause each; none where nothing is."""
        during, calm = self.during, self.calm
        found = [count(self.members, "change") + " of members"] if self.members else []
        found += [count(self.tables, "table") + " changed"] if self.tables else []
        if during.failed_share > calm.failed_share:
            found += [f"{n:,} {word}" for n, word in ((during.refused, "refused"), (during.unknown, "unknown")) if n]
        waits = {"median": (during.median_ms, calm.median_ms), "longest": (during.longest_ms, calm.longest_ms)}
        longer = {word: both for word, both in waits.items() if both[0] > LONGER * both[1] + LONGER_MS}
        return found + [f"{word} wait {now:,.0f} ms instead of {usual:,.0f}" for word, (now, usual) in longer.items()]

    def as_object(self) -> Mapping[str, object]:
        """Return what `--json` says."""
        span = {"fault": self.span.fault, "begin_ms": self.span.begin_ms, "end_ms": self.span.heal_ms}
        return {**span, "changes": self.changes, "during": asdict(self.during), "calm": asdict(self.calm)}

    def describe(self) -> str:
        """Return in a clause what it changed."""
        if not self.span.struck:
            return "struck nobody"
        if not self.during.operations:
            return "no operation was under way"
        if not self.calm.operations:
            return "there was no calm to compare with"
        return ", ".join(self.changes) or "changed nothing that was measured"


@dataclass(slots=True)
class OverTime:
    """Gathers both over the records of a run."""

    met: list[Met] = field(default_factory=list)
    spans: FaultSpans = field(default_factory=FaultSpans)
    _tables_ms: list[int] = field(default_factory=list)
    _members_ms: list[int] = field(default_factory=list)
    _last_ms: int = 0

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case OperationRecord() if record.stage == BUSY and len(self.met) < OPERATIONS_MAX:
                self.met.append(Met(record.start_ms, record.end_ms, record.outcome))
                self._last_ms = max(self._last_ms, record.end_ms)
            case EventRecord(event=FaultBegun() as begun):
                self.spans.begin(record.at_ms, begun)
            case EventRecord(event=FaultEnded() as ended):
                self.spans.heal(record.at_ms, ended)
            case ViewRecord() if record.stage == BUSY:
                self._tables_ms.append(record.at_ms)
            case MemberRecord():
                self._members_ms.append(record.at_ms)
            case _:
                pass

    @property
    def first_fault_ms(self) -> int | None:
        """When the first fault began, if one has."""
        return min((span.begin_ms for span in self.spans.seen), default=None)

    def faults(self) -> list[FaultSpan]:
        """Return the faults in the order in which they began; one that nobody ended lasts to the last operation."""
        return [
            span if isfinite(span.heal_ms) else replace(span, heal_ms=max(span.begin_ms, self._last_ms))
            for span in self.spans.seen
        ]

    def effects(self) -> list[FaultEffect]:
        """Return what each fault changed."""
        spans = self.faults()
        calm = Waits.of([one for one in self.met if not any(_overlaps(one, span) for span in spans)])
        return [
            FaultEffect(
                span,
                Waits.of([one for one in self.met if _overlaps(one, span)]),
                calm,
                _within(self._tables_ms, span),
                _within(self._members_ms, span),
            )
            for span in spans
        ]


def _overlaps(one: Met, span: FaultSpan) -> bool:
    return one.start_ms <= span.heal_ms + BEHIND_MS and span.begin_ms <= one.end_ms


def _within(moments_ms: Iterable[int], span: FaultSpan) -> int:
    return sum(span.begin_ms <= at_ms <= span.heal_ms + BEHIND_MS for at_ms in moments_ms)
