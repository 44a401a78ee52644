"""Unique appends to lists, which are read whole."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.list import Append, ReadAll
from gridproof_implementation.simulator.scenario import Errand
from gridproof_implementation.simulator.workload import (
    Load,
    Told,
    Workload,
    draw_errands,
    draw_kind,
    draw_place,
    partition_of_structure,
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "appends"
LISTS = 3
KINDS = (OperationKind.APPEND,) * 4 + (OperationKind.READ,)


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Mostly appends, to a few lists."""

    def draw_one(number: int) -> Errand:
        key = f"{NAME}-{draw_place(rng, load, LISTS, lambda: rng.randrange(LISTS))}"
        kind = draw_kind(rng, load, KINDS)
        if kind is OperationKind.READ:
            return Errand(NAME, kind, key)
        return Errand(NAME, OperationKind.APPEND, key, f"v{number}")

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Call:
    """Append, or read everything."""
    structure = list_of(errand.key)
    appends = errand.kind is OperationKind.APPEND
    operation: Operation = Append(structure, errand.value or "") if appends else ReadAll(structure)
    return Call(number, operation, partition_of_list(errand.key, partition_count), errand.client)


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line: what was appended, or everything that was read."""
    partition = partition_of_list(errand.key, partition_count)
    if errand.kind is OperationKind.APPEND:
        return (Told(errand.kind, errand.key, partition, errand.value),)
    items = " ".join(map(str, value)) if isinstance(value, tuple) else text_of(value)
    return (Told(errand.kind, errand.key, partition, items),)


def look(key: str) -> Errand:
    """Read the list."""
    return Errand(NAME, OperationKind.READ, key)


def list_of(key: str) -> StructureId:
    """Return the list that a key is."""
    return StructureId("list", key)


def partition_of_list(key: str, partition_count: int) -> int:
    """Return where a list is."""
    return partition_of_structure(list_of(key), partition_count)


WORKLOAD = Workload(
    NAME, "values are appended to lists, which are read whole", draw, ask, tell, look, list_of, partition_of_list
)
