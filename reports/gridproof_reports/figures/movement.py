"""How many copies each change of the membership moved.

Between two settled tables the figure counts the copies that came to a member that did not hold them before, and the
primaries that changed their member; next to each number stand the fewest moves that lead from the old counts to the new
ones.
"""

from collections import Counter
from collections.abc import Sequence

from gridproof_model.trace import Record, RunRecord
from gridproof_properties.invariants.movement import fewest_moves
from gridproof_properties.judging.words import count
from gridproof_reports.drawing.figure import Bar, Figure, LegendEntry, NumberTable, Panel, Sketch, draw_bars, longest_of
from gridproof_reports.drawing.style import ACCENT, INK
from gridproof_reports.reading.stages import Kept, Stage

CHANGES_MAX = 16


class Movement(Sketch):
    """The figure on moved copies; it keeps one table, to compare it with the next, and four numbers for each change."""

    def __init__(self) -> None:
        self._before: Stage | None = None
        self._copies = 1
        self._changes = Kept[tuple[str, int, int, int, int]](CHANGES_MAX)

    def observe(self, record: Record) -> None:
        """Read how many copies the run asked for; slots beyond that number are not promised."""
        if isinstance(record, RunRecord):
            self._copies = 1 + record.backup_count

    def observe_stage(self, stage: Stage) -> None:
        """Compare a settled table with the settled table before it."""
        before = self._before
        if not stage.settled or not stage.copies:
            return
        self._before = stage
        if before is None or before.members == stage.members or len(before.rows) != len(stage.rows):
            return
        copies, primaries = compute_moves(before, stage, self._copies), compute_moves(before, stage, 1)
        name = f"{len(before.members)} → {count(len(stage.members), 'member')}: {stage.name}"
        self._changes.keep((name, *copies, *primaries))

    def draw(self) -> Figure | None:
        """Return two panels, copies and primaries; None if members never changed between settled tables."""
        if not self._changes:
            return None
        caption = (
            "Bars: what moved to another member at each change. Upright lines: the fewest that must move to lead from "
            "the counts before to the counts after; a bar beyond its line moved more than was needed."
        ) + self._changes.not_drawn("change")
        copies = [(name, moved, fewest) for name, moved, fewest, _, _ in self._changes]
        primaries = [(name, moved, fewest) for name, _, _, moved, fewest in self._changes]
        numbers = NumberTable(
            ("Change", "Copies moved", "Fewest possible", "Primaries moved", "Fewest possible"),
            tuple((name, *(f"{number:,}" for number in rest)) for name, *rest in self._changes),
        )
        legend = (LegendEntry(ACCENT, "moved"), LegendEntry(INK, "fewest possible", "line"))
        longest = max(longest_of(_bars(copies)), longest_of(_bars(primaries)))
        panels = (_draw_panel("Copies", copies, longest), _draw_panel("Primaries", primaries, longest))
        return Figure("movement", "Movement", caption, panels, numbers, legend)


def compute_moves(before: Stage, after: Stage, copies: int) -> tuple[int, int]:
    """Return how many copies in the first `copies` slots came to a new member, and how few could have come."""
    held, holds = _holders(before, copies), _holders(after, copies)
    moved = sum(len(new - old) for old, new in zip(held, holds, strict=True))
    return moved, fewest_moves(Counter(m for old in held for m in old), Counter(m for new in holds for m in new))


def _bars(changes: Sequence[tuple[str, int, int]]) -> list[Bar]:
    return [Bar(name, ((moved, ACCENT),), f"{moved:,} (fewest {fewest:,})", fewest) for name, moved, fewest in changes]


def _draw_panel(what: str, changes: Sequence[tuple[str, int, int]], longest: float) -> Panel:
    words = "; ".join(f"{name}: {moved} moved, fewest possible {fewest}" for name, moved, fewest in changes)
    return Panel(what, draw_bars(_bars(changes), f"{what} moved: {words}", longest=longest))


def _holders(stage: Stage, copies: int) -> list[set[int]]:
    return [{held for held in row[:copies] if held is not None} for row in stage.rows]
