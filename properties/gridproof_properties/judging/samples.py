"""Writes after which every copy was looked at.

Right after some writes every member is asked for its own copy of the key. A sample is such a write with what the
members had; it is complete when the next write of the key comes, or when the run ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome

ACKNOWLEDGEMENT = "acknowledgement"
"""The stage in which all copies are looked at, between a write and the next write of the key."""


@dataclass(slots=True)
class Sample:
    """A write, the members that should have it, and the members that were seen to have it."""

    write: OperationRecord
    begin_ms: float
    """Since when events of the grid may affect the write."""
    holders: tuple[int, ...]
    """The members that the latest table at rest named, the primary first."""
    looks: dict[int, str | None] = field(default_factory=dict)
    """The value of the key at each member that answered."""

    @property
    def having(self) -> tuple[int, ...]:
        """The members that had the value."""
        return tuple(member for member, value in self.looks.items() if value == self.write.value)


@dataclass(slots=True)
class Samples:
    """The latest sample of each key."""

    _open: dict[str, Sample] = field(default_factory=dict)

    def begin(self, sample: Sample) -> Sample | None:
        """Process a write; return the sample of its key that is now complete, if any."""
        complete = self._open.get(sample.write.key)
        self._open[sample.write.key] = sample
        return complete

    def look(self, look: OperationRecord) -> None:
        """Process a look at a copy, if it belongs to a sample."""
        is_meant = look.kind is OperationKind.READ_REPLICA and look.stage == ACKNOWLEDGEMENT
        if is_meant and look.outcome is Outcome.OK and look.member is not None and look.key in self._open:
            self._open[look.key].looks[look.member] = look.value

    def rest(self) -> Iterator[Sample]:
        """Yield the remaining samples, which are complete because the run is over."""
        yield from self._open.values()
        self._open.clear()
