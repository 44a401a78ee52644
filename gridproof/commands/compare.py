"""`gridproof compare`: shows two subjects under the same operations and faults side by side."""

import argparse
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from time import monotonic

from gridproof.arguments.configuration import Given
from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.options import subject_of, typed_options
from gridproof.checks.check_apart import as_judged, check_apart
from gridproof.checks.comparison import Comparison, Side, Subjected, print_comparison, write_page
from gridproof.checks.run import line_as_typed
from gridproof.checks.tables import print_lines
from gridproof.ci.gate import check_least, least_runs
from gridproof.ci.in_ci import InCi, add_ci_arguments
from gridproof.command import UsageError
from gridproof.output.folders import fresh_folder, plain_name
from gridproof.output.progress import Report, show_progress
from gridproof.time_limit import add_time_limit, checked_seconds, limited
from gridproof_implementation.adapter import Adapter
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.checked_ports import check_adapter
from gridproof_properties.audits.promises import levels_of
from gridproof_properties.exit_status import ExitStatus, worst_status
from gridproof_reports.contents.report import headline

OWN = frozenset({"--versions", "--scenario", "--times", "--at-least"})
"""Options that the audit of a single system lacks, or has under another name."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `compare`."""
    add = parser.add_argument
    add("systems", nargs=2, metavar="SYSTEM", help="systems as `gridproof check --system` takes them; or one, twice")
    add("--versions", metavar="V,V", help="the releases of the two, in this order (default: the usual ones)")
    add("--members", type=int, metavar="N", help="members, or nodes, to start with (default 3, or 6)")
    add("--backups", type=int, metavar="B", help="backups to keep (default 1)")
    add("--async-backups", type=int, metavar="A", help="how many of the backups no caller waits for (default 0)")
    add("--seed", type=int, default=0, metavar="S", help="seed of every random choice (default 0)")
    add(
        "--scenario", type=Path, metavar="FILE",
        help="play this scenario on both (default: audit both, as `check` does)",
    )  # fmt: skip
    add("--times", type=int, default=3, metavar="K", help="how often it is played on each (default 3)")
    add(
        "--at-least", type=least_runs, default=1, metavar="N",
        help="in how many of these times a promised property must hold, else the status is 3 (default 1)",
    )  # fmt: skip
    add_ci_arguments(parser)
    add_time_limit(parser)
    add("--out", type=Path, metavar="DIR", help="an empty folder for traces and reports")


def run(arguments: argparse.Namespace) -> int:
    """Check both systems, or play the scenario on both; the exit status is the worse of the two."""
    is_played = arguments.scenario is not None
    refuse_ignored(arguments.typed, Subject.SCENARIO_COMPARED if is_played else Subject.COMPARED)
    limit_s = checked_seconds(arguments.time_limit)
    ci = InCi.of("compare", arguments)
    sides = _sides(arguments)
    ci.gate.refuse_unpromised([one.name for one in sides], [levels_of(one.adapter) for one in sides])
    with fresh_folder(arguments.out, "compare") as folder, show_progress("comparing") as report:
        end_s = inf if limit_s is None else monotonic() + limit_s
        playing = _play(sides, arguments, folder, report, end_s) if is_played else None
        both: list[Subjected] = []
        with limited() as limit:
            for one in playing or (_check(side, folder, report, end_s) for side in sides):
                both.append(one)  # noqa: PERF402 - results so far are kept after an interruption
        runs = [one.judged for one in both]
        statuses = [ci.gate.status([run]) for run in runs]
        if len(both) < len(sides):
            print_lines([f"{one.side.label}: {headline(one.judged.verdicts)}" for one in both])
            limit.say(f"only {len(both)} of 2 subjects were audited, so nothing was compared")
            return limit.status_of_part(worst_status(statuses or [ExitStatus.UNKNOWN]))
        comparison = Comparison.of(both, folder)
        page = write_page(comparison, line_as_typed())
    if arguments.json:
        print(json.dumps({**comparison.as_object(statuses), "report": str(page), **ci.as_object(runs)}))
    else:
        print_lines(ci.gate.first_lines(runs))
        print_comparison(comparison, page)
        print_lines(ci.lines(runs))
    ci.write([[run] for run in runs])
    return worst_status(statuses)


def _sides(arguments: argparse.Namespace) -> Sequence[Side]:
    """Return the two sides with equal options; UsageError if their kinds differ, or one side does not use an option."""
    names: list[str] = arguments.systems
    versions = [""] * 2 if arguments.versions is None else arguments.versions.split(",")
    if len(versions) != 2:
        raise UsageError(f"--versions {arguments.versions}: write two releases with a comma between them")
    adapters = [check_adapter(get_adapter(name), name) for name in names]
    if adapters[0].kind is not adapters[1].kind:
        kinds = " and ".join(f"{name} is a {one.kind}" for name, one in zip(names, adapters, strict=True))
        raise UsageError(f"the two systems are of different kinds: {kinds}; compare two systems of the same kind")
    labels = names
    if names[0] == names[1]:
        apart = [version or "usual" for version in versions] if versions[0] != versions[1] else ["first", "second"]
        labels = [f"{names[0]} {word}" for word in apart]
    return [
        _side(arguments, label, name, adapter, version)
        for label, name, adapter, version in zip(labels, names, adapters, versions, strict=True)
    ]


def _side(arguments: argparse.Namespace, label: str, name: str, adapter: Adapter, version: str) -> Side:
    of_check = [option for option in arguments.typed if option not in OWN]
    refuse_ignored(of_check, subject_of(adapter), called=adapter.name)
    return Side(label, name, adapter, typed_options(arguments, [adapter], Given(), system_version=version))


def _check(side: Side, folder: Path, report: Report, end_s: float) -> Subjected:
    report(side.label, 0, None)
    ended = check_apart(side.name, side.options, folder / plain_name(side.label), Given(), end_s)
    judged = as_judged((side.label, side.adapter.name), ended.checked, ended.failure)
    if (run := ended.checked) is None:
        return Subjected(side, judged)
    return Subjected(side, judged, run.trace, run.report, run.as_object())


def _play(
    sides: Sequence[Side], arguments: argparse.Namespace, folder: Path, report: Report, end_s: float
) -> Iterator[Subjected]:
    # Imported here: only a comparison of live runs needs the imported code.
    from gridproof.checks.live_check import LiveRuns, judged_together, needs_network, repeat_live, write_pages
    from gridproof.checks.live_command import enter_what_it_needs, refuse_unplayable
    from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
    from gridproof_implementation.simulator.scenario_file import read_scenario

    file: Path = arguments.scenario
    if arguments.times < 1:
        raise UsageError(f"--times {arguments.times}: the scenario is played at least once; write 1 or more")
    check_least(arguments.at_least, arguments.times)
    scenario = read_scenario(file, LIVE_FAULTS_BY_NAME)
    enter_what_it_needs(None, file, is_networked=needs_network(scenario))
    hellos = [refuse_unplayable(side.adapter, side.options, scenario, file) for side in sides]
    for side, hello in zip(sides, hellos, strict=True):
        place = folder / plain_name(side.label)
        place.mkdir()
        runs = LiveRuns(side.name, side.adapter, side.options, place, arguments.times, hello, end_s=end_s)
        played = repeat_live(runs, scenario, file, report)
        faults = dict.fromkeys(fault.fault for fault in scenario.fault_events())
        judged = judged_together((side.label, side.adapter.name), [played], arguments.at_least, tuple(faults))
        cost = played.runs[0].cost
        costs = {"acknowledged changes lost": len(cost.losses.lost()), "longest silence ms": cost.silent_ms}
        again = shlex.join(["gridproof", "check", "--system", side.name, "--scenario"])
        page = write_pages([played], side.adapter, place, again)
        judged = replace(judged, trace=place)
        yield Subjected(side, judged, place / "again-1.jsonl", page, played.as_object(), costs, cost.over_time)
