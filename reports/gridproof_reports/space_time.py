"""A behaviour as a space-time diagram in SVG.

One lane for every element of the index sets that events name, time from top to bottom, one row a step: a dot on each
lane the event names, joined when there are several; beside it the event and, smaller, what it changed.
"""

from dataclasses import dataclass
from html import escape

from gridproof_model.spec import IndexSet
from gridproof_model.spec.changes import changes_between
from gridproof_model.spec.run import Event
from gridproof_model.spec.values import State
from gridproof_properties.story import Story

LANE_PX_MIN = 56
CHARACTER_PX = 6.4
"""What a character of a lane's label takes at most."""
ROW_PX = 26
DETAIL_PX = 15
TOP_PX = 64
LEFT_PX = 40
TEXT_PX = 760
DETAIL_CHARACTERS_MAX = 118
STYLE = """
.space-time { background: var(--paper, #fcfcfa) }
.space-time text { font: 13px system-ui, sans-serif; fill: #1c2024 }
.space-time .small { font-size: 11px; fill: #60646c } .space-time .title { font-size: 15px; font-weight: 600 }
.space-time .lane { stroke: #cdced6 } .space-time .link { stroke: #0b5a7e; stroke-width: 2 }
.space-time .dot { fill: #0b5a7e } .space-time .cycle { stroke: #b3211b; fill: none; stroke-width: 1.5 }
@media (prefers-color-scheme: dark) { .space-time { background: var(--paper, #14171a) }
.space-time text { fill: #edeef0 } .space-time .small { fill: #b0b4ba } .space-time .lane { stroke: #43484e }
.space-time .link { stroke: #60b3d7 } .space-time .dot { fill: #60b3d7 } .space-time .cycle { stroke: #ff8f85 } }
"""
"""Every rule is confined to the picture: a page shows several, in its own style."""


@dataclass(frozen=True, slots=True)
class _Step:
    """One row of the picture."""

    words: str
    lanes: tuple[int, ...]
    changes: tuple[str, ...]

    @property
    def height_px(self) -> int:
        return ROW_PX + DETAIL_PX * len(self.changes)


def draw_story(story: Story) -> str:
    """Return the picture as the text of a self-contained SVG file."""
    lanes = _lanes_of(story)
    steps = _steps_of(story, {lane: number for number, lane in enumerate(lanes)})
    labels = [index.label(position) for index, position in lanes]
    lane_px = max([LANE_PX_MIN, *(round(CHARACTER_PX * len(label)) + 10 for label in labels)])
    xs = [LEFT_PX + lane_px * number for number in range(len(lanes))]
    text_x = LEFT_PX + lane_px * len(lanes)
    height = TOP_PX + sum(step.height_px for step in steps) + ROW_PX
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="space-time" width="{text_x + TEXT_PX}" height="{height}" '
        'role="img">',
        f"<title>{escape(story.shows)}</title><style>{STYLE}</style>",
        f'<text class="title" x="12" y="22">{escape(_cut(story.shows))}</text>',
    ]
    for x, label in zip(xs, labels, strict=True):
        parts.append(f'<text class="small" x="{x}" y="{TOP_PX - 18}" text-anchor="middle">{label}</text>')
        parts.append(f'<line class="lane" x1="{x}" x2="{x}" y1="{TOP_PX - 10}" y2="{height - 8}"/>')
    middles: list[int] = []
    y = TOP_PX
    for number, step in enumerate(steps):
        middles.append(y + ROW_PX // 2)
        parts += _draw_step(number, step, middles[-1], [xs[lane] for lane in step.lanes], text_x)
        y += step.height_px
    if story.cycle_from is not None:
        parts.append(_draw_cycle(middles[story.cycle_from], middles[-1], text_x + TEXT_PX - 30))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _lanes_of(story: Story) -> list[tuple[IndexSet, int]]:
    """Return the elements that may act: of every index set that is a parameter of an event of this story."""
    acting: dict[str, IndexSet] = {}
    for event, _ in story.behaviour:
        for parameter in story.world.action(event.action).parameters if event is not None else ():
            if isinstance(parameter.domain, IndexSet):
                acting.setdefault(parameter.domain.name, parameter.domain)
    return [(index, position) for index in acting.values() for position in range(index.size)]


def _steps_of(story: Story, lanes: dict[tuple[IndexSet, int], int]) -> list[_Step]:
    steps: list[_Step] = []
    before: State | None = None
    for event, state in story.behaviour:
        words = "start" if event is None else story.runner.tell(event).replace("_", " ")
        steps.append(_Step(words, _lanes_named(story, event, lanes), _changes(story, before, state)))
        before = state
    return steps


def _lanes_named(story: Story, event: Event | None, lanes: dict[tuple[IndexSet, int], int]) -> tuple[int, ...]:
    if event is None:
        return ()
    parameters = story.world.action(event.action).parameters
    named = zip((parameter.domain for parameter in parameters), event.arguments, strict=True)
    return tuple(lanes[domain, value] for domain, value in named if isinstance(domain, IndexSet))


def _changes(story: Story, before: State | None, after: State) -> tuple[str, ...]:
    if before is None:
        return ()
    return tuple(_cut(str(change).replace("_", " ")) for change in changes_between(story.world, before, after))


def _draw_step(number: int, step: _Step, y: int, xs: list[int], text_x: int) -> list[str]:
    parts = [f'<text class="small" x="12" y="{y + 4}" text-anchor="middle">{number}</text>']
    if len(set(xs)) > 1:
        parts.append(f'<line class="link" x1="{min(xs)}" x2="{max(xs)}" y1="{y}" y2="{y}"/>')
    parts += [f'<circle class="dot" cx="{x}" cy="{y}" r="5"/>' for x in xs]
    parts.append(f'<text x="{text_x}" y="{y + 4}">{escape(step.words)}</text>')
    for line, change in enumerate(step.changes, start=1):
        parts.append(f'<text class="small" x="{text_x + 14}" y="{y + 4 + DETAIL_PX * line}">{escape(change)}</text>')
    return parts


def _draw_cycle(top: int, bottom: int, x: int) -> str:
    return (
        f'<path class="cycle" d="M {x} {bottom} h 14 V {top} h -14"/>'
        f'<text class="small" x="{x - 6}" y="{bottom + 18}" text-anchor="middle">and again, forever</text>'
    )


def _cut(text: str) -> str:
    return text if len(text) <= DETAIL_CHARACTERS_MAX else f"{text[: DETAIL_CHARACTERS_MAX - 1]}…"
