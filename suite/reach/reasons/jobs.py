"""What the jobs of drawn runs do not come to."""

from collections.abc import Sequence

REASONS: Sequence[tuple[str, Sequence[str]]] = (
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
        ),
    ),
    (
        "an answer or an order has to come after the end of its execution or snapshot; one run in seven has a job",
        (
            "protocol.jobs.edges.InboundEdge.*: *",
            "protocol.jobs.execution.Execution.*: *",
        ),
    ),
)
