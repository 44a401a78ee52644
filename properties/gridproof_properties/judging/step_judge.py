"""Judging a run step by step.

A judge of this kind looks at events one by one and says at once what is wrong; what is still missing at the end of the
run, it says then.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from gridproof_model.events import Event, is_of_partition
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judging.guarantee import Comparisons
from gridproof_properties.judging.judge import Finding

Watched = TypeVar("Watched")
"""The types of events that a judge looks at."""


@dataclass(slots=True)
class StepJudge(Generic[Watched]):
    """Counts the steps looked at and keeps the first that is wrong."""

    READS: ClassVar[frozenset[type[Record]]] = frozenset({MemberRecord})
    comparisons: Comparisons = field(default_factory=Comparisons)
    looked: int = 0
    """Steps that showed something."""
    at_ms: int = 0
    is_broken_off: bool = False

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, EventRecord):  # sooner known than matched
            event: Any = record.event
            if type(event) in self.watched():
                before, self.at_ms = self.looked, record.at_ms
                story = self.look(record, event)
                if story is not None or self.looked > before:
                    self._count(record, story)
        elif isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            self.gone(record.member)

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        """Return the types of the events to look at."""
        raise NotImplementedError

    def look(self, record: EventRecord, event: Watched) -> str | None:
        """Return what is wrong with a step, None where nothing is; count it in `looked` when it shows something."""
        raise NotImplementedError

    def gone(self, member: int) -> None:
        """Forget a member that ended: it owes nothing any more."""

    def missing(self) -> str | None:
        """Return what should have come before the end of the run and did not, None where nothing is missing."""
        return None

    def break_off(self) -> None:
        """Say nothing of what is missing."""
        self.is_broken_off = True

    def conclude(self) -> Finding:
        """Say what was found."""
        if not self.is_broken_off and (story := self.missing()) is not None:
            self.comparisons.add(None, self.at_ms, self.at_ms, (story,))
        return self.comparisons.conclude("steps", "went wrong", "no such step was seen", shows_first=True)

    def _count(self, record: EventRecord, story: str | None) -> None:
        event = record.event
        where = event.partition if is_of_partition(event) and event.partition >= 0 else None
        words = None if story is None else (f"at {record.at_ms} ms {story}",)
        self.comparisons.add(where, record.at_ms, record.at_ms, words)
