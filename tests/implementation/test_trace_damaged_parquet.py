"""A Parquet trace with damaged bytes is read as it was written, or refused in one line."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gridproof_implementation.trace import TraceError, read_trace, write_trace
from gridproof_model.trace import Record, RowRecord, RunRecord, ViewRecord
from tests.profiles import examples

RECORDS: tuple[Record, ...] = (
    RunRecord("r", "reference", "1", 0, 64, 1),
    ViewRecord("r", 0, 0, "joined 1", 0, True, (0, 1), (0, 1), ("a", "b")),
    *(RowRecord("r", 0, partition, (partition % 2, None), 1) for partition in range(64)),
)
FILES = ("row.parquet", "run.parquet", "view.parquet")
PLACE = st.floats(0, 1, exclude_max=True)


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    with write_trace(tmp_path / "whole.parquet") as writer:
        for record in RECORDS:
            writer.write(record)
    return tmp_path / "whole.parquet"


def read_or_refuse(trace: Path) -> tuple[Record, ...] | None:
    try:
        return tuple(read_trace(trace))
    except TraceError:
        return None


@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(FILES), place=PLACE, byte=st.integers(1, 255))
def test_a_page_with_another_byte_is_never_read_as_other_records(
    trace: Path, name: str, place: float, byte: int
) -> None:
    whole = (trace / name).read_bytes()
    damaged = bytearray(whole)
    damaged[int(place * len(whole))] ^= byte
    (trace / name).write_bytes(damaged)
    try:
        found = read_or_refuse(trace)
    finally:
        (trace / name).write_bytes(whole)

    assert found is None or found == RECORDS


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(FILES), place=PLACE)
def test_a_file_that_is_cut_off_is_refused(trace: Path, name: str, place: float) -> None:
    whole = (trace / name).read_bytes()
    (trace / name).write_bytes(whole[: int(place * len(whole))])
    try:
        assert read_or_refuse(trace) is None
    finally:
        (trace / name).write_bytes(whole)
