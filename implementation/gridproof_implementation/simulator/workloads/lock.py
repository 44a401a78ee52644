"""Locks, which clients take and release."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.lock import IsLocked, Lock, Unlock
from gridproof_implementation.simulator import workload
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Load, Verb, draw_place, draw_structure
from gridproof_model.trace import OperationKind

NAME = "lock"
KEYS = 2
LONGEST_WAIT_US = 500_000
WAS_GOT = workload.what_came(workload.truth_of)
VERBS = {
    OperationKind.LOCK: Verb(lambda its, asked: Lock(its, asked.key, wait_us=int(asked.value or 0)), WAS_GOT),
    OperationKind.UNLOCK: Verb(lambda its, asked: Unlock(its, asked.key), WAS_GOT),
    OperationKind.READ: Verb(lambda its, asked: IsLocked(its, asked.key), WAS_GOT),
}


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Draw pairs of operations by which one client takes a lock and releases it; for some locks the client waits."""
    client_operations: list[ClientOperation] = []
    while len(client_operations) < load.client_operations:
        store, place = draw_structure(rng, load, NAME), draw_place(rng, load, KEYS, lambda: rng.randrange(KEYS))
        key, client = f"{store}-{place}", rng.randrange(load.clients)
        wait_us = rng.choice((0, int(LONGEST_WAIT_US * rng.random())))
        for kind, value in ((OperationKind.LOCK, str(wait_us)), (OperationKind.UNLOCK, None)):
            client_operations.append(
                ClientOperation(NAME, kind, key, value, client, int(load.pause_ms * rng.random() ** 2))
            )
    return client_operations[: load.client_operations]


def store_of(key: str) -> StructureId:
    """Return the lock store to which a lock belongs."""
    return StructureId("lock", workload.name_of(key))


WORKLOAD = workload.of_single_calls(NAME, "clients take locks and give them back", VERBS, draw, store_of)
