"""The page of one validation."""

from pathlib import Path

from gridproof_model.whole_file import write_whole
from gridproof_reports.contents.validation_report import ValidatedRun, ValidationReport
from gridproof_reports.drawing.refusal_picture import draw_refusal
from gridproof_reports.pages.environment import environment


def write_validation(report: ValidationReport, out: Path) -> Path:
    """Write the page of one validation to the file `out` and return the file."""
    return write_whole(out, render_validation(report))


def render_validation(report: ValidationReport) -> str:
    """Return the page as one self-contained HTML document."""
    template = environment().get_template("validation.html.j2")
    return template.render(
        report=report,
        refused=[(run, _picture(run)) for run in report.refused],
        proved=[run for run in report.runs if run.by_proof is not None],
    )


def _picture(run: ValidatedRun) -> str:
    return "" if run.refusal is None else draw_refusal(run.refusal, f"{run.name}: what comes before the refused event")
