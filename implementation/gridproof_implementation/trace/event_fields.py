"""Events as a name and JSON, and back."""

from collections.abc import Mapping
from typing import cast

from gridproof_implementation.trace.json_values import Encoder, NotJsonError, make_encoder, parse, read_values
from gridproof_implementation.trace.schema import EVENT_FIELDS, TraceError, check_event, shorten
from gridproof_model.events import EVENTS, Event
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.user_error import nearest

EVENT_ENCODERS: Mapping[type[TraceEvent], Encoder] = {
    kind: make_encoder(fields, check_event) for kind, fields in EVENT_FIELDS.items()
}
"""What writes the fields of each type of event."""


def write_fields(event: Event) -> str:
    """Return the fields of an event as an object of JSON; TraceError when a value has no place in the format."""
    return EVENT_ENCODERS[type(event)](event)


def read_fields(name: str, text: str) -> Event:
    """Return the event of a name whose fields stand in a text of JSON; TraceError says what is wrong."""
    try:
        return read_event(name, parse(text))
    except NotJsonError as error:
        raise TraceError(f"fields of {shorten(name)} are not JSON ({error}); record the run again") from None


def read_event(name: str, fields: object) -> Event:
    """Return the event of a name with the fields of a JSON object, which is emptied; TraceError says what is wrong."""
    kind = EVENTS.get(name)
    if kind is None:
        cure = nearest(name, EVENTS, "write a remark, or see docs/trace-format.md")
        raise TraceError(f"no event is called {shorten(name)}; {cure}")
    if not isinstance(fields, dict):
        raise TraceError(f"the fields of a {name} event must be an object, found {shorten(fields)}; mend the line")
    return kind(*read_values(f"{name} event", EVENT_FIELDS[kind], cast(dict[str, object], fields)))
