"""Entries of a map, which are written, read and removed."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structures.map import Get, Put, Remove
from gridproof_implementation.simulator import workload
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Load, Verb, draw_kind, draw_place
from gridproof_model.trace import OperationKind

NAME = "register"
KEYS = (3, 12, 50)
"""The numbers of keys to draw from: with few keys clients compete for them, and with many keys every lost write
shows."""
KINDS = (OperationKind.WRITE,) * 10 + (OperationKind.READ,) * 7 + (OperationKind.REMOVE,)
VERBS = {
    OperationKind.WRITE: Verb(lambda its, asked: Put(its, asked.key, asked.value or ""), workload.what_was_asked),
    OperationKind.REMOVE: Verb(lambda its, asked: Remove(its, asked.key), workload.what_was_asked),
    OperationKind.READ: Verb(lambda its, asked: Get(its, asked.key), workload.what_came(workload.text_of)),
}


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Draw mostly writes and reads, of few or many keys; some keys are used much more often than others."""
    keys = rng.choice(KEYS)

    def draw_one(number: int) -> ClientOperation:
        structure = workload.draw_structure(rng, load, NAME)
        place = draw_place(rng, load, keys, lambda: int(keys * rng.random() ** 2))
        kind = draw_kind(rng, load, KINDS, from_backups=load.reads_backups)
        return ClientOperation(
            NAME, kind, f"{structure}-{place}", f"v{number}" if kind is OperationKind.WRITE else None
        )

    return workload.draw_client_operations(rng, load, draw_one)


WORKLOAD = workload.of_single_calls(
    NAME, "entries of a map are written, read and removed", VERBS, draw, workload.map_of
)
