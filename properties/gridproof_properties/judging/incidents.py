"""What happened to partitions, and until when it has an effect.

An incident is one cause on one partition between two rests of the grid: it is in effect from when it began until the
grid is at rest again. Memory: one entry a cause, partition and rest.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from math import inf

from gridproof_properties.judging.causes import Cause

EVERY_PARTITION = -1


@dataclass(slots=True)
class Incident:
    """One cause on one partition between two rests."""

    cause: Cause
    first_ms: int
    last_ms: int
    bits: int
    """The value of the cause, to be looked for quickly."""
    until_ms: float = inf
    """The rest after which it has no effect any more; infinite while there was none."""
    count: int = 1


@dataclass(slots=True)
class Incidents:
    """All incidents of a run so far; mutable."""

    begun: int = 0
    """The bits of all their causes."""
    last_rest_ms: int = -1
    """When the grid was seen at rest last; -1 before."""
    _on_partition: dict[int, list[Incident]] = field(default_factory=dict)
    """In the order in which they began; `EVERY_PARTITION` for those on all."""
    _open: set[int] = field(default_factory=set)
    """Partitions with an incident since the latest rest."""

    def find(self, causes: Cause, partition: int | None, start_ms: float, end_ms: float = inf) -> Incident | None:
        """Return the first incident of these causes that was in effect on a partition within an interval.

        A partition of None stands for any of them. An incident is in effect from when it began until the grid is at
        rest again.
        """
        bits = causes.value if self.begun else 0
        for incident in self._on(partition) if bits & self.begun else ():
            if incident.bits & bits and incident.first_ms <= end_ms and incident.until_ms >= start_ms:
                return incident
        return None

    def find_ever(self, causes: Cause, partition: int | None, end_ms: float = inf) -> Incident | None:
        """Return the first incident of these causes that ever began on a partition up to a moment."""
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
        """Note that a cause is in effect on a partition, or still is."""
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
        """Note that an end was counted as an acknowledgement: at that moment, and at no other."""
        cause = Cause.LEAVER_COUNTED
        self._on_partition.setdefault(EVERY_PARTITION, []).append(Incident(cause, at_ms, at_ms, cause.value, at_ms))
        self.begun |= cause.value

    def rest(self, at_ms: int) -> None:
        """End them: the grid is at rest."""
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
