"""The jobs machine of one member.

Every member takes part in executions; the master also coordinates. Items follow partitions: the processor in charge of
a key runs where the key's partition was when the execution was planned, so its state is saved where it is (jobs.1).
What is left out: exported snapshots, and jobs that are suspended, resumed or cancelled.
"""

from collections.abc import Sequence

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.coordinator import Coordinator
from gridproof_implementation.protocol.jobs.messages import SubmitJob
from gridproof_implementation.protocol.jobs.participant import Participant
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers
from gridproof_model.events.words import JobStatus
from gridproof_model.membership import Member, MemberId

UNDER_WAY = frozenset({JobStatus.NOT_RUNNING, JobStatus.STARTING, JobStatus.RUNNING})
"""Where a job stands that will go on by itself."""


class JobsPart:
    """Coordination and executions."""

    def __init__(self, node: Node) -> None:
        self.coordinator = Coordinator(node)
        self.participant = Participant(node)

    def message_handlers(self) -> MessageHandlers:
        """Those of both."""
        return {**self.coordinator.message_handlers(), **self.participant.message_handlers()}

    def timer_handlers(self) -> TimerHandlers:
        """Those of both."""
        return {**self.coordinator.timer_handlers(), **self.participant.timer_handlers()}

    def start(self) -> None:
        """Nothing to begin: a job is submitted, or found by a new master."""

    def taken(self) -> Taken:
        """Return questions that are open, and executions here."""
        return {"job_questions": self.coordinator.question_count, "executions": self.participant.execution_count}

    def submit(self, config: JobConfig) -> None:
        """Hand a job to the master."""
        self.coordinator.send_to_master(SubmitJob(config))

    def is_unconfirmed(self, name: str) -> bool:
        """Whether the master has not confirmed yet what this member wants of a job."""
        return self.coordinator.is_unconfirmed(name)

    def is_under_way(self, name: str) -> bool:
        """Whether this member has something to do with a job: ask for it, or bring it to its end."""
        return self.is_unconfirmed(name) or self.status_of(name) in UNDER_WAY

    def status_of(self, name: str) -> JobStatus | None:
        """Return where a job stands; None where this member does not coordinate it."""
        master = self.coordinator.masters.get(name)
        return None if master is None else master.status

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Scale up after a while."""
        self.coordinator.members_changed(None)

    def member_removed(self, gone: MemberId) -> None:
        """Give up what it took part in; the master restarts jobs."""
        self.participant.member_removed(gone)
        self.coordinator.members_changed(gone)
