"""The steps that a behaviour has taken, as what is shown of them."""

from collections.abc import Iterable
from itertools import groupby

from gridproof_model.language.domains import IndexSet
from gridproof_model.language.run import Event, Runner
from gridproof_properties.judging.refusal import Element, Occurrence, Recorded

Taken = tuple[Recorded | None, object, Event]
"""What was recorded, in a few words too, and one step that it was."""


def occurrences(runner: Runner, taken: Iterable[Taken]) -> tuple[Occurrence, ...]:
    """Return what was taken, in order; several steps of one record are one occurrence."""
    grouped = groupby(taken, key=lambda one: str(one[1]) if one[0] is None else id(one[0]))
    return tuple(_occurrence(runner, list(steps)) for _, steps in grouped)


def _occurrence(runner: Runner, steps: list[Taken]) -> Occurrence:
    recorded, text, _ = steps[0]
    return occurrence(runner, recorded, text, [event for *_, event in steps])


def occurrence(runner: Runner, recorded: Recorded | None, text: object, events: Iterable[Event]) -> Occurrence:
    """Return something recorded with the actions that it is, or might have been."""
    different = tuple(dict.fromkeys(event for event in events if runner.misfit(event) is None))
    named = dict.fromkeys(element for event in different for element in _named(runner, event))
    return Occurrence(str(text), recorded, tuple(map(runner.describe, different)), tuple(named))


def _named(runner: Runner, event: Event) -> Iterable[Element]:
    parameters = runner.world.action(event.action).parameters
    for parameter, value in zip(parameters, event.arguments, strict=True):
        if isinstance(parameter.domain, IndexSet):
            yield parameter.domain.name, value
