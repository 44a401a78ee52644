"""The ports of a system, guarded and checked.

One place holds an adapter to its port: every call goes through the guard, and what it returns is of the type that the
port says, or the audit ends with one line that names the method. Nobody else looks at types.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TypeVar, cast

from gridproof_implementation import checked_values as values
from gridproof_implementation.adapter import (
    Adapter,
    AdapterError,
    EntriesWriter,
    EntryRemover,
    Grid,
    GridFounder,
    GridRepairer,
    KeyRouter,
    Kind,
    Node,
    ObservedRow,
    Options,
    Placer,
    Promise,
    PromiseWord,
    ReadAnswer,
    Refused,
    ReplicaContent,
    ReplicasReader,
    Rule,
    WriteAnswer,
    abilities_of,
    traits_of,
)
from gridproof_implementation.checked_values import Check
from gridproof_implementation.guard import Guard
from gridproof_implementation.trace.schema import is_text
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.identity import Member
from gridproof_model.keys import Key, KeyType

PROMISES_MAX = 10_000
"""More than there are properties."""

T = TypeVar("T")


@contextmanager
def open_checked(
    adapter: Adapter, options: Options, guard: Guard
) -> Iterator["CheckedGrid | CheckedPlacer | CheckedRouter"]:
    """Open a system behind its checked port and close it in the end; AdapterError when either fails.

    Inside `guard.run`, which ends what takes too long.
    """
    context = guard.call("open()", lambda: values.context_manager(adapter.open(options)))
    system: Any = guard.call("open()", context.__enter__)

    def leave() -> object:
        return context.__exit__(None, None, None)

    guard.leave_by(leave)
    try:
        yield _PORTS[adapter.kind](system, guard)
    except BaseException:
        with suppress(AdapterError):  # what came first is reported
            guard.call(_LEAVING, leave, leaving=True)
        raise
    guard.call(_LEAVING, leave, leaving=True)


_LEAVING = "leaving what open() returned"


def checked_rule(rule: Rule | None, guard: Guard) -> Rule | None:
    """Return an adapter's documented partition of a key, guarded and checked."""
    if rule is None:
        return None
    return lambda key, count: guard.call("rule()", lambda: values.whole_number(0)(rule(key, count)))


def check_adapter(adapter: object, called: str) -> Adapter:
    """Return an adapter whose parts are what they should be; AdapterError names the part that is not."""
    if not isinstance(adapter, Adapter):
        raise AdapterError(f"{called} is a {type(adapter).__name__}, not an Adapter")
    wrong = next((part for part, is_right in _parts_of(adapter) if not is_right), None)
    if wrong is not None:
        raise AdapterError(f"{called}: {wrong}; see gridproof_implementation/adapter.py")
    return adapter


def _parts_of(adapter: Adapter) -> Iterator[tuple[str, bool]]:
    yield "name must be text of one line", is_text(adapter.name) and adapter.name.isprintable() and bool(adapter.name)
    yield "summary must be text", is_text(adapter.summary)
    yield "kind must be a Kind", isinstance(adapter.kind, Kind)
    yield "open must be callable", callable(adapter.open)
    yield "promises must be a mapping from names to Promises", _are_promises(adapter.promises)
    yield "times must be StatedTimes", isinstance(adapter.times, StatedTimes)
    yield "rule must be callable, or None", adapter.rule is None or callable(adapter.rule)


def _are_promises(promises: object) -> bool:
    if not isinstance(promises, Mapping):
        return False
    try:
        pairs = values.at_most(cast("Mapping[object, object]", promises).items(), "promises", PROMISES_MAX)
        return all(is_text(name) and _is_promise(promise) for name, promise in pairs)
    except Exception:  # a mapping of their own
        return False


def _is_promise(promise: object) -> bool:
    if not isinstance(promise, Promise):
        return False
    word: object = promise.word
    return isinstance(word, PromiseWord) and is_text(promise.source)


class _Checked:
    """What all checked ports share."""

    def __init__(self, system: Any, guard: Guard) -> None:
        self._system = system
        self._guard = guard

    def _ask(self, method: str, check: Check[T], *arguments: object, further_s: float = 0.0, **named: object) -> T:
        """Return what a method returns, checked."""
        return self._guard.call(
            f"{method}()", lambda: check(getattr(self._system, method)(*arguments, **named)), further_s
        )

    def _read(self, attribute: str, check: Check[T]) -> T:
        """Return an attribute, checked."""
        return self._guard.call(attribute, lambda: check(getattr(self._system, attribute)))


class CheckedRouter(_Checked, KeyRouter):
    """A key router, checked."""

    def __init__(self, system: Any, guard: Guard) -> None:
        super().__init__(system, guard)
        self._version = self._read("version", values.text)
        self._key_types = self._read("key_types", values.each(lambda found: values.of_type(found, KeyType), "KeyTypes"))

    @property
    def version(self) -> str:
        """As the router says."""
        return self._version

    @property
    def key_types(self) -> tuple[KeyType, ...]:
        """As the router says."""
        return self._key_types

    def partitions_of(self, keys: Sequence[Key], partition_count: int) -> Sequence[int | Refused]:
        """One number, or refusal, a key."""
        every = values.each(values.partition_or_refusal, "partitions", len(keys))
        return self._ask("partitions_of", every, keys, partition_count)


class CheckedPlacer(_Checked, Placer):
    """A placement library, checked."""

    def __init__(self, system: Any, guard: Guard) -> None:
        super().__init__(system, guard)
        self._version = self._read("version", values.text)
        self._copies = self._read("copies", values.whole_number(1))
        self._separates_zones = self._read("separates_zones", lambda found: values.of_type(found, bool))

    @property
    def version(self) -> str:
        """As the library says."""
        return self._version

    @property
    def copies(self) -> int:
        """As the library says."""
        return self._copies

    @property
    def separates_zones(self) -> bool:
        """As the library says."""
        return self._separates_zones

    def place(self, keys: Sequence[str], nodes: Sequence[Node]) -> Sequence[Sequence[str]]:
        """Names of the nodes given, a sequence a key."""
        known = values.one_of((node.name for node in nodes), "the name of a node given")
        return self._ask(
            "place", values.each(values.each(known, "names"), "sequences of names", len(keys)), keys, nodes
        )


class CheckedGrid(_Checked, Grid, GridFounder, GridRepairer, EntriesWriter, EntryRemover, ReplicasReader):
    """A grid, checked; `abilities` says which of its methods may be called at all."""

    def __init__(self, system: Any, guard: Guard) -> None:
        super().__init__(system, guard)
        self._version = self._read("version", values.text)
        self._partition_count = self._read("partition_count", values.whole_number(1))
        self._backup_count = self._read("backup_count", values.whole_number(0))
        self._holds_data = self._read("holds_data", lambda found: values.of_type(found, bool))
        self.abilities = guard.call("looking for methods", lambda: abilities_of(system))
        self.traits = guard.call("traits", lambda: traits_of(system))
        self._now_ms = 0

    @property
    def version(self) -> str:
        """As the grid says."""
        return self._version

    @property
    def partition_count(self) -> int:
        """As the grid says."""
        return self._partition_count

    @property
    def backup_count(self) -> int:
        """As the grid says."""
        return self._backup_count

    @property
    def holds_data(self) -> bool:
        """As the grid says."""
        return self._holds_data

    @property
    def now_ms(self) -> int:
        """As the grid says; never backwards."""
        self._now_ms = self._read("now_ms", values.whole_number(self._now_ms))
        return self._now_ms

    def start_member(self, *, group: str | None = None, lite: bool = False) -> Member:
        """The member that answers now."""
        return self._ask("start_member", values.member, group=group, lite=lite)

    def start_founders(self) -> tuple[Member, ...]:
        """Members, each once; only where `abilities` has it."""
        return self._ask("start_founders", values.members)

    def repair_copies(self) -> None:
        """Whatever it returns is passed over; only where `abilities` has it."""
        self._ask("repair_copies", values.anything)

    def members(self) -> tuple[Member, ...]:
        """Members, each once."""
        return self._ask("members", values.members)

    def group_of(self, member: Member) -> str:
        """Text."""
        return self._ask("group_of", values.text, member)

    def view_table(self, observer: Member) -> Sequence[ObservedRow]:
        """A row a partition."""
        return self._ask("view_table", values.each(values.row, "ObservedRows", self._partition_count), observer)

    def why_unsettled(self) -> str | None:
        """Text, or None."""
        return self._ask("why_unsettled", values.or_none(values.text))

    def wait(self, duration_ms: int) -> None:
        """The deadline begins when the time has passed."""
        self._ask("wait", values.anything, duration_ms, further_s=duration_ms / 1_000)

    def crash(self, member: Member) -> None:
        """Whatever it returns is passed over."""
        self._ask("crash", values.anything, member)

    def leave(self, member: Member) -> None:
        """Whatever it returns is passed over."""
        self._ask("leave", values.anything, member)

    def partition_of(self, key: str) -> int:
        """A partition there is."""
        return self._ask("partition_of", values.partition_below(self._partition_count), key)

    def write(self, key: str, value: str) -> WriteAnswer:
        """An answer whose parts fit."""
        return self._ask("write", values.write_answer, key, value)

    def read(self, key: str, *, through: Member | None = None) -> ReadAnswer:
        """An answer whose parts fit."""
        return self._ask("read", values.read_answer, key, through=through)

    def read_replica(self, member: Member, partition: int) -> ReplicaContent | None:
        """Content whose parts fit, or None."""
        return self._ask("read_replica", values.or_none(values.content), member, partition)

    def write_many(self, entries: Mapping[str, str]) -> WriteAnswer:
        """An answer whose parts fit; only where `abilities` has it."""
        return self._ask("write_many", values.write_answer, entries)

    def remove(self, key: str) -> WriteAnswer:
        """An answer whose parts fit; only where `abilities` has it."""
        return self._ask("remove", values.write_answer, key)

    def read_replicas(self, member: Member) -> Mapping[int, ReplicaContent]:
        """Contents by partition, each of which there is; only where `abilities` has it."""
        by_partition = values.mapping(values.partition_below(self._partition_count), values.content)
        return self._ask("read_replicas", by_partition, member)


_PORTS: Mapping[Kind, Callable[[Any, Guard], CheckedGrid | CheckedPlacer | CheckedRouter]] = {
    Kind.GRID: CheckedGrid,
    Kind.PLACER: CheckedPlacer,
    Kind.ROUTER: CheckedRouter,
}
