"""Looks: a processor that changes nothing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Inspect:
    """Give the value; it still travels as an operation that changes entries (strict.4)."""

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the value twice."""
        return value, value

    def for_backup(self) -> None:
        """Return nothing: no backup is sent."""
        return
