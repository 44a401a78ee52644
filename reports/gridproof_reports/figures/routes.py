"""The partitions to which a system routes keys, compared with the documented rule.

The figure shows, by type, how many keys were routed and how many of them went to another partition than the rule says
(keys.4, keys.5), and how evenly the random keys are spread over the partitions.
"""

from collections import Counter
from itertools import pairwise
from math import sqrt

from gridproof_model.events.harness import KeyRefused
from gridproof_model.hashing import hash_to_index
from gridproof_model.trace import EventRecord, Record, RouteRecord
from gridproof_reports.drawing.figure import Bar, Figure, LegendEntry, NumberTable, Panel, Sketch, draw_bars, text_at
from gridproof_reports.drawing.style import ACCENT, BROKEN, MUTED, PANEL_WIDTH, SURFACE, open_svg

BATCH = 8192
POINTS_MAX = 400
CHART_HEIGHT = 160
FOOT_HEIGHT = 22


class Routes(Sketch):
    """The figure on routes; it keeps a few counts for each type of key and partition, and a batch of keys to hash."""

    def __init__(self) -> None:
        self._random: Counter[str] = Counter()
        self._boundary: Counter[str] = Counter()
        self._mismatched: Counter[str] = Counter()
        self._refused: Counter[str] = Counter()
        self._waiting: list[RouteRecord] = []
        self._fallen: dict[int, Counter[int]] = {}

    def observe(self, record: Record) -> None:
        """Count one routed key."""
        if isinstance(record, EventRecord) and isinstance(record.event, KeyRefused):
            self._refused[record.event.key_type] += 1
        if not isinstance(record, RouteRecord):
            return
        if record.boundary:
            self._boundary[record.key_type] += 1
        else:
            self._random[record.key_type] += 1
            self._fallen.setdefault(record.partition_count, Counter())[record.partition] += 1
        self._waiting.append(record)
        if len(self._waiting) >= BATCH:
            self._compare_waiting()

    def draw(self) -> Figure | None:
        """Return one panel of types and one of the distribution; None if no key was routed."""
        self._compare_waiting()
        types = list(dict.fromkeys([*self._random, *self._boundary, *self._refused]))
        if not types:
            return None
        panels = [self._draw_types(types)]
        if self._fallen:
            count = max(self._fallen, key=lambda partitions: self._fallen[partitions].total())
            panels.append(_draw_distribution(self._fallen[count], count))
        columns = ("Type of key", "Random keys", "Boundary keys", "On another partition", "Refused")
        counters = (self._random, self._boundary, self._mismatched, self._refused)
        rows = [(name, *(f"{counts[name]:,}" for counts in counters)) for name in types]
        caption = (
            "Keys whose partition the system was asked for. Boundary keys are built so that their hash meets an edge "
            "of the documented rule; random keys practically never do."
        )
        legend = (LegendEntry(ACCENT, "as the rule says"), LegendEntry(BROKEN, "on another partition"))
        return Figure(
            "routes", "From key to partition", caption, tuple(panels), NumberTable(columns, tuple(rows)), legend
        )

    def _compare_waiting(self) -> None:
        # Imported here: only a run with routes needs NumPy.
        from gridproof_implementation.hashing import hash_payloads

        hashes = hash_payloads([record.payload for record in self._waiting]).tolist()
        for record, hashed in zip(self._waiting, hashes, strict=True):
            by_hash = hash_to_index(hashed, record.partition_count)
            if (by_hash if record.documented is None else record.documented) != record.partition:
                self._mismatched[record.key_type] += 1
        self._waiting.clear()

    def _draw_types(self, types: list[str]) -> Panel:
        bars = []
        for name in types:
            checked, wrong = self._random[name] + self._boundary[name], self._mismatched[name]
            value = f"{wrong:,} of {checked:,}" if wrong else f"{checked:,}"
            if self._refused[name]:
                value += f", {self._refused[name]:,} refused"
            bars.append(Bar(name, ((wrong, BROKEN), (checked - wrong, ACCENT)), value))
        words = "; ".join(f"{bar.label}: {bar.value}" for bar in bars)
        total = self._random.total() + self._boundary.total()
        note = f"{total:,} keys, {self._boundary.total():,} of them boundary keys"
        return Panel("Keys by type", draw_bars(bars, f"Keys checked by type: {words}"), note)


def _draw_distribution(fallen: Counter[int], partition_count: int) -> Panel:
    """Draw a dot for each partition, or range of partitions, and a band around the mean for nearly all of them."""
    points = min(partition_count, POINTS_MAX)
    begins = [-(-point * partition_count // points) for point in range(points + 1)]
    widths, keys = [end - begin for begin, end in pairwise(begins)], Counter[int]()
    for partition, count in fallen.items():
        keys[min(max(partition, 0), partition_count - 1) * points // partition_count] += count
    counts = [keys[point] / widths[point] for point in range(points)]
    mean = fallen.total() / partition_count
    band = 3 * sqrt(mean / min(widths))
    reach = 1.15 * max(band, mean - min(counts), max(counts) - mean)
    middle, height = CHART_HEIGHT / 2, CHART_HEIGHT * band / reach
    across = [(point + 0.5) * PANEL_WIDTH / points for point in range(points)]
    down = [middle - middle * (count - mean) / reach for count in counts]
    places = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in zip(across, down, strict=True))
    foot = CHART_HEIGHT + FOOT_HEIGHT - 4
    drawn = (
        f'<rect y="{middle - height / 2:.1f}" width="{PANEL_WIDTH}" height="{height:.1f}" fill="{SURFACE.css}"/>',
        f'<path d="M0 {middle:g}h{PANEL_WIDTH}" stroke="{MUTED.css}"/>',
        # A line of length 0 with round ends is drawn as a dot.
        f'<path d="{places}" stroke="{ACCENT.css}" stroke-width="3" stroke-linecap="round"/>',
        text_at(0, foot, "partition 0", MUTED),
        text_at(PANEL_WIDTH, foot, f"partition {partition_count - 1:,}", MUTED, ends=True),
    )
    dots = "partition" if points == partition_count else "range of partitions"
    note = (
        f"A dot a {dots}; the line is the mean, {mean:,.1f} keys, the band three standard deviations, "
        f"{max(0.0, mean - band):,.1f} to {mean + band:,.1f}. Seen: {min(counts):,.1f} to {max(counts):,.1f}."
    )
    svg = "".join((open_svg(PANEL_WIDTH, CHART_HEIGHT + FOOT_HEIGHT, note), *drawn, "</svg>"))
    return Panel(f"Random keys over {partition_count:,} partitions", svg, note)
