"""`gridproof check`: attacks systems and judges what they did."""

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from math import inf
from pathlib import Path
from time import monotonic

from gridproof.arguments.configuration import Given, add_configuration, add_places
from gridproof.arguments.followed import refuse_ignored
from gridproof.arguments.options import subject_of, typed_options
from gridproof.checks.check_apart import Ended, as_judged, check_apart
from gridproof.checks.run import CheckedRun, check_system, line_as_typed, line_to_repeat
from gridproof.checks.tables import print_lines, print_verdicts, print_verdicts_of_several
from gridproof.ci.gate import JudgedRun, least_runs
from gridproof.ci.in_ci import InCi, add_ci_arguments, add_promises
from gridproof.command import UsageError
from gridproof.output.console import open_console, print_configuration
from gridproof.output.folders import INDEX_NAME, choose_folder, fresh_folder, plain_name
from gridproof.output.progress import show_progress
from gridproof.time_limit import add_time_limit, checked_seconds
from gridproof_implementation.adapter import Adapter, AdapterError, Kind, Options
from gridproof_implementation.adapters import ADAPTERS, get_adapter
from gridproof_implementation.checked_ports import check_adapter
from gridproof_implementation.live.said import Said
from gridproof_properties.audits.conformance import promise_levels
from gridproof_properties.audits.promises import levels_of
from gridproof_properties.campaign.workers import interrupt_workers
from gridproof_properties.exit_status import worst_status
from gridproof_reports.contents.summary import SummaryEntry
from gridproof_reports.pages.build import build_summary

EVERY_SYSTEM = "all"
SIDE_BY_SIDE = 2
"""How many systems are audited at a time: audits of live systems mostly wait, those of keys mostly compute."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `check`."""
    parser.add_argument(
        "--system", action="append", metavar="NAME",
        help="the system to attack, once or several times (default: reference; `gridproof systems` lists them; "
        f"`{EVERY_SYSTEM}`: every one whose files are here)",
    )  # fmt: skip
    parser.add_argument(
        "--system-version", default="", metavar="V",
        help="the release to audit, for a system that is fetched by release",
    )  # fmt: skip
    parser.add_argument(
        "--members", type=int, metavar="N",
        help="members to start with (default 3), or nodes of a placement library (6)",
    )  # fmt: skip
    parser.add_argument(
        "--backups", type=int, metavar="B", help="backups to keep (default: the configuration's default map, or 1)"
    )
    parser.add_argument(
        "--async-backups", type=int, metavar="A",
        help="how many of the backups no caller waits for (default: the configuration's, or 0)",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="seed of every random choice (default 0)")
    _add_live_arguments(parser)
    add_configuration(parser)
    add_places(parser)
    add_promises(parser)
    add_ci_arguments(parser)
    add_time_limit(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for trace and report")


def _add_live_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of runs under faults."""
    live = parser.add_argument_group("a live system under faults, while clients are at work")
    add = live.add_argument
    add("--runs", type=int, metavar="N", help="play N scenarios, drawn from seeds counted up from --seed")
    add(
        "--faults",
        metavar="NAME,...",
        help="faults to draw from, or none, or all that can be made here (default crash,restart,pause; further leave; "
        "split, overlapping-split, one-way, cut, cut-and-crash, slow-link, which need a network of namespaces; "
        "late-backups, lost-backups, which need an agent with a message gate)",
    )
    add(
        "--workload", default="register", metavar="NAME",
        help="what clients ask for, as far as the system's agent offers it: register (default), counter, cells, "
        "entries, appends, queue, lock",
    )  # fmt: skip
    add("--clients", type=int, metavar="N", help="clients at work (default 6)")
    add(
        "--rate", type=float, metavar="R",
        help="operations a second, of all clients together, while each is answered at once (default: short pauses)",
    )  # fmt: skip
    add("--duration", type=float, metavar="S", help="seconds that clients are at work (default: until faults are over)")
    add("--keys", type=int, metavar="N", help="how many keys all clients share (default: a few, and others of each)")
    add("--popularity", metavar="HOW", help="how popular shared keys are: uniform (default), or zipf(1.1)")
    add("--cycle", metavar="ON,OFF", help="faults in turn, each ON seconds long, and OFF seconds after the one before")
    add("--scenario", type=Path, metavar="FILE", help="play the scenario of a file again")
    add("--times", type=int, default=3, metavar="K", help="how often a scenario that fails is played (default 3)")
    add(
        "--at-least", type=least_runs, default=1, metavar="N",
        help="in how many runs a property must hold, of those under whose faults it is promised, else the status is 3 "
        "(default 1)",
    )  # fmt: skip
    add(
        "--shrink", type=int, default=0, metavar="N",
        help="try up to N smaller scenarios where one breaks a promise; each is played up to --times times (default 0)",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Check the named systems, and return the exit status."""
    if arguments.runs is not None or arguments.scenario is not None:
        # Imported here: only audits of live systems need the code for live runs.
        from gridproof.checks.live_command import run_live

        return run_live(arguments)
    ci = InCi.of("check", arguments)
    time_limit_s = checked_seconds(arguments.time_limit)
    systems = _as_stated(systems_named(arguments.system or ["reference"]), ci.stated, arguments.promises)
    for adapter in systems.values():
        refuse_ignored(arguments.typed, subject_of(check_adapter(adapter, adapter.name)), called=adapter.name)
    ci.gate.refuse_unpromised(systems, [levels_of(adapter) for adapter in systems.values()])
    given = Given.of(arguments)
    options = typed_options(arguments, systems.values(), given, system_version=arguments.system_version)
    for name, adapter in systems.items():
        promise_levels(check_adapter(adapter, name), options)  # a wrong promise is noticed before anything starts
    if len(systems) == 1:
        ((name, adapter),) = systems.items()
        line = line_to_repeat(name, options, given, is_grid=adapter.kind is Kind.GRID)
        line += "" if ci.stated is None else f" --promises {shlex.quote(str(arguments.promises))}"
        with fresh_folder(arguments.out, adapter.name) as folder, show_progress(adapter.name) as report:
            checked = check_system(adapter, options, folder, report, line, time_limit_s)
        return _report_one(as_judged((name, checked.system), checked), checked, ci, as_json=arguments.json)
    end_s = inf if time_limit_s is None else monotonic() + time_limit_s
    return _check_several(arguments, systems, options, given, ci, end_s)


def _report_one(run: JudgedRun, checked: CheckedRun, ci: InCi, *, as_json: bool) -> int:
    if as_json:
        print(json.dumps({**checked.as_object(), **ci.as_object([run])}))
    else:
        print_lines(ci.gate.first_lines([run]))
        print_verdicts(checked)
        print_lines(ci.lines([run]))
    ci.write([[run]])
    return ci.gate.status([run])


def _check_several(
    arguments: argparse.Namespace,
    systems: Mapping[str, Adapter],
    options: Options,
    given: Given,
    ci: InCi,
    end_s: float,
) -> int:
    folder = choose_folder(arguments.out, "check")
    ended: dict[str, Ended] = {}
    with show_progress("checking") as report, ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        waiting = [pool.submit(check_apart, name, options, folder / plain_name(name), given, end_s) for name in systems]
        try:
            for done in as_completed(waiting):
                result = done.result()
                ended[result.system] = result
                report(f"{result.system} ended", len(ended), len(systems))
        except KeyboardInterrupt:
            interrupted = [one for one in waiting if not one.cancel()]
            interrupt_workers()
            ended |= {one.system: one for one in (other.result() for other in interrupted) if one.checked is not None}
    in_order = [
        ended.get(name, Ended(name, None, f"{name}: interrupted before it showed anything")) for name in systems
    ]
    index = build_summary([_entry(one) for one in in_order], folder / INDEX_NAME, repeat_line=line_as_typed())
    runs = [as_judged(one.names, one.checked, one.failure) for one in in_order]
    if arguments.json:
        objects = [_object(one) for one in in_order]
        print(json.dumps({"runs": objects, "report": str(index), **ci.as_object(runs)}))
    else:
        print_lines(ci.gate.first_lines(runs))
        print_verdicts_of_several([(one.system, one.checked, one.failure) for one in in_order], index)
        if options.config is not None:
            print_configuration(open_console(), options.config.taken, options.config.notes)
        print_lines(ci.lines(runs))
    ci.write([[run] for run in runs])
    statuses = [ci.gate.status([run]) for run in runs]
    return worst_status(statuses)


def systems_named(names: Sequence[str]) -> Mapping[str, Adapter]:
    """Return the adapters with the names that were typed; for `all`, the quick ones whose files are on this machine."""
    if EVERY_SYSTEM in names:
        left_out = {one.name: why for one in ADAPTERS if (why := _why_left_out(one))}
        for name, why in left_out.items():
            print(f"gridproof: {name} is left out: {why}; name it: --system {name}", file=sys.stderr)
        return {adapter.name: adapter for adapter in ADAPTERS if adapter.name not in left_out}
    return {name: get_adapter(name) for name in dict.fromkeys(names)}


def _why_left_out(adapter: Adapter) -> str | None:
    """Return why `--system all` leaves a system out; None if it is audited."""
    try:
        return "it must be named to be audited" if adapter.named_only else adapter.missing()
    except AdapterError as error:
        return str(error)


def _as_stated(systems: Mapping[str, Adapter], stated: Said | None, file: Path | None) -> Mapping[str, Adapter]:
    """Return the systems, with the promises that a file adds; UsageError if a file is given for several systems."""
    if stated is None:
        return systems
    if len(systems) > 1:
        raise UsageError(f"--promises {file}: the file is about one system; name one with --system")
    return {name: stated.about(check_adapter(adapter, name)) for name, adapter in systems.items()}


def _entry(one: Ended) -> SummaryEntry:
    if one.checked is None:
        return SummaryEntry(one.system, "", (), failure=one.failure)
    run = one.checked
    return SummaryEntry(run.system, run.version, run.verdicts, run.report, run.seconds)


def _object(one: Ended) -> object:
    return one.checked.as_object() if one.checked is not None else {"system": one.system, "failure": one.failure}
