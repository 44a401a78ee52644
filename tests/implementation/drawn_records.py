"""Records drawn at random, straight from their declared fields."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from typing import cast

from hypothesis import strategies as st

from gridproof_implementation.trace.schema import (
    EVENT_FIELDS,
    FIELDS,
    INTEGER_MAX,
    INTEGER_MIN,
    MEMBER_NUMBER_MAX,
    Field,
    Shape,
    make_record,
)
from gridproof_model.events import EVENTS, PROTOCOL_EVENTS, Event
from gridproof_model.events.anti_entropy import SyncInstalled
from gridproof_model.events.replication import FragmentInstalled
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import (
    FORMAT_VERSION,
    RECORD_KINDS,
    DigestRecord,
    EventRecord,
    OperationRecord,
    Record,
    RowRecord,
    RunRecord,
    ViewRecord,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
RUN_NAMES = st.text("äb-_. 7'", min_size=1, max_size=8).filter(lambda name: name.strip() and ".." not in name)
MEMBERS = st.integers(0, MEMBER_NUMBER_MAX)
INTEGERS = st.integers(INTEGER_MIN, INTEGER_MAX)
BY_SHAPE: dict[Shape, st.SearchStrategy[object]] = {
    Shape.TEXT: TEXTS,
    Shape.TRUTH: st.booleans(),
    Shape.BYTES: st.binary(max_size=8),
    Shape.MEMBERS: st.lists(MEMBERS, max_size=4).map(tuple),
    Shape.SLOTS: st.lists(st.none() | MEMBERS, max_size=7).map(tuple),
    Shape.TEXTS: st.lists(TEXTS, max_size=3).map(tuple),
    Shape.MEMBER: MEMBERS,
    Shape.NUMBERS: st.lists(INTEGERS, max_size=4).map(tuple),
    Shape.NAMED_NUMBERS: st.lists(st.tuples(TEXTS, INTEGERS), max_size=3).map(tuple),
    Shape.PAIRS: st.lists(st.tuples(INTEGERS, INTEGERS), max_size=3).map(tuple),
    Shape.NAMED_PAIRS: st.lists(st.tuples(TEXTS, INTEGERS, INTEGERS), max_size=3).map(tuple),
}


def values(field: Field) -> st.SearchStrategy[object]:
    """Draw what one field may hold."""
    inner = st.sampled_from(list(field.choices.values())) if field.choices is not None else inner_values(field)
    return st.none() | inner if field.optional else inner


def inner_values(field: Field) -> st.SearchStrategy[object]:
    if field.shape is Shape.EVENT:
        return st.sampled_from(list(EVENTS.values())).flatmap(events)
    if field.shape is Shape.INTEGER:
        return st.integers(INTEGER_MIN if field.least is None else field.least, field.most)
    if field.shape is Shape.NUMBER:
        return st.floats(min_value=0, max_value=float(min(field.most, 2**53)))
    if field.least is not None and field.shape is Shape.MEMBERS:
        return st.lists(MEMBERS, min_size=field.least, max_size=4).map(tuple)
    return BY_SHAPE[field.shape]


def records(word: str) -> st.SearchStrategy[Record]:
    """Draw a record of one kind."""
    return st.tuples(*map(values, FIELDS[word])).map(lambda drawn: make_record(word, drawn))


def events(kind: type[TraceEvent]) -> st.SearchStrategy[Event]:
    """Draw an event of one type."""
    make = cast(Callable[..., Event], kind)
    return st.tuples(*map(values, EVENT_FIELDS[kind])).map(lambda drawn: make(*drawn))


@st.composite
def traces(draw: st.DrawFn) -> list[Record]:
    """Draw whole traces: runs with names of their own, each with its head and records of every kind."""
    drawn: list[Record] = []
    for run in draw(st.lists(RUN_NAMES, min_size=1, max_size=3, unique=True)):
        head = draw(records("run"))
        assert isinstance(head, RunRecord)
        drawn.append(replace(head, run=run, format_version=FORMAT_VERSION))
        kinds = st.sampled_from([word for word in RECORD_KINDS if word != "run"])
        body = [replace(record, run=run) for record in draw(st.lists(kinds.flatmap(records), max_size=8))]
        drawn += in_order(sensible(record, head.partition_count) for record in body)
    return drawn


def sensible(record: Record, partition_count: int) -> Record:
    """Let a record speak of partitions and members that there are, and end after it began."""
    match record:
        case RowRecord() | DigestRecord():
            return replace(record, partition=record.partition % partition_count)
        case OperationRecord():
            partition = None if record.partition is None else record.partition % partition_count
            start_ms, end_ms = sorted((record.start_ms, record.end_ms))
            return replace(record, partition=partition, start_ms=start_ms, end_ms=end_ms)
        case EventRecord():
            event = record.event
            if record.member is None and type(event) in PROTOCOL_EVENTS:
                record = replace(record, member=0)
            partition = getattr(event, "partition", None)
            if partition is None:
                return record
            if isinstance(event, FragmentInstalled | SyncInstalled):
                event = replace(event, index=event.index % (len(event.versions) + 1))
            return replace(record, event=replace(event, partition=partition % partition_count))
        case ViewRecord():
            groups = record.groups or ("g",)
            members, owners = (tuple(m % len(groups) for m in some) for some in (record.members, record.data_members))
            return replace(record, groups=groups, members=members, data_members=owners)
        case _:
            return record


def in_order(body: Iterable[Record]) -> Iterator[Record]:
    """Number the views and the operations of one run, and give each row its view; rows come by partition."""
    view = row = -1
    operations = count()
    for record in body:
        match record:
            case ViewRecord():
                view, row = view + 1, -1
                yield replace(record, view=view)
            case RowRecord():
                if view >= 0 and record.partition > row:
                    row = record.partition
                    yield replace(record, view=view)
            case OperationRecord():
                yield replace(record, operation=next(operations))
            case _:
                yield record
