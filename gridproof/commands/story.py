"""`gridproof story`: plays findings about the documents on running members."""

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.text import Text

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.options import check_version
from gridproof.command import UsageError
from gridproof.output.console import FOLDED, WHOLE, new_table, open_console
from gridproof.output.folders import check_paths, write_result
from gridproof.output.progress import show_progress
from gridproof_implementation.adapter import AdapterError
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.adapters.hazelcast import VERSIONS
from gridproof_model.user_error import listed, printable
from gridproof_model.value import picked
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from gridproof_properties.stories.hazelcast import STORIES, StoryNameError, get_story
from gridproof_properties.stories.story import Ending, Played, PlayedOnce, Story

TIMES_MAX = 1_000
COLOURS = {Ending.HAPPENED: "red", Ending.REFUTED: "green", Ending.NOT_PLAYED: "yellow"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `story`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="play these (default: list all, and start nothing)")
    parser.add_argument("--all", action="store_true", help="play every story; about two minutes per version")
    parser.add_argument(
        "--versions",
        metavar="V,V",
        help=f"releases of Hazelcast, fetched where they are not here (default {VERSIONS[0]})",
    )
    parser.add_argument("--times", type=int, default=1, metavar="N", help="how often to play each (default 1)")
    parser.add_argument("--steps", action="store_true", help="print what was done and seen, with times")
    parser.add_argument("--page", type=Path, metavar="FILE", help="write the track record as a page of Markdown, too")


def run(arguments: argparse.Namespace) -> int:
    """List the stories, or play some; return 3 if one could not be played, or if Ctrl-C interrupted them."""
    stories = _chosen(arguments.names, every=arguments.all)
    refuse_ignored(arguments.typed, Subject.STORIES_PLAYED if stories else Subject.STORIES_LISTED)
    versions = _versions(arguments.versions)
    if not 1 <= arguments.times <= TIMES_MAX:
        raise UsageError(f"--times {arguments.times}: write a whole number from 1 to {TIMES_MAX:,}")
    if not stories:
        _list(as_json=arguments.json)
        return ExitStatus.HOLDS
    check_paths({"--page": arguments.page})
    record, is_whole = _play(stories, versions, arguments)
    if arguments.page is not None and record:
        # Imported here: only a command that asks for a page needs the imported module.
        from gridproof_reports.contents.track_record import make_page

        write_result("--page", arguments.page, make_page(stories, record))
    if arguments.json:
        print(json.dumps({"stories": [_object(one) for one in record], "whole": is_whole}))
    played = all(once.ending is not Ending.NOT_PLAYED for one in record for once in one.times)
    return ExitStatus.HOLDS if is_whole and played else ExitStatus.UNKNOWN


def _chosen(names: Sequence[str], *, every: bool) -> Sequence[Story]:
    if every and names:
        raise UsageError("--all stands for every story; leave out either --all or the names")
    try:
        return STORIES if every else [get_story(name) for name in dict.fromkeys(names)]
    except StoryNameError as error:
        raise UsageError(f"{error}; `gridproof story` lists them") from None


def _versions(text: str | None) -> Sequence[str]:
    asked = listed(text or VERSIONS[0], UsageError, "--versions: ")
    for one in asked:
        check_version(one, [get_adapter("hazelcast")], "--versions")
    return asked


def _play(
    stories: Sequence[Story], versions: Sequence[str], arguments: argparse.Namespace
) -> tuple[Sequence[Played], bool]:
    """Play stories, and report each one when it ends; those that were played before an interruption are kept."""
    # Imported here: the imported module starts members, and a command that only lists stories starts none.
    from gridproof_properties.stories.record import play_all

    record: list[Played] = []
    wanted = len(stories) * len(versions) * arguments.times
    with show_progress("playing") as report:
        begun = 0

        def watch(name: str, version: str, _number: int) -> None:
            nonlocal begun
            report(f"{name} on {version}", begun, wanted)
            begun += 1

        try:
            for played in play_all(stories, versions, arguments.times, watch):
                record.append(played)
                if not arguments.json:
                    _print(played, steps=arguments.steps)
        except KeyboardInterrupt:
            print(
                f"gridproof: interrupted; {count(len(record), 'story', 'stories')} played to the end", file=sys.stderr
            )
            return record, False
        except AdapterError as error:
            if not record:
                raise UsageError(str(error)) from error
            print(f"gridproof: {error}; what was played before is kept", file=sys.stderr)
            return record, False
    return record, True


def _print(played: Played, *, steps: bool) -> None:
    console = open_console()
    for once in played.times:
        colour = COLOURS[once.ending]
        called, said = f"{played.story}, {played.version}: ", f": {printable(once.sentence)}"
        console.print(called, Text(once.ending.value, colour), said, sep="", soft_wrap=True)
        for step in once.steps if steps else ():
            console.print(f"    {printable(step)}", soft_wrap=True)


def _list(*, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"stories": [_about(story) for story in STORIES]}))
        return
    columns = {"story": WHOLE, "what is to be seen where the finding is right": FOLDED, "what is held": FOLDED}
    table = new_table(count(len(STORIES), "story", "stories"), columns)
    for story in STORIES:
        table.add_row(story.name, printable(story.seen), printable(story.held or "nothing") + _kind(story))
    console = open_console()
    console.print(table)
    console.print("gridproof story NAME plays one on running Hazelcast members; gridproof story --all plays every one")


def _kind(story: Story) -> str:
    """Return the remark on a story that ends by chance, or that needs an order which no real connection has."""
    by_chance = "; the rest is chance" if story.by_chance else ""
    return by_chance + ("; an order that no real connection brings" if story.out_of_order else "")


def _about(story: Story) -> Mapping[str, object]:
    return {
        **picked(story, "name finding claim seen"),
        "held": story.held or None,
        **picked(story, "by_chance out_of_order"),
    }


def _object(played: Played) -> Mapping[str, object]:
    return {"name": played.story, "version": played.version, "times": [_as_object(once) for once in played.times]}


def _as_object(once: PlayedOnce) -> Mapping[str, object]:
    return {"ending": once.ending.name.lower(), **picked(once, "sentence steps took_ms")}
