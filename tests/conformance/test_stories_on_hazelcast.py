"""Some live stories, on running Hazelcast members, where its jar is."""

import pytest
from _pytest.mark.structures import ParameterSet

from gridproof_implementation.adapters.hazelcast import ADAPTER, VERSIONS
from gridproof_properties.stories.hazelcast import get_story
from gridproof_properties.stories.record import play_once
from gridproof_properties.stories.story import Ending


def nightly(*names: str) -> list[ParameterSet]:
    """Stories of which `make test` plays another one."""
    return [pytest.param(name, marks=pytest.mark.nightly) for name in names]


pytestmark = [
    pytest.mark.live,
    pytest.mark.xdist_group("live"),
    pytest.mark.skipif(ADAPTER.missing() is not None, reason=f"{ADAPTER.missing()}: make live"),
]


@pytest.mark.parametrize(
    "name", ["hole-in-row", *nightly("no-backup-of-few-members", "answer-takes-back", "backup-read-goes-back")]
)
def test_a_short_story_happens(name: str) -> None:
    found = play_once(get_story(name), VERSIONS[0])

    assert (found.ending, found.sentence) == (Ending.HAPPENED, found.sentence)


@pytest.mark.parametrize("name", nightly("stranger-counts", "snapshot-id-used-twice"))
def test_a_story_that_was_mended_is_refuted(name: str) -> None:
    found = play_once(get_story(name), VERSIONS[0])

    assert (found.ending, found.sentence) == (Ending.REFUTED, found.sentence)
