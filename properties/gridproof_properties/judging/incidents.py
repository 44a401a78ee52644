"""What happened to partitions and how long its effect lasted; which faults took effect, and for how long.

An incident is one cause on one partition; it is in effect from when it began until the grid is at rest again. Memory:
one entry per cause, partition and rest.

A fault span belongs to a fault that a harness recorded (`fault-begun`), or to the end of a member without any such
fault. Admitted weaknesses refer to fault spans. The spans also show which parts of a run are calm: the part before the
first fault, and every part in which no fault is under way and the system has had its stated time to recover from the
last fault.
"""

from collections.abc import Collection, Iterable, Iterator, Set
from dataclasses import dataclass, field
from itertools import chain
from math import inf

from gridproof_model.events.conditions import Admitted, FaultBegun, FaultEnded
from gridproof_model.events.words import Begins, Ends
from gridproof_model.trace import MemberChange, MemberRecord
from gridproof_properties.judging.causes import Cause

EVERY_PARTITION = -1


@dataclass(slots=True)
class Incident:
    """One cause on one partition, between two rests of the grid."""

    cause: Cause
    first_ms: int
    last_ms: int
    bits: int
    """The value of the cause, for quick look-ups."""
    until_ms: float = inf
    """The time of the rest that ended the incident's effect; infinite until that rest."""
    count: int = 1


@dataclass(slots=True)
class Incidents:
    """All incidents of a run so far; mutable."""

    begun: int = 0
    """The bits of the causes of all incidents."""
    last_rest_ms: int = -1
    """When the grid was last seen at rest; -1 before the first rest."""
    _on_partition: dict[int, list[Incident]] = field(default_factory=dict)
    """For each partition, its incidents in the order of their beginnings; `EVERY_PARTITION` has those on all."""
    _open: set[int] = field(default_factory=set)
    """Partitions with an incident that began since the latest rest."""

    def find(self, causes: Cause, partition: int | None, start_ms: float, end_ms: float = inf) -> Incident | None:
        """Return the first incident with one of these causes that was in effect on a partition within an interval.

        Partition None means any partition. An incident is in effect from when it began until the grid is at
        rest again.
        """
        bits = causes.value if self.begun else 0
        for incident in self._on(partition) if bits & self.begun else ():
            if incident.bits & bits and incident.first_ms <= end_ms and incident.until_ms >= start_ms:
                return incident
        return None

    def find_ever(self, causes: Cause, partition: int | None, end_ms: float = inf) -> Incident | None:
        """Return the first incident with one of these causes that began on a partition at a given time or before."""
        bits = causes.value
        for incident in self._on(partition):
            if incident.bits & bits and incident.first_ms <= end_ms:
                return incident
        return None

    def is_calm(self, partition: int | None) -> bool:
        """Whether nothing has happened to a partition since the grid was last at rest."""
        if not self._open:
            return True
        return partition is not None and partition not in self._open and EVERY_PARTITION not in self._open

    def begin(self, cause: Cause, partition: int, at_ms: int) -> None:
        """Note that a cause takes effect on a partition, or is still in effect."""
        incidents = self._on_partition.setdefault(partition, [])
        for incident in reversed(incidents):
            if incident.first_ms <= self.last_rest_ms:
                break
            if incident.cause is cause and incident.until_ms == inf:
                incident.last_ms, incident.count = at_ms, incident.count + 1
                return
        incidents.append(Incident(cause, at_ms, at_ms, cause.value))
        self.begun |= cause.value
        self._open.add(partition)

    def count_leaver(self, at_ms: int) -> None:
        """Note that the end of a member counted as an acknowledgement: at that moment, and not later."""
        cause = Cause.LEAVER_COUNTED
        self._on_partition.setdefault(EVERY_PARTITION, []).append(Incident(cause, at_ms, at_ms, cause.value, at_ms))
        self.begun |= cause.value

    def rest(self, at_ms: int) -> None:
        """End all incidents: the grid is at rest."""
        self.last_rest_ms = at_ms
        self._open.clear()
        for incidents in self._on_partition.values():
            for incident in reversed(incidents):
                if incident.until_ms < inf and incident.cause is not Cause.LEAVER_COUNTED:
                    break
                incident.until_ms = min(incident.until_ms, at_ms)

    def _on(self, partition: int | None) -> Iterable[Incident]:
        if partition is None:
            return chain.from_iterable(self._on_partition.values())
        return chain(self._on_partition.get(EVERY_PARTITION, ()), self._on_partition.get(partition, ()))


ENDED = {MemberChange.CRASHED: "crash", MemberChange.LEFT: "leave"}
"""The name of the fault that stands for the end of a member, if no fault was recorded."""


@dataclass(slots=True)
class FaultSpan:
    """One fault, with its beginning and its end."""

    fault: str
    words: str
    begin_ms: int
    heal_ms: float = inf
    """When the fault was over."""
    rest_ms: float = inf
    """When the grid was at rest again after the fault."""
    struck: bool = True
    """Whether the fault affected any member."""
    harms: Collection[str] = ()
    """The kinds of harm that the fault can do, as the harness recorded them."""


@dataclass(slots=True)
class FaultSpans:
    """All faults of a run so far; mutable."""

    restored_within_ms: int = 0
    """How long after a fault the system may need to recover."""
    seen: list[FaultSpan] = field(default_factory=list)
    """The spans, in the order in which the faults began."""

    def begin(self, at_ms: int, fault: FaultBegun) -> None:
        """Note that a fault begins."""
        self.seen.append(FaultSpan(fault.fault, fault.words, at_ms, harms=fault.harms))

    def heal(self, at_ms: int, fault: FaultEnded) -> None:
        """Note that a fault is over; it does not count if it affected no member."""
        for span in self.seen:
            if (span.fault, span.words, span.heal_ms) == (fault.fault, fault.words, inf):
                span.heal_ms, span.struck = at_ms, fault.struck

    def end(self, record: MemberRecord) -> None:
        """Note that a member ended; while a fault is under way, the end belongs to that fault."""
        fault = ENDED.get(record.change)
        if fault is not None and not any(one.heal_ms == inf for one in self.seen):
            self.seen.append(FaultSpan(fault, "", record.at_ms, record.at_ms))

    def rest(self, at_ms: int) -> None:
        """Note that the grid is at rest."""
        for span in self.seen:
            if span.heal_ms <= at_ms and span.rest_ms == inf:
                span.rest_ms = at_ms

    def find(self, weakness: Admitted, start_ms: float, end_ms: float) -> FaultSpan | None:
        """Return the span of a fault that caused a weakness within an interval, or None."""
        effects = self.effects_of(weakness)
        return next((span for span, begin, until in effects if begin <= end_ms and until >= start_ms), None)

    def effects_of(self, weakness: Admitted) -> Iterator[tuple[FaultSpan, float, float]]:
        """Yield the faults that caused a weakness, each with the first and last time of its effect."""
        for span in self.seen:
            begin_ms = span.begin_ms if weakness.begins is Begins.FAULT else span.heal_ms
            until_ms = {Ends.HEAL: span.heal_ms, Ends.REST: span.rest_ms, Ends.NEVER: inf}[weakness.ends]
            if span.struck and span.fault in weakness.faults:
                yield span, begin_ms, until_ms

    @property
    def first_ms(self) -> float:
        """Return when the first fault that affected a member began; infinite if none did."""
        return min((span.begin_ms for span in self.seen if span.struck), default=inf)

    def is_lately_over(self, harms: Set[str], since_ms: float) -> bool:
        """Whether a fault that does one of these kinds of harm ended at `since_ms` or later."""
        return any(since_ms <= span.heal_ms < inf and not harms.isdisjoint(span.harms) for span in self.seen)

    def is_calm(self, start_ms: float, end_ms: float) -> bool:
        """Whether an interval lies in a calm part of the run; without an end, it lasts up to the latest record."""
        return all(
            end_ms < span.begin_ms or start_ms >= span.heal_ms + self.restored_within_ms
            for span in self.seen
            if span.struck
        )
