"""What a workload is: the operations that clients request.

The workloads are in `workloads/`, one per file. A workload draws operations, turns an operation into a call to a
member, and turns an answer into a record; `mix` makes one workload of several. A key contains the name of its
structure: `register-3` is an entry of the map `register`, and `register.2-3` is an entry of the map `register.2`."""

import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random

from gridproof_implementation.protocol.effects import Effect
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.node import Call, CallMany
from gridproof_implementation.protocol.structure import Operation, StructureId
from gridproof_implementation.simulator.distributions import Zipf
from gridproof_implementation.simulator.scenario import ClientOperation
from gridproof_model.keys import Key, KeyType
from gridproof_model.routing import partition_of, partition_of_name
from gridproof_model.trace import OperationKind
from gridproof_model.value import Value

_STRUCTURE_NAME = re.compile(r"[a-z]+(\.\d+)?")
STRUCTURES_MAX = 3
"""The largest number of structures in one workload, if each structure has entries of its own."""
ASKED_OF_ALL = frozenset({OperationKind.READ, OperationKind.READ_BACKUP, OperationKind.DESTROY})
"""The kinds of operations that clients request from every structure."""
NO_ENTRIES = frozenset({OperationKind.SIZE, OperationKind.ASK_SAFE})
"""The kinds of operations whose key names no entry that could be read."""
DESTROYED = frozenset({"map", "list", "queue", "set"})
"""The kinds of structures that clients destroy; if a lock store were destroyed, all its locks would be free."""
READ_BACKUP_SHARE = 0.5
"""The share of reads that a backup may answer if clients read from backups."""


@dataclass(frozen=True, slots=True)
class Load:
    """How many operations, clients and keys a workload has to draw, and how."""

    client_operations: int
    clients: int
    pause_ms: int
    """The longest pause of a client between two operations."""
    serial: int = 0
    """The number of the first operation; the values of a run differ, as each contains its operation's number."""
    structures: int = 1
    """The number of structures of one kind, at most `STRUCTURES_MAX`."""
    off: frozenset[OperationKind] = frozenset()
    """The kinds of operations that no client requests, as far as a workload can do without these kinds."""
    reads_backups: bool = False
    """Whether backups may answer some reads (read-backup-data of a structure's configuration)."""
    backup_read_share: float = READ_BACKUP_SHARE
    """The share of reads that backups may answer."""
    keys: int = 0
    """The number of keys in each structure of a workload; 0 for the number that the workload itself draws."""
    popularity: Zipf | None = None
    """How much more often some keys are requested than others; None to leave this to the workload."""


@dataclass(frozen=True, slots=True)
class Line(Value):
    """One line of a history; an operation on several entries has several lines."""

    kind: OperationKind
    key: str
    partition: int | None
    value: str | None
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class MemberRequest:
    """A request of a client to its member itself, and not a call of an operation."""

    action: Callable[..., Sequence[Effect]]
    """A method of the member, which takes the arguments and then the time."""
    arguments: tuple[object, ...]
    is_answered: bool = True
    """Whether the member answers the request, with the number of the call."""


Request = Call | CallMany | MemberRequest


@dataclass(frozen=True, slots=True)
class Workload:
    """One way in which clients use a grid."""

    name: str
    sentence: str
    """What the clients do, as one line of text."""
    draw: Callable[[Random, Load], Sequence[ClientOperation]]
    ask: Callable[[ClientOperation, int, int], Request]
    """A function that returns the request for an operation, given the operation, the number of its call and the
    partition count."""
    lines: Callable[[ClientOperation, object, int], Sequence[Line]]
    """A function that returns the lines to record, given an operation, its answer (None if there is none) and the
    partition count."""
    look: Callable[[str], ClientOperation]
    """A function that returns the operation that reads a key at the end of a run."""
    structure: Callable[[str], StructureId]
    """A function that returns the structure of a key."""
    partition: Callable[[str, int], int]
    """A function that returns the partition of a key, given the partition count."""
    drain: Callable[[str, int], Sequence[ClientOperation]] = lambda key, client_operations: ()
    """A function that returns a run's last operations, which remove everything that a number of operations may have
    added."""
    sent_as_operations: frozenset[StructureId] = frozenset()
    """The structures whose backups repeat the operation itself, so that copies may differ for good (calls.30)."""
    share: float = 1.0
    """The weight of the workload in a mix: its share of the operations is proportional to this number."""
    has_job: bool = False
    """Whether a stream job runs in every run of this workload."""
    asks: frozenset[OperationKind] = ASKED_OF_ALL
    """The kinds of operations that the clients of the workload request; in a mix each workload has its own kinds."""
    mixes: tuple[str, ...] = ()
    """The names of the workloads that this workload mixes; empty if it is a single workload."""


PLACES_KEPT_MAX = 4_096
"""The number of keys whose partition is cached."""
Answered = tuple[str | None, ...]
"""What is recorded for one entry: its value and, for some operations, the answer."""
Recorded = Callable[[ClientOperation, object], Answered]
"""A function that returns what is recorded, given the operation and the answer."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of operation on one entry or one structure."""

    operation: Callable[[StructureId, ClientOperation], Operation]
    recorded: Recorded


def what_was_asked(asked: ClientOperation, _: object) -> Answered:
    """Record the value of the request, whatever the answer is."""
    return (asked.value,)


def what_came(word: Callable[[object], str | None]) -> Recorded:
    """Return a function that records the answer, as the text that `word` makes of it."""
    return lambda _, value: (word(value),)


def both(word: Callable[[object], str | None]) -> Recorded:
    """Return a function that records the value of the request and, beside it, the answer."""
    return lambda asked, value: (asked.value, word(value))


def of_single_calls(
    name: str,
    sentence: str,
    verbs: Mapping[OperationKind, Verb],
    draw: Callable[[Random, Load], Sequence[ClientOperation]],
    structure: Callable[[str], StructureId],
    *,
    is_whole: bool = False,
    drain: Callable[[str, int], Sequence[ClientOperation]] = lambda key, client_operations: (),
    sent_as_operations: Collection[StructureId] = (),
) -> Workload:
    """Return a workload in which each operation is one call, and one line of the history.

    A key is that of an entry, or that of the whole structure, which is then in one partition. A kind of operation that
    `verbs` does not contain is executed as a read.
    """

    @lru_cache(PLACES_KEPT_MAX)
    def partition(key: str, partition_count: int) -> int:
        if is_whole:
            return partition_of_structure(structure(key), partition_count)
        return partition_of_entry(key, partition_count)

    def verb(asked: ClientOperation) -> Verb:
        return verbs.get(asked.kind) or verbs[OperationKind.READ]

    def ask(asked: ClientOperation, number: int, partition_count: int) -> Call:
        operation = verb(asked).operation(structure(asked.key), asked)
        return call_of(asked, number, operation, partition(asked.key, partition_count))

    def lines(asked: ClientOperation, value: object, partition_count: int) -> Sequence[Line]:
        recorded = verb(asked).recorded(asked, value)
        return (Line(asked.kind, asked.key, partition(asked.key, partition_count), *recorded),)

    return Workload(
        name, sentence, draw, ask, lines, lambda key: ClientOperation(name, OperationKind.READ, key), structure,
        partition, drain, frozenset(sent_as_operations), asks=ASKED_OF_ALL.union(verbs),
    )  # fmt: skip


def call_of(asked: ClientOperation, number: int, operation: Operation, partition: int) -> Call:
    """Return the call of a client, which a backup may answer if the kind of operation allows it."""
    from_backup = asked.kind is OperationKind.READ_BACKUP
    return Call(number, operation, partition, asked.client, read_from_backup=from_backup)


def request_of(workload: Workload, client_operation: ClientOperation, number: int, partition_count: int) -> Request:
    """Return the request for an operation, with the number of its call."""
    if client_operation.kind is OperationKind.DESTROY:
        return MemberRequest(GridMember.destroy, (workload.structure(client_operation.keys[0]),), is_answered=False)
    return workload.ask(client_operation, number, partition_count)


def lines_of(
    workload: Workload, client_operation: ClientOperation, value: object, partition_count: int
) -> Sequence[Line]:
    """Return the lines to record for an operation and its answer, which is None if there was no answer."""
    if client_operation.kind is OperationKind.DESTROY:
        return [
            Line(client_operation.kind, key, workload.partition(key, partition_count), None)
            for key in client_operation.keys
        ]
    return workload.lines(client_operation, value, partition_count)


def mix(name: str, sentence: str, workloads: Sequence[Workload]) -> Workload:
    """Return a workload whose clients use several workloads at the same time; the `use` of an operation names its
    workload."""
    by_name = {workload.name: workload for workload in workloads}

    def of_key(key: str) -> Workload:
        return by_name[use_of(key)]

    def draw(rng: Random, load: Load) -> Sequence[ClientOperation]:
        client_operations: list[ClientOperation] = []
        whole = sum(workload.share for workload in workloads)
        for workload in workloads:
            share = int(load.client_operations * workload.share / whole) + 1
            serial = load.serial + len(client_operations)
            client_operations += workload.draw(rng, replace(load, client_operations=share, serial=serial))
        rng.shuffle(client_operations)
        return client_operations[: load.client_operations]

    return Workload(
        name,
        sentence,
        draw,
        lambda client_operation, number, count: by_name[client_operation.use].ask(client_operation, number, count),
        lambda client_operation, value, count: by_name[client_operation.use].lines(client_operation, value, count),
        lambda key: of_key(key).look(key),
        lambda key: of_key(key).structure(key),
        lambda key, count: of_key(key).partition(key, count),
        lambda key, client_operations: of_key(key).drain(key, client_operations),
        frozenset[StructureId]().union(*(workload.sent_as_operations for workload in workloads)),
        mixes=tuple(by_name),
    )


def draw_client_operations(
    rng: Random, load: Load, draw_one: Callable[[int], ClientOperation]
) -> list[ClientOperation]:
    """Draw operations, each given its number, and assign them to clients with pauses."""
    return [
        draw_one(number).dealt(rng.randrange(load.clients), int(load.pause_ms * rng.random() ** 2))
        for number in range(load.serial, load.serial + load.client_operations)
    ]


def one_by_one(
    draw_one: Callable[[Random, Load, int], ClientOperation],
) -> Callable[[Random, Load], Sequence[ClientOperation]]:
    """Return a function that draws operations, each independently of the others."""
    return lambda rng, load: draw_client_operations(rng, load, lambda number: draw_one(rng, load, number))


def draw_destroy(
    rng: Random, workload: Workload, client_operations: Sequence[ClientOperation]
) -> Sequence[ClientOperation]:
    """Insert one operation that destroys a structure; return the operations unchanged if none can be destroyed.

    The next operation on the destroyed structure creates it again.
    """
    known = [
        e for e in client_operations if e.kind not in NO_ENTRIES and workload.structure(e.keys[0]).kind in DESTROYED
    ]
    if not known:
        return client_operations
    chosen = rng.choice(known)
    structure = workload.structure(chosen.keys[0])
    keys = {key for client_operation in known for key in client_operation.keys if workload.structure(key) == structure}
    destroy = replace(chosen, kind=OperationKind.DESTROY, key=" ".join(sorted(keys)), value=None, expected=None)
    place = rng.randrange(len(client_operations) + 1)
    return [*client_operations[:place], destroy, *client_operations[place:]]


def draw_kind(rng: Random, load: Load, kinds: Sequence[OperationKind], *, from_backups: bool = False) -> OperationKind:
    """Draw one of the kinds that are not switched off; if all are switched off, return the first kind."""
    kind = rng.choice([kind for kind in kinds if kind not in load.off] or kinds[:1])
    may_be_old = kind is OperationKind.READ and from_backups and rng.random() < load.backup_read_share
    return OperationKind.READ_BACKUP if may_be_old else kind


def draw_place(rng: Random, load: Load, usual_keys: int, usual: Callable[[], int]) -> int:
    """Draw a key's number, from 0: by the function `usual`, unless the number of keys or their popularity is set."""
    if not load.keys and load.popularity is None:
        return usual()
    keys = load.keys or usual_keys
    return bisect_right(_shares_of(load.popularity or Zipf(0.0), keys), rng.random())


@lru_cache(maxsize=16)
def _shares_of(popularity: Zipf, keys: int) -> tuple[float, ...]:
    return popularity.cumulated(keys)


def draw_structure(rng: Random, load: Load, name: str) -> str:
    """Draw one of the structures of a workload, and return its name."""
    number = rng.randrange(load.structures) if load.structures > 1 else 0
    return name if number == 0 else f"{name}.{number + 1}"


def structures_named(kind: str, name: str) -> Collection[StructureId]:
    """Return all structures of one kind that a workload can have."""
    return [StructureId(kind, name if number == 1 else f"{name}.{number}") for number in range(1, STRUCTURES_MAX + 1)]


@lru_cache(maxsize=4096)
def name_of(key: str) -> str:
    """Return the name of the structure of an entry: letters and, if there are several structures, a number."""
    found = _STRUCTURE_NAME.match(key)
    return key if found is None else found.group()


def map_of(key: str) -> StructureId:
    """Return the map to which an entry belongs."""
    return StructureId("map", name_of(key))


def use_of(key: str) -> str:
    """Return the name of the workload to which a key belongs."""
    return name_of(key).split(".")[0]


@lru_cache(maxsize=4096)
def partition_of_entry(key: str, partition_count: int) -> int:
    """Return the partition of an entry of a map, by its key."""
    return partition_of(Key(KeyType.STRING, key), partition_count)


@lru_cache(maxsize=256)
def partition_of_structure(structure: StructureId, partition_count: int) -> int:
    """Return the partition of a structure that is in a single partition."""
    return partition_of_name(structure.name, partition_count)


def items_of(value: object) -> str | None:
    """Return all values of a list or set that was read, in the form that a trace uses."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else text_of(value)


def text_of(value: object) -> str | None:
    """Return the value of an answer in the form that a trace uses."""
    return None if value is None else str(value)


def truth_of(value: object) -> str | None:
    """Return an answer that is yes or no, in the form that a trace uses."""
    return None if value is None else str(value).lower()
