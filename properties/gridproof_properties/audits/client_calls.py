"""Calls of clients, as values; and a few calls of each kind, one after another, that show whether answers are wrong.

Each call is a value that says what it asks for; `ask` makes the call through the port of a grid. `every_verb` gives
audits and state machines the same calls: at any moment, and with few keys, each verb that the grid offers. `every_verb`
first reads what it left under its keys the last time, so that losses since then show; then it changes the values twice
in a row, and reads them again.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from gridproof_implementation.adapter import Ability, Grid, ReadAnswer, WholeGrid, WriteAnswer
from gridproof_model.trace import OperationKind


@dataclass(frozen=True, slots=True)
class Write:
    """Put an entry."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class WriteMany:
    """Puts several entries in one call."""

    entries: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Takes an entry out."""

    key: str


@dataclass(frozen=True, slots=True)
class Read:
    """Get an entry."""

    key: str
    through: int | None = None
    """The name, in a program, of the member that is asked; None if the adapter chooses a member."""


@dataclass(frozen=True, slots=True)
class Operate:
    """Asks for an operation of another kind."""

    kind: OperationKind
    key: str
    value: str | None = None
    expected: str | None = None
    client: int = 0


def beyond_ascii(value: str) -> str:
    """Return a value with what a careless system loses: accents written in both ways, blanks at the ends, escapes."""
    return f' {value}: "w\u00e9rt"\\\t\u5024 we\u0301rt \U0001f600\n'


ClientCall = Write | WriteMany | Remove | Read | Operate
NAMES = ("entry", "empty", "removed", "first", "second", "cell", "counter", "list", "queue", "lock")
"""The names of the keys of `every_verb`; each name says what the key is used for."""


def ask(call: Write | WriteMany | Remove | Operate, grid: Grid) -> WriteAnswer | ReadAnswer:
    """Make a call; the grid has to offer the verb of the call."""
    whole: WholeGrid = grid  # type: ignore[assignment]
    match call:
        case Write(key, value):
            return whole.write(key, value)
        case WriteMany(entries):
            return whole.write_many(dict(entries))
        case Remove(key):
            return whole.remove(key)
        case Operate(kind, key, value, expected, client):
            return whole.operate(kind, key, value, expected, client=client)


def every_verb(
    abilities: frozenset[Ability],
    operations: frozenset[OperationKind],
    keys: Mapping[str, str],
    new_value: Callable[[], str],
) -> Iterator[ClientCall]:
    """Yield calls of every verb that a grid offers; `keys` has a key for each of `NAMES`, and no value is written
    twice.

    The empty value is an exception: unless it is written, nothing shows whether the system distinguishes empty from
    absent.
    """
    offered = operations if Ability.OPERATE in abilities else frozenset[OperationKind]()
    yield from _left_there(abilities, offered, keys)
    entry, removed = keys["entry"], keys["removed"]
    yield from (Write(entry, new_value()), Write(entry, new_value()), Read(entry))
    yield from (Write(keys["empty"], new_value()), Write(keys["empty"], ""), Read(keys["empty"]))
    if Ability.REMOVE in abilities:
        for _ in range(2):
            yield from (Write(removed, new_value()), Remove(removed))
        yield Read(removed)
    if Ability.WRITE_MANY in abilities:
        for _ in range(2):
            yield WriteMany(((keys["first"], new_value()), (keys["second"], new_value())))
        yield from (Read(keys["first"]), Read(keys["second"]))
    if OperationKind.COMPARE_AND_SET in offered:
        yield from _comparing(keys["cell"], new_value)
    if OperationKind.SIZE in offered:
        yield from (Operate(OperationKind.SIZE, ""),) * 2
    if OperationKind.ADD in offered:
        counter = keys["counter"]
        yield from (Operate(OperationKind.ADD, counter), Operate(OperationKind.ADD, counter), Read(counter))
    if OperationKind.APPEND in offered:
        appends = (Operate(OperationKind.APPEND, keys["list"], new_value()) for _ in range(2))
        yield from (*appends, Operate(OperationKind.READ, keys["list"]))
    if OperationKind.OFFER in offered:
        poll = Operate(OperationKind.POLL, keys["queue"])
        offers = [Operate(OperationKind.OFFER, keys["queue"], new_value()) for _ in range(3)]
        yield from (offers[0], offers[1], poll, offers[2], poll)
    if OperationKind.LOCK in offered:
        yield from _locking(keys["lock"])


def _left_there(
    abilities: frozenset[Ability], offered: frozenset[OperationKind], keys: Mapping[str, str]
) -> Iterator[ClientCall]:
    """Yield reads of what the last round of calls left under the keys."""
    yield from (Read(keys["entry"]), Read(keys["entry"]), Read(keys["empty"]))
    if Ability.REMOVE in abilities:
        yield Read(keys["removed"])
    if Ability.WRITE_MANY in abilities:
        yield from (Read(keys["first"]), Read(keys["second"]))
    if OperationKind.POLL in offered:
        yield Operate(OperationKind.POLL, keys["queue"])
    if OperationKind.CONTAINS in offered:
        yield from (Operate(OperationKind.CONTAINS, keys[name]) for name in ("entry", "entry", "removed"))


def _comparing(cell: str, new_value: Callable[[], str]) -> Iterator[ClientCall]:
    first, second, third = new_value(), new_value(), new_value()
    yield Write(cell, first)
    yield from (Operate(OperationKind.COMPARE_AND_SET, cell, second, first), Read(cell))
    yield from (Operate(OperationKind.COMPARE_AND_SET, cell, third, second), Read(cell))
    yield from (Operate(OperationKind.COMPARE_AND_SET, cell, new_value(), first), Read(cell))


def _locking(lock: str) -> Iterator[ClientCall]:
    """Yield the calls of two clients for a lock: the second client gets it after the first has given it back."""
    for client, kind in (
        (1, OperationKind.LOCK), (2, OperationKind.LOCK), (1, OperationKind.UNLOCK), (2, OperationKind.LOCK),
        (2, OperationKind.UNLOCK),
    ):  # fmt: skip
        yield Operate(kind, lock, client=client)
