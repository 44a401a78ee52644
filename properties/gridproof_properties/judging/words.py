"""Words for numbers with nouns, for rows and for stories, as sentences use them."""

import re
from collections.abc import Sequence

_LONG = re.compile(r"'([^' ]{40})[^' ]{160,}([^' ]{40})'")
"""A long value without blanks: prose between two quotations has some."""


def count(number: int, thing: str, things: str | None = None) -> str:
    """Return a number and a noun that agrees with it: "1 row", "2,710 rows"; the plural is `things`, or the noun with
    an s."""
    return f"{int(number):,} {thing if number == 1 else things or thing + 's'}"


def row_words(slots: Sequence[int | None]) -> str:
    """Return a row in words: member numbers, and a hyphen for an empty slot."""
    return f"[{','.join('-' if member is None else str(member) for member in slots)}]"


def shortened(sentence: str) -> str:
    """Return a sentence without the middles of the long values that are quoted in it."""
    return _LONG.sub(r"'\1…\2'", sentence)


def through(member: int | None) -> str:
    """Return the words, to follow a verb, that say through which member a call went; empty if that is not known."""
    return "" if member is None else f" through member {member}"


def earlier(at_ms: int, now_ms: int) -> str:
    """Return when something happened, in a sentence about the same moment or a later one."""
    return "in the same millisecond" if at_ms == now_ms else f"at {at_ms:,} ms"


def within(what: str, within_ms: int, source: str) -> str:
    """Return words that say within which time something has to happen, and who states that time: the system or the
    audit.

    `source` is the place where the system states the time; empty if the system does not state it.
    """
    limit = f"as {source} states" if source else "a limit of the audit, as the system states none"
    return f"{what} within {within_ms:,} ms, {limit}"


class Number(int):
    """A number for a format string; a noun may follow after a colon, as in "{rows:row}" or "{copies:copy/copies}"."""

    def __format__(self, spec: str) -> str:
        thing, _, things = spec.partition("/")
        return count(self, thing, things or None) if thing else f"{int(self):,}"


def in_one_sentence(story: Sequence[str]) -> str:
    """Return a story as one sentence; of more than seven steps, only the first two and the last five are used."""
    return "; ".join(story if len(story) <= 7 else (*story[:2], *story[-5:]))
