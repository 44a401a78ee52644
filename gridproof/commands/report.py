"""`gridproof report`: write the page of a recorded run again."""

import argparse
from collections import deque
from pathlib import Path

from gridproof.errors import UsageError
from gridproof.folders import REPORT_NAME
from gridproof.gate import JudgedRun, add_gate, gate_of
from gridproof.run import make_report, run_in, verdicts_in
from gridproof.tables import print_lines
from gridproof.time_limit import limited
from gridproof.traces import TRACE_STEM, missed_in, trace_in
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.trace import TraceFormat, read_trace
from gridproof_model.trace import RunRecord
from gridproof_properties.audits.promises import promised_in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `report`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that `gridproof check` or `simulate` wrote")
    add_gate(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the page from the trace in a folder and return the exit status of the run; verdicts are those recorded."""
    gate = gate_of(arguments)
    trace = _trace_of(arguments.folder)
    verdicts, system = verdicts_in(trace), _system_of(trace)
    gate.refuse_unpromised([system], [promised_in(system, verdicts)])
    with limited() as limit:
        print(make_report(trace, arguments.folder / REPORT_NAME, find_adapter(system), verdicts=verdicts))
    limit.say("no page is written")
    missed: dict[str, str] = {}
    deque(missed_in(run_in(trace, None)[1], missed), maxlen=0)
    runs = [JudgedRun((str(trace),), verdicts, missed=missed)]
    print_lines([*gate.first_lines(runs), *gate.lines(runs)])
    return gate.status(runs)


def _trace_of(folder: Path) -> Path:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name one that `gridproof check` wrote")
    trace = trace_in(folder)
    if trace is None:
        names = " or ".join(f"{TRACE_STEM}.{form.value}" for form in TraceFormat)
        raise UsageError(f"{folder} holds no {names}; name one that `gridproof check` wrote")
    return trace


def _system_of(trace: Path) -> str:
    head = next(iter(read_trace(trace)))
    return head.system if isinstance(head, RunRecord) else ""
