"""`gridproof audit`: judges recorded traces again."""

import argparse
import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.checks.run import line_as_typed, run_in, verdict_object
from gridproof.checks.tables import counts_of, in_short, print_lines
from gridproof.ci.gate import JudgedRun
from gridproof.ci.in_ci import InCi, add_ci_arguments, add_promises
from gridproof.command import UsageError
from gridproof.output.campaign_table import print_weaknesses
from gridproof.output.console import FOLDED, NUMBER, new_table, open_console
from gridproof.output.folders import AUDIT_NAME, INDEX_NAME, REPORT_NAME, fresh_folder, plain_name
from gridproof.output.progress import Report, show_progress
from gridproof.output.traces import Tried, traces_at
from gridproof.time_limit import TimeLimit, add_time_limit, limited, time_limit_of
from gridproof_implementation.adapters import find_adapter
from gridproof_implementation.live.said import Said
from gridproof_implementation.trace import open_trace
from gridproof_model.trace import Record, RunRecord
from gridproof_model.user_error import printable
from gridproof_model.value import picked
from gridproof_model.whole_file import write_whole
from gridproof_properties.audits.promises import promised_in
from gridproof_properties.audits.trace_verdicts import with_details
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.verdict import weaknesses_of
from gridproof_properties.judging.words import count
from gridproof_reports.contents.report import Provenance
from gridproof_reports.contents.summary import SummaryEntry
from gridproof_reports.pages.build import build_report, build_summary
from gridproof_reports.pipeline.audit import DEFAULT_MASTER, AuditReport, Engine, audit_traces
from gridproof_reports.pipeline.case import RunAudit
from gridproof_reports.reading.stages import drawn_views

HOW = {Engine.LOCAL: "in this process", Engine.SPARK: "on Spark"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `audit`."""
    parser.add_argument(
        "traces", nargs="+", type=Path, metavar="PATH",
        help="a trace (.jsonl or .parquet), or a folder that a command wrote",
    )  # fmt: skip
    parser.add_argument(
        "--engine", type=Engine, choices=list(Engine), metavar="|".join(Engine),
        help="where traces are judged: in this process or on Spark (default: by the size of the traces)",
    )  # fmt: skip
    parser.add_argument(
        "--master", metavar="M", help=f"the Spark master (default {DEFAULT_MASTER}); naming one chooses Spark"
    )
    add_promises(parser)
    add_ci_arguments(parser)
    add_time_limit(parser)
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for the reports")


def run(arguments: argparse.Namespace) -> int:
    """Judge every run of the traces and return the exit status of all runs together."""
    engine: Engine | None = arguments.engine
    if engine is None and arguments.master is not None:
        engine = Engine.SPARK
    is_here = engine is Engine.LOCAL or (engine is None and arguments.promises is not None)
    refuse_ignored(arguments.typed, Subject.TRACES_HERE if is_here else Subject.TRACES_ON_SPARK)
    ci, limit = InCi.of("audit", arguments), time_limit_of(arguments)
    with fresh_folder(arguments.out, "audit") as folder, show_progress("audit") as report:
        traces = [trace for place in arguments.traces for trace in traces_at(place)]
        audits: list[AuditReport] = []
        with limited(limit):
            master = arguments.master or DEFAULT_MASTER
            audits.append(audit_traces(traces, master, report, engine, lambda: limit.why, ci.stated))
        if not audits:
            limit.say("no trace was judged")
            return limit.status_of_part(ExitStatus.UNKNOWN)
        audited = audits[0]
        systems = [one.head.system for one in audited.runs]
        if ci.stated is not None and len(named := dict.fromkeys(systems)) > 1:
            raise UsageError(
                f"--promises {arguments.promises}: the file is about one system, but the traces are of "
                f"{', '.join(named)}; judge one system at a time"
            )
        ci.gate.refuse_unpromised(systems, [promised_in(one.head.system, one.verdicts) for one in audited.runs])
        tried = [Tried() for _ in audited.runs]
        index = _write_reports(audited, folder, report, tried, limit, ci.stated)
        runs = [_as_judged(*one) for one in zip(audited.runs, tried, strict=True)]
        fields = {**_object(audited, index), **ci.as_object(runs)}
        write_whole(folder / AUDIT_NAME, json.dumps(fields, indent=1) + "\n")
    if arguments.json:
        print(json.dumps(fields))
    else:
        print_lines(ci.gate.first_lines(runs))
        _print(audited, index, limit.why)
        print_lines(ci.lines(runs))
    ci.write([runs])
    status = ci.gate.status(runs)
    return status if limit.why is None or status == ExitStatus.BROKEN else ExitStatus.UNKNOWN


def _as_judged(one: RunAudit, tried: Tried) -> JudgedRun:
    """Return a run as the gate of a build judges it: named by the run's own name and by the system's."""
    names, unknown = (one.head.run, one.head.system), tried.work.unknown
    return JudgedRun(names, one.verdicts, one.head.version, trace=one.source, missed=tried.missed, unknown=unknown)


def _write_reports(
    audited: AuditReport, folder: Path, report: Report, tried: Sequence[Tried], limit: TimeLimit, stated: Said | None
) -> Path:
    """Write a page for each run; write and return a page that lists them. `tried` gets what each run counted.

    After Ctrl-C, no further pages are written.
    """
    entries = []
    over = TimeLimit()
    with limited(over):
        for number, (one, page) in enumerate(_pages(audited, folder, iter(tried), stated), start=1):
            report(f"report of {one.head.run}", number, len(audited.runs))
            head = one.head
            entries.append(SummaryEntry(head.system, head.version, one.verdicts, page, run=head.run, seed=head.seed))
    limit.why = limit.why or over.why
    return build_summary(entries, folder / INDEX_NAME, repeat_line=line_as_typed())


def _pages(
    audited: AuditReport, folder: Path, tried: Iterator[Tried], stated: Said | None
) -> Iterator[tuple[RunAudit, Path]]:
    """Write the page of each run, reading every trace once; a run's name decides nothing but its file's name."""
    waiting = iter(audited.runs)
    for number, source in enumerate(dict.fromkeys(one.source for one in audited.runs)):
        for place, (head, records) in enumerate(open_trace(source).runs(drawn_views)):
            one = next(waiting)
            if one.is_cut:
                break  # a run that takes too long to judge takes too long to draw
            page = folder / f"{number + 1:03d}-{place + 1:03d}-{plain_name(head.run)}" / REPORT_NAME
            provenance = Provenance(trace=str(source))
            verdicts = with_details(one.verdicts, partial(_records_of, source, head))
            adapter = find_adapter(head.system)
            promises = {**({} if adapter is None else adapter.promises), **({} if stated is None else stated.promises)}
            watched = next(tried).watch(records)
            build_report(watched, verdicts, page, provenance, properties=CATALOGUE, promises=promises)
            yield one, page


def _records_of(source: Path, head: RunRecord) -> Iterable[Record]:
    return run_in(source, head.run)[1]


def _print(audited: AuditReport, index: Path, why: str | None) -> None:
    """Print one row for each run, and where the report is."""
    console = open_console()
    title = f"{count(len(audited.runs), 'run')}, {count(audited.record_count, 'record')}, judged {HOW[audited.engine]}"
    counts = dict.fromkeys(("hold", "broken", "unknown"), NUMBER)
    table = new_table(title, {"run": FOLDED, **counts, "in short": FOLDED})
    for one in audited.runs:
        table.add_row(printable(one.head.run), *counts_of(one.verdicts), in_short(one.verdicts))
    console.print(table)
    print_weaknesses(console, weaknesses_of(audited.verdicts))
    named = [(one.head.run, verdict.by_proof) for one in audited.runs for verdict in one.verdicts]
    print_lines([f"{run}: {follows.headline}" for run, follows in named if follows is not None])
    rate = audited.record_count / audited.seconds if audited.seconds else 0.0
    console.print(f"\n{audited.seconds:.1f} s, {rate:,.0f} records a second", soft_wrap=True)
    if any(one.is_cut for one in audited.runs):
        console.print(f"{why}: the last run was not judged to its end, and no run after it was judged")
    if audited.steps:
        console.print("\n".join(f"{one.seconds:6.1f} s  {one.what}" for one in audited.steps))
    console.print(f"report  {index}", soft_wrap=True)


def _object(audited: AuditReport, index: Path) -> dict[str, object]:
    steps = [{"what": step.what, "seconds": round(step.seconds, 3)} for step in audited.steps]
    return {
        "engine": audited.engine.value,
        "runs": [_run_object(one) for one in audited.runs],
        "records": audited.record_count,
        "rows": audited.row_count,
        "report": str(index),
        "seconds": round(audited.seconds, 3),
        **({"steps": steps} if steps else {}),
    }


def _run_object(one: RunAudit) -> dict[str, object]:
    return {
        **picked(one.head, "run system version seed"),
        "trace": str(one.source),
        "rows": one.row_count,
        **({"is_cut": True} if one.is_cut else {}),
        "verdicts": [verdict_object(verdict) for verdict in one.verdicts],
    }
