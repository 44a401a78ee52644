"""Entries of a map that are compared, then changed."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import (
    CompareAndRemove,
    CompareAndSet,
    ContainsKey,
    Get,
    PutIfAbsent,
)
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_implementation.simulator.workload import (
    Answered,
    Load,
    draw_client_operations,
    draw_kind,
    draw_place,
    draw_structure,
    map_of,
    of_single_calls,
    text_of,
    truth_of,
)
from gridproof_model.trace import OperationKind

NAME = "cells"
KEYS = 4
PUT, SET, REMOVE = OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET, OperationKind.COMPARE_AND_REMOVE
KINDS = (PUT, PUT, SET, SET, SET, SET, OperationKind.READ, OperationKind.READ, OperationKind.CONTAINS, REMOVE)
MISSED_SHARE = 0.2
"""Comparisons with what was never there."""


def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
    """Comparisons with what an entry would hold if all operations were done in their order, and each once."""
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

    return draw_client_operations(rng, load, draw_one)


def operation_of(client_operation: ClientOperation) -> Operation:
    """Put if absent, replace or remove if equal, or look."""
    structure, key = map_of(client_operation.key), client_operation.key
    value, expected = client_operation.value or "", client_operation.expected or ""
    match client_operation.kind:
        case OperationKind.PUT_IF_ABSENT:
            return PutIfAbsent(structure, key, value)
        case OperationKind.COMPARE_AND_SET:
            return CompareAndSet(structure, key, expected, value)
        case OperationKind.COMPARE_AND_REMOVE:
            return CompareAndRemove(structure, key, expected)
        case OperationKind.CONTAINS:
            return ContainsKey(structure, key)
        case _:
            return Get(structure, key)


def answered(client_operation: ClientOperation, value: object) -> Answered:
    """What was asked for and what came back, or what was read."""
    match client_operation.kind:
        case OperationKind.PUT_IF_ABSENT:
            return client_operation.value, text_of(value)
        case OperationKind.COMPARE_AND_SET | OperationKind.COMPARE_AND_REMOVE:
            return client_operation.value, truth_of(value)
        case OperationKind.CONTAINS:
            return (truth_of(value),)
        case _:
            return (text_of(value),)


WORKLOAD = of_single_calls(
    NAME, "entries are changed only if they hold what is expected", {PUT, SET, REMOVE, OperationKind.CONTAINS}, draw,
    operation_of, answered, map_of,
)  # fmt: skip
