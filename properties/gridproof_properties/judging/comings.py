"""Which members joined and ended, and whether the grid is at rest."""

from dataclasses import dataclass, field
from heapq import heappop, heappush

from gridproof_model.trace import MemberChange, MemberRecord, OperationRecord, Record, ViewRecord
from gridproof_properties.judging.scene import Scene

_CHANGES = {
    MemberChange.JOINED: "joined",
    MemberChange.LEFT: "left",
    MemberChange.CRASHED: "crashed",
    MemberChange.MERGED: "left its cluster for another",
}
CHANGES_KEPT = 200
"""How many of the latest joins and ends a story can name."""

OPEN_MAX = 100_000
"""The most operations that can be under way at the same time."""


@dataclass(slots=True)
class Comings:
    """Which members joined and ended, for use in stories, and whether the grid is at rest."""

    scene: Scene
    """The members; each record is shown to the scene before it is shown to this object."""
    operations: int = 0
    """One more than the largest operation number so far."""
    at_rest: bool = True
    """Whether the latest view was settled and no member has joined or ended since."""
    oldest_open: int = 0
    """The smallest operation number that is not recorded yet: no operation under way has a smaller number."""
    last_crash: int = 0
    """Value of `operations` at the latest crash."""
    last_gone: int = 0
    """Value of `operations` when a member last crashed or left; a member that ends in order to merge does not count."""
    _ended: list[int] = field(default_factory=list)
    """The recorded operation numbers above `oldest_open`, as a heap."""
    _changes: list[tuple[int, int, str]] = field(default_factory=list)
    """Each join or end: the value of `operations` at that moment, the time, and a sentence."""

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, OperationRecord):  # most records of a run are operations
            self.operations = max(self.operations, record.operation + 1)
            self._close(record.operation)
            return
        match record:
            case MemberRecord():
                self.at_rest = False
                self._changes.append((self.operations, record.at_ms, self._describe(record)))
                del self._changes[:-CHANGES_KEPT]
                if record.change is MemberChange.CRASHED:
                    self.last_crash = self.operations
                if record.change in (MemberChange.CRASHED, MemberChange.LEFT):
                    self.last_gone = self.operations
            case ViewRecord():
                self.at_rest = record.settled
            case _:
                pass

    def _describe(self, record: MemberRecord) -> str:
        return f"at {record.at_ms:,} ms {self.scene.call(record.member)} {_CHANGES[record.change]}"

    def _close(self, operation: int) -> None:
        heappush(self._ended, operation)
        if len(self._ended) > OPEN_MAX:  # a number that is never recorded belongs to no operation of this run
            self.oldest_open = max(self.oldest_open, self._ended[0])
        while self._ended and self._ended[0] <= self.oldest_open:
            self.oldest_open = max(self.oldest_open, heappop(self._ended) + 1)

    def between(self, first: OperationRecord, last: OperationRecord) -> list[tuple[int, str]]:
        """Return which members joined and ended between two operations: when each did, with a sentence about it."""
        return [(at_ms, said) for number, at_ms, said in self._changes if first.operation < number <= last.operation]
