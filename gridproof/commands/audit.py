"""`gridproof audit`: judge recorded traces again, on Spark."""

import argparse
import json
from pathlib import Path

from gridproof.command import Command
from gridproof.folders import AUDIT_NAME, INDEX_NAME, REPORT_NAME, choose_folder
from gridproof.progress import Report, show_progress
from gridproof.run import make_report, verdict_object
from gridproof.tables import print_audit
from gridproof_implementation.adapters import find_adapter
from gridproof_properties.verdict import exit_status
from gridproof_reports.build import build_summary
from gridproof_reports.pipeline.audit import DEFAULT_MASTER, AuditReport, RunAudit, audit_traces
from gridproof_reports.summary import SummaryEntry


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `audit`."""
    parser.add_argument(
        "traces", nargs="+", type=Path, metavar="PATH", help="a trace: a .jsonl file or a .parquet folder"
    )
    parser.add_argument(
        "--master", default=DEFAULT_MASTER, metavar="M", help=f"the Spark master (default {DEFAULT_MASTER})"
    )
    parser.add_argument("--out", type=Path, metavar="DIR", help="an empty folder for the reports")
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Judge every run of the traces and return the exit status over all of them."""
    with show_progress("audit") as report:
        audited = audit_traces(arguments.traces, arguments.master, report)
        folder = choose_folder(arguments.out, "audit")
        index = _write_reports(audited, folder, report)
    (folder / AUDIT_NAME).write_text(json.dumps(_object(audited, index), ensure_ascii=False, indent=1) + "\n")
    if arguments.json:
        print(json.dumps(_object(audited, index), ensure_ascii=False))
    else:
        print_audit(audited, index)
    return exit_status(audited.verdicts)


def _write_reports(audited: AuditReport, folder: Path, report: Report) -> Path:
    """Write a page per run and the page of all; return the latter."""
    entries = []
    for number, one in enumerate(audited.runs):
        report(f"report of {one.head.run}", number, len(audited.runs))
        page = folder / one.head.run / REPORT_NAME
        make_report(one.source, page, find_adapter(one.head.system), run=one.head.run, verdicts=one.verdicts)
        entries.append(SummaryEntry(one.head.system, one.head.version, one.verdicts, page))
    return build_summary(entries, folder / INDEX_NAME)


def _object(audited: AuditReport, index: Path) -> dict[str, object]:
    return {
        "runs": [_run_object(one) for one in audited.runs],
        "rows": audited.row_count,
        "report": str(index),
        "seconds": round(audited.seconds, 3),
    }


def _run_object(one: RunAudit) -> dict[str, object]:
    return {
        "run": one.head.run,
        "system": one.head.system,
        "version": one.head.version,
        "seed": one.head.seed,
        "trace": str(one.source),
        "rows": one.row_count,
        "verdicts": [verdict_object(verdict) for verdict in one.verdicts],
    }


COMMAND = Command("audit", "judge recorded traces again with Spark, no system present", add_arguments, run)
