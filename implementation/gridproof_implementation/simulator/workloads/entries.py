"""Many entries of a map written in one call."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.map import Get, PutAll
from gridproof_implementation.simulator.scenario import Errand
from gridproof_implementation.simulator.workload import (
    Load,
    Told,
    Workload,
    draw_errands,
    partition_of_entry,
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "entries"
MAP = StructureId("map", NAME)
KEYS = 12
READ_SHARE = 0.3


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Writes of several entries each, and reads of one."""

    def draw_one(number: int) -> Errand:
        if rng.random() < READ_SHARE:
            return Errand(NAME, OperationKind.READ, f"{NAME}-{rng.randrange(KEYS)}")
        keys = sorted(rng.sample(range(KEYS), rng.randint(1, 6)))
        values = " ".join(f"v{number}.{place}" for place in range(len(keys)))
        return Errand(NAME, OperationKind.WRITE, " ".join(f"{NAME}-{key}" for key in keys), values)

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Call | CallMany:
    """Put all, partition by partition (reference replication 2.8), or get one."""
    if errand.kind is OperationKind.READ:
        return Call(number, Get(MAP, errand.key), partition_of_entry(errand.key, partition_count), errand.client)
    pairs: dict[int, list[tuple[str, str]]] = {}
    for key, value in _pairs(errand):
        pairs.setdefault(partition_of_entry(key, partition_count), []).append((key, value))
    operations: list[tuple[int, Operation]] = [(part, PutAll(MAP, tuple(pairs[part]))) for part in sorted(pairs)]
    return CallMany(number, tuple(operations), errand.client)


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line an entry."""
    if errand.kind is OperationKind.READ:
        return (Told(errand.kind, errand.key, partition_of_entry(errand.key, partition_count), text_of(value)),)
    return [Told(errand.kind, key, partition_of_entry(key, partition_count), told) for key, told in _pairs(errand)]


def look(key: str) -> Errand:
    """Read one entry."""
    return Errand(NAME, OperationKind.READ, key)


def _pairs(errand: Errand) -> list[tuple[str, str]]:
    return list(zip(errand.key.split(), (errand.value or "").split(), strict=True))


WORKLOAD = Workload(NAME, "several entries are written in one call", draw, ask, tell, look)
