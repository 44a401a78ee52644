"""Every event is read as it was written."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.trace import TraceError, TraceFormat, json_reading, read_trace, write_trace
from gridproof_implementation.trace.json_lines import encode, write_fields
from gridproof_implementation.trace.json_reading import Reader, decode, read_event, read_fields, read_values
from gridproof_implementation.trace.schema import EVENT_FIELDS, FIELDS, Field, check_event
from gridproof_model.events import EVENTS, NAMES, Event
from gridproof_model.events.membership import MemberRemoved
from gridproof_model.events.partitioning import RowInstalled, TableReceived
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.events.words import WhyRowChanged
from gridproof_model.trace import RECORD_KINDS, EventRecord, Record, RunRecord
from tests.implementation.drawn_records import events, records
from tests.profiles import examples
from tools.plain_encoder import plain_encoder

ROW = '"partition":3,"version":2,"slots":[0,null],"why":"planned"'


EVERY_KIND = st.tuples(*(events(kind) for kind in EVENTS.values()))
"""One event of each kind."""


@settings(max_examples=examples(5))
@given(EVERY_KIND)
def test_every_event_survives_its_fields(drawn: tuple[TraceEvent, ...]) -> None:
    assert [one for one in drawn if read_fields(NAMES[type(one)], write_fields(one)) != one] == []


@settings(max_examples=examples(5))
@given(EVERY_KIND)
def test_what_is_generated_for_speed_says_what_a_plain_function_says(drawn: tuple[Event, ...]) -> None:
    plain = {kind: plain_encoder(EVENT_FIELDS[kind], check_event) for kind in EVENTS.values()}

    assert [one for one in drawn if write_fields(one) != plain[type(one)](one)] == []


@settings(max_examples=examples(5))
@given(EVERY_KIND)
def test_every_event_survives_a_line(drawn: tuple[Event, ...]) -> None:
    records = [EventRecord("run", 5, 0, one) for one in drawn]

    assert [one for one in records if decode(encode(one)) != one] == []
    assert [json.loads(encode(one))["name"] for one in records] == [NAMES[type(one)] for one in drawn]


@pytest.mark.parametrize("trace_format", TraceFormat)
@settings(max_examples=examples(5))
@given(data=st.data())
def test_a_trace_of_all_events_survives(trace_format: TraceFormat, data: st.DataObject) -> None:
    drawn = [data.draw(events(kind)) for kind in EVENTS.values() if "partition" not in names_of(kind)]
    records: list[Record] = [RunRecord("run", "system", "1", 0, 271, 1)]
    records += [EventRecord("run", 5, 0, event) for event in drawn]
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"trace.{trace_format}"
        with write_trace(path) as writer:
            for record in records:
                writer.write(record)
        assert list(read_trace(path)) == records


def names_of(kind: type[TraceEvent]) -> set[str]:
    return {field.name for field in EVENT_FIELDS[kind]}


@pytest.mark.parametrize(
    ("name", "fields", "complaint"),
    [
        ("row-instaled", f"{{{ROW}}}", 'no event is called "row-instaled"; did you mean row-installed or '),
        ("moon-risen", "{}", 'no event is called "moon-risen"; write a remark, or see docs/trace-format.md'),
        ("row-installed", "[]", "the fields of the row-installed event must be a JSON object, not []; mend the line"),
        ("member-removed", '{"member":1}', "the member-removed event has no was_master, which must be true or false"),
        ("row-installed", f'{{{ROW},"x":1}}', '"x" is no field of the row-installed event; see docs/trace-format.md'),
        ("member-removed", '{"member":-1,"was_master":true}', "member must be a member number, found -1; "),
        ("member-removed", '{"member":"1","was_master":true}', 'member must be a member number, found "1"; '),
        ("member-removed", '{"member":1,"was_master":1}', "was_master must be true or false, found 1; "),
        (
            "row-installed",
            f"{{{ROW.replace('null', '-1')}}}",
            "slots must be a list of member numbers",
        ),
        ("summary-sent", '{"partition":0,"index":1,"to":1,"versions":[["m"]]}', "versions must be a list of pairs"),
        (
            "claim-refused",
            '{"candidate":1,"why":"a whim"}',
            'why must be one of not joined, master itself, unknown, somebody older lives, found "a whim"; ',
        ),
        ("member-removed", '{"member":1,"member":2,"was_master":true}', 'the key "member" appears twice'),
        ("member-removed", '{"member":1', "fields of member-removed are not JSON"),
    ],
)
def test_what_is_no_event_is_refused_in_one_line(name: str, fields: str, complaint: str) -> None:
    with pytest.raises(TraceError) as refused:
        read_fields(name, fields)

    assert complaint in str(refused.value).replace('"member-removed" are', "member-removed are")
    assert "\n" not in str(refused.value)


def test_a_line_says_where_its_event_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    head = encode(RunRecord("run", "system", "1", 0, 2, 1))
    event = '{"record":"event","run":"run","at_ms":1,"name":"row-installed","member":0,"fields":{"partition":0}}\n'
    path.write_text(head + event)

    with pytest.raises(TraceError, match=r"trace\.jsonl:2: the row-installed event has no version, which must be "):
        list(read_trace(path))


def test_a_partition_that_there_is_not_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    event = encode(EventRecord("run", 1, 0, RowInstalled(2, 1, (0,), WhyRowChanged.PLANNED)))
    path.write_text(encode(RunRecord("run", "system", "1", 0, 2, 1)) + event)

    with pytest.raises(TraceError, match=r":2: .* has partition 2, but the run has partitions 0 to 1"):
        list(read_trace(path))


def test_fields_with_a_default_may_be_left_out() -> None:
    event = read_event("migration-ended", {"master": 0, "number": 1, "partition": 2, "outcome": "success"})

    assert getattr(event, "reason", None) == ""


def test_nothing_is_written_that_could_not_be_read() -> None:
    with pytest.raises(
        TraceError, match="member-removed event not written: member must be a member number, found -1; c"
    ):
        encode(EventRecord("run", 1, 0, MemberRemoved(-1, was_master=True)))
    with pytest.raises(TraceError, match="table-received event not written: stamp must be a whole number"):
        encode(EventRecord("run", 1, 0, TableReceived(0, 1, 2**63)))


ODD = st.sampled_from(
    [None, True, 0, -1, 256, 2**31, 2**53, 2**63, 1.5, "", "a", "\ud800", [], [1], [None], [True], [[1, 2]], [["a", 1]]]
)
"""Values of JSON that most fields refuse."""


@settings(max_examples=examples(200))
@given(record=st.sampled_from(sorted(RECORD_KINDS)).flatmap(records), odd=ODD, data=st.data())
def test_the_generated_functions_read_and_refuse_what_a_plain_one_does(
    record: Record, odd: object, data: st.DataObject
) -> None:
    pairs = json.loads(encode(record))
    some = pairs.get("fields", pairs) if data.draw(st.booleans()) else pairs
    some[data.draw(st.sampled_from([*some, "another"]))] = odd
    line = json.dumps(pairs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json_reading, "_reader_of", lambda word: plain_reader(word, FIELDS[word], RECORD_KINDS[word]))
        patch.setattr(json_reading, "_reader_of_event", lambda name: plain_reader(name, *of_event(name)))
        plain = read_or_refused(line)
    assert read_or_refused(line) == plain


def of_event(name: str) -> tuple[Sequence[Field], type[TraceEvent]]:
    return EVENT_FIELDS[EVENTS[name]], EVENTS[name]


def plain_reader(name: str, fields: Sequence[Field], make: Callable[..., object]) -> Reader:
    what = f"{name} {'record' if name in RECORD_KINDS else 'event'}"
    return lambda found: make(*read_values(what, fields, found))


def read_or_refused(line: str) -> str:
    try:
        return repr(decode(line))
    except TraceError as refused:
        return str(refused)
