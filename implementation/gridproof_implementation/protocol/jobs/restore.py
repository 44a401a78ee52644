"""From a stopped job to an execution plan.

Start conditions, the stored record, validation (reference replication 8.4). Any step can say that the job has to wait;
validation can say that it is corrupted, for good.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import cast

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.messages import PrimariesRead, ReadPrimaries
from gridproof_implementation.protocol.jobs.plan import ExecutionPlan, Restored
from gridproof_implementation.protocol.jobs.record_keeper import RecordKeeper
from gridproof_implementation.protocol.jobs.records import (
    VALIDATION_KEY,
    ChunkKey,
    ValidationRecord,
    partition_of_text,
    snapshot_map,
    validation_record_of,
)
from gridproof_implementation.protocol.jobs.rounds import Replies, Rounds
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.service_state import ServiceState
from gridproof_implementation.protocol.structures.map import Get
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of the attempt: a plan, a reason to wait, or corruption."""

    plan: ExecutionPlan | None = None
    wait: str = ""
    corruption: str = ""


class StartAttempt:
    """One attempt to start a job; `then` is told its outcome once, unless it is given up."""

    def __init__(
        self, node: Node, rounds: Rounds, job: JobConfig, keeper: RecordKeeper, then: Callable[[Outcome], None]
    ) -> None:
        self._node = node
        self._rounds = rounds
        self._job = job
        self._keeper = keeper
        self._then = then
        self._question = 0
        self._is_given_up = False

    def begin(self, execution: str) -> None:
        """Check the start conditions, and go on from there."""
        self._execution = execution
        why = self.why_not_starting()
        if why:
            self._end(Outcome(wait=why))
        else:
            self._node.partitions.check_safe(self._on_service_state)

    def give_up(self) -> None:
        """Tell nothing any more."""
        self._is_given_up = True
        self._rounds.forget(self._question)

    def why_not_starting(self) -> str:
        """Return the start condition that is not met now, or nothing (8.4)."""
        membership = self._node.membership
        if not membership.is_joined or not membership.is_master:
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
        if self._is_given_up:
            return
        if state is not ServiceState.SAFE:
            self._end(Outcome(wait=f"partitions: {state}"))
        elif self._keeper.record is None:
            self._keeper.read(self._on_record_read)
        else:
            self._secure_record()

    def _on_record_read(self, failure: Failure | None) -> None:
        if self._is_given_up:
            return
        why = self.why_not_starting()
        if failure is not None or why:
            self._end(Outcome(wait=why or f"the execution record was not read: {failure}"))
        else:
            self._secure_record()

    def _secure_record(self) -> None:
        """Write the record once more before it is used, and a new one for the first time (8.5)."""
        record = self._keeper.known
        if record.timestamp_us > 0 and not self._job.fail_on_indeterminate:
            self._validate()
            return
        size = len(self._node.membership.members.data_members)
        quorum = max(record.quorum, size // 2 + 1)
        self._keeper.write_safely(replace(record, quorum=quorum), self._on_record_secured)

    def _on_record_secured(self, failure: Failure | None) -> None:
        if self._is_given_up:
            return
        if failure is not None:
            self._end(Outcome(wait=f"the execution record was not written: {failure}"))
        else:
            self._validate()

    def _validate(self) -> None:
        record = self._keeper.known
        if record.recorded == 0:
            self._plan(None)
            return
        where = snapshot_map(self._job.name, record.map_index)
        partition = partition_of_text(VALIDATION_KEY, self._node.settings.partition_count)
        self._node.invocations.invoke(Call(0, Get(where, VALIDATION_KEY), partition), self._on_validation_read)

    def _on_validation_read(self, answer: Answer) -> None:
        if self._is_given_up:
            return
        if answer.failure is not None:
            self._end(Outcome(wait=f"the validation record was not read: {answer.failure}"))
            return
        record = self._keeper.known
        where = snapshot_map(self._job.name, record.map_index)
        validation = None if answer.value is None else validation_record_of(str(answer.value))

        def on_keys(replies: Replies) -> None:
            if not covers_all(replies, self._node.settings.partition_count):
                self._end(Outcome(wait="not every partition has a primary that may be read"))
                return
            keys = [
                key for reply in cast("Mapping[MemberId, PrimariesRead]", replies).values() for key, _ in reply.entries
            ]
            why = self.why_corrupted(record.recorded, validation, keys)
            if why:
                self._end(Outcome(corruption=why))
            else:
                self._plan(Restored(record.recorded, record.map_index))

        members = [member.id for member in self._node.membership.members.data_members]
        self._question = self._rounds.ask(members, lambda n: ReadPrimaries(n, where, keys_only=True), on_keys)

    def why_corrupted(self, snapshot: int, validation: ValidationRecord | None, keys: Iterable[str]) -> str:
        """Return why a recorded snapshot cannot be restored, or nothing (8.4).

        The validation record must be there with its id, and as many chunks as it says.
        """
        if validation is None or validation.snapshot != snapshot:
            return f"snapshot {snapshot} has no validation record"
        chunks = sum(1 for key in keys if (chunk := ChunkKey.parse(key)) is not None and chunk.snapshot == snapshot)
        if chunks != validation.chunk_count:
            return f"snapshot {snapshot} has {chunks} chunks of {validation.chunk_count}"
        return ""

    def _plan(self, restore: Restored | None) -> None:
        owners = tuple(row.slots[0] for row in self._node.partitions.rows)
        participants = tuple(member.id for member in self._node.membership.members.data_members)
        known = [owner for owner in owners if owner is not None and owner in participants]
        if len(known) < len(owners):
            self._end(Outcome(wait="a partition has no owner"))
        else:
            plan = ExecutionPlan(self._execution, self._job, participants, tuple(known), restore)
            self._end(Outcome(plan))

    def _end(self, outcome: Outcome) -> None:
        if not self._is_given_up:
            self._is_given_up = True
            self._then(outcome)


def covers_all(replies: Replies, partition_count: int) -> bool:
    """Return whether these members' primaries are all partitions, each at one of them."""
    return sorted(partition for reply in primaries_of(replies) for partition in reply.partitions) == list(
        range(partition_count)
    )


def primaries_of(replies: Replies) -> list[PrimariesRead]:
    """Return the answers to a question for primaries."""
    return [reply for reply in replies.values() if isinstance(reply, PrimariesRead)]
