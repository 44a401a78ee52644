"""Scenarios that are played live, judged, and counted.

The judges are the same as those of any trace. A promise counts for a run only if it is given under the fault conditions
of the run (`Promise.under`); all other properties are measured. The module also counts what a run costs its clients:
which acknowledged writes are gone, how long after the fault each of these was acknowledged, how many copies had been
confirmed, and how long a client went without an answer.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from gridproof_implementation.adapter import Adapter, AdapterError, FaultCondition, Options
from gridproof_implementation.live.agent_grid import AgentGrid
from gridproof_implementation.live.faults import LIVE_FAULTS_BY_NAME
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.events.fault_counts import RUN_STOPPED, FaultCounts, missed_faults
from gridproof_model.events.harness import AuditStopped, FaultMissed
from gridproof_model.trace import EventRecord, OperationKind, OperationRecord, Outcome, Record, RunRecord
from gridproof_properties.audits.conformance import promise_levels, with_batched_hash
from gridproof_properties.audits.live_run import FaultOutcome, play_live
from gridproof_properties.audits.promises import attributed, struck_in, with_own_word
from gridproof_properties.audits.recorder import Sink
from gridproof_properties.campaign.losses import Losses
from gridproof_properties.campaign.minimise import Progress, leave_out
from gridproof_properties.campaign.over_time import OverTime
from gridproof_properties.catalogue import CATALOGUE, get_property
from gridproof_properties.judging.panel import Panel, verdict_of
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict, is_blind
from gridproof_properties.judging.verdict_records import verdict_record
from gridproof_properties.judging.work import BUSY, Overlap, Work


@dataclass(slots=True)
class Cost:
    """What a run cost its clients."""

    outcomes: Counter[Outcome] = field(default_factory=Counter)
    work: Work = field(default_factory=Work)
    losses: Losses = field(default_factory=Losses)
    over_time: OverTime = field(default_factory=OverTime)
    overlap: Overlap = field(default_factory=Overlap)
    silent_ms: int = 0
    """The longest time that a client waited between two answers."""
    _answered: dict[int, int] = field(default_factory=dict)
    """For each client, when it last got an answer."""

    def observe(self, record: Record) -> None:
        """Read the next record of the run."""
        for fold in (self.losses, self.over_time, self.overlap, self.work):
            fold.observe(record)
        if isinstance(record, OperationRecord) and record.stage == BUSY:
            self._take(record)

    def _take(self, operation: OperationRecord) -> None:
        self.outcomes[operation.outcome] += 1
        if operation.outcome is Outcome.OK:
            before_ms = self._answered.get(operation.client, operation.end_ms)
            self.silent_ms = max(self.silent_ms, operation.end_ms - before_ms)
            self._answered[operation.client] = operation.end_ms


@dataclass(frozen=True, slots=True)
class PlayedRun:
    """A scenario that was played once, with the verdicts on it and its costs."""

    scenario: Scenario
    version: str
    verdicts: tuple[Verdict, ...]
    cost: Cost
    stopped: str | None
    """Why the run stopped early; None if it did not."""
    faults: FaultCounts = field(default_factory=FaultCounts)
    """How often each fault affected a member, or affected none, and why not."""
    under: tuple[FaultCondition, ...] = (FaultCondition.CALM,)
    """The fault conditions of the run, which its faults brought about."""
    withheld: tuple[str, ...] = ()
    """The properties that the system promises without faults, but not under the fault conditions of this run."""
    not_asked: tuple[str, ...] = ()
    """The properties that the system promises under these conditions, but that no client of a live run asks about."""
    trace: Path | None = None
    """The file with the records of the run."""

    @property
    def held(self) -> tuple[int, int]:
        """Return for how many promised properties anything was compared, and how many properties are promised in
        all."""
        promised = [one for one in self.verdicts if one.promise is PromiseLevel.PROMISED]
        compared = sum(not is_blind([one]) for one in promised)
        return compared, len({*self.withheld, *self.not_asked, *(one.property for one in promised)})

    @property
    def broken(self) -> tuple[str, ...]:
        """The broken properties that are promised under the fault conditions of the run."""
        return self._broken(promised=True)

    @property
    def measured(self) -> tuple[str, ...]:
        """The broken properties that are not promised under the run's fault conditions, or are documented to break."""
        return self._broken(promised=False)

    def _broken(self, *, promised: bool) -> tuple[str, ...]:
        found = (one for one in self.verdicts if one.result is Result.BROKEN)
        return tuple(one.property for one in found if (one.promise is PromiseLevel.PROMISED) == promised)


def describe_faults(scenario: Scenario) -> str:
    """Return the faults of a scenario, worded as a part of a sentence."""
    sentences = [f"at {s.at_ms} ms {LIVE_FAULTS_BY_NAME[s.fault].describe(s)}" for s in scenario.fault_events()]
    return "; ".join(sentences) or "no fault"


def play_and_judge(
    adapter: Adapter,
    options: Options,
    scenario: Scenario,
    sink: Sink | None = None,
    before_judging: Callable[[], None] = lambda: None,
) -> PlayedRun:
    """Play a scenario once and judge it; every record goes to `sink`, and after the records the verdicts.

    Raise AdapterError if the system cannot be opened at all, or if it has no agents.
    """
    calm, levels = _levels(adapter, options, scenario, (FaultCondition.CALM,)), dict[str, PromiseLevel]()
    panel = Panel([with_batched_hash(prop) for prop in CATALOGUE], levels, admits=adapter.admits)
    outcomes: list[FaultOutcome] = []
    cost, heads, last_ms = Cost(), list[RunRecord](), [0]

    def keep(record: Record) -> None:
        if isinstance(record, RunRecord):
            heads.append(record)
        last_ms[0] = max(last_ms[0], getattr(record, "at_ms", 0))
        panel.observe(record)
        cost.observe(record)
        if sink is not None:
            sink(record)

    take, stopped = with_own_word(adapter, keep), None
    try:
        with adapter.open(options) as grid:
            if not isinstance(grid, AgentGrid):
                raise AdapterError(f"{adapter.name} has no agents to play a scenario; name another system")
            play_live(scenario, grid, adapter, options, take, outcomes)
    except AdapterError as error:
        if not heads:
            raise
        stopped = str(error)
        take(EventRecord(heads[0].run, last_ms[0], None, AuditStopped(stopped)))
        reached = [fault_event for fault_event, _ in outcomes]
        outcomes.extend((one, RUN_STOPPED) for one in scenario.fault_events() if one not in reached)
    faults = FaultCounts((fault_event.fault, why) for fault_event, why in outcomes)
    for name, why in missed_faults(faults, {fault_event.fault for fault_event, _ in outcomes}).items():
        take(EventRecord(heads[0].run, last_ms[0], None, FaultMissed(name, why)))
    before_judging()
    # What is promised depends on the recorded faults, so that an audit of the trace holds the run to the same promises.
    under = tuple(sorted(struck_in(panel.conditions.fault_spans, scenario.backups.total)))
    levels |= _levels(adapter, options, scenario, under)
    withheld = tuple(name for name, level in calm.items() if level is PromiseLevel.PROMISED and name not in levels)
    verdicts, not_asked = _as_asked(attributed(adapter.promises, _held_in_calm(panel, withheld)))
    for verdict in verdicts if sink is not None and heads else ():
        assert sink is not None
        sink(verdict_record(heads[0].run, verdict))
    version = heads[0].version if heads else ""
    return PlayedRun(scenario, version, verdicts, cost, stopped, faults, under, withheld, not_asked)


def _held_in_calm(panel: Panel, withheld: Sequence[str]) -> tuple[Verdict, ...]:
    """Return the verdicts; a promise withheld because of faults is judged by what failed while no fault was in
    effect."""
    verdicts = panel.conclude()
    calm = {name: found for name, found in panel.broken_in_calm().items() if name in withheld}
    broken = {name: verdict_of(get_property(name), found, PromiseLevel.PROMISED, ()) for name, found in calm.items()}
    return tuple(replace(broken.get(one.property, one), out_of_scope=one.out_of_scope) for one in verdicts)


def _as_asked(verdicts: Sequence[Verdict]) -> tuple[tuple[Verdict, ...], tuple[str, ...]]:
    """Return the verdicts, and the names left out: promises that live runs do not ask about and never compared."""
    known = {prop.name: prop.asked_by for prop in CATALOGUE}
    names = tuple(
        one.property
        for one in verdicts
        if one.promise is PromiseLevel.PROMISED and is_blind([one]) and not known[one.property].is_of_live_runs
    )
    return tuple(replace(one, promise=PromiseLevel.NONE) if one.property in names else one for one in verdicts), names


def _levels(
    adapter: Adapter, options: Options, scenario: Scenario, under: Sequence[FaultCondition]
) -> dict[str, PromiseLevel]:
    """Return what the system promises, under fault conditions, to clients that ask for the operations of a scenario."""
    asked = {one.kind for script in scenario.scripts for one in script.client_operations}
    return promise_levels(adapter, options, under=under, asked=asked | {OperationKind.READ, OperationKind.READ_REPLICA})


def repeated(runs: Sequence[PlayedRun]) -> dict[str, int]:
    """Return, for each promised property, how many of these runs of one scenario broke it."""
    return dict(Counter(name for run in runs for name in run.broken))


@dataclass(frozen=True, slots=True)
class MadeSmall:
    """A scenario from which parts were left out, and that still breaks the same promise."""

    scenario: Scenario
    promise: str
    """The property that the runs of the scenario break."""
    broken: int
    """In how many of the scenario's final repetitions the property was broken."""
    played: int
    file: Path | None = None
    """The file to which the scenario was written."""


def made_small(
    runs: Sequence[PlayedRun], tries: int, play: Callable[[Scenario], PlayedRun], progress: Progress | None = None
) -> MadeSmall | None:
    """Leave out faults and operations of a scenario, as long as it still breaks the promise that its runs broke most
    often.

    `runs` are the repetitions of the scenario, at least one of which broke a promise. A smaller scenario is played at
    most as many times as there are `runs`, and is accepted if it breaks the promise in half of that number, rounded up:
    what real members do differs from one time to the next. Return None if nothing could be left out.
    """
    counts = repeated(runs)
    promise = max(sorted(counts), key=lambda name: counts[name])
    wanted = -(-len(runs) // 2)

    def breaks(candidate: Scenario) -> bool:
        broken = 0
        for left in range(len(runs), 0, -1):
            if broken + left < wanted:
                return False
            broken += promise in play(candidate).broken
            if broken == wanted:
                return True
        return False

    whole = runs[0].scenario
    small = leave_out(whole, breaks, tries, progress)
    if small == whole:
        return None
    broken = sum(promise in play(small).broken for _ in runs)
    return MadeSmall(small, promise, broken, len(runs))
