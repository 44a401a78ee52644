"""Entries of a map that are written, read and removed."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Get, Put, Remove
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    Answered,
    Load,
    draw_client_operations,
    draw_kind,
    draw_place,
    draw_structure,
    map_of,
    of_single_calls,
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


def operation_of(client_operation: ClientOperation) -> Operation:
    """Put, get or remove."""
    structure, key = map_of(client_operation.key), client_operation.key
    match client_operation.kind:
        case OperationKind.WRITE:
            return Put(structure, key, client_operation.value or "")
        case OperationKind.REMOVE:
            return Remove(structure, key)
        case _:
            return Get(structure, key)


def answered(client_operation: ClientOperation, value: object) -> Answered:
    """What was written, or what was read."""
    return (text_of(value) if client_operation.kind in READS else client_operation.value,)


WORKLOAD = of_single_calls(
    NAME, "entries of a map are written, read and removed", {OperationKind.WRITE, OperationKind.REMOVE}, draw,
    operation_of, answered, map_of,
)  # fmt: skip
