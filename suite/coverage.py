"""The share of a small world's shapes and steps that simulated runs have met.

The number of all shapes and steps is exact: every state of a small world of `replication` is visited, and its shapes
and steps are counted. The shape of a state describes one backup, and uses differences of versions instead of versions,
so that runs of any size can be compared with it. Besides the shapes of states, steps are counted: which action, in
which phase, during which fault.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from typing import NamedTuple

from gridproof_implementation.simulator.draw import draw_scenario, draw_scripts
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.faults import FAULTS, FAULTS_BY_NAME
from gridproof_implementation.simulator.run import simulate
from gridproof_implementation.simulator.scenario import Scenario, Script
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.language import Plain, Specification, State
from gridproof_model.language.run import Event, Runner
from gridproof_model.specifications.invocation import specification as invocation
from gridproof_model.specifications.ownership import specification as ownership
from gridproof_model.specifications.replication import ANY_TABLES, specification
from gridproof_model.specifications.snapshot import specification as snapshot
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.refinement import EVENTS_READ
from gridproof_properties.refinement.invocation import CallsJudge
from gridproof_properties.refinement.ownership import OwnershipJudge
from gridproof_properties.refinement.replication import ReplicationJudge
from gridproof_properties.refinement.snapshot import SnapshotJudge
from gridproof_properties.validation.engine import Onlooker

FARTHEST = 2
"""Versions that are further apart than this give the same shape."""
MAIL_SEEN = 2
"""How many of the oldest messages in each mail belong to the shape of a state."""
NO_FAULT = "none"
SMALL: dict[str, Plain] = {**ANY_TABLES, "members": 2, "backups": 1, "writes": 1, "watched_write": 0, "losses": 0}
"""The constants of the small world, if they differ from their defaults."""


class Phase(StrEnum):
    """In which phase the partition is when a step is taken."""

    CALM = "calm"
    UNDER_WAY = "messages under way"
    BEHIND = "a backup is dirty or asks"
    HOLE = "a slot is empty"
    DISAGREEING = "rows differ"


class Primary(StrEnum):
    """How a backup stands to the primary that it knows."""

    AGREES = "that agrees"
    DISAGREES = "that has another row"
    ENDED = "that has ended"
    NOBODY = "nobody"


class Shape(NamedTuple):
    """What a state says about one backup and the primary that it knows."""

    primary: Primary
    behind: int | None
    """By how many versions the backup is behind the primary; None if it knows no primary."""
    is_dirty: bool
    is_syncing: bool
    is_migrating: bool
    mail: tuple[str, ...]

    def __str__(self) -> str:
        """Return the shape in words."""
        behind = "" if self.behind is None else f", {self.behind} behind"
        marks = {"dirty": self.is_dirty, "syncing": self.is_syncing, "migrating": self.is_migrating}
        shown = "".join(f", {word}" for word, is_so in marks.items() if is_so)
        mail = ", ".join(self.mail) or "nothing"
        return f"backup of a primary {self.primary}{behind}{shown}; in its mail: {mail}"


Taken = tuple[str, Phase]


@dataclass(slots=True)
class Coverage:
    """Which steps and actions the runs so far have met, and which shapes: how backups stood to their primaries."""

    shapes: set[Shape] = field(default_factory=set)
    taken: set[tuple[str, Phase, str]] = field(default_factory=set)
    """The steps that were met, each as an action, a phase and a fault."""
    acted: set[tuple[str, str, str]] = field(default_factory=set)
    """The actions that were met, of specifications without phases, each as specification, action and fault."""
    steps: int = 0

    def join(self, other: "Coverage") -> None:
        """Add what other runs have met."""
        self.shapes |= other.shapes
        self.taken |= other.taken
        self.acted |= other.acted
        self.steps += other.steps

    def saw(self, before: State, event: Event, after: State, faults: tuple[str, ...]) -> None:
        """Count a step, together with the active faults."""
        self.steps += 1
        self.shapes.update(shapes_of(after))
        phase = phase_of(before)
        self.taken.update((event.action, phase, fault) for fault in faults or (NO_FAULT,))

    def acts(self, specification: str, action: str, faults: tuple[str, ...]) -> None:
        """Count an action of another specification, together with the active faults."""
        self.acted.update((specification, action, fault) for fault in faults or (NO_FAULT,))


@dataclass(frozen=True, slots=True)
class Denominator:
    """All shapes and steps of a small world."""

    title: str
    states: int
    shapes: frozenset[Shape]
    taken: frozenset[Taken]


@cache
def denominator() -> Denominator:
    """Return all shapes and steps of the small world; this explores the world, which takes some seconds."""
    return denominator_of(Runner(specification.world(**SMALL)))


def denominator_of(runner: Runner) -> Denominator:
    """Return all shapes and steps of a world."""
    seen = set(runner.initial_states())
    todo, taken = list(seen), set[Taken]()
    shapes = {shape for state in seen for shape in shapes_of(state)}
    while todo:
        state = todo.pop()
        for event in runner.events(state):
            taken.add((event.action, phase_of(state)))
            after = runner.step(state, event)
            if after not in seen:
                seen.add(after)
                todo.append(after)
                shapes.update(shapes_of(after))
    return Denominator(runner.world.title, len(seen), frozenset(shapes), frozenset(taken))


def shapes_of(state: State) -> Iterator[Shape]:
    """Yield the shape of each member that is in a backup slot in its own row."""
    for member, row in enumerate(state["row"]):
        if member in row[1:] and not state["ended"][member]:
            yield _shape(state, member, row.index(member))


def _shape(state: State, member: int, slot: int) -> Shape:
    replica, primary, backup = state["replica"][member], state["row"][member][0], slot - 1
    own = replica.versions[backup]
    return Shape(
        _standing(state, member, slot),
        None if primary is None else _near(state["replica"][primary].versions[backup] - own),
        replica.is_dirty,
        _is_syncing(state, member),
        state["migrating"][member],
        tuple(_describe(message, backup, own) for message in state["mail"][member][:MAIL_SEEN]),
    )


def _standing(state: State, member: int, slot: int) -> Primary:
    primary = state["row"][member][0]
    if primary is None:
        return Primary.NOBODY
    if state["ended"][primary]:
        return Primary.ENDED
    row = state["row"][primary]
    return Primary.AGREES if row[0] == primary and row[slot] == member else Primary.DISAGREES


def phase_of(state: State) -> Phase:
    """Return the phase of the partition in this state."""
    alive = [member for member, has_ended in enumerate(state["ended"]) if not has_ended]
    rows = [state["row"][member] for member in alive if member in state["row"][member]]
    if any(row != rows[0] for row in rows):
        return Phase.DISAGREEING
    if any(holder is None for row in rows for holder in row):
        return Phase.HOLE
    if any(state["replica"][member].is_dirty or _is_syncing(state, member) for member in alive):
        return Phase.BEHIND
    return Phase.UNDER_WAY if any(state["mail"][member] for member in alive) else Phase.CALM


def _is_syncing(state: State, member: int) -> bool:
    return any(target is not None for target in state["asked"][member])


def _describe(message: Plain, backup: int, own: int) -> str:
    if message.backup != backup:
        return f"{message.kind.value} for another slot"
    return f"{message.kind.value} {_near(message.versions[backup] - own):+}"


def _near(difference: int) -> int:
    return max(-FARTHEST, min(FARTHEST, difference))


BY_ACTION = (ownership, invocation, snapshot)
"""The specifications for which only those actions are counted that were met."""
SHOWN = 12
"""How many of the shapes that were never met are shown at most."""


class Covering:
    """Observes one run, together with the faults that are active."""

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
        """Read the next record."""
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
    """Return the coverage of the runs of some seeds; the runs are simulated for this."""
    coverage = Coverage()
    for seed in seeds:
        scenario = draw_scenario(seed, draw_options)
        scripts: list[Script] = list(scenario.scripts) or list(draw_scripts(scenario, draw_options))
        scenario = scenario.with_scripts(tuple(scripts))
        simulate(scenario, Covering(coverage, scenario).observe, recorded=EVENTS_READ)
    return coverage


def report(coverage: Coverage, has: Denominator) -> Iterator[str]:
    """Yield lines that say how much was met, and which shapes and steps never were."""
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
    for one in BY_ACTION:
        yield from _actions_met(coverage, one, len(faults))


def _actions_met(coverage: Coverage, specification: Specification, faults: int) -> Iterator[str]:
    """Yield lines on the actions of a specification that were met; small worlds show that each action is reachable."""
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
