"""Counters: entries of a map, which an entry processor increments."""

from random import Random

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.structures.map import Get, Process
from gridproof_implementation.simulator import workload
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Load, Verb, draw_kind, draw_place, draw_structure
from gridproof_model.trace import OperationKind

NAME = "counter"
KEYS = 3
KINDS = (OperationKind.ADD,) * 4 + (OperationKind.READ,)
SUM = workload.what_came(workload.text_of)
"""For an addition, as for a read, the sum that the client got is recorded."""
VERBS = {
    OperationKind.ADD: Verb(lambda its, asked: Process(its, asked.key, Increment()), SUM),
    OperationKind.READ: Verb(lambda its, asked: Get(its, asked.key), SUM),
}


@workload.one_by_one
def draw(rng: Random, load: Load, number: int) -> ClientOperation:
    """Draw one operation: mostly an increment of one of a few counters, sometimes a read."""
    kind = draw_kind(rng, load, KINDS, from_backups=load.reads_backups)
    structure = draw_structure(rng, load, NAME)
    return ClientOperation(NAME, kind, f"{structure}-{draw_place(rng, load, KEYS, lambda: rng.randrange(KEYS))}")


WORKLOAD = workload.of_single_calls(
    NAME, "counters are incremented by entry processors", VERBS, draw, workload.map_of,
    sent_as_operations=workload.structures_named("map", NAME),
)  # fmt: skip
