"""How much each change of the membership moved.

Between two settled tables: the copies that came to a member that did not hold them, and the primaries that changed
hands, each against the fewest that an even result allows.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from gridproof_model.trace import Record
from gridproof_reports.bars import Bar, draw_bars, longest_of
from gridproof_reports.figure import Figure, LegendEntry, NumberTable, Panel
from gridproof_reports.stages import Slots, Stage
from gridproof_reports.style import ACCENT, INK

CHANGES_MAX = 16


class Movement:
    """Keeps one table, to compare the next one with, and four numbers a change."""

    def __init__(self) -> None:
        self._before: Stage | None = None
        self._changes: list[tuple[str, int, int, int, int]] = []
        self._left_out = 0

    def observe(self, record: Record) -> None:
        """Pass over every record: only tables count."""

    def observe_stage(self, stage: Stage) -> None:
        """Compare a settled table with the settled one before it."""
        before = self._before
        if not stage.settled or not stage.copies:
            return
        self._before = stage
        if before is None or before.members == stage.members or len(before.rows) != len(stage.rows):
            return
        pairs = list(zip(before.rows, stage.rows, strict=True))
        self._changes.append(
            (
                f"{len(before.members)} → {len(stage.members)} members: {stage.name}",
                sum(len(_holders(new) - _holders(old)) for old, new in pairs),
                fewest_copies(stage, Counter(m for old in before.rows for m in _holders(old))),
                sum(_primary(old) != _primary(new) and _primary(new) is not None for old, new in pairs),
                fewest_primaries(stage, Counter(m for old in before.rows if (m := _primary(old)) is not None)),
            )
        )
        if len(self._changes) > CHANGES_MAX:
            del self._changes[CHANGES_MAX // 2]
            self._left_out += 1

    def draw(self) -> Figure | None:
        """Return two panels, copies and primaries; None when the membership never changed between settled tables."""
        if not self._changes:
            return None
        caption = (
            "Bars: what moved to another member at each change. Upright lines: the fewest that must move for an even "
            "result, by counts alone; a bar that stops short of its line belongs to a result that is not even."
        )
        if self._left_out:
            caption += f" {self._left_out} changes in between are not drawn."
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


def fewest_copies(after: Stage, held_before: Mapping[int, int]) -> int:
    """Return how many copies must come to a new member, whatever the arrangement, for the even spread of `after`."""
    return _fewest_gains(after, held_before, sum(sum(counts) for counts in after.copies.values()))


def fewest_primaries(after: Stage, held_before: Mapping[int, int]) -> int:
    """Return how many primaries must change hands, whatever the arrangement, for the even spread of `after`."""
    return _fewest_gains(after, held_before, sum(counts[0] for counts in after.copies.values()))


def _fewest_gains(after: Stage, held_before: Mapping[int, int], total: int) -> int:
    """Give each member its share rounded down, and the rest to those who then give least away."""
    members = after.data_members
    floors = {member: int(after.fair_share(member, total)) for member in members}
    rest = total - sum(floors.values())
    for member in sorted(members, key=lambda m: floors[m] - held_before.get(m, 0))[:rest]:
        floors[member] += 1
    return sum(max(0, target - held_before.get(member, 0)) for member, target in floors.items())


def _bars(changes: Sequence[tuple[str, int, int]]) -> list[Bar]:
    return [Bar(name, ((moved, ACCENT),), f"{moved:,} (fewest {fewest:,})", fewest) for name, moved, fewest in changes]


def _draw_panel(what: str, changes: Sequence[tuple[str, int, int]], longest: float) -> Panel:
    words = "; ".join(f"{name}: {moved} moved, fewest possible {fewest}" for name, moved, fewest in changes)
    return Panel(what, draw_bars(_bars(changes), f"{what} moved: {words}", longest=longest))


def _holders(row: Slots) -> set[int]:
    return {held for held in row if held is not None}


def _primary(row: Slots) -> int | None:
    return row[0] if row else None
