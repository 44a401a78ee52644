"""`gridproof report`: write the pages of recorded runs again."""

import argparse
from collections import deque
from pathlib import Path

from gridproof.errors import UsageError
from gridproof.folders import REPORT_NAME
from gridproof.gate import JudgedRun, add_gate, gate_of
from gridproof.run import make_report, run_in, verdicts_in
from gridproof.tables import print_lines
from gridproof.time_limit import limited
from gridproof.traces import TRACE_STEM, Tried, trace_in, traces_at
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.trace import TraceFormat, read_trace
from gridproof_model.trace import RunRecord
from gridproof_properties.audits.promises import promised_in


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `report`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that `gridproof check` or `simulate` wrote")
    add_gate(parser)


def run(arguments: argparse.Namespace) -> int:
    """Make the page of each trace in a folder and return the exit status; verdicts are those recorded."""
    gate = gate_of(arguments)
    traces = _traces_of(arguments.folder)
    said = {trace: (verdicts_in(trace), _system_of(trace)) for trace in traces}
    systems = [system for _, system in said.values()]
    gate.refuse_unpromised(systems, [promised_in(system, verdicts) for verdicts, system in said.values()])
    runs: list[JudgedRun] = []
    with limited() as limit:
        for trace, (verdicts, system) in said.items():
            page = arguments.folder / REPORT_NAME if trace.stem == TRACE_STEM else trace.with_suffix(".html")
            print(make_report(trace, page, find_adapter(system), verdicts=verdicts))
    limit.say("no page is written" if len(traces) == 1 else "not every page is written")
    for trace, (verdicts, _) in said.items():
        tried = Tried()
        deque(tried.watch(run_in(trace, None)[1]), maxlen=0)
        runs.append(JudgedRun((str(trace),), verdicts, missed=tried.missed, unknown=tried.work.unknown))
    print_lines([*gate.first_lines(runs), *gate.lines(runs)])
    return gate.status(runs)


def _traces_of(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name one that `gridproof check` wrote")
    trace = trace_in(folder)
    traces = [one for one in traces_at(folder) if one.parent == folder] if trace is None else [trace]
    if not traces:
        names = " or ".join(f"{TRACE_STEM}.{form.value}" for form in TraceFormat)
        raise UsageError(f"{folder} holds no {names}; name one that `gridproof check` wrote")
    return traces


def _system_of(trace: Path) -> str:
    head = next(iter(read_trace(trace)))
    return head.system if isinstance(head, RunRecord) else ""
