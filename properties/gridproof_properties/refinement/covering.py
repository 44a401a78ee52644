"""Simulated runs, followed for what they meet."""

from collections import Counter
from collections.abc import Iterable, Iterator

from gridproof_implementation.simulator.draw import Wishes, draw_scenario, draw_scripts
from gridproof_implementation.simulator.faults import FAULTS, FAULTS_BY_NAME
from gridproof_implementation.simulator.run import HEALED, STRUCK, simulate
from gridproof_implementation.simulator.scenario import Scenario, Script
from gridproof_model.spec import State
from gridproof_model.spec.run import Event
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.refinement.coverage import NO_FAULT, Coverage, Denominator, Phase
from gridproof_properties.refinement.replication.judge import NOTES, ReplicationJudge

SHOWN = 12
"""Shapes that were never met, of those that are shown."""


class Covering:
    """Follows one run, and knows which faults are at work."""

    def __init__(self, coverage: Coverage, scenario: Scenario) -> None:
        self._coverage = coverage
        self._names = {FAULTS_BY_NAME[strike.fault].tell(strike): strike.fault for strike in scenario.strikes()}
        self._faults: Counter[str] = Counter()
        self._judge = ReplicationJudge(self._saw)

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, EventRecord) and record.name in (STRUCK, HEALED):
            self._faults[self._names.get(record.detail, record.detail)] += 1 if record.name == STRUCK else -1
        else:
            self._judge.observe(record)

    def _saw(self, before: State, event: Event, after: State) -> None:
        self._coverage.saw(before, event, after, tuple(sorted(fault for fault, count in self._faults.items() if count)))


def cover_seeds(seeds: Iterable[int], wishes: Wishes) -> Coverage:
    """Return what the runs of some seeds have met, each simulated once more for it."""
    coverage = Coverage()
    for seed in seeds:
        scenario = draw_scenario(seed, wishes)
        scripts: list[Script] = list(scenario.scripts) or list(draw_scripts(scenario, wishes))
        scenario = scenario.with_scripts(tuple(scripts))
        simulate(scenario, Covering(coverage, scenario).observe, told=NOTES)
    return coverage


def report(coverage: Coverage, has: Denominator) -> Iterator[str]:
    """Yield what was met of what there is, and what was never met, a line each."""
    met = coverage.shapes & has.shapes
    yield f"{has.title}: {has.states:,} states, which have {len(has.shapes):,} shapes"
    yield f"shapes met in {coverage.steps:,} steps: {_share(len(met), len(has.shapes))}"
    yield f"shapes met that only larger worlds have: {len(coverage.shapes - has.shapes):,}"
    faults = (NO_FAULT, *(fault.name for fault in FAULTS))
    possible = {(action, phase, fault) for action, phase in has.taken for fault in faults}
    taken = coverage.taken & possible
    yield f"combinations of action, phase and fault met: {_share(len(taken), len(possible))}"
    yield from _never_taken(coverage, has)
    for shape in sorted(map(str, has.shapes - met))[:SHOWN]:
        yield f"never met: {shape}"
    if len(has.shapes - met) > SHOWN:
        yield f"and {len(has.shapes - met) - SHOWN:,} more shapes"


def _never_taken(coverage: Coverage, has: Denominator) -> Iterator[str]:
    taken = {(action, phase) for action, phase, _ in coverage.taken}
    by_action: dict[str, list[Phase]] = {}
    for action, phase in sorted(has.taken - taken):
        by_action.setdefault(action, []).append(phase)
    for action, phases in by_action.items():
        yield f"never met: {action} when {' or when '.join(phases)}"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.0%})"
