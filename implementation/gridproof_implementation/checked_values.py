"""Checks the values that an adapter returns.

Each check returns the value that it was given, or raises `AdapterFailure` with the second half of a sentence: "returned
None; it must be …". Types are as strict as in a trace: a text is a `str` that can be encoded, and a number fits in 64
bits.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from itertools import islice
from typing import Any, NoReturn, TypeVar, cast
from uuid import UUID

from gridproof_implementation.adapter import (
    AdapterFailure,
    ObservedRow,
    ReadAnswer,
    Refused,
    ReplicaContent,
    WriteAnswer,
)
from gridproof_implementation.trace.schema import is_integer, is_text
from gridproof_model.membership import Address, Member, MemberId
from gridproof_model.trace import Outcome

K = TypeVar("K")
T = TypeVar("T")
Check = Callable[[object], T]
SHOWN_MAX = 40
"""The most characters that are shown of a wrong value."""
PARTS_MAX = 1_000_000
"""The most parts that are taken from a sequence or mapping of unknown length, since a generator may never end."""


def fail(wanted: str, found: object) -> NoReturn:
    """Raise AdapterFailure: `found` was returned, and `wanted` is required."""
    raise AdapterFailure(f"returned {describe(found)}; it must be {wanted}")


def describe(found: object) -> str:
    """Return a text for a value: a plain value itself, or else its type."""
    if found is None or type(found) in (bool, int, float, str, bytes):
        shown = repr(found).encode(errors="backslashreplace").decode()
        return shown if len(shown) <= SHOWN_MAX else f"{shown[: SHOWN_MAX - 3]}..."
    name = type(found).__name__
    return f"an {name}" if name[:1] in "AEIOUaeiou" else f"a {name}"


def of_type(found: object, kind: type[T]) -> T:
    """Return a value that is of this type or of a derived type."""
    return found if isinstance(found, kind) else fail(f"of type {kind.__name__}", found)


def truth(found: object) -> bool:
    """Return a value that is True or False."""
    return of_type(found, bool)


def anything(found: object) -> None:
    """Accept any value and ignore it."""


def text(found: object) -> str:
    """Return a text that a trace can contain."""
    return cast(str, found) if is_text(found) else fail("text that has an encoding", found)


def whole_number(least: int) -> Check[int]:
    """Return a check for a whole number that is at least `least`."""

    def check(found: object) -> int:
        fits = is_integer(found) and cast(int, found) >= least
        return cast(int, found) if fits else fail(f"a whole number of at least {least}", found)

    return check


def partition_below(end: int) -> Check[int]:
    """Return a check for the number of a partition, which has to be below `end`."""

    def check(found: object) -> int:
        fits = is_integer(found) and 0 <= cast(int, found) < end
        return cast(int, found) if fits else fail(f"a partition from 0 to {end - 1}", found)

    return check


def one_of(names: Iterable[str], words: str) -> Check[str]:
    """Return a check that a value is one of these texts; `words` is what error messages call such texts."""
    known = frozenset(names)
    return lambda found: found if type(found) is str and found in known else fail(words, found)


def or_none(check: Check[T]) -> Check[T | None]:
    """Return a check that accepts None, and checks any other value."""
    return lambda found: None if found is None else check(found)


def each(check: Check[T], words: str, length: int | None = None) -> Check[tuple[T, ...]]:
    """Return a check for a sequence of this length and for each of its parts; a text is not a sequence."""

    def check_all(found: object) -> tuple[T, ...]:
        if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
            fail(f"a sequence of {words}", found)
        most = PARTS_MAX if length is None else length
        parts = tuple(check(part) for part in at_most(cast("Iterable[object]", found), words, most))
        if length is not None and len(parts) != length:
            raise AdapterFailure(f"returned {len(parts):,} {words}; it must return {length:,}")
        return parts

    return check_all


def mapping(check_key: Check[K], check: Check[T]) -> Check[Mapping[K, T]]:
    """Return a check for a mapping and for each of its keys and values."""

    def check_all(found: object) -> Mapping[K, T]:
        if not isinstance(found, Mapping):
            fail("a mapping", found)
        pairs = cast("Mapping[object, object]", found)
        return {check_key(key): check(pairs[key]) for key in at_most(pairs, "keys")}

    return check_all


def at_most(parts: Iterable[T], words: str, most: int = PARTS_MAX) -> Iterator[T]:
    """Yield the parts; raise AdapterFailure if there are more than `most`; error messages call the parts `words`."""
    rest = iter(parts)
    yield from islice(rest, most)
    for _ in rest:
        raise AdapterFailure(f"returned more than {most:,} {words}; it must return no more")


def partition_or_refusal(found: object) -> int | Refused:
    """Return the partition that a router answers, in range or not, or its refusal; NumPy's integers are accepted."""
    if isinstance(found, Refused):
        text(found.reason)
        return found
    number = int(cast(int, found)) if hasattr(found, "__index__") and type(found) is not bool else None
    return cast(int, number) if is_integer(number) else fail("a partition or a Refused", found)


def member(found: object) -> Member:
    """Return a member whose parts have the right types."""
    one = of_type(found, Member)
    member_id(one.id)
    of_type(one.lite, bool)
    weight: object = one.weight
    if not isinstance(weight, int | float) or not math.isfinite(weight) or weight <= 0:
        fail("a Member with a finite weight above 0", weight)
    return one


def members(found: object) -> tuple[Member, ...]:
    """Return a sequence of members, none of which occurs twice."""
    every = each(member, "Members")(found)
    if len(set(every)) < len(every):
        raise AdapterFailure("returned a member twice; it must return each member that runs once")
    return every


def member_id(found: object) -> MemberId:
    """Return an identity whose parts have the right types."""
    identity = of_type(found, MemberId)
    address = of_type(identity.address, Address)
    of_type(identity.uuid, UUID)
    text(address.host)
    whole_number(0)(address.port)
    return identity


def row(found: object) -> ObservedRow:
    """Return a row, with its slots as a tuple."""
    observed = of_type(found, ObservedRow)
    slots = each(or_none(member_id), "MemberIds")(observed.slots)
    return ObservedRow(slots, _version(observed.version))


def write_answer(found: object) -> WriteAnswer:
    """Return an answer whose parts have the right types."""
    answer = of_type(found, WriteAnswer)
    or_none(whole_number(0))(answer.confirmed_copies)
    _check_answer(answer)
    return answer


def read_answer(found: object) -> ReadAnswer:
    """Return an answer whose parts have the right types."""
    answer = of_type(found, ReadAnswer)
    or_none(text)(answer.value)
    _check_answer(answer)
    return answer


def content(found: object) -> ReplicaContent:
    """Return a copy's content, whose entries map texts to texts."""
    held = of_type(found, ReplicaContent)
    entries: object = held.entries
    if not isinstance(entries, Mapping):
        fail("a ReplicaContent whose entries are a mapping", entries)
    return ReplicaContent(text(held.role), _version(held.version), mapping(text, text)(entries))


def context_manager(found: object) -> AbstractContextManager[Any]:
    """Return a value that is a context manager."""
    if isinstance(found, AbstractContextManager):
        return cast("AbstractContextManager[Any]", found)
    return fail("a context manager (use @contextmanager)", found)


def _check_answer(answer: WriteAnswer | ReadAnswer) -> None:
    of_type(answer.outcome, Outcome)
    text(answer.detail)
    or_none(member_id)(answer.member)
    or_none(member_id)(answer.executed_by)


def _version(found: object) -> int | None:
    return cast("int | None", found) if found is None or is_integer(found) else fail("of a version or None", found)
