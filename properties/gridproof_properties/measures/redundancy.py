"""How long copies are missing, and how many copies are moved.

A partition is short of copies from the end of a member that held one according to the newest row, until the newest row
has as many living members as before, whatever their copies hold. Only as many slots count as copies were asked for.
Redundancy is measured until the grid is at rest; members that are crashed for the final reveal after that do not count.
"""

from dataclasses import dataclass, field

from gridproof_implementation.simulator.run import STILL
from gridproof_model.events.conditions import RowChanged
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, RunRecord, ViewRecord
from gridproof_properties.measures.quantity import Histogram, Measured, count, histogram

QUANTITIES = (
    count("members_ended", "Members that crashed, left or merged before the grid was at rest."),
    histogram(
        "short_of_copies_ms",
        "A partition that lost a copy: how long until as many living members held one, by its newest row, as before.",
        "ms",
    ),
    count("short_to_the_end", "Partitions that were still short of copies when the grid was at rest."),
    count(
        "copies_moved",
        "Copies that a member came to hold by a newer row and did not hold by the row before it, the first arrangement "
        "apart: migrations, and copies made anew for lost ones.",
    ),
)


@dataclass(slots=True)
class _Shortage:
    """A partition that is short of copies."""

    since_ms: int
    wanted: int
    """The number of copies that the partition had before."""


@dataclass(slots=True)
class Redundancy:
    """Keeps the newest row of each partition, and the living members."""

    copies: int = 1
    is_over: bool = False
    rows: dict[int, tuple[int, frozenset[int]]] = field(default_factory=dict)
    """For each partition, the version and the holders of its newest row."""
    alive: set[int] = field(default_factory=set)
    short: dict[int, _Shortage] = field(default_factory=dict)
    took: Histogram = field(default_factory=Histogram)
    moved: int = 0
    ended: int = 0

    def observe(self, record: Record) -> None:
        """Read the next record."""
        match record:
            case _ if self.is_over:
                return
            case RunRecord():
                self.copies = 1 + record.backup_count
            case MemberRecord(change=MemberChange.JOINED):
                self.alive.add(record.member)
            case MemberRecord():
                self._end(record)
            case ViewRecord():
                self.is_over = record.stage == STILL
            case EventRecord(event=RowChanged() as row):
                self._change(row, record.at_ms)
            case _:
                pass

    def conclude(self) -> Measured:
        """Return the measured quantities."""
        return {
            "members_ended": self.ended,
            "short_of_copies_ms": self.took,
            "short_to_the_end": len(self.short),
            "copies_moved": self.moved,
        }

    def _end(self, record: MemberRecord) -> None:
        self.ended += 1
        for partition, (_, holders) in self.rows.items():
            if record.member in holders and partition not in self.short:
                self.short[partition] = _Shortage(record.at_ms, len(holders & self.alive))
        self.alive.discard(record.member)

    def _change(self, row: RowChanged, at_ms: int) -> None:
        known = self.rows.get(row.partition)
        if known is not None and row.version <= known[0]:
            return
        holders = frozenset(row.holders[: self.copies])
        if known is not None:
            self.moved += len(holders - known[1])
        self.rows[row.partition] = row.version, holders
        shortage = self.short.get(row.partition)
        if shortage is not None and len(holders & self.alive) >= shortage.wanted:
            self.took.add(at_ms - shortage.since_ms)
            del self.short[row.partition]
