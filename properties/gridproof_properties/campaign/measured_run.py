"""One run, simulated, judged and measured."""

from dataclasses import dataclass

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.scenario import Scenario
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.measures.quantity import Measured
from gridproof_properties.measures.run_meter import RunMeter


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
