"""Counters: entries of a map that an entry processor increments."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Get, Process
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    ASKED_OF_ALL,
    Line,
    Load,
    Workload,
    draw_client_operations,
    draw_kind,
    draw_place,
    draw_structure,
    map_of,
    partition_of_entry,
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


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> Call:
    """Run the processor, or read."""
    adds, structure = client_operation.kind is OperationKind.ADD, map_of(client_operation.key)
    operation: Operation = (
        Process(structure, client_operation.key, Increment()) if adds else Get(structure, client_operation.key)
    )
    from_backup = client_operation.kind is OperationKind.READ_BACKUP
    partition = partition_of_entry(client_operation.key, partition_count)
    return Call(number, operation, partition, client_operation.client, read_from_backup=from_backup)


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """Return the one trace line of an addition or a read, with the sum the client was given."""
    return (
        Line(
            client_operation.kind,
            client_operation.key,
            partition_of_entry(client_operation.key, partition_count),
            text_of(value),
        ),
    )


def look(key: str) -> ClientOperation:
    """Read the counter."""
    return ClientOperation(NAME, OperationKind.READ, key)


WORKLOAD = Workload(
    NAME,
    "counters are incremented by entry processors",
    draw,
    ask,
    lines,
    look,
    map_of,
    partition_of_entry,
    sent_as_operations=frozenset(structures_named("map", NAME)),
    asks=ASKED_OF_ALL | {OperationKind.ADD},
)
