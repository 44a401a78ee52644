"""What clients experienced during a run, and how each fault changed it.

The data come from the records of a run: the operations while clients were at work, with beginning, end and outcome, and
the spans of the faults. Operations under way during a fault, or up to a second after it, are compared with operations
under way in no such span: were waits longer, calls refused or of unknown outcome, did tables change, did members join
or end? If a fault changed nothing that is compared, it may still have had an effect, which this load, or this measure,
does not show. Judges nothing.
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
"""The most operations of a run that are kept; in a run with more, the first operations are kept."""
BEHIND_MS = 1_000
"""How long a fault has effects after its end: connections are made anew, and calls are sent again."""
LONGER, LONGER_MS = 1.5, 5
"""A wait counts as longer than in calm times if it exceeds the waits there by more than this factor and so many ms."""


@dataclass(frozen=True, slots=True)
class Met:
    """One operation that a client made while clients were at work."""

    start_ms: int
    end_ms: int
    outcome: Outcome

    @property
    def waited_ms(self) -> int:
        """How long the client of the operation waited."""
        return self.end_ms - self.start_ms


@dataclass(frozen=True, slots=True)
class Waits:
    """The waits and outcomes of a set of operations."""

    operations: int
    median_ms: float
    longest_ms: int
    refused: int
    unknown: int

    @classmethod
    def of(cls, met: Sequence[Met]) -> "Waits":
        """Summarise a set of operations; all numbers are 0 if the set is empty."""
        ends = Counter(one.outcome for one in met)
        waited = [one.waited_ms for one in met] or [0]
        return cls(len(met), median(waited), max(waited), ends[Outcome.REFUSED], ends[Outcome.UNKNOWN])

    @property
    def failed_share(self) -> float:
        """The share of operations that were refused, or whose outcome is unknown."""
        return (self.refused + self.unknown) / self.operations if self.operations else 0.0


@dataclass(frozen=True, slots=True)
class FaultEffect:
    """What was measured during a fault, and in calm times."""

    span: FaultSpan
    during: Waits
    calm: Waits
    tables: int
    """The number of tables shown during the fault that differed from the table shown before by the same member."""
    members: int
    """The number of members that joined or ended during the fault."""

    @property
    def changes(self) -> list[str]:
        """Return what was different from calm times, one clause for each difference; empty if there is none."""
        during, calm = self.during, self.calm
        found = [count(self.members, "change") + " of members"] if self.members else []
        found += [count(self.tables, "table") + " changed"] if self.tables else []
        if during.failed_share > calm.failed_share:
            found += [f"{n:,} {word}" for n, word in ((during.refused, "refused"), (during.unknown, "unknown")) if n]
        waits = {"median": (during.median_ms, calm.median_ms), "longest": (during.longest_ms, calm.longest_ms)}
        longer = {word: both for word, both in waits.items() if both[0] > LONGER * both[1] + LONGER_MS}
        return found + [f"{word} wait {now:,.0f} ms instead of {usual:,.0f}" for word, (now, usual) in longer.items()]

    def as_object(self) -> Mapping[str, object]:
        """Return what `--json` prints."""
        span = {"fault": self.span.fault, "begin_ms": self.span.begin_ms, "end_ms": self.span.heal_ms}
        return {**span, "changes": self.changes, "during": asdict(self.during), "calm": asdict(self.calm)}

    def describe(self) -> str:
        """Return a clause that says what the fault changed."""
        if not self.span.struck:
            return "struck nobody"
        if not self.during.operations:
            return "no operation was under way"
        if not self.calm.operations:
            return "there was no calm to compare with"
        return ", ".join(self.changes) or "changed nothing that was measured"


@dataclass(slots=True)
class OverTime:
    """Gathers the operations and fault spans of a run from its records."""

    met: list[Met] = field(default_factory=list)
    spans: FaultSpans = field(default_factory=FaultSpans)
    _tables_ms: list[int] = field(default_factory=list)
    _members_ms: list[int] = field(default_factory=list)
    _last_ms: int = 0

    def observe(self, record: Record) -> None:
        """Read the next record."""
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
        """Return when the first fault began; None if there was none."""
        return min((span.begin_ms for span in self.spans.seen), default=None)

    def faults(self) -> list[FaultSpan]:
        """Return the faults in the order in which they began; a fault whose end is not recorded lasts to the last
        operation."""
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
