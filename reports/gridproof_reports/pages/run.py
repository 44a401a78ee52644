"""The page of one run."""

from itertools import groupby

from gridproof_properties.verdict import PromiseLevel, Result
from gridproof_reports.pages.environment import make_environment
from gridproof_reports.report import Report, VerdictRow


def render_run(report: Report) -> str:
    """Return the page as one self-contained HTML document."""
    template = make_environment().get_template("run.html.j2")
    idle = [row for row in report.verdicts if _is_idle(row)]
    rows = [row for row in report.verdicts if not _is_idle(row)]
    judged = [(promise, list(of_one)) for promise, of_one in groupby(rows, key=lambda row: row.verdict.promise)]
    return template.render(report=report, run=report.run, facts=_facts(report), judged=judged, idle=idle)


def _is_idle(row: VerdictRow) -> bool:
    """Whether a verdict says nothing: neither promised nor judged."""
    return row.verdict.promise is PromiseLevel.NONE and row.verdict.result is Result.UNKNOWN


def _facts(report: Report) -> list[tuple[str, str]]:
    run, circumstances = report.run, report.circumstances
    facts = [("seed", str(run.seed)), ("partitions", f"{run.partition_count:,}"), ("backups", str(run.backup_count))]
    if report.timeline.members:
        facts.append(("members seen", f"{len(report.timeline.members):,}"))
    if circumstances.when:
        facts.append(("when", circumstances.when))
    return facts
