"""`gridproof explain`: from when on a failure is likely."""

import argparse
import csv
import io
import json
import os
from collections.abc import Collection, Mapping
from contextlib import nullcontext, suppress
from pathlib import Path

from gridproof.console import open_console
from gridproof.errors import UsageError
from gridproof.folders import fresh_folder, write_files
from gridproof.followed import Subject, refuse_ignored
from gridproof.gate import NOTHING_COMPARED
from gridproof.mutants import chosen_mutants
from gridproof.progress import show_progress
from gridproof.simulations import (
    add_draw_options,
    chosen_draw_options,
    drawn_run,
    given_of_runs,
    seed_of,
)
from gridproof.time_limit import limited
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.fault_counts import missed_faults, missed_sentence
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.scenario_file import asked_in, read_scenario
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.campaign.seeds import promised_for
from gridproof_properties.campaign.tally import Tally
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.explaining.curve import (
    CONTINUATIONS,
    PREFIXES,
    PREFIXES_MIN,
    Curve,
    Failing,
    explain,
    failing_run,
    planted,
)
from gridproof_reports.explanation import Explanation, explained, say_ms

PREFIXES_MAX = 1_000
CONTINUATIONS_MAX = 100_000
CURVE_NAME = "curve.csv"
COLUMNS = ("at_ms", "failed", "continuations", "share", "low", "high")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `explain`."""
    parser.add_argument(
        "what", metavar="SEED|FILE", help="a seed of `gridproof simulate`, or a scenario that `gridproof replay` wrote"
    )
    parser.add_argument(
        "--mutant",
        metavar="NAME",
        help="plant a bug of the zoo, by number or name; a seed is then that of `gridproof zoo NAME --seed SEED`",
    )
    parser.add_argument(
        "--prefixes", type=int, default=PREFIXES, metavar="P", help=f"at most so many (default {PREFIXES})"
    )
    parser.add_argument(
        "--continuations", type=int, default=CONTINUATIONS, metavar="K", help=f"of each (default {CONTINUATIONS})"
    )
    add_draw_options(parser, counted=False)
    parser.add_argument("--workers", type=int, metavar="W", help="processes side by side (default: one a core)")
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for the curve, as CSV and drawn")
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Explain a failing run and return 1; where nothing is broken, what `replay --at-least 0` says of the same run."""
    _check_numbers(arguments)
    scenario, mutant, asked = _chosen_run(arguments)
    name = f"{_name(arguments)}{f' of {mutant}' if mutant else ''}"
    is_refined = arguments.steps or mutant or not arguments.what.isdecimal()
    with planted(mutant):
        judged = judge_scenario(scenario, refined=True if is_refined else None, asked=asked)
    failing = failing_run(judged, mutant)
    if failing is None:
        return _say_that_it_holds(judged, name, asked, as_json=arguments.json)
    curves: list[Curve] = []
    written: list[Path] = []
    place = nullcontext() if arguments.out is None else fresh_folder(arguments.out, "explain")
    with suppress(KeyboardInterrupt), place as folder:
        with limited() as limit:
            curves.append(_curve(failing, name, arguments))
        limit.say(f"{failing.property} is broken: {failing.sentence}")
        if not curves:
            raise KeyboardInterrupt
        explanation = explained(failing, curves[0])
        written = [] if folder is None else _write(folder, explanation)
        if arguments.json:
            print(json.dumps(_object(name, explanation, written)))
        else:
            _print(name, explanation, written)
    return ExitStatus.BROKEN


def _check_numbers(arguments: argparse.Namespace) -> None:
    bounds = {
        "prefixes": (arguments.prefixes, PREFIXES_MIN, PREFIXES_MAX),
        "continuations": (arguments.continuations, 1, CONTINUATIONS_MAX),
    }
    for option, (given, least, most) in bounds.items():
        if not least <= given <= most:
            raise UsageError(f"--{option} {given}: write a whole number from {least} to {most:,}")


def _name(arguments: argparse.Namespace) -> str:
    return f"seed {arguments.what}" if arguments.what.isdecimal() else str(arguments.what)


def _say_that_it_holds(judged: JudgedRun, name: str, asked: Collection[str], *, as_json: bool) -> int:
    tally = Tally()
    tally.add(judged)
    said = [missed_sentence(*one) for one in missed_faults(tally.faults, asked).items()]
    said += [NOTHING_COMPARED] if tally.blind else []
    said += [f"{one.property}: a judge failed" for one in judged.failed_judges] or ["nothing is broken"]
    line = f"{name}: {'; '.join(said)}, and there is no failure to explain"
    print(json.dumps({"run": name, "property": None, "sentence": line}) if as_json else line)
    return tally.exit_status(promised_for(DrawOptions(), tally), at_least=0, asked=asked)


def _chosen_run(arguments: argparse.Namespace) -> tuple[Scenario, str, tuple[str, ...]]:
    """Return the run that is meant, the number of the mutant that is to be planted in it, and the faults asked for."""
    what: str = arguments.what
    member_mutant = None if arguments.mutant is None else chosen_mutants([arguments.mutant])[0]
    if what.isdecimal() and member_mutant is None:
        refuse_ignored(arguments.typed, Subject.SEED_EXPLAINED)
        given = given_of_runs(arguments)
        draw_options = chosen_draw_options(arguments, given.load(audited=False), given)
        return drawn_run(seed_of(what), draw_options), "", draw_options.asked_faults
    refuse_ignored(arguments.typed, Subject.SCENARIO_EXPLAINED if member_mutant is None else Subject.MUTANT_EXPLAINED)
    number = "" if member_mutant is None else member_mutant.number
    if member_mutant is None or not what.isdecimal():
        scenario = read_scenario(Path(what))
        return scenario, number, asked_in(Path(what), scenario)
    with member_mutant.plant():
        found = member_mutant.search(seed_of(what)).scenario
    if found is None:
        raise UsageError(f"--mutant {number}: it is found without a simulated run; name another one")
    return found, number, ()


def _curve(failing: Failing, name: str, arguments: argparse.Namespace) -> Curve:
    workers: int = arguments.workers or os.cpu_count() or 1
    with show_progress(name) as report:
        return explain(failing, arguments.prefixes, arguments.continuations, workers, report)


def _print(name: str, explanation: Explanation, written: list[Path]) -> None:
    # Imported now: JSON needs no table.
    from rich.markup import escape
    from rich.table import Table

    console = open_console()
    failing, curve = explanation.failing, explanation.curve
    console.print(f"{name}: {failing.property}: {failing.sentence}\n", markup=False, soft_wrap=True)
    table = Table(title="continuations with other dice that break it, too", title_justify="left")
    for heading in ("from", "of the run", "fail", "share", "99 % from", "to"):
        table.add_column(heading, justify="right", no_wrap=True)
    for point, interval in zip(curve.points, explanation.intervals, strict=True):
        is_whole = point is curve.points[-1]
        bounds = ("", "") if is_whole else (f"{interval.low:.0%}", f"{interval.high:.0%}")
        fail = "the run itself" if is_whole else f"{point.failed} of {point.continuations}"
        table.add_row(
            say_ms(point.at_us), f"{point.place / curve.points[-1].place:.1%}", fail, f"{point.share:.0%}", *bounds
        )
    console.print(table)
    for line in explanation.sentences():
        console.print(escape(line), soft_wrap=True)
    for step in explanation.steps:
        console.print(f"  {say_ms(step.at_us)}  {escape(step.words)}", soft_wrap=True)
    if explanation.steps_left_out:
        console.print(f"  and {explanation.steps_left_out:,} steps and messages more")
    for path in written:
        console.print(f"written {path}", soft_wrap=True, markup=False)


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
    # Imported now: only who names a folder waits for a figure.
    from gridproof_reports.explanation_drawing import draw_explanation

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows(point.values() for point in _points(explanation))
    return write_files(folder, {CURVE_NAME: text.getvalue().encode(), **draw_explanation(explanation)})
