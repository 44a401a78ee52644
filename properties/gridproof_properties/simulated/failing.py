"""Whether members handle whatever comes to them.

The end of a run says how many inputs members have handled; a member that fails ends the run.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.harness import MemberFailed, RunEnded
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judging.guarantee import Comparisons
from gridproof_properties.judging.judge import Finding, Property, met
from gridproof_properties.judging.verdict import Result


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
        found = self.comparisons.conclude("inputs", "a member failed on", "no input was handled")
        if found.result is not Result.BROKEN:
            return found
        # The run ends there, and nobody says how many inputs were handled before: there is nothing to count it of.
        times = self.comparisons.failed
        words = "a member failed" if times == 1 else f"members failed {times:,} times, first"
        return replace(found, sentence=f"{words}: {found.witness[0]}")


NO_MEMBER_FAILS = Property(
    name="no-member-fails",
    sentence="A member handles whatever comes, in whatever order, without an error of its own.",
    source="calls.25",
    start=_FailureJudge,
    needs=met(RunEnded, MemberFailed),
)
PROPERTIES: tuple[Property, ...] = (NO_MEMBER_FAILS,)
