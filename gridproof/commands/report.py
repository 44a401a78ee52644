"""`gridproof report`: writes the pages of recorded runs again."""

import argparse
from collections import deque
from itertools import islice
from pathlib import Path

from gridproof.checks.run import line_as_typed, make_report, run_in, verdicts_in
from gridproof.checks.tables import print_lines
from gridproof.ci.gate import JudgedRun, add_gate, gate_of
from gridproof.command import UsageError
from gridproof.output.folders import INDEX_NAME, REPORT_NAME
from gridproof.output.traces import TRACE_STEM, Tried, trace_in, traces_at
from gridproof.time_limit import limited
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.trace import TraceFormat, open_trace
from gridproof_properties.audits.promises import promised_in
from gridproof_reports.contents.summary import SummaryEntry
from gridproof_reports.pages.build import build_summary


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `report`."""
    parser.add_argument("folder", type=Path, metavar="DIR", help="a folder that `gridproof check` or `simulate` wrote")
    add_gate(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the page of each trace in a folder, and a page that lists several; the verdicts are those in the traces."""
    gate = gate_of(arguments)
    traces = _traces_of(arguments.folder)
    said = {trace: (verdicts_in(trace), run_in(trace)[0]) for trace in traces}
    systems = [head.system for _, head in said.values()]
    gate.refuse_unpromised(systems, [promised_in(head.system, verdicts) for verdicts, head in said.values()])
    runs: list[JudgedRun] = []
    entries: list[SummaryEntry] = []
    with limited() as limit:
        for trace, (verdicts, head) in said.items():
            page = trace.with_name(REPORT_NAME) if trace.stem == TRACE_STEM else trace.with_suffix(".html")
            print(make_report(trace, page, find_adapter(head.system), verdicts))
            entries.append(SummaryEntry(head.system, head.version, verdicts, page, None, trace.stem, head.seed))
        if len(entries) > 1:
            by_seed = sorted(entries, key=lambda one: (one.seed, one.run))
            print(build_summary(by_seed, arguments.folder / INDEX_NAME, repeat_line=line_as_typed()))
    limit.say("no page is written" if len(traces) == 1 else "not every page is written")
    for trace, (verdicts, _) in said.items():
        tried = Tried()
        deque(tried.watch(run_in(trace)[1]), maxlen=0)
        runs.append(JudgedRun((str(trace),), verdicts, missed=tried.missed, unknown=tried.work.unknown))
    print_lines([*gate.first_lines(runs), *gate.lines(runs)])
    return gate.status(runs)


def _traces_of(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UsageError(f"{folder}: no such folder; name a folder that `gridproof check` wrote")
    trace = trace_in(folder)
    traces = [one for one in traces_at(folder) if one.parent == folder] if trace is None else [trace]
    if not traces:
        names = " or ".join(f"{TRACE_STEM}.{form.value}" for form in TraceFormat)
        raise UsageError(f"{folder} holds no {names}; name a folder that `gridproof check` wrote")
    for one in traces:
        if len(list(islice(open_trace(one).runs(), 2))) > 1:
            raise UsageError(f"{one}: holds several runs, and a page shows one; judge it by `gridproof audit {one}`")
    return traces
