"""The keys of one run in a grid that others use, too: each begins with a prefix that nobody else has.

They are prefixed where questions leave the suite, so that no key without the prefix is ever written, read or shown.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import uuid4

CHANGES = ("put", "put_many", "operate")
"""Verbs by which a key may come to be there."""


@dataclass(slots=True)
class OwnKeys:
    """What is put before keys, and which there may be by now."""

    prefix: str = field(default_factory=lambda: f"gridproof-{uuid4().hex[:8]}/")
    written: set[str] = field(default_factory=set)
    """Without the prefix."""

    def asked(self, verb: str, fields: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the fields of a question with the prefix before every key."""
        keys = [fields["key"]] if "key" in fields else list(fields.get("entries", ()))
        if verb in CHANGES:
            self.written.update(keys)
        if "key" in fields:
            return {**fields, "key": self.prefix + fields["key"]}
        entries = {"entries": {self.prefix + key: fields["entries"][key] for key in keys}} if keys else {}
        return {**fields, **entries}

    def answered(self, answer: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return an answer whose copies show the entries of this run alone, without the prefix."""
        copies: object = answer.get("copies")
        return {**answer, "copies": list(map(self._own, copies))} if isinstance(copies, list) else answer

    def _own(self, copy: object) -> object:
        shown = cast("dict[str, Any]", copy) if isinstance(copy, dict) else {}
        entries = shown.get("entries")
        if not isinstance(entries, dict):
            return copy
        size = len(self.prefix)
        found = cast("dict[str, Any]", entries).items()
        return {**shown, "entries": {key[size:]: value for key, value in found if key.startswith(self.prefix)}}
