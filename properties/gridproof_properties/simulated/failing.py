"""Whether members handle whatever comes to them.

The end of a run says how many inputs members have handled; a member that fails ends the run.
"""

from dataclasses import dataclass, field
from typing import ClassVar

from gridproof_model.trace import EventRecord, Record
from gridproof_properties.guarantee import Comparisons
from gridproof_properties.judge import MEMBER_FAILED, Finding, Property

RUN_ENDED = "run-ended"
"""The event behind a run that came to its end; its detail is the number of inputs that members handled."""


@dataclass(slots=True)
class _FailureJudge:
    READS: ClassVar[frozenset[type[Record]]] = frozenset()
    comparisons: Comparisons = field(default_factory=Comparisons)

    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({RUN_ENDED, MEMBER_FAILED})

    def observe(self, record: Record) -> None:
        if isinstance(record, EventRecord) and record.name == RUN_ENDED and record.detail.isdecimal():
            self.comparisons.compared += int(record.detail)
        elif isinstance(record, EventRecord) and record.name == MEMBER_FAILED:
            self.comparisons.add(None, record.at_ms, record.at_ms, (record.detail,))

    def conclude(self) -> Finding:
        return self.comparisons.conclude("inputs", "a member failed on", "no input was handled", tells_first=True)


NO_MEMBER_FAILS = Property(
    name="no-member-fails",
    sentence="A member handles whatever comes, in whatever order, without an error of its own.",
    source="reference replication 11 L4",
    start=_FailureJudge,
    needs=frozenset({f"event {RUN_ENDED}", f"event {MEMBER_FAILED}"}),
)
PROPERTIES: tuple[Property, ...] = (NO_MEMBER_FAILS,)
