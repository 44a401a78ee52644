"""The page of the track record, from the plays that were recorded.

`python -m tools.track_record docs/track-record.md` makes the page anew from `docs/track-record.json`, and a house test
holds it equal. `python -m tools.track_record docs/track-record.md PLAYS.json` takes in before what a
`gridproof story --json` has printed: what was played of a story on a version takes the place of what was there.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from gridproof_properties.stories.hazelcast import STORIES
from gridproof_properties.stories.story import Ending, Played, PlayedOnce
from gridproof_reports.contents.track_record import make_page

Plays = Sequence[dict[str, Any]]
"""As `gridproof story --json` prints them: of each the story, the version, and how each time ended."""
MADE_BY = """\
gridproof story NAME --versions 5.6.0,5.7.0 --times 3 --json > plays.json
python -m tools.track_record docs/track-record.md plays.json"""


def record_of(page: Path) -> Path:
    """Return the file of the plays that a page is made from, beside it."""
    return page.with_suffix(".json")


def joined(plays: Plays, newer: Plays) -> Plays:
    """Return plays with newer ones in the place of those of the same story and version, by version and story."""
    kept = {(one["name"], one["version"]): _shown(one) for one in (*plays, *newer)}
    order = {story.name: number for number, story in enumerate(STORIES)}
    return sorted(kept.values(), key=lambda one: (_parts(one["version"]), order[one["name"]]))


def written(plays: Plays) -> str:
    """Return plays as their file has them, a line each."""
    return "[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in plays) + "\n]\n"


def page_of(plays: Plays) -> str:
    """Return the page; KeyError for an ending or a field that there is none of."""
    return make_page(STORIES, [_played(one) for one in plays], MADE_BY)


def _shown(one: dict[str, Any]) -> dict[str, Any]:
    times = [{"ending": once["ending"], "sentence": once["sentence"]} for once in one["times"]]
    return {"name": one["name"], "version": one["version"], "times": times}


def _played(one: dict[str, Any]) -> Played:
    times = [PlayedOnce(Ending[once["ending"].upper()], once["sentence"]) for once in one["times"]]
    return Played(one["name"], one["version"], times)


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def main(words: Sequence[str]) -> None:
    """Take in what was played, and make the page anew."""
    page, *files = map(Path, words)
    plays: Plays = json.loads(record_of(page).read_text("utf-8"))
    for file in files:
        plays = joined(plays, json.loads(file.read_text("utf-8"))["stories"])
    record_of(page).write_text(written(plays), "utf-8")
    page.write_text(page_of(plays), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
