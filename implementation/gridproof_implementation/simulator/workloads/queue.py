"""Queues: values are offered and polled."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.queue import Offer, Peek, Poll
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    ASKED_OF_ALL,
    Line,
    Load,
    Workload,
    draw_client_operations,
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


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """A few more offers than polls."""

    def draw_one(number: int) -> ClientOperation:
        key = f"{NAME}-{rng.randrange(QUEUES)}"
        if rng.random() < POLL_SHARE:
            wait_us = int(LONGEST_WAIT_US * rng.random()) if rng.random() < WAIT_SHARE else 0
            return ClientOperation(NAME, OperationKind.POLL, key, str(wait_us))
        return ClientOperation(NAME, OperationKind.OFFER, key, f"v{number}")

    return draw_client_operations(rng, load, draw_one)


def ask(client_operation: ClientOperation, number: int, partition_count: int) -> Call:
    """Offer, poll or, to look, peek."""
    structure = queue_of(client_operation.key)
    operation: Operation
    match client_operation.kind:
        case OperationKind.OFFER:
            operation = Offer(structure, client_operation.value or "")
        case OperationKind.POLL:
            operation = Poll(structure, wait_us=int(client_operation.value or 0))
        case _:
            operation = Peek(structure)
    return Call(number, operation, partition_of_queue(client_operation.key, partition_count), client_operation.client)


def lines(client_operation: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
    """One line: what was offered, or what came out."""
    partition = partition_of_queue(client_operation.key, partition_count)
    shown = client_operation.value if client_operation.kind is OperationKind.OFFER else text_of(value)
    return (Line(client_operation.kind, client_operation.key, partition, shown),)


def look(key: str) -> ClientOperation:
    """Read the first item."""
    return ClientOperation(NAME, OperationKind.READ, key)


def drain(key: str, client_operations: int) -> Sequence[ClientOperation]:
    """Poll until nothing can be left, each offer counted twice: it may have been executed twice."""
    return [ClientOperation(NAME, OperationKind.POLL, key, "0")] * (2 * client_operations + 1)


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
    lines,
    look,
    queue_of,
    partition_of_queue,
    drain,
    asks=ASKED_OF_ALL | {OperationKind.OFFER, OperationKind.POLL},
)
