"""A malformed trace is named with place and cure."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest

from gridproof_implementation.trace import TraceError, TraceFormat, open_trace, read_trace, write_trace
from gridproof_implementation.trace.json_lines import encode
from gridproof_implementation.trace.schema import OperationNumbers, RunOrder
from gridproof_model.events.membership import MemberListInstalled
from gridproof_model.events.replication import FragmentInstalled
from gridproof_model.trace import (
    FORMAT_VERSION,
    EventRecord,
    MemberChange,
    MemberRecord,
    Record,
    RouteRecord,
    RowRecord,
    RunRecord,
    VerdictRecord,
    ViewRecord,
)

HEAD = RunRecord("r", "reference", "1", 0, 271, 1)
LOOK = ViewRecord("r", 0, 0, "joined 1", 0, True, (0,), (0,), ("a",))
READ = (
    '{"record":"operation","run":"r","operation":0,"client":0,"kind":"read","key":"k","partition":0,"value":null,'
    '"outcome":"ok","confirmed_copies":null,"member":null,"start_ms":5,"end_ms":7,"stage":"busy"}'
)
ROW = '{"record":"row","run":"r","view":0,"partition":0,"slots":[0,null],"version":1}'


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        (ROW.replace("[0,null]", '[0,"a"]'), 'slots must be a list of member numbers or null, found "a"; '),
        (ROW.replace("[0,null]", "[0,-1]"), "slots must be a list of member numbers or null, found -1; "),
        (ROW.replace("[0,null]", "null"), "slots must be a list of member numbers or null, found null; "),
        (
            ROW.replace('"view":0', '"view":true'),
            "view must be a whole number of at most 64 bits, at least 0, found true; ",
        ),
        (
            ROW.replace('"view":0', '"view":1.5'),
            "view must be a whole number of at most 64 bits, at least 0, found 1.5; ",
        ),
        (
            ROW.replace('"view":0', f'"view":{2**63}'),
            "view must be a whole number of at most 64 bits, at least 0, found 92233",
        ),
        (ROW.replace('"view":0,', ""), "the row record has no view, which must be a whole number"),
        (ROW.replace('"view"', '"look"'), "the row record has no view, "),
        (ROW.replace('"version":1', '"version":1,"colour":2'), '"colour" is no field of the row record; '),
        (ROW.replace('"row"', '"rows"'), '"rows" is no kind of record; the kinds are run, member, view, row, '),
        (ROW.replace('"record":"row",', ""), '"record" must be the first key of the line; '),
        (ROW.replace('"run":"r"', '"run":"s"'), 'a record of run "s" is within run "r"; runs must follow one another'),
        (ROW.replace('"view":0', '"view":1'), "a row of view 1 comes after view 0; write the rows of a view after "),
        (
            ROW + "\n" + ROW,
            "the row of partition 0 comes after the row of partition 0 in view 0; write each row of a view once, by",
        ),
        (encode(LOOK).strip(), "view 0 comes after view 0; write views in rising"),
        (encode(HEAD).strip(), 'run "r" begins a second time; '),
        ("[1, 2]", "a line must be one JSON object, found [1, 2]; "),
        ("", "not a line of JSON ("),
        ("{]", "not a line of JSON ("),
        ("[" * 100_000, "not a line of JSON ("),
        ('{"record":"event","at_ms":NaN}', "not a line of JSON (JSON has only finite numbers, not NaN); "),
        (ROW.replace('"view":0', '"view":0,"view":0'), 'the key "view" appears twice in this line; '),
        (
            ROW.replace('"partition":0', '"partition":-1'),
            "partition must be a whole number of at most 64 bits, at least 0",
        ),
        (ROW.replace('"partition":0', '"partition":271'), "partition is 271, but the run has partitions 0 to 270; "),
        (READ.replace('"partition":0', '"partition":999'), "partition is 999, but the run has partitions 0 to 270; "),
        (
            READ.replace('"start_ms":5', '"start_ms":-5'),
            "start_ms must be a whole number from 0 to 9,007,199,254,740,992, found -5",
        ),
        (READ.replace('"end_ms":7', '"end_ms":4'), "end_ms is 4, before start_ms, 5; "),
    ],
)
def test_a_malformed_line_is_named_with_its_number(tmp_path: Path, line: str, complaint: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(encode(HEAD) + encode(LOOK) + line + "\n" + ROW + "\n")

    with pytest.raises(TraceError) as caught:
        list(read_trace(path))

    assert str(caught.value).startswith(f"{path}:{3 + line.count(chr(10))}: {complaint}")
    assert "\n" not in str(caught.value)


def test_a_truncated_last_line_is_said_to_be_one(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(encode(HEAD) + ROW[:-20])

    with pytest.raises(
        TraceError, match=r":2: the last line is cut off; remove it to judge what was recorded before it"
    ):
        list(read_trace(path))


def test_bytes_that_are_no_text_are_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(encode(HEAD).encode() + b"\x80\x81\n")

    with pytest.raises(TraceError, match=r":2: byte 1 is not UTF-8 text"):
        list(read_trace(path))


def test_a_byte_order_mark_is_named_and_not_the_head_after_it(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(encode(HEAD), encoding="utf-8-sig")

    with pytest.raises(TraceError, match=r":1: the line begins with a byte order mark; remove these three bytes"):
        open_trace(path)


def test_records_before_a_head_are_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(ROW + "\n")

    with pytest.raises(TraceError, match=r":1: the first record must be a run record; "):
        open_trace(path)


def test_another_format_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(encode(HEAD).replace('"format_version":2', '"format_version":9'))

    with pytest.raises(TraceError, match=f":1: format_version is 9, but this gridproof reads {FORMAT_VERSION}; "):
        open_trace(path)


@pytest.mark.parametrize("name", ["", " ", "../up", "a/b", "a\\b", "..", "nul\0", "bell\a", "line\nend"])
def test_a_name_that_could_leave_its_folder_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(encode(replace(HEAD, run=name)))

    with pytest.raises(TraceError, match=r":1: a run is called .*; give the run a name that is printable") as caught:
        open_trace(path)
    assert str(caught.value).isprintable()


def test_an_empty_file_is_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.touch()

    with pytest.raises(TraceError, match="the file is empty, not a gridproof trace; "):
        open_trace(path)


def test_a_missing_path_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match="no such file or directory; "):
        open_trace(tmp_path / "none.jsonl")


def test_a_directory_without_runs_is_no_trace(tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"no run\.parquet in this directory; "):
        open_trace(tmp_path)


@pytest.fixture
def parquet_trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace.parquet"
    with write_trace(path) as trace:
        trace.write(HEAD)
        trace.write(MemberRecord("r", 0, 0, MemberChange.JOINED, "a", "g"))
        trace.write(LOOK)
        trace.write(RowRecord("r", 0, 0, (0,)))
    return path


def mutate(file: Path, change: Callable[[arrow.Table], arrow.Table]) -> None:
    parquet.write_table(change(parquet.read_table(file)), file)


def test_a_missing_column_is_named(parquet_trace: Path) -> None:
    mutate(parquet_trace / "row.parquet", lambda table: table.drop_columns(["slots", "view"]))

    with pytest.raises(TraceError, match=r"row\.parquet: the file has no column view, slots; "):
        open_trace(parquet_trace)


def test_a_column_of_another_type_is_named(parquet_trace: Path) -> None:
    mutate(parquet_trace / "row.parquet", lambda table: table.set_column(3, "partition", [["zero"]]))

    with pytest.raises(TraceError, match=r"row\.parquet: column partition is string, not int64; "):
        open_trace(parquet_trace)


def test_a_word_that_is_no_choice_is_named_with_its_record(parquet_trace: Path) -> None:
    mutate(parquet_trace / "member.parquet", lambda table: table.set_column(4, "change", [["vanished"]]))

    with pytest.raises(TraceError, match=r'member\.parquet: record 1: change must be one of .*, found "vanished"; '):
        list(read_trace(parquet_trace))


def test_two_records_of_one_position_are_refused(parquet_trace: Path) -> None:
    mutate(parquet_trace / "member.parquet", lambda table: table.set_column(0, "position", [[3]]))

    with pytest.raises(TraceError, match="record at position 3 of the trace: another record has the same position; "):
        list(read_trace(parquet_trace))


def test_a_number_that_counts_nothing_is_named_with_its_record(parquet_trace: Path) -> None:
    mutate(parquet_trace / "row.parquet", lambda table: table.set_column(3, "partition", [[-7]]))

    with pytest.raises(TraceError, match=r"row\.parquet: record 1: partition must be .*, at least 0, found -7; "):
        list(read_trace(parquet_trace))


def test_a_column_that_came_later_may_be_missing(tmp_path: Path) -> None:
    path = tmp_path / "trace.parquet"
    verdict = VerdictRecord("r", "full-rows", "holds", "promised", "all of them", (), 7)
    with write_trace(path) as trace:
        trace.write(HEAD)
        trace.write(verdict)
    mutate(path / "verdict.parquet", lambda table: table.drop_columns(["compared", "reason", "out_of_scope"]))

    assert list(read_trace(path)) == [HEAD, replace(verdict, compared=0)]


def test_a_torn_parquet_file_is_named(parquet_trace: Path) -> None:
    file = parquet_trace / "row.parquet"
    file.write_bytes(file.read_bytes()[:-9])

    with pytest.raises(TraceError, match=r"row\.parquet: not a whole Parquet file "):
        open_trace(parquet_trace)


@pytest.mark.parametrize("trace_format", TraceFormat)
def test_a_value_without_a_place_in_the_format_is_not_written(tmp_path: Path, trace_format: TraceFormat) -> None:
    path = tmp_path / f"trace.{trace_format}"

    with pytest.raises(TraceError, match="seed must be a whole number of at most 64 bits"), write_trace(path) as trace:
        trace.write(RunRecord("r", "reference", "1", 2**63, 271, 1))

    assert list(tmp_path.iterdir()) == []


BEYOND = [
    (
        "run",
        "partition_count",
        2**24 + 1,
        "partition_count must be a whole number from 1 to 16,777,216, found 16777217",
    ),
    ("run", "backup_count", 2**62, "backup_count must be a whole number from 0 to 255, found 4611686018427387904"),
    ("member", "weight", 1e300, "weight must be a finite number from 0 to 9,007,199,254,740,992, found 1e+300"),
    ("member", "member", 2**31, "member must be a whole number from 0 to 2,147,483,647, found 2147483648"),
    ("member", "at_ms", 2**53 + 1, "at_ms must be a whole number from 0 to 9,007,199,254,740,992, found 90071"),
    ("view", "observer", 2**31, "observer must be a whole number from 0 to 2,147,483,647, found 2147483648"),
    ("route", "partition_count", 2**62, "partition_count must be a whole number from 1 to 2,147,483,647, found 4611"),
]


@pytest.mark.parametrize(("word", "name", "value", "complaint"), BEYOND)
@pytest.mark.parametrize("form", TraceFormat)
def test_a_number_that_no_run_has_is_refused(
    tmp_path: Path, form: TraceFormat, word: str, name: str, value: float, complaint: str
) -> None:
    records: dict[str, Record] = {
        "run": HEAD,
        "member": MemberRecord("r", 0, 0, MemberChange.JOINED, "a", "a"),
        "view": LOOK,
        "route": RouteRecord("r", "int", b"\x01", 271, 1, "1", False),
    }
    with write_trace(tmp_path / f"trace.{form.value}") as trace:
        for record in records.values():
            trace.write(record)
    if form is TraceFormat.JSON_LINES:
        lines = [json.loads(encode(record)) for record in records.values()]
        next(line for line in lines if line["record"] == word)[name] = value
        (tmp_path / "trace.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    else:
        file = tmp_path / "trace.parquet" / f"{word}.parquet"
        table = parquet.read_table(file)
        parquet.write_table(table.set_column(table.column_names.index(name), name, [[value]]), file)

    with pytest.raises(TraceError, match=re.escape(complaint)):
        list(read_trace(tmp_path / f"trace.{form.value}"))


def test_lists_in_lists_are_refused_however_deep(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text(encode(HEAD) + encode(LOOK) + ROW.replace("[0,null]", "[" * 900 + "]" * 900) + "\n")

    with pytest.raises(TraceError, match=r"slots must be a list of member numbers or null, found \[\[\[\["):
        list(read_trace(path))


def test_a_key_that_stands_twice_among_many_is_found_at_once(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    keys = ",".join(f'"k{number}":0' for number in range(100_000))
    path.write_text(encode(HEAD) + f'{{"record":"row",{keys},"k99999":1}}\n')

    with pytest.raises(TraceError, match='the key "k99999" appears twice'):
        list(read_trace(path))


def test_a_backup_without_a_version_of_its_own_is_refused() -> None:
    order, event = RunOrder(), EventRecord("r", 0, 1, FragmentInstalled(0, "map:m", 2, (1,)))
    order.check(HEAD)

    with pytest.raises(TraceError, match="a fragment-installed event has index 2, but has versions of 1 b"):
        order.check(event)


def test_a_step_without_the_member_that_took_it_is_refused() -> None:
    order = RunOrder()
    order.check(HEAD)

    with pytest.raises(TraceError, match="a member-list-installed event has no member; write the number"):
        order.check(EventRecord("r", 0, None, MemberListInstalled(1, (0,))))


def test_more_runs_than_anybody_judges_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gridproof_implementation.trace.schema.RUNS_MAX", 2)
    order = RunOrder()
    order.check(HEAD)
    order.check(replace(HEAD, run="second"))

    with pytest.raises(TraceError, match="a trace has at most 2 runs"):
        order.check(replace(HEAD, run="third"))


def test_an_operation_that_is_recorded_twice_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OperationNumbers, "KEPT_MAX", 4)
    for recorded in ([0, 1, 2, 1], [0, 2, 1, 2], [0, 3, 4, 3], [5, 1, 2, 4, 6, 7, 7]):
        numbers = OperationNumbers()
        for number in recorded[:-1]:
            numbers.add(number)

        with pytest.raises(TraceError, match=f"operation {recorded[-1]} is recorded a second time"):
            numbers.add(recorded[-1])


def test_numbers_that_come_late_are_not_taken_for_repeated_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(OperationNumbers, "KEPT_MAX", 4)
    numbers = OperationNumbers()

    for number in [*range(1, 40, 2), *range(2, 40, 2), 0]:
        numbers.add(number)
