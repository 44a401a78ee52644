"""Who came and went; whether the grid rests."""

from dataclasses import dataclass, field
from math import inf

from gridproof_model.trace import MemberChange, MemberRecord, OperationRecord, Record, ViewRecord
from gridproof_properties.judging.scene import Scene

_CHANGES = {
    MemberChange.JOINED: "joined",
    MemberChange.LEFT: "left",
    MemberChange.CRASHED: "crashed",
    MemberChange.MERGED: "left its cluster for another",
}
CHANGES_KEPT = 200
"""Comings and goings that a story can name, counted back from the latest."""

OPEN_MAX = 100_000
"""Operations that can be under way at the same time, at most."""


@dataclass(slots=True)
class Comings:
    """Who came and went, for stories, and whether the grid is at rest."""

    scene: Scene
    """Shown each record before this is."""
    operations: int = 0
    """One more than the largest operation number so far."""
    at_rest: bool = True
    """Whether the latest view was settled and no member came or went since."""
    oldest_open: int = 0
    """The smallest operation number that was not yet recorded: nothing that is under way began before it."""
    last_crash: int = 0
    """Value of `operations` at the latest crash."""
    last_gone: int = 0
    """Value of `operations` when somebody last crashed or left; who merges goes on."""
    _ended: set[int] = field(default_factory=set)
    """Operation numbers above the oldest open one that were recorded."""
    _changes: list[tuple[int, str]] = field(default_factory=list)

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, OperationRecord):  # most records of a run are such
            self.operations = max(self.operations, record.operation + 1)
            self._close(record.operation)
            return
        match record:
            case MemberRecord():
                self.at_rest = False
                self._changes.append((self.operations, self._describe(record)))
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
        return f"{self.scene.call(record.member)} {_CHANGES[record.change]} at {record.at_ms:,} ms"

    def _close(self, operation: int) -> None:
        self._ended.add(operation)
        if len(self._ended) > OPEN_MAX:  # some number is never recorded: no operation of ours, then
            self.oldest_open = min(self._ended)
        while self.oldest_open in self._ended:
            self._ended.discard(self.oldest_open)
            self.oldest_open += 1

    def between(self, first: OperationRecord, last: OperationRecord | None = None) -> tuple[str, ...]:
        """Return the members that came and went since an operation began, up to another, a sentence each."""
        end = inf if last is None else last.operation
        return tuple(sentence for number, sentence in self._changes if first.operation < number <= end)
