"""`python -m suite reach`: measures which rules of members are executed by simulated runs."""

import argparse
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from gridproof.arguments.followed import refuse_ignored
from gridproof.arguments.simulations import check_seeds
from gridproof.command import UsageError
from gridproof.output.console import FOLDED, NUMBER, new_table, open_console
from gridproof.output.folders import check_paths, write_result
from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_model.own_modules import read_text
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from suite.followed import SuiteSubject
from suite.reach.measure import Reach, measure
from suite.reach.page import RUNS, Page, check_page, make_page, read_page, reason_for, unreached, with_reasons
from suite.reach.survey import Survey, survey

SOME_RUNS = 200
WRITES = "python -m suite reach --page"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `reach`."""
    add = parser.add_argument
    add("--runs", type=int, metavar="N", help=f"how many seeds, counted up (default {SOME_RUNS}; {RUNS} for a page)")
    add("--seed", type=int, default=0, metavar="S", help="the first seed (default 0)")
    add("--workers", type=int, metavar="W", help="processes side by side (default: one a core)")
    add("--page", type=Path, metavar="FILE", help="write the page of what is not reached")
    add("--reasons", type=Path, metavar="FILE", help="put today's reasons into a page, and do nothing else")
    add("--check", type=Path, metavar="FILE", help="see that a page is still true, and do nothing else")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print, or check a page; return 1 if something that the page does not list is no longer reached."""
    workers: int = arguments.workers or os.cpu_count() or 1
    pages = SuiteSubject.REACH_REASONS if arguments.check is None else SuiteSubject.REACH_CHECKED
    is_measured = arguments.check is None and arguments.reasons is None
    refuse_ignored(arguments.typed, SuiteSubject.REACH_MEASURED if is_measured else pages)
    if arguments.check is not None:
        return _check(arguments.check, workers)
    if arguments.reasons is not None:
        _read(arguments.reasons)
        write_result("--reasons", arguments.reasons, with_reasons(read_text(arguments.reasons)))
        print(f"page    {arguments.reasons}")
        return ExitStatus.HOLDS
    runs: int = arguments.runs if arguments.runs is not None else SOME_RUNS if arguments.page is None else RUNS
    check_seeds(arguments.seed, runs)
    check_paths({"--page": arguments.page})
    surveyed = survey()
    reach = Reach()
    with show_progress("measuring reach") as report, limited() as limit:
        measure(range(arguments.seed, arguments.seed + runs), workers, report, into=reach)
    limit.say(f"these are {len(reach.runs):,} of {count(runs, 'run')}")
    if not reach.runs:
        return limit.status_of_part(ExitStatus.UNKNOWN)
    if arguments.page is not None and limit.why is None:
        write_result("--page", arguments.page, make_page(surveyed, reach))
    if arguments.json:
        print(json.dumps(_object(surveyed, reach)))
    elif arguments.page is None or limit.why is not None:
        _print(surveyed, reach)
    else:
        print(f"page    {arguments.page}")
    return limit.status_of_part(ExitStatus.HOLDS)


def _check(file: Path, workers: int) -> int:
    page = _read(file)
    with show_progress("looking for what is reached") as report:
        checked = check_page(page, workers, report)
    for sentence in checked.sentences():
        print(sentence)
    if checked.fallen or checked.unknown:
        return ExitStatus.BROKEN
    print(f"all that is not on {file} is reached: {count(checked.runs, 'run')}")
    return ExitStatus.HOLDS if checked.runs else ExitStatus.UNKNOWN


def _read(file: Path) -> Page:
    try:
        return read_page(read_text(file))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{file}: cannot be read ({error}); {WRITES} {file} writes it") from error
    except ValueError as error:
        raise UsageError(f"{file} is not the page of what runs reach: {error}; {WRITES} {file} writes it") from error


def _print(surveyed: Survey, reach: Reach) -> None:
    console = open_console()
    columns = {"rule": FOLDED, "runs": NUMBER, "ways": NUMBER}
    table = new_table(f"{count(len(reach.runs), 'run')} of the simulated reference", columns)
    for rule, (own, ways) in surveyed.rules().items():
        met = sum(1 for way in ways if reach.counts[way])
        table.add_row(rule, f"{reach.counts[own]:,}", f"{met} of {len(ways)}" if ways else "")
    console.print(table)
    console.print("runs: that executed the rule; ways: outcomes of its decisions that some run had, of all there are\n")
    for name in unreached(surveyed, reach):
        reason = reason_for(name)
        console.print(f"not reached: {name}{'' if reason is None else f' ({reason})'}", soft_wrap=True)
    for what, numbers in _kinds(surveyed):
        met = sum(1 for number in numbers if reach.counts[number])
        console.print(f"{what} reached: {met:,} of {len(numbers):,} ({met / max(len(numbers), 1):.0%})")


def _kinds(surveyed: Survey) -> Sequence[tuple[str, Sequence[int]]]:
    rules = surveyed.rules().values()
    return ("rules", [own for own, _ in rules]), ("ways", [way for _, ways in rules for way in ways])


def _object(surveyed: Survey, reach: Reach) -> Mapping[str, object]:
    points, counts = surveyed.points, reach.counts
    return {
        "runs": len(reach.runs),
        "rules": [
            {
                "rule": rule,
                "public": points[own].is_public,
                "runs": counts[own],
                "ways": [{"way": points[way].words, "line": points[way].line, "runs": counts[way]} for way in ways],
            }
            for rule, (own, ways) in surveyed.rules().items()
        ],
        "unreached": [{"name": name, "reason": reason_for(name)} for name in unreached(surveyed, reach)],
    }
