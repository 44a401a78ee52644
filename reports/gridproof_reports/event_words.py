"""Which events are told one by one, which counted.

Steps of the protocol come by the thousand, lost messages and changed rows by the hundred: they are counted between what
else happened. Faults and what other harnesses tell stand for themselves.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from gridproof_implementation.protocol.notes import Note
from gridproof_implementation.simulator.looking import RESOURCES
from gridproof_implementation.simulator.telling import event_name
from gridproof_model.run_conditions import (
    NAMES,
    AuditSetup,
    Configured,
    ConnectionBroken,
    CopiesEnded,
    FaultBegun,
    MessageForAnother,
    MessageLate,
    MessageLost,
    MessageRepeated,
    RemovedAlive,
    RemovedEnded,
    RowChanged,
    StatedTimes,
    UpdateSpoilt,
    find_condition,
)
from gridproof_model.trace import EventRecord
from gridproof_properties.audits.recorder import PASSED_OVER, TAKEN
from gridproof_properties.words import count
from gridproof_reports.run_words import SENTENCES, say_event

TEXT_MAX = 300
"""Characters of an event that are shown: a trace may come from anybody."""
_NOTES = ("membership", "partitioning", "replication", "anti_entropy", "operation", "invocation", "merging", "jobs")
"""Parts of a member; what each notes is in a module of its own."""
_COUNTED: Mapping[str, tuple[str, str]] = {
    NAMES[RowChanged]: ("row changed", "rows changed"),
    NAMES[MessageLost]: ("message got lost", "messages got lost"),
    NAMES[MessageRepeated]: ("message came twice", "messages came twice"),
    NAMES[MessageLate]: ("message was late", "messages were late"),
    NAMES[MessageForAnother]: ("message reached another member", "messages reached another member"),
    NAMES[UpdateSpoilt]: ("update was spoilt", "updates were spoilt"),
    NAMES[RemovedEnded]: ("member that had ended was removed", "members that had ended were removed"),
}
STEP = ("step of the protocol", "steps of the protocol")
_UNTOLD = frozenset({NAMES[Configured], NAMES[AuditSetup], NAMES[StatedTimes], RESOURCES, TAKEN, PASSED_OVER})
"""What a page shows elsewhere."""


def counted_as(event: EventRecord) -> tuple[str, str] | None:
    """Return what an event is counted as, one and many; None for one that stands for itself."""
    if event.member is not None and event.name in protocol_steps():
        return STEP
    return _COUNTED.get(event.name)


def tell_event(event: EventRecord) -> str | None:
    """Return the words of an event that stands for itself, None where nothing is to be told."""
    if event.name in _UNTOLD:
        return None
    condition = find_condition(event.name, event.detail)
    if isinstance(condition, CopiesEnded):
        primaries, backups = count(len(condition.primaries), "primary", "primaries"), len(condition.backups)
        return f"with member {condition.member} end {primaries} and {count(backups, 'backup')}"
    words = say_event(event) if event.name in SENTENCES else None
    if words is None:
        words = f"{event.name}: {event.detail}" if event.detail else event.name
    return words if len(words) <= TEXT_MAX else f"{words[:TEXT_MAX]}…"


def members_of(event: EventRecord) -> tuple[int, ...]:
    """Return the members that an event names."""
    match find_condition(event.name, event.detail):
        case FaultBegun(members=members):
            return members
        case ConnectionBroken(one=one, other=other):
            return (one, other)
        case RemovedAlive(member=member):
            return (member,)
        case _:
            return () if event.member is None else (event.member,)


@cache
def protocol_steps() -> frozenset[str]:
    """Return the names of the events that members' notes become."""
    for part in _NOTES:
        import_module(f"gridproof_implementation.protocol.{part}.notes")
    return frozenset(event_name(kind.__name__) for kind in _kinds_of(Note))


def _kinds_of(kind: type[Note]) -> Iterator[type[Note]]:
    for narrower in kind.__subclasses__():
        yield narrower
        yield from _kinds_of(narrower)
