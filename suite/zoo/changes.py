"""Schedules of changes that drawn scenarios do not contain.

A schedule is a list of changes, each of which is followed by a short pause; schedules are drawn from seeds. The grid
has three data members and one lite member, one backup, and no partition groups. Only the steps of the protocol are
judged, since anti-entropy has repaired the copies by the time when they are read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from random import Random
from typing import assert_never

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.map import Put
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.host import Host
from gridproof_implementation.simulator.watcher import Watcher
from gridproof_implementation.simulator.work_limit import EndlessWork, inputs_allowed, watching
from gridproof_implementation.simulator.world import World
from gridproof_model.events import ProtocolEvent
from gridproof_model.grid_config import GridConfig
from gridproof_model.grid_properties import PARTITION_COUNT, PropertySet
from gridproof_model.membership import ClusterState
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import PromiseLevel, Result, Verdict
from gridproof_properties.simulated import UNGROUPED, steps
from suite.zoo.mutant import Find, Witness, found_broken, met_in

PROPERTIES = (*steps.PROPERTIES, *UNGROUPED)
PARTITIONS = 5
ADDRESS_COUNT = 4
LITE = 3
"""The index of the address of the lite member."""
GAP_US = 100_000
CHANGES_MAX = 12
MAP = StructureId("map", "changed")
NOBODY = -1
"""The number for calls whose answers are ignored."""


class Change(StrEnum):
    """A change that is made to a grid."""

    WRITE = "write"
    FREEZE = "freeze"
    THAW = "thaw"
    CRASH = "crash"
    RESTART = "restart"
    PROMOTE = "promote"
    WAIT = "wait"


Schedule = Sequence[tuple[Change, int]]
"""The changes in their order, each with the index of the address at which it happens."""


def search_changes(seed: int) -> Find:
    """Play the schedule that a seed draws."""
    rng = Random(f"changes {seed}")
    kinds = list(Change)
    schedule = [(rng.choice(kinds), rng.randrange(ADDRESS_COUNT)) for _ in range(rng.randint(2, CHANGES_MAX))]
    verdicts = judge_schedule(schedule, seed)
    return Find(_broken(verdicts), met=met_in(verdicts))


def scheduled(*schedule: tuple[Change, int]) -> Witness:
    """Return a fixed schedule, to be used as a witness."""
    return lambda: _broken(judge_schedule(schedule, 0))


def judge_schedule(schedule: Schedule, seed: int) -> tuple[Verdict, ...]:
    """Return the verdicts on the steps of a schedule."""
    grid = _Grid(seed)
    try:
        with watching(grid.world.at_work):
            grid.play(schedule)
    except EndlessWork as endless:
        return found_broken("no-member-fails", str(endless))
    return grid.panel.conclude()


def _broken(verdicts: Sequence[Verdict]) -> tuple[Verdict, ...]:
    return tuple(verdict for verdict in verdicts if verdict.result is Result.BROKEN)


@dataclass(slots=True)
class _Grid(Watcher):
    seed: int
    world: World = field(init=False)
    panel: Panel = field(init=False)
    _writes: int = 0

    def __post_init__(self) -> None:
        texts = dict(QUICK) | {PARTITION_COUNT.name: str(PARTITIONS)}
        self.panel = Panel(PROPERTIES, {prop.name: PromiseLevel.PROMISED for prop in PROPERTIES})
        self.world = World(self.seed, GridConfig(properties=PropertySet.of(texts)), watcher=self)
        for address_index in range(ADDRESS_COUNT):
            self.world.start_member(lite=address_index == LITE)
            self.world.run(self.world.now_us + GAP_US)
        self._write(self.world.latest_hosts[0])
        self.world.run(self.world.now_us + 10 * GAP_US)

    def play(self, schedule: Schedule) -> None:
        """Make the changes one after another, with a pause after each."""
        self.world.events_max = self.world.events + inputs_allowed(ADDRESS_COUNT, len(schedule))
        for change, address_index in schedule:
            self.change(change, address_index)
            self.world.run(self.world.now_us + GAP_US * (20 if change is Change.WAIT else 1))

    def change(self, change: Change, address_index: int) -> None:
        """Make a change, if the change is possible."""
        host, world = self.world.latest_hosts[address_index], self.world
        alive = [other for other in world.latest_hosts if other.alive]
        match change:
            case Change.WRITE if host.alive:
                self._write(host)
            case Change.FREEZE if alive:
                world.change_cluster_state(alive[0], NOBODY, ClusterState.FROZEN)
            case Change.THAW if alive:
                world.change_cluster_state(alive[0], NOBODY, ClusterState.ACTIVE)
            case Change.CRASH if host.alive and len(alive) > 1:
                world.crash(host)
            case Change.RESTART if not host.alive:
                world.restart(address_index)
            case Change.PROMOTE if host.alive:
                world.promote_lite(host, NOBODY)
            case (
                Change.WRITE
                | Change.FREEZE
                | Change.THAW
                | Change.CRASH
                | Change.RESTART
                | Change.PROMOTE
                | Change.WAIT
            ):
                pass
            case _:
                assert_never(change)

    def _write(self, host: Host) -> None:
        """Put one entry into every partition."""
        for partition in range(PARTITIONS):
            self._writes += 1
            self.world.call(host, Call(NOBODY, Put(MAP, f"key-{partition}", f"v{self._writes}"), partition))

    def event(self, at_us: int, member: int, event: ProtocolEvent) -> None:
        """Judge an event."""
        self.panel.observe(EventRecord(f"changes-{self.seed}", at_us // 1_000, member, event))
