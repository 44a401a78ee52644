"""Judging a run step by step.

A judge of this kind looks at events one by one and says at once what is wrong; what is still missing at the end of the
run, it says then.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from gridproof_model.event_details import read_details
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record
from gridproof_properties.judge import Finding
from gridproof_properties.verdict import Result
from gridproof_properties.words import count

Told = Mapping[str, str]
"""The detail of an event, by name."""


@dataclass(slots=True)
class StepJudge:
    """Counts the steps looked at and keeps the first that is wrong."""

    looked: int = 0
    wrong: int = 0
    first: str | None = None

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        match record:
            case EventRecord(name=name) if name in self.watched():
                if (story := self.look(record, read_details(record.detail))) is not None:
                    self._complain(f"at {record.at_ms} ms {story}")
            case MemberRecord(change=MemberChange.LEFT | MemberChange.CRASHED):
                self.gone(record.member)
            case _:
                pass

    @staticmethod
    def watched() -> frozenset[str]:
        """Return the names of the events to look at."""
        raise NotImplementedError

    def look(self, event: EventRecord, told: Told) -> str | None:
        """Return what is wrong with a step, None where nothing is; count it in `looked` when it shows something."""
        raise NotImplementedError

    def gone(self, member: int) -> None:
        """Forget a member that ended: it owes nothing any more."""

    def missing(self) -> str | None:
        """Return what should have come before the end of the run and did not, None where nothing is missing."""
        return None

    def conclude(self) -> Finding:
        """Say what was found."""
        if (story := self.missing()) is not None:
            self._complain(story)
        if self.first is not None:
            return Finding(Result.BROKEN, f"{count(self.wrong, 'step')} went wrong: {self.first}", (self.first,))
        if not self.looked:
            return Finding(Result.UNKNOWN, "no such step was seen")
        return Finding(Result.HOLDS, f"{count(self.looked, 'step')} looked at")

    def _complain(self, story: str) -> None:
        self.wrong += 1
        self.first = self.first or story
