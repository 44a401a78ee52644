"""The track record: for each version, how many times each story was played, and how many of these times it happened."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import monotonic

from gridproof_implementation.adapter import AdapterError, AdapterFailure
from gridproof_implementation.live.process import FAILED
from gridproof_properties.stories.setting import NotPlayedError
from gridproof_properties.stories.stage import Stage, open_stage
from gridproof_properties.stories.story import Ending, Played, PlayedOnce, Story

Watch = Callable[[str, str, int], None]
"""Called before each trial of a story, with the story, the version, and the number of the trial counted from 0."""


def play_all(stories: Sequence[Story], versions: Sequence[str], times: int, watch: Watch) -> Iterator[Played]:
    """Play stories on versions, each story `times` times, and each time on fresh members.

    Raise AdapterError if members of a version cannot be started at all.
    """
    for version in versions:
        for story in stories:
            found = []
            for number in range(times):
                watch(story.name, version, number)
                found.append(play_once(story, version))
            yield Played(story.name, version, tuple(found))


def play_once(story: Story, version: str) -> PlayedOnce:
    """Play a story on fresh members; if the members fail on the way, the result is "not played"."""
    begin_s = monotonic()
    with open_stage(story.setting, version) as stage:
        try:
            once = story.play(stage)
        except NotPlayedError as error:
            once = PlayedOnce(Ending.NOT_PLAYED, str(error))
        except (AdapterError, AdapterFailure, *FAILED) as error:
            once = PlayedOnce(Ending.NOT_PLAYED, f"a member failed: {shortened(str(error))}")
        return _finished(once, stage, begin_s)


def _finished(once: PlayedOnce, stage: Stage, begin_s: float) -> PlayedOnce:
    took_ms = int((monotonic() - begin_s) * 1000)
    return replace(once, sentence=shortened(once.sentence), steps=tuple(stage.steps), took_ms=took_ms)


def shortened(text: str) -> str:
    """Return a text without the states of invocations, which the system prints with its exceptions."""
    return re.sub(r"(Exception)(: )?\s*Invocation\{.*\}\s*", r"\1: ", text)
