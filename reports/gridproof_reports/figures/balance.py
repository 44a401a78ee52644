"""How evenly copies are spread over the members.

There is one panel for each stage, with one bar for each member: the copies that the member holds in each slot, and a
line at the member's fair share. If there are many members, there are bars only for the members with the most and the
fewest copies and for some ranks between them.
"""

from dataclasses import dataclass

from gridproof_properties.judging.words import count
from gridproof_reports.drawing.figure import Bar, Figure, LegendEntry, NumberTable, Panel, Sketch, draw_bars, longest_of
from gridproof_reports.drawing.style import INK, SLOTS
from gridproof_reports.reading.stages import Kept, Stage

STAGES_MAX = 12
BARS_MAX = 16

Held = tuple[int, tuple[int, ...]]
"""A member, and the number of its copies in each slot."""


@dataclass(frozen=True, slots=True)
class _Spread:
    """The numbers that are kept of a stage."""

    stage: str
    bars: tuple[Bar, ...]
    note: str
    numbers: tuple[tuple[str, ...], ...]


class Balance(Sketch):
    """The figure on the copies of each member in each stage; of a long run, it drops stages in the middle."""

    def __init__(self) -> None:
        self._spreads = Kept[_Spread](STAGES_MAX)
        self._slot_count = 0

    def observe_stage(self, stage: Stage) -> None:
        """Count the copies in the table of the stage, without keeping the table."""
        if stage.slot_count == 0:
            return
        self._slot_count = max(self._slot_count, stage.slot_count)
        self._spreads.keep(_measure(stage))

    def draw(self) -> Figure | None:
        """Return one panel for each stage, all with the same scale; None if no table was seen."""
        if not self._spreads:
            return None
        caption = (
            "Copies each member holds, in one scale for all stages. The upright line is the share a member should "
            "carry: equal for every partition group and divided inside it, or by weight where weights differ."
        ) + self._spreads.not_drawn("stage")
        longest = max(longest_of(spread.bars) for spread in self._spreads)
        panels = tuple(
            Panel(s.stage, draw_bars(s.bars, f"Balance, stage {s.stage}: {s.note}", longest=longest), s.note)
            for s in self._spreads
        )
        numbers = NumberTable(
            ("Stage", "Member", "Copies by slot", "All copies", "Fair share"),
            tuple(row for spread in self._spreads for row in spread.numbers),
        )
        names = ["primaries", *(f"backup {slot}" for slot in range(1, self._slot_count))]
        legend = [LegendEntry(colour, name) for colour, name in zip(SLOTS, names, strict=False)]
        legend.append(LegendEntry(INK, "fair share", "line"))
        return Figure("balance", "Balance", caption, panels, numbers, tuple(legend))


def _measure(stage: Stage) -> _Spread:
    held = tuple(stage.copies.items())
    total = sum(sum(counts) for _, counts in held)
    picked = _picked(held)
    shares = [total * stage.shares.get(member, 0.0) for member, _ in picked]
    bars = tuple(
        Bar(f"member {member}", tuple(zip(counts, SLOTS, strict=False)), f"{sum(counts):,}", share)
        for (member, counts), share in zip(picked, shares, strict=True)
    )
    numbers = tuple(
        (stage.name, f"member {member}", " + ".join(f"{n:,}" for n in counts), f"{sum(counts):,}", f"{share:,.1f}")
        for (member, counts), share in zip(picked, shares, strict=True)
    )
    fewest, most = min(sum(counts) for _, counts in held), max(sum(counts) for _, counts in held)
    note = f"{count(len(held), 'member')} hold {count(total, 'copy', 'copies')}: {fewest:,} to {most:,} each"
    if len(held) == 1:
        note = f"one member holds {count(total, 'copy', 'copies')}"
    if len(picked) < len(held):
        note += f"; drawn are {len(picked)} of them, from the fewest copies to the most"
    return _Spread(stage.name, bars, note, numbers)


def _picked(held: tuple[Held, ...]) -> tuple[Held, ...]:
    """Return all members, or some at equal distances in rank, from the member with fewest copies to that with most."""
    if len(held) <= BARS_MAX:
        return held
    ranked = sorted(held, key=lambda item: sum(item[1]))
    return tuple(ranked[rank * (len(ranked) - 1) // (BARS_MAX - 1)] for rank in range(BARS_MAX))
