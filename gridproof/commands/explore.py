"""`gridproof explore`: visits every state of a small world."""

import argparse
import json
import shlex
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from rich.text import Text

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.specifications import (
    MEMORY_MIB,
    add_constants,
    add_memory,
    add_specification,
    chosen_memory,
    chosen_specification,
    chosen_world,
    only_worlds_that_exist,
)
from gridproof.command import UsageError
from gridproof.output.console import COLOURS, FOLDED, WHOLE, new_table, open_console
from gridproof.output.folders import REPORT_NAME, fresh_folder
from gridproof.output.progress import show_progress
from gridproof.time_limit import add_time_limit, checked_seconds, limited
from gridproof_model.language import ClaimKind
from gridproof_model.value import picked
from gridproof_properties.claims.named import Named
from gridproof_properties.claims.story import story_of, write_story
from gridproof_properties.explorer import Exploration, Limits, Progress, explore, group_size
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import count
from gridproof_reports.contents.exploration_report import explore_line, outcome, shows
from gridproof_reports.pages.exploration import build_exploration_report


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `explore`."""
    add_specification(parser)
    add_constants(parser)
    parser.add_argument(
        "--symmetry",
        action="store_true",
        help="visit states that differ only by renaming once; judges no progress claims",
    )
    parser.add_argument(
        "--no-eventually", action="store_true", help="leave out the eventually-claims: they take longer than the search"
    )
    add_memory(parser)
    parser.add_argument("--first", action="store_true", help="stop at the first broken claim or deadlock")
    parser.add_argument("--depth", type=int, metavar="STEPS", help="stop at this many steps from the start")
    parser.add_argument("--states", type=int, metavar="N", help="stop after the first depth with this many states")
    add_time_limit(parser)
    parser.add_argument(
        "--out", type=Path, metavar="DIR", help="an empty folder for the behaviours that decide claims, and the report"
    )


def run(arguments: argparse.Namespace) -> int:
    """Explore a world and return the exit status of the worst verdict."""
    named = chosen_specification(arguments)
    world = chosen_world(named, arguments)
    lacks = [] if group_size(world) > 1 else [Subject.EXPLORED_WHOLE]
    lacks += [] if world.claims_of(ClaimKind.EVENTUALLY) else [Subject.EXPLORED_SAFETY]
    refuse_ignored(arguments.typed, Subject.EXPLORED, *lacks)
    if arguments.no_eventually:
        world = replace(world, claims=tuple(c for c in world.claims if c.kind is not ClaimKind.EVENTUALLY))
    memory_bytes, limits = chosen_memory(arguments), _limits(arguments)
    place = nullcontext() if arguments.out is None else fresh_folder(arguments.out, "explore")
    with place as folder, only_worlds_that_exist(named), show_progress(world.name) as report:

        def follow(progress: Progress) -> None:
            rate = f"{progress.states_per_second:,.0f} states a second"
            broken = f"; broken: {', '.join(progress.broken)}" if progress.broken else ""
            report(f"depth {progress.depth}, frontier {progress.frontier:,}, {rate}{broken}", progress.states, None)

        found = explore(
            world, memory_bytes=memory_bytes, progress=follow, symmetry=arguments.symmetry,
            limits=limits, is_interruptible=True,
        )  # fmt: skip
    stories: dict[str, Path] = {}
    page = None
    with limited() as limit:
        if folder is not None:
            stories = _write_stories(found, named, folder)
            page = _write_page(found, named, folder, arguments)
    limit.say("everything was explored, but not every file was written")
    if arguments.json:
        print(json.dumps(_object(found, stories, page)))
    else:
        _print(found, stories, page)
    return outcome(found).exit_status


def _limits(arguments: argparse.Namespace) -> Limits:
    if arguments.depth is not None and arguments.depth < 0:
        raise UsageError(f"--depth {arguments.depth}: write a number of steps, at least 0")
    if arguments.states is not None and arguments.states < 1:
        raise UsageError(f"--states {arguments.states}: write a number of states, at least 1")
    return Limits(checked_seconds(arguments.time_limit), arguments.depth, arguments.states, arguments.first)


def _write_stories(found: Exploration, named: Named, folder: Path) -> dict[str, Path]:
    """Write every behaviour that decides a claim to a file of its own; return the files by claim."""
    stories: dict[str, Path] = {}
    for verdict in found.judged:
        if verdict.witness:
            path = stories[verdict.claim.name] = folder / f"{verdict.claim.name}.json"
            story = story_of(found.world, shows(verdict), verdict.witness, verdict.cycle)
            write_story(path, story, named.reference)
    if found.failure is not None and found.failure.witness:
        name = "failure_" if found.has_verdict("failure") else "failure"
        path = stories[name] = folder / f"{name}.json"
        write_story(path, story_of(found.world, found.failure.sentence, found.failure.witness), named.reference)
    return stories


def _write_page(found: Exploration, named: Named, folder: Path, arguments: argparse.Namespace) -> Path:
    defaults = {constant.name: constant.default for constant in named.specification.constants}
    chosen = {name: value for name, value in found.world.constants if value != defaults[name]}
    memory_mib = arguments.memory if arguments.memory != MEMORY_MIB else None
    given = [(name, getattr(arguments, name)) for name in ("depth", "states", "time_limit")]
    line = explore_line(
        named.reference,
        chosen,
        symmetry=arguments.symmetry,
        eventually=not arguments.no_eventually,
        memory_mib=memory_mib,
        besides=[
            *(["--first"] if arguments.first else []),
            *(f"--{name.replace('_', '-')} {value}" for name, value in given if value is not None),
            f"--out {shlex.quote(str(folder))}",
        ],
    )
    return build_exploration_report(found, folder / REPORT_NAME, repeat_line=line)


def _print(found: Exploration, stories: dict[str, Path], page: Path | None) -> None:
    console = open_console()
    columns = {"claim": WHOLE, "kind": WHOLE, "verdict": WHOLE, "what was found": FOLDED}
    table = new_table(found.world.title, columns)
    for verdict in found.verdicts:
        colour = COLOURS[Result.UNKNOWN if verdict.is_vacuous else verdict.result]
        word = "–" if verdict.is_empty else Text(verdict.word, colour)
        table.add_row(verdict.claim.name, verdict.claim.kind.value, word, verdict.sentence)
    console.print(table)
    what = found.counted + (f" under {found.group_size:,} renamings" if found.group_size > 1 else "")
    console.print(
        f"{found.states:,} {what}, {count(found.transitions, 'transition')}, depth {found.depth}, "
        f"{found.seconds:.2f} s, {found.bytes_per_state:.0f} bytes a state"
    )
    if found.stopped_because is not None:
        console.print(f"not every state was explored: {found.stopped_because}")
    for failure in found.failures:
        console.print(f"failure: {failure.sentence}")
    if found.is_complete:
        for said, names in (("never possible", found.never_possible), ("never assigned", found.never_assigned)):
            if names:
                console.print(f"{said}: {', '.join(names)}", soft_wrap=True)
    for path in stories.values():
        console.print(f"story   {path}", soft_wrap=True)
    if page is not None:
        console.print(f"report  {page}", soft_wrap=True)


def _object(found: Exploration, stories: dict[str, Path], page: Path | None) -> dict[str, object]:
    return {
        "specification": found.world.name,
        "world": found.world.title,
        **picked(found, "states transitions depth"),
        "renamings": found.group_size,
        "seconds": round(found.seconds, 3),
        "complete": found.is_complete,
        "stopped_because": found.stopped_because,
        "failure": found.failure.sentence if found.failure is not None else None,
        "verdicts": [
            {
                "claim": verdict.claim.name,
                "kind": verdict.claim.kind.value,
                "verdict": verdict.standing,
                "says_nothing": verdict.is_empty,
                **picked(verdict, "untested sentence"),
                "story": str(stories[verdict.claim.name]) if verdict.claim.name in stories else None,
            }
            for verdict in found.verdicts
        ],
        # Null if only a part of the states was explored: in another state an action may be possible.
        "never_possible": found.never_possible if found.is_complete else None,
        "never_assigned": found.never_assigned if found.is_complete else None,
        "coverage": {one.action: {"fired": one.fired, "refused": list(one.refused)} for one in found.coverage},
        "report": str(page) if page is not None else None,
    }
