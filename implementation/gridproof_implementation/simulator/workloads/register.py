"""Entries of a map that are written, read and removed."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Get, Put, Remove
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
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "register"
KEYS = (3, 12, 50)
"""Few keys are fought for; many show every write that is lost."""
KINDS = (OperationKind.WRITE,) * 10 + (OperationKind.READ,) * 7 + (OperationKind.REMOVE,)


READS = frozenset({OperationKind.READ, OperationKind.READ_BACKUP})


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Mostly writes and reads, of few or many keys, some of them used much more than others."""
    keys = rng.choice(KEYS)

    def draw_one(number: int) -> ClientOperation:
        key = f"{draw_structure(rng, load, NAME)}-{draw_place(rng, load, keys, lambda: int(keys * rng.random() ** 2))}"
        kind = draw_kind(rng, load, KINDS, from_backups=load.reads_backups)
        return ClientOperation(NAME, kind, key, f"v{number}" if kind is OperationKind.WRITE else None)

    return draw_client_operations(rng, load, draw_one)


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> Call:
    """Put, get or remove."""
    structure = map_of(client_operation.key)
    operation: Operation
    match client_operation.kind:
        case OperationKind.WRITE:
            operation = Put(structure, client_operation.key, client_operation.value or "")
        case OperationKind.REMOVE:
            operation = Remove(structure, client_operation.key)
        case _:
            operation = Get(structure, client_operation.key)
    from_backup = client_operation.kind is OperationKind.READ_BACKUP
    partition = partition_of_entry(client_operation.key, partition_count)
    return Call(number, operation, partition, client_operation.client, read_from_backup=from_backup)


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """One line: what was written, or what was read."""
    is_read = client_operation.kind in READS
    shown = text_of(value) if is_read else client_operation.value
    return (
        Line(
            client_operation.kind,
            client_operation.key,
            partition_of_entry(client_operation.key, partition_count),
            shown,
        ),
    )


def look(key: str) -> ClientOperation:
    """Read the entry."""
    return ClientOperation(NAME, OperationKind.READ, key)


WORKLOAD = Workload(
    NAME,
    "entries of a map are written, read and removed",
    draw,
    ask,
    lines,
    look,
    map_of,
    partition_of_entry,
    asks=ASKED_OF_ALL | {OperationKind.WRITE, OperationKind.REMOVE},
)
