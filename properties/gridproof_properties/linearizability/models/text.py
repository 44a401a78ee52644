"""A text: set, append, get."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gridproof_properties.linearizability.sequential import UNSEEN


@dataclass(frozen=True, slots=True)
class SetText:
    """Sets the whole text; its result says nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class AppendText:
    """Appends; its result says nothing."""

    text: str


@dataclass(frozen=True, slots=True)
class GetText:
    """Gives the text."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text, empty at first; with unique parts, a list of unique appends."""

    initial: str = ""

    def step(self, state: Hashable, operation: Hashable, result: object) -> str | None:
        """Return the text after the operation."""
        assert isinstance(state, str), "a text's states are texts"
        match operation:
            case SetText(text=text):
                return text
            case AppendText(text=text):
                return state + text
            case GetText():
                return state if result is UNSEEN or result == state else None
            case _:
                raise TypeError(f"a text has no {operation!r}")

    def may_lead_to(self, state: Hashable, read: Hashable, result: object, updates: Sequence[Hashable]) -> bool:
        """A text that nobody sets again can only grow."""
        assert isinstance(state, str), "a text's states are texts"
        begins = str(result).startswith
        return begins(state) or any(isinstance(update, SetText) and begins(update.text) for update in updates)

    def is_read_only(self, operation: Hashable, result: object) -> bool:
        """Getting the text."""
        return isinstance(operation, GetText)
