"""The coordinator of one job: its start, snapshots, restarts and end.

This code runs on the master only (jobs.4, jobs.16). Before a stopped job gets an execution plan, three steps are taken:
the start conditions are checked, the stored record is read and written again, and the last snapshot is validated
(jobs.16). Each step can find that the job has to wait, and validation can find that the job is corrupted for good."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs import messages, records
from gridproof_implementation.protocol.jobs.snapshot_master import SnapshotEnd, SnapshotMaps, SnapshotMaster
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structures.map import Get
from gridproof_model.events.jobs import JobEnded, JobStarted, JobStopped, JobWaits
from gridproof_model.events.words import Failure, Guarantee, JobStatus, ServiceState
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an attempt to start a job: a plan, a reason to wait, or a description of a corruption."""

    plan: messages.ExecutionPlan | None = None
    wait: str = ""
    corruption: str = ""


@dataclass(slots=True, eq=False)
class StartAttempt:
    """One attempt to start a job."""

    _node: Node
    _rounds: messages.Rounds
    _job: JobConfig
    _keeper: records.RecordKeeper
    _end: Callable[[Outcome], None]
    _execution: str = ""

    def begin(self, execution: str) -> None:
        """Check the start conditions; if they are met, ask next whether the partitions are safe."""
        self._execution = execution
        why = self.why_not_starting()
        if why:
            self._end(Outcome(wait=why))
        else:
            self._node.partitions.check_safe(self._on_service_state)

    def why_not_starting(self) -> str:
        """Return, as a text, which start condition is not met now; empty if all are met (jobs.16)."""
        membership = self._node.membership
        if not membership.is_master:
            return "this member is not the master"
        if not membership.cluster_state.allows_operations:
            return f"the cluster is {membership.cluster_state}"
        if self._node.partitions.has_leavers:
            return "a member is shutting down"
        size, quorum = len(membership.members.data_members), self._keeper.known.quorum
        if self._job.split_brain_protection and size < quorum:
            return f"{size} of {quorum} members needed are there"
        return ""

    def _on_service_state(self, state: ServiceState) -> None:
        if state is not ServiceState.SAFE:
            self._end(Outcome(wait=f"partitions: {state}"))
        elif self._keeper.record is None:
            self._keeper.read(self._on_record_read)
        else:
            self._secure_record()

    def _on_record_read(self, failure: Failure | None) -> None:
        # The size of the cluster is checked again: time has passed, and the record says how many members are needed.
        why = self.why_not_starting()
        if failure is not None or why:
            self._end(Outcome(wait=why or f"the execution record was not read: {failure}"))
        else:
            self._secure_record()

    def _secure_record(self) -> None:
        """Write the execution record again before it is used, or for the first time if it is new (jobs.20)."""
        record = self._keeper.known
        if record.timestamp_us > 0 and not self._job.fail_on_indeterminate:
            self._validate()
            return
        size = len(self._node.membership.members.data_members)
        quorum = max(record.quorum, size // 2 + 1)
        self._keeper.write_safely(replace(record, quorum=quorum), self._on_record_secured)

    def _on_record_secured(self, failure: Failure | None) -> None:
        if failure is not None:
            self._end(Outcome(wait=f"the execution record was not written: {failure}"))
        else:
            self._validate()

    def _validate(self) -> None:
        record = self._keeper.known
        if record.recorded == 0:
            self._plan(None)
            return
        where = records.snapshot_map(self._job.name, record.map_index)
        records.invoke(self._node, Get(where, records.VALIDATION_KEY), self._on_validation_read)

    def _on_validation_read(self, answer: Answer) -> None:
        if answer.failure is not None:
            self._end(Outcome(wait=f"the validation record was not read: {answer.failure}"))
            return
        record = self._keeper.known
        where = records.snapshot_map(self._job.name, record.map_index)
        validation = None if answer.value is None else records.validation_record_of(str(answer.value))

        def on_keys(replies: messages.Replies) -> None:
            if not covers_all(replies, self._node.settings.partition_count):
                self._end(Outcome(wait="not every partition has a primary that may be read"))
                return
            keys = [key for reply in primaries_of(replies) for key, _ in reply.entries]
            why = self.why_corrupted(record.recorded, validation, keys)
            if why:
                self._end(Outcome(corruption=why))
            else:
                self._plan(messages.Restored(record.recorded, record.map_index))

        members = [member.id for member in self._node.membership.members.data_members]
        self._rounds.ask(members, lambda n: messages.ReadPrimaries(n, where, keys_only=True), on_keys)

    def why_corrupted(self, snapshot: int, validation: records.ValidationRecord | None, keys: Iterable[str]) -> str:
        """Return, as a text, why a recorded snapshot cannot be restored; empty if it can be (jobs.17).

        There must be a validation record with the snapshot's id, and as many chunks of the snapshot as the record says.
        """
        if validation is None or validation.snapshot != snapshot:
            return f"snapshot {snapshot} has no validation record"
        chunks = sum(
            1 for key in keys if (chunk := records.ChunkKey.parse(key)) is not None and chunk.snapshot == snapshot
        )
        if chunks != validation.chunk_count:
            return f"snapshot {snapshot} has {chunks} chunks of {validation.chunk_count}"
        return ""

    def _plan(self, restore: messages.Restored | None) -> None:
        owners = tuple(row.slots[0] for row in self._node.partitions.rows)
        participants = tuple(member.id for member in self._node.membership.members.data_members)
        known = [owner for owner in owners if owner is not None and owner in participants]
        if len(known) < len(owners):
            self._end(Outcome(wait="a partition has no owner"))
        else:
            plan = messages.ExecutionPlan(self._execution, self._job, participants, tuple(known), restore)
            self._end(Outcome(plan))


def covers_all(replies: messages.Replies, partition_count: int) -> bool:
    """Return whether these replies name, for each partition, exactly one member as its primary."""
    return sorted(partition for reply in primaries_of(replies) for partition in reply.partitions) == list(
        range(partition_count)
    )


def primaries_of(replies: messages.Replies) -> list[messages.PrimariesRead]:
    """Return only the replies that say what the primary replicas of a member hold."""
    return [reply for reply in replies.values() if isinstance(reply, messages.PrimariesRead)]


RESTART_DELAY_US = 2 * SECOND_US
"""The time from a topology failure to the restart of the job (jobs.15)."""
SCALE_UP_DELAY_US = 10 * SECOND_US
"""The time from the join of a member to the restart of the job (jobs.15)."""


@dataclass(frozen=True, slots=True)
class StartJob(Timer):
    """It is time to try to start a job."""

    job: str


@dataclass(frozen=True, slots=True)
class BeginSnapshot(Timer):
    """It is time to begin the next snapshot."""

    job: str


@dataclass(frozen=True, slots=True)
class ScaleUp(Timer):
    """It is time to restart a job, so that members that joined take part in it."""

    job: str


class JobMaster:
    """One job, as its coordinator controls it."""

    def __init__(
        self,
        node: Node,
        rounds: messages.Rounds,
        job: JobConfig,
        next_execution: Callable[[], str],
        end: Callable[[JobConfig, str], None],
    ) -> None:
        self.job = job
        self.status = JobStatus.NOT_RUNNING
        self.keeper = records.RecordKeeper(node, job)
        self.maps = SnapshotMaps()
        self._node = node
        self._rounds = rounds
        self._next_execution = next_execution
        self._end_for_good = end
        self._plan: messages.ExecutionPlan | None = None
        self._snapshot: SnapshotMaster | None = None
        self._question: int | None = None
        self._ended_at: dict[MemberId, None] = {}
        self._scales_up = False
        """Whether the job has to take a terminal snapshot, and then has to restart with all members."""

    def schedule(self, delay_us: int) -> None:
        """Let the job start after a delay."""
        self.status = JobStatus.NOT_RUNNING
        self._node.set_timer(StartJob(self.job.name), delay_us)

    def on_start_due(self) -> None:
        """Try to start the job (jobs.15)."""
        self.status = JobStatus.STARTING
        attempt = StartAttempt(self._node, self._rounds, self.job, self.keeper, self._on_attempt_ended)
        attempt.begin(self._next_execution())

    def _on_attempt_ended(self, outcome: Outcome) -> None:
        if outcome.plan is not None:
            self._initialise(outcome.plan)
        elif outcome.corruption:
            self._end(JobStatus.FAILED, outcome.corruption)
        else:
            self._node.emit(JobWaits(self.job.name, outcome.wait))
            self.schedule(RESTART_DELAY_US)

    def _initialise(self, plan: messages.ExecutionPlan) -> None:
        self._plan = plan
        self._ended_at.clear()
        self._question = self._rounds.ask(
            plan.participants, partial(messages.InitExecution, plan=plan), self._on_initialised
        )

    def _on_initialised(self, replies: messages.Replies) -> None:
        plan = self._plan
        assert plan is not None, "a job without a plan has asked nobody"
        if self._gives_up(replies):
            return
        self.status = JobStatus.RUNNING
        snapshot = 0 if plan.restore is None else plan.restore.snapshot
        numbers = self._node.numbers
        participants, owners = numbers.of(plan.participants), numbers.of(plan.owners)
        self._node.emit(JobStarted(self.job.name, plan.execution, participants, owners, snapshot))
        ask = partial(messages.StartExecution, execution=plan.execution)
        self._question = self._rounds.ask(plan.participants, ask, self._gives_up)
        self._schedule_snapshot()
        # Members that joined while the execution was being prepared are not in its plan.
        self.members_added()

    def _gives_up(self, replies: messages.Replies) -> bool:
        """Give the execution up if a participant reports a failure; return whether one did."""
        why = next((f"{member}: {reply.failure}" for member, reply in replies.items() if reply.failure), "")
        if why:
            self.topology_failure(why)
        return bool(why)

    def _schedule_snapshot(self) -> None:
        if self.job.guarantee is not Guarantee.NONE:
            self._node.set_timer(BeginSnapshot(self.job.name), self.job.snapshot_interval_us)

    def on_snapshot_due(self) -> None:
        """Begin a snapshot, unless another snapshot is in progress (jobs.10)."""
        assert self._plan is not None, "only a job that runs takes snapshots"
        if self._snapshot is not None:
            return
        # A late change by an older snapshot would clear or contradict what the new snapshot writes (jobs.10).
        if self.maps.unanswered:
            self._schedule_snapshot()
            return
        self._node.cancel_timer(BeginSnapshot(self.job.name))
        ended = partial(self._on_snapshot_ended, terminal=self._scales_up)
        self._snapshot = SnapshotMaster(self._node, self._rounds, self._plan, self.keeper, self.maps, ended)
        self._snapshot.begin(terminal=self._scales_up)

    def _on_snapshot_ended(self, end: SnapshotEnd, *, terminal: bool) -> None:
        self._snapshot = None
        if end is SnapshotEnd.IN_DOUBT:
            self.topology_failure("a snapshot is in doubt")
        elif terminal:
            # The sources have stopped at the barrier, so the job can only go on from the last good snapshot.
            self._restart_with_everybody()
        elif self._scales_up:
            self.on_snapshot_due()
        else:
            self._schedule_snapshot()

    def topology_failure(self, why: str) -> None:
        """Give the execution up, and restart the job after a delay (jobs.15)."""
        self._stop(why)
        self.schedule(RESTART_DELAY_US)

    def _stop(self, why: str) -> None:
        """End the execution, and its open questions and timers with it."""
        plan, self._plan = self._plan, None
        assert plan is not None, "what has no plan does not run"
        self._scales_up = False
        if self._snapshot is not None:
            self._snapshot.give_up()
            self._snapshot = None
        self._rounds.forget(self._question)
        for timer in (BeginSnapshot(self.job.name), ScaleUp(self.job.name)):
            self._node.cancel_timer(timer)
        self._node.emit(JobStopped(self.job.name, plan.execution, why))
        present = [member for member in plan.participants if self._node.membership.is_member(member)]
        terminate = partial(messages.TerminateExecution, execution=plan.execution)
        self._rounds.ask(present, terminate, lambda replies: None)

    def on_execution_ended(self, sender: MemberId, word: messages.ExecutionEnded) -> None:
        """Note that a participant is done; after the last one complete the job. Ignore older executions (jobs.11)."""
        if self._plan is None or word.execution != self._plan.execution:
            return
        if word.failure:
            self.topology_failure(f"{sender}: {word.failure}")
            return
        self._ended_at[sender] = None
        if len(self._ended_at) == len(self._plan.participants):
            self._stop(JobStatus.COMPLETED)
            self._end(JobStatus.COMPLETED, "")

    def member_removed(self, gone: MemberId) -> None:
        """Treat it as a topology failure if a participant has left (jobs.15)."""
        if self._plan is not None and gone in self._plan.participants:
            self.topology_failure(f"{gone} left")

    def members_added(self) -> None:
        """Plan a restart if data members have joined a running job's cluster, so that they take part (jobs.15)."""
        if self.status is JobStatus.RUNNING and not self._fits_members():
            self._node.set_timer(ScaleUp(self.job.name), SCALE_UP_DELAY_US)

    def on_scale_up_due(self) -> None:
        """Restart the job with all members; if it takes snapshots, take a terminal one first."""
        if self._fits_members():
            return
        if self.job.guarantee is Guarantee.NONE:
            self._restart_with_everybody()
        else:
            self._scales_up = True
            self.on_snapshot_due()

    def _restart_with_everybody(self) -> None:
        self._stop("members joined")
        self.schedule(0)

    def _fits_members(self) -> bool:
        assert self._plan is not None, "only a job that runs has participants"
        return self._plan.participants == tuple(member.id for member in self._node.membership.members.data_members)

    def _end(self, status: JobStatus, why: str) -> None:
        self.status = status
        self._node.emit(JobEnded(self.job.name, status, why))
        self._end_for_good(self.job, f"{status}: {why}" if why else str(status))
