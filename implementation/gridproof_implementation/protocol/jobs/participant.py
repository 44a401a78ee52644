"""What a member does at the request of a job's coordinator.

Every request may arrive twice; a request that was answered before is answered again."""

from dataclasses import dataclass, field

from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.jobs import messages
from gridproof_implementation.protocol.jobs.execution import (
    EmitItems,
    Execution,
    SendAgain,
    SnapshotHere,
    entries_in,
    own_primaries,
)
from gridproof_implementation.protocol.node import MessageHandlers, Node, TimerHandlers
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.membership import MemberId

REPORT_END_US = SECOND_US


@dataclass(frozen=True, slots=True)
class ReportEnd(Timer):
    """It is time to report again that this execution is over on this member."""

    execution: str


@dataclass(slots=True)
class Running:
    """An execution on this member, and its coordinator; mutable."""

    execution: Execution
    coordinator: MemberId
    init_request: int
    """The number of the request that asked for this execution; the requests of one coordinator have rising numbers."""
    snapshot_request: int = field(init=False)
    """The number of the request for the snapshot that is being taken."""
    end: messages.ExecutionEnded | None = None


class Participant:
    """The executions in which one member takes part."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._running: dict[str, Running] = {}

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of the coordinator's requests, and of packets from other participants."""
        return {
            messages.ReadPrimaries: self.on_read_primaries,
            messages.InitExecution: self.on_init,
            messages.StartExecution: self.on_start,
            messages.TakeSnapshot: self.on_take_snapshot,
            messages.FinishSnapshot: self.on_finish_snapshot,
            messages.TerminateExecution: self.on_terminate,
            messages.Packet: self.on_packet,
            messages.PacketsReceived: self.on_packets_received,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of timers: for items to emit, packets to repeat, and ends of executions to report."""
        return {EmitItems: self.on_emit_items, SendAgain: self.on_send_again, ReportEnd: self.on_report_end}

    @property
    def execution_count(self) -> int:
        """How many executions this member takes part in."""
        return len(self._running)

    def execution_of(self, job: str) -> Execution | None:
        """Return the execution of a job on this member, or None."""
        found = (one.execution for one in self._running.values() if one.execution.plan.job.name == job)
        return next(found, None)

    def may_command(self, sender: MemberId) -> bool:
        """Whether a request is accepted: its sender has to be the master (jobs.4)."""
        return self._node.membership.is_joined and sender == self._node.membership.master

    def on_read_primaries(self, sender: MemberId, request: messages.ReadPrimaries) -> None:
        """Send the entries of a map that this member's primaries hold."""
        if self.may_command(sender):
            partitions = own_primaries(self._node)
            entries = [
                (key, "" if request.keys_only else text)
                for _, key, text in entries_in(self._node, request.structure, partitions)
            ]
            read = messages.PrimariesRead(
                request.request, partitions=tuple(partitions), entries=tuple(entries), asker=sender
            )
            self._node.reply(read)

    def on_init(self, sender: MemberId, request: messages.InitExecution) -> None:
        """Prepare an execution; this ends any older execution of the same job.

        Choice (jobs.11): a request that comes so late that its coordinator has already asked for a newer execution ends
        no execution. The documents say that late answers are ignored (jobs.11), but do not speak of late requests,
        since in Hazelcast no request overtakes an earlier request.
        """
        if not self.may_command(sender):
            return
        plan = request.plan
        failure = ""
        if plan.execution not in self._running:
            failure = self.why_outdated(sender, request)
            if not failure:
                self._drop_job(plan.job.name)
                failure = self.why_not_ready(plan)
            if not failure:
                self._running[plan.execution] = Running(self._execution(plan), sender, request.request)
        self._node.reply(messages.JobReply(request.request, failure, asker=sender))

    def why_outdated(self, sender: MemberId, request: messages.InitExecution) -> str:
        """Return an error text if the same coordinator has already asked for a newer execution, else an empty text."""
        of_the_job = (one for one in self._running.values() if one.execution.plan.job.name == request.plan.job.name)
        is_outdated = any(one.coordinator == sender and one.init_request > request.request for one in of_the_job)
        return "a newer execution is here" if is_outdated else ""

    def why_not_ready(self, plan: messages.ExecutionPlan) -> str:
        """Return why the plan does not match this member's primaries, from which state is read; else "" (jobs.17)."""
        if any(not self._node.membership.is_member(member) for member in plan.participants):
            return "a participant is not a member"
        if own_primaries(self._node) != plan.partitions_of(self._node.me):
            return "the partitions here are not those of the plan"
        return ""

    def _execution(self, plan: messages.ExecutionPlan) -> Execution:
        def on_taken(here: SnapshotHere) -> None:
            self._answer_snapshot(plan.execution, here)

        def on_end(failure: str) -> None:
            self._end(plan.execution, failure)

        return Execution(self._node, plan, on_taken, on_end)

    def on_start(self, sender: MemberId, request: messages.StartExecution) -> None:
        """Restore and run, unless partitions moved since the plan: their state would not be read (jobs.17)."""
        running = self._asked(sender, request, request.execution)
        if running is not None:
            execution = running.execution
            failure = ""
            # A running execution has already read its state, so partitions may move now; the request may be a repeat.
            if not execution.is_running:
                failure = self.why_not_ready(execution.plan)
                if not failure:
                    execution.start()
            self._node.reply(messages.JobReply(request.request, failure, asker=sender))

    def on_take_snapshot(self, sender: MemberId, request: messages.TakeSnapshot) -> None:
        """Begin phase 1 of a snapshot (jobs.7); the request is answered when all state of this member is saved."""
        running = self._asked(sender, request, request.execution)
        if running is not None:
            running.snapshot_request = request.request
            barrier = messages.Barrier(request.snapshot, request.map_index, request.terminal)
            running.execution.take_snapshot(barrier)

    def _answer_snapshot(self, execution: str, here: SnapshotHere) -> None:
        running = self._running.get(execution)
        if running is not None:
            number, writer, asker = running.snapshot_request, here.writer, running.coordinator
            self._node.reply(
                messages.SnapshotTaken(number, writer.first_error, chunk_count=writer.chunk_count, asker=asker)
            )

    def on_finish_snapshot(self, sender: MemberId, request: messages.FinishSnapshot) -> None:
        """Answer the request of phase 2; it commits nothing, as the processors here have prepared nothing (jobs.9)."""
        if self._asked(sender, request, request.execution) is not None:
            self._node.reply(messages.JobReply(request.request, asker=sender))

    def on_terminate(self, sender: MemberId, request: messages.TerminateExecution) -> None:
        """Stop the execution."""
        if self.may_command(sender):
            self._drop(request.execution)
            self._node.reply(messages.JobReply(request.request, asker=sender))

    def _asked(self, sender: MemberId, request: messages.JobRequest, execution: str) -> Running | None:
        """Return the execution that a request concerns; if this member does not have it, answer with a failure."""
        if not self.may_command(sender):
            return None
        running = self._running.get(execution)
        if running is None:
            self._node.reply(messages.JobReply(request.request, f"execution {execution} is not here", asker=sender))
        return running

    def on_packet(self, sender: MemberId, packet: messages.Packet) -> None:
        """Pass a packet on to its execution; a packet of another execution is ignored (jobs.11)."""
        running = self._running.get(packet.execution)
        if running is not None:
            running.execution.on_packet(sender, packet)

    def on_packets_received(self, sender: MemberId, word: messages.PacketsReceived) -> None:
        """Pass a confirmation on to its execution."""
        running = self._running.get(word.execution)
        if running is not None:
            running.execution.on_packets_received(sender, word)

    def on_emit_items(self, timer: EmitItems) -> None:
        """Let the sources emit their next items."""
        self._running[timer.execution].execution.emit_items()

    def on_send_again(self, timer: SendAgain) -> None:
        """Repeat packets."""
        self._running[timer.execution].execution.send_again()

    def _end(self, execution: str, failure: str) -> None:
        running = self._running.get(execution)
        if running is not None:
            running.end = messages.ExecutionEnded(execution, failure)
            self.on_report_end(ReportEnd(execution))

    def on_report_end(self, timer: ReportEnd) -> None:
        """Report to the coordinator that this member is done; repeat that until the execution is terminated."""
        running = self._running[timer.execution]
        assert running.end is not None, "what is not over is not reported as over"
        self._node.send(running.coordinator, running.end)
        self._node.set_timer(timer, REPORT_END_US)

    def member_removed(self, gone: MemberId) -> None:
        """Give up the executions in which a removed member took part, or which it coordinated (jobs.15)."""
        for name, running in list(self._running.items()):
            if gone == running.coordinator or gone in running.execution.plan.participants:
                self._drop(name)

    def _drop_job(self, job: str) -> None:
        for name, running in list(self._running.items()):
            if running.execution.plan.job.name == job:
                self._drop(name)

    def _drop(self, execution: str) -> None:
        running = self._running.pop(execution, None)
        if running is not None:
            running.execution.stop()
            self._node.cancel_timer(ReportEnd(execution))
