"""Writes after which every copy was looked at.

Right behind some writes every member is asked for its own copy of the key. A sample is such a write with what the
members had; it is complete when the next write of the key comes, or the run ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome

ACKNOWLEDGEMENT = "acknowledgement"
"""Stage in which all copies are looked at, between a write and the next write of the key."""


@dataclass(slots=True)
class Sample:
    """A write, who was to have it, and who was seen to."""

    write: OperationRecord
    begin_ms: float
    """From when on something that happens to the grid concerns it."""
    holders: tuple[int, ...]
    """The members that the latest table at rest named, the primary first."""
    looks: dict[int, str | None] = field(default_factory=dict)
    """What each member that answered had of the key."""

    @property
    def having(self) -> tuple[int, ...]:
        """The members that had the value."""
        return tuple(member for member, value in self.looks.items() if value == self.write.value)


@dataclass(slots=True)
class Samples:
    """The latest sample of each key."""

    _open: dict[str, Sample] = field(default_factory=dict)

    def begin(self, sample: Sample) -> Sample | None:
        """Take in a write; return the sample of its key that is complete now, if any."""
        complete = self._open.get(sample.write.key)
        self._open[sample.write.key] = sample
        return complete

    def look(self, look: OperationRecord) -> None:
        """Take in a look at a copy, where it belongs to a sample."""
        is_meant = look.kind is OperationKind.READ_REPLICA and look.stage == ACKNOWLEDGEMENT
        if is_meant and look.outcome is Outcome.OK and look.member is not None and look.key in self._open:
            self._open[look.key].looks[look.member] = look.value

    def rest(self) -> Iterator[Sample]:
        """Yield those that are complete because the run is over."""
        yield from self._open.values()
        self._open.clear()
