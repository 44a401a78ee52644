"""Whether a simulated grid comes to rest once faults stop."""

from dataclasses import dataclass

from gridproof_model.events import kinds_of
from gridproof_model.events.harness import Settled, Unsettled
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judging.judge import Judge, Property, met
from gridproof_properties.judging.severity import Severity


@dataclass(slots=True)
class _RestJudge(Judge):
    READS = frozenset()
    WATCHED = kinds_of(Settled | Unsettled)
    COUNTED = "{failed} of {compared:time} the grid did not settle after the last fault"
    UNSEEN = "nobody waited for rest"

    def observe(self, record: Record) -> None:
        match record:
            case EventRecord(event=Settled()):
                self.comparisons.add(None, record.at_ms, record.at_ms, None)
            case EventRecord(event=Unsettled(stage=stage, awaited=awaited)):
                story = (
                    f"at {record.at_ms:,} ms, after the last fault, the grid had not settled ({stage}): it waited "
                    f"for {awaited}",
                )
                self.comparisons.add(None, record.at_ms, record.at_ms, story)
            case _:
                pass


COMES_TO_REST = Property(
    name="comes-to-rest",
    sentence="Once faults stop, members agree, nothing moves, rows are full and backups equal their primaries.",
    source="sync.18, calls.25, members.14",
    severity=Severity.AVAILABILITY,
    start=_RestJudge,
    needs=met(Settled, Unsettled),
)
PROPERTIES: tuple[Property, ...] = (COMES_TO_REST,)
