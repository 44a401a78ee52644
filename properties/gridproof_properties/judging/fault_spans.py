"""Which faults struck, and until when each has an effect.

A span is that of a fault that a harness recorded (`fault-begun`), or of a member that ended without one. It is what an
admitted weakness is about, and by it a run has calm parts: before the first fault, and where none is under way and the
time is over within which the system is to be itself again.
"""

from collections.abc import Collection, Iterator, Set
from dataclasses import dataclass, field
from math import inf

from gridproof_model.events.conditions import Admitted, FaultBegun, FaultEnded
from gridproof_model.events.words import Begins, Ends
from gridproof_model.trace import MemberChange, MemberRecord

ENDED = {MemberChange.CRASHED: "crash", MemberChange.LEFT: "leave"}
"""How the end of a member is called where no fault was recorded."""


@dataclass(slots=True)
class FaultSpan:
    """One fault."""

    fault: str
    words: str
    begin_ms: int
    heal_ms: float = inf
    """When it was over."""
    rest_ms: float = inf
    """When the grid was at rest after that."""
    struck: bool = True
    """Whether it did anything."""
    harms: Collection[str] = ()
    """What it does to the grid, as whoever recorded it says."""


@dataclass(slots=True)
class FaultSpans:
    """All faults of a run so far; mutable."""

    restored_within_ms: int = 0
    """How long after a fault the system may need to be itself again."""
    seen: list[FaultSpan] = field(default_factory=list)
    """In the order in which they began."""

    def begin(self, at_ms: int, fault: FaultBegun) -> None:
        """Take in that a fault begins."""
        self.seen.append(FaultSpan(fault.fault, fault.words, at_ms, harms=fault.harms))

    def heal(self, at_ms: int, fault: FaultEnded) -> None:
        """Take in that it is over; one that struck nobody was none."""
        for span in self.seen:
            if (span.fault, span.words, span.heal_ms) == (fault.fault, fault.words, inf):
                span.heal_ms, span.struck = at_ms, fault.struck

    def end(self, record: MemberRecord) -> None:
        """Take in that a member ended; what a fault that is under way does is that fault's."""
        fault = ENDED.get(record.change)
        if fault is not None and not any(one.heal_ms == inf for one in self.seen):
            self.seen.append(FaultSpan(fault, "", record.at_ms, record.at_ms))

    def rest(self, at_ms: int) -> None:
        """Take in that the grid is at rest."""
        for span in self.seen:
            if span.heal_ms <= at_ms and span.rest_ms == inf:
                span.rest_ms = at_ms

    def find(self, weakness: Admitted, start_ms: float, end_ms: float) -> FaultSpan | None:
        """Return the span of the fault that brought a weakness about within an interval; None where none did."""
        effects = self.effects_of(weakness)
        return next((span for span, begin, until in effects if begin <= end_ms and until >= start_ms), None)

    def effects_of(self, weakness: Admitted) -> Iterator[tuple[FaultSpan, float, float]]:
        """Yield the faults that brought a weakness about, each with when it was in effect first and last."""
        for span in self.seen:
            begin_ms = span.begin_ms if weakness.begins is Begins.FAULT else span.heal_ms
            until_ms = {Ends.HEAL: span.heal_ms, Ends.REST: span.rest_ms, Ends.NEVER: inf}[weakness.ends]
            if span.struck and span.fault in weakness.faults:
                yield span, begin_ms, until_ms

    @property
    def first_ms(self) -> float:
        """When the first fault began that struck; infinite where none did."""
        return min((span.begin_ms for span in self.seen if span.struck), default=inf)

    def is_lately_over(self, harms: Set[str], since_ms: float) -> bool:
        """Whether a fault that does one of these harms was over at a moment or later."""
        return any(since_ms <= span.heal_ms < inf and not harms.isdisjoint(span.harms) for span in self.seen)

    def is_calm(self, start_ms: float, end_ms: float) -> bool:
        """Whether an interval lies in a calm part; one without an end goes on until what is known now."""
        return all(
            end_ms < span.begin_ms or start_ms >= span.heal_ms + self.restored_within_ms
            for span in self.seen
            if span.struck
        )
