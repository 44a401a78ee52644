"""Numbers with nouns, rows and stories, as sentences write them."""

from collections.abc import Sequence


def count(number: int, thing: str, things: str | None = None) -> str:
    """Return a number and a noun that agree: "1 row", "2,710 rows"; the plural adds an s unless it is given as
    `things`."""
    return f"{int(number):,} {thing if number == 1 else things or thing + 's'}"


def row_words(slots: Sequence[int | None]) -> str:
    """Return a row: member numbers, a hyphen for an empty slot."""
    return f"[{','.join('-' if member is None else str(member) for member in slots)}]"


def within(what: str, within_ms: int, source: str) -> str:
    """Return within what time something has to happen, and who states that: the system, or else the auditor.

    `source` is where the system states it; empty if it does not.
    """
    if source:
        return f"by {source}, {what} within {within_ms:,} ms"
    return f"the audit gives it {within_ms:,} ms until {what}; the system itself states no time"


class Number(int):
    """A number for a format string, which may put a noun behind a colon, "{rows:row}", "{copies:copy/copies}"."""

    def __format__(self, spec: str) -> str:
        thing, _, things = spec.partition("/")
        return count(self, thing, things or None) if thing else f"{int(self):,}"


def in_one_sentence(story: Sequence[str]) -> str:
    """Return a story in one sentence; if it has more than six steps, only the first and the last five."""
    return "; ".join(story if len(story) <= 6 else (story[0], *story[-5:]))
