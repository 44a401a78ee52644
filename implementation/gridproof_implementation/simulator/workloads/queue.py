"""Queues: values are offered and polled."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.queue import Offer, Peek, Poll
from gridproof_implementation.simulator.scenario import Errand
from gridproof_implementation.simulator.workload import (
    Load,
    Told,
    Workload,
    draw_errands,
    partition_of_structure,
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "queue"
QUEUES = 2
POLL_SHARE = 0.4
WAIT_SHARE = 0.3
"""Polls that wait for an item."""
LONGEST_WAIT_US = 300_000


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """A few more offers than polls."""

    def draw_one(number: int) -> Errand:
        key = f"{NAME}-{rng.randrange(QUEUES)}"
        if rng.random() < POLL_SHARE:
            wait_us = int(LONGEST_WAIT_US * rng.random()) if rng.random() < WAIT_SHARE else 0
            return Errand(NAME, OperationKind.POLL, key, str(wait_us))
        return Errand(NAME, OperationKind.OFFER, key, f"v{number}")

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Call:
    """Offer, poll or, to look, peek."""
    structure = queue_of(errand.key)
    operation: Operation
    match errand.kind:
        case OperationKind.OFFER:
            operation = Offer(structure, errand.value or "")
        case OperationKind.POLL:
            operation = Poll(structure, wait_us=int(errand.value or 0))
        case _:
            operation = Peek(structure)
    return Call(number, operation, partition_of_queue(errand.key, partition_count), errand.client)


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line: what was offered, or what came out."""
    partition = partition_of_queue(errand.key, partition_count)
    shown = errand.value if errand.kind is OperationKind.OFFER else text_of(value)
    return (Told(errand.kind, errand.key, partition, shown),)


def look(key: str) -> Errand:
    """Read the first item."""
    return Errand(NAME, OperationKind.READ, key)


def drain(key: str, errands: int) -> Sequence[Errand]:
    """Poll until nothing can be left, each offer counted twice: it may have been executed twice."""
    return [Errand(NAME, OperationKind.POLL, key, "0")] * (2 * errands + 1)


def queue_of(key: str) -> StructureId:
    """Return the queue that a key is."""
    return StructureId("queue", key)


def partition_of_queue(key: str, partition_count: int) -> int:
    """Return where a queue is."""
    return partition_of_structure(queue_of(key), partition_count)


WORKLOAD = Workload(
    NAME,
    "values are offered to queues and polled from them",
    draw,
    ask,
    tell,
    look,
    queue_of,
    partition_of_queue,
    drain,
)
