"""The names of the protocol's steps, which faults use."""

from collections.abc import Iterator, Mapping
from functools import cache

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.member import GridMember
from gridproof_model.events import PROTOCOL_EVENTS
from gridproof_model.events.migration import MigrationStep

PROTOCOL = "gridproof_implementation.protocol."
DRAWN_AS: Mapping[str, str] = {
    "ItemSent": "ItemTold",
    "JoinTurnedDown": "JoinRefusedHere",
    "MigrationStep": "MigrationNote",
    "MultiPartitionCallEnded": "SweepEnded",
}
"""The former names of some events, by which these events are still sorted, so that seeds draw the same steps as before
the renaming."""
GONE: Mapping[str, str] = {"ResumeJob": f"{PROTOCOL}jobs.messages", "SuspendJob": f"{PROTOCOL}jobs.messages"}
"""Messages that no longer exist, with their former modules: seeds still draw them, and their faults have no effect."""


@cache
def protocol_steps() -> tuple[str, ...]:
    """Return the names of all events and messages of the protocol, in the order that drawing uses."""
    events = (kind.__name__ for kind in (*PROTOCOL_EVENTS, MigrationStep))
    return tuple(sorted({*events, *protocol_messages()}, key=lambda name: DRAWN_AS.get(name, name)))


@cache
def protocol_messages() -> tuple[str, ...]:
    """Return the names of all messages of the protocol, sorted."""
    return tuple(sorted({*GONE, *(kind.__name__ for kind in _kinds_of(Message))}))


@cache
def message_families() -> tuple[tuple[str, ...], ...]:
    """Return the names of all messages, grouped by their part of the protocol."""
    families: dict[str, set[str]] = {}
    for kind in _kinds_of(Message):
        families.setdefault(kind.__module__, set()).add(kind.__name__)
    for name, module in GONE.items():
        families[module].add(name)
    return tuple(tuple(sorted(families[module])) for module in sorted(families))


def _kinds_of(root: type[object]) -> Iterator[type[object]]:
    assert GridMember is not None, "its import brings every part, and with it every message"
    for kind in root.__subclasses__():
        if kind.__module__.startswith(PROTOCOL):
            yield kind
        yield from _kinds_of(kind)
