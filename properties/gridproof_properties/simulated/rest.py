"""Whether a simulated grid comes to rest once faults stop."""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.harness import Settled, Unsettled
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judging.guarantee import Comparisons
from gridproof_properties.judging.judge import Finding, Property, met


@dataclass(slots=True)
class _RestJudge:
    READS: ClassVar[frozenset[type[Record]]] = frozenset()
    comparisons: Comparisons = field(default_factory=Comparisons)

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Settled | Unsettled)

    def observe(self, record: Record) -> None:
        match record:
            case EventRecord(event=Settled()):
                self.comparisons.add(None, record.at_ms, record.at_ms, None)
            case EventRecord(event=Unsettled(stage=stage, awaited=awaited)):
                story = (f"no fault is active any more, and members wait for: {stage}: {awaited}",)
                self.comparisons.add(None, record.at_ms, record.at_ms, story)
            case _:
                pass

    def conclude(self) -> Finding:
        return self.comparisons.conclude("waits for rest", "were in vain", "nobody waited for rest", shows_first=True)


COMES_TO_REST = Property(
    name="comes-to-rest",
    sentence="Once faults stop, members agree, nothing moves, rows are full and backups equal their primaries.",
    source="sync.18, calls.25, members.14",
    start=_RestJudge,
    needs=met(Settled, Unsettled),
)
PROPERTIES: tuple[Property, ...] = (COMES_TO_REST,)
