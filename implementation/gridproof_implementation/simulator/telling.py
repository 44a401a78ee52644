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
    """Writes notes down; knows members by their numbers."""

    numbers: dict[MemberId, int] = field(default_factory=dict)
    _forms: dict[type[Any], "_Form"] = field(default_factory=dict)

    def name(self, note: Any) -> str:
        """Return the name of the event that a note becomes."""
        form = self._forms.get(type(note))
        return form.name if form is not None else self._learn(note).name

    def detail(self, note: Any) -> str:
        """Return the fields of a note."""
        form = self._forms.get(type(note)) or self._learn(note)
        values = form.values(note)
        if form.said:
            texts = list(values)
            for place, say in form.said:
                texts[place] = say(texts[place])
            return form.template % tuple(texts)
        return form.template % values

    def _learn(self, note: Any) -> "_Form":
        """Find out how notes of a type are written: numbers as they stand, everything else by its type."""
        kind = type(note)
        hints = get_type_hints(kind)
        names = [part.name for part in fields(kind)]
        by_type: dict[object, Callable[[Any], str]] = {
            str: _say_text,
            bool: _say_truth,
            MemberId: self._say_member,
            MemberId | None: self._say_member,
            tuple[int, ...]: _say_numbers,
        }
        said = [(place, by_type.get(hints[name], self._say)) for place, name in enumerate(names)]
        form = _Form(
            name=event_name(kind.__name__),
            template=" ".join(f"{name}=%s" for name in names),
            values=_getter(names),
            said=tuple((place, say) for place, say in said if hints[names[place]] is not int),
        )
        self._forms[kind] = form
        return form

    def _say(self, value: object) -> str:
        if isinstance(value, MemberId):
            return self._say_member(value)
        if isinstance(value, bool):
            return _say_truth(value)
        if isinstance(value, int):
            return str(value)
        if isinstance(value, tuple):
            return write_list([self._say(part) for part in value])
        if value is None:
            return NONE
        return self._say_member(value.id) if isinstance(value, Member) else _say_text(str(value))

    def _say_member(self, value: MemberId | None) -> str:
        if value is None:
            return NONE
        number = self.numbers.get(value)
        return _say_text(str(value)) if number is None else str(number)


@dataclass(frozen=True, slots=True)
class _Form:
    """How notes of one type are written."""

    name: str
    template: str
    """All fields; numbers are put in as they stand."""
    values: Callable[[object], tuple[Any, ...]]
    said: tuple[tuple[int, Callable[[Any], str]], ...]
    """The places of fields that are no numbers, and what makes texts of them."""


def _getter(names: list[str]) -> Callable[[object], tuple[Any, ...]]:
    """Return what reads the fields of a note, in order."""
    return attrgetter(*names) if len(names) > 1 else lambda note: tuple(getattr(note, name) for name in names)


def event_name(note_name: str) -> str:
    """Return the name of the events of a type of note: BackupApplied is backup-applied."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", note_name).lower()


TEXTS_MAX = 10_000
_TEXTS: dict[str, str] = {}


def _say_truth(value: bool) -> str:
    return "true" if value else "false"


def _say_numbers(values: tuple[int, ...]) -> str:
    return f"[{','.join(map(str, values))}]"


def _say_text(text: str) -> str:
    """Return a text as a value; the few that notes use over and over are written once."""
    written = _TEXTS.get(text)
    if written is None:
        written = write_text(text)
        if len(_TEXTS) < TEXTS_MAX:
            _TEXTS[text] = written
    return written
