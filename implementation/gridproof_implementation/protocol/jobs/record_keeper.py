"""A job's execution record: in the coordinator's memory, and stored.

The record in memory is never older than the stored one (reference replication 8.5).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from gridproof_implementation.protocol.effects import Answer
from gridproof_implementation.protocol.failures import Failure
from gridproof_implementation.protocol.job import JobConfig
from gridproof_implementation.protocol.jobs.records import (
    EXECUTION_RECORDS,
    ExecutionRecord,
    as_text,
    execution_record_of,
    partition_of_text,
)
from gridproof_implementation.protocol.node import Call, Node
from gridproof_implementation.protocol.structures.map import Get, Process


@dataclass(frozen=True, slots=True)
class UpdateRecord:
    """The processor that stores a record, unless a later one stands there; running it again changes nothing (8.2)."""

    record: ExecutionRecord

    def process(self, value: str | None) -> tuple[str | None, object]:
        """Return the record that is to stand there, and whether it is this one."""
        if value is not None and execution_record_of(value).timestamp_us >= self.record.timestamp_us:
            return value, False
        return as_text(self.record), True

    def for_backup(self) -> "UpdateRecord":
        """Return the same."""
        return self


@dataclass(slots=True)
class RecordKeeper:
    """Reads and writes the execution record of one job; mutable."""

    node: Node
    job: JobConfig
    record: ExecutionRecord | None = None
    """As the coordinator knows it; None before it was read."""

    @property
    def known(self) -> ExecutionRecord:
        """The record; only asked for once the job is started."""
        return self.record or ExecutionRecord()

    def read(self, then: Callable[[Failure | None], None]) -> None:
        """Read the stored record, as a new coordinator has to."""

        def on_answer(answer: Answer) -> None:
            if answer.failure is None:
                self.record = ExecutionRecord() if answer.value is None else execution_record_of(str(answer.value))
            then(answer.failure)

        self.node.invocations.invoke(Call(0, Get(EXECUTION_RECORDS, self.job.name), self._partition), on_answer)

    def write(self, record: ExecutionRecord, then: Callable[[Failure | None], None]) -> None:
        """Write a record, in memory first; every write has a later time than the one before (8.2)."""
        timestamp_us = max(self.node.now_us, self.known.timestamp_us + 1)
        self.record = written = replace(record, timestamp_us=timestamp_us)
        update = Process(EXECUTION_RECORDS, self.job.name, UpdateRecord(written))
        fails = self.job.fail_on_indeterminate
        call = Call(0, update, self._partition, fail_on_indeterminate_state=fails)
        self.node.invocations.invoke(call, lambda answer: then(answer.failure))

    def write_safely(self, record: ExecutionRecord, then: Callable[[Failure | None], None]) -> None:
        """Write a record until its backup has it (8.5: the safe loop); as delivered, a single write."""

        def on_written(failure: Failure | None) -> None:
            if failure is Failure.INDETERMINATE:
                self.write(self.known, on_written)
            else:
                then(failure)

        self.write(record, on_written)

    @property
    def _partition(self) -> int:
        return partition_of_text(self.job.name, self.node.settings.partition_count)
