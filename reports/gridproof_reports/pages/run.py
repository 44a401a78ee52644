"""The page of one run."""

from itertools import groupby

from gridproof_reports.pages.environment import make_environment
from gridproof_reports.report import Report


def render_run(report: Report) -> str:
    """Return the page as one self-contained HTML document."""
    template = make_environment().get_template("run.html.j2")
    by_promise = [
        (promise, list(rows)) for promise, rows in groupby(report.verdicts, key=lambda row: row.verdict.promise)
    ]
    return template.render(report=report, run=report.run, facts=_facts(report), by_promise=by_promise)


def _facts(report: Report) -> list[tuple[str, str]]:
    run, circumstances = report.run, report.circumstances
    facts = [("seed", str(run.seed)), ("partitions", f"{run.partition_count:,}"), ("backups", str(run.backup_count))]
    if report.timeline.members:
        facts.append(("members seen", f"{len(report.timeline.members):,}"))
    if circumstances.when:
        facts.append(("when", circumstances.when))
    return facts
