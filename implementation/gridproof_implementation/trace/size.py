"""How many records a trace holds, about, without reading it."""

from typing import assert_never

from gridproof_implementation.trace.files import TraceFile, TraceFormat

SAMPLE_BYTES = 64 * 1024


def estimate_records(trace: TraceFile, left_out: str = "") -> int:
    """Return the records of a Parquet trace, but for a kind that is left out; of lines what the first let expect."""
    match trace.format:
        case TraceFormat.PARQUET:
            # Imported now: only columns need PyArrow.
            from gridproof_implementation.trace.parquet import count_records

            return count_records(trace.path, left_out)
        case TraceFormat.JSON_LINES:
            with trace.path.open("rb") as file:
                sample = file.read(SAMPLE_BYTES)
            lines = max(1, sample.count(b"\n"))
            return max(1, round(trace.path.stat().st_size * lines / max(1, len(sample))))
        case _:
            assert_never(trace.format)
