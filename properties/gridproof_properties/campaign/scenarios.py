"""Simulated runs, judged.

Simulates a run and judges it record by record, in memory that does not grow with the length of the run. The judges are
the same as for any trace, and see the same records: judging the trace of the run gives the same verdicts. A run can
also be measured.
"""

import traceback
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.run import Redraw, RunEnd, simulate
from gridproof_implementation.simulator.scenario import Scenario, Script
from gridproof_implementation.simulator.work_limit import EndlessWork
from gridproof_implementation.trace import TraceError
from gridproof_model.events import Event
from gridproof_model.events.fault_counts import missed_faults
from gridproof_model.events.harness import AuditStopped, FaultMissed, MemberFailed, RunEnded
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.audits.promises import promised_by_the_reference
from gridproof_properties.catalogue import CATALOGUE, STEPS_READ
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result, Verdict
from gridproof_properties.judging.verdict_records import verdict_record
from gridproof_properties.judging.work import Work
from gridproof_properties.measures.quantity import Measured
from gridproof_properties.measures.run_meter import RunMeter

if TYPE_CHECKING:  # most runs are not measured
    from gridproof_properties.measures.run_meter import RunMeter

Sink = Callable[[Record], None]


STEPS_EVERY = 8
"""One seed in this many is compared with the specifications, step by step; this takes some 1.4 times as long as the run
itself (`benchmarks/trace_validation.py`)."""


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """One simulated run with the verdicts on it."""

    scenario: Scenario
    end: RunEnd
    verdicts: tuple[Verdict, ...]
    """One verdict per property, in the order of the catalogue."""
    is_idle: bool = False
    """Whether changes were asked for, and none was acknowledged."""

    @property
    def broken(self) -> tuple[Verdict, ...]:
        """The verdicts on promised properties that are broken."""
        return tuple(v for v in self.verdicts if v.result is Result.BROKEN and v.promise is PromiseLevel.PROMISED)

    @property
    def failed_judges(self) -> tuple[Verdict, ...]:
        """The verdicts of judges that raised an error; each counts as unknown."""
        return tuple(v for v in self.verdicts if v.reason is Reason.JUDGE_FAILED)


def judge_scenario(
    scenario: Scenario,
    sink: Sink | None = None,
    scripts: Iterable[Script] | None = None,
    refined: bool | None = None,
    meter: "RunMeter | None" = None,
    redraw: Redraw | None = None,
    asked: Collection[str] = (),
    *,
    is_interruptible: bool = False,
    properties: Sequence[Property] = CATALOGUE,
) -> JudgedRun:
    """Simulate a scenario and judge it by these properties; records go to `sink`, and after them the verdicts.

    `refined` says whether the steps of the protocol are recorded and judged as well; by default, one seed in
    `STEPS_EVERY` is judged so. A `meter` is shown what the judges are shown, and all messages. From the moment of a
    `redraw` on, the run uses random numbers of the redraw's own seed. Those faults that the user `asked` for and that
    affected no member are recorded. If the run `is_interruptible`, a KeyboardInterrupt ends it, and everything that is
    not broken by then is unknown.
    """
    if refined is None:
        refined = scenario.seed % STEPS_EVERY == 0
    recorded = (STEPS_READ if sink is None else None) if refined else frozenset[type[TraceEvent]]()
    watch = _Watch(Panel(properties, promised_by_the_reference(grouped=scenario.zones > 0)), sink, meter)
    try:
        traffic = None if meter is None else meter.traffic
        redraws = () if redraw is None else (redraw,)
        end = simulate(scenario, watch.take, scripts, recorded=recorded, meter=traffic, redraws=redraws)
        for fault, why in missed_faults(end.faults, asked).items():
            watch.record(FaultMissed(fault, why))
        watch.record(RunEnded(end.events))
    except EndlessWork as endless:
        end = RunEnd(watch.name, 0, 0, 0, str(endless))
        watch.record(MemberFailed(str(endless)))
    except KeyboardInterrupt:
        if not is_interruptible:
            raise
        end = RunEnd(watch.name, 0, 0, 0, "interrupted")
        watch.record(AuditStopped("interrupted"))
    except TraceError:  # raised by the sink, for instance as the disk is full
        raise
    except Exception as error:  # a failing member is a finding like any other, and the next run goes on
        end = RunEnd(watch.name, 0, 0, 0, "a member failed")
        watch.record(MemberFailed(_place_of(error)))
    verdicts = watch.panel.conclude()
    if sink is not None:
        for verdict in verdicts:
            sink(verdict_record(watch.name, verdict))
    return JudgedRun(scenario, end, verdicts, watch.work.is_idle)


def _place_of(error: Exception) -> str:
    """Return an error's message, where it was raised, and which member was handling which input, if one was."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{Path(place.filename).stem}.{place.name}"
    return " ".join((f"{error!r} was raised in {where}", *getattr(error, "__notes__", ())))


@dataclass(slots=True)
class _Watch:
    """Shows each record of a run to the judges and to the sink."""

    panel: Panel
    sink: Sink | None
    meter: "RunMeter | None" = None
    work: Work = field(default_factory=Work)
    name: str = ""
    at_ms: int = 0

    def take(self, record: Record) -> None:
        """Show one record."""
        self.name = record.run
        self.at_ms = getattr(record, "at_ms", self.at_ms)
        if self.sink is not None:
            self.sink(record)
        if self.meter is not None:
            self.meter.observe(record)
        self.work.observe(record)
        self.panel.observe(record)

    def record(self, event: Event) -> None:
        """Show an event that the campaign itself records."""
        self.take(EventRecord(self.name, self.at_ms, None, event))


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run with the verdicts on it and its measurements."""

    judged: JudgedRun
    measured: Measured


def measure_scenario(scenario: Scenario, refined: bool | None = None) -> MeasuredRun:
    """Simulate a scenario, judge it as `judge_scenario` does, and measure it."""
    meter = RunMeter()
    judged = judge_scenario(scenario, refined=refined, meter=meter)
    return MeasuredRun(judged, meter.conclude())


def measure_seed(seed: int, draw_options: DrawOptions, refined: bool | None = None) -> MeasuredRun:
    """Simulate, judge and measure the run that a seed draws with these options."""
    return measure_scenario(draw_scenario(seed, draw_options), refined)
