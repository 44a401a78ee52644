"""The coordination of all jobs, on the master.

A new master finds the running jobs in their stored records (jobs.4)."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import assert_never

from gridproof_implementation.protocol.effects import Answer, Timer
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs import messages, records
from gridproof_implementation.protocol.jobs.job_master import (
    RESTART_DELAY_US,
    BeginSnapshot,
    JobMaster,
    ScaleUp,
    StartJob,
    covers_all,
    primaries_of,
)
from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structures.map import Get, Put, Remove
from gridproof_model.events.jobs import JobSubmitted
from gridproof_model.membership import MemberId

SEND_TO_MASTER_US = SECOND_US
SCAN_US = SECOND_US


@dataclass(frozen=True, slots=True)
class SendToMaster(Timer):
    """It is time to repeat a command that the master has not confirmed."""

    command: messages.SubmitJob


@dataclass(frozen=True, slots=True)
class ScanJobs(Timer):
    """It is time for a new master to look for jobs."""


@dataclass(frozen=True, slots=True)
class KeepResult(Timer):
    """It is time to write the result of a job again, since the last write failed."""

    job: JobConfig
    result: str


class Coordinator:
    """Coordinates the jobs of the cluster if this member is the master."""

    def __init__(self, node: Node) -> None:
        self.masters: dict[str, JobMaster] = {}
        """The job masters, by the names of their jobs; empty if this member is not the master."""
        self._node = node
        self._rounds = messages.Rounds(node)
        self._was_master = False
        self._scan: int | None = None
        self._executions = count()
        self._unconfirmed: dict[messages.SubmitJob, None] = {}

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of users' commands and of participants' replies and reports."""
        return {
            messages.SubmitJob: self.on_command,
            messages.CommandTaken: self.on_command_taken,
            messages.JobReply: self._rounds.on_reply,
            messages.PrimariesRead: self._rounds.on_reply,
            messages.SnapshotTaken: self._rounds.on_reply,
            messages.ExecutionEnded: self.on_execution_ended,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of timers: for what is due for a job, and for messages that may have been lost."""
        return {
            SendToMaster: self.on_send_to_master,
            ScanJobs: self.on_scan_due,
            KeepResult: self._on_keep_result,
            messages.AskAgain: self._rounds.on_ask_again,
            StartJob: self._on_job_timer,
            BeginSnapshot: self._on_job_timer,
            ScaleUp: self._on_job_timer,
            records.WriteAgain: self._on_job_timer,
        }

    @property
    def question_count(self) -> int:
        """The number of questions to participants that are still open."""
        return len(self._rounds)

    def is_unconfirmed(self, name: str) -> bool:
        """Whether the master has not confirmed a command about this job."""
        return any(name == command.job.name for command in self._unconfirmed)

    def send_to_master(self, command: messages.SubmitJob) -> None:
        """Send a command to the master, and repeat it until the master confirms it."""
        self._unconfirmed[command] = None
        self.on_send_to_master(SendToMaster(command))

    def on_send_to_master(self, timer: SendToMaster) -> None:
        """Send a command to the member that is master now."""
        master = self._node.membership.master
        if master is not None:
            self._node.send(master, timer.command)
        self._node.set_timer(timer, SEND_TO_MASTER_US)

    def on_command_taken(self, sender: MemberId, taken: messages.CommandTaken) -> None:
        """Stop sending a command that the master has confirmed."""
        if self._unconfirmed.pop(taken.command, False) is None:
            self._node.cancel_timer(SendToMaster(taken.command))

    def on_command(self, sender: MemberId, command: messages.SubmitJob) -> None:
        """Carry out a user's command, if this member is the master and has read the records of all jobs."""
        if not self._node.membership.is_master or self._rounds.is_open(self._scan):
            return
        if command.job.name not in self.masters:
            self._write_record(sender, command)
        else:
            self._node.reply(messages.CommandTaken(command, asker=sender))

    def _write_record(self, sender: MemberId, command: messages.SubmitJob) -> None:
        """Write the job's record, then confirm the command and start the job; if the job has ended, only confirm.

        If the write fails, the command is not confirmed, so that it is sent again.
        """
        job = command.job

        def on_result(answer: Answer) -> None:
            # The command is sent every second until it is confirmed, so an earlier copy of it may have started the job.
            if answer.failure is not None or job.name in self.masters:
                return
            if answer.value is not None:
                self._node.reply(messages.CommandTaken(command, asker=sender))
                return
            put = Put(records.JOB_RECORDS, job.name, records.as_text(job))
            records.invoke(self._node, put, on_written, strict=job.fail_on_indeterminate)

        def on_written(answer: Answer) -> None:
            if answer.failure is None:
                self._node.reply(messages.CommandTaken(command, asker=sender))
                if job.name not in self.masters:
                    self._node.emit(JobSubmitted(job.name))
                    self._adopt(job, 0)

        self._read_result(job.name, on_result)

    def _adopt(self, job: JobConfig, delay_us: int) -> None:
        master = JobMaster(self._node, self._rounds, job, self._next_execution, self._on_job_ended)
        self.masters[job.name] = master
        master.schedule(delay_us)

    def _next_execution(self) -> str:
        """Return a name for an execution that no other execution has, whichever member coordinates it."""
        return f"{self._node.me.uuid}/{next(self._executions)}"

    def _on_job_ended(self, job: JobConfig, result: str) -> None:
        """Write the result of a job, then remove its job record; if the write fails, repeat it later."""

        def on_kept(answer: Answer) -> None:
            if answer.failure is not None:
                self._node.set_timer(KeepResult(job, result), SCAN_US)
            else:
                records.invoke(self._node, Remove(records.JOB_RECORDS, job.name), lambda removed: None)

        records.invoke(self._node, Put(records.JOB_RESULTS, job.name, result), on_kept)

    def _on_keep_result(self, timer: KeepResult) -> None:
        self._on_job_ended(timer.job, timer.result)

    def _read_result(self, job: str, then: Callable[[Answer], None]) -> None:
        records.invoke(self._node, Get(records.JOB_RESULTS, job), then)

    def on_execution_ended(self, sender: MemberId, word: messages.ExecutionEnded) -> None:
        """Pass a participant's report to all job masters; only the master of the job that it concerns uses it."""
        for master in list(self.masters.values()):
            master.on_execution_ended(sender, word)

    def _on_job_timer(self, timer: StartJob | BeginSnapshot | ScaleUp | records.WriteAgain) -> None:
        master = self.masters[timer.job]
        match timer:
            case StartJob():
                master.on_start_due()
            case BeginSnapshot():
                master.on_snapshot_due()
            case ScaleUp():
                master.on_scale_up_due()
            case records.WriteAgain():
                master.keeper.write_again()
            case _:
                assert_never(timer)

    def members_changed(self, gone: MemberId | None) -> None:
        """Note that a member left or members joined, and look for jobs if this member has become the master.

        A master stays master as long as its incarnation lives, since it refuses the mastership claims and the member
        lists of other members.
        """
        is_master = self._node.membership.is_master
        for master in self.masters.values():
            if gone is None:
                master.members_added()
            else:
                master.member_removed(gone)
        if gone is not None:
            self._rounds.member_removed(gone)
        if is_master and not self._was_master:
            self._node.set_timer(ScanJobs(), 0)
        self._was_master = is_master

    def on_scan_due(self, timer: ScanJobs) -> None:
        """Read the job records of all partitions; before the first partition table there can be no records."""
        if self._node.partitions.is_initialised:
            members = [member.id for member in self._node.membership.members.data_members]
            ask = partial(messages.ReadPrimaries, structure=records.JOB_RECORDS, keys_only=False)
            self._scan = self._rounds.ask(members, ask, self._on_records_read)

    def _on_records_read(self, replies: messages.Replies) -> None:
        # If no member has answered for a partition, this partition may contain the record of a job.
        if not covers_all(replies, self._node.settings.partition_count):
            self._node.set_timer(ScanJobs(), SCAN_US)
            return
        for reply in primaries_of(replies):
            for _, text in reply.entries:
                self._find(records.job_of(text))

    def _find(self, job: JobConfig) -> None:
        """Take over the coordination of a job from an earlier master, unless the job has ended."""

        def on_result(answer: Answer) -> None:
            if answer.failure is not None:
                self._node.set_timer(ScanJobs(), SCAN_US)
            elif answer.value is None and job.name not in self.masters:
                self._adopt(job, RESTART_DELAY_US)

        self._read_result(job.name, on_result)
