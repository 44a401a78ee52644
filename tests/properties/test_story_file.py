"""A behaviour in a file, written and read back."""

from pathlib import Path

from gridproof_model.language.run import Runner
from gridproof_properties.claims.named import find_named
from gridproof_properties.claims.story import read_story, story_of, write_story
from tests.house.source_tree import ROOT


def test_arguments_that_are_sets_are_read_back(tmp_path: Path) -> None:
    reference = str(ROOT / "docs" / "examples" / "protocols" / "mongo_logless_reconfig.py")
    runner = Runner(find_named(reference).specification.world())
    start = next(iter(runner.initial_states()))
    event = next(one for one in runner.events(start) if any(isinstance(value, tuple) for value in one.arguments))
    behaviour = tuple(runner.replay(start, [event]))
    write_story(tmp_path / "story.json", story_of(runner.world, "something", behaviour), reference)

    assert read_story(tmp_path / "story.json").behaviour == behaviour
