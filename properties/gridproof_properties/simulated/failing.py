"""Whether members handle whatever comes to them.

The end of a run says how many inputs members have handled; a member that fails ends the run.
"""

from dataclasses import dataclass, replace

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import MemberFailed, RunEnded
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judging.judge import Finding, Judge, Property, met
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.verdict import Result
from gridproof_properties.judging.words import in_one_sentence


@dataclass(slots=True)
class _FailureJudge(Judge):
    READS = frozenset()
    WATCHED = kinds_of(RunEnded | MemberFailed)
    COUNTED = "members failed on {failed} of {compared:input}"
    UNSEEN = "no input was handled"

    def observe(self, record: Record) -> None:
        match record:
            case EventRecord(event=RunEnded(inputs=inputs)):
                self.comparisons.compared += inputs
            case EventRecord(event=MemberFailed(error=error)):
                said = f"at {record.at_ms:,} ms a member failed on what came to it: {error}"
                self.comparisons.add(None, record.at_ms, record.at_ms, (said,))
            case _:
                pass

    def conclude(self) -> Finding:
        """Say what was found; a run ends where a member fails, and nobody knows how many inputs there were before."""
        found = self.comparisons.conclude(self.COUNTED, self.UNSEEN)
        return found if found.result is not Result.BROKEN else replace(found, sentence=in_one_sentence(found.witness))


NO_MEMBER_FAILS = Property(
    name="no-member-fails",
    sentence="A member handles whatever comes, in whatever order, without an error of its own.",
    source="calls.25",
    severity=Severity.AVAILABILITY,
    start=_FailureJudge,
    needs=met(RunEnded, MemberFailed),
)
PROPERTIES: tuple[Property, ...] = (NO_MEMBER_FAILS,)
