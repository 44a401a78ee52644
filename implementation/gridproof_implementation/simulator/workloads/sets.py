"""Sets: values are inserted, discarded, and read all together."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.set import Add, Discard, Elements
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    Answered,
    Load,
    draw_client_operations,
    draw_kind,
    draw_place,
    items_of,
    of_single_calls,
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


def operation_of(client_operation: ClientOperation) -> Operation:
    """Add, discard, or read everything."""
    structure, item = StructureId("set", client_operation.key), client_operation.value or ""
    match client_operation.kind:
        case OperationKind.INSERT:
            return Add(structure, item)
        case OperationKind.DISCARD:
            return Discard(structure, item)
        case _:
            return Elements(structure)


def answered(client_operation: ClientOperation, value: object) -> Answered:
    """What was asked for and whether it changed anything, or everything that was read."""
    if client_operation.kind is OperationKind.READ:
        return (items_of(value),)
    return client_operation.value, truth_of(value)


WORKLOAD = of_single_calls(
    NAME, "values are put into sets and taken out", {OperationKind.INSERT, OperationKind.DISCARD}, draw, operation_of,
    answered, lambda key: StructureId("set", key), is_whole=True,
)  # fmt: skip
