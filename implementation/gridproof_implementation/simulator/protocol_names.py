"""The names of the protocol's steps, for faults to be aimed at."""

from collections.abc import Iterator
from functools import cache

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.member import GridMember
from gridproof_implementation.protocol.notes import Note

PROTOCOL = "gridproof_implementation.protocol."


@cache
def protocol_steps() -> tuple[str, ...]:
    """Return the names of all notes and messages of the protocol, sorted."""
    return tuple(sorted({kind.__name__ for root in (Note, Message) for kind in _kinds_of(root)}))


@cache
def protocol_messages() -> tuple[str, ...]:
    """Return the names of all messages of the protocol, sorted."""
    return tuple(sorted({kind.__name__ for kind in _kinds_of(Message)}))


@cache
def message_families() -> tuple[tuple[str, ...], ...]:
    """Return the names of all messages, those of one part of the protocol together."""
    families: dict[str, set[str]] = {}
    for kind in _kinds_of(Message):
        families.setdefault(kind.__module__, set()).add(kind.__name__)
    return tuple(tuple(sorted(families[module])) for module in sorted(families))


def _kinds_of(root: type[object]) -> Iterator[type[object]]:
    assert GridMember is not None, "its import brings every part, and with it every note and message"
    for kind in root.__subclasses__():
        if kind.__module__.startswith(PROTOCOL):
            yield kind
        yield from _kinds_of(kind)
