"""Whether the copies of each partition are equal.

At each settled stage the figure counts the partitions whose copies have the same digest, and those of which a member
keeps data that the table does not give it. Like the judges, the figure takes the members from the latest settled table.
"""

from dataclasses import dataclass

from gridproof_model.trace import DigestRecord, Record, RunRecord
from gridproof_reports.drawing.figure import Bar, Figure, LegendEntry, NumberTable, Panel, Sketch, draw_bars
from gridproof_reports.drawing.style import ACCENT, BROKEN, MUTED
from gridproof_reports.reading.stages import Kept, Stage

STAGES_MAX = 16

Look = dict[int, dict[int, DigestRecord]]
"""The digests of each partition in one stage, by member."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """How many partitions had equal copies, different copies, a single copy or stray copies in one stage."""

    stage: str
    equal: int = 0
    differ: int = 0
    single: int = 0
    orphaned: int = 0

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(f"{count:,}" for count in (self.equal, self.differ, self.single, self.orphaned))


class Agreement(Sketch):
    """The figure on equal copies; it keeps the digests read under one table, and four counts for each stage."""

    def __init__(self) -> None:
        self._copies = 1
        self._looks: dict[str, Look] = {}
        self._table: Stage | None = None
        self._counts = Kept[_Counts](STAGES_MAX)

    def observe(self, record: Record) -> None:
        """Keep a digest until the table that it belongs to is known."""
        if isinstance(record, RunRecord):
            self._copies = 1 + record.backup_count
        if isinstance(record, DigestRecord) and record.settled:
            look = self._looks.setdefault(record.stage, {})
            look.setdefault(record.partition, {})[record.member] = record

    def observe_stage(self, stage: Stage) -> None:
        """Compare the digests that were read since this table was shown; this is called just before the next table."""
        if stage.settled:
            self._table = stage
        self._compare()

    def draw(self) -> Figure | None:
        """Return one panel; None if no copy was read at rest while there was a settled table."""
        self._compare()
        if not self._counts:
            return None
        bars = [
            Bar(c.stage, ((c.equal, ACCENT), (c.differ, BROKEN), (c.single, MUTED)), f"{c.differ:,} differ")
            for c in self._counts
        ]
        words = "; ".join(f"{c.stage}: {c.equal} equal, {c.differ} differ" for c in self._counts)
        numbers = NumberTable(
            ("Stage", "All copies equal", "Copies differ", "One copy only", "Also kept by others"),
            tuple((counts.stage, *counts.words) for counts in self._counts),
        )
        caption = (
            "Partitions by what the members named in the table held when every member was read at rest. The numbers "
            "also count partitions of which another member kept data." + self._counts.not_drawn("stage")
        )
        legend = (
            LegendEntry(ACCENT, "all copies equal"),
            LegendEntry(BROKEN, "copies differ"),
            LegendEntry(MUTED, "one copy only"),
        )
        panel = Panel("Partitions", draw_bars(bars, f"Agreement of copies: {words}"))
        return Figure("agreement", "Agreement of copies", caption, (panel,), numbers, legend)

    def _compare(self) -> None:
        looks, self._looks = self._looks, {}
        if self._table is None:
            return
        for stage, look in looks.items():
            self._counts.keep(_count(stage, look, self._table, self._copies))


def _count(stage: str, look: Look, table: Stage, copies: int) -> _Counts:
    equal = differ = single = orphaned = 0
    for partition, held in look.items():
        named = set(table.rows[partition][:copies]) if partition < len(table.rows) else set()
        digests = [record.digest for member, record in held.items() if member in named]
        if len(digests) > 1:
            equal, differ = (equal + 1, differ) if len(set(digests)) == 1 else (equal, differ + 1)
        single += len(digests) == 1
        orphaned += any(record.entries > 0 for member, record in held.items() if member not in named)
    return _Counts(stage, equal, differ, single, orphaned)
