"""`gridproof report`: write the page of a recorded run again."""

import argparse
from pathlib import Path

from gridproof.errors import UsageError
from gridproof.folders import REPORT_NAME, TRACE_STEM
from gridproof.run import make_report
from gridproof_implementation.adapter import Adapter
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.trace import TraceFormat, read_trace
from gridproof_model.trace import RunRecord
from gridproof_properties.exit_status import ExitStatus


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `report`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that `gridproof check` wrote")


def run(arguments: argparse.Namespace) -> int:
    """Make the page from the trace in a folder; verdicts are those the trace records."""
    trace = _trace_in(arguments.folder)
    page = make_report(trace, arguments.folder / REPORT_NAME, _adapter_of(trace))
    print(page)
    return ExitStatus.HOLDS


def _trace_in(folder: Path) -> Path:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name one that `gridproof check` wrote")
    for trace_format in TraceFormat:
        trace = folder / f"{TRACE_STEM}.{trace_format.value}"
        if trace.exists():
            return trace
    raise UsageError(
        f"{folder} holds no {TRACE_STEM}.jsonl or {TRACE_STEM}.parquet; name one that `gridproof check` wrote"
    )


def _adapter_of(trace: Path) -> Adapter | None:
    head = next(iter(read_trace(trace)))
    return find_adapter(head.system) if isinstance(head, RunRecord) else None
