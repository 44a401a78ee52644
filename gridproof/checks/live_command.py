"""`gridproof check --runs` and `--scenario`: faults while clients work.

A live check is separate from the audit of a system: it opens the same adapters, but has other arguments and another
table. The tables that show what faults did to a live system fit a terminal of 80 columns.
"""

import argparse
import json
import shlex
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf, isfinite
from pathlib import Path
from time import monotonic

from rich.console import Console

from gridproof.arguments.configuration import Given, chosen_map, configuration_object
from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.options import PARTITIONS_MAX, typed_options
from gridproof.checks import live_check
from gridproof.checks.tables import print_lines
from gridproof.ci.gate import JudgedRun, check_least
from gridproof.ci.in_ci import InCi
from gridproof.command import UsageError
from gridproof.output.campaign_table import ANOTHER_SCENARIO, MORE_RUNS, unseen_line
from gridproof.output.console import FOLDED, NUMBER, WHOLE, new_table, open_console, print_configuration
from gridproof.output.folders import fresh_folder
from gridproof.output.progress import show_progress
from gridproof.time_limit import INTERRUPTED, REACHED, checked_seconds, limited
from gridproof_implementation.adapter import Adapter, Options
from gridproof_implementation.adapters import get_adapter
from gridproof_implementation.live.answers import Hello
from gridproof_implementation.live.draw import (
    CLIENTS,
    Cycle,
    LiveDrawOptions,
    LiveLoad,
    draw_live_scenario,
    why_not_followed,
)
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.live.network import inside_own_namespace, why_no_network
from gridproof_implementation.protocol.merging.policies import POLICIES_BY_NAME
from gridproof_implementation.simulator.distributions import read_popularity
from gridproof_implementation.simulator.draw_options import Prescribed
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.scenario_file import read_scenario, system_of
from gridproof_model.grid_config import GridConfig
from gridproof_model.trace import OperationKind, Outcome
from gridproof_model.user_error import printable
from gridproof_properties.audits.promises import levels_of
from gridproof_properties.campaign.live import describe_faults
from gridproof_properties.child import run_instead
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count

SHRINK_MAX = 1_000
CYCLE_MIN_MS, CYCLE_MAX_MS, CYCLES_MAX = 100, 3_600_000, 1_000
SEED_MAX = 2**62
"""The highest seed: a trace stores seeds as signed numbers of 64 bits."""


def run_live(arguments: argparse.Namespace) -> int:
    """Play the scenarios that were asked for, and return the exit status."""
    adapter = get_adapter(name := _system_named(arguments))
    live_check.check_is_live(adapter)
    _refuse_wrong_use(arguments)
    ci = InCi.of("check", arguments)
    adapter = adapter if ci.stated is None else ci.stated.about(adapter)
    ci.gate.refuse_unpromised([adapter.name], [levels_of(adapter)])
    file: Path | None = arguments.scenario
    scenario = None if file is None else read_scenario(file, LIVE_FAULTS_BY_NAME)
    named = None if adapter.attached else arguments.faults  # the members are in the machine's own network
    enter_what_it_needs(named, file, is_networked=scenario is not None and live_check.needs_network(scenario))
    faults = live_check.chosen_faults(arguments.faults)
    options, prescribed = _configured(arguments, adapter)
    hello = live_check.read_hello(adapter, options)
    drawn = replace(_as_offered(arguments, adapter, options, hello, scenario, faults), prescribed=prescribed)
    seeds = range(arguments.seed, arguments.seed + (arguments.runs or 1))
    if scenario is None:
        first = draw_live_scenario(arguments.seed, drawn)
        _refuse_not_followed(first, adapter, hello, arguments.config or adapter.name)
    limit_s = checked_seconds(arguments.time_limit)
    end_s = inf if limit_s is None else monotonic() + limit_s
    with fresh_folder(arguments.out, adapter.name) as folder, show_progress(adapter.name) as report:
        runs = live_check.LiveRuns(name, adapter, options, folder, arguments.times, hello, arguments.shrink, end_s)
        played: list[live_check.PlayedScenario] = []
        with limited() as limit:
            if scenario is None or file is None:
                played.extend(live_check.check_live(runs, seeds, drawn, report))
            else:
                played.append(live_check.repeat_live(runs, scenario, file, report))
    limit.why = limit.why or (REACHED if len(played) < len(seeds) else None)
    limit.say(f"these are {len(played)} of {count(len(seeds), 'run')}")
    if not played:
        return limit.status_of_part(ExitStatus.UNKNOWN)
    page = None
    with suppress(KeyboardInterrupt):  # the status follows from the runs judged so far
        if limit.why != INTERRUPTED:
            page = live_check.write_pages(played, adapter, folder, live_check.again_words(arguments.promises))
    asked = live_check.asked_faults(arguments.faults, played, in_turn=arguments.cycle is not None)
    together = live_check.judged_together((name, adapter.name), played, arguments.at_least, asked)
    _say(arguments, adapter.name, played, (folder, page), len(seeds) - len(played), ci, together, asked, options.config)
    ci.write([[together]])
    return limit.status_of_part(ci.gate.status([together]))


def _say(
    arguments: argparse.Namespace,
    system: str,
    played: Sequence[live_check.PlayedScenario],
    places: tuple[Path, Path | None],
    not_played: int,
    ci: InCi,
    together: JudgedRun,
    asked: Mapping[str, str],
    config: GridConfig | None,
) -> None:
    folder, page = places
    if arguments.json:
        found = live_check.as_object(played, folder, not_played, arguments.at_least, asked)
        about: dict[str, object] = {} if config is None else {"configuration": configuration_object(config)}
        about |= {} if page is None else {"report": str(page)}
        print(json.dumps({**found, **about, **ci.as_object([together])}))
    else:
        print_lines(live_check.first_lines(played, asked))
        print_played(
            open_console(), f"{system} {played[0].runs[0].version}", played, live_check.again_words(arguments.promises)
        )
        tally = live_check.tally_of(played)
        if unseen := tally.unseen(live_check.promised_in(tally), arguments.at_least):
            cure = MORE_RUNS if arguments.scenario is None else ANOTHER_SCENARIO
            print(unseen_line(unseen, tally.runs, arguments.at_least, cure))
        if (not_asked := live_check.not_asked_line(played)) is not None:
            print(not_asked)
        if config is not None:
            print_configuration(open_console(), config.taken, config.notes)
        print_lines(ci.lines([together]))
        print(f"traces  {folder}")
        if page is not None:
            print(f"report  {page}")


def _configured(arguments: argparse.Namespace, adapter: Adapter) -> tuple[Options, Prescribed | None]:
    """Return the options, and what a configuration prescribes; UsageError if members cannot be given it."""
    given = Given.of(arguments)
    if given.file is not None and not adapter.takes_config:
        raise UsageError(f"--config {given.file}: {adapter.name} takes no configuration; leave --config out")
    config = given.load(audited=False)
    structure = chosen_map(config, given.map_name)
    if structure.merge_policy not in POLICIES_BY_NAME:
        known = f"there are {', '.join(POLICIES_BY_NAME)}"
        raise UsageError(f"--config {given.file}: no merge policy is called {structure.merge_policy}; {known}")
    backups = arguments.backups if config is None or arguments.backups is not None else structure.backups.total
    asynchronous = arguments.async_backups
    if asynchronous is None and backups == structure.backups.total:
        asynchronous = structure.backups.asynchronous
    typed = {"backup_count": backups, "async_backup_count": asynchronous, "system_version": arguments.system_version}
    options = typed_options(arguments, [adapter], Given(), **typed)
    if config is None:
        return options, None
    if config.partition_count > PARTITIONS_MAX:
        many = f"{config.partition_count:,} partitions are set, but a live run has at most {PARTITIONS_MAX:,}"
        raise UsageError(f"--config {given.file}: {many}; set fewer partitions")
    return replace(options, config=config, partition_count=config.partition_count), Prescribed.by(config, structure)


def _as_offered(
    arguments: argparse.Namespace,
    adapter: Adapter,
    options: Options,
    hello: Hello,
    scenario: Scenario | None,
    faults: Sequence[str],
) -> LiveDrawOptions:
    """Return the options for drawing scenarios; raise UsageError if the agent does not offer what is asked for."""
    offered = live_check.offered_faults(
        adapter.name, hello, faults, of_all=arguments.faults in (None, live_check.ALL_FAULTS)
    )
    if scenario is None:
        off = live_check.kinds_off(adapter.name, hello, {arguments.workload}, f"--workload {arguments.workload}")
    else:
        off = _playable(adapter, hello, scenario, arguments.scenario)
    load, cycle = _load_of(arguments)
    if (wrong := load.why_not_shared(arguments.workload) or load.why_too_much(adapter.patience_ms)) is not None:
        raise UsageError(wrong)
    return LiveDrawOptions(
        hello.traits.size(options.member_count, options.backup_count), options.backup_count, options.async_backup_count,
        hello.partitions or options.partition_count, adapter.patience_ms, offered,
        any(LIVE_FAULTS_BY_NAME[name].needs_network for name in offered), arguments.workload, off,
        load=load, cycle=cycle,
    )  # fmt: skip


def _load_of(arguments: argparse.Namespace) -> tuple[LiveLoad, Cycle | None]:
    """Return the load of the clients, and the cycle of faults if there is one; raise UsageError if a value is wrong."""
    cycle = None if arguments.cycle is None else _cycle_of(arguments.cycle, arguments.faults)
    usual_ms = None if cycle is None else cycle.usual_ms
    given_ms = None
    if arguments.duration is not None:
        if not isfinite(arguments.duration):
            raise UsageError(f"--duration {arguments.duration:g}: write a finite number of seconds")
        given_ms = round(arguments.duration * 1_000)
    if cycle is not None and (given_ms or 0) // cycle.whole_ms > CYCLES_MAX:
        raise UsageError(f"--cycle {arguments.cycle}: over {CYCLES_MAX:,} cycles fit --duration; write a longer cycle")
    load = LiveLoad(
        CLIENTS if arguments.clients is None else arguments.clients, arguments.rate,
        usual_ms if given_ms is None else given_ms, arguments.keys,
        None if arguments.popularity is None else read_popularity(arguments.popularity),
    )  # fmt: skip
    return load, cycle


def _cycle_of(text: str, faults: str | None) -> Cycle:
    try:
        on_ms, off_ms = (round(float(part) * 1_000) for part in text.split(","))
    except (ValueError, OverflowError):
        raise UsageError(f"--cycle {text!r}: write two numbers of seconds with a comma, such as 30,15") from None
    least, most = CYCLE_MIN_MS, CYCLE_MAX_MS
    if not (least <= on_ms <= most and least <= off_ms <= most):
        raise UsageError(f"--cycle {text}: each number has to be from {least / 1_000:g} to {most / 1_000:,.0f} seconds")
    if faults == "none":
        raise UsageError(f"--cycle {text}: with --faults none no fault begins or ends; leave --cycle out")
    return Cycle(on_ms, off_ms)


def refuse_unplayable(adapter: Adapter, options: Options, scenario: Scenario, file: Path) -> Hello:
    """Return the agent's answer to `hello`; UsageError if the agent does not offer what a file's scenario needs."""
    live_check.check_is_live(adapter)
    hello = live_check.read_hello(adapter, options)
    _playable(adapter, hello, scenario, file)
    return hello


def _playable(adapter: Adapter, hello: Hello, scenario: Scenario, file: Path) -> frozenset[OperationKind]:
    """Return the kinds of operations that a scenario leaves out; raise UsageError if the agent offers too few."""
    uses = {one.use for script in scenario.scripts for one in script.client_operations}
    live_check.check_offered(adapter.name, hello, [one.fault for one in scenario.fault_events()], str(file))
    off = live_check.kinds_off(adapter.name, hello, uses, str(file))
    _refuse_not_followed(scenario, adapter, hello, file)
    return off


def _refuse_not_followed(scenario: Scenario, adapter: Adapter, hello: Hello, where: Path | str) -> None:
    if (refused := why_not_followed(scenario, adapter, hello)) is not None:
        raise UsageError(f"{where} cannot be played: {refused}")


def enter_what_it_needs(faults: str | None, file: Path | None, *, is_networked: bool) -> None:
    """Run this program again as root of new namespaces if the faults may need that; UsageError if a file needs more."""
    again = inside_own_namespace([sys.executable, "-m", "gridproof", *sys.argv[1:]]) if faults or is_networked else None
    if again is not None:  # the user is not root, and may create namespaces
        run_instead(again)
    if is_networked and (missing := why_no_network()) is not None:
        raise UsageError(f"{file}: {missing}")


def _refuse_wrong_use(arguments: argparse.Namespace) -> None:
    refuse_ignored(arguments.typed, Subject.LIVE_RUNS if arguments.scenario is None else Subject.LIVE_SCENARIO)
    checked_seconds(arguments.time_limit)
    if not 0 <= arguments.seed <= SEED_MAX:
        raise UsageError(f"--seed {arguments.seed}: with --runs the seed must be a whole number from 0 to {SEED_MAX}")
    if arguments.times < 1 or (arguments.runs is not None and arguments.runs < 1):
        option = f"--times {arguments.times}" if arguments.times < 1 else f"--runs {arguments.runs}"
        raise UsageError(f"{option}: write a whole number of at least 1")
    check_least(arguments.at_least, (arguments.runs or 1) * arguments.times)
    if not 0 <= arguments.shrink <= SHRINK_MAX:
        raise UsageError(f"--shrink {arguments.shrink}: write a whole number from 0 to {SHRINK_MAX}")


def _system_named(arguments: argparse.Namespace) -> str:
    named: list[str] = arguments.system or []
    found = system_of(arguments.scenario) if arguments.scenario is not None and not named else ""
    names = named or ([found] if found else [])
    if len(names) != 1:
        raise UsageError("--runs and --scenario need exactly one live system; name it with --system")
    return names[0]


LATE_SHARE = 0.75
"""If clients, which wait for answers, complete less than this share of a scenario's operations, a line says so."""


def print_played(console: Console, title: str, played: Sequence[live_check.PlayedScenario], again: str) -> None:
    """Print a line for each scenario, what each fault changed and lost, and then what each kind of fault did."""
    numbers = dict.fromkeys(("seed", "done", "refused", "unknown", "silent s", "held to"), NUMBER)
    table = new_table(title, {**numbers, "promises broken": FOLDED})
    for one in played:
        run = one.runs[0]
        counts = [f"{run.cost.outcomes[outcome]:,}" for outcome in (Outcome.OK, Outcome.REFUSED, Outcome.UNKNOWN)]
        broken = one.describe_broken().replace(", ", "\n") or (f"stopped: {run.stopped}" if run.stopped else "none")
        silent, held = f"{run.cost.silent_ms / 1_000:.1f}", "{} of {}".format(*run.held)
        table.add_row(str(one.scenario.seed), *counts, silent, held, broken)
    console.print(table)
    for one in played:
        _print_run(console, one)
    _print_by_fault(console, played)
    for one in (one for one in played if one.fails):
        console.print(f"again: {again} {shlex.quote(str(one.file))}", soft_wrap=True)
        if one.small is not None:
            small = one.small
            what = f"{count(small.scenario.operation_count, 'operation')}; {describe_faults(small.scenario)}"
            often = f"{small.promise} broken {small.broken} of {count(small.played, 'time')}"
            console.print(f"made smaller: {what}; {often}", soft_wrap=True)
            console.print(f"again: {again} {shlex.quote(str(small.file))}", soft_wrap=True)


def _print_run(console: Console, one: live_check.PlayedScenario) -> None:
    """Print the faults of a scenario and what they changed, which writes were lost, and its kind of history."""
    cost, name = one.runs[0].cost, f"seed {one.scenario.seed}"
    console.print(f"{name}: {printable(describe_faults(one.scenario))}", soft_wrap=True)
    for effect in cost.over_time.effects():
        span = effect.span
        at = f"{span.begin_ms / 1_000:.1f} to {span.heal_ms / 1_000:.1f} s"
        console.print(f"{name}, {at}, {span.fault}: {effect.describe()}", soft_wrap=True)
    console.print(f"{name}: acknowledged writes that were lost: {printable(cost.losses.describe())}", soft_wrap=True)
    done = cost.outcomes.total()
    asked = one.scenario.operation_count
    less = f"; {asked:,} were planned, but clients waited for answers" if done < LATE_SHARE * asked else ""
    history = cost.overlap.describe()
    said = f"the history is {history}{less}" if history else f"none of {asked:,} operations was asked for"
    console.print(f"{name}: {said}", soft_wrap=True)


def _print_by_fault(console: Console, played: Sequence[live_check.PlayedScenario]) -> None:
    found = live_check.summary(played)
    columns = {"runs": "scenarios", "struck": "struck", "struck nobody": "struck nobody", "lost": "lost writes"}
    columns |= {"of": "acknowledged writes"}
    table = new_table("by fault", {"fault": WHOLE, **dict.fromkeys(columns, NUMBER)})
    for name, counts in found.items():
        table.add_row(name, *(f"{counts[key]:,}" for key in columns.values()))
    console.print(table)
    for name, counts in found.items():
        broken = [f"{key.removeprefix('broken: ')} {n}" for key, n in counts.items() if key.startswith("broken: ")]
        said = ", ".join(broken) or "nothing"
        console.print(f"{name}: broken, promised or not, in how many runs: {said}", soft_wrap=True)
