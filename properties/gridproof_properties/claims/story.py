"""A behaviour in a file, to be replayed.

What an exploration or a proof shows is written as the constants of the world, the first state by its number, and the
events that follow. A replay runs them on plain values again, so a story that a defective engine made up is refused.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from gridproof_model.language import OneOf, SpecificationError, StepError, World
from gridproof_model.language.declarations import Action
from gridproof_model.language.run import Event, Runner
from gridproof_model.language.values import Plain, State
from gridproof_model.own_file import read_text
from gridproof_model.user_error import UserError
from gridproof_model.whole_file import write_whole
from gridproof_properties.claims.named import NamingError, find_named

FORMAT = 1

Behaviour = Sequence[tuple[Event | None, State]]


class StoryError(UserError, ValueError):
    """A file that holds no story, or one that cannot happen; the message is one line."""


@dataclass(frozen=True, slots=True)
class Story:
    """A behaviour of a world, and what it shows."""

    runner: Runner
    shows: str
    """In one sentence."""
    behaviour: tuple[tuple[Event | None, State], ...]
    cycle_from: int | None = None
    """The step to which the end returns, forever; None when it does not."""

    @property
    def world(self) -> World:
        """The world it happens in."""
        return self.runner.world


def story_of(world: World, shows: str, behaviour: Behaviour, cycle: Behaviour = ()) -> Story:
    """Return the story of a behaviour that is at hand, and of the cycle it ends in, without a file."""
    return Story(Runner(world), shows, (*behaviour, *cycle), len(behaviour) - 1 if cycle else None)


def write_story(path: Path, story: Story, reference: str) -> None:
    """Write a story to a new file, with the name its specification is found by.

    StoryError when something stands there already.
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


def read_story(path: Path) -> Story:
    """Return the story in a file, replayed; StoryError says what is wrong and where.

    A specification of one's own is looked for where one is, beside the story, and in the folder above.
    """
    try:
        whole = json.loads(read_text(path))
    except OSError as error:
        raise StoryError(
            f"{path}: cannot be read: {error.strerror}; give a file that `gridproof explore` wrote"
        ) from None
    except ValueError as error:
        raise StoryError(f"{path}: is not JSON ({error}); give a file that `gridproof explore` wrote") from None
    try:
        return _replayed(whole, (Path(), path.parent, path.parent.parent))
    except (KeyError, TypeError, IndexError, StopIteration) as error:
        raise StoryError(f"{path}: is no story of gridproof ({type(error).__name__}: {error}); explore again") from None
    except (NamingError, SpecificationError, StepError, StoryError) as error:
        raise StoryError(f"{path}: {error}; the specification may have changed since: explore again") from None


def _replayed(whole: Mapping[str, Plain], folders: Sequence[Path]) -> Story:
    if whole["format"] != FORMAT:
        raise StoryError(f"is a story of format {whole['format']}, and this gridproof reads format {FORMAT}")
    specification = find_named(whole["specification"], folders).specification
    defaults = {constant.name: constant.default for constant in specification.constants}
    constants = {key: _from_json(value, type(defaults.get(key))) for key, value in whole["constants"].items()}
    runner = Runner(specification.world(**constants))
    start = list(runner.initial_states())[whole["start"]]
    events = [_event(runner.world.action(name), arguments) for name, *arguments in whole["events"]]
    return Story(runner, whole["shows"], tuple(runner.replay(start, events)), whole["cycle_from"])


def _event(action: Action, arguments: Sequence[Plain]) -> Event:
    kinds = [parameter.domain for parameter in action.parameters]
    values = [
        _from_json(value, domain.choices if isinstance(domain, OneOf) else object)
        for value, domain in zip(arguments, kinds, strict=True)
    ]
    return Event(action.name, tuple(values))


def _to_json(value: Plain) -> Plain:
    return value.name if isinstance(value, Enum) else value


def _from_json(value: Plain, kind: type[object]) -> Plain:
    return kind[value] if issubclass(kind, Enum) else value
