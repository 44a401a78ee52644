"""Judging a run step by step.

A judge of this kind looks at events one by one and says at once what is wrong; what is still missing at the end of the
run, it says then.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

from gridproof_model.events import kinds_of, partition_of
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judging.judge import Judge

Watched = TypeVar("Watched")
"""The types of events that a judge looks at."""


@dataclass(slots=True)
class StepJudge(Judge, Generic[Watched]):
    """Counts the steps looked at and keeps the first that is wrong; it watches the events that its `look` takes."""

    READS = frozenset({MemberRecord})
    COUNTED = "{failed} of {compared:step} went wrong"
    UNSEEN = "no such step was seen"
    FORGETS: ClassVar[tuple[str, ...]] = ()
    """What it keeps by member, or by a tuple that begins with one: a member that ends owes nothing any more."""
    looked: int = 0
    """Steps that showed something."""
    at_ms: int = 0
    is_broken_off: bool = False

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, EventRecord):  # sooner known than matched
            event: Any = record.event
            if type(event) in self.WATCHED:
                before, self.at_ms = self.looked, record.at_ms
                story = self.look(record, event)
                if story is not None or self.looked > before:
                    self._count(record, story)
        elif isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            self.gone(record.member)

    def __init_subclass__(cls) -> None:
        looked_at = cls.__dict__["look"].__annotations__["event"] if "look" in cls.__dict__ else None
        if looked_at is not None:
            cls.WATCHED = kinds_of(looked_at)

    def look(self, record: EventRecord, event: Watched) -> str | None:
        """Return what is wrong with a step, None where nothing is; count it in `looked` when it shows something."""
        raise NotImplementedError

    def gone(self, member: int) -> None:
        """Forget what is kept of a member that ended."""
        for kept in (getattr(self, name) for name in self.FORGETS):
            for place in [one for one in kept if (one[0] if isinstance(one, tuple) else one) == member]:
                kept.discard(place) if isinstance(kept, set) else kept.pop(place)

    def missing(self) -> str | None:
        """Return what should have come before the end of the run and did not, None where nothing is missing."""
        return None

    def break_off(self) -> None:
        """Say nothing of what is missing."""
        self.is_broken_off = True

    def finish(self) -> None:
        """Compare what should have come."""
        if not self.is_broken_off and (story := self.missing()) is not None:
            self.comparisons.add(None, self.at_ms, self.at_ms, (story,))

    def _count(self, record: EventRecord, story: str | None) -> None:
        partition = partition_of(record.event)
        where = partition if partition is not None and partition >= 0 else None
        words = None if story is None else (f"at {record.at_ms} ms {story}",)
        self.comparisons.add(where, record.at_ms, record.at_ms, words)
