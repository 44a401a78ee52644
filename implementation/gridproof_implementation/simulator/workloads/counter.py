"""Counters: entries of a map that an entry processor increments."""

from collections.abc import Sequence
from random import Random

from gridproof_implementation.protocol.entry_processors.increment import Increment
from gridproof_implementation.protocol.node import Call
from gridproof_implementation.protocol.structure import Operation
from gridproof_implementation.protocol.structures.map import Get, Process
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
    structures_named,
    text_of,
)
from gridproof_model.trace import OperationKind

NAME = "counter"
KEYS = 3
KINDS = (OperationKind.ADD,) * 4 + (OperationKind.READ,)


def draw(rng: Random, load: Load) -> Sequence[Errand]:
    """Mostly increments, of a few counters."""

    def draw_one(number: int) -> Errand:
        return Errand(
            NAME,
            draw_kind(rng, load, KINDS, from_backups=load.reads_backups),
            f"{draw_structure(rng, load, NAME)}-{draw_place(rng, load, KEYS, lambda: rng.randrange(KEYS))}",
        )

    return draw_errands(rng, load, draw_one)


def ask(errand: Errand, number: int, partition_count: int) -> Call:
    """Run the processor, or read."""
    adds, structure = errand.kind is OperationKind.ADD, map_of(errand.key)
    operation: Operation = Process(structure, errand.key, Increment()) if adds else Get(structure, errand.key)
    from_backup = errand.kind is OperationKind.READ_BACKUP
    partition = partition_of_entry(errand.key, partition_count)
    return Call(number, operation, partition, errand.client, read_from_backup=from_backup)


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
    map_of,
    partition_of_entry,
    sent_as_operations=frozenset(structures_named("map", NAME)),
)
