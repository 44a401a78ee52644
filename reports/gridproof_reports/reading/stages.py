"""The table with which each stage of a run ended.

A trace contains many views of the table: every member's, again and again while the grid settles. A figure needs one
view for each stage: the first settled view, by which movement is judged, too, or the last view if the grid never came
to rest.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeVar

from gridproof_model.trace import MemberRecord, Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.judging.shares import member_shares, members_by_group
from gridproof_properties.judging.words import count

Slots = tuple[int | None, ...]
T = TypeVar("T")

READABLE_PARTITIONS_MAX = 720
READABLE_MEMBERS_MAX = 12
READABLE_SLOTS_MAX = 7
"""A table with more slots than this is drawn as shares, since people cannot distinguish more tiles or colours."""
PARTITIONS_MAX = 1_000_000
"""If a head states more partitions, only those in views are kept, since a trace may come from anyone."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One whole table, with the members at that time."""

    name: str
    at_ms: int
    observer: int
    settled: bool
    members: tuple[int, ...]
    data_members: tuple[int, ...]
    rows: tuple[Slots, ...]
    """The slots of each partition; empty for a partition that the view did not show."""
    shares: Mapping[int, float] = field(default_factory=dict)
    """The share of the load that each data member should carry, as groups and weights say; none if it has no group."""

    @property
    def slot_count(self) -> int:
        """The number of slots in use: one more than the number of the highest filled slot."""
        return max((i + 1 for row in set(self.rows) for i, held in enumerate(row) if held is not None), default=0)

    @property
    def copies(self) -> dict[int, tuple[int, ...]]:
        """How many copies are held in each slot by every data member and every other holder of a copy."""
        counts = Counter((held, slot) for row in self.rows for slot, held in enumerate(row) if held is not None)
        slots = range(self.slot_count)
        holders = [*self.data_members, *sorted({m for m, _ in counts} - set(self.data_members))]
        return {member: tuple(counts[member, slot] for slot in slots) for member in holders}

    @property
    def is_readable(self) -> bool:
        """Whether a person can read the table tile by tile, if each member has a colour."""
        if len(self.rows) > READABLE_PARTITIONS_MAX or self.slot_count > READABLE_SLOTS_MAX:
            return False
        held = {member for row in self.rows for member in row if member is not None}
        return max((*held, *self.data_members), default=0) < READABLE_MEMBERS_MAX


def drawn_views(views: Iterable[ViewRecord]) -> Mapping[str, set[int]]:
    """Return, for each run, the views whose rows a `StageReader` makes into stages, from all views in their order."""
    drawn: dict[str, set[int]] = {}
    for (run, _), stage in groupby(views, key=lambda view: (view.run, view.stage)):
        first, *others = stage
        for view in others:
            first = first if first.settled else view
        drawn.setdefault(run, set()).add(first.view)
    return drawn


class Kept(list[T]):
    """What a figure keeps of a long run: if there is too much, something in the middle is dropped, and counted."""

    def __init__(self, most: int) -> None:
        super().__init__()
        self._most = most
        self._dropped = 0

    def keep(self, one: T) -> None:
        """Add something at the end."""
        self.append(one)
        if len(self) > self._most:
            del self[self._most // 2]
            self._dropped += 1

    def not_drawn(self, noun: str) -> str:
        """Return the sentence of a caption on what was dropped; empty if nothing was."""
        return f" Not drawn: {count(self._dropped, noun)} in between." if self._dropped else ""


class StageReader:
    """Reads the records of a run one by one and returns its stages, keeping two tables at most."""

    def __init__(self) -> None:
        self._partition_count = 0
        self._weights: dict[int, float] = {}
        self._view: ViewRecord | None = None
        self._rows: dict[int, Slots] = {}
        self._best: Stage | None = None

    def observe(self, record: Record) -> Stage | None:
        """Read the next record; return the stage that ends with it, or None."""
        match record:
            case RowRecord():
                if self._view is not None and record.view == self._view.view:
                    self._rows[record.partition] = record.slots
            case ViewRecord():
                self._keep_view()
                ended = self._best if self._best is not None and self._best.name != record.stage else None
                if ended is not None:
                    self._best = None
                self._view, self._rows = record, {}
                return ended
            case RunRecord():
                ended = self.finish()
                self._partition_count, self._weights = record.partition_count, {}
                return ended
            case MemberRecord() if record.weight != 1.0:
                self._weights[record.member] = record.weight
            case _:
                pass
        return None

    def finish(self) -> Stage | None:
        """Return the stage that was still open, or None."""
        self._keep_view()
        ended, self._best = self._best, None
        return ended

    def _keep_view(self) -> None:
        view, self._view = self._view, None
        if view is None or (self._best is not None and self._best.settled):
            return
        counted = self._partition_count if self._partition_count <= PARTITIONS_MAX else 0
        shown = max(counted, 1 + max(self._rows, default=-1))
        rows = tuple(self._rows.get(partition, ()) for partition in range(shown))
        shares = member_shares(members_by_group(view), self._weights)
        self._best = Stage(
            view.stage, view.at_ms, view.observer, view.settled, view.members, view.data_members, rows, shares
        )
