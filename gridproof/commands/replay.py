"""`gridproof replay`: a recorded behaviour, step by step."""

import argparse
from pathlib import Path

from gridproof.command import Command
from gridproof.errors import UsageError
from gridproof_model.spec.run import table
from gridproof_properties.story import read_story
from gridproof_properties.verdict import ExitStatus
from gridproof_reports.build import write_page
from gridproof_reports.story_picture import draw_story


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `replay`."""
    parser.add_argument("story", type=Path, metavar="FILE", help="a behaviour that `gridproof explore --out` wrote")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="where to draw it (default: beside the story)")


def run(arguments: argparse.Namespace) -> int:
    """Run a story again, print it as a table and draw it."""
    story = read_story(arguments.story)
    picture: Path = arguments.svg or arguments.story.with_suffix(".svg")
    if arguments.svg is not None and picture.exists():
        raise UsageError(f"{picture} exists already and is not overwritten; name another file with --svg")
    print(f"{story.world.title}\n{story.shows}\n")
    print(table(story.runner, story.behaviour))
    if story.cycle_from is not None:
        print(f"     ... and from step {story.cycle_from} on again, forever")
    write_page(draw_story(story), picture)
    print(f"\npicture {picture}")
    return ExitStatus.HOLDS


COMMAND = Command("replay", "replay a behaviour step by step and draw it", add_arguments, run)
