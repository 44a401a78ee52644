"""Unique appends to lists, which are read whole."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.list import Append, ReadAll
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    Answered,
    Load,
    draw_client_operations,
    draw_kind,
    draw_place,
    items_of,
    of_single_calls,
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


def operation_of(client_operation: ClientOperation) -> Operation:
    """Append, or read everything."""
    structure = StructureId("list", client_operation.key)
    if client_operation.kind is OperationKind.APPEND:
        return Append(structure, client_operation.value or "")
    return ReadAll(structure)


def answered(client_operation: ClientOperation, value: object) -> Answered:
    """What was appended, or everything that was read."""
    return (client_operation.value if client_operation.kind is OperationKind.APPEND else items_of(value),)


WORKLOAD = of_single_calls(
    NAME, "values are appended to lists, which are read whole", {OperationKind.APPEND}, draw, operation_of, answered,
    lambda key: StructureId("list", key), is_whole=True,
)  # fmt: skip
