"""The page of one validation."""

from pathlib import Path

from gridproof_model.whole_file import write_whole
from gridproof_reports.contents.validation_report import ValidationReport
from gridproof_reports.drawing.refusal_picture import draw_refusal
from gridproof_reports.pages.environment import environment


def write_validation(report: ValidationReport, out: Path) -> Path:
    """Write the page of one validation, a self-contained HTML document, to the file `out` and return the file."""
    title = "{}: what comes before the refused event"
    refused = [
        (run, "" if run.refusal is None else draw_refusal(run.refusal, title.format(run.name)))
        for run in report.refused
    ]
    proved = [run for run in report.runs if run.by_proof is not None]
    template = environment().get_template("validation.html.j2")
    return write_whole(out, template.render(report=report, refused=refused, proved=proved))
