"""A behaviour in a file, which can be replayed.

A behaviour found by an exploration or a proof is written as the constants of its world, the number of its initial
state, and the events that follow. A replay executes the events on plain values again, so that a false story, written by
a defective engine, is refused.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from gridproof_model.language import OneOf, SpecificationError, StepError, World
from gridproof_model.language.expressions import Option
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.structures import Array, Set
from gridproof_model.language.tree import Domain
from gridproof_model.language.values import Plain, State, contains
from gridproof_model.typed_json import UnfitError, Within, read_json, typed
from gridproof_model.user_error import UserError
from gridproof_model.whole_file import write_whole
from gridproof_properties.claims.named import NamingError, find_named
from gridproof_properties.judging.words import count

FORMAT = 1
CURE = "give a file that `gridproof explore` or `gridproof replay` wrote"

Behaviour = Sequence[tuple[Event | None, State]]


class StoryError(UserError, ValueError):
    """Raised for a file that has no story, or a story that is not possible; the error's message is one line."""


@dataclass(frozen=True, slots=True)
class Story:
    """A behaviour of a world, and what it shows."""

    runner: Runner
    shows: str
    """What the behaviour shows, in one sentence."""
    behaviour: tuple[tuple[Event | None, State], ...]
    cycle_from: int | None = None
    """The step to which the end of the story returns, for ever; None if the story does not return."""

    @property
    def world(self) -> World:
        """The world in which the behaviour happens."""
        return self.runner.world


def story_of(world: World, shows: str, behaviour: Behaviour, cycle: Behaviour = ()) -> Story:
    """Return the story of a behaviour, and of the cycle in which the behaviour ends."""
    return Story(Runner(world), shows, (*behaviour, *cycle), len(behaviour) - 1 if cycle else None)


def write_story(path: Path, story: Story, reference: str) -> None:
    """Write a story to a new file, with the name by which the story's specification is found.

    Raises StoryError if the file exists already.
    """
    world, first = story.world, story.behaviour[0][1]
    start = next(number for number, state in enumerate(world.initial_states()) if state == first)
    events = [event for event, _ in story.behaviour if event is not None]
    whole = {
        "format": FORMAT,
        "specification": reference,
        "constants": {name: _to_json(value) for name, value in world.constants},
        "shows": story.shows,
        "start": start,
        "events": [[event.action, *map(_to_json, event.arguments)] for event in events],
        "cycle_from": story.cycle_from,
    }
    if path.exists():
        raise StoryError(f"{path} exists already and is not overwritten; remove it or choose another name")
    write_whole(path, json.dumps(whole, indent=1, ensure_ascii=False) + "\n")


@dataclass(frozen=True, slots=True)
class _File:
    """The contents of a story's file."""

    format: Annotated[int, Within(FORMAT, FORMAT)]
    specification: str
    constants: dict[str, object]
    shows: str
    start: Annotated[int, Within(0, 1_000_000)]
    """The number of the initial state in which the story begins."""
    events: list[list[object]]
    """The events; each is the name of an action, followed by its arguments."""
    cycle_from: int | None = None


def read_story(path: Path) -> Story:
    """Return the story in a file, after a replay; raise StoryError, which says what is wrong and where.

    A user's specification is searched for in the working folder, in the folder of the story, and in the one above that.
    """
    try:
        found = read_json(path)
    except OSError as error:
        raise StoryError(f"{path} cannot be read: {error.strerror}; {CURE}") from None
    except ValueError as error:
        raise StoryError(f"{path} is not JSON ({error}); {CURE}") from None
    try:
        whole: _File = typed(_File, found, "the story")
    except UnfitError as error:
        raise StoryError(f"{path} is no story of gridproof: {error}; write it anew with gridproof explore") from None
    try:
        return _replayed(whole, (Path(), path.parent, path.parent.parent))
    except (NamingError, SpecificationError, StepError, StoryError) as error:
        what = error.problem if isinstance(error, SpecificationError) else error
        why = f"the story in this file does not fit its specification: {what}"
        raise StoryError(f"{path}: {why}; correct the specification, or explore again if it has changed") from None


def _replayed(whole: _File, folders: Sequence[Path]) -> Story:
    specification = find_named(whole.specification, folders).specification
    domains = {constant.name: constant.domain for constant in specification.constants}
    constants = {name: _from_json(domains.get(name), value) for name, value in whole.constants.items()}
    runner = Runner(specification.world(**constants))
    start = next(islice(runner.initial_states(), whole.start, None), None)
    if start is None:
        raise StoryError(f"the story starts from initial state {whole.start}, which its world does not have")
    if whole.cycle_from is not None and not 0 <= whole.cycle_from < len(whole.events):
        returns = f"the story's cycle returns to step {whole.cycle_from}"
        raise StoryError(f"{returns}, but the story has only {count(len(whole.events), 'step')}")
    events = [_event(runner.world, said) for said in whole.events]
    return Story(runner, whole.shows, tuple(runner.replay(start, events)), whole.cycle_from)


def _event(world: World, said: Sequence[object]) -> Event:
    action = next((one for one in world.actions if [one.name] == list(said[:1])), None)
    if action is None or len(said) != 1 + len(action.parameters):
        raise StoryError(f"{str(said)[:80]} names no action of the specification, or has too many or too few arguments")
    values = [_from_json(parameter.domain, one) for parameter, one in zip(action.parameters, said[1:], strict=True)]
    for parameter, value in zip(action.parameters, values, strict=True):
        if not contains(parameter.domain, value):
            raise StoryError(f"{str(said)[:80]}: {parameter.name} must be {parameter.domain.describe()}")
    return Event(action.name, tuple(values))


def _to_json(value: Plain) -> Plain:
    if isinstance(value, tuple):
        return [_to_json(part) for part in value]
    return value.name if isinstance(value, Enum) else value


def _from_json(domain: Domain[Any] | None, found: object) -> Plain:
    """Return a JSON value as a value of a domain; what does not fit the domain is returned unchanged."""
    match domain, found:
        case OneOf(choices=choices), str():
            return choices.__members__.get(found, found)
        case Option(inner=inner), _:
            return _from_json(inner, found)
        case ((Array() | Set()), list()):
            return tuple(_from_json(domain.element, part) for part in found)
        case _:
            return found
