"""What a workload is: what clients ask for.

`workloads/` holds them, one a file. A workload draws errands, turns an errand into a call of a member, and an answer
into what is recorded; `mix` makes one workload of several.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator.scenario import Errand
from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import partition_of, partition_of_name
from gridproof_model.trace import OperationKind
from gridproof_model.value import Value


@dataclass(frozen=True, slots=True)
class Load:
    """How much is to be drawn."""

    errands: int
    clients: int
    pause_ms: int
    """The longest pause of a client between two errands."""
    serial: int = 0
    """Number of the first errand: values of a run are told apart by it."""


@dataclass(frozen=True, slots=True)
class Told(Value):
    """One line of a history: an errand may touch several entries."""

    kind: OperationKind
    key: str
    partition: int | None
    value: str | None


@dataclass(frozen=True, slots=True)
class Workload:
    """One kind of use."""

    name: str
    sentence: str
    """What clients do, in one line."""
    draw: Callable[[Random, Load], Sequence[Errand]]
    ask: Callable[[Errand, int, int], Call | CallMany]
    """From an errand, the number of its call and the partition count."""
    tell: Callable[[Errand, object, int], Sequence[Told]]
    """From an errand, what was answered (None without an answer) and the partition count, to what is recorded."""
    look: Callable[[str], Errand]
    """The errand that reads a key when everything is over."""
    drain: Callable[[str, int], Sequence[Errand]] = lambda key, errands: ()
    """The errands that take out everything that so many errands can have put in; the very last ones of a run."""
    sent_as_operations: frozenset[StructureId] = frozenset()
    """Structures whose backups repeat the operation: copies may differ for good (reference replication 5)."""
    has_job: bool = False
    """Whether a stream job rides along with every run."""


def mix(name: str, sentence: str, workloads: Sequence[Workload]) -> Workload:
    """Return the workload that does what several do, all at the same time; errands know theirs by their `use`."""
    by_name = {workload.name: workload for workload in workloads}

    def draw(rng: Random, load: Load) -> Sequence[Errand]:
        errands: list[Errand] = []
        shares = [replace(load, errands=load.errands // len(workloads) + 1) for _ in workloads]
        for workload, share in zip(workloads, shares, strict=True):
            serial = load.serial + len(errands)
            errands += workload.draw(rng, replace(share, serial=serial))
        rng.shuffle(errands)
        return errands[: load.errands]

    return Workload(
        name,
        sentence,
        draw,
        lambda errand, number, count: by_name[errand.use].ask(errand, number, count),
        lambda errand, value, count: by_name[errand.use].tell(errand, value, count),
        lambda key: by_name[key.split("-")[0]].look(key),
        lambda key, errands: by_name[key.split("-")[0]].drain(key, errands),
        frozenset[StructureId]().union(*(workload.sent_as_operations for workload in workloads)),
    )


def draw_errands(rng: Random, load: Load, draw_one: Callable[[int], Errand]) -> list[Errand]:
    """Return errands, each drawn by its number, dealt to clients with pauses."""
    return [
        replace(draw_one(number), client=rng.randrange(load.clients), pause_ms=int(load.pause_ms * rng.random() ** 2))
        for number in range(load.serial, load.serial + load.errands)
    ]


@lru_cache(maxsize=4096)
def partition_of_entry(key: str, partition_count: int) -> int:
    """Return the partition of an entry of a map."""
    return partition_of(Key(KeyType.STRING, key), partition_count)


@lru_cache(maxsize=256)
def partition_of_structure(structure: StructureId, partition_count: int) -> int:
    """Return the partition of a structure that lives in one."""
    return partition_of_name(structure.name, partition_count)


def text_of(value: object) -> str | None:
    """Return an answered value as a trace holds it."""
    return None if value is None else str(value)
