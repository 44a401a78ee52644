"""What a workload is: what clients ask for.

`workloads/` holds them, one a file. A workload draws operations, turns an operation into a call of a member, and an
answer into what is recorded; `mix` makes one workload of several. A key names its structure: `register-3` is an entry
of the map `register`, `register.2-3` one of the map `register.2`.
"""

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
"""Structures of one workload, where each has entries of its own."""
ASKED_OF_ALL = frozenset({OperationKind.READ, OperationKind.READ_BACKUP, OperationKind.DESTROY})
"""What may be asked of every structure."""
NO_ENTRIES = frozenset({OperationKind.SIZE, OperationKind.ASK_SAFE})
"""Kinds whose key names no entry that could be read."""
DESTROYED = frozenset({"map", "list", "queue", "set"})
"""Kinds of structures that clients destroy; whoever destroyed a lock store would free every lock."""
READ_BACKUP_SHARE = 0.5
"""Reads that a backup may answer, where clients read from backups."""


@dataclass(frozen=True, slots=True)
class Load:
    """How much of what is to be drawn."""

    client_operations: int
    clients: int
    pause_ms: int
    """The longest pause of a client between two operations."""
    serial: int = 0
    """Number of the first operation: values of a run are distinguished by it."""
    structures: int = 1
    """How many structures of a kind there are, at most `STRUCTURES_MAX`."""
    off: frozenset[OperationKind] = frozenset()
    """Kinds of operations that nobody asks for, where a workload can do without them."""
    reads_backups: bool = False
    """Whether backups may answer some reads (read-backup-data of a structure's configuration)."""
    backup_read_share: float = READ_BACKUP_SHARE
    """How many of the reads these are, where backups may answer."""
    keys: int = 0
    """How many keys each structure of a workload has; 0 for as many as the workload itself draws."""
    popularity: Zipf | None = None
    """How much more often some keys are asked for than others; None for as the workload itself draws."""


@dataclass(frozen=True, slots=True)
class Line(Value):
    """One line of a history: an operation may touch several entries."""

    kind: OperationKind
    key: str
    partition: int | None
    value: str | None
    answer: str | None = None


@dataclass(frozen=True, slots=True)
class MemberRequest:
    """What a client asks of its member itself: not a call of an operation."""

    action: Callable[..., Sequence[Effect]]
    """A method of the member that takes the arguments, then the time."""
    arguments: tuple[object, ...]
    is_answered: bool = True
    """Whether an answer comes, with the operation's number."""


Request = Call | CallMany | MemberRequest


@dataclass(frozen=True, slots=True)
class Workload:
    """One kind of use."""

    name: str
    sentence: str
    """What clients do, in one line."""
    draw: Callable[[Random, Load], Sequence[ClientOperation]]
    ask: Callable[[ClientOperation, int, int], Request]
    """From an operation, the number of its call and the partition count."""
    lines: Callable[[ClientOperation, object, int], Sequence[Line]]
    """From an operation, what was answered (None without an answer) and the partition count, to what is recorded."""
    look: Callable[[str], ClientOperation]
    """The operation that reads a key when everything is over."""
    structure: Callable[[str], StructureId]
    """From a key, the structure it belongs to."""
    partition: Callable[[str, int], int]
    """From a key and the partition count, where it is."""
    drain: Callable[[str, int], Sequence[ClientOperation]] = lambda key, client_operations: ()
    """The operations that take out everything that so many operations can have put in; the very last ones of a run."""
    sent_as_operations: frozenset[StructureId] = frozenset()
    """Structures whose backups repeat the operation: copies may differ for good (calls.30)."""
    share: float = 1.0
    """How many operations it has in a mix, compared with others."""
    has_job: bool = False
    """Whether a stream job rides along with every run."""
    asks: frozenset[OperationKind] = ASKED_OF_ALL
    """What its clients ask for; of several workloads at the same time each has its own."""
    mixes: tuple[str, ...] = ()
    """The workloads that it does at the same time, by name; empty where it is one."""


PLACES_KEPT_MAX = 4_096
"""Keys of which it is remembered in which partition they are."""
Answered = tuple[str | None, ...]
"""What is recorded of one entry: its value, and where that was asked for, what came back."""
Recorded = Callable[[ClientOperation, object], Answered]
"""From what was asked for, and what came back, to what is recorded."""


@dataclass(frozen=True, slots=True)
class Verb:
    """One kind of operation, of one entry or one structure."""

    operation: Callable[[StructureId, ClientOperation], Operation]
    recorded: Recorded


def what_was_asked(asked: ClientOperation, _: object) -> Answered:
    """Record what was asked for, whatever came back."""
    return (asked.value,)


def what_came(word: Callable[[object], str | None]) -> Recorded:
    """Record what came back, in a word."""
    return lambda _, value: (word(value),)


def both(word: Callable[[object], str | None]) -> Recorded:
    """Record what was asked for, and beside it what came back."""
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
    """Return a workload of which each operation is one call, and one line of the history.

    A key is an entry, or the whole structure, which then lives in one partition. What is asked for and has no verb is a
    read.
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
    """Return the call of a client, which a backup may answer where the client allows it."""
    from_backup = asked.kind is OperationKind.READ_BACKUP
    return Call(number, operation, partition, asked.client, read_from_backup=from_backup)


def request_of(workload: Workload, client_operation: ClientOperation, number: int, partition_count: int) -> Request:
    """Return what a client asks for an operation, by the number of its call."""
    if client_operation.kind is OperationKind.DESTROY:
        return MemberRequest(GridMember.destroy, (workload.structure(client_operation.keys[0]),), is_answered=False)
    return workload.ask(client_operation, number, partition_count)


def lines_of(
    workload: Workload, client_operation: ClientOperation, value: object, partition_count: int
) -> Sequence[Line]:
    """Return what is recorded of an operation and what was answered; None without an answer."""
    if client_operation.kind is OperationKind.DESTROY:
        return [
            Line(client_operation.kind, key, workload.partition(key, partition_count), None)
            for key in client_operation.keys
        ]
    return workload.lines(client_operation, value, partition_count)


def mix(name: str, sentence: str, workloads: Sequence[Workload]) -> Workload:
    """Return the workload that does what several do, all at the same time; operations know theirs by their `use`."""
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
    """Return operations, each drawn by its number, dealt to clients with pauses."""
    return [
        draw_one(number).dealt(rng.randrange(load.clients), int(load.pause_ms * rng.random() ** 2))
        for number in range(load.serial, load.serial + load.client_operations)
    ]


def one_by_one(
    draw_one: Callable[[Random, Load, int], ClientOperation],
) -> Callable[[Random, Load], Sequence[ClientOperation]]:
    """Return how operations are drawn of which each is drawn by its number alone."""
    return lambda rng, load: draw_client_operations(rng, load, lambda number: draw_one(rng, load, number))


def draw_destroy(
    rng: Random, workload: Workload, client_operations: Sequence[ClientOperation]
) -> Sequence[ClientOperation]:
    """Return operations with one more among them that destroys a structure; the same where there is none to destroy.

    Whoever uses the structure after that makes it again.
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
    """Return one of some kinds that is not switched off, the first where all others are."""
    kind = rng.choice([kind for kind in kinds if kind not in load.off] or kinds[:1])
    may_be_old = kind is OperationKind.READ and from_backups and rng.random() < load.backup_read_share
    return OperationKind.READ_BACKUP if may_be_old else kind


def draw_place(rng: Random, load: Load, usual_keys: int, usual: Callable[[], int]) -> int:
    """Return the number of a key from 0: as `usual` draws it, unless keys or their popularity are asked for."""
    if not load.keys and load.popularity is None:
        return usual()
    keys = load.keys or usual_keys
    return bisect_right(_shares_of(load.popularity or Zipf(0.0), keys), rng.random())


@lru_cache(maxsize=16)
def _shares_of(popularity: Zipf, keys: int) -> tuple[float, ...]:
    return popularity.cumulated(keys)


def draw_structure(rng: Random, load: Load, name: str) -> str:
    """Return the name of one of the structures of a workload."""
    number = rng.randrange(load.structures) if load.structures > 1 else 0
    return name if number == 0 else f"{name}.{number + 1}"


def structures_named(kind: str, name: str) -> Collection[StructureId]:
    """Return all structures that a workload can have."""
    return [StructureId(kind, name if number == 1 else f"{name}.{number}") for number in range(1, STRUCTURES_MAX + 1)]


@lru_cache(maxsize=4096)
def name_of(key: str) -> str:
    """Return the name of the structure that an entry belongs to: letters, and a number where there are several."""
    found = _STRUCTURE_NAME.match(key)
    return key if found is None else found.group()


def map_of(key: str) -> StructureId:
    """Return the map of an entry."""
    return StructureId("map", name_of(key))


def use_of(key: str) -> str:
    """Return the workload of a key."""
    return name_of(key).split(".")[0]


@lru_cache(maxsize=4096)
def partition_of_entry(key: str, partition_count: int) -> int:
    """Return the partition of an entry of a map."""
    return partition_of(Key(KeyType.STRING, key), partition_count)


@lru_cache(maxsize=256)
def partition_of_structure(structure: StructureId, partition_count: int) -> int:
    """Return the partition of a structure that lives in one."""
    return partition_of_name(structure.name, partition_count)


def items_of(value: object) -> str | None:
    """Return all values of a list or set that was read as a trace holds them."""
    return " ".join(map(str, value)) if isinstance(value, tuple) else text_of(value)


def text_of(value: object) -> str | None:
    """Return an answered value as a trace holds it."""
    return None if value is None else str(value)


def truth_of(value: object) -> str | None:
    """Return an answered yes or no as a trace holds it."""
    return None if value is None else str(value).lower()
