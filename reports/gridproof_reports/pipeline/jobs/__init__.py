"""Every job of the audit."""

from gridproof_reports.pipeline.job import Job
from gridproof_reports.pipeline.jobs import agreement, balance, histories, movement, routes, rows, versions

JOBS: tuple[Job, ...] = (
    rows.JOB,
    balance.JOB,
    movement.JOB,
    versions.JOB,
    agreement.JOB,
    histories.JOB,
    routes.JOB,
)
"""In the order of the properties they judge; together they judge each property of the catalogue once."""
