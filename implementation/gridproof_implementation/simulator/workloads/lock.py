"""Locks: clients take them and give them back."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.lock import IsLocked, Lock, Unlock
from gridproof_implementation.simulator.scenario import Errand
from gridproof_implementation.simulator.workload import Load, Told, Workload, partition_of_entry
from gridproof_model.trace import OperationKind

NAME = "lock"
STORE = StructureId("lock", NAME)
KEYS = 2
LONGEST_WAIT_US = 500_000


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Pairs of a lock and its release, for each client by itself; some locks are waited for."""
    errands: list[Errand] = []
    while len(errands) < load.errands:
        key, client = f"{NAME}-{rng.randrange(KEYS)}", rng.randrange(load.clients)
        wait_us = rng.choice((0, int(LONGEST_WAIT_US * rng.random())))
        for kind, value in ((OperationKind.LOCK, str(wait_us)), (OperationKind.UNLOCK, None)):
            errands.append(Errand(NAME, kind, key, value, client, int(load.pause_ms * rng.random() ** 2)))
    return errands[: load.errands]


def ask(errand: Errand, number: int, partition_count: int) -> Call:
    """Lock, unlock or, to look, ask whether it is locked."""
    operation: Operation
    match errand.kind:
        case OperationKind.LOCK:
            operation = Lock(STORE, errand.key, wait_us=int(errand.value or 0))
        case OperationKind.UNLOCK:
            operation = Unlock(STORE, errand.key)
        case _:
            operation = IsLocked(STORE, errand.key)
    return Call(number, operation, partition_of_entry(errand.key, partition_count), errand.client)


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line: whether it was got."""
    shown = None if value is None else str(value).lower()
    return (Told(errand.kind, errand.key, partition_of_entry(errand.key, partition_count), shown),)


def look(key: str) -> Errand:
    """Ask whether anybody has it."""
    return Errand(NAME, OperationKind.READ, key)


WORKLOAD = Workload(NAME, "clients take locks and give them back", draw, ask, tell, look)
