"""Entries of a map that are compared, then changed."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import (
    CompareAndRemove,
    CompareAndSet,
    ContainsKey,
    Get,
    PutIfAbsent,
)
from gridproof_implementation.simulator.scenario import Errand
from gridproof_implementation.simulator.workload import (
    Load,
    Told,
    Workload,
    draw_errands,
    draw_kind,
    draw_place,
    draw_structure,
    map_of,
    partition_of_entry,
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


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Comparisons with what an entry would hold if all errands were done in their order, and each once."""
    held: dict[str, str] = {}

    def draw_one(number: int) -> Errand:
        key = f"{draw_structure(rng, load, NAME)}-{draw_place(rng, load, KEYS, lambda: rng.randrange(KEYS))}"
        kind = draw_kind(rng, load, KINDS, from_backups=load.reads_backups)
        if kind is not PUT and kind is not SET and kind is not REMOVE:
            return Errand(NAME, kind, key)
        value = None if kind is REMOVE else f"v{number}"
        if kind is PUT:
            held.setdefault(key, value or "")
            return Errand(NAME, kind, key, value)
        expected = held.get(key, "nothing") if rng.random() > MISSED_SHARE else "nothing"
        if expected != "nothing" and value is not None:
            held[key] = value
        elif expected != "nothing":
            del held[key]
        return Errand(NAME, kind, key, value, expected=expected)

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Call:
    """Put if absent, replace or remove if equal, or look."""
    structure, key = map_of(errand.key), errand.key
    value, expected = errand.value or "", errand.expected or ""
    operation: Operation
    match errand.kind:
        case OperationKind.PUT_IF_ABSENT:
            operation = PutIfAbsent(structure, key, value)
        case OperationKind.COMPARE_AND_SET:
            operation = CompareAndSet(structure, key, expected, value)
        case OperationKind.COMPARE_AND_REMOVE:
            operation = CompareAndRemove(structure, key, expected)
        case OperationKind.CONTAINS:
            operation = ContainsKey(structure, key)
        case _:
            operation = Get(structure, key)
    from_backup = errand.kind is OperationKind.READ_BACKUP
    return Call(
        number, operation, partition_of_entry(key, partition_count), errand.client, read_from_backup=from_backup
    )


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line: what was asked for and what came back, or what was read."""
    partition = partition_of_entry(errand.key, partition_count)
    match errand.kind:
        case OperationKind.PUT_IF_ABSENT:
            return (Told(errand.kind, errand.key, partition, errand.value, text_of(value)),)
        case OperationKind.COMPARE_AND_SET | OperationKind.COMPARE_AND_REMOVE:
            return (Told(errand.kind, errand.key, partition, errand.value, truth_of(value)),)
        case OperationKind.CONTAINS:
            return (Told(errand.kind, errand.key, partition, truth_of(value)),)
        case _:
            return (Told(errand.kind, errand.key, partition, text_of(value)),)


def look(key: str) -> Errand:
    """Read the entry."""
    return Errand(NAME, OperationKind.READ, key)


WORKLOAD = Workload(
    NAME, "entries are changed only if they hold what is expected", draw, ask, tell, look, map_of, partition_of_entry
)
