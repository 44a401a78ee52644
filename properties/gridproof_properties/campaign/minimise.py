"""Makes a failing scenario small.

The search tries one simpler scenario after another and keeps each that still fails in the same way: with fewer scripts,
faults, operations, members, backups, partitions, properties and clients; then with shorter pauses and with earlier and
shorter faults. What is tried depends only on the scenario, so the same failing scenario always becomes the same small
one. The number of tries is limited, and the result is small, but not always the smallest.
"""

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from gridproof_implementation.simulator.run import Redraw
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario
from gridproof_implementation.simulator.work_limit import patience
from gridproof_implementation.simulator.workloads import TOGETHER, WORKLOADS
from gridproof_model.trace import OperationKind
from gridproof_properties.campaign.scenarios import JudgedRun, judge_scenario
from gridproof_properties.catalogue import STEP_JUDGED, get_property

TRIES_MAX = 400
LATE_US = 1_000
"""A fault's amount above this is a number of microseconds by which messages are late, or members slow."""
_SECOND = re.compile(r"\.\d+(?=-|$| )")
"""The number of a structure in a key; keys have such a number if there are several structures of one kind."""
PATIENCE_S = 1.0
"""The time limit for one input of a member: if an input never returns, each of many tries takes this long."""

Item = TypeVar("Item")
Fails = Callable[[Scenario], bool]
Progress = Callable[[str, int, int | None], None]


def fails_with(name: str) -> Fails:
    """Return a function that tests whether a scenario breaks the promised property with this name."""
    return lambda scenario: bool(judge_by_one(name, scenario).broken)


def judge_by_one(name: str, scenario: Scenario, redraw: Redraw | None = None) -> JudgedRun:
    """Play one of many runs, and judge it by the property with this name alone: all judges take half of the time."""
    prop = get_property(name)
    with patience(PATIENCE_S):
        return judge_scenario(scenario, refined=prop in STEP_JUDGED, redraw=redraw, properties=(prop,))


def minimise(scenario: Scenario, fails: Fails, tries: int = TRIES_MAX, progress: Progress | None = None) -> Scenario:
    """Return a smaller scenario that fails, too; the given scenario must fail, and must contain its scripts."""
    search = _Search(scenario, fails, tries, progress)
    while search.pass_over():
        pass
    return search.best


def leave_out(scenario: Scenario, fails: Fails, tries: int, progress: Progress | None = None) -> Scenario:
    """Return a scenario that fails, too, with fewer faults and operations, and with everything else unchanged.

    This function is for scenarios that real members play: with fewer members or backups it would be another system,
    with other promises, and each try takes its time in full.
    """
    search = _Search(scenario, fails, tries, progress)
    while search.leave_out():
        pass
    return search.best


@dataclass(slots=True)
class _Search:
    best: Scenario
    fails: Fails
    tries: int
    progress: Progress | None
    tried: int = 0

    def pass_over(self) -> bool:
        """Try every kind of simplification once; return whether one of them made the scenario simpler."""
        before = self.best
        self._shrink_tuple(lambda s: s.scripts, lambda s, scripts: s.with_scripts(scripts))
        self.leave_out()
        for candidates in (
            _smaller_grids,
            _plainer_settings,
            _fewer_workloads,
            _fewer_clients,
            _plainer_client_operations,
            _shorter_pauses,
            _milder_fault_events,
        ):
            self._descend(candidates)
        return self.best != before and self.tried < self.tries

    def leave_out(self) -> bool:
        """Leave out faults and operations of each script; return whether any of these could be left out."""
        before = self.best
        for number in range(len(self.best.scripts)):
            for part in ("fault_events", "client_operations"):
                self._shrink_tuple(*_part_of(number, part))
        return self.best != before and self.tried < self.tries

    def _descend(self, candidates: Callable[[Scenario], Iterator[Scenario]]) -> None:
        """Take the first simpler scenario that fails, and begin again with it, until none fails."""
        while (found := next((c for c in candidates(self.best) if self._still_fails(c)), None)) is not None:
            self.best = found

    def _shrink_tuple(
        self, get: Callable[[Scenario], tuple[Item, ...]], put: Callable[[Scenario, tuple[Item, ...]], Scenario]
    ) -> None:
        """Leave out one half after the other, then quarters, and so on down to single items."""
        size = len(get(self.best))
        while size >= 1:
            start = 0
            while start < len(get(self.best)):
                items = get(self.best)
                candidate = put(self.best, items[:start] + items[start + size :])
                if self._still_fails(candidate):
                    self.best = candidate
                else:
                    start += size
            size //= 2

    def _still_fails(self, candidate: Scenario) -> bool:
        """Return whether a simpler scenario still fails."""
        if candidate == self.best or self.tried >= self.tries:
            return False
        self.tried += 1
        if self.progress is not None:
            self.progress("making it smaller", self.tried, self.tries)
        return self.fails(candidate)


def _part_of(number: int, part: str) -> tuple[Callable[[Scenario], Any], Callable[[Scenario, Any], Scenario]]:
    """Return a function that gets a field of one script, by its name, and a function that puts another value there."""
    return (
        lambda scenario: getattr(scenario.scripts[number], part),
        lambda scenario, value: _with_script(scenario, number, **{part: value}),
    )


def _with_script(scenario: Scenario, number: int, **changes: Any) -> Scenario:
    changed = replace(scenario.scripts[number], **changes)
    return scenario.with_scripts((*scenario.scripts[:number], changed, *scenario.scripts[number + 1 :]))


def _smaller_grids(scenario: Scenario) -> Iterator[Scenario]:
    """Yield scenarios with fewer members (without faults at removed members), fewer backups, or fewer partitions."""
    if scenario.members > 1:
        last = scenario.members - 1
        scripts = tuple(
            replace(
                script,
                fault_events=tuple(
                    fault_event for fault_event in script.fault_events if last not in fault_event.address_indices
                ),
            )
            for script in scenario.scripts
        )
        lite = tuple(address_index for address_index in scenario.lite if address_index != last)
        yield replace(scenario, members=last, lite=lite, scripts=scripts)
    if scenario.async_backups:
        yield replace(scenario, async_backups=scenario.async_backups - 1)
    if scenario.sync_backups:
        yield replace(scenario, sync_backups=scenario.sync_backups - 1)
    if scenario.partition_count > 1:
        yield replace(scenario, partition_count=1)
        yield replace(scenario, partition_count=scenario.partition_count // 2)


def _plainer_settings(scenario: Scenario) -> Iterator[Scenario]:
    """Yield scenarios without job, without groups, with the simplest groups, without lite members, or with one property
    less."""
    if scenario.job is not None:
        yield replace(scenario, job=None)
    plain = Scenario(scenario.seed)
    if scenario.zones:
        yield replace(scenario, zones=0)
    yield replace(scenario, grouping=plain.grouping)
    yield replace(scenario, merge_policy=plain.merge_policy)
    yield replace(scenario, quorum=0)
    yield replace(scenario, arranged=True)
    yield replace(scenario, latency="")
    yield replace(scenario, placement=plain.placement)
    yield replace(scenario, lasting_ms=0)
    yield replace(scenario, away=None)
    for address_index in scenario.lite:
        yield replace(scenario, lite=tuple(other for other in scenario.lite if other != address_index))
    for name, _ in scenario.properties:
        yield replace(scenario, properties=tuple(pair for pair in scenario.properties if pair[0] != name))


def _fewer_workloads(scenario: Scenario) -> Iterator[Scenario]:
    """Yield a scenario with only those workloads that clients still use."""
    used = {client_operation.use for script in scenario.scripts for client_operation in script.client_operations}
    names = [workload.name for workload in WORKLOADS if workload.name in used]
    if names:
        yield replace(scenario, workload=TOGETHER.join(names))


def _plainer_client_operations(scenario: Scenario) -> Iterator[Scenario]:
    """Yield scenarios with one structure of each kind, with reads from the primary only, or in which only used keys are
    destroyed."""
    yield _change_client_operations(
        scenario, lambda client_operation: replace(client_operation, key=_SECOND.sub("", client_operation.key))
    )
    yield _change_client_operations(scenario, _read_from_primary)
    used = {
        key
        for script in scenario.scripts
        for client_operation in script.client_operations
        if client_operation.kind is not OperationKind.DESTROY
        for key in client_operation.keys
    }
    yield _change_client_operations(scenario, lambda client_operation: _end_of(client_operation, used))


def _read_from_primary(client_operation: ClientOperation) -> ClientOperation:
    return (
        replace(client_operation, kind=OperationKind.READ)
        if client_operation.kind is OperationKind.READ_BACKUP
        else client_operation
    )


def _end_of(client_operation: ClientOperation, used: Collection[str]) -> ClientOperation:
    """Destroy a structure for its used keys only, or for its first key; return any other operation unchanged."""
    if client_operation.kind is not OperationKind.DESTROY:
        return client_operation
    keys = [key for key in client_operation.keys if key in used] or client_operation.keys[:1]
    return replace(client_operation, key=" ".join(keys))


def _fewer_clients(scenario: Scenario) -> Iterator[Scenario]:
    """Yield scenarios in which one client makes all operations, or in which there is one client less."""
    last = scenario.clients - 1
    if last > 0:
        yield _change_client_operations(scenario, lambda client_operation: replace(client_operation, client=0))
        yield _change_client_operations(
            scenario, lambda client_operation: replace(client_operation, client=min(client_operation.client, last - 1))
        )


def _shorter_pauses(scenario: Scenario) -> Iterator[Scenario]:
    """Yield scenarios without pauses, or with pauses of half the length."""
    yield _change_client_operations(scenario, lambda client_operation: replace(client_operation, pause_ms=0))
    yield _change_client_operations(
        scenario, lambda client_operation: replace(client_operation, pause_ms=client_operation.pause_ms // 2)
    )


def _milder_fault_events(scenario: Scenario) -> Iterator[Scenario]:
    """Yield scenarios in which one fault event is earlier, shorter, with less delay, or for fewer or all kinds of
    messages."""
    for number, script in enumerate(scenario.scripts):
        for place, fault_event in enumerate(script.fault_events):
            for milder in _milder(fault_event):
                fault_events = (*script.fault_events[:place], milder, *script.fault_events[place + 1 :])
                yield _with_script(scenario, number, fault_events=fault_events)


def _milder(fault_event: FaultEvent) -> Iterator[FaultEvent]:
    yield replace(fault_event, at_ms=0)
    yield replace(fault_event, at_ms=fault_event.at_ms // 2)
    yield replace(fault_event, for_ms=fault_event.for_ms // 2)
    if fault_event.amount >= LATE_US:
        yield replace(fault_event, amount=fault_event.amount // 2)
    kinds = fault_event.step.split()
    if len(kinds) > 1:
        for kind in kinds:
            yield replace(fault_event, step=" ".join(other for other in kinds if other != kind))
    if fault_event.share:
        yield replace(fault_event, share=100)


def _change_client_operations(scenario: Scenario, change: Callable[[ClientOperation], ClientOperation]) -> Scenario:
    return scenario.with_scripts(
        tuple(
            replace(script, client_operations=tuple(map(change, script.client_operations)))
            for script in scenario.scripts
        )
    )
