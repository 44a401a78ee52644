"""What the others ask of stream jobs."""

from collections.abc import Sequence
from typing import Protocol

from gridproof_implementation.protocol.job import JobConfig, JobStatus
from gridproof_implementation.protocol.parts.part import Part
from gridproof_model.identity import Member, MemberId


class Jobs(Part, Protocol):
    """Stream jobs: their executions here, and where this member is master, their coordination."""

    def submit(self, config: JobConfig) -> None:
        """Hand a job to the master; it starts once the cluster is safe (reference replication 8.4)."""
        ...

    def suspend(self, name: str) -> None:
        """Stop a job after a terminal snapshot (reference replication 8.3)."""
        ...

    def resume(self, name: str) -> None:
        """Let a suspended job go on."""
        ...

    def is_untold(self, name: str) -> bool:
        """Whether the master has not confirmed yet what this member wants of a job."""
        ...

    def is_under_way(self, name: str) -> bool:
        """Whether this member has something to do with a job: ask for it, or bring it to its end."""
        ...

    def status_of(self, name: str) -> JobStatus | None:
        """Return where a job stands; None where this member does not coordinate it."""
        ...

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Take note of members that joined, or became data members: jobs scale up after a while (8.4)."""
        ...

    def member_removed(self, gone: MemberId) -> None:
        """Take note of a member that left the list: its jobs stop, the master restarts them (8.4)."""
        ...
