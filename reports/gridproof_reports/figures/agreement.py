"""Whether the copies of a partition are equal.

Counts, at each settled stage, the partitions whose copies all bear one digest. It counts what was read; whether
equality was owed is for the verdicts.
"""

from gridproof_model.trace import DigestRecord, Record
from gridproof_reports.bars import Bar, draw_bars
from gridproof_reports.figure import Figure, LegendEntry, NumberTable, Panel
from gridproof_reports.stages import Stage
from gridproof_reports.style import ACCENT, BROKEN, MUTED

STAGES_MAX = 16
STALE = "stale"
"""The role of a copy that its member knows to be out of date: held, but owed nothing."""


class Agreement:
    """Keeps one digest a partition, and four counts a stage."""

    def __init__(self) -> None:
        self._stage: str | None = None
        self._first: dict[int, str] = {}
        self._copies: dict[int, int] = {}
        self._differing: set[int] = set()
        self._stale = 0
        self._counts: list[tuple[str, int, int, int, int]] = []
        self._left_out = 0

    def observe(self, record: Record) -> None:
        """Compare a digest with the first one of its partition in this stage."""
        if not isinstance(record, DigestRecord) or not record.settled:
            return
        if record.stage != self._stage:
            self._close_stage()
            self._stage = record.stage
        if record.role == STALE:
            self._stale += 1
            return
        self._copies[record.partition] = self._copies.get(record.partition, 0) + 1
        if self._first.setdefault(record.partition, record.digest) != record.digest:
            self._differing.add(record.partition)

    def observe_stage(self, stage: Stage) -> None:
        """Pass over every table: only digests count."""

    def draw(self) -> Figure | None:
        """Return one panel; None when no copy was read."""
        self._close_stage()
        if not self._counts:
            return None
        bars = [
            Bar(name, ((equal, ACCENT), (differ, BROKEN), (single, MUTED)), f"{differ:,} differ")
            for name, equal, differ, single, _ in self._counts
        ]
        words = "; ".join(f"{name}: {equal} equal, {differ} differ" for name, equal, differ, _, _ in self._counts)
        numbers = NumberTable(
            ("Stage", "All copies equal", "Copies differ", "One copy only", "Stale copies beside"),
            tuple((name, *(f"{count:,}" for count in counts)) for name, *counts in self._counts),
        )
        caption = "Partitions by what their copies held when every member was read, at each settled stage."
        if self._left_out:
            caption += f" {self._left_out} stages in between are not drawn."
        legend = (
            LegendEntry(ACCENT, "all copies equal"),
            LegendEntry(BROKEN, "copies differ"),
            LegendEntry(MUTED, "one copy only"),
        )
        panel = Panel("Partitions", draw_bars(bars, f"Agreement of copies: {words}"))
        return Figure("agreement", "Agreement of copies", caption, (panel,), numbers, legend)

    def _close_stage(self) -> None:
        if self._stage is None:
            return
        single = sum(1 for copies in self._copies.values() if copies == 1)
        differ = len(self._differing)
        self._counts.append((self._stage, len(self._copies) - single - differ, differ, single, self._stale))
        self._stage, self._first, self._copies, self._differing, self._stale = None, {}, {}, set(), 0
        if len(self._counts) > STAGES_MAX:
            del self._counts[STAGES_MAX // 2]
            self._left_out += 1
