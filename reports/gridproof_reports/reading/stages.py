"""The table each stage of a run ended with.

A trace holds many looks at the table: one from every member, again and again while the grid settles. A figure wants one
a stage: the first settled one, which movement is judged by too; where the grid never came to rest, the last one seen.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby

from gridproof_model.trace import MemberRecord, Record, RowRecord, RunRecord, ViewRecord
from gridproof_properties.judging.shares import member_shares, members_by_group

Slots = tuple[int | None, ...]

READABLE_PARTITIONS_MAX = 720
READABLE_MEMBERS_MAX = 12
READABLE_SLOTS_MAX = 7
"""Beyond these a table is drawn as shares: no person distinguishes more tiles, or more colours."""
PARTITIONS_MAX = 1_000_000
"""Where a head counts more, only as many partitions are kept as views show: a trace may come from anybody."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One whole table, and who was there."""

    name: str
    at_ms: int
    observer: int
    settled: bool
    members: tuple[int, ...]
    data_members: tuple[int, ...]
    rows: tuple[Slots, ...]
    """By partition; an empty tuple where the view did not show the partition."""
    shares: tuple[tuple[int, float], ...] = field(default=())
    """Part of the load each data member should carry, by groups and weights."""

    @property
    def slot_count(self) -> int:
        """How many slots are in use: one more than the highest filled one."""
        return max((i + 1 for row in set(self.rows) for i, held in enumerate(row) if held is not None), default=0)

    @property
    def copies(self) -> dict[int, tuple[int, ...]]:
        """Copies held by member and slot; every data member is there, and whoever else holds a copy."""
        counts = Counter((held, slot) for row in self.rows for slot, held in enumerate(row) if held is not None)
        slots = range(self.slot_count)
        holders = [*self.data_members, *sorted({m for m, _ in counts} - set(self.data_members))]
        return {member: tuple(counts[member, slot] for slot in slots) for member in holders}

    @property
    def is_readable(self) -> bool:
        """Whether a person can read the table tile by tile, each member in a colour of its own."""
        if len(self.rows) > READABLE_PARTITIONS_MAX or self.slot_count > READABLE_SLOTS_MAX:
            return False
        held = {member for row in self.rows for member in row if member is not None}
        return max((*held, *self.data_members), default=0) < READABLE_MEMBERS_MAX

    def fair_share(self, member: int, total: int) -> float:
        """Return how many of `total` copies this member should hold; 0 for one that is in no group or owns nothing."""
        return total * dict(self.shares).get(member, 0.0)


def drawn_views(views: Iterable[ViewRecord]) -> Mapping[str, set[int]]:
    """Return the views whose rows a `StageReader` makes stages of, by run, out of all views in their order."""
    drawn: dict[str, set[int]] = {}
    for (run, _), stage in groupby(views, key=lambda view: (view.run, view.stage)):
        first, *others = stage
        for view in others:
            first = first if first.settled else view
        drawn.setdefault(run, set()).add(first.view)
    return drawn


class StageReader:
    """A fold over the records of a run that yields its stages, holding two tables at most."""

    def __init__(self) -> None:
        self._partition_count = 0
        self._weights: dict[int, float] = {}
        self._view: ViewRecord | None = None
        self._rows: dict[int, Slots] = {}
        self._best: Stage | None = None

    def observe(self, record: Record) -> Stage | None:
        """Take in the next record; return the stage that just ended, if one did."""
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
        """Return the stage that was still open, if any."""
        self._keep_view()
        ended, self._best = self._best, None
        return ended

    def _keep_view(self) -> None:
        view, self._view = self._view, None
        if view is None or (self._best is not None and self._best.settled):
            return
        counted = self._partition_count if self._partition_count <= PARTITIONS_MAX else 0
        count = max(counted, 1 + max(self._rows, default=-1))
        rows = tuple(self._rows.get(partition, ()) for partition in range(count))
        shares = tuple(member_shares(members_by_group(view), self._weights).items())
        self._best = Stage(
            view.stage, view.at_ms, view.observer, view.settled, view.members, view.data_members, rows, shares
        )
