"""The execution plan: who runs what, from start to stop.

Made once by the coordinator, from its table as it stands: the processor in charge of partition p runs on the member
that owned p then, and stays there should p move (reference replication 8.1).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gridproof_implementation.protocol.job import JobConfig
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class Restored:
    """The snapshot that an execution begins from."""

    snapshot: int
    map_index: int


@dataclass(frozen=True, slots=True)
class ExecutionPlan:
    """One execution of a job."""

    execution: str
    """Unlike that of any other execution; what is said of another one is ignored (reference replication 8.2)."""
    job: JobConfig
    participants: tuple[MemberId, ...]
    """The data members, oldest first."""
    owners: tuple[MemberId, ...]
    """The member in charge, by partition."""
    restore: Restored | None
    """None to begin from nothing."""

    def shards_of(self, member: MemberId) -> Iterator[int]:
        """The shards whose source runs at a member: they go round."""
        return iter(range(self.participants.index(member), self.job.shard_count, len(self.participants)))

    def partitions_of(self, member: MemberId) -> list[int]:
        """The partitions whose processor runs at a member."""
        return [partition for partition, owner in enumerate(self.owners) if owner == member]
