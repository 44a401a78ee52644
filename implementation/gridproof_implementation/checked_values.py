"""What an adapter may return, value by value.

Each check takes what was returned and gives it back, or raises `AdapterFailure` with the second half of a sentence:
"returned None; it must be …". Types are exact where a trace is: text is `str` that has an encoding, a number fits in 64
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
"""Characters of a wrong value that are shown."""
PARTS_MAX = 1_000_000
"""Of a sequence or a mapping whose length is not known: a generator need not end."""


def fail(wanted: str, found: object) -> NoReturn:
    """Raise AdapterFailure: this was found where that is wanted."""
    raise AdapterFailure(f"returned {describe(found)}; it must be {wanted}")


def describe(found: object) -> str:
    """Return what was found: a plain value itself, of anything else its type."""
    if found is None or type(found) in (bool, int, float, str, bytes):
        shown = repr(found).encode(errors="backslashreplace").decode()
        return shown if len(shown) <= SHOWN_MAX else f"{shown[: SHOWN_MAX - 3]}..."
    name = type(found).__name__
    return f"an {name}" if name[:1] in "AEIOUaeiou" else f"a {name}"


def of_type(found: object, kind: type[T]) -> T:
    """Return a value of this type, or of one derived from it."""
    return found if isinstance(found, kind) else fail(f"of type {kind.__name__}", found)


def truth(found: object) -> bool:
    """Return True or False."""
    return of_type(found, bool)


def anything(found: object) -> None:
    """Pass over whatever was returned."""


def text(found: object) -> str:
    """Return text that a trace can hold."""
    return cast(str, found) if is_text(found) else fail("text that has an encoding", found)


def whole_number(least: int) -> Check[int]:
    """Check for a number of at least so much."""

    def check(found: object) -> int:
        fits = is_integer(found) and cast(int, found) >= least
        return cast(int, found) if fits else fail(f"a whole number of at least {least}", found)

    return check


def partition_below(end: int) -> Check[int]:
    """Check for a partition of so many."""

    def check(found: object) -> int:
        fits = is_integer(found) and 0 <= cast(int, found) < end
        return cast(int, found) if fits else fail(f"a partition from 0 to {end - 1}", found)

    return check


def one_of(names: Iterable[str], words: str) -> Check[str]:
    """Check for one of these texts, called `words`."""
    known = frozenset(names)
    return lambda found: found if type(found) is str and found in known else fail(words, found)


def or_none(check: Check[T]) -> Check[T | None]:
    """Check for None, or else for something."""
    return lambda found: None if found is None else check(found)


def each(check: Check[T], words: str, length: int | None = None) -> Check[tuple[T, ...]]:
    """Check for a sequence of a length, and each part of it; a text is none."""

    def check_all(found: object) -> tuple[T, ...]:
        if isinstance(found, str | bytes | Mapping) or not isinstance(found, Iterable):
            fail(f"a sequence of {words}", found)
        most = PARTS_MAX if length is None else length
        parts = tuple(check(part) for part in at_most(cast("Iterable[object]", found), words, most))
        if length is not None and len(parts) != length:
            raise AdapterFailure(f"returned {len(parts):,} {words}; it must be {length:,}")
        return parts

    return check_all


def mapping(check_key: Check[K], check: Check[T]) -> Check[Mapping[K, T]]:
    """Check for a mapping, and each key and value of it."""

    def check_all(found: object) -> Mapping[K, T]:
        if not isinstance(found, Mapping):
            fail("a mapping", found)
        pairs = cast("Mapping[object, object]", found)
        return {check_key(key): check(pairs[key]) for key in at_most(pairs, "keys")}

    return check_all


def at_most(parts: Iterable[T], words: str, most: int = PARTS_MAX) -> Iterator[T]:
    """Yield parts, called `words`; AdapterFailure where there are more than so many."""
    rest = iter(parts)
    yield from islice(rest, most)
    for _ in rest:
        raise AdapterFailure(f"returned more than {most:,} {words}; it must return no more")


def partition_or_refusal(found: object) -> int | Refused:
    """Return where a router sends a key, in range or not; NumPy's whole numbers are some, too."""
    if isinstance(found, Refused):
        text(found.reason)
        return found
    number = int(cast(int, found)) if hasattr(found, "__index__") and type(found) is not bool else None
    return cast(int, number) if is_integer(number) else fail("a partition or a Refused", found)


def member(found: object) -> Member:
    """Return a member whose parts fit."""
    one = of_type(found, Member)
    member_id(one.id)
    of_type(one.lite, bool)
    weight: object = one.weight
    if not isinstance(weight, int | float) or not math.isfinite(weight) or weight <= 0:
        fail("a Member with a finite weight above 0", weight)
    return one


def members(found: object) -> tuple[Member, ...]:
    """Return members, each once."""
    every = each(member, "Members")(found)
    if len(set(every)) < len(every):
        raise AdapterFailure("returned a member twice; it must return each member that runs once")
    return every


def member_id(found: object) -> MemberId:
    """Return an identity whose parts fit."""
    identity = of_type(found, MemberId)
    address = of_type(identity.address, Address)
    of_type(identity.uuid, UUID)
    text(address.host)
    whole_number(0)(address.port)
    return identity


def row(found: object) -> ObservedRow:
    """Return a row whose slots are a tuple."""
    observed = of_type(found, ObservedRow)
    slots = each(or_none(member_id), "MemberIds")(observed.slots)
    return ObservedRow(slots, _version(observed.version))


def write_answer(found: object) -> WriteAnswer:
    """Return an answer whose parts fit."""
    answer = of_type(found, WriteAnswer)
    or_none(whole_number(0))(answer.confirmed_copies)
    _check_answer(answer)
    return answer


def read_answer(found: object) -> ReadAnswer:
    """Return an answer whose parts fit."""
    answer = of_type(found, ReadAnswer)
    or_none(text)(answer.value)
    _check_answer(answer)
    return answer


def content(found: object) -> ReplicaContent:
    """Return content whose entries are a mapping of texts."""
    held = of_type(found, ReplicaContent)
    entries: object = held.entries
    if not isinstance(entries, Mapping):
        fail("a ReplicaContent whose entries are a mapping", entries)
    return ReplicaContent(text(held.role), _version(held.version), mapping(text, text)(entries))


def context_manager(found: object) -> AbstractContextManager[Any]:
    """Return what can be entered and left."""
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
