"""Whether a simulated grid comes to rest once faults stop."""

from dataclasses import dataclass

from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judge import Finding, Property
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

SETTLED, UNSETTLED = "settled", "unsettled"


@dataclass(slots=True)
class _RestJudge:
    settled: int = 0
    first: str | None = None
    """What was awaited the first time that rest was not reached."""

    def observe(self, record: Record) -> None:
        if isinstance(record, EventRecord) and record.name == SETTLED:
            self.settled += 1
        elif isinstance(record, EventRecord) and record.name == UNSETTLED and self.first is None:
            self.first = record.detail

    def conclude(self) -> Finding:
        if self.first is not None:
            steps = (f"no fault strikes any more, and members wait for: {self.first}",)
            return Finding(Result.BROKEN, f"the grid does not come to rest: {self.first}", steps)
        if not self.settled:
            return Finding(Result.UNKNOWN, "nobody waited for rest")
        return Finding(Result.HOLDS, f"the grid came to rest {count(self.settled, 'time')}")


COMES_TO_REST = Property(
    name="comes-to-rest",
    sentence="Once faults stop, members agree, nothing moves, rows are full and backups equal their primaries.",
    source="reference replication 11 L1, L2, L4, L5",
    start=_RestJudge,
)
PROPERTIES: tuple[Property, ...] = (COMES_TO_REST,)
