"""`gridproof validate`: checks a trace, or the log of any program, against a specification."""

import argparse
import json
import shlex
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

from rich.text import Text

from gridproof.command import UsageError
from gridproof.output.console import COLOURS, open_console
from gridproof.output.folders import REPORT_NAME, fresh_folder
from gridproof.output.traces import Tried, traces_at
from gridproof.time_limit import INTERRUPTED, limited
from gridproof_implementation.trace import open_trace
from gridproof_model.events.fault_counts import missed_sentence
from gridproof_model.renamed import present_name
from gridproof_model.user_error import nearest, printable
from gridproof_model.value import picked
from gridproof_properties.claims.named import find_own
from gridproof_properties.judging.panel import Panel
from gridproof_properties.judging.verdict import PromiseLevel, Reason, Result
from gridproof_properties.refinement.polled import OF_SPECIFICATION, WITHOUT_STEPS
from gridproof_properties.validation.table import ObservationTable, validate_log
from gridproof_reports.contents.validation_report import ValidatedRun, ValidationReport

NO_STEPS = "; `gridproof simulate --steps --out DIR` records the steps of members"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `validate`."""
    parser.add_argument(
        "recorded", type=Path, metavar="FILE", help="a trace, a folder that a command wrote, or a log of JSON lines"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--specification", metavar="NAME", help=f"validate a trace by one of {', '.join(OF_SPECIFICATION)}"
    )
    what.add_argument(
        "--table",
        metavar="FILE.py:TABLE",
        help="validate a log by your own observation table: FILE.py:NAME or package.module:NAME",
    )
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help="an empty folder for a page with the first refused event of each run, drawn",
    )  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Validate each run, and return the exit status of all runs together: 0 explained, 1 refused, 3 unknown.

    If a folder is named, it is checked before the work begins.
    """
    with nullcontext() if arguments.out is None else fresh_folder(arguments.out, "validate") as folder:
        report = _validated(arguments)
        page = None if folder is None else _write_page(report, folder)
    if arguments.json:
        written = {} if page is None else {"report": str(page)}
        print(json.dumps({"validated": [_object(one, report) for one in report.runs], **written}))
    else:
        _print(report, page)
    return report.outcome.exit_status


def _validated(arguments: argparse.Namespace) -> ValidationReport:
    path: Path = arguments.recorded
    words, source = ["gridproof", "validate", str(path)], path.name or str(path)
    if arguments.table is not None:
        line = shlex.join([*words, "--table", arguments.table])
        name, found = _of_log(path, arguments.table)
        return ValidationReport(source, name, (found,), line, "log")
    specification = present_name(arguments.specification, OF_SPECIFICATION)
    line = shlex.join([*words, "--specification", specification])
    runs: list[ValidatedRun] = []
    with limited() as limit:
        for trace in traces_at(path):
            runs.extend(_of_trace(trace, specification))
    if limit.why is not None:
        runs.append(ValidatedRun(str(path), Result.UNKNOWN, f"{limit.why}: no run after these was validated", (), 0))
    return ValidationReport(source, specification, tuple(runs), line)


def _write_page(report: ValidationReport, folder: Path) -> Path:
    # Imported here: a page is written only if a folder is named.
    from gridproof_reports.pages.validation import write_validation

    return write_validation(report, folder / REPORT_NAME)


def _of_log(path: Path, reference: str) -> tuple[str, ValidatedRun]:
    table = find_own(reference, ObservationTable, "observation table")
    try:
        verdict, number = validate_log(path, table)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read ({error.strerror}); give the path of a log") from None
    found = ValidatedRun(
        str(path), verdict.result, verdict.sentence, verdict.witness, verdict.compared, number, verdict.refusal,
        verdict.by_proof,
    )  # fmt: skip
    return table.specification.name, found


def _of_trace(path: Path, specification: str) -> Iterator[ValidatedRun]:
    prop = OF_SPECIFICATION.get(specification)
    if prop is None:
        cure = nearest(specification, OF_SPECIFICATION)
        own = "for a specification of your own, name its observation table with --table"
        raise UsageError(f"traces cannot be validated against {specification!r}: {cure}; {own}")
    for head, records in open_trace(path).runs():
        tried = Tried()
        ways = (prop, *([WITHOUT_STEPS[specification]] if specification in WITHOUT_STEPS else []))
        promises = dict.fromkeys((way.name for way in ways), PromiseLevel.PROMISED)
        panel, is_cut = Panel(ways, promises, is_recorded=True), False
        try:
            for record in tried.watch(records):
                panel.observe(record)
            verdicts = panel.conclude()
        except KeyboardInterrupt:
            verdicts, is_cut = panel.break_off(INTERRUPTED), True
        # If the trace has steps, the verdicts on the steps say more than the verdict on the tables.
        looked = [one for one in verdicts[1:] if one.reason is not Reason.NOT_LOOKED_AT]
        verdict = looked[0] if looked and verdicts[0].reason is Reason.NEVER_MET else verdicts[0]
        lacks_steps = verdict.reason is Reason.NEVER_MET and "row" not in prop.needs and not looked
        hint = NO_STEPS if verdict.result is Result.UNKNOWN and lacks_steps else ""
        said = [*(missed_sentence(*one) for one in tried.missed.items()), *tried.work.unknown.values()]
        yield ValidatedRun(
            head.run,
            Result.UNKNOWN if said and verdict.result is Result.HOLDS else verdict.result,
            "; ".join([*said, verdict.sentence + hint]),
            verdict.witness,
            verdict.compared,
            refusal=verdict.refusal,
            by_proof=verdict.by_proof,
        )
        if is_cut:
            raise KeyboardInterrupt


def _print(report: ValidationReport, page: Path | None) -> None:
    console = open_console()
    for one in report.runs:
        name, said = f"{printable(one.name)}: ", f": {printable(one.sentence)}"
        console.print(name, Text(one.word, COLOURS[one.result]), said, sep="", soft_wrap=True)
        for line in one.explanation:
            console.print(f"  {printable(line)}", soft_wrap=True)
        if one.by_proof is not None:
            for line in (one.by_proof.headline, *one.by_proof.lines()):
                console.print(f"  {printable(line)}", soft_wrap=True)
    if page is not None:
        console.print(f"report  {page}", soft_wrap=True)


def _object(one: ValidatedRun, report: ValidationReport) -> dict[str, object]:
    return {
        "name": one.name,
        "specification": report.specification,
        "result": one.word,
        **picked(one, "sentence explanation explained line"),
        "by_proof": None if one.by_proof is None else one.by_proof.as_json(),
    }
