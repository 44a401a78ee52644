"""Snapshot: a job saves its state and survives a loss.

Sources emit items to counters, each counter in charge of the keys of one partition. At a barrier they save their
state as chunks into one of two maps, in the partition they are in charge of, with a backup copy at another member;
then a record names the map. When a member is lost its backups are promoted, and the job goes on from the named
snapshot. Read in this order: `state`, `running`, `storing`, `coordinating`, `losing`; then the claims: `safety`,
`anomalies`, `progress`.

What is left out. Partitions have one backup replica, and move only when a member is lost. Loss, removal and promotion
are one step. A source has as many items as the world says, emits them again after a restart, and commits nothing
outside, so phase 2 has nothing to do. A chunk's backup arrives or is missed; one that is late is one missed and
repaired. Clearing a map reaches its backups. A job that was stopped has no messages of its own left, so late answers
of an older execution (jobs.11) are not seen. Nobody adds members, cancels the job or exports its
state.

Choice (jobs.12): the processing guarantee is the job's, said at submission (jobs.12); so one world shows
both.
"""

from gridproof_model.specifications.snapshot import (
    anomalies,
    coordinating,
    losing,
    progress,
    running,
    safety,
    storing,
)
from gridproof_model.specifications.snapshot.state import Guarantee, Job, Phase, Token, Write, specification

__all__ = [
    "Guarantee",
    "Job",
    "Phase",
    "Token",
    "Write",
    "anomalies",
    "coordinating",
    "losing",
    "progress",
    "running",
    "safety",
    "specification",
    "storing",
]
