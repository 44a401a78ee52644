"""Locks: clients take them and give them back."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.lock import IsLocked, Lock, Unlock
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    ASKED_OF_ALL,
    Line,
    Load,
    Workload,
    draw_structure,
    name_of,
    partition_of_entry,
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


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> Call:
    """Lock, unlock or, to look, ask whether it is locked."""
    operation: Operation
    store = store_of(client_operation.key)
    match client_operation.kind:
        case OperationKind.LOCK:
            operation = Lock(store, client_operation.key, wait_us=int(client_operation.value or 0))
        case OperationKind.UNLOCK:
            operation = Unlock(store, client_operation.key)
        case _:
            operation = IsLocked(store, client_operation.key)
    return Call(number, operation, partition_of_entry(client_operation.key, partition_count), client_operation.client)


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """One line: whether it was got."""
    shown = None if value is None else str(value).lower()
    return (
        Line(
            client_operation.kind,
            client_operation.key,
            partition_of_entry(client_operation.key, partition_count),
            shown,
        ),
    )


def look(key: str) -> ClientOperation:
    """Ask whether anybody has it."""
    return ClientOperation(NAME, OperationKind.READ, key)


def store_of(key: str) -> StructureId:
    """Return the lock store of a lock."""
    return StructureId("lock", name_of(key))


WORKLOAD = Workload(
    NAME,
    "clients take locks and give them back",
    draw,
    ask,
    lines,
    look,
    store_of,
    partition_of_entry,
    asks=ASKED_OF_ALL | {OperationKind.LOCK, OperationKind.UNLOCK},
)
