"""Adapters that break their port, one way each.

Each overrides one thing of the honest grid. `BEFORE` fail before the system shows anything, `AFTER` in the middle of
the audit, `HANGING` never return from some call. With each stands what the one line about it must name.
"""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from itertools import count, repeat
from typing import Any, cast
from unittest.mock import MagicMock

from gridproof_implementation.adapter import (
    Adapter,
    AdapterError,
    Kind,
    Node,
    ObservedRow,
    Options,
    Promise,
    PromiseWord,
    ReadAnswer,
    Refused,
    ReplicaContent,
    WriteAnswer,
)
from gridproof_model.keys import Key, KeyType
from gridproof_model.trace import Outcome
from tests.properties.honest_grid import HonestGrid, adapter_of


class UnprintableError(Exception):
    """An error that cannot say what it is."""

    def __str__(self) -> str:
        raise ValueError("no words")


def raising(error: BaseException) -> Callable[..., Any]:
    """Return a method that raises this."""

    def method(*arguments: object, **named: object) -> Any:
        raise error

    return method


def returning(value: object) -> Callable[..., Any]:
    """Return a method that returns this."""
    return lambda *arguments, **named: value


def hanging(*arguments: object, **named: object) -> Any:
    """Wait for ever."""
    threading.Event().wait()


def looping(*arguments: object, **named: object) -> Any:
    """Try again for ever, whatever is raised."""
    while True:
        try:
            threading.Event().wait(0.01)
        except BaseException:  # the worst retry loop there is
            continue


def recursing(*arguments: object, **named: object) -> Any:
    """Never end."""
    return recursing()


def grid(**overridden: object) -> Adapter:
    """The honest grid with some of its attributes and methods replaced."""
    methods = {name: found if not callable(found) else _as_method(found) for name, found in overridden.items()}
    return adapter_of(type("Bad", (HonestGrid,), methods))


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self, *arguments, **named: function(*arguments, **named)


def late(method: str, function: Callable[..., Any]) -> Adapter:
    """The honest grid, one method of which goes wrong when it is called for the second time."""
    calls = iter(range(1_000_000))

    def turn(self: HonestGrid, *arguments: object, **named: object) -> Any:
        honest = getattr(HonestGrid, method)
        return honest(self, *arguments, **named) if next(calls) == 0 else function(*arguments, **named)

    return adapter_of(type("Bad", (HonestGrid,), {method: turn}))


def opened(open_system: Callable[[Options], Any], kind: Kind = Kind.GRID) -> Adapter:
    """An adapter that opens like this."""
    return Adapter("bad", "a bad adapter, for tests", kind, open_system)


@contextmanager
def nothing(options: Options) -> Iterator[Any]:
    """Open nothing at all."""
    yield None


@contextmanager
def mock(options: Options) -> Iterator[Any]:
    """Open something that answers everything with more of itself."""
    yield MagicMock()


def leaving(leave: Callable[[], object]) -> Adapter:
    """The honest grid, which goes wrong when it is left."""

    @contextmanager
    def open_grid(options: Options) -> Iterator[HonestGrid]:
        yield HonestGrid(options)
        leave()

    return opened(open_grid)


class Endless(dict[Any, Any]):
    """A mapping that names its keys without end."""

    def __iter__(self) -> Iterator[Any]:
        return map(str, count())

    def __getitem__(self, key: object) -> Any:
        return key

    def items(self) -> Any:
        return ((key, Promise(PromiseWord.PROMISED, "")) for key in self)


class Raising(Endless):
    """A mapping that cannot be read."""

    def items(self) -> Any:
        raise OSError("gone")


class Router:
    """Keys to partitions: 0 for all at first, then by a given rule."""

    version = "1"
    key_types = (KeyType.INT,)

    def __init__(self, answer: Callable[[Sequence[Key]], object]) -> None:
        self.answer = answer
        self.calls = 0

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Any:
        self.calls += 1
        return [0] * len(keys) if self.calls == 1 else self.answer(keys)


class Placer:
    """Keys to nodes, by a given rule."""

    version = "1"
    copies = 2
    separates_zones = False

    def __init__(self, answer: Callable[[Sequence[str]], object], honest_calls: int) -> None:
        self.answer = answer
        self.calls = -honest_calls - 1

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Any:
        self.calls += 1
        return self.answer(keys) if self.calls >= 0 else [[nodes[0].name, nodes[1].name]] * len(keys)


def router(answer: Callable[[Sequence[Key]], object], key_types: Any = Router.key_types) -> Adapter:
    def opened_router(options: Options) -> Any:
        router = Router(answer)
        router.key_types = key_types
        return nullcontext(router)

    return opened(opened_router, Kind.ROUTER)


def placer(answer: Callable[[Sequence[str]], object], calls: int = 1) -> Adapter:
    """A placer that goes wrong at so many calls."""
    return opened(lambda options: nullcontext(Placer(answer, calls - 1)), Kind.PLACER)


def noisy() -> Adapter:
    """The honest grid, which prints in every way there is."""

    def write(self: HonestGrid, key: str, value: str) -> WriteAnswer:
        print("noise: print")
        if key == "key-0":
            os.write(1, b"noise: a file descriptor\n")
            subprocess.run([sys.executable, "-c", "print('noise: a process')"], check=True)
        return HonestGrid.write(self, key, value)

    return adapter_of(type("Noisy", (HonestGrid,), {"write": write}), ["full-rows"])


_WORD = cast(Any, "yes")
_NONE = cast(Any, None)
NOISY = noisy()
WRITE_FAILS = late("write", raising(KeyError("no such bucket")))
OPEN_EXITS = opened(raising(SystemExit(1)))
MISSPELT = adapter_of(promised=["full-row"])

BEFORE: Mapping[str, tuple[Adapter, str]] = {
    "open raises": (opened(raising(KeyError("host"))), "open() raised KeyError: 'host'"),
    "open exits": (OPEN_EXITS, "open() raised SystemExit: 1"),
    "open is interrupted": (opened(raising(KeyboardInterrupt())), "open() raised KeyboardInterrupt"),
    "open raises without words": (opened(raising(AdapterError())), "open() raised AdapterError"),
    "open raises many lines": (opened(raising(AdapterError("one\ntwo"))), "one two"),
    "open raises what has no text": (opened(raising(UnprintableError())), "open() raised UnprintableError"),
    "open returns nothing": (opened(returning(None)), "open() returned None; it must be a context manager"),
    "open is a bare generator": (opened(lambda options: iter([1])), "open() returned a list_iterator"),
    "open yields nothing": (opened(contextmanager(lambda options: iter(()))), "open() raised RuntimeError"),
    "open yields None": (opened(nothing), "version raised AttributeError"),
    "open yields a mock": (opened(mock), "version returned a MagicMock"),
    "promises are a list": (Adapter("bad", "", Kind.GRID, nothing, ["full-rows"]), "promises must be a mapping"),  # type: ignore[arg-type]
    "a promise is a word": (Adapter("bad", "", Kind.GRID, nothing, {"full-rows": _WORD}), "promises must be a mapping"),
    "a promise is misspelt": (MISSPELT, "did you mean full-rows?"),
    "the kind is a word": (Adapter("bad", "", "grid", nothing), "kind must be a Kind"),  # type: ignore[arg-type]
    "open is no function": (Adapter("bad", "", Kind.GRID, 7), "open must be callable"),  # type: ignore[arg-type]
    "the name has two lines": (Adapter("a\nb", "", Kind.GRID, nothing), "name must be text that is printable"),
    "the name has a slash": (Adapter("a/b", "", Kind.GRID, nothing), "name must be text that is printable, not empty"),
    "version is a number": (grid(version=1), "version returned 1; it must be text"),
    "version raises": (grid(version=property(raising(OSError("gone")))), "version raised OSError: gone"),
    "no partitions": (grid(__init__=returning(None), partition_count=0), "partition_count returned 0"),
    "partitions are text": (grid(__init__=returning(None), partition_count="271"), "partition_count returned '271'"),
    "backups are negative": (
        grid(__init__=returning(None), partition_count=3, backup_count=-1),
        "backup_count returned -1",
    ),
    "holds_data is a word": (grid(holds_data="yes"), "holds_data returned 'yes'"),
    "the clock is a float": (grid(pass_time=returning(None), now_ms=property(returning(0.5))), "now_ms"),
    "a placer raises at once": (placer(raising(OSError("no ring"))), "place() raised OSError: no ring"),
    "a placer places without end": (placer(lambda keys: repeat(["node-1"])), "more than 20,000 sequences of names"),
    "names have no end": (placer(lambda keys: [repeat("node-1")]), "place() returned more than 1,000,000 names"),
    "key types have no end": (router(lambda keys: [], repeat(KeyType.INT)), "key_types returned more than 1,000,000"),
    "a rule raises": (replace(router(lambda keys: [0] * len(keys)), rule=raising(KeyError("no"))), "rule() raised Key"),
    "a rule is a text": (replace(router(lambda keys: [0] * len(keys)), rule=returning("1")), "rule() returned '1'"),
    "promises have no end": (Adapter("bad", "", Kind.GRID, nothing, Endless()), "promises must be a mapping"),
    "promises raise": (Adapter("bad", "", Kind.GRID, nothing, Raising()), "promises must be a mapping"),
    "no member starts": (grid(start_member=returning(None)), "start_member() returned None; it must be of type Member"),
    "starting a member fails": (
        grid(start_member=raising(RuntimeError("port in use"))),
        "start_member() raised Runtime",
    ),
    "a live member fails to start": (
        replace(grid(start_member=raising(RuntimeError("port in use"))), repeatable=False),
        "start_member() raised Runtime",
    ),
}
"""By what is wrong: the adapter, and what the line about it holds."""

AFTER: Mapping[str, tuple[Adapter, str]] = {
    "members are text": (late("members", returning(["a"])), "members() returned 'a'; it must be of type Member"),
    "members are nothing": (late("members", returning(None)), "members() returned None"),
    "a group is nothing": (late("group_of", returning(None)), "group_of() returned None"),
    "a table is short": (late("view_table", returning([])), "view_table() returned 0 ObservedRows; it must return 29"),
    "rows are tuples": (late("view_table", returning([(1, 2)] * 29)), "view_table() returned a tuple"),
    "slots are names": (late("view_table", returning([ObservedRow(("a",))] * 29)), "view_table() returned 'a'"),  # type: ignore[arg-type]
    "a table is a text": (late("view_table", returning("abc")), "view_table() returned 'abc'"),
    "settled is a truth": (late("why_unsettled", returning(False)), "why_unsettled() returned False"),
    "waiting fails": (late("wait", raising(OSError("clock"))), "wait() raised OSError: clock"),
    "a write is a truth": (late("write", returning(True)), "write() returned True; it must be of type WriteAnswer"),
    "a write is nothing": (late("write", returning(None)), "write() returned None"),
    "an outcome is a word": (late("write", returning(WriteAnswer("ok"))), "write() returned 'ok'"),  # type: ignore[arg-type]
    "copies are negative": (late("write", returning(WriteAnswer(Outcome.OK, -1))), "write() returned -1"),
    "a detail has no encoding": (
        late("write", returning(WriteAnswer(Outcome.OK, detail="\ud800"))),
        "write() returned '\\ud800'",
    ),
    "a write raises": (WRITE_FAILS, "write() raised KeyError: 'no such bucket'"),
    "a write exits": (late("write", raising(SystemExit("bye"))), "write() raised SystemExit: bye"),
    "a write is interrupted": (late("write", raising(KeyboardInterrupt())), "write() raised KeyboardInterrupt"),
    "a write recurses": (late("write", recursing), "write() raised RecursionError"),
    "many writes are nothing": (late("write_many", returning(None)), "write_many() returned None"),
    "a read is a text": (late("read", returning("v")), "read() returned 'v'; it must be of type ReadAnswer"),
    "a value is a number": (late("read", returning(ReadAnswer(Outcome.OK, 7))), "read() returned 7"),  # type: ignore[arg-type]
    "a copy is a mapping": (late("read_replica", returning({})), "read_replica() returned a dict"),
    "entries are pairs": (
        late("read_replica", returning(ReplicaContent("primary", None, [("a", "b")]))),  # type: ignore[arg-type]
        "read_replica() returned a list",
    ),
    "entries are numbers": (
        late("read_replica", returning(ReplicaContent("primary", None, {"a": 1}))),  # type: ignore[dict-item]
        "read_replica() returned 1",
    ),
    "a role is nothing": (
        late("read_replica", returning(ReplicaContent(None, None, {}))),  # type: ignore[arg-type]
        "read_replica() returned None; it must be text",
    ),
    "a partition is past the end": (grid(partition_of=returning(29)), "partition_of() returned 29"),
    "a partition is a text": (grid(partition_of=returning("3")), "partition_of() returned '3'"),
    "a crash fails": (grid(crash=raising(ProcessLookupError("4711"))), "crash() raised ProcessLookupError: 4711"),
    "lite members are unheard of": (late("start_member", lambda *, group: None), "start_member() raised TypeError"),
    "leaving fails": (leaving(raising(OSError("busy"))), "leaving what open() returned raised OSError: busy"),
    "a router loses keys": (router(lambda keys: [0] * (len(keys) - 1)), "partitions_of() returned"),
    "a router answers with text": (router(lambda keys: ["0"] * len(keys)), "partitions_of() returned '0'"),
    "a router refuses without text": (
        router(lambda keys: [Refused(_NONE)] * len(keys)),
        "partitions_of() returned None",
    ),
    "a router answers without end": (router(lambda keys: repeat(0)), "more than "),
    "a placer invents nodes": (placer(lambda keys: [["x"]] * len(keys), calls=2), "place() returned 'x'"),
    "a placer raises": (placer(raising(ZeroDivisionError("none")), calls=2), "place() raised ZeroDivisionError: none"),
    "members have no end": (late("members", lambda: repeat(None)), "members() returned None"),
    "rows have no end": (late("view_table", lambda who: repeat(ObservedRow((None,)))), "more than 29 ObservedRows"),
    "slots have no end": (
        late("view_table", lambda who: [ObservedRow(cast(Any, repeat(None)))] * 29),
        "view_table() returned more than 1,000,000 MemberIds",
    ),
    "entries have no end": (
        late("read_replica", lambda *which: ReplicaContent("primary", 1, Endless())),
        "read_replica() returned more than 1,000,000 keys",
    ),
}

HANGING: Mapping[str, tuple[Adapter, str]] = {
    "a write hangs": (late("write", hanging), "write() did not return within"),
    "a write tries for ever": (late("write", looping), "write() did not return within"),
    "a look at rest hangs": (late("why_unsettled", hanging), "why_unsettled() did not return within"),
    "leaving hangs": (leaving(hanging), "leaving what open() returned did not return within"),
}
HANGS_BEFORE = opened(hanging)
