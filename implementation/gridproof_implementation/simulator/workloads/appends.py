"""Unique appends to lists, which are read whole."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.list import Append, ReadAll
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
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "appends"
LISTS = 3
KINDS = (OperationKind.APPEND,) * 4 + (OperationKind.READ,)


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Mostly appends, to a few lists."""

    def draw_one(number: int) -> ClientOperation:
        key = f"{NAME}-{draw_place(rng, load, LISTS, lambda: rng.randrange(LISTS))}"
        kind = draw_kind(rng, load, KINDS)
        if kind is OperationKind.READ:
            return ClientOperation(NAME, kind, key)
        return ClientOperation(NAME, OperationKind.APPEND, key, f"v{number}")

    return draw_client_operations(rng, load, draw_one)


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> Call:
    """Append, or read everything."""
    structure = list_of(client_operation.key)
    appends = client_operation.kind is OperationKind.APPEND
    operation: Operation = Append(structure, client_operation.value or "") if appends else ReadAll(structure)
    return Call(number, operation, partition_of_list(client_operation.key, partition_count), client_operation.client)


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """One line: what was appended, or everything that was read."""
    partition = partition_of_list(client_operation.key, partition_count)
    if client_operation.kind is OperationKind.APPEND:
        return (Line(client_operation.kind, client_operation.key, partition, client_operation.value),)
    items = " ".join(map(str, value)) if isinstance(value, tuple) else text_of(value)
    return (Line(client_operation.kind, client_operation.key, partition, items),)


def look(key: str) -> ClientOperation:
    """Read the list."""
    return ClientOperation(NAME, OperationKind.READ, key)


def list_of(key: str) -> StructureId:
    """Return the list that a key is."""
    return StructureId("list", key)


def partition_of_list(key: str, partition_count: int) -> int:
    """Return where a list is."""
    return partition_of_structure(list_of(key), partition_count)


WORKLOAD = Workload(
    NAME,
    "values are appended to lists, which are read whole",
    draw,
    ask,
    lines,
    look,
    list_of,
    partition_of_list,
    asks=ASKED_OF_ALL | {OperationKind.APPEND},
)
