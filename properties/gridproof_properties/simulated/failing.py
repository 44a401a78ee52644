"""Whether members handle whatever comes to them.

The end of a run says how many inputs members have handled; a member that fails ends the run.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.harness import MemberFailed, RunEnded
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judging.guarantee import Comparisons
from gridproof_properties.judging.judge import Finding, Property, met


@dataclass(slots=True)
class _FailureJudge:
    READS: ClassVar[frozenset[type[Record]]] = frozenset()
    comparisons: Comparisons = field(default_factory=Comparisons)

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(RunEnded | MemberFailed)

    def observe(self, record: Record) -> None:
        match record:
            case EventRecord(event=RunEnded(inputs=inputs)):
                self.comparisons.compared += inputs
            case EventRecord(event=MemberFailed(error=error)):
                self.comparisons.add(None, record.at_ms, record.at_ms, (error,))
            case _:
                pass

    def conclude(self) -> Finding:
        return self.comparisons.conclude("inputs", "a member failed on", "no input was handled", shows_first=True)


NO_MEMBER_FAILS = Property(
    name="no-member-fails",
    sentence="A member handles whatever comes, in whatever order, without an error of its own.",
    source="reference replication 11 L4",
    start=_FailureJudge,
    needs=met(RunEnded, MemberFailed),
)
PROPERTIES: tuple[Property, ...] = (NO_MEMBER_FAILS,)
