"""Notes of the protocol as events of a trace.

The name of an event is that of the note, in hyphens; its detail has the note's fields, written as
`gridproof_model.event_details` says.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from types import CodeType
from typing import Any, get_args, get_origin, get_type_hints

from gridproof_model.event_details import NONE, write_details, write_list, write_text
from gridproof_model.identity import Member, MemberId

Sayer = Callable[[Any], str]
"""What writes a value down."""


class Teller(dict[type[Any], "Form"]):
    """Writes notes down, by their type; knows members by their numbers.

    A traced run writes twice as many notes as it handles inputs, so that each type of note is looked at once, when the
    first one comes. What is left to do for a note is one expression, made for its type.
    """

    def __init__(self, numbers: dict[MemberId, int] | None = None) -> None:
        super().__init__()
        self.numbers: dict[MemberId, int] = {} if numbers is None else numbers
        self._members = _MemberTexts(self.numbers)
        self._lists: dict[object, _Written] = {}

    def name(self, note: Any) -> str:
        """Return the name of the event that a note becomes."""
        return self[type(note)].name

    def detail(self, note: Any) -> str:
        """Return the fields of a note."""
        return self[type(note)].detail(note)

    def __missing__(self, kind: type[Any]) -> "Form":
        """Find out how notes of a type are written."""
        sayers = {name: self._sayer(hint) for name, hint in _hints_of(kind).items()}
        said = write_details((n, f"{{note.{n}}}" if s is str else f"{{say_{n}(note.{n})}}") for n, s in sayers.items())
        detail: Sayer = eval(_compiled(f'lambda note: f"{said}"'), {f"say_{name}": say for name, say in sayers.items()})
        form = self[kind] = Form(event_name(kind.__name__), detail)
        return form

    def _sayer(self, hint: object) -> Sayer:
        """Return what writes values of a type, without a frame of its own for the types of most fields."""
        if get_origin(hint) is tuple:
            say = self._list_sayer(get_args(hint))
            return self._lists.setdefault(hint, _Written(say)).__getitem__ if _is_plain(hint) else say
        by_type: dict[object, Sayer] = {
            int: str,
            str: _TEXTS.__getitem__,
            bool: _TRUTHS.__getitem__,
            MemberId: self._members.__getitem__,
            MemberId | None: self._members.__getitem__,
        }
        return by_type.get(hint, self._say)

    def _list_sayer(self, hints: tuple[object, ...]) -> Sayer:
        """Return what writes lists: of any length with parts of one type, or with a type for each part."""
        say, *others = (self._sayer(hint) for hint in hints if hint is not ...)
        if ... in hints:
            return lambda parts: write_list(map(say, parts))
        sayers = (say, *others)
        return lambda parts: write_list([say(part) for say, part in zip(sayers, parts, strict=True)])

    def _say(self, value: object) -> str:
        """Write a value whose type is told by no hint."""
        if value is None:
            return NONE
        if isinstance(value, bool):
            return _TRUTHS[value]
        if isinstance(value, tuple):
            return write_list(map(self._say, value))
        if isinstance(value, Member | MemberId):
            return self._members[value.id if isinstance(value, Member) else value]
        return str(value) if isinstance(value, int) else _TEXTS[str(value)]


@dataclass(frozen=True, slots=True)
class Form:
    """How notes of one type are written."""

    name: str
    """The event's."""
    detail: Sayer
    """What writes the fields of a note."""


def _hints_of(kind: type[Any]) -> dict[str, object]:
    """Return the types of a note's fields; found out once a process, not once a run."""
    known = _HINTS.get(kind)
    if known is None:
        hints = get_type_hints(kind)
        known = _HINTS[kind] = {part.name: hints[part.name] for part in fields(kind)}
    return known


@cache
def _compiled(expression: str) -> CodeType:
    return compile(expression, "<a note>", "eval")


@cache
def event_name(note_name: str) -> str:
    """Return the name of the events of a type of note: BackupApplied is backup-applied."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", note_name).lower()


def _is_plain(hint: object) -> bool:
    """Whether equal values of a type are written alike for ever: members are, from when they have a number."""
    parts = get_args(hint)
    return all(part is ... or _is_plain(part) for part in parts) if parts else hint in (int, str)


class _Written(dict[Any, str]):
    """Values and how they are written; the few that notes use over and over are written once."""

    def __init__(self, write: Sayer) -> None:
        super().__init__()
        self._write = write

    def __missing__(self, value: Any) -> str:
        if len(self) >= WRITTEN_MAX:
            self.clear()
        written = self[value] = self._write(value)
        return written


class _MemberTexts(dict[MemberId | None, str]):
    """Members as values: their numbers, where they have one yet."""

    def __init__(self, numbers: dict[MemberId, int]) -> None:
        super().__init__({None: NONE})
        self._numbers = numbers

    def __missing__(self, member: MemberId) -> str:
        number = self._numbers.get(member)
        if number is None:
            return _TEXTS[str(member)]
        written = self[member] = str(number)
        return written


WRITTEN_MAX = 250
_HINTS: dict[type[Any], dict[str, object]] = {}
_TEXTS = _Written(write_text)
_TRUTHS = {True: "true", False: "false"}
