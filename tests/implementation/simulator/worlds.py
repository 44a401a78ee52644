"""Small worlds and short scenarios."""

from dataclasses import dataclass

from gridproof_implementation.simulator.draw import draw_scenario
from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_implementation.simulator.drawn_settings import QUICK
from gridproof_implementation.simulator.run import RunEnd, simulate
from gridproof_implementation.simulator.scenario import FaultEvent, Scenario
from gridproof_implementation.simulator.watcher import Watcher
from gridproof_implementation.simulator.world import World
from gridproof_model.trace import OperationRecord, Record

SECOND_US = 1_000_000


@dataclass(frozen=True, slots=True)
class Incarnation:
    """One end of a link."""

    number: int
    address_index: int


def started_world(members: int = 3, watcher: Watcher | None = None) -> World:
    """Return a world whose members have joined each other, with quick periods."""
    world = World(7, Scenario(7, properties=QUICK).config(), watcher=watcher)
    for _ in range(members):
        world.start_member()
        world.run(world.now_us + SECOND_US)
    return world


def short_scenario(
    workload: str = "register", fault_events: tuple[FaultEvent, ...] = (), client_operations: int = 40
) -> Scenario:
    """Return three members, one backup, and the operations of one workload."""
    drawn = draw_scenario(
        3, DrawOptions(members=3, sync_backups=1, faults=(), workload=workload, client_operations=client_operations)
    )
    script = drawn.scripts[0]
    plain = Scenario(3, workload=workload, properties=QUICK)
    return plain.with_scripts((type(script)(script.client_operations, fault_events),))


def run_of(scenario: Scenario) -> tuple[RunEnd, list[Record]]:
    """Simulate, and return the end and the records."""
    records: list[Record] = []
    return simulate(scenario, records.append), records


def operations_of(records: list[Record]) -> list[OperationRecord]:
    """Return the history."""
    return [record for record in records if isinstance(record, OperationRecord)]
