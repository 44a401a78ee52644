"""Guards and checks the ports of a system.

Only this file checks whether an adapter keeps to its port: every call goes through the guard, and if a result is not of
the port's type, the audit ends with one line that names the method. No other code checks types. The check of a method
is derived from its return type in `adapter.py`; a table in this file has the checks that a type cannot express.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, ClassVar, TypeVar, cast, get_type_hints

from gridproof_implementation import checked_values as values
from gridproof_implementation.adapter import (
    Adapter,
    AdapterError,
    Kind,
    Options,
    Placer,
    Promise,
    PromiseWord,
    ReadAnswer,
    ReplicaContent,
    Rule,
    SecondOpinion,
    WholeGrid,
    WriteAnswer,
    abilities_of,
    operations_of,
    traits_of,
)
from gridproof_implementation.checked_values import Check
from gridproof_implementation.guard import Guard
from gridproof_implementation.trace.schema import RUN_NAME, is_run_name, is_text
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.keys import KeyType
from gridproof_model.membership import Member

PROMISES_MAX = 10_000
"""The most promises that an adapter may state: more than there are properties."""

T = TypeVar("T")


@contextmanager
def open_checked(
    adapter: Adapter, options: Options, guard: Guard
) -> Iterator["CheckedGrid | CheckedPlacer | CheckedRouter"]:
    """Open a system behind its checked port and close it in the end; AdapterError if opening or closing fails.

    Call this inside `guard.run`, which ends calls that take too long.
    """
    context = guard.call("open()", lambda: values.context_manager(adapter.open(options)))
    system: Any = guard.call("open()", context.__enter__)

    def leave() -> object:
        return context.__exit__(None, None, None)

    guard.leave_by(leave)
    try:
        yield _PORTS[adapter.kind](system, guard)
    except BaseException:
        with suppress(AdapterError):  # the first error is reported
            guard.call(_LEAVING, leave, leaving=True)
        raise
    guard.call(_LEAVING, leave, leaving=True)


_LEAVING = "leaving what open() returned"


def checked_rule(rule: Rule | None, guard: Guard) -> Rule | None:
    """Return an adapter's documented rule from key to partition, guarded and checked."""
    if rule is None:
        return None
    return lambda key, count: guard.call("rule()", lambda: values.whole_number(0)(rule(key, count)))


def check_adapter(adapter: object, called: str) -> Adapter:
    """Return an adapter whose parts have the right types; AdapterError names a part that has a wrong type."""
    if not isinstance(adapter, Adapter):
        raise AdapterError(f"{called} is a {type(adapter).__name__}, not an Adapter; name an object of class Adapter")
    wrong = next((part for part, is_right in _parts_of(adapter) if not is_right), None)
    if wrong is not None:
        raise AdapterError(f"{called} is no valid adapter: {wrong}; see gridproof_implementation/adapter.py")
    return adapter


def _parts_of(adapter: Adapter) -> Iterator[tuple[str, bool]]:
    yield f"name must be text that is {RUN_NAME}", is_text(adapter.name) and is_run_name(adapter.name)
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
    except Exception:  # a mapping class of the user's own may raise anything
        return False


def _is_promise(promise: object) -> bool:
    if not isinstance(promise, Promise):
        return False
    word: object = promise.word
    return isinstance(word, PromiseWord) and is_text(promise.source)


Answer = Callable[..., Check[Any]]
"""Returns the check for what a method returns, given the port and the arguments of the call."""
CHECKS: Mapping[Any, Check[Any]] = {
    str: values.text,
    str | None: values.or_none(values.text),
    int: values.whole_number(0),
    bool: values.truth,
    type(None): values.anything,
    Member: values.member,
    tuple[Member, ...]: values.members,
    tuple[KeyType, ...]: values.each(lambda found: values.of_type(found, KeyType), "KeyTypes"),
    WriteAnswer: values.write_answer,
    ReadAnswer: values.read_answer,
    ReplicaContent | None: values.or_none(values.content),
}
"""The check of each attribute type or return type; if a method returns None, its result is not checked."""
AT_LEAST_ONE = ("copies", "partition_count")
_ROUTES: Answer = lambda _, keys, count: values.each(values.partition_or_refusal, "partitions", len(keys))  # noqa: E731
_PARTITION: Answer = lambda port, *_: values.partition_below(port.partition_count)  # noqa: E731
OF_WHAT_IS_ASKED: Mapping[str, Answer] = {
    "partitions_of": _ROUTES,
    "partitions_elsewhere": _ROUTES,
    "place": lambda port, keys, nodes: values.each(
        values.each(values.one_of((node.name for node in nodes), "the name of a node given"), "names"),
        "sequences of names",
        len(keys),
    ),
    "view_table": lambda port, _: values.each(values.row, "ObservedRows", port.partition_count),
    "partition_of": _PARTITION,
    "partition_elsewhere": _PARTITION,
    "read_replicas": lambda port, _: values.mapping(_PARTITION(port), values.content),
}
"""The checks of the methods, by name, for which the return type alone does not decide which results are allowed."""


def _always(check: Check[Any]) -> Answer:
    return lambda *_, **__: check


class _Checked:
    """Has a port's attributes and methods, and checks the type of every result; subclasses define special methods."""

    CHECKED: ClassVar[dict[str, Check[Any]]]
    """The checks of the system's attributes, which are read once, when the system is opened."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()

        def attribute(name: str) -> property:
            return property(lambda port: port._said[name])

        def method(name: str, answer: Answer) -> Callable[..., Any]:
            return lambda port, *asked, **named: port._ask(name, answer(port, *asked, **named), *asked, **named)

        own, cls.CHECKED = vars(cls).keys(), {}
        for name, found in ((name, found) for kind in cls.__mro__[1:] for name, found in vars(kind).items()):
            asked = found.fget if isinstance(found, property) else found
            if name in own or name.startswith("_") or not callable(asked):
                continue
            returned = get_type_hints(asked)["return"]
            if isinstance(found, property):
                cls.CHECKED[name] = values.whole_number(1) if name in AT_LEAST_ONE else CHECKS[returned]
                setattr(cls, name, attribute(name))
            else:
                setattr(cls, name, method(name, OF_WHAT_IS_ASKED.get(name) or _always(CHECKS[returned])))

    def __init__(self, system: Any, guard: Guard) -> None:
        self._system = system
        self._guard = guard
        self._said = {name: self._read(name, check) for name, check in self.CHECKED.items()}

    def _ask(self, method: str, check: Check[T], *arguments: object, further_s: float = 0.0, **named: object) -> T:
        """Return the checked result of a method."""
        return self._guard.call(
            f"{method}()", lambda: check(getattr(self._system, method)(*arguments, **named)), further_s
        )

    def _read(self, attribute: str, check: Check[T]) -> T:
        """Return an attribute's checked value."""
        return self._guard.call(attribute, lambda: check(getattr(self._system, attribute)))


class CheckedRouter(_Checked, SecondOpinion):
    """A key router, checked."""


class CheckedPlacer(_Checked, Placer):
    """A placement library, checked."""


class CheckedGrid(_Checked, WholeGrid):
    """A grid, checked; `abilities` says which optional methods may be called."""

    def __init__(self, system: Any, guard: Guard) -> None:
        super().__init__(system, guard)
        self.abilities = guard.call("looking for methods", lambda: abilities_of(system))
        self.traits = guard.call("traits", lambda: traits_of(system))
        self.operations = guard.call("operations", lambda: operations_of(system))
        self._now_ms = 0

    @property
    def now_ms(self) -> int:
        """The grid's own time, which must never decrease."""
        self._now_ms = self._read("now_ms", values.whole_number(self._now_ms))
        return self._now_ms

    def wait(self, duration_ms: int) -> None:
        """Let time pass; the deadline of the call begins only after this time."""
        self._ask("wait", values.anything, duration_ms, further_s=duration_ms / 1_000)


_PORTS: Mapping[Kind, Callable[[Any, Guard], CheckedGrid | CheckedPlacer | CheckedRouter]] = {
    Kind.GRID: CheckedGrid,
    Kind.PLACER: CheckedPlacer,
    Kind.ROUTER: CheckedRouter,
}
