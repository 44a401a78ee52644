"""Counters: entries of a map that an entry processor increments."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.protocol.structures.map import Get, Process
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

NAME = "counter"
MAP = StructureId("map", NAME)
KEYS = 3
READ_SHARE = 0.2


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Mostly increments, of a few counters."""

    def draw_one(number: int) -> Errand:
        kind = OperationKind.READ if rng.random() < READ_SHARE else OperationKind.ADD
        return Errand(NAME, kind, f"{NAME}-{rng.randrange(KEYS)}")

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Call:
    """Run the processor, or read."""
    adds = errand.kind is OperationKind.ADD
    operation: Operation = Process(MAP, errand.key, Increment()) if adds else Get(MAP, errand.key)
    return Call(number, operation, partition_of_entry(errand.key, partition_count), errand.client)


def tell(errand: Errand, value: object, partition_count: int) -> Sequence[Told]:
    """One line, with the sum."""
    return (Told(errand.kind, errand.key, partition_of_entry(errand.key, partition_count), text_of(value)),)


def look(key: str) -> Errand:
    """Read the counter."""
    return Errand(NAME, OperationKind.READ, key)


WORKLOAD = Workload(
    NAME,
    "counters are incremented by entry processors",
    draw,
    ask,
    tell,
    look,
    sent_as_operations=frozenset({MAP}),
)
