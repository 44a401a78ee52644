"""Every verb at every moment of a simulated run: the reference lies at that verb and that moment only.

Clients do what a workload draws while the moment is brought about. The lie is planted where a member executes an
operation: what it answers or changes is wrong at the moment, and right at any other.
"""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from unittest.mock import patch

from gridproof_implementation.protocol.operation.part import OperationPart
from gridproof_implementation.protocol.structure import Execution, Operation, Origin
from gridproof_implementation.protocol.structures import STRUCTURES
from gridproof_implementation.protocol.structures import list as lists
from gridproof_implementation.protocol.structures import lock as locks
from gridproof_implementation.protocol.structures import map as maps
from gridproof_implementation.protocol.structures import queue as queues
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.run import BUSY, _Run
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent, Scenario, Script
from gridproof_implementation.simulator.workload import Load
from gridproof_implementation.simulator.workloads import get_workload
from gridproof_model import grid_properties as known
from gridproof_model.trace import OperationKind
from gridproof_properties.campaign.scenarios import STEPS_EVERY, judge_scenario
from gridproof_properties.judging.verdict import exit_status
from tests.properties.verbs_and_moments import AT_ONCE_MS, MINUTE_MS, Lie, Moment, Verb

WORKLOADS: Mapping[Verb, str] = {
    Verb.PUT: "register",
    Verb.GET: "register",
    Verb.REMOVE: "register",
    Verb.SEVERAL: "entries",
    Verb.COMPARE_AND_SET: "cells",
    Verb.SIZE: "entries",
    Verb.CONTAINS: "cells",
    Verb.ADD: "counter",
    Verb.APPEND: "appends",
    Verb.OFFER: "queue",
    Verb.POLL: "queue",
    Verb.LOCK: "lock",
}
OPERATIONS: Mapping[type[Operation], Verb] = {
    maps.Put: Verb.PUT,
    maps.Get: Verb.GET,
    maps.Remove: Verb.REMOVE,
    maps.PutAll: Verb.SEVERAL,
    maps.CompareAndSet: Verb.COMPARE_AND_SET,
    maps.Size: Verb.SIZE,
    maps.ContainsKey: Verb.CONTAINS,
    maps.Process: Verb.ADD,
    lists.Append: Verb.APPEND,
    queues.Offer: Verb.OFFER,
    queues.Poll: Verb.POLL,
    locks.Lock: Verb.LOCK,
}
SETTINGS = (*QUICK, (known.STALE_READ_DISABLED.name, "true"), (known.FAIL_ON_INDETERMINATE_STATE.name, "true"))
"""With these more is promised while partitions move."""
LONG_MS = 100_000_000
"""Until clients are done."""
FAULTS: Mapping[Moment, FaultEvent] = {
    Moment.JOIN: FaultEvent("join", 400, LONG_MS, (4,)),
    Moment.LEAVE: FaultEvent("leave", 400, LONG_MS, (1,)),
    Moment.CRASH: FaultEvent("crash", 400, LONG_MS, (1,)),
    Moment.PROMOTION: FaultEvent("crash", 400, LONG_MS, (1,)),
    Moment.CUT: FaultEvent("split", 400, 1_500, (3,)),
    Moment.REST: FaultEvent("crash", 100, 500, (1,)),
}
SEEDS = 12
"""Runs that are tried for a cell."""


@dataclass(slots=True)
class Plant:
    """Lies while one run goes on."""

    lie: Lie | None
    made: int = 0
    """How many lies."""
    run: _Run | None = None
    first_us: int | None = None
    is_changed: bool = False
    """Whether a member has come or gone while clients were at work."""
    promoted: set[int] = field(default_factory=set)
    """Partitions whose primary ended then."""
    asked_us: dict[tuple[Verb, object], int] = field(default_factory=dict)
    is_lying: bool = False

    def begin(self, run: _Run) -> None:
        """A run begins."""
        self.run, self.first_us, self.is_changed = run, None, False
        self.promoted.clear()
        self.asked_us.clear()

    @property
    def stage(self) -> str:
        """Where the run is."""
        return "" if self.run is None else self.run.clients.stage

    def change(self, host: Host, *, is_end: bool) -> None:
        """A member has come or gone."""
        if not self.stage.startswith(BUSY):
            return
        self.is_changed = True
        if is_end:
            rows = host.member.node.partitions.rows
            self.promoted |= {place for place, row in enumerate(rows) if row.slots[0] == host.description.id}

    def lies(self, operation: Operation, partition: int) -> bool:
        """Whether what is executed now is lied about."""
        run, verb = self.run, OPERATIONS.get(type(operation))
        if run is None or verb is None or not self.stage.startswith(BUSY):
            return False
        now_us = run.world.now_us
        self.first_us = now_us if self.first_us is None else self.first_us
        asked = verb, (operation.structure, getattr(operation, "key", partition))
        before_us, self.asked_us[asked] = self.asked_us.get(asked), now_us
        if self.lie is None or self.lie.verb is not verb:
            return False
        match self.lie.moment:
            case Moment.CALM:
                return not self.is_changed
            case Moment.JOIN | Moment.LEAVE | Moment.CRASH:
                return self.is_changed
            case Moment.PROMOTION:
                return partition in self.promoted
            case Moment.CUT:
                return bool(run._active)
            case Moment.REPEATED:
                return before_us is not None and now_us - before_us <= AT_ONCE_MS * 1_000
            case Moment.REST:
                return self.stage == f"{BUSY} 2"
            case Moment.LATER:
                return now_us - self.first_us >= MINUTE_MS * 1_000


@contextmanager
def planted(lie: Lie | None) -> Iterator[Plant]:
    """Have members lie at one verb and moment."""
    plant, execute = Plant(lie), OperationPart.execute
    begin, started, ended = _Run.begin, _Run.started, _Run.ended

    def lying(part: OperationPart, caller: Any, request: Any) -> Any:
        plant.is_lying = plant.lies(request.operation, request.partition)
        plant.made += plant.is_lying
        try:
            return execute(part, caller, request)
        finally:
            plant.is_lying = False

    def begun(run: _Run) -> None:
        plant.begin(run)
        begin(run)

    def has_started(run: _Run, host: Host) -> None:
        plant.change(host, is_end=False)
        started(run, host)

    def has_ended(run: _Run, host: Host) -> None:
        plant.change(host, is_end=True)
        ended(run, host)

    with ExitStack() as stack:
        stack.enter_context(patch.object(OperationPart, "execute", lying))
        for name, instead in (("begin", begun), ("started", has_started), ("ended", has_ended)):
            stack.enter_context(patch.object(_Run, name, instead))
        for kind in set(STRUCTURES.values()):
            stack.enter_context(patch.object(kind, "execute", _execute_of(plant, kind)))
        yield plant


def _execute_of(plant: Plant, kind: Any) -> Any:
    honest = kind.execute

    def execute(part: Any, operation: Operation, origin: Origin) -> Execution:
        before = part.replica_data() if plant.is_lying else None
        done: Execution = honest(part, operation, origin)
        if not plant.is_lying:
            return done
        part.load(before)
        return _lie(part, operation, origin, done, honest)

    return execute


def _lie(part: Any, operation: Operation, origin: Origin, done: Execution, honest: Any) -> Execution:
    """Return what is answered in place of what was done; what a change did is taken back."""
    match operation:
        case maps.Get():
            return Execution("ghost" if done.value is None else None)
        case maps.Size():
            return Execution(int(str(done.value)) + 1)
        case maps.ContainsKey():
            return Execution(not done.value)
        case maps.PutAll(pairs=pairs) if len(pairs) > 1:
            fewer: Execution = honest(part, maps.PutAll(operation.structure, pairs[:-1]), origin)
            return fewer
        case locks.Lock():
            return Execution(bool(done.wait))
        case _:
            return Execution(done.value)


def scenario_of(cell: Lie, seed: int) -> Scenario:
    """Return a run in which the moment comes while clients ask for the verb."""
    name, moment = WORKLOADS[cell.verb], cell.moment
    pause_ms = {Moment.LATER: 9_000, Moment.REPEATED: 3}.get(moment, 250)
    load = Load(90, clients=3, pause_ms=pause_ms)
    fault = FAULTS.get(moment)
    scripts = [Script(drawn(cell, f"{cell} {seed}", load), () if fault is None else (fault,))]
    if moment is Moment.REST:
        scripts.append(Script(drawn(cell, f"{cell} {seed} again", replace(load, serial=load.client_operations))))
    lasting_ms = 3 * MINUTE_MS if moment is Moment.LATER else 0
    return Scenario(
        seed * STEPS_EVERY, members=4, workload=name, scripts=tuple(scripts), properties=SETTINGS, lasting_ms=lasting_ms
    )


def drawn(cell: Lie, dice: str, load: Load) -> tuple[ClientOperation, ...]:
    """Return what the workload draws; where removals are meant, of reads one in two is a removal."""
    drawn = get_workload(WORKLOADS[cell.verb]).draw(Random(dice), load)
    if cell.verb is not Verb.REMOVE:
        return tuple(drawn)
    return tuple(
        replace(one, kind=OperationKind.REMOVE) if one.kind is OperationKind.READ and place % 2 else one
        for place, one in enumerate(drawn)
    )


def simulate_status(cell: Lie, *, is_honest: bool = False, seeds: int = SEEDS) -> tuple[int, int]:
    """Return what the first run ends with in which something is broken, else the last; and how many lies were made."""
    status = made = 0
    for seed in range(seeds):
        with planted(None if is_honest else cell) as plant:
            status = exit_status(judge_scenario(scenario_of(cell, seed)).verdicts)
        made += plant.made
        if status == 1:
            break
    return status, made
