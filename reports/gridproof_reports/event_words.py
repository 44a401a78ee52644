"""Which events are shown one by one, which counted.

Steps of the protocol come by the thousand, lost messages and changed rows by the hundred: they are counted between what
else happened. Faults and what other harnesses record stand for themselves; `event_sentences.py` has what is said of
each.
"""

from gridproof_model.events import PROTOCOL_EVENTS, Event
from gridproof_model.events.conditions import (
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
    UpdateSpoilt,
)
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.words import count
from gridproof_reports.event_sentences import sentence_of

TEXT_MAX = 300
"""Characters of an event that are shown: a trace may come from anybody."""
STEP = ("step of the protocol", "steps of the protocol")


def counted_as(record: EventRecord) -> tuple[str, str] | None:
    """Return what an event is counted as, one and many; None for one that stands for itself."""
    if type(record.event) in PROTOCOL_EVENTS:
        return STEP
    match record.event:
        case RowChanged():
            return ("row changed", "rows changed")
        case MessageLost():
            return ("message got lost", "messages got lost")
        case MessageRepeated():
            return ("message came twice", "messages came twice")
        case MessageLate():
            return ("message was late", "messages were late")
        case MessageForAnother():
            return ("message reached another member", "messages reached another member")
        case UpdateSpoilt():
            return ("update was spoilt", "updates were spoilt")
        case RemovedEnded():
            return ("member that had ended was removed", "members that had ended were removed")
        case _:
            return None


def describe_event(record: EventRecord) -> str | None:
    """Return the words of an event that stands for itself, None where nothing is to be shown."""
    event = record.event
    if isinstance(event, CopiesEnded):
        primaries, backups = count(len(event.primaries), "primary", "primaries"), len(event.backups)
        return f"with member {event.member} end {primaries} and {count(backups, 'backup')}"
    words = sentence_of(event, who(record))
    return words if words is None or len(words) <= TEXT_MAX else f"{words[:TEXT_MAX]}…"


def who(record: EventRecord) -> str:
    """Return who took a step, in words."""
    return "somebody" if record.member is None else f"member {record.member}"


def members_of(record: EventRecord) -> tuple[int, ...]:
    """Return the members that an event names."""
    event: Event = record.event
    match event:
        case FaultBegun(members=members):
            return members
        case ConnectionBroken(one=one, other=other):
            return (one, other)
        case RemovedAlive(member=member):
            return (member,)
        case _:
            return () if record.member is None else (record.member,)
