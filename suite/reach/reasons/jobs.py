"""What the jobs of drawn runs do not come to."""

from collections.abc import Sequence

REASONS: Sequence[tuple[str, Sequence[str]]] = (
    (
        "no client of a drawn run suspends or resumes a job",
        (
            "protocol.member.GridMember.suspend_job",
            "protocol.member.GridMember.resume_job",
            "protocol.jobs.part.JobsPart.suspend",
            "protocol.jobs.part.JobsPart.resume",
            "protocol.jobs.job_master.JobMaster.suspend",
            "protocol.jobs.job_master.JobMaster.resume",
            "protocol.jobs.job_master.JobMaster._suspended",
            "protocol.jobs.job_master.JobMaster._suspend_now",
            "protocol.jobs.job_master.JobMaster._on_attempt_ended: when `self.keeper.known.suspended`",
            "protocol.jobs.job_master.JobMaster._on_snapshot_ended: when `wants is not None`",
            "protocol.jobs.coordinator.Coordinator.is_unconfirmed: *",
            "protocol.jobs.coordinator.Coordinator.on_command: *",
        ),
    ),
    (
        "a job's record or snapshot has to be out of reach just when it is read or written; one run in seven has a job",
        (
            "protocol.jobs.execution.ChunkWriter.*: *",
            "protocol.jobs.coordinator.Coordinator.*: *",
            "protocol.jobs.coordinator.Coordinator._on_keep_result",
            "protocol.jobs.records.UpdateRecord.*: *",
            "protocol.jobs.records.RecordKeeper.*: *",
            "protocol.jobs.execution.entries_in: *",
            "protocol.jobs.snapshot_master.SnapshotMaster.*: *",
            "protocol.jobs.snapshot_master.SnapshotMaster._fail",
        ),
    ),
    (
        "members or the master have to change while a job starts; one run in seven has a job",
        (
            "protocol.jobs.job_master.JobMaster.*: *",
            "protocol.jobs.participant.Participant.*: *",
            "protocol.jobs.job_master.*: *",
            "protocol.jobs.job_master.StartAttempt.give_up",
        ),
    ),
    (
        "an answer or an order has to come after the end of its execution or snapshot; one run in seven has a job",
        (
            "protocol.jobs.edges.InboundEdge.*: *",
            "protocol.jobs.execution.Execution.*: *",
            "protocol.jobs.messages.Rounds.*: *",
        ),
    ),
)
