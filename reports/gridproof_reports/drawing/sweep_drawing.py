"""Draws a figure for each quantity of a sweep.

A figure has lines over the number that the sweep varies. Rates and times have a logarithmic scale, and constants a
linear one; values have a logarithmic scale if all of them are above 0 and they differ by more than a factor of ten. A
text below the figure names the scales, the world and the time.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil, floor, isfinite, log10

from gridproof_properties.measuring import Measurement, Quantity
from gridproof_properties.measuring.sweep import Sweep, Swept
from gridproof_reports.drawing import style

LEFT, RIGHT, TOP, HEIGHT = 62.0, 14.0, 30.0, 190.0
LINE = 16.0
TICKS_MAX = 6
NAME_LETTERS = 46
PROBABILITIES = (Quantity.WITHIN, Quantity.EVER, Quantity.SHARE)
"""The quantities whose axis never goes below 0 or above 1."""

Points = Sequence[tuple[float | None, Measurement]]


@dataclass(frozen=True, slots=True)
class Scale:
    """The positions of numbers on an axis that lies between `start` and `end` px."""

    low: float
    high: float
    start: float
    end: float
    is_logarithmic: bool

    @staticmethod
    def over(values: Sequence[float], start: float, end: float, *, is_logarithmic: bool) -> "Scale":
        """Return a scale on which all values lie; a single value is in its middle."""
        low, high = min(values), max(values)
        if is_logarithmic:
            low, high = log10(low), log10(high)
        if high - low < 1e-9 * max(abs(high), 1.0):
            low, high = low - 0.5, high + 0.5
        return Scale(low, high, start, end, is_logarithmic)

    def at(self, value: float) -> float:
        """Return the position of a number in px."""
        place = log10(value) if self.is_logarithmic else value
        return self.start + (place - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self, most: int = TICKS_MAX) -> list[float]:
        """Return a few round numbers on the scale, at most about `most`."""
        if self.is_logarithmic:
            first, last = ceil(self.low - 1e-9), floor(self.high + 1e-9)
            if last - first >= 1:
                step = ceil((last - first + 1) / most)
                return [10.0**power for power in range(first, last + 1, step)]
            few = [digit * 10.0**power for power in range(first - 1, last + 1) for digit in (1, 2, 5)]
            inside = [one for one in few if self.low - 1e-9 <= log10(one) <= self.high + 1e-9]
            return inside if len(inside) > 1 else [10.0**self.low, 10.0**self.high]
        power: float = 10.0 ** floor(log10(self.high - self.low))
        spacing: float = next(s for s in (power / 5, power / 2, power, power * 2) if (self.high - self.low) / s <= most)
        first, last = ceil(self.low / spacing - 1e-9), floor(self.high / spacing + 1e-9)
        return [spacing * number for number in range(first, last + 1)]


def draw_sweep(sweep: Sweep, points: Points, time: str = "") -> dict[str, bytes]:
    """Return the files of a sweep's figures by name; a quantity with fewer than two known points has none.

    `time` is the time limit of the probabilities.
    """
    world = points[0][1].question.world.title if sweep.kind is not Swept.CONSTANT else points[0][1].question.world.name
    files: dict[str, bytes] = {}
    for quantity in Quantity:
        lines = {name: line for name, line in _lines(quantity, points) if len(line) > 1}
        if lines:
            stem = quantity.value.replace(",", "").replace(" ", "-")
            is_within = quantity in (Quantity.WITHIN, Quantity.EVENTS) and time and sweep.kind is not Swept.TIME
            drawing = _drawn(sweep, quantity, lines, [world, f"within {time}"] if is_within else [world])
            files[f"{stem}.svg"] = style.to_file(
                style.to_svg(drawing, f"{quantity.value} over {sweep.heading}")
            ).encode()
            files[f"{stem}.png"] = style.to_png(drawing)
    return files


Line = list[tuple[float, float]]


def _lines(quantity: Quantity, points: Points) -> Iterator[tuple[str, Line]]:
    names = dict.fromkeys(row.of for _, found in points for row in found.rows if row.quantity is quantity)
    for name in names:
        yield (
            name,
            [
                (at, row.estimate.value)
                for at, found in points
                for row in found.rows
                if (row.of, row.quantity) == (name, quantity) and at is not None
                if row.estimate is not None and isfinite(row.estimate.value)
            ],
        )


def _drawn(sweep: Sweep, quantity: Quantity, lines: dict[str, Line], said: Sequence[str]) -> style.Drawing:
    drawing = style.new_drawing(TOP + HEIGHT + 3 * LINE + LINE * (len(lines) + 2) + 6)
    across = [at for line in lines.values() for at, _ in line]
    values = [value for line in lines.values() for _, value in line]
    is_far = min(values) > 0 and max(values) / min(values) > 10
    x = Scale.over(across, LEFT, style.PANEL_WIDTH - RIGHT, is_logarithmic=sweep.kind is not Swept.CONSTANT)
    y = Scale.over(values, TOP + HEIGHT, TOP, is_logarithmic=is_far)
    if quantity in PROBABILITIES:
        y = replace(y, high=min(y.high, 0.0 if is_far else 1.0), low=y.low if is_far else max(y.low, 0.0))
    unit = f", {quantity.unit}" if quantity.unit else ""
    style.write(drawing, LEFT, TOP - 12, f"{quantity.value}{unit}", style.INK, 0)
    draw_axes(drawing, x, y)
    bottom = TOP + HEIGHT + 2.1 * LINE
    style.write(drawing, (LEFT + style.PANEL_WIDTH - RIGHT) / 2, bottom, sweep.heading, style.MUTED, 1, ha="center")
    for number, (name, line) in enumerate(lines.items()):
        colour = style.MEMBERS[number % len(style.MEMBERS)].light
        drawing.plot([x.at(at) for at, _ in line], [y.at(value) for _, value in line], color=colour, lw=1.6, marker=".")
        height = bottom + LINE * (number + 1)
        drawing.plot([LEFT - 40, LEFT - 22], [height, height], color=colour, lw=1.6, marker=".")
        short = name if len(name) <= NAME_LETTERS else name[: NAME_LETTERS - 1] + "…"
        style.write(drawing, LEFT - 16, height, short, style.INK, 1)
    for number, text in enumerate((said[0], ", ".join(["exact", *said[1:], *scales_of(x, y)]))):
        style.write(drawing, LEFT - 40, bottom + LINE * (len(lines) + 1 + number), text, style.MUTED, 3)
    return drawing


def scales_of(x: Scale, y: Scale) -> Iterator[str]:
    """Yield remarks about the two scales: what a reader might not expect, such as a scale that does not start at 0."""
    if x.is_logarithmic or y.is_logarithmic:
        which = "both ways" if x.is_logarithmic and y.is_logarithmic else "across" if x.is_logarithmic else "up"
        yield f"logarithmic {which}"
    if not y.is_logarithmic and y.low > 0:
        yield f"up from {_short(y.low)}, not from 0"


def draw_axes(drawing: style.Drawing, x: Scale, y: Scale) -> None:
    """Draw two axes with their numbers."""
    right, bottom = style.PANEL_WIDTH - RIGHT, TOP + HEIGHT
    for value in y.ticks():
        drawing.plot([LEFT, right], [y.at(value)] * 2, color=style.RULE.light, lw=0.8, zorder=0)
        style.write(drawing, LEFT - 5, y.at(value), _short(value), style.MUTED, 2, ha="right")
    for value in x.ticks():
        drawing.plot([x.at(value)] * 2, [bottom, bottom + 4], color=style.MUTED.light, lw=0.8)
        style.write(drawing, x.at(value), bottom + 13, _short(value), style.MUTED, 2, ha="center")
    drawing.plot([LEFT, LEFT, right], [TOP, bottom, bottom], color=style.MUTED.light, lw=0.8)


def _short(value: float) -> str:
    if 1_000 <= abs(value) < 100_000:
        return f"{value:,.0f}"
    return f"{value:.3g}".replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")
