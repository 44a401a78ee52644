"""What agents may answer, checked by hand.

`docs/adapter-protocol.md` is the contract and `adapter_protocol.schema.json` says the same to machines; tests hold the
three equal. Each check takes the object an agent sent and returns a value, or raises AdapterFailure with the field that
is wrong and what it must be. Fields that nobody here knows are passed over: an agent may be newer than the fleet.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from gridproof_implementation.adapter import AdapterFailure, CannotSayError, Promise, PromiseWord, Traits
from gridproof_implementation.checked_values import describe
from gridproof_implementation.trace.schema import is_integer, is_text
from gridproof_model.identity import Address
from gridproof_model.trace import Outcome

T = TypeVar("T")
Read = Callable[[object, str], T]
"""Takes what was found and where; returns it, or raises AdapterFailure."""
Check = Callable[[Mapping[str, Any]], T]
"""Takes an answer; returns what it says, or raises AdapterFailure."""
PROTOCOL = 1
"""The version of the contract."""
PORT_MAX = 65_535


@dataclass(frozen=True, slots=True)
class Hello:
    """What an agent says of its system before anything starts."""

    system: str
    version: str
    offers: frozenset[str]
    """The verbs it takes."""
    partitions: int | None
    """How many partitions there are, where that is no choice."""
    promises: Mapping[str, Promise]
    traits: Traits
    messages: Mapping[str, str]
    """By kind (`backup`) the operation that a message gate knows it by."""
    operations: frozenset[str]
    """The kinds of operations that `operate` takes."""


@dataclass(frozen=True, slots=True)
class Started:
    """A member that is up."""

    member: str
    """The system's own name of it, which its tables use."""
    address: Address
    group: str | None
    """Its partition group; None where it is one by itself."""


@dataclass(frozen=True, slots=True)
class Table:
    """The table as one member shows it."""

    member: str
    """What the member is called now: some systems rename a member that comes back."""
    rows: tuple[tuple[str | None, ...], ...]
    versions: tuple[int | None, ...]
    """Of each row."""
    members: tuple[str, ...] | None
    """Whom it takes for members; None where it does not say so with its table."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What one member says of rest."""

    member: str
    members: tuple[str, ...]
    """Whom it takes for members."""
    why: str | None
    """What it waits for; None at rest."""
    stamp: str | int | None
    """Equal at all members whose tables are equal; None where tables have to be compared."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a read or write ended."""

    outcome: Outcome
    why: str
    value: str | None
    confirmed: int | None
    """So many copies have the write, by the acknowledgement; None where it does not say."""
    confirm: str | None
    """Absent only if this member says so, too."""
    executed_by: str | None


@dataclass(frozen=True, slots=True)
class Copy:
    """One partition as one member holds it."""

    partition: int
    role: str
    version: int | None
    versions: tuple[int, ...]
    """Where a version is a vector; -1 for one that the copy does not know."""
    entries: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Copies:
    """What one member holds."""

    held: Mapping[int, Copy]
    unknown: frozenset[int]
    """Partitions of which it cannot say."""


@dataclass(frozen=True, slots=True)
class ShownVersions:
    """Which updates one copy counts."""

    partition: int
    index: int
    """The replica index that the member's own row gives it."""
    row_version: int | None
    """That of its own row, where rows have one."""
    versions: tuple[int, ...]
    """By replica index, from 1 on, or a single one for all; -1 for one that the copy does not know."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a key belongs."""

    partition: int
    owner: str | None


def hello(found: Mapping[str, Any]) -> Hello:
    """Check the first line of an agent."""
    spoken = _field(found, "protocol", _whole(1))
    if spoken != PROTOCOL:
        raise AdapterFailure(f"speaks version {spoken} of the agent protocol; this gridproof speaks {PROTOCOL}")
    no_names: tuple[str, ...] = ()
    return Hello(
        _field(found, "system", _name),
        _field(found, "version", _name),
        frozenset(_field(found, "offers", _list(_name))),
        _field(found, "partitions", _or_null(_whole(1)), None),
        _field(found, "promises", _map(_promise), {}),
        Traits(
            _field(found, "founders", _whole(0), 0),
            _field(found, "bound", _truth, False),
            _field(found, "fixed", _truth, False),
        ),
        _field(found, "messages", _map(_name), {}),
        frozenset(_field(found, "operations", _list(_name), no_names)),
    )


def started(found: Mapping[str, Any]) -> Started:
    """Check the answer to `start`."""
    return Started(
        _field(found, "member", _name),
        _field(found, "address", _address),
        _field(found, "group", _or_null(_name), None),
    )


def table(found: Mapping[str, Any]) -> Table:
    """Check the answer to `table`; CannotSayError where the member shows none just now."""
    rows = _field(found, "rows", _or_null(_list(_list(_or_null(_name)))))
    versions = _field(found, "versions", _or_null(_list(_or_null(_whole(0)))), None)
    if rows is not None and versions is not None and len(versions) != len(rows):
        raise AdapterFailure(f"versions must be as many as rows, {len(rows)}, not {len(versions)}")
    members = _field(found, "members", _or_null(_list(_name)), None)
    member, why = _field(found, "member", _name), _field(found, "why", _text, "")
    if rows is None:
        raise CannotSayError(f"{member} can show no table{': ' if why else ''}{why}")
    return Table(member, rows, versions or (None,) * len(rows), members)


def settled(found: Mapping[str, Any]) -> Settled:
    """Check the answer to `settled`."""
    return Settled(
        _field(found, "member", _name),
        _field(found, "members", _list(_name)),
        _field(found, "why", _or_null(_text)),
        _field(found, "stamp", _stamp, None),
    )


def written(found: Mapping[str, Any]) -> Ended:
    """Check the answer to `put`, `put_many` and `remove`."""
    return Ended(
        _field(found, "outcome", _outcome),
        _field(found, "why", _text, ""),
        None,
        _field(found, "confirmed", _or_null(_whole(0)), None),
        None,
        _field(found, "executed_by", _or_null(_name), None),
    )


def read(found: Mapping[str, Any]) -> Ended:
    """Check the answer to `get`."""
    outcome = _field(found, "outcome", _outcome)
    absent = None if outcome is not Outcome.OK else _REQUIRED
    return Ended(
        outcome,
        _field(found, "why", _text, ""),
        _field(found, "value", _or_null(_text), absent),
        None,
        _field(found, "confirm", _or_null(_name), None),
        _field(found, "executed_by", _or_null(_name), None),
    )


def operated(found: Mapping[str, Any]) -> tuple[Ended, object]:
    """Check the answer to `operate`; return it, and the value: text, a number, a truth, a list of texts, or None."""
    ended = Ended(
        _field(found, "outcome", _outcome),
        _field(found, "why", _text, ""),
        None,
        _field(found, "confirmed", _or_null(_whole(0)), None),
        None,
        None,
    )
    value = found.get("value")
    if isinstance(value, list):
        return ended, _field(found, "value", _list(_text))
    if value is not None and not isinstance(value, bool) and not is_integer(value):
        value = _field(found, "value", _text)
    return ended, value


def copies(found: Mapping[str, Any]) -> Copies:
    """Check the answer to `replicas`."""
    held = _field(found, "copies", _list(_copy))
    none: tuple[int, ...] = ()
    unknown = _field(found, "unknown", _list(_whole(0)), none)
    by_partition = {copy.partition: copy for copy in held}
    if len(by_partition) < len(held):
        raise AdapterFailure("copies must have each partition once")
    return Copies(by_partition, frozenset(unknown))


def shown_versions(found: Mapping[str, Any]) -> tuple[ShownVersions, ...]:
    """Check the answer to `versions`."""
    return _field(found, "copies", _list(_shown_versions))


def place(found: Mapping[str, Any]) -> Place:
    """Check the answer to `partition`."""
    return Place(_field(found, "partition", _whole(0)), _field(found, "owner", _or_null(_name), None))


def done(found: Mapping[str, Any]) -> None:
    """Check the answer to what only has to be done: `leave`, `found`, `repair`."""
    if _field(found, "done", _truth) is not True:
        raise AdapterFailure('"done" must be true; answer "error" where it was not done')


def ruled(found: Mapping[str, Any]) -> int:
    """Check the answer to `hold` and `drop`: the number of the rule."""
    return _field(found, "rule", _whole(0))


def counted(found: Mapping[str, Any]) -> int:
    """Check the answer to `release` and `met`: how many messages."""
    return _field(found, "messages", _whole(0))


_UNKNOWN_VERSION = -1
_REQUIRED: Any = object()


def _field(found: Mapping[str, Any], name: str, read: Read[T], default: T = _REQUIRED) -> T:
    if name in found:
        return read(found[name], name)
    if default is _REQUIRED:
        raise AdapterFailure(f'"{name}" is missing')
    return default


def _wrong(at: str, wanted: str, found: object) -> AdapterFailure:
    return AdapterFailure(f"{at} must be {wanted}, not {describe(found)}")


def _text(found: object, at: str) -> str:
    if not is_text(found):
        raise _wrong(at, "text", found)
    return cast(str, found)


def _name(found: object, at: str) -> str:
    if not is_text(found) or not found:
        raise _wrong(at, "text that is not empty", found)
    return cast(str, found)


def _truth(found: object, at: str) -> bool:
    if not isinstance(found, bool):
        raise _wrong(at, "true or false", found)
    return found


def _whole(least: int) -> Read[int]:
    def read(found: object, at: str) -> int:
        if not is_integer(found) or cast(int, found) < least:
            raise _wrong(at, f"a whole number of at least {least}", found)
        return cast(int, found)

    return read


def _or_null(read: Read[T]) -> Read[T | None]:
    return lambda found, at: None if found is None else read(found, at)


def _list(read: Read[T]) -> Read[tuple[T, ...]]:
    def read_all(found: object, at: str) -> tuple[T, ...]:
        if not isinstance(found, list):
            raise _wrong(at, "a list", found)
        return tuple(read(part, f"{at}[{index}]") for index, part in enumerate(cast("list[object]", found)))

    return read_all


def _map(read: Read[T]) -> Read[Mapping[str, T]]:
    return lambda found, at: {_text(name, at): read(part, f"{at}.{name}") for name, part in _object(found, at).items()}


def _object(found: object, at: str) -> Mapping[str, Any]:
    if not isinstance(found, dict):
        raise _wrong(at, "an object", found)
    return cast("dict[str, Any]", found)


def _part(found: object, at: str, read: Callable[[Mapping[str, Any]], T]) -> T:
    try:
        return read(_object(found, at))
    except AdapterFailure as error:
        raise error if str(error).startswith(at) else AdapterFailure(f"{at}: {error}") from None


def _outcome(found: object, at: str) -> Outcome:
    words = [outcome.value for outcome in Outcome]
    if found not in words:
        raise _wrong(at, " or ".join(words), found)
    return Outcome(found)


def _stamp(found: object, at: str) -> str | int | None:
    if found is not None and not is_text(found) and not is_integer(found):
        raise _wrong(at, "text, a whole number or null", found)
    return cast("str | int | None", found)


def _address(found: object, at: str) -> Address:
    host, sign, port = _text(found, at).rpartition(":")
    if not host or not sign or not (port.isascii() and port.isdigit()) or int(port) > PORT_MAX:
        raise _wrong(at, "HOST:PORT", found)
    return Address(host, int(port))


def _promise(found: object, at: str) -> Promise:
    def read(promise: Mapping[str, Any]) -> Promise:
        return Promise(
            _field(promise, "word", _promise_word),
            _field(promise, "source", _name),
            _field(promise, "least_backups", _whole(0), 0),
        )

    return _part(found, at, read)


def _promise_word(found: object, at: str) -> PromiseWord:
    words = [word.value for word in PromiseWord]
    if found not in words:
        raise _wrong(at, " or ".join(words), found)
    return PromiseWord(found)


def _copy(found: object, at: str) -> Copy:
    none: tuple[int, ...] = ()

    def read(copy: Mapping[str, Any]) -> Copy:
        return Copy(
            _field(copy, "partition", _whole(0)),
            _field(copy, "role", _name),
            _field(copy, "version", _or_null(_whole(0)), None),
            _field(copy, "versions", _list(_whole(_UNKNOWN_VERSION)), none),
            _field(copy, "entries", _map(_text)),
        )

    return _part(found, at, read)


def _shown_versions(found: object, at: str) -> ShownVersions:
    def read(copy: Mapping[str, Any]) -> ShownVersions:
        return ShownVersions(
            _field(copy, "partition", _whole(0)),
            _field(copy, "index", _whole(0)),
            _field(copy, "row", _or_null(_whole(0)), None),
            _field(copy, "versions", _list(_whole(_UNKNOWN_VERSION))),
        )

    return _part(found, at, read)
