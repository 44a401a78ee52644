"""Every job of the audit beside the pass over table rows (`row_pass.py`)."""

from gridproof_reports.pipeline.job import Job
from gridproof_reports.pipeline.jobs import histories, routes

JOBS: tuple[Job, ...] = (histories.JOB, routes.JOB)
"""In the order of the properties they judge; with that pass they judge each property of the catalogue once."""
