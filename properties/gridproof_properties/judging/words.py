"""Counting, and rows, in sentences."""

from collections.abc import Sequence


def count(number: int, thing: str, things: str | None = None) -> str:
    """Return a number and a noun that agree: "1 row", "2,710 rows"; the plural adds an s unless it is given."""
    return f"{int(number):,} {thing if number == 1 else things or thing + 's'}"


def row_words(slots: Sequence[int | None]) -> str:
    """Return a row: member numbers, a hyphen for an empty slot."""
    return f"[{','.join('-' if member is None else str(member) for member in slots)}]"


def within(what: str, within_ms: int, source: str) -> str:
    """Return within what time something is to be so, and who says that: the system, or the auditor where it does not.

    `source` is where the system says so, empty where it says nothing of the kind.
    """
    if source:
        return f"by {source}, {what} within {within_ms:,} ms"
    return f"the audit gives it {within_ms:,} ms until {what}; the system itself states no time"


class Number(int):
    """A number that a sentence counts with: behind a colon it may have a noun, "{rows:row}", "{copies:copy/copies}"."""

    def __format__(self, spec: str) -> str:
        thing, _, things = spec.partition("/")
        return count(self, thing, things or None) if thing else f"{int(self):,}"


def in_one_sentence(story: Sequence[str]) -> str:
    """Return a story in one sentence: of more than six steps the first and the last five."""
    return "; ".join(story if len(story) <= 6 else (story[0], *story[-5:]))
