"""Counters: entries of a map that an entry processor increments."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Get, Process
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    Load,
    draw_client_operations,
    draw_kind,
    draw_place,
    draw_structure,
    map_of,
    of_single_calls,
    structures_named,
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "counter"
KEYS = 3
KINDS = (OperationKind.ADD,) * 4 + (OperationKind.READ,)


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Mostly increments, of a few counters."""

    def draw_one(number: int) -> ClientOperation:
        return ClientOperation(
            NAME,
            draw_kind(rng, load, KINDS, from_backups=load.reads_backups),
            f"{draw_structure(rng, load, NAME)}-{draw_place(rng, load, KEYS, lambda: rng.randrange(KEYS))}",
        )

    return draw_client_operations(rng, load, draw_one)


def operation_of(client_operation: ClientOperation) -> Operation:
    """Run the processor, or read."""
    structure, key = map_of(client_operation.key), client_operation.key
    return Process(structure, key, Increment()) if client_operation.kind is OperationKind.ADD else Get(structure, key)


WORKLOAD = of_single_calls(
    NAME, "counters are incremented by entry processors", {OperationKind.ADD}, draw, operation_of,
    lambda _, value: (text_of(value),), map_of, sent_as_operations=structures_named("map", NAME),
)  # fmt: skip
"""Of an addition and of a read, the sum that the client was given is recorded."""
