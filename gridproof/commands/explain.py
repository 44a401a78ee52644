"""`gridproof explain`: finds the moment after which the failure of a run was likely."""

import argparse
import csv
import io
import json
import os
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.simulations import add_draw_options, chosen_draw_options, drawn_run, given_of_runs, seed_of
from gridproof.ci.gate import NOTHING_COMPARED
from gridproof.command import UsageError
from gridproof.output.console import NUMBER, Column, new_table, open_console
from gridproof.output.folders import fresh_folder, write_files
from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.scenario_file import asked_in, read_scenario
from gridproof_model.events.fault_counts import ANOTHER_SEED, NOTHING_DRAWS, missed_faults, missed_sentence
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.campaign.seeds import promised_for
from gridproof_properties.campaign.tally import Tally
from gridproof_properties.catalogue import get_property
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.explaining.curve import (
    CONTINUATIONS,
    PREFIXES,
    PREFIXES_MIN,
    Curve,
    Failing,
    Planting,
    explain,
    failing_run,
    weak_run,
)
from gridproof_properties.judging.words import count
from gridproof_properties.judging.work import NO_CHANGE
from gridproof_reports.contents.explanation import Explanation, explained, say_ms

PREFIXES_MAX = 1_000
CONTINUATIONS_MAX = 100_000
CURVE_NAME = "curve.csv"
COLUMNS = ("at_ms", "failed", "continuations", "share", "low", "high")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `explain`."""
    parser.add_argument(
        "what", metavar="SEED|FILE", help="a seed of `gridproof simulate`, or a scenario that `gridproof replay` wrote"
    )
    add_curve(parser)
    add_draw_options(parser, counted=False)


def add_curve(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments that choose which failure is explained, and how finely; two commands have them."""
    parser.add_argument(
        "--of",
        metavar="PROPERTY",
        help="explain a weakness of this property that the run counted, instead of what it broke first",
    )
    parser.add_argument(
        "--prefixes", type=int, default=PREFIXES, metavar="P", help=f"how many prefixes at most (default {PREFIXES})"
    )
    parser.add_argument(
        "--continuations", type=int, default=CONTINUATIONS, metavar="K",
        help=f"continuations of each prefix (default {CONTINUATIONS})",
    )  # fmt: skip
    parser.add_argument("--workers", type=int, metavar="W", help="processes side by side (default: one a core)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for the curve, as CSV and drawn")


@dataclass(frozen=True, slots=True)
class ChosenRun:
    """The run that is to be explained."""

    name: str
    scenario: Scenario
    refined: bool | None = True
    """Whether the steps of the run are judged; None if the run's seed decides it."""
    asked: tuple[str, ...] = ()
    """The faults that the user asked for."""
    brings: str = NOTHING_DRAWS
    """What a user can do to get a requested fault that is not in the run."""
    planting: Planting = nullcontext


def run(arguments: argparse.Namespace) -> int:
    """Explain a failing run, and return the exit status that `replay --at-least 0` has for the same run."""
    return explain_run(arguments, lambda: _chosen_run(arguments))


def explain_run(arguments: argparse.Namespace, choose: Callable[[], ChosenRun]) -> int:
    """Check all numbers, choose a run, explain it, and return the exit status for the run."""
    _check_numbers(arguments)
    of = None if arguments.of is None else get_property(arguments.of).name
    chosen = choose()
    name = chosen.name
    with chosen.planting():
        judged = judge_scenario(chosen.scenario, refined=chosen.refined, asked=chosen.asked)
    failing = failing_run(judged, chosen.planting) if of is None else weak_run(judged, of, chosen.planting)
    if failing is None:
        return _say_that_it_holds(judged, chosen, of, as_json=arguments.json)
    curves: list[Curve] = []
    written: list[Path] = []
    place = nullcontext() if arguments.out is None else fresh_folder(arguments.out, "explain")
    with suppress(KeyboardInterrupt), place as folder:
        with limited() as limit:
            curves.append(_curve(failing, name, arguments))
        limit.say(f"{failing.property} {'is weak' if failing.is_weakness else 'is broken'}: {failing.sentence}")
        if not curves:
            raise KeyboardInterrupt
        explanation = explained(failing, curves[0])
        written = [] if folder is None else _write(folder, explanation)
        if arguments.json:
            print(json.dumps(_object(name, explanation, written)))
        else:
            _print(name, explanation, written)
    return _status(judged, chosen) if failing.is_weakness else ExitStatus.BROKEN


def _check_numbers(arguments: argparse.Namespace) -> None:
    bounds = {
        "prefixes": (arguments.prefixes, PREFIXES_MIN, PREFIXES_MAX),
        "continuations": (arguments.continuations, 1, CONTINUATIONS_MAX),
    }
    for option, (given, least, most) in bounds.items():
        if not least <= given <= most:
            raise UsageError(f"--{option} {given}: write a whole number from {least} to {most:,}")


def _status(judged: JudgedRun, chosen: ChosenRun) -> int:
    tally = Tally()
    tally.add(judged)
    return tally.exit_status(promised_for(DrawOptions(), tally), at_least=0, asked=chosen.asked)


def _say_that_it_holds(judged: JudgedRun, chosen: ChosenRun, of: str | None, *, as_json: bool) -> int:
    tally = Tally()
    tally.add(judged)
    missed = missed_faults(tally.faults, dict.fromkeys(chosen.asked, chosen.brings))
    said = [missed_sentence(*one) for one in missed.items()]
    said += [*([NOTHING_COMPARED] if tally.blind else []), *([NO_CHANGE] if tally.is_idle else [])]
    broken = [f"{one.property} is broken" for one in judged.broken] or ["nothing is broken"]
    said += [f"{one.property}: a judge failed" for one in judged.failed_judges] or broken
    said += [] if of is None else [f"no weakness of {of} shows"]
    line = f"{chosen.name}: {'; '.join(said)}, and there is no failure to explain"
    print(json.dumps({"run": chosen.name, "property": of, "sentence": line}) if as_json else line)
    return _status(judged, chosen)


def _chosen_run(arguments: argparse.Namespace) -> ChosenRun:
    what: str = arguments.what
    if what.isdecimal():
        refuse_ignored(arguments.typed, Subject.SEED_EXPLAINED)
        given = given_of_runs(arguments)
        draw_options = chosen_draw_options(arguments, given.load(audited=False), given)
        refined = True if arguments.steps else None
        drawn, asked = drawn_run(seed_of(what), draw_options), draw_options.asked_faults
        return ChosenRun(f"seed {what}", drawn, refined, asked, ANOTHER_SEED)
    refuse_ignored(arguments.typed, Subject.SCENARIO_EXPLAINED)
    scenario = read_scenario(Path(what))
    return ChosenRun(what, scenario, asked=asked_in(Path(what), scenario))


def _curve(failing: Failing, name: str, arguments: argparse.Namespace) -> Curve:
    workers: int = arguments.workers or os.cpu_count() or 1
    with show_progress(name) as report:
        return explain(failing, arguments.prefixes, arguments.continuations, workers, report)


def _print(name: str, explanation: Explanation, written: list[Path]) -> None:
    console = open_console()
    failing, curve = explanation.failing, explanation.curve
    console.print(f"{name}: {failing.property}: {failing.sentence}\n", soft_wrap=True)
    columns: dict[str, Column] = dict.fromkeys(("from", "of the run", "fail", "share", "99 % from", "to"), NUMBER)
    table = new_table("continuations with other random choices that break it, too", columns)
    for point, interval in zip(curve.points, explanation.intervals, strict=True):
        is_whole = point is curve.points[-1]
        bounds = ("", "") if is_whole else (f"{interval.low:.0%}", f"{interval.high:.0%}")
        fail = "the run itself" if is_whole else f"{point.failed} of {point.continuations}"
        table.add_row(
            say_ms(point.at_us), f"{point.place / curve.points[-1].place:.1%}", fail, f"{point.share:.0%}", *bounds
        )
    console.print(table)
    for line in explanation.sentences():
        console.print(line, soft_wrap=True)
    for step in explanation.steps:
        console.print(f"  {say_ms(step.at_us)}  {step.words}", soft_wrap=True)
    if explanation.steps_left_out:
        console.print(f"  and {count(explanation.steps_left_out, 'more step')} and messages")
    for path in written:
        console.print(f"written {path}", soft_wrap=True)


def _points(explanation: Explanation) -> list[Mapping[str, float]]:
    points = zip(explanation.curve.points, explanation.intervals, strict=True)
    rows = (
        (point.at_us / 1_000, point.failed, point.continuations, point.share, interval.low, interval.high)
        for point, interval in points
    )
    return [dict(zip(COLUMNS, row, strict=True)) for row in rows]


def _object(name: str, explanation: Explanation, written: list[Path]) -> Mapping[str, object]:
    before, after = explanation.curve.rise
    rises = after.failed > before.failed
    rise = {
        "from_ms": before.at_us / 1_000,
        "to_ms": after.at_us / 1_000,
        "clear": explanation.is_clear,
        "steps": [{"at_ms": step.at_us / 1_000, "words": step.words} for step in explanation.steps],
        "left_out": explanation.steps_left_out,
    }
    return {
        "run": name,
        "property": explanation.failing.property,
        "sentence": explanation.failing.sentence,
        "points": _points(explanation),
        "rise": rise if rises else None,
        "faults": [{"at_ms": fault.at_us / 1_000, "words": fault.words} for fault in explanation.faults],
        "said": explanation.sentences(),
        "files": [str(path) for path in written],
    }


def _write(folder: Path, explanation: Explanation) -> list[Path]:
    # Imported here: a figure is drawn only if a folder is named.
    from gridproof_reports.contents.explanation import draw_explanation

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(point.values() for point in _points(explanation))
    return write_files(folder, {CURVE_NAME: text.getvalue().encode(), **draw_explanation(explanation)})
