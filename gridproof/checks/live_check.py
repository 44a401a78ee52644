"""Runs of a live system under faults: each seed gives a scenario, and each run is judged.

`check --runs` draws one scenario for each seed and plays it on real processes. A scenario that breaks a promise is
played again, and the report says in how many of its runs it was broken. To play the scenario of a file again, type
`check --scenario FILE`.
"""

import shlex
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count as count_up
from math import inf
from pathlib import Path
from time import monotonic

from gridproof.checks.live_narration import Narration
from gridproof.checks.run import line_as_typed, make_report, verdict_object
from gridproof.ci.gate import NOTHING_COMPARED, JudgedRun
from gridproof.command import UsageError
from gridproof.output.campaign_table import tally_object
from gridproof.output.folders import INDEX_NAME
from gridproof.output.progress import Report
from gridproof.time_limit import limited
from gridproof_implementation.adapter import Adapter, AdapterError, Kind, Options
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.answers import Hello
from gridproof_implementation.live.draw import LiveDrawOptions, draw_live_scenario, options_of
from gridproof_implementation.live.fault import LiveFault
from gridproof_implementation.live.faults import LIVE_FAULTS, LIVE_FAULTS_BY_NAME
from gridproof_implementation.live.network import why_no_filter, why_no_network
from gridproof_implementation.live.operations import NEEDED, SPARED, offered, workloads_of
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_implementation.simulator.scenario_file import write_scenario
from gridproof_implementation.trace import TraceFormat, write_trace
from gridproof_model.events.fault_counts import MORE_SEEDS, faults_object, missed_faults, missed_sentence
from gridproof_model.trace import OperationKind, Outcome, Record
from gridproof_model.user_error import listed
from gridproof_model.value import picked
from gridproof_properties.campaign import live
from gridproof_properties.campaign.tally import Tally
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict, is_blind
from gridproof_properties.judging.words import count
from gridproof_reports.contents.report import Provenance
from gridproof_reports.contents.summary import SummaryEntry
from gridproof_reports.pages.build import build_summary

PROCESS_FAULTS = ("crash", "restart", "pause")
"""The faults that are drawn by default: every system allows them, and every user is able to cause them."""
NO_FAULTS = "none"
ALL_FAULTS = "all"
"""The word that stands for every fault that can be made on this machine."""


@dataclass(frozen=True, slots=True)
class LiveRuns:
    """What is to be played, and where its files are written."""

    system: str
    """The name of the system, as it was typed."""
    adapter: Adapter
    options: Options
    folder: Path
    times: int
    """How many times, in all, a scenario that fails is played."""
    hello: Hello
    """What the system's agent answered to `hello`."""
    tries: int = 0
    """How many smaller scenarios are tried if a scenario fails."""
    end_s: float = inf
    """The time limit on the monotonic clock: no scenario begins after it, except the first one."""

    @property
    def is_over(self) -> bool:
        """Whether the time limit is over."""
        return monotonic() >= self.end_s


@dataclass(frozen=True, slots=True)
class PlayedScenario:
    """A scenario with all the runs in which it was played."""

    runs: tuple[live.PlayedRun, ...]
    file: Path
    """The scenario's file."""
    small: live.MadeSmall | None = None
    """The scenario with parts left out; None if the user did not ask for that, or if no part could be left out."""
    is_cut: bool = False
    """Whether Ctrl-C has ended this scenario; then no other scenario is played."""

    @property
    def fails(self) -> bool:
        """Whether at least one run of the scenario broke a promise."""
        return any(run.broken for run in self.runs)

    @property
    def scenario(self) -> Scenario:
        """The scenario that was played."""
        return self.runs[0].scenario

    def describe_broken(self) -> str:
        """Return which promises were broken, each with the number of runs that broke it."""
        found = live.repeated(self.runs)
        return ", ".join(f"{name} {count} of {len(self.runs)}" for name, count in sorted(found.items()))

    def as_object(self) -> Mapping[str, object]:
        """Return what `--json` prints of the scenario."""
        return {
            "seed": self.scenario.seed,
            "faults": live.describe_faults(self.scenario),
            "broken": live.repeated(self.runs),
            "played": len(self.runs),
            "scenario": str(self.file),
            "small": None if self.small is None else _small_object(self.small),
            "runs": [_run_object(run) for run in self.runs],
        }


def _small_object(small: live.MadeSmall) -> Mapping[str, object]:
    return {
        "property": small.promise, "broken": small.broken, "played": small.played,
        "faults": live.describe_faults(small.scenario), "operations": small.scenario.operation_count,
        "scenario": str(small.file),
    }  # fmt: skip


def check_live(
    runs: LiveRuns, seeds: Sequence[int], draw_options: LiveDrawOptions, report: Report
) -> Iterator[PlayedScenario]:
    """Play the scenario of each seed; a scenario that fails is played again."""
    options = replace(runs.options, networked=draw_options.networked)
    for done, seed in enumerate(seeds):
        if done and runs.is_over:
            break
        report(f"seed {seed}", done, len(seeds))
        scenario = draw_live_scenario(seed, draw_options)
        found = _play_until_known(replace(runs, options=options), scenario, f"seed-{seed}")
        if found.fails and runs.tries and not runs.is_over and not found.is_cut:
            with limited() as limit:
                found = replace(found, small=_made_small(replace(runs, options=options), found, report))
            found = replace(found, is_cut=limit.why is not None)
        yield found
        if found.is_cut:
            raise KeyboardInterrupt


def repeat_live(runs: LiveRuns, scenario: Scenario, file: Path, report: Report) -> PlayedScenario:
    """Play the scenario of a file as many times as was asked for."""
    options = replace(runs.options, networked=needs_network(scenario))
    found: list[live.PlayedRun] = []
    with limited() as limit:
        for number in range(runs.times):
            if number and runs.is_over:
                break
            report("playing", number, runs.times)
            found.append(_play(replace(runs, options=options), scenario, f"again-{number + 1}"))
    if not found:
        raise KeyboardInterrupt
    return PlayedScenario(tuple(found), file, is_cut=limit.why is not None)


def needs_network(scenario: Scenario) -> bool:
    """Return whether a scenario needs a separate host for each member."""
    return any(LIVE_FAULTS_BY_NAME[one.fault].needs_network or one.amount for one in scenario.fault_events())


def chosen_faults(named: str | None) -> Sequence[str]:
    """Return the faults that a user names; UsageError if a fault is unknown, or cannot be made on this machine."""
    if named == NO_FAULTS:
        return ()
    if named == ALL_FAULTS:
        return [fault.name for fault in LIVE_FAULTS if _why_not_here(fault) is None]
    names = PROCESS_FAULTS if named is None else listed(named, UsageError, "--faults: ")
    unknown = next((name for name in names if name not in LIVE_FAULTS_BY_NAME), None)
    if unknown is not None:
        known = ", ".join(fault.name for fault in LIVE_FAULTS)
        raise UsageError(f"--faults {unknown}: no live fault has this name; write {known}, {ALL_FAULTS} or {NO_FAULTS}")
    for name in names:
        if (missing := _why_not_here(LIVE_FAULTS_BY_NAME[name])) is not None:
            raise UsageError(f"--faults {name} cannot be used on this machine: {missing}")
    return names


def _why_not_here(fault: LiveFault) -> str | None:
    """Return what this machine lacks to make a fault, with the cure; None if it lacks nothing."""
    missing = why_no_network() if fault.needs_network else None
    return why_no_filter() if missing is None and fault.needs_filter else missing


def read_hello(adapter: Adapter, options: Options) -> Hello:
    """Return what the system's agent answers to `hello`; raise AdapterError if the system has no agents."""
    with adapter.open(replace(options, networked=False)) as grid:
        if not isinstance(grid, AgentGrid):
            raise AdapterError(f"{adapter.name} has no agents to play a scenario; name another system")
        return grid.hello


def kinds_off(system: str, hello: Hello, uses: Collection[str], where: str) -> frozenset[OperationKind]:
    """Return the kinds of operations that workloads leave out on a system; UsageError if they need a missing kind."""
    unknown = next((use for use in uses if use not in NEEDED), None)
    if unknown is not None:
        raise UsageError(f"{where}: live systems have no workload {unknown!r}; there are {', '.join(sorted(NEEDED))}")
    missing = sorted({kind for use in uses for kind in NEEDED[use]} - offered(hello))
    if missing:
        cure = f"choose from the workloads {', '.join(workloads_of(hello))}"
        raise UsageError(f"{where}: the agent of {system} does not offer {' or '.join(missing)}; {cure}")
    return frozenset(kind for kind in SPARED if kind not in offered(hello))


def offered_faults(system: str, hello: Hello, names: Sequence[str], *, of_all: bool) -> Sequence[str]:
    """Return the faults that the agent allows; UsageError if the user names a fault that the agent forbids."""
    if of_all:
        return [name for name in names if LIVE_FAULTS_BY_NAME[name].why_not_offered(system, hello) is None]
    check_offered(system, hello, names, "--faults")
    return names


def check_offered(system: str, hello: Hello, names: Sequence[str], where: str) -> None:
    """Raise UsageError if the system's agent does not allow one of these faults."""
    for name in names:
        if (why := LIVE_FAULTS_BY_NAME[name].why_not_offered(system, hello)) is not None:
            raise UsageError(f"{where}: {why}")


def check_is_live(adapter: Adapter) -> None:
    """Raise UsageError if a system has no processes of its own."""
    if adapter.kind is not Kind.GRID or adapter.repeatable:
        cure = "for random runs of the reference use `gridproof simulate`"
        raise UsageError(f"live runs need members that are processes; {adapter.name} has none; {cure}")


def tally_of(played: Sequence[PlayedScenario]) -> Tally:
    """Return the tally of all runs; if a scenario was played several times, it has as many runs."""
    tally = Tally()
    for run in (run for one in played for run in one.runs):
        tally.count(run.scenario.seed, run.verdicts, run.faults, is_idle=run.cost.work.is_idle)
    return tally


def asked_faults(named: str | None, played: Sequence[PlayedScenario], *, in_turn: bool) -> Mapping[str, str]:
    """Return the faults that a user or scenarios asked for, each with what a user can do if no scenario contains it.

    The faults of a cycle follow each other in a fixed order, whatever the seed.
    """
    typed = () if named in (None, NO_FAULTS, ALL_FAULTS) else listed(str(named))
    names = [*typed, *(fault.fault for one in played for fault in one.scenario.fault_events())]
    return dict.fromkeys(names, "faults come in turn, and a longer --duration reaches it" if in_turn else MORE_SEEDS)


def judged_together(
    names: tuple[str, str], played: Sequence[PlayedScenario], at_least: int = 1, asked: Collection[str] = ()
) -> JudgedRun:
    """Return all runs together as a build judges them: one verdict for each property, and what else is unknown."""
    runs = [run for one in played for run in one.runs]
    tally = tally_of(played)
    by_property: dict[str, list[tuple[int, Verdict]]] = {prop.name: [] for prop in CATALOGUE}
    unknown = {f"run of seed {seed}": NOTHING_COMPARED for seed in tally.blind}
    for run in runs:
        unknown |= {f"{what} of seed {run.scenario.seed}": why for what, why in run.cost.work.unknown.items()}
        unknown |= {f"end of seed {run.scenario.seed}": f"it stopped: {run.stopped}"} if run.stopped else {}
        for verdict in run.verdicts:
            by_property[verdict.property].append((run.scenario.seed, verdict))
            failed = verdict.reason is Reason.JUDGE_FAILED
            unknown |= {f"judge of {verdict.property}": verdict.sentence} if failed else {}
    verdicts = tuple(_together(found, at_least) for found in by_property.values() if found)
    missed = missed_faults(tally.faults, asked)
    return JudgedRun(names, verdicts, runs[0].version, missed=missed, unknown=unknown)


def _together(found: Sequence[tuple[int, Verdict]], at_least: int) -> Verdict:
    """Return the verdict on a property over several runs: it holds if enough runs promised it and none broke it."""
    promised = [one for one in found if one[1].promise is PromiseLevel.PROMISED]
    seed, worst = max(promised or found, key=lambda one: one[1].result.severity)
    held = [verdict for _, verdict in promised if verdict.result is Result.HOLDS]
    said = f"seed {seed}: {worst.sentence}"
    if not promised or (at_least == 0 and not held and worst.result is Result.UNKNOWN):
        return replace(worst, sentence=said, promise=PromiseLevel.NONE if promised else worst.promise)
    compared = sum(verdict.compared for _, verdict in promised)
    in_runs = f"in {len(held)} of {count(len(promised), 'run')} that it is promised in"
    if worst.result is Result.BROKEN:
        return replace(worst, sentence=f"{said} (it held {in_runs})", compared=compared)
    if len(held) >= at_least:
        return replace(held[0], sentence=f"held {in_runs}: {held[0].sentence}", compared=compared)
    sentence, reason = f"held {in_runs}, {at_least} are asked for; {said}", worst.reason or Reason.NEVER_MET
    return replace(worst, result=Result.UNKNOWN, sentence=sentence, reason=reason, compared=compared)


def promised_in(tally: Tally) -> Sequence[str]:
    """Return the properties that were promised in at least one run, under the faults that affected it."""
    return [prop.name for prop in CATALOGUE if tally.promised[prop.name]]


def not_asked_line(played: Sequence[PlayedScenario]) -> str | None:
    """Return a line about the promises that no live run can check; None if there are none."""
    names = dict.fromkeys(name for one in played for run in one.runs for name in run.not_asked)
    asker = "promised, but compared only by `gridproof check` without --runs"
    return f"{asker}: {', '.join(names)}" if names else None


def first_lines(played: Sequence[PlayedScenario], asked: Collection[str]) -> list[str]:
    """Return a line for each fault that affected no member, and for each scenario in which no promise was compared."""
    lines = [missed_sentence(*one) for one in missed_faults(tally_of(played).faults, asked).items()]
    effects = [effect for one in played for run in one.runs for effect in run.cost.over_time.effects()]
    felt = {effect.span.fault for effect in effects if effect.changes or not effect.calm.operations}
    lines += [
        f"{name} changed nothing that was measured: neither waits nor refusals, tables nor members"
        for name in dict.fromkeys(one.span.fault for one in effects if one.span.struck and one.during.operations)
        if name not in felt
    ]
    said = [(run.scenario.seed, why) for one in played for run in one.runs for why in run.cost.work.unknown.values()]
    lines += [f"seed {seed}: {why}" for seed, why in dict.fromkeys(said)]
    blind: dict[str, list[live.PlayedRun]] = {}
    for run in (run for one in played for run in one.runs[:1] if is_blind(run.verdicts)):
        blind.setdefault(_why_blind(run), []).append(run)
    for why, runs in blind.items():
        broken = Counter(name for run in runs for name in run.measured)
        words = [name if len(runs) == 1 else f"{name} {times}" for name, times in broken.items()]
        measured = f"; broken there and not promised: {', '.join(words)}" if words else ""
        seeds = ", ".join(str(run.scenario.seed) for run in runs)
        lines.append(f"seed {seeds}: nothing that is promised was compared, since {why}{measured}")
    return lines


def _why_blind(run: live.PlayedRun) -> str:
    """Say why no promise was compared in a run: none is given there, none can be checked, or none was met."""
    promised = [one.property for one in run.verdicts if one.promise is PromiseLevel.PROMISED]
    under = f'where "{" and ".join(run.under)}"'
    unasked = f"no client asks for what is promised {under}, {', '.join(run.not_asked)}" if run.not_asked else ""
    nothing = unasked or f"the system promises nothing {under}"
    why = f"{', '.join(promised)} had nothing to compare" if promised else nothing
    return f"{why}; it promises only of a calm grid: {', '.join(run.withheld)}" if run.withheld else why


def summary(played: Sequence[PlayedScenario]) -> Mapping[str, Mapping[str, int]]:
    """Return, for each fault, in how many of its scenarios writes were lost, and how often each property was broken."""
    found: dict[str, Counter[str]] = {}
    for one in played:
        for name in sorted({fault_event.fault for fault_event in one.scenario.fault_events()}) or [NO_FAULTS]:
            counts = found.setdefault(name, Counter())
            run = one.runs[0]
            counts["scenarios"] += 1
            counts["struck"] += run.faults[name, ""]
            counts["struck nobody"] += sum(n for (fault, why), n in run.faults.items() if fault == name and why)
            lost = run.cost.losses.lost()
            counts["with lost writes"] += bool(lost)
            counts["lost writes"] += len(lost)
            counts["acknowledged writes"] += run.cost.losses.acknowledged().total()
            counts.update({f"broken: {name}": 1 for name in (*run.broken, *run.measured)})
    return found


def _play_until_known(runs: LiveRuns, scenario: Scenario, name: str) -> PlayedScenario:
    """Play a scenario once; if this breaks a promise, play it again, in all as often as was asked for."""
    found = [_play(runs, scenario, name)]
    with limited() as limit:
        again = range(1, runs.times if found[0].broken else 1)
        found.extend(_play(runs, scenario, f"{name}-again-{number}") for number in again)
    file = runs.folder / f"{name}.json"
    broken = (f"{prop} broken {often} of {count(len(found), 'time')}" for prop, often in live.repeated(found).items())
    shows = ", ".join(broken) or "nothing that is promised is broken, 1 of 1 time"
    write_scenario(file, scenario, f"{live.describe_faults(scenario)}: {shows}", runs.system)
    return PlayedScenario(tuple(found), file, is_cut=limit.why is not None)


def _made_small(runs: LiveRuns, found: PlayedScenario, report: Report) -> live.MadeSmall | None:
    """Leave out all parts that can be omitted, play the smaller scenario as often as the whole, and write its file."""
    numbers = count_up(1)
    name = f"seed-{found.scenario.seed}-small"
    small = live.made_small(found.runs, runs.tries, lambda one: _play(runs, one, f"{name}-{next(numbers)}"), report)
    if small is None:
        return None
    file = runs.folder / f"{name}.json"
    times = f"{small.broken} of {count(small.played, 'time')}"
    shows = f"{live.describe_faults(small.scenario)}: {small.promise} broken {times}"
    write_scenario(file, small.scenario, shows, runs.system)
    return replace(small, file=file)


def _play(runs: LiveRuns, scenario: Scenario, name: str) -> live.PlayedRun:
    trace, narration = runs.folder / f"{name}.jsonl", Narration(f"{runs.adapter.name}, {name}")
    narration.say(f"starts {count(scenario.members, 'member')}")
    with write_trace(trace, TraceFormat.JSON_LINES) as writer:

        def sink(record: Record) -> None:
            writer.write(record)
            narration.observe(record)

        try:
            options = options_of(scenario, runs.adapter, runs.hello, runs.options)
            found = live.play_and_judge(runs.adapter, options, scenario, sink, lambda: narration.say("is judged"))
        except AdapterError as error:
            raise AdapterError(f"{runs.adapter.name}: the scenario cannot be played: {error}") from error
    return replace(found, trace=trace)


def again_words(promises: Path | None) -> str:
    """Return the command, without the file's name, that plays a scenario again and judges it by the same promises."""
    stated = [] if promises is None else ["--promises", str(promises)]
    return shlex.join(["gridproof", "check", *stated, "--scenario"])


def write_pages(played: Sequence[PlayedScenario], adapter: Adapter, folder: Path, again: str) -> Path | None:
    """Write a page for each run, and a page that lists the runs if there are several; return the page to open first."""
    entries: list[SummaryEntry] = []
    for one in played:
        line = f"{again} {shlex.quote(str(one.file))}"
        for run in (run for run in one.runs if run.trace is not None):
            trace = run.trace or folder
            provenance = Provenance(repeat_line=line, trace=trace.name)
            page = make_report(trace, trace.with_suffix(".html"), adapter, run.verdicts, provenance)
            entry = SummaryEntry(adapter.name, run.version, run.verdicts, page, None, trace.stem, run.scenario.seed)
            entries.append(entry)
    if len(entries) > 1:
        return build_summary(entries, folder / INDEX_NAME, repeat_line=line_as_typed())
    return entries[0].report if entries else None


def _run_object(run: live.PlayedRun) -> Mapping[str, object]:
    cost = run.cost
    return {
        **picked(run, "version stopped under withheld not_asked"),
        "held": dict(zip(("compared", "promised"), run.held, strict=True)),
        "faults": faults_object(run.faults),
        **picked(run, "broken measured"),
        "outcomes": {outcome.value: cost.outcomes[outcome] for outcome in Outcome},
        "acknowledged": cost.losses.acknowledged().total(),
        "acknowledged_by_use": cost.losses.acknowledged(),
        "lost": [[loss.key, loss.after_fault_ms, loss.confirmed, loss.read] for loss in cost.losses.lost()],
        "silent_ms": cost.silent_ms,
        "asked_for": run.scenario.operation_count,
        **cost.overlap.as_object(),
        "effects": [effect.as_object() for effect in cost.over_time.effects()],
        "verdicts": [verdict_object(verdict) for verdict in run.verdicts],
    }


def as_object(
    played: Sequence[PlayedScenario], folder: Path, not_played: int, at_least: int, asked: Mapping[str, str]
) -> Mapping[str, object]:
    """Return what `--json` prints; `not_played` is the number of scenarios that did not begin before the time limit."""
    tally = tally_of(played)
    whole = {
        **tally_object(tally, tally.unseen(promised_in(tally), at_least), asked),
        "scenarios": [one.as_object() for one in played],
        "faults": summary(played),
        "folder": str(folder),
    }
    return whole | ({"not_played": not_played} if not_played else {})
