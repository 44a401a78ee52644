"""`gridproof measure`: how likely, how soon and how often events happen; with `--split`, also very rare ones."""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.specifications import (
    OTHER_NAMES,
    SHORTHANDS,
    add_constants,
    add_memory,
    add_specification,
    chosen_memory,
    chosen_specification,
    chosen_world,
    only_worlds_that_exist,
)
from gridproof.command import UsageError
from gridproof.output.console import FOLDED, NUMBER, WHOLE, new_table, open_console
from gridproof.output.folders import fresh_folder
from gridproof.output.measure_table import (
    Point,
    as_object,
    like_object,
    print_likeness,
    print_measurement,
    print_sensitivity,
    print_sweep,
    sensitivity_object,
    write_measures,
)
from gridproof.output.progress import Report, show_progress
from gridproof.time_limit import INTERRUPTED, TimeLimit, limited
from gridproof_model.language import World
from gridproof_model.language.rates import RateError, Timed, read_rates, read_time, read_together
from gridproof_model.value import picked
from gridproof_properties.claims.named import Named
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.explorer import Progress, group_size
from gridproof_properties.judging.words import count
from gridproof_properties.measuring import Measurer, Predicate, Quantity, Question, predicates_of
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.fixed_effort import BATCHES, Split
from gridproof_properties.measuring.predicates import multiplied
from gridproof_properties.measuring.splitting import TRIALS, Splitter, level_of
from gridproof_properties.measuring.sweep import TIME, Sweep, Swept, Variation, read_sweep, variations

if TYPE_CHECKING:
    from rich.console import Console

    from gridproof_properties.measuring.like import Likeness

TRIALS_MAX = 1_000_000
Found = Split | str
"""A probability estimated by splitting, or the reason why there is none."""
EXAMPLES = """\
examples:
  gridproof measure durability --rate '*crashes=1/30d' --rate '*=1/1min' --time 1y
  gridproof measure durability --rate '*crashes=1/30d' --rate '*=1/1min' --of the_last_write_is_lost --events '*crashes'
  gridproof measure durability --rate '*crashes=1/30d' --rate '*=1/1min' --time 1y \\
      --sweep primary_crashes=1/1d..1/300d --out swept

  gridproof measure durability --set sync_backups=2 --rate '*crashes=1/30d' --rate '*=1/1min' --time 1d \\
      --of the_partition_is_lost --split live_copies

  gridproof measure durability --like loss.toml --cell 2 --quantity within --of an_acknowledged_write_is_lost

Rates: 1/30d, 3/h, 0.5/s; units us, ms, s, min, h, d, y (365.25 days); now, now:WEIGHT, never. docs/measuring.md
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `measure`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = EXAMPLES
    add_specification(parser)
    add_constants(parser)
    parser.add_argument(
        "--rate", action="append", default=[], metavar="ACTION=RATE",
        help="how often an action happens, for each choice of its parameters; every action needs a rate; * in a name "
        "stands for any text",
    )  # fmt: skip
    words = [one.word for one in Quantity]
    said = f"what to compute, once or several times: {', '.join(words)} (default: all)"
    parser.add_argument("--quantity", action="append", choices=words, metavar="Q", help=said)
    parser.add_argument(
        "--sensitivity", action="store_true",
        help="measure again with each rate half and twice as high, and with each action that never happens at 1/h, "
        "1/min and 1/s",
    )  # fmt: skip
    parser.add_argument(
        "--like", type=Path, metavar="FILE",
        help="take members, backups, time and rates from a cell of a campaign's file, where the line gives none",
    )  # fmt: skip
    parser.add_argument("--cell", type=int, metavar="N", help="which cell of --like, where it has several, from 0 on")
    parser.add_argument("--time", metavar="T", help="ask what happens within this time, such as 1y or 90min")
    parser.add_argument(
        "--of", action="append", default=[], metavar="NAME",
        help="a claim or a condition to measure, once or several times (default: every sometimes-claim)",
    )  # fmt: skip
    parser.add_argument(
        "--events", action="append", default=[], metavar="ACTION",
        help="count events of an action; * stands for any text",
    )  # fmt: skip
    parser.add_argument(
        "--sweep", metavar="NAME=A..B", help="measure with several values of a rate, time or constant: A..B:POINTS"
    )
    _add_splitting(parser)
    parser.add_argument("--symmetry", action="store_true", help="count states that differ only by renaming as one")
    add_memory(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for CSV, Parquet and figures")


def _add_splitting(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--split",
        metavar="LEVEL",
        help="simulate instead of exploring, and split at the values of a definition that falls, such as live_copies",
    )
    parser.add_argument(
        "--trials", type=int, default=TRIALS, metavar="N", help=f"trials of each level and batch ({TRIALS})"
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the random choices of --split (0)")


def run(arguments: argparse.Namespace) -> int:
    """Measure one world or several, and return 0 if every number is known."""
    named = chosen_specification(arguments)
    chosen_memory(arguments)
    if arguments.split is not None:
        refuse_ignored(arguments.typed, Subject.MEASURED_BY_SPLITTING)
    like: Likeness | None = None
    if arguments.like is not None or arguments.cell is not None:
        # Imported here: only `--like`, which measures a cell of a campaign, needs the imported module.
        from gridproof.arguments.like import liken

        named, like = liken(arguments, named)
        if not arguments.json:
            print_likeness(open_console(), like)
    world = chosen_world(named, arguments)
    if arguments.split is not None:
        return split(arguments, named, world, _question(arguments, named, world, None))
    refuse_ignored(arguments.typed, Subject.MEASURED, *(() if group_size(world) > 1 else (Subject.MEASURED_WHOLE,)))
    sweep = _sweep(arguments, named, world)
    questions = list(_questions(arguments, named, world, sweep))
    if arguments.out is None:
        points = _measured(arguments, named, questions)
        written: list[Path] = []
    else:
        with fresh_folder(arguments.out, "measure") as folder:
            points = _measured(arguments, named, questions)
            written = write_measures(folder, sweep, points)
    if len(points) < len(questions):
        print(f"gridproof: interrupted; {len(points)} of {len(questions)} measured", file=sys.stderr)
    if not points:
        return ExitStatus.UNKNOWN
    console = open_console()
    if not arguments.json:
        # The points are printed before the sensitivity, whose computation takes one search for each changed rate.
        _print_points(console, sweep, points, written)
    moved, is_whole = _moved(arguments, named, points)
    if arguments.json:
        print(json.dumps({**_object(sweep, points, written), **sensitivity_object(moved), **like_object(like)}))
    else:
        print_sensitivity(console, points[0][1], moved)
    is_whole = is_whole and len(points) == len(questions) and all(found.is_complete for _, found in points)
    return ExitStatus.HOLDS if is_whole else ExitStatus.UNKNOWN


def _print_points(console: "Console", sweep: Sweep | None, points: list[Point], written: list[Path]) -> None:
    if sweep is None:
        print_measurement(console, points[0][1])
    else:
        print_sweep(console, sweep, points)
    for path in written:
        console.print(f"written {path}", soft_wrap=True)


def _measured(
    arguments: argparse.Namespace, named: Named, questions: list[tuple[float | None, Question]]
) -> list[Point]:
    """Return the measurements that were made before Ctrl-C, or all of them."""
    points: list[Point] = []
    with only_worlds_that_exist(named), show_progress(named.specification.name) as report, limited():
        measurer = _measurer(arguments, report)
        for at, question in questions:
            points.append((at, measurer.measure(question)))
    return points


def _moved(arguments: argparse.Namespace, named: Named, points: list[Point]) -> tuple[list[Variation], bool]:
    """Return how the numbers change with each rate asked for, and whether all of them are known (not after Ctrl-C)."""
    found: list[Variation] = []
    limit = TimeLimit()
    if arguments.sensitivity and points:
        with show_progress(named.specification.name) as report, limited(limit):
            found.extend(variations(_measurer(arguments, report), points[0][1]))
        limit.say(f"changes of a rate that were measured until then: {len(found)}")
    return found, limit.why is None


def _measurer(arguments: argparse.Namespace, report: Report) -> Measurer:
    def follow(progress: Progress) -> None:
        report(f"depth {progress.depth}, frontier {progress.frontier:,}", progress.states, None)

    return Measurer(chosen_memory(arguments), arguments.symmetry, follow, report)


def _sweep(arguments: argparse.Namespace, named: Named, world: World) -> Sweep | None:
    if arguments.sweep is None:
        return None
    if arguments.sensitivity:
        raise UsageError("--sensitivity and --sweep cannot be used together; leave one of the two out")
    numbers = [constant.name for constant in named.specification.constants if type(constant.default) is int]
    sweep = read_sweep(arguments.sweep, [action.name for action in world.actions], numbers)
    said: list[str] = [text.partition("=")[0] for text in (*arguments.rate, *arguments.set)]
    said += [TIME] if arguments.time is not None else []
    said += [OTHER_NAMES.get(one, one) for one in SHORTHANDS if getattr(arguments, one) is not None]
    if sweep.name in said or OTHER_NAMES.get(sweep.name) in said:
        raise UsageError(f"--sweep {arguments.sweep}: another option also sets {sweep.name}; leave one of the two out")
    return sweep


def _questions(
    arguments: argparse.Namespace, named: Named, world: World, sweep: Sweep | None
) -> Iterator[tuple[float | None, Question]]:
    """Yield the question for every value of the swept number, with the value; one question if there is no sweep."""
    question = _question(arguments, named, world, sweep)
    if sweep is None:
        yield None, question
        return
    # What a sweep sets has a rate here that it does not have there: a rate by name goes before a pattern of a sweep.
    others = _question(arguments, named, world, sweep, "now").rates if sweep.kind is Swept.RATE else question.rates
    swept = [action for action, rate in question.rates.items() if rate != others[action]]
    if sweep.kind is Swept.RATE and not swept:
        raise UsageError(f"--sweep {arguments.sweep}: --rate sets every action that matches; leave one of the two out")
    for value in sweep.values:
        match sweep.kind:
            case Swept.TIME:
                yield value, replace(question, time_s=value)
            case Swept.RATE:
                yield value, replace(question, rates={**question.rates, **dict.fromkeys(swept, Timed(value))})
            case Swept.CONSTANT:
                with only_worlds_that_exist(named):
                    other = named.specification.world(**{**dict(world.constants), sweep.name: int(value)})
                yield value, _question(arguments, named, other, sweep)


def _question(
    arguments: argparse.Namespace, named: Named, world: World, sweep: Sweep | None, swept_at: str = "never"
) -> Question:
    actions = [action.name for action in world.actions]
    # A rate that a sweep sets need not be given by `--rate` as well.
    swept = [f"{sweep.name}={swept_at}"] if sweep is not None and sweep.kind is Swept.RATE else []
    joined = [text for text in arguments.rate if "+" in text.partition("=")[0]]
    try:
        together = read_together(actions, joined)
        rates = read_rates(actions, [*(text for text in arguments.rate if text not in joined), *swept])
        time_s = None if arguments.time is None else read_time(arguments.time)
    except RateError as error:
        raise UsageError(f"{named.specification.name} cannot be measured: {error}") from None
    predicates = predicates_of(named.specification, world, arguments.of)
    events = tuple(_counted(actions, arguments.events))
    if not predicates and not events:
        problem = f"{named.specification.name} has no sometimes-claim, so nothing is measured by default"
        raise UsageError(f"{problem}; say with --of or --events what to measure")
    _check_quantities(
        arguments, time_s, swept_time=sweep is not None and sweep.kind is Swept.TIME, has_of=bool(predicates)
    )
    each = multiplied(named.specification, world, rates)
    wanted = frozenset(one for one in Quantity if arguments.quantity is None or one.word in arguments.quantity)
    return Question(world, rates, predicates, events, time_s, together, each, wanted)


def _check_quantities(arguments: argparse.Namespace, time_s: float | None, *, swept_time: bool, has_of: bool) -> None:
    """Raise UsageError if a named quantity needs an option that is missing, or if no named one uses an option."""
    named = [one for one in Quantity if one.word in (arguments.quantity or ())]
    for option, uses, is_given, example in (
        ("--time", {Quantity.WITHIN, Quantity.EVENTS}, time_s is not None or swept_time, "--time 1y"),
        ("--events", {one for one in Quantity if one.is_of_action}, bool(arguments.events), "--events ACTION"),
        ("--of", {one for one in Quantity if not one.is_of_action}, has_of, "--of CLAIM"),
    ):
        lacking = next((one for one in named if one in uses), None)
        if lacking is not None and not is_given:
            raise UsageError(f"--quantity {lacking.word} needs {option}; add it, such as {example}")
        typed = "--sweep time" if option == "--time" and swept_time else option
        if named and lacking is None and (typed != option or option in arguments.typed):
            raise UsageError(f"{typed} changes nothing of --quantity {named[0].word}; leave it out")


def _counted(actions: list[str], patterns: list[str]) -> Iterator[str]:
    for pattern in patterns:
        if not any(fnmatchcase(action, pattern) for action in actions):
            raise UsageError(f"--events {pattern}: no action matches the pattern; there are {', '.join(actions)}")
    yield from (action for action in actions if any(fnmatchcase(action, pattern) for pattern in patterns))


def _object(sweep: Sweep | None, points: list[Point], written: list[Path]) -> dict[str, object]:
    files = {"files": [str(path) for path in written]}
    if sweep is None:
        return {**as_object(points[0][1]), **files}
    return {
        "sweep": {"name": sweep.name, "kind": sweep.kind.value, "unit": sweep.kind.unit},
        "points": [{"at": at, **as_object(found)} for at, found in points],
        **files,
    }


def split(arguments: argparse.Namespace, named: Named, world: World, question: Question) -> int:
    """Estimate by splitting, print the result, and return 0 if every number is known."""
    if question.time_s is None:
        raise UsageError("--split estimates the probability of an event within a time; add --time, such as --time 1y")
    if question.together:
        joins = "--rate A+B=RATE makes several actions happen at once"
        raise UsageError(f"--split simulates one action at a time, but {joins}; leave one of the two out")
    if not 2 <= arguments.trials <= TRIALS_MAX:
        raise UsageError(f"--trials {arguments.trials}: write a whole number from 2 to {TRIALS_MAX:,}")
    if arguments.seed < 0:
        raise UsageError(f"--seed {arguments.seed}: write a whole number of at least 0")
    with only_worlds_that_exist(named), show_progress(named.specification.name) as report:
        level = level_of(named.specification, world, arguments.split)
        splitter = Splitter(world, dict(question.rates), level, arguments.seed, arguments.trials, watch=report)
        found: dict[str, Found] = dict.fromkeys((one.name for one in question.predicates), INTERRUPTED)
        with limited():
            for goal in question.predicates:
                found[goal.name] = _found(splitter, goal, question.time_s)
    if arguments.json:
        print(json.dumps(_split_object(arguments, question, found)))
    else:
        _print(open_console(), arguments.split, question, found)
    return ExitStatus.UNKNOWN if any(isinstance(one, str) for one in found.values()) else ExitStatus.HOLDS


def _found(splitter: Splitter, goal: Predicate, time_s: float) -> Found:
    try:
        return splitter.probability(goal, time_s)
    except UnmeasurableError as reason:
        return str(reason)


def _print(console: "Console", level: str, question: Question, found: dict[str, Found]) -> None:
    columns = {"of": FOLDED, "probability within the time": NUMBER, "99 %": WHOLE}
    columns["from level to level, or why not"] = FOLDED
    table = new_table(f"{question.world.title}, by splitting at {level}", columns)
    for name, one in found.items():
        if isinstance(one, str):
            table.add_row(name, "unknown", "", one)
        else:
            table.add_row(name, f"{one.value:.3g}", f"{one.low:.3g} to {one.high:.3g}", one.way_to("the goal"))
    console.print(table)
    for one in found.values():
        if isinstance(one, Split):
            console.print(
                f"{one.of}: {count(one.trials, 'trial')} in {BATCHES} batches, {count(one.steps, 'step')}, "
                f"{one.seconds:.1f} s; as narrow by plain runs: about {one.plain_runs:,.0f}",
                soft_wrap=True,
            )


def _split_object(arguments: argparse.Namespace, question: Question, found: dict[str, Found]) -> dict[str, object]:
    return {
        "specification": question.world.name,
        "world": question.world.title,
        "time_s": question.time_s,
        **picked(arguments, "split seed"),
        "measures": [_measure_object(name, one) for name, one in found.items()],
    }


def _measure_object(name: str, one: Found) -> dict[str, object]:
    if isinstance(one, str):
        return {"of": name, "value": None, "unknown": one}
    return {
        "of": name,
        **picked(one, "value low high"),
        "method": "splitting",
        **picked(one, "levels shares trials steps"),
        "seconds": round(one.seconds, 3),
        "unknown": None,
    }
