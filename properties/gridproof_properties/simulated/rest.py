"""Whether a simulated grid comes to rest once faults stop."""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.trace import EventRecord, Record
from gridproof_properties.guarantee import Comparisons
from gridproof_properties.judge import Finding, Property

SETTLED, UNSETTLED = "settled", "unsettled"


@dataclass(slots=True)
class _RestJudge:
    READS: ClassVar[frozenset[type[Record]]] = frozenset()
    comparisons: Comparisons = field(default_factory=Comparisons)

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({SETTLED, UNSETTLED})

    def observe(self, record: Record) -> None:
        if isinstance(record, EventRecord) and record.name in (SETTLED, UNSETTLED):
            story = (f"no fault is active any more, and members wait for: {record.detail}",)
            self.comparisons.add(None, record.at_ms, record.at_ms, story if record.name == UNSETTLED else None)

    def conclude(self) -> Finding:
        return self.comparisons.conclude("waits for rest", "were in vain", "nobody waited for rest", tells_first=True)


COMES_TO_REST = Property(
    name="comes-to-rest",
    sentence="Once faults stop, members agree, nothing moves, rows are full and backups equal their primaries.",
    source="reference replication 11 L1, L2, L4, L5",
    start=_RestJudge,
    needs=frozenset({"event settled", "event unsettled"}),
)
PROPERTIES: tuple[Property, ...] = (COMES_TO_REST,)
