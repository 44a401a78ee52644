"""Several entries of a map are changed in one call."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Clear, Get, PutAll, Size
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    ASKED_OF_ALL,
    Line,
    Load,
    Workload,
    call_of,
    draw_kind,
    draw_structure,
    map_of,
    one_by_one,
    partition_of_entry,
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "entries"
KEYS = 12
KINDS = (OperationKind.WRITE,) * 12 + (OperationKind.READ,) * 6 + (OperationKind.SIZE,) * 2 + (OperationKind.REMOVE,)


@one_by_one
def draw(rng: Random, load: Load, number: int) -> ClientOperation:
    """Draw one operation: a write of several entries, a read of one entry, or seldom a count or removal of all
    entries."""
    structure, kind = draw_structure(rng, load, NAME), draw_kind(rng, load, KINDS, from_backups=load.reads_backups)
    match kind:
        case OperationKind.SIZE:
            return ClientOperation(NAME, kind, structure)
        case OperationKind.REMOVE:
            return ClientOperation(NAME, kind, " ".join(f"{structure}-{key}" for key in range(KEYS)))
        case OperationKind.WRITE:
            keys = sorted(rng.sample(range(KEYS), rng.randint(1, 6)))
            values = " ".join(f"v{number}.{place}" for place in range(len(keys)))
            return ClientOperation(NAME, kind, " ".join(f"{structure}-{key}" for key in keys), values)
        case _:
            return ClientOperation(NAME, kind, f"{structure}-{rng.randrange(KEYS)}")


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> Call | CallMany:
    """Return a call that writes, counts or removes entries in several partitions (calls.28), or reads one entry."""
    structure = map_of(client_operation.key)
    operations: list[tuple[int, Operation]]
    match client_operation.kind:
        case OperationKind.SIZE:
            operations = [(part, Size(structure)) for part in range(partition_count)]
        case OperationKind.REMOVE:
            operations = [(part, Clear(structure)) for part in range(partition_count)]
        case OperationKind.WRITE:
            pairs: dict[int, list[tuple[str, str]]] = {}
            for key, value in _pairs(client_operation):
                pairs.setdefault(partition_of_entry(key, partition_count), []).append((key, value))
            operations = [(part, PutAll(structure, tuple(pairs[part]))) for part in sorted(pairs)]
        case _:
            get = Get(structure, client_operation.key)
            return call_of(client_operation, number, get, partition_of_entry(client_operation.key, partition_count))
    return CallMany(number, tuple(operations), client_operation.client)


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """Return the lines to record: one for each entry, or a single line for a count."""
    found: Sequence[tuple[str, str | None]]
    match client_operation.kind:
        case OperationKind.SIZE:
            return (Line(client_operation.kind, client_operation.key, None, text_of(value)),)
        case OperationKind.REMOVE:
            found = [(key, None) for key in client_operation.keys]
        case OperationKind.WRITE:
            found = _pairs(client_operation)
        case _:
            found = [(client_operation.key, text_of(value))]
    return [Line(client_operation.kind, key, partition_of_entry(key, partition_count), one) for key, one in found]


def look(key: str) -> ClientOperation:
    """Read one entry."""
    return ClientOperation(NAME, OperationKind.READ, key)


def _pairs(client_operation: ClientOperation) -> list[tuple[str, str]]:
    return list(zip(client_operation.key.split(), (client_operation.value or "").split(), strict=True))


WORKLOAD = Workload(
    NAME, "several entries are written, counted or removed in one call", draw, ask, lines, look, map_of,
    partition_of_entry, asks=ASKED_OF_ALL | {OperationKind.WRITE, OperationKind.REMOVE, OperationKind.SIZE}
)  # fmt: skip
