"""Traces that no run wrote: whole ones, damaged by Hypothesis.

Whatever is damaged, `audit` and `report` end in verdicts, or in one line that says where the damage is.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gridproof_implementation.adapter import Options
from gridproof_implementation.trace import TraceError, open_trace, write_trace
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.grid import GridPlan
from gridproof_properties.audits.trace_verdicts import judge_recorded
from gridproof_properties.judging.verdict import Reason
from tests.front_door.command_line import CommandLine, Outcome
from tests.front_door.hostile import CALM, try_one
from tests.profiles import examples
from tests.properties.honest_grid import adapter_of

Lines = list[bytes]
Damage = Callable[[Lines], Lines]
LINES_MAX = 400
"""So many lines of a run are kept: they are quick to judge, and a run that was cut off is a trace too."""
JUDGED_MAX = 150
SMALL = Extent(GridPlan(8, many_calls=1, crash_write_count=2, closer_look_count=2))
PLACE = st.floats(0, 1, exclude_max=True)
"""Where in a trace, or in a record, from its start to its end."""
HOSTILE: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 7, 271, 1_000_000, 2**31, 2**63 - 1, 2**63, -(2**63), 10**400, 0.5, -0.0, 1e308,
    float("nan"), float("inf"), "", " ", "a", "é", "\x00", "\n", "\x1b[31m", "../x", "/", "a" * 5_000, "\ud800", "nan",
    "run", "event", "write", "ok", "primary", "joined", "row-installed",
    [], [0], [0, 0], [None], [-1], [10**9], [[0]], ["a"], [0] * 9, {},
    {"a": 1},
)  # fmt: skip
"""Values of every shape a field may have, and of those that none has."""


def at(lines: Sequence[bytes], place: float) -> int:
    return int(place * len(lines))


def drop(lines: Lines, place: float) -> Lines:
    return [line for number, line in enumerate(lines) if number != at(lines, place)]


def repeat(lines: Lines, place: float) -> Lines:
    number = at(lines, place)
    return [*lines[: number + 1], *lines[number:]]


def leave_out(lines: Lines, place: float) -> Lines:
    """Leave out a whole kind of record, or of event, but never the heads."""
    kind = kind_of(lines[at(lines, place)])
    return [line for line in lines if kind_of(line) != kind or kind == "run"]


def kind_of(line: bytes) -> object:
    record = read(line)
    return record.get("name") if record.get("record") == "event" else record.get("record")


def cut_off(lines: Lines, place: float) -> Lines:
    return lines[: at(lines, place)]


def cut_inside(lines: Lines, place: float) -> Lines:
    number = at(lines, place)
    return [*lines[:number], lines[number][: len(lines[number]) // 2]]


def move(lines: Lines, place: float, to: float) -> Lines:
    left = drop(lines, place)
    number = int(to * len(lines))
    return [*left[:number], lines[at(lines, place)], *left[number:]]


def overwrite(lines: Lines, place: float, where: float, byte: int) -> Lines:
    number = at(lines, place)
    line = bytearray(lines[number])
    line[int(where * len(line))] = byte
    return [*lines[:number], bytes(line), *lines[number + 1 :]]


def put(lines: Lines, place: float, where: float, value: Any) -> Lines:
    """Give one field of one record another value."""
    return change(lines, place, where, lambda record, name: {**record, name: value})


def take_out(lines: Lines, place: float, where: float) -> Lines:
    """Take one field out of one record."""
    return change(lines, place, where, lambda record, name: {key: record[key] for key in record if key != name})


def lend(lines: Lines, place: float, where: float, other: float) -> Lines:
    """Give one field of one record the value that some other record has there, if it has one."""
    lender = read(lines[at(lines, other)])
    return change(lines, place, where, lambda record, name: {**record, name: lender.get(name, record[name])})


def change(lines: Lines, place: float, where: float, alter: Callable[[dict[str, Any], str], object]) -> Lines:
    number = at(lines, place)
    record = read(lines[number])
    if not record:
        return lines
    name, inner = list(record)[int(where * len(record))], record.get("fields")
    altered: object
    if isinstance(inner, dict) and inner and int(where * 1_000) % 2:  # every other time a field of the event
        altered = {**record, "fields": alter(inner, list(inner)[int(where * len(inner))])}
    else:
        altered = alter(record, name)
    return [*lines[:number], json.dumps(altered).encode(), *lines[number + 1 :]]


def read(line: bytes) -> dict[str, Any]:
    """Return a line's object, an empty one where earlier damage left none."""
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


DAMAGES: st.SearchStrategy[tuple[Any, ...]] = st.one_of(
    st.tuples(st.sampled_from([drop, repeat, leave_out, cut_off, cut_inside]), PLACE),
    st.tuples(st.just(move), PLACE, PLACE),
    st.tuples(st.just(overwrite), PLACE, PLACE, st.integers(0, 255)),
    st.tuples(st.just(put), PLACE, PLACE, st.sampled_from(HOSTILE)),
    st.tuples(st.just(take_out), PLACE, PLACE),
    st.tuples(st.just(lend), PLACE, PLACE, PLACE),
)
DAMAGED = st.tuples(st.integers(0, 2), st.lists(DAMAGES, min_size=1, max_size=3))


class Whole:
    """Traces that are whole, as lines; no dataclass, because Hypothesis would print all of them."""

    def __init__(self, traces: Sequence[Lines]) -> None:
        self.traces = traces


@pytest.fixture
def whole(gridproof: CommandLine, tmp_path: Path) -> Whole:
    """The traces that are damaged: an audit of a grid, and two simulated runs."""
    path = tmp_path / "audit.jsonl"
    with write_trace(path) as writer:
        check_conformance(adapter_of(), Options(partition_count=2, member_count=2), writer.write, extent=SMALL)
    traces = [path]
    for seed, options in ((3, ("--steps",)), (5, ("--workload", "mixed"))):
        gridproof("simulate", "--runs", 1, "--seed", seed, *options, "--out", tmp_path / f"run{seed}")
        traces.append(tmp_path / f"run{seed}" / "trace.jsonl")
    return Whole([trace.read_bytes().splitlines()[:LINES_MAX] for trace in traces])


def test_what_is_damaged_is_whole_before(gridproof: CommandLine, tmp_path: Path, whole: Whole) -> None:
    for lines in whole.traces:
        assert audited(gridproof, tmp_path, lines).status in (0, 1, 3)


def audited(gridproof: CommandLine, folder: Path, lines: Lines) -> Outcome:
    """Write a trace, audit it, make its report, and judge what each says."""
    trace = folder / "damaged" / "trace.jsonl"
    trace.parent.mkdir(exist_ok=True)
    trace.write_bytes(b"".join(line + b"\n" for line in lines))
    page = trace.with_name("report.html")
    page.unlink(missing_ok=True)
    done = try_one(gridproof, folder, ["audit", str(trace), "--engine", "local", "--json"])
    shown = try_one(gridproof, folder, ["report", str(trace.parent)])
    assert (done.status == 2) == (shown.status == 2), (done.err, shown.err)
    return done


def damage_all(lines: Lines, damages: Sequence[Any]) -> Lines:
    for damage, *arguments in damages:
        lines = damage(lines, *arguments) if lines else lines
    return lines


@settings(max_examples=examples(25, nightly=5_000), suppress_health_check=CALM)
@given(damaged=DAMAGED)
def test_a_damaged_trace_is_reported_so(
    gridproof: CommandLine, tmp_path: Path, whole: Whole, damaged: tuple[int, Sequence[Any]]
) -> None:
    chosen, damages = damaged
    audited(gridproof, tmp_path, damage_all(whole.traces[chosen], damages))


@settings(max_examples=examples(200, nightly=10_000), suppress_health_check=CALM)
@given(damaged=DAMAGED)
def test_no_judge_fails_over_a_damaged_trace(tmp_path: Path, whole: Whole, damaged: tuple[int, Sequence[Any]]) -> None:
    chosen, damages = damaged
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(b"".join(line + b"\n" for line in damage_all(whole.traces[chosen][:JUDGED_MAX], damages)))
    with suppress(TraceError):  # one line, as those of the test above
        for head, records in open_trace(path).runs():
            failed = [one for one in judge_recorded(head, records) if one.reason is Reason.JUDGE_FAILED]
            assert failed == []
