"""The state machine of one member for jobs.

Every data member takes part in executions; the master also coordinates the jobs. Items are processed where their
partitions are: the processor in charge of a key runs on the member that owned the key's partition when the execution
was planned, so that its state is saved on the same member (jobs.1). Snapshots cannot be exported here, and jobs cannot
be suspended, resumed or cancelled."""

from collections.abc import Sequence

from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.coordinator import Coordinator
from gridproof_implementation.protocol.jobs.messages import SubmitJob
from gridproof_implementation.protocol.jobs.participant import Participant
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers
from gridproof_model.events.words import JobStatus
from gridproof_model.membership import Member, MemberId

UNDER_WAY = frozenset({JobStatus.NOT_RUNNING, JobStatus.STARTING, JobStatus.RUNNING})
"""The statuses in which a job continues without a further command."""


class JobsPart:
    """The coordination and the executions of jobs."""

    def __init__(self, node: Node) -> None:
        self.coordinator = Coordinator(node)
        self.is_unconfirmed = self.coordinator.is_unconfirmed
        self.participant = Participant(node)

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of the coordinator and of the participant."""
        return {**self.coordinator.message_handlers(), **self.participant.message_handlers()}

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of the coordinator and of the participant."""
        return {**self.coordinator.timer_handlers(), **self.participant.timer_handlers()}

    def start(self) -> None:
        """Do nothing yet: a job begins when it is submitted, or when a new master finds it."""

    def taken(self) -> Taken:
        """Return how many questions about jobs are open, and in how many executions this member takes part."""
        return {"job_questions": self.coordinator.question_count, "executions": self.participant.execution_count}

    def submit(self, config: JobConfig) -> None:
        """Send a job to the master, which is to run it."""
        self.coordinator.send_to_master(SubmitJob(config))

    def is_under_way(self, name: str) -> bool:
        """Whether this member has work to do for a job: to send the command that submits it, or to complete it."""
        return self.is_unconfirmed(name) or self.status_of(name) in UNDER_WAY

    def status_of(self, name: str) -> JobStatus | None:
        """Return a job's status; None if this member does not coordinate the job."""
        master = self.coordinator.masters.get(name)
        return None if master is None else master.status

    def members_added(self, newcomers: Sequence[Member]) -> None:
        """Plan a restart of the running jobs, so that the new members take part in them."""
        self.coordinator.members_changed(None)

    def member_removed(self, gone: MemberId) -> None:
        """Give up the executions in which a removed member took part; the master restarts their jobs."""
        self.participant.member_removed(gone)
        self.coordinator.members_changed(gone)
