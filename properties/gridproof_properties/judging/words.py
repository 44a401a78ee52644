"""Counting, and rows, in sentences."""

from collections.abc import Sequence


def count(number: int, thing: str, things: str | None = None) -> str:
    """Return a number and a noun that agree: "1 row", "2,710 rows"; the plural adds an s unless it is given."""
    return f"{number:,} {thing if number == 1 else things or thing + 's'}"


def row_words(slots: Sequence[int | None]) -> str:
    """Return a row: member numbers, a hyphen for an empty slot."""
    return f"[{','.join('-' if member is None else str(member) for member in slots)}]"
