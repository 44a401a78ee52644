"""Notes of the protocol as events of a trace.

The name of an event is that of the note, in hyphens; its detail has the note's fields, written as
`gridproof_model.event_details` says.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, get_type_hints

from gridproof_model.event_details import NONE, write_list, write_text
from gridproof_model.identity import Member, MemberId


@dataclass(slots=True)
class Teller:
    """Writes notes down; knows members by their numbers.

    A traced run writes twice as many notes as it handles inputs, so that each type of note is looked at once, and what
    remains to be done for a note are calls that need no frame of their own.
    """

    numbers: dict[MemberId, int] = field(default_factory=dict)
    _forms: dict[type[Any], "Form"] = field(default_factory=dict)
    _members: "_MemberTexts" = field(init=False)

    def __post_init__(self) -> None:
        self._members = _MemberTexts(self.numbers)

    def form(self, note: Any) -> "Form":
        """Return how notes of this type are written."""
        return self._forms.get(type(note)) or self._learn(type(note))

    def name(self, note: Any) -> str:
        """Return the name of the event that a note becomes."""
        return self.form(note).name

    def detail(self, note: Any) -> str:
        """Return the fields of a note."""
        return self.form(note).detail(note)

    def _learn(self, kind: type[Any]) -> "Form":
        """Find out how notes of a type are written: numbers as they stand, everything else by its type."""
        hints = get_type_hints(kind)
        names = [part.name for part in fields(kind)]
        by_type: dict[object, Callable[[Any], str]] = {
            str: _TEXTS.__getitem__,
            bool: _TRUTHS.__getitem__,
            MemberId: self._members.__getitem__,
            MemberId | None: self._members.__getitem__,
            tuple[int, ...]: _say_numbers,
        }
        form = Form(
            name=event_name(kind.__name__),
            template=" ".join(f"{name}=%s" for name in names),
            values=_getter(names),
            said=tuple((i, by_type.get(hints[n], self._say)) for i, n in enumerate(names) if hints[n] is not int),
        )
        self._forms[kind] = form
        return form

    def _say(self, value: object) -> str:
        if isinstance(value, MemberId):
            return self._members[value]
        if isinstance(value, bool):
            return _TRUTHS[value]
        if isinstance(value, int):
            return str(value)
        if isinstance(value, tuple):
            return write_list([self._say(part) for part in value])
        if value is None:
            return NONE
        return self._members[value.id] if isinstance(value, Member) else _TEXTS[str(value)]


@dataclass(frozen=True, slots=True)
class Form:
    """How notes of one type are written."""

    name: str
    """The event's."""
    template: str
    """All fields; numbers are put in as they stand."""
    values: Callable[[object], tuple[Any, ...]]
    said: tuple[tuple[int, Callable[[Any], str]], ...]
    """The places of fields that are no numbers, and what makes texts of them."""

    def detail(self, note: object) -> str:
        """Return the fields of a note."""
        values = self.values(note)
        if not self.said:
            return self.template % values
        texts = list(values)
        for place, say in self.said:
            texts[place] = say(texts[place])
        return self.template % tuple(texts)


def event_name(note_name: str) -> str:
    """Return the name of the events of a type of note: BackupApplied is backup-applied."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", note_name).lower()


def _getter(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return what reads the fields of a note, in order."""
    return attrgetter(*names) if len(names) > 1 else lambda note: tuple(getattr(note, name) for name in names)


def _say_numbers(values: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, values))}]"


class _Texts(dict[str, str]):
    """Texts as values; the few that notes use over and over are written once."""

    def __missing__(self, text: str) -> str:
        written = write_text(text)
        if len(self) < TEXTS_MAX:
            self[text] = written
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


TEXTS_MAX = 10_000
_TEXTS = _Texts()
_TRUTHS = {True: "true", False: "false"}
