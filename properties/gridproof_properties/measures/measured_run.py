"""One run, simulated, judged and measured."""

from dataclasses import dataclass, field

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_model.trace import OperationRecord, Record
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.measures import staleness, writes
from gridproof_properties.measures.history import History
from gridproof_properties.measures.outages import Outages
from gridproof_properties.measures.quantity import Measured
from gridproof_properties.measures.redundancy import Redundancy
from gridproof_properties.measures.traffic import Traffic


@dataclass(slots=True)
class RunMeter:
    """Measures one run by all quantities; keeps its history."""

    traffic: Traffic = field(default_factory=Traffic)
    _history: History = field(default_factory=History)
    _outages: Outages = field(default_factory=Outages)
    _redundancy: Redundancy = field(default_factory=Redundancy)

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        self._outages.observe(record)
        if isinstance(record, OperationRecord):
            self._history.observe(record)
        else:
            self._redundancy.observe(record)

    def conclude(self) -> Measured:
        """Return what was measured, by the names of `QUANTITIES`."""
        return {
            **writes.measure(self._history),
            **staleness.measure(self._history),
            **self.traffic.conclude(),
            **self._outages.conclude(),
            **self._redundancy.conclude(),
        }


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """One run, what was found and what was measured."""

    judged: JudgedRun
    measured: Measured


def measure_scenario(scenario: Scenario, refined: bool | None = None) -> MeasuredRun:
    """Simulate a scenario, judge it as `judge_scenario` does, and measure it."""
    meter = RunMeter()
    judged = judge_scenario(scenario, refined=refined, meter=meter)
    return MeasuredRun(judged, meter.conclude())


def measure_seed(seed: int, draw_options: DrawOptions, refined: bool | None = None) -> MeasuredRun:
    """Simulate, judge and measure what a seed draws with these options."""
    return measure_scenario(draw_scenario(seed, draw_options), refined)
