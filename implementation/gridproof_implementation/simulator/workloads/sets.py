"""Sets: values are inserted, discarded, and read all together."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.set import Add, Discard, Elements
from gridproof_implementation.simulator.scenario import Errand
from gridproof_implementation.simulator.workload import (
    Load,
    Told,
    Workload,
    draw_errands,
    draw_kind,
    draw_place,
    partition_of_structure,
    truth_of,
)
from gridproof_model.trace import OperationKind

NAME = "sets"
SETS = 2
KINDS = (OperationKind.INSERT,) * 5 + (OperationKind.DISCARD,) * 2 + (OperationKind.READ,) * 2


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Mostly insertions; what is discarded was inserted by an earlier errand."""
    inserted: dict[str, list[str]] = {}

    def draw_one(number: int) -> Errand:
        key = f"{NAME}-{draw_place(rng, load, SETS, lambda: rng.randrange(SETS))}"
        known = inserted.setdefault(key, [])
        kind = draw_kind(rng, load, KINDS)
        if kind is OperationKind.DISCARD and known:
            return Errand(NAME, kind, key, rng.choice(known))
        if kind in (OperationKind.INSERT, OperationKind.DISCARD):
            known.append(f"v{number}")
            return Errand(NAME, OperationKind.INSERT, key, known[-1])
        return Errand(NAME, OperationKind.READ, key)

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Call:
    """Add, discard, or read everything."""
    structure, item = set_of(errand.key), errand.value or ""
    operation: Operation
    match errand.kind:
        case OperationKind.INSERT:
            operation = Add(structure, item)
        case OperationKind.DISCARD:
            operation = Discard(structure, item)
        case _:
            operation = Elements(structure)
    return Call(number, operation, partition_of_set(errand.key, partition_count), errand.client)


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line: what was asked for and whether it changed anything, or everything that was read."""
    partition = partition_of_set(errand.key, partition_count)
    if errand.kind is OperationKind.READ:
        items = " ".join(map(str, value)) if isinstance(value, tuple) else None
        return (Told(errand.kind, errand.key, partition, items),)
    return (Told(errand.kind, errand.key, partition, errand.value, truth_of(value)),)


def look(key: str) -> Errand:
    """Read the set."""
    return Errand(NAME, OperationKind.READ, key)


def set_of(key: str) -> StructureId:
    """Return the set that a key is."""
    return StructureId("set", key)


def partition_of_set(key: str, partition_count: int) -> int:
    """Return where a set is."""
    return partition_of_structure(set_of(key), partition_count)


WORKLOAD = Workload(NAME, "values are put into sets and taken out", draw, ask, tell, look, set_of, partition_of_set)
