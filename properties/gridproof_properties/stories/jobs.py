"""A stream job that takes snapshots, and its record, which the coordinator keeps in a map of the grid."""

from dataclasses import dataclass

from gridproof_model.membership import Member
from gridproof_properties.stories.setting import NotPlayedError
from gridproof_properties.stories.stage import SYNC_REQUEST, Rule, Stage

SNAPSHOTS_EVERY_MS = 1_000
START_S = 30.0
"""How long a job may take until its first snapshots are recorded."""
SLOW_S = 5.0
"""How long the sync request of a backup may be under way."""
ARRIVES_S = 0.2
"""How long a backup message may be under way; this is less than callers wait for the backup."""
BEGIN, COMPLETE = "SnapshotPhase1Operation", "SnapshotPhase2Operation"
"""The operations that the coordinator sends to each member: to take a snapshot, and after the snapshot is recorded."""
HELD = (
    "one message to the backup of the job's record is lost; requests of this backup and of the coordinator wait some"
    " seconds, as on a slow network"
)


@dataclass(frozen=True, slots=True)
class Record:
    """What one copy of a job's execution record contains."""

    recorded: int
    """The id of the last complete snapshot; -1 if there is none."""
    ongoing: int
    """The last snapshot id that was taken; -1 if there is none."""

    def __str__(self) -> str:
        return f"{self.ongoing} as the last id taken, and {self.recorded} as the last complete snapshot"


NO_RECORD = Record(-1, -1)


@dataclass(frozen=True, slots=True)
class Job:
    """A job that does not end, whose coordinator is the primary of the job's record."""

    stage: Stage
    name: str
    partition: int
    """The partition of the job's record."""
    coordinator: Member
    backup: Member
    """The member with the backup copy of the job's record."""

    def record(self, holder: Member) -> Record:
        """Return the record that a member itself holds."""
        found = self.stage.ask(holder, "job_record", job=self.name)["record"]
        return NO_RECORD if found is None else Record(found["recorded"], found["ongoing"])

    def status(self, through: Member) -> tuple[str, str | None]:
        """Return the job's status as the coordinator reports it, and the first sentence of the reason if it failed."""
        found = self.stage.ask(through, "job_status", job=self.name)
        return found["status"], None if found["why"] is None else found["why"].split(". ")[0]

    def hold(self, operation: str) -> Rule:
        """Hold, at the member with the backup copy, the coordinator's next request of this kind."""
        return self.stage.hold(operation, at=self.backup, sender=self.coordinator, count=1)

    def lose_next_write(self, held: Rule) -> Rule:
        """Deliver what is held, and lose the backup message of the next write of the record.

        Return the rule that holds the sync request that the backup then sends. The sync request may come long before
        anti-entropy, which runs every 30 s: copies are also compared at each search for jobs to start, every 5 s. Raise
        NotPlayedError if the backup has the write all the same.
        """
        before = self.record(self.coordinator)
        asked = self.stage.hold(SYNC_REQUEST, at=self.coordinator, sender=self.backup)
        lost = self.stage.drop("Backup", at=self.backup, sender=self.coordinator, partition=self.partition)
        held.release()
        self.stage.await_that(lambda: self.record(self.coordinator) != before, "a write of the record")
        self.stage.wait(ARRIVES_S)
        count = lost.met
        lost.release()
        here, there = self.copies()
        if here == there or not count:
            raise NotPlayedError("the backup got the job's record, whose message was to be lost; play the story again")
        return asked

    def copies(self) -> tuple[Record, Record]:
        """Return the record as its coordinator and its backup hold it, and note both as a step."""
        here, there = found = self.record(self.coordinator), self.record(self.backup)
        names = map(self.stage.name_of, (self.coordinator, self.backup))
        self.stage.note("; ".join(f"the record at {name} says {one}" for name, one in zip(names, found, strict=True)))
        return here, there


def start_job(stage: Stage) -> Job:
    """Start a job, and wait for the second snapshot; the coordinator is the oldest member, which is the master."""
    coordinator = stage.members[0]
    rows = dict(stage.partitions(lambda row: stage.is_full(row) and row[0] == coordinator))
    found = stage.ask(coordinator, "start_job", partitions=list(rows), interval_ms=SNAPSHOTS_EVERY_MS)
    backup = rows[found["partition"]][1]
    assert backup is not None
    job = Job(stage, found["job"], found["partition"], coordinator, backup)
    stage.await_that(lambda: job.record(coordinator).recorded >= 1, "a second snapshot", START_S)
    return job
