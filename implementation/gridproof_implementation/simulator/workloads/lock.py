"""Locks: clients take them and give them back."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.lock import IsLocked, Lock, Unlock
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    Load,
    draw_structure,
    name_of,
    of_single_calls,
    truth_of,
)
from gridproof_model.trace import OperationKind

NAME = "lock"
KEYS = 2
LONGEST_WAIT_US = 500_000


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Pairs of a lock and its release, for each client by itself; some locks are waited for."""
    client_operations: list[ClientOperation] = []
    while len(client_operations) < load.client_operations:
        key, client = f"{draw_structure(rng, load, NAME)}-{rng.randrange(KEYS)}", rng.randrange(load.clients)
        wait_us = rng.choice((0, int(LONGEST_WAIT_US * rng.random())))
        for kind, value in ((OperationKind.LOCK, str(wait_us)), (OperationKind.UNLOCK, None)):
            client_operations.append(
                ClientOperation(NAME, kind, key, value, client, int(load.pause_ms * rng.random() ** 2))
            )
    return client_operations[: load.client_operations]


def operation_of(client_operation: ClientOperation) -> Operation:
    """Lock, unlock or, to look, ask whether it is locked."""
    store = store_of(client_operation.key)
    match client_operation.kind:
        case OperationKind.LOCK:
            return Lock(store, client_operation.key, wait_us=int(client_operation.value or 0))
        case OperationKind.UNLOCK:
            return Unlock(store, client_operation.key)
        case _:
            return IsLocked(store, client_operation.key)


def store_of(key: str) -> StructureId:
    """Return the lock store of a lock."""
    return StructureId("lock", name_of(key))


WORKLOAD = of_single_calls(
    NAME, "clients take locks and give them back", {OperationKind.LOCK, OperationKind.UNLOCK}, draw, operation_of,
    lambda _, value: (truth_of(value),), store_of,
)  # fmt: skip
"""Recorded is whether it was got."""
