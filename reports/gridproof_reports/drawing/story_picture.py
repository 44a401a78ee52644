"""Draws a behaviour of a specification as a space-time diagram.

There is one lane for every element of the index sets that events name; the cells that an event changed stand next to
it.
"""

from gridproof_model.language import IndexSet
from gridproof_model.language.changes import changes_between
from gridproof_model.language.run import Event
from gridproof_model.language.values import State
from gridproof_properties.claims.story import Story
from gridproof_reports.drawing.space_time import Step, cut, draw_picture


def draw_story(story: Story) -> str:
    """Return the picture as the text of a self-contained SVG file."""
    lanes = _lanes_of(story)
    steps = _steps_of(story, {lane: number for number, lane in enumerate(lanes)})
    labels = [index.show(position) for index, position in lanes]
    return draw_picture(story.shows, labels, steps, cycle_from=story.cycle_from)


def _lanes_of(story: Story) -> list[tuple[IndexSet, int]]:
    """Return the lanes of the picture: the elements of every index set from which some event takes a parameter."""
    acting: dict[str, IndexSet] = {}
    for event, _ in story.behaviour:
        for parameter in story.world.action(event.action).parameters if event is not None else ():
            if isinstance(parameter.domain, IndexSet):
                acting.setdefault(parameter.domain.name, parameter.domain)
    return [(index, position) for index in acting.values() for position in range(index.size)]


def _steps_of(story: Story, lanes: dict[tuple[IndexSet, int], int]) -> list[Step]:
    steps: list[Step] = []
    before: State | None = None
    for event, state in story.behaviour:
        words = "start" if event is None else story.runner.describe(event).replace("_", " ")
        steps.append(Step(words, _lanes_named(story, event, lanes), _changes(story, before, state)))
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
    return tuple(cut(str(change).replace("_", " ")) for change in changes_between(story.world, before, after))
