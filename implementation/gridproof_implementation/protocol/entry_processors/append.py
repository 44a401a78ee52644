"""Appends: an entry that shows the order of its updates."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Append:
    """Append a word; gives the text as it was before."""

    word: str

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the longer text, and the old one as the result."""
        return self.word if value is None else f"{value} {self.word}", value

    def for_backup(self) -> "Append":
        """Return the same."""
        return self
