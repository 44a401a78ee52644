"""Queues: values are offered and polled."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.queue import Offer, Peek, Poll
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    Answered,
    Load,
    draw_client_operations,
    of_single_calls,
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


def operation_of(client_operation: ClientOperation) -> Operation:
    """Offer, poll or, to look, peek."""
    structure = StructureId("queue", client_operation.key)
    match client_operation.kind:
        case OperationKind.OFFER:
            return Offer(structure, client_operation.value or "")
        case OperationKind.POLL:
            return Poll(structure, wait_us=int(client_operation.value or 0))
        case _:
            return Peek(structure)


def answered(client_operation: ClientOperation, value: object) -> Answered:
    """What was offered, or what came out."""
    return (client_operation.value if client_operation.kind is OperationKind.OFFER else text_of(value),)


def drain(key: str, client_operations: int) -> Sequence[ClientOperation]:
    """Poll until nothing can be left, each offer counted twice: it may have been executed twice."""
    return [ClientOperation(NAME, OperationKind.POLL, key, "0")] * (2 * client_operations + 1)


WORKLOAD = of_single_calls(
    NAME, "values are offered to queues and polled from them", {OperationKind.OFFER, OperationKind.POLL}, draw,
    operation_of, answered, lambda key: StructureId("queue", key), is_whole=True, drain=drain,
)  # fmt: skip
