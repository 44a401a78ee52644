"""Draws a space-time diagram in SVG.

There is one row for each step, with a dot on each lane that the step concerns; next to the dots stands what happened
and, in smaller letters, what it changed. Arrows lead from the step that sent a message to the step that the arrival of
the message caused; a bar along a lane is a fault that lasts.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from typing import assert_never

LANE_PX_MIN = 56
CHARACTER_PX = 6.4
"""The greatest width that a character in the label of a lane has."""
ROW_PX = 26
DETAIL_PX = 15
TOP_PX = 64
LEFT_PX = 40
TEXT_PX = 760
CROSS_PX = 6
OCTAGON_PX = 10
REFUSED_WORD = "refused"
BAR_PX = 9
DETAIL_CHARACTERS_MAX = 118
STYLE = """
.space-time { background: var(--paper, #fcfcfa) }
.space-time text { font: 13px system-ui, sans-serif; fill: #1c2024 }
.space-time .small { font-size: 11px; fill: #60646c } .space-time .title { font-size: 15px; font-weight: 600 }
.space-time .lane { stroke: #cdced6 } .space-time .link { stroke: #0b5a7e; stroke-width: 2 }
.space-time .cycle, .space-time .cross { stroke: #b3211b; fill: none; stroke-width: 1.5 }
.space-time .dot { fill: #0b5a7e }
.space-time .arrow { stroke: #0b5a7e; stroke-width: 1; opacity: 0.6 } .space-time .bar { fill: #b3211b; opacity: 0.18 }
.space-time .ring { stroke: #0b5a7e; stroke-width: 2; fill: none }
.space-time .refused rect { fill: #b3211b; opacity: 0.1 }
.space-time .refused path { fill: #b3211b; stroke: #fcfcfa; stroke-width: 2 }
.space-time .refused text { fill: #b3211b; font-weight: 600 }
@media (prefers-color-scheme: dark) { .space-time { background: var(--paper, #14171a) }
.space-time text { fill: #edeef0 } .space-time .small { fill: #b0b4ba } .space-time .lane { stroke: #43484e }
.space-time .link, .space-time .arrow, .space-time .ring { stroke: #60b3d7 } .space-time .dot { fill: #60b3d7 }
.space-time .cycle, .space-time .cross { stroke: #ff8f85 } .space-time .bar { fill: #ff8f85 }
.space-time .refused rect, .space-time .refused path, .space-time .refused text { fill: #ff8f85 }
.space-time .refused path { stroke: #14171a } }
"""
"""The style of the picture; its rules apply only inside the picture, as a page shows several in its own style."""


class Mark(StrEnum):
    """How a step is drawn on its lanes."""

    DOTS = "dots"
    """A dot: something happened on the lane; dots on several lanes are joined, as it happened to all of them."""
    CROSS = "cross"
    """A cross: something ended."""
    RING = "ring"
    """A ring: something began."""
    REFUSED = "refused"
    """An octagon on a band across the picture, with the word "refused": no action explains the step."""


@dataclass(frozen=True, slots=True)
class Step:
    """One row of the picture."""

    words: str
    lanes: tuple[int, ...] = ()
    changes: tuple[str, ...] = ()
    mark: Mark = Mark.DOTS
    arrows_from: tuple[tuple[int, int], ...] = ()
    """The steps, each with its lane, that sent the messages that arrive in this row; they arrive on its first lane."""

    @property
    def height_px(self) -> int:
        """The height of the row."""
        return ROW_PX + DETAIL_PX * len(self.changes)


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar along a member's lane: something that lasts from one step to another; steps are counted from 0."""

    lane: int
    first: int
    last: int


def draw_picture(
    title: str, labels: Sequence[str], steps: Sequence[Step], bars: Sequence[Bar] = (), cycle_from: int | None = None
) -> str:
    """Return the picture as the text of a self-contained SVG file."""
    lane_px = max([LANE_PX_MIN, *(round(CHARACTER_PX * len(label)) + 10 for label in labels)])
    xs = [LEFT_PX + lane_px * number for number in range(len(labels))]
    text_x = LEFT_PX + lane_px * len(labels)
    height = TOP_PX + sum(step.height_px for step in steps) + ROW_PX
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="space-time" width="{text_x + TEXT_PX}" height="{height}" '
        'role="img">',
        f"<title>{escape(title)}</title><style>{STYLE}</style>",
        f'<text class="title" x="12" y="22">{escape(cut(title))}</text>',
    ]
    for x, label in zip(xs, labels, strict=True):
        parts.append(f'<text class="small" x="{x}" y="{TOP_PX - 18}" text-anchor="middle">{escape(label)}</text>')
        parts.append(f'<line class="lane" x1="{x}" x2="{x}" y1="{TOP_PX - 10}" y2="{height - 8}"/>')
    ys = _middles(steps)
    for bar in bars:
        top, tall = ys[bar.first], max(ys[bar.last] - ys[bar.first], 4)
        parts.append(f'<rect class="bar" x="{xs[bar.lane] - BAR_PX}" y="{top}" width="{2 * BAR_PX}" height="{tall}"/>')
    for number, step in enumerate(steps):
        parts += [
            f'<line class="arrow" x1="{xs[lane]}" y1="{ys[sender]}" x2="{xs[step.lanes[0]]}" y2="{ys[number]}"/>'
            for sender, lane in step.arrows_from
        ]
        parts += _draw_step(number, step, ys[number], [xs[lane] for lane in step.lanes], text_x)
    if cycle_from is not None:
        parts.append(_draw_cycle(ys[cycle_from], ys[-1], text_x + TEXT_PX - 30))
    return "\n".join([*parts, "</svg>"]) + "\n"


def cut(text: str) -> str:
    """Return a text, shortened if it does not fit into a line."""
    return text if len(text) <= DETAIL_CHARACTERS_MAX else f"{text[: DETAIL_CHARACTERS_MAX - 1]}…"


def _middles(steps: Sequence[Step]) -> list[int]:
    middles: list[int] = []
    y = TOP_PX
    for step in steps:
        middles.append(y + ROW_PX // 2)
        y += step.height_px
    return middles


def _draw_step(number: int, step: Step, y: int, xs: list[int], text_x: int) -> list[str]:
    parts = [f'<text class="small" x="12" y="{y + 4}" text-anchor="middle">{number}</text>']
    if len(set(xs)) > 1 and step.mark is Mark.DOTS:
        parts.append(f'<line class="link" x1="{min(xs)}" x2="{max(xs)}" y1="{y}" y2="{y}"/>')
    marks = [_draw_mark(step.mark, x, y) for x in xs]
    if step.mark is Mark.REFUSED:
        band = f'<rect x="0" y="{y - ROW_PX // 2}" width="{text_x + TEXT_PX}" height="{step.height_px}"/>'
        words = f'<text x="{text_x}" y="{y + 4}">{REFUSED_WORD}: {escape(step.words)}</text>'
        parts += ['<g class="refused">', band, *marks, words, "</g>"]
    else:
        parts += [*marks, f'<text x="{text_x}" y="{y + 4}">{escape(step.words)}</text>']
    for line, change in enumerate(step.changes, start=1):
        parts.append(f'<text class="small" x="{text_x + 14}" y="{y + 4 + DETAIL_PX * line}">{escape(change)}</text>')
    return parts


def _draw_mark(mark: Mark, x: int, y: int) -> str:
    match mark:
        case Mark.DOTS:
            return f'<circle class="dot" cx="{x}" cy="{y}" r="5"/>'
        case Mark.RING:
            return f'<circle class="ring" cx="{x}" cy="{y}" r="5"/>'
        case Mark.CROSS:
            r = CROSS_PX
            return f'<path class="cross" d="M {x - r} {y - r} L {x + r} {y + r} M {x - r} {y + r} L {x + r} {y - r}"/>'
        case Mark.REFUSED:
            r, c = OCTAGON_PX, OCTAGON_PX // 2
            right, left = f"H {x + c} L {x + r} {y - c} V {y + c}", f"L {x + c} {y + r} H {x - c} L {x - r} {y + c}"
            return f'<path d="M {x - c} {y - r} {right} {left} V {y - c} Z"/>'
        case _:
            assert_never(mark)


def _draw_cycle(top: int, bottom: int, x: int) -> str:
    return (
        f'<path class="cycle" d="M {x} {bottom} h 14 V {top} h -14"/>'
        f'<text class="small" x="{x - 6}" y="{bottom + 18}" text-anchor="middle">and again, forever</text>'
    )
