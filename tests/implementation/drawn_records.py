"""Records drawn at random, straight from their declared fields."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from hypothesis import strategies as st

from gridproof_implementation.trace.schema import FIELDS, MEMBER_NUMBER_MAX, Field, Shape, make_record
from gridproof_model.trace import FORMAT_VERSION, RECORD_KINDS, Record, RowRecord, RunRecord, ViewRecord

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
MEMBERS = st.integers(0, MEMBER_NUMBER_MAX)
BY_SHAPE: dict[Shape, st.SearchStrategy[object]] = {
    Shape.TEXT: TEXTS,
    Shape.INTEGER: st.integers(-(2**63), 2**63 - 1),
    Shape.NUMBER: st.floats(allow_nan=False, allow_infinity=False),
    Shape.TRUTH: st.booleans(),
    Shape.BYTES: st.binary(max_size=8),
    Shape.MEMBERS: st.lists(MEMBERS, max_size=4).map(tuple),
    Shape.SLOTS: st.lists(st.none() | MEMBERS, max_size=7).map(tuple),
    Shape.TEXTS: st.lists(TEXTS, max_size=3).map(tuple),
}


def values(field: Field) -> st.SearchStrategy[object]:
    """Draw what one field may hold."""
    inner = st.sampled_from(list(field.choices)) if field.choices is not None else BY_SHAPE[field.shape]
    return st.none() | inner if field.optional else inner


def records(word: str) -> st.SearchStrategy[Record]:
    """Draw a record of one kind."""
    return st.tuples(*map(values, FIELDS[word])).map(lambda drawn: make_record(word, drawn))


@st.composite
def traces(draw: st.DrawFn) -> list[Record]:
    """Draw whole traces: runs with names of their own, each with its head and records of every kind."""
    drawn: list[Record] = []
    for run in draw(st.lists(TEXTS, min_size=1, max_size=3, unique=True)):
        head = draw(records("run"))
        assert isinstance(head, RunRecord)
        drawn.append(replace(head, run=run, format_version=FORMAT_VERSION))
        kinds = st.sampled_from([word for word in RECORD_KINDS if word != "run"])
        drawn += in_order(replace(record, run=run) for record in draw(st.lists(kinds.flatmap(records), max_size=8)))
    return drawn


def in_order(body: Iterable[Record]) -> Iterator[Record]:
    """Number the views of one run upwards and give each row the view it stands after."""
    view = -1
    for record in body:
        match record:
            case ViewRecord():
                view += 1
                yield replace(record, view=view)
            case RowRecord():
                if view >= 0:
                    yield replace(record, view=view)
            case _:
                yield record
