"""What a caller may answer its client about a call that failed.

A call is answered as unknown only if some member may have executed it; a call that was refused by every target is
answered as refused, and its client may safely try again. The judge needs all steps in the records; it keeps two times
per partition.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.invocation import AttemptFailed, CallBegunAnew, MultiPartitionCallEnded
from gridproof_model.events.operation import Executed
from gridproof_model.events.words import Failure
from gridproof_model.trace import EventRecord, MemberRecord, OperationKind, OperationRecord, Outcome, Record
from gridproof_properties.judging.judge import Property, Severity, StepJudge, met
from gridproof_properties.simulated.copies import WITHOUT_WORD

Doubtful = Executed | AttemptFailed | CallBegunAnew | MultiPartitionCallEnded
REFUSALS = frozenset(
    {
        Failure.WRONG_TARGET,
        Failure.PARTITION_MIGRATING,
        Failure.TARGET_NOT_MEMBER,
        Failure.CALLER_NOT_MEMBER,
        Failure.RETRYABLE_IO,
        Failure.ILLEGAL_STATE,
        Failure.NO_DATA_MEMBER,
        Failure.OVERLOAD,
        Failure.SPLIT_BRAIN_PROTECTION,
        Failure.THROWN,
    }
)
"""The reasons for which a call fails if no member executed its last attempt."""
ASKED = frozenset(OperationKind) - {OperationKind.DESTROY, OperationKind.ASK_SAFE, OperationKind.SIZE}
"""The kinds of operations that concern one partition and are answered."""
ASKING = frozenset({OperationKind.READ, OperationKind.READ_BACKUP, OperationKind.CONTAINS, OperationKind.SIZE})
"""The kinds of operations that only ask, and change nothing."""
FAILURES = frozenset(Failure)


@dataclass(slots=True)
class _OutcomeJudge(StepJudge):
    READS = frozenset({MemberRecord, OperationRecord})
    OPERATIONS = ASKED | ASKING
    COUNTED = "{failed} of {compared:failed call} that changed nothing ended with an unknown outcome"
    HELD = "{all} {compared:failed call} that changed nothing ended as refused"
    UNSEEN = "no call failed for a reason by which no member can have executed it"
    executed_ms: dict[int, int] = field(default_factory=dict)
    """For each partition, when an operation was last executed, of whichever client."""
    silent_ms: int = -1
    """When an attempt of any call last ended without an answer from its target, or when a call was last begun anew."""
    steps_recorded: bool = False

    def observe(self, record: Record) -> None:
        if isinstance(record, OperationRecord):
            if record.kind in ASKING:
                self._compare_question(record)
            elif self.steps_recorded and record.kind in ASKED:
                self._compare(record)
        else:
            StepJudge.observe(self, record)

    def look(self, record: EventRecord, event: Doubtful) -> str | None:
        self.steps_recorded = True
        match event:
            case Executed(partition=partition):
                self.executed_ms[partition] = record.at_ms
            case AttemptFailed(why=why):
                if why in WITHOUT_WORD:
                    self.silent_ms = record.at_ms
            case CallBegunAnew() | MultiPartitionCallEnded():
                # In a multi-partition call, one partition's answer leaves the outcome of others in doubt (calls.28).
                self.silent_ms = record.at_ms
            case _:
                assert_never(event)
        return None

    def _compare_question(self, record: OperationRecord) -> None:
        """Compare a question that failed: it cannot have changed anything, so its outcome should not be unknown."""
        if record.reason in FAILURES:
            self._add(record, f"a {record.kind.value} changes nothing, so that one that fails has to end as refused")

    def _compare(self, record: OperationRecord) -> None:
        partition = record.partition
        if partition is None or record.call is not None or record.reason not in REFUSALS:
            return
        latest_ms = max(self.executed_ms.get(partition, -1), self.silent_ms)
        if latest_ms < record.start_ms:  # otherwise some member may have executed it
            nothing = f"no member had executed anything of partition {partition} since {record.start_ms:,} ms"
            self._add(record, f"{nothing}, so that the call has to end as refused")

    def _add(self, record: OperationRecord, why: str) -> None:
        """Count a failed call that no member can have executed; `why` says why not."""
        story = (
            f"at {record.end_ms:,} ms client {record.client} was answered that the outcome of its {record.kind.value} "
            f"{record.operation} of key {record.key!r} is unknown ({record.reason}); {why}",
        )
        is_doubted = record.outcome is Outcome.UNKNOWN
        self.comparisons.add(record.partition, record.start_ms, record.end_ms, story if is_doubted else None)


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="refused-is-not-unknown",
        sentence="A failed call that no member executed, or that changes nothing, is answered as refused, not as "
        "unknown.",
        source="calls.10, calls.14, strict.4, strict.6",
        severity=Severity.AVAILABILITY,
        start=_OutcomeJudge,
        needs=met(Executed),
    ),
)
