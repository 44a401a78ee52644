"""Notes of the protocol as events of a trace.

The name of an event is that of the note, in hyphens; its detail has the note's fields, written as
`gridproof_model.event_details` says.
"""

import re
from dataclasses import dataclass, field, fields
from typing import Any

from gridproof_model.event_details import NONE, write_list, write_text
from gridproof_model.identity import Member, MemberId

Fields = tuple[tuple[str, str], ...]
"""Names of fields, each with the beginning of its text."""


@dataclass(slots=True)
class Teller:
    """Writes notes down; knows members by their numbers."""

    numbers: dict[MemberId, int] = field(default_factory=dict)
    _names: dict[type[Any], str] = field(default_factory=dict)
    _fields: dict[type[Any], Fields] = field(default_factory=dict)

    def name(self, note: Any) -> str:
        """Return the name of the event that a note becomes."""
        kind = type(note)
        name = self._names.get(kind)
        if name is None:
            name = self._names[kind] = event_name(kind.__name__)
        return name

    def detail(self, note: Any) -> str:
        """Return the fields of a note."""
        kind = type(note)
        parts = self._fields.get(kind)
        if parts is None:
            parts = self._fields[kind] = fields_of(kind)
        say = self._say
        return " ".join([prefix + say(getattr(note, part)) for part, prefix in parts])

    def _say(self, value: object) -> str:
        kind = type(value)
        if kind is int:
            return str(value)
        if isinstance(value, str):
            return _text(value)
        if isinstance(value, MemberId):
            number = self.numbers.get(value)
            return _text(str(value)) if number is None else str(number)
        if isinstance(value, tuple):
            return write_list([self._say(part) for part in value])
        if value is None:
            return NONE
        if isinstance(value, bool):
            return "true" if value else "false"
        return self._say(value.id) if isinstance(value, Member) else _text(str(value))


def event_name(note_name: str) -> str:
    """Return the name of the events of a type of note: BackupApplied is backup-applied."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", note_name).lower()


def fields_of(kind: type[Any]) -> Fields:
    """Return the fields of a type of note."""
    return tuple((part.name, f"{part.name}=") for part in fields(kind))


_TEXTS: dict[str, str] = {}


def _text(text: str) -> str:
    """Return a text as a value; the few that notes use over and over are written once."""
    written = _TEXTS.get(text)
    if written is None:
        written = write_text(text)
        if len(_TEXTS) < 10_000:
            _TEXTS[text] = written
    return written
