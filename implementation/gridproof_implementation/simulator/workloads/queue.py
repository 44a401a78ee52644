"""Queues, to which values are offered and from which they are polled."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.protocol.structures.queue import Offer, Peek, Poll
from gridproof_implementation.simulator import workload
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Load, Verb, draw_place
from gridproof_model.trace import OperationKind

NAME = "queue"
QUEUES = 2
POLL_SHARE = 0.4
WAIT_SHARE = 0.3
"""The share of polls that wait for an item."""
LONGEST_WAIT_US = 300_000
CAME_OUT = workload.what_came(workload.text_of)
VERBS = {
    OperationKind.OFFER: Verb(lambda its, asked: Offer(its, asked.value or ""), workload.what_was_asked),
    OperationKind.POLL: Verb(lambda its, asked: Poll(its, wait_us=int(asked.value or 0)), CAME_OUT),
    OperationKind.READ: Verb(lambda its, _: Peek(its), CAME_OUT),
}


@workload.one_by_one
def draw(rng: Random, load: Load, number: int) -> ClientOperation:
    """Draw an offer or a poll, with somewhat more offers than polls."""
    key = f"{NAME}-{draw_place(rng, load, QUEUES, lambda: rng.randrange(QUEUES))}"
    if rng.random() < POLL_SHARE:
        wait_us = int(LONGEST_WAIT_US * rng.random()) if rng.random() < WAIT_SHARE else 0
        return ClientOperation(NAME, OperationKind.POLL, key, str(wait_us))
    return ClientOperation(NAME, OperationKind.OFFER, key, f"v{number}")


def drain(key: str, client_operations: int) -> Sequence[ClientOperation]:
    """Return enough polls to empty the queue: two for each operation, as an offer may have been executed twice."""
    return [ClientOperation(NAME, OperationKind.POLL, key, "0")] * (2 * client_operations + 1)


WORKLOAD = workload.of_single_calls(
    NAME, "values are offered to queues and polled from them", VERBS, draw, lambda key: StructureId("queue", key),
    is_whole=True, drain=drain,
)  # fmt: skip
