"""Which member holds which partition, stage by stage.

There is one tile for each partition, always at the same place, so that a reader can compare stages by eye: the square
is the primary, and the stripes under it are the backups. The figure is drawn for tables small enough to read tile by
tile; `ownership_shares` draws larger tables.
"""

from collections.abc import Iterable, Sequence
from html import escape

from gridproof_properties.judging.words import count
from gridproof_reports.drawing.figure import Figure, LegendEntry, NumberTable, Panel, Sketch
from gridproof_reports.drawing.style import INK, MEMBERS, MUTED, PANEL_WIDTH, open_svg
from gridproof_reports.reading.stages import Stage

STAGES_MAX = 12
TILES_MAX = 2_000
"""The most tiles in all stages together; each tile takes a hundred bytes of the page."""
COLUMNS = 24
TILE = 12
GAP = 3
STRIPE = 5


class Ownership(Sketch):
    """The figure on owners, tile by tile; it keeps the tables of the first and the latest stages."""

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self._changed: list[set[tuple[int, int]]] = []
        self._left_out = 0
        self._is_too_large = False
        self._latest: Stage | None = None

    def observe_stage(self, stage: Stage) -> None:
        """Keep the table and its changes; if there are too many tables, those in the middle are dropped first."""
        if self._is_too_large or not stage.is_readable:
            self._is_too_large, self._stages = True, []
            return
        self._changed.append(changed_slots(self._latest, stage))
        self._stages.append(stage)
        self._latest = stage
        shown = max(2, min(STAGES_MAX, TILES_MAX // max(1, len(stage.rows))))
        while len(self._stages) > shown:
            del self._stages[shown // 2], self._changed[shown // 2]
            self._left_out += 1

    def draw(self) -> Figure | None:
        """Return one panel for each stage; None if tables are too large to read tile by tile, or if there are none."""
        if not self._stages:
            return None
        slot_count = max(stage.slot_count for stage in self._stages)
        panels = tuple(
            _draw_panel(stage, changed, slot_count) for stage, changed in zip(self._stages, self._changed, strict=True)
        )
        caption = (
            "Each tile is one partition and keeps its place: row by row from partition 0. "
            "The square is the primary, each stripe below it a backup; its title names partition and members. "
            "A notch marks a slot that changed since the stage before."
        )
        if self._left_out:
            caption += f" Not drawn: {count(self._left_out, 'stage')} in between."
        numbers = NumberTable(
            ("Stage", "Member", *("Primaries" if slot == 0 else f"Backup {slot}" for slot in range(slot_count))),
            tuple(_count_rows(self._stages, slot_count)),
        )
        return Figure("ownership", "Who holds what", caption, panels, numbers, _legend(self._stages, slot_count))


def changed_slots(before: Stage | None, after: Stage) -> set[tuple[int, int]]:
    """Return the (partition, slot) pairs with another holder than before; empty if there is no earlier table."""
    if before is None or len(before.rows) != len(after.rows):
        return set()
    return {
        (partition, slot)
        for partition, (old, new) in enumerate(zip(before.rows, after.rows, strict=True))
        for slot in range(max(len(old), len(new)))
        if (old[slot] if slot < len(old) else None) != (new[slot] if slot < len(new) else None)
    }


def _draw_panel(stage: Stage, changed: set[tuple[int, int]], slot_count: int) -> Panel:
    parts: dict[int | None, list[str]] = {}
    notches, readings = [], []
    height = TILE + STRIPE * (slot_count - 1)
    for partition, row in enumerate(stage.rows):
        left = (partition % COLUMNS) * (TILE + GAP)
        top = (partition // COLUMNS) * (height + GAP + 1)
        for slot in range(slot_count):
            held = row[slot] if slot < len(row) else None
            backup = slot - 1
            y, part_height = (top, TILE) if slot == 0 else (top + TILE + STRIPE * backup + 1, STRIPE - 1)
            parts.setdefault(held, []).append(f"M{left} {y}h{TILE}v{part_height}h-{TILE}z")
            if (partition, slot) in changed:
                notches.append(f"M{left + 3.5} {y + part_height / 2:g}h{TILE - 7}")
        words = ", ".join("–" if held is None else str(held) for held in row[:slot_count])
        readings.append(f'<path d="M{left} {top}h{TILE}v{height}h-{TILE}z"><title>{partition}: {words}</title></path>')
    rows = -(-len(stage.rows) // COLUMNS)
    state = "settled" if stage.settled else "not settled"
    label = f"Partition table, stage {stage.name}: {_in_words(stage, slot_count)}"
    svg = [open_svg(PANEL_WIDTH, rows * (height + GAP + 1), label)]
    svg += [f'<path fill="{MEMBERS[m].css}" d="{"".join(d)}"/>' for m, d in parts.items() if m is not None]
    if None in parts:
        svg.append(f'<path fill="none" stroke="{MUTED.css}" stroke-width=".7" d="{"".join(parts[None])}"/>')
    if notches:
        svg.append(f'<path class="notch" stroke-width="1.6" d="{"".join(notches)}"/>')
    svg += ['<g fill="none" pointer-events="all">', *readings, "</g></svg>"]
    note = f"{state} at {stage.at_ms:,} ms, read from member {stage.observer}"
    if changed:
        note += f"; {len(changed)} {'slot' if len(changed) == 1 else 'slots'} changed"
    return Panel(stage.name, "".join(svg), note)


def _in_words(stage: Stage, slot_count: int) -> str:
    held = (f"member {m} holds {count(sum(counts), 'copy', 'copies')}" for m, counts in stage.copies.items())
    return escape("; ".join(held)) if slot_count else "no copy anywhere"


def _legend(stages: Sequence[Stage], slot_count: int) -> tuple[LegendEntry, ...]:
    shown = sorted({member for stage in stages for member in stage.copies})
    entries = [LegendEntry(MEMBERS[member], f"member {member}") for member in shown]
    if any(len(row) < slot_count or None in row[:slot_count] for stage in stages for row in stage.rows):
        entries.append(LegendEntry(MUTED, "empty slot", "hole"))
    if len(stages) > 1:
        entries.append(LegendEntry(INK, "changed", "notch"))
    return tuple(entries)


def _count_rows(stages: Iterable[Stage], slot_count: int) -> Iterable[tuple[str, ...]]:
    for stage in stages:
        for member, counts in stage.copies.items():
            padded = counts + (0,) * (slot_count - len(counts))
            yield (stage.name, f"member {member}", *(f"{count:,}" for count in padded))
