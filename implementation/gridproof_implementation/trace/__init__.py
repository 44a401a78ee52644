"""Trace files: JSON Lines and Parquet, read and written.

`docs/trace-format.md` describes traces for people; the records themselves are in `gridproof_model.trace`.
"""

from gridproof_implementation.trace.files import (
    TraceFile,
    TraceFormat,
    TraceWriter,
    open_trace,
    read_trace,
    write_trace,
)
from gridproof_implementation.trace.schema import TraceError

__all__ = ["TraceError", "TraceFile", "TraceFormat", "TraceWriter", "open_trace", "read_trace", "write_trace"]
