"""What simulated runs meet of the specifications."""

from collections import Counter
from collections.abc import Iterable, Iterator

from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.faults import FAULTS, FAULTS_BY_NAME
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import Scenario, Script
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.language import Specification, State
from gridproof_model.language.run import Event
from gridproof_model.specifications.invocation import specification as invocation
from gridproof_model.specifications.ownership import specification as ownership
from gridproof_model.specifications.snapshot import specification as snapshot
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.refinement import EVENTS_READ
from gridproof_properties.refinement.invocation import CallsJudge
from gridproof_properties.refinement.ownership import OwnershipJudge
from gridproof_properties.refinement.replication import ReplicationJudge
from gridproof_properties.refinement.snapshot import SnapshotJudge
from gridproof_properties.validation.engine import Onlooker
from suite.coverage.met import NO_FAULT, Coverage, Denominator, Phase

BY_ACTION = (ownership, invocation, snapshot)
"""Specifications of which it is counted which actions were met."""
SHOWN = 12
"""Shapes that were never met, of those that are shown."""


class Covering:
    """Observes one run, and knows which faults are at work."""

    def __init__(self, coverage: Coverage, scenario: Scenario) -> None:
        self._coverage = coverage
        self._names = {
            FAULTS_BY_NAME[fault_event.fault].describe(fault_event): fault_event.fault
            for fault_event in scenario.fault_events()
        }
        self._faults: Counter[str] = Counter()
        self._judges = (
            ReplicationJudge().shown_to(self._saw),
            OwnershipJudge().shown_to(self._acted(ownership)),
            CallsJudge().shown_to(self._acted(invocation)),
            SnapshotJudge().shown_to(self._acted(snapshot)),
        )

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case EventRecord(event=FaultBegun(words=words)):
                self._faults[self._names.get(words, words)] += 1
            case EventRecord(event=FaultEnded(words=words)):
                self._faults[self._names.get(words, words)] -= 1
            case _:
                for judge in self._judges:
                    judge.observe(record)

    def _saw(self, before: State, event: Event, after: State) -> None:
        self._coverage.saw(before, event, after, self._at_work())

    def _acted(self, specification: Specification) -> Onlooker:
        return lambda before, event, after: self._coverage.acts(specification.name, event.action, self._at_work())

    def _at_work(self) -> tuple[str, ...]:
        return tuple(sorted(fault for fault, count in self._faults.items() if count))


def cover_seeds(seeds: Iterable[int], draw_options: DrawOptions) -> Coverage:
    """Return what the runs of some seeds have met, each simulated once more for it."""
    coverage = Coverage()
    for seed in seeds:
        scenario = draw_scenario(seed, draw_options)
        scripts: list[Script] = list(scenario.scripts) or list(draw_scripts(scenario, draw_options))
        scenario = scenario.with_scripts(tuple(scripts))
        simulate(scenario, Covering(coverage, scenario).observe, recorded=EVENTS_READ)
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
    for specification in BY_ACTION:
        yield from _actions_met(coverage, specification, len(faults))


def _actions_met(coverage: Coverage, specification: Specification, faults: int) -> Iterator[str]:
    """Yield which actions of a specification were met; each is reachable, as its small worlds show."""
    actions = {action.name for action in specification.actions}
    acted = {(action, fault) for name, action, fault in coverage.acted if name == specification.name}
    met = {action for action, _ in acted}
    yield f"{specification.name}: actions met: {_share(len(met), len(actions))}"
    yield f"{specification.name}: combinations of action and fault met: {_share(len(acted), len(actions) * faults)}"
    yield from (f"{specification.name}: never met: {action}" for action in sorted(actions - met))


def _never_taken(coverage: Coverage, has: Denominator) -> Iterator[str]:
    taken = {(action, phase) for action, phase, _ in coverage.taken}
    by_action: dict[str, list[Phase]] = {}
    for action, phase in sorted(has.taken - taken):
        by_action.setdefault(action, []).append(phase)
    for action, phases in by_action.items():
        yield f"never met: {action} when {' or when '.join(phases)}"


def _share(part: int, whole: int) -> str:
    return f"{part:,} of {whole:,} ({part / whole:.0%})"
