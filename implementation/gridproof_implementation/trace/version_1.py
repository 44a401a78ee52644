"""Traces of version 1, made into traces of this one.

In version 1 an event had a text in the place of its fields: `partition=3 slots=[0,2,-] why=planned`, with numbers and
members as they are, `-` for none, lists in brackets, and texts in the quotes of JSON where they held anything but plain
characters. This is the one place that still reads it. An event that is none of this version, or lacks a field, is kept
as a remark: its words are not lost, and no judge reads it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from gridproof_implementation.trace.files import TraceFormat, format_of, write_trace
from gridproof_implementation.trace.json_lines import read_lines, read_object
from gridproof_implementation.trace.json_values import read_values
from gridproof_implementation.trace.schema import EVENT_FIELDS, FIELDS, Field, Shape, TraceError, make_record
from gridproof_model.events import EVENTS, Event
from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.harness import (
    AuditStopped,
    BoundaryUnreachable,
    JobAsked,
    JobSeen,
    KeyRefused,
    MemberFailed,
    NotOffered,
    PassedOver,
    Remark,
    ResourcesHeld,
    RunEnded,
    Settled,
    TakenFromFile,
    Totals,
    Unsettled,
)
from gridproof_model.events.invocation import MultiPartitionCallEnded
from gridproof_model.events.jobs import ItemSent
from gridproof_model.events.membership import JoinTurnedDown
from gridproof_model.events.words import Guarantee
from gridproof_model.trace import FORMAT_VERSION, EventRecord, Record, RunRecord, VerdictRecord

VERSION = 1
Details = Mapping[str, str]
"""The values of an event's text, by name."""
_PAIR = re.compile(r'([a-z_0-9]+)=("(?:[^"\\]|\\.)*"|\[(?:[^\[\]]|\[[^\[\]]*\])*\]|[^ ]*)')
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\],]|[^\[\],"]+')
_RENAMED: Mapping[str, type[Event]] = {
    "fault": FaultBegun,
    "healed": FaultEnded,
    "item-told": ItemSent,
    "join-refused-here": JoinTurnedDown,
    "sweep-ended": MultiPartitionCallEnded,
}
"""Events that had another name."""
_FORMER_NAMES = {"sent_to": "told", "words": "told"}
"""Fields that had another name."""


def convert_trace(old: Path, new: Path) -> int:
    """Write a trace of version 1 as one of this version; return how many records it has.

    The format of the new one is read off its name. TraceError when the old one is no trace of version 1.
    """
    written = 0
    with write_trace(new) as trace:
        for record in _records(old):
            trace.write(record)
            written += 1
    if not written:
        raise TraceError(f"{old}: the trace holds no record; there is nothing to convert")
    return written


def _records(path: Path) -> Iterator[Record]:
    match format_of(path):
        case TraceFormat.JSON_LINES:
            yield from read_lines(path, _decode)
        case TraceFormat.PARQUET:
            # Imported now: only columns need PyArrow.
            from gridproof_implementation.trace.parquet import read_kinds

            yield from map(_converted, read_kinds(path, _OF_AN_EVENT, event_of))


_OF_AN_EVENT = (
    *(field for field in FIELDS["event"] if field.name != "fields"),
    replace(FIELDS["event"][2], name="detail"),
)
"""The columns of events in version 1."""


def _decode(line: str) -> Record:
    """Return the record of one line."""
    word, found = read_object(line)
    if word == "event":
        run, at_ms, name, member, detail = read_values("event record", _OF_AN_EVENT, found)
        return EventRecord(run, at_ms, member, event_of(name, detail))
    return _converted(make_record(word, read_values(f"{word} record", FIELDS[word], found)))


def _converted(record: Record) -> Record:
    match record:
        case RunRecord(format_version=version):
            if version != VERSION:
                raise TraceError(f"format_version is {version}; only traces of version {VERSION} can be converted")
            return replace(record, format_version=FORMAT_VERSION)
        case VerdictRecord():
            return replace(record, out_of_scope=tuple(map(_scope_of, record.out_of_scope)))
        case _:
            return record


def _scope_of(text: str) -> str:
    details = _read_details(text)
    counts = {name: int(details[name]) for name in ("compared", "failed") if details.get(name, "").isdecimal()}
    return json.dumps(
        {"cause": details.get("cause", ""), "source": details.get("source", ""), **counts}, ensure_ascii=False
    )


def event_of(name: str, text: str) -> Event:
    """Return the event that a name and a text of version 1 mean; a remark where this version has no such event."""
    try:
        return _HARNESS[name](text) if name in _HARNESS else _step_of(name, _read_details(text))
    except (KeyError, ValueError, IndexError):
        return Remark(name, text)


def _step_of(name: str, details: Details) -> Event:
    kind = _RENAMED[name] if name in _RENAMED else EVENTS[name]
    values: list[Any] = [_value(field, details) for field in EVENT_FIELDS[kind]]
    return kind(*values)


def _value(field: Field, details: Details) -> object:
    text = details.get(_FORMER_NAMES.get(field.name, field.name), details.get(field.name))
    if text is None:
        if field.required:
            raise ValueError(field.name)
        return field.default
    value = None if field.optional and text == "-" else _of_text(field, text)
    if not field.accepts(value):
        raise ValueError(field.name)
    return value


def _of_text(field: Field, text: str) -> object:
    return _OF_SHAPE[field.shape](text) if field.choices is None else field.choices[text]


def _read_details(text: str) -> Details:
    return {name: _unquoted(value) for name, value in _PAIR.findall(text)}


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def _read_list(text: str) -> Sequence[Any]:
    """Return a list of texts, or of such lists."""
    (whole,) = _read_parts(iter(_TOKEN.findall(text)))
    return cast(Sequence[Any], whole)


def _read_parts(tokens: Iterator[str]) -> list[Any]:
    found: list[Any] = []
    for token in tokens:
        if token == "]":
            break
        if token == "[":
            found.append(_read_parts(tokens))
        elif token != ",":
            found.append(_unquoted(token))
    return found


def _truth(text: str) -> bool:
    return {"true": True, "false": False}[text]


def _pairs(*parts: Callable[[str], object]) -> Callable[[str], object]:
    return lambda text: tuple(
        tuple(read(part) for read, part in zip(parts, one, strict=True)) for one in _read_list(text)
    )


_OF_SHAPE: Mapping[Shape, Callable[[str], object]] = {
    Shape.TEXT: str,
    Shape.INTEGER: int,
    Shape.MEMBER: int,
    Shape.TRUTH: _truth,
    Shape.MEMBERS: lambda text: tuple(map(int, _read_list(text))),
    Shape.NUMBERS: lambda text: tuple(map(int, _read_list(text))),
    Shape.SLOTS: lambda text: tuple(None if one == "-" else int(one) for one in _read_list(text)),
    Shape.TEXTS: lambda text: tuple(_read_list(text)),
    Shape.NAMED_NUMBERS: _pairs(str, int),
    Shape.PAIRS: _pairs(int, int),
    Shape.NAMED_PAIRS: _pairs(str, int, int),
}


def _resources(text: str) -> Event:
    details = dict(_read_details(text))
    return ResourcesHeld(_truth(details.pop("settled")), tuple((name, int(count)) for name, count in details.items()))


def _totals(text: str) -> Totals:
    parts = (one.rsplit(":", 2) for one in _read_list(text))
    return tuple((key, int(count), int(total)) for key, count, total in parts)


def _job_asked(text: str) -> Event:
    details = _read_details(text)
    counts, owed = (int(details["shards"]), int(details["items"])), _totals(details.get("owed", "[]"))
    return JobAsked(details.get("job", ""), Guarantee(details["guarantee"]), _truth(details["strict"]), *counts, owed)


def _job_seen(text: str) -> Event:
    details = _read_details(text)
    return JobSeen(details["job"], _truth(details["confirmed"]), details["status"], _totals(details["totals"]))


def _key_refused(text: str) -> Event:
    key_type, rest = text.split(" ", 1)
    key, _, reason = rest.partition(": ")
    return KeyRefused(key_type, key, reason)


def _boundary_unreachable(text: str) -> Event:
    key_type, counts, why = text.split(": ", 2)
    missing, _, wanted, *_ = counts.split(" ")
    return BoundaryUnreachable(key_type, int(missing), int(wanted), why)


def _with_stage(kind: type[Settled | Unsettled]) -> Callable[[str], Event]:
    def read(text: str) -> Event:
        stage, _, more = text.partition(": ")
        return kind(stage, more)

    return read


_HARNESS: Mapping[str, Callable[[str], Event]] = {
    "settled": _with_stage(Settled),
    "unsettled": _with_stage(Unsettled),
    "resources": _resources,
    "job-asked": _job_asked,
    "job-seen": _job_seen,
    "run-ended": lambda text: RunEnded(int(text)),
    "member-failed": MemberFailed,
    "audit-stopped": AuditStopped,
    "key-refused": _key_refused,
    "boundary-unreachable": _boundary_unreachable,
    "not-offered": NotOffered,
    "taken-from-file": TakenFromFile,
    "passed-over": PassedOver,
}
"""Events whose text had a form of its own."""
