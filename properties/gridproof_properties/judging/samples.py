"""Writes after which the copy of every member was looked at.

Right after some writes, every member is asked for its own copy of the key that was written. A sample is a write
together with what the members had of it; it is complete when the next write of the key comes, or when the run ends.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from gridproof_model.trace import OperationKind, OperationRecord, Outcome

ACKNOWLEDGEMENT = "acknowledgement"
"""The stage in which all copies of a key are looked at, between one write of the key and the next."""


@dataclass(slots=True)
class Sample:
    """A write, the members that should have it, and the members that were seen to have it."""

    write: OperationRecord
    begin_ms: float
    """From which time on events of the grid may affect the write."""
    holders: tuple[int, ...]
    """The members that had the copies according to the latest table at rest, the primary first."""
    looks: dict[int, str | None] = field(default_factory=dict)
    """For each member that answered, its value of the key."""

    @property
    def having(self) -> tuple[int, ...]:
        """The members that had the value that was written."""
        return tuple(member for member, value in self.looks.items() if value == self.write.value)


@dataclass(slots=True)
class Samples:
    """The latest sample of each key that was written."""

    _open: dict[str, Sample] = field(default_factory=dict)

    def begin(self, sample: Sample) -> Sample | None:
        """Begin a sample with a write; return the former sample of its key, which is now complete, if there is one."""
        complete = self._open.get(sample.write.key)
        self._open[sample.write.key] = sample
        return complete

    def look(self, look: OperationRecord) -> None:
        """Add what a member's copy held to the sample that the look belongs to, if there is one."""
        is_meant = look.kind is OperationKind.READ_REPLICA and look.stage == ACKNOWLEDGEMENT
        if is_meant and look.outcome is Outcome.OK and look.member is not None and look.key in self._open:
            self._open[look.key].looks[look.member] = look.value

    def rest(self) -> Iterator[Sample]:
        """Yield the samples that are left when the run is over, which makes them complete."""
        yield from self._open.values()
        self._open.clear()
