"""Sets: values are inserted, discarded, and read all together."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.set import Add, Discard, Elements
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    ASKED_OF_ALL,
    Line,
    Load,
    Workload,
    draw_client_operations,
    draw_kind,
    draw_place,
    partition_of_structure,
    truth_of,
)
from gridproof_model.trace import OperationKind

NAME = "sets"
SETS = 2
KINDS = (OperationKind.INSERT,) * 5 + (OperationKind.DISCARD,) * 2 + (OperationKind.READ,) * 2


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Mostly insertions; what is discarded was inserted by an earlier operation."""
    inserted: dict[str, list[str]] = {}

    def draw_one(number: int) -> ClientOperation:
        key = f"{NAME}-{draw_place(rng, load, SETS, lambda: rng.randrange(SETS))}"
        known = inserted.setdefault(key, [])
        kind = draw_kind(rng, load, KINDS)
        if kind is OperationKind.DISCARD and known:
            return ClientOperation(NAME, kind, key, rng.choice(known))
        if kind in (OperationKind.INSERT, OperationKind.DISCARD):
            known.append(f"v{number}")
            return ClientOperation(NAME, OperationKind.INSERT, key, known[-1])
        return ClientOperation(NAME, OperationKind.READ, key)

    return draw_client_operations(rng, load, draw_one)


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> Call:
    """Add, discard, or read everything."""
    structure, item = set_of(client_operation.key), client_operation.value or ""
    operation: Operation
    match client_operation.kind:
        case OperationKind.INSERT:
            operation = Add(structure, item)
        case OperationKind.DISCARD:
            operation = Discard(structure, item)
        case _:
            operation = Elements(structure)
    return Call(number, operation, partition_of_set(client_operation.key, partition_count), client_operation.client)


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """One line: what was asked for and whether it changed anything, or everything that was read."""
    partition = partition_of_set(client_operation.key, partition_count)
    if client_operation.kind is OperationKind.READ:
        items = " ".join(map(str, value)) if isinstance(value, tuple) else None
        return (Line(client_operation.kind, client_operation.key, partition, items),)
    return (Line(client_operation.kind, client_operation.key, partition, client_operation.value, truth_of(value)),)


def look(key: str) -> ClientOperation:
    """Read the set."""
    return ClientOperation(NAME, OperationKind.READ, key)


def set_of(key: str) -> StructureId:
    """Return the set that a key is."""
    return StructureId("set", key)


def partition_of_set(key: str, partition_count: int) -> int:
    """Return where a set is."""
    return partition_of_structure(set_of(key), partition_count)


WORKLOAD = Workload(
    NAME,
    "values are put into sets and taken out",
    draw,
    ask,
    lines,
    look,
    set_of,
    partition_of_set,
    asks=ASKED_OF_ALL | {OperationKind.INSERT, OperationKind.DISCARD},
)
