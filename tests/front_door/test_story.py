"""`gridproof story`, as typed; nothing is started here."""

import pytest

from gridproof_properties.stories.hazelcast import STORIES
from tests.front_door.command_line import CommandLine


def test_every_story_is_listed_with_what_is_held(gridproof: CommandLine) -> None:
    listed = gridproof("story", "--json").json["stories"]

    assert [one["name"] for one in listed] == [story.name for story in STORIES]
    assert all(one["claim"] and one["seen"] for one in listed)
    assert any(one["held"] is None for one in listed)


def test_the_list_for_people_names_every_story(gridproof: CommandLine) -> None:
    listed = gridproof("story")

    assert listed.status == 0
    assert [story.name for story in STORIES if story.name not in listed.out] == []


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("hole-in-raw",), "no story is called 'hole-in-raw': did you mean hole-in-row?"),
        (("hole-in-row", "--versions", "v4.2"), "--versions v4.2 cannot be audited: hazelcast has"),
        (("hole-in-row", "--times", "0"), "--times 0: write a whole number from 1 to 1,000"),
        (("hole-in-row", "--all"), "--all stands for every story; leave out either --all or the names"),
        (("--page", "page.md"), "--page does not apply to a list of stories"),
    ],
)
def test_wrong_use_is_one_line(gridproof: CommandLine, words: tuple[str, ...], line: str) -> None:
    done = gridproof("story", *words)

    assert done.status == 2
    assert line in done.err
    assert len(done.err.splitlines()) == 1
