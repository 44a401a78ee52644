"""Entries of a map, which are compared and then changed."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structures import map as maps
from gridproof_implementation.simulator import workload
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import Load, Verb, draw_kind, draw_place, draw_structure
from gridproof_model.trace import OperationKind

NAME = "cells"
KEYS = 4
PUT, SET, REMOVE = OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET, OperationKind.COMPARE_AND_REMOVE
KINDS = (PUT, PUT, SET, SET, SET, SET, OperationKind.READ, OperationKind.READ, OperationKind.CONTAINS, REMOVE)
MISSED_SHARE = 0.2
"""The share of comparisons with a value that the entry never had."""
TEXT, TRUTH = workload.text_of, workload.truth_of
VERBS = {
    PUT: Verb(lambda its, asked: maps.PutIfAbsent(its, asked.key, asked.value or ""), workload.both(TEXT)),
    SET: Verb(
        lambda its, asked: maps.CompareAndSet(its, asked.key, asked.expected or "", asked.value or ""),
        workload.both(TRUTH),
    ),
    REMOVE: Verb(lambda its, asked: maps.CompareAndRemove(its, asked.key, asked.expected or ""), workload.both(TRUTH)),
    OperationKind.CONTAINS: Verb(lambda its, asked: maps.ContainsKey(its, asked.key), workload.what_came(TRUTH)),
    OperationKind.READ: Verb(lambda its, asked: maps.Get(its, asked.key), workload.what_came(TEXT)),
}
"""For a change the value and the answer are recorded, for a read only the answer."""


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Draw operations; most compare-and-set operations expect the value that an entry would have if all earlier
    operations had been executed once, in their order."""
    held: dict[str, str] = {}

    def draw_one(number: int) -> ClientOperation:
        key = f"{draw_structure(rng, load, NAME)}-{draw_place(rng, load, KEYS, lambda: rng.randrange(KEYS))}"
        kind = draw_kind(rng, load, KINDS, from_backups=load.reads_backups)
        if kind is not PUT and kind is not SET and kind is not REMOVE:
            return ClientOperation(NAME, kind, key)
        value = None if kind is REMOVE else f"v{number}"
        if kind is PUT:
            held.setdefault(key, value or "")
            return ClientOperation(NAME, kind, key, value)
        expected = held.get(key, "nothing") if rng.random() > MISSED_SHARE else "nothing"
        if expected != "nothing" and value is not None:
            held[key] = value
        elif expected != "nothing":
            del held[key]
        return ClientOperation(NAME, kind, key, value, expected=expected)

    return workload.draw_client_operations(rng, load, draw_one)


WORKLOAD = workload.of_single_calls(
    NAME, "entries are changed only if they hold what is expected", VERBS, draw, workload.map_of
)
