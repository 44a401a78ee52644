"""Numbers with nouns, rows and stories, as sentences write them."""

from collections.abc import Sequence


def count(number: int, thing: str, things: str | None = None) -> str:
    """Return a number and a noun that agree: "1 row", "2,710 rows"; the plural adds an s unless it is given as
    `things`."""
    return f"{int(number):,} {thing if number == 1 else things or thing + 's'}"


def row_words(slots: Sequence[int | None]) -> str:
    """Return a row: member numbers, a hyphen for an empty slot."""
    return f"[{','.join('-' if member is None else str(member) for member in slots)}]"


def through(member: int | None) -> str:
    """Return through which member a call went, as words that follow a verb; empty if that is not known."""
    return "" if member is None else f" through member {member}"


def within(what: str, within_ms: int, source: str) -> str:
    """Return a text on the time within which something has to happen, and on who states it: the system or the audit.

    `source` is where the system states it; empty if it does not.
    """
    limit = f"as {source} states" if source else "a limit of the audit, as the system states none"
    return f"{what} within {within_ms:,} ms ({limit})"


class Number(int):
    """A number for a format string, which may put a noun after a colon, "{rows:row}", "{copies:copy/copies}"."""

    def __format__(self, spec: str) -> str:
        thing, _, things = spec.partition("/")
        return count(self, thing, things or None) if thing else f"{int(self):,}"


def in_one_sentence(story: Sequence[str]) -> str:
    """Return a story in one sentence; if it has more than six steps, only the first two and the last four."""
    return "; ".join(story if len(story) <= 6 else (*story[:2], *story[-4:]))
