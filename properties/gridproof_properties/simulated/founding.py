"""Whoever finds a cluster joins it.

A member founds a cluster of its own only where there is none, or where messages were lost or members could not be
distinguished from dead ones while it looked. Two clusters for no reason write the same keys until they merge, minutes
later.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.conditions import FaultBegun, FaultEnded
from gridproof_model.events.membership import ClusterFounded, MemberListInstalled
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge

Founding = ClusterFounded | MemberListInstalled | FaultBegun | FaultEnded
HIDING = frozenset({"messages", "trust", "connections", "freezes"})
"""Harms of faults that can keep a member from finding a cluster, or from being let in."""
LOOKING_MS = 60_000
"""How long after such a fault somebody may still go by what it hid: the time-out after which a member is dead."""
HIDDEN = ("messages were lost, or members were not distinguished from dead ones", "chapter keys, table.3, limits.11")


@dataclass(slots=True)
class _FoundingJudge(StepJudge[Founding]):
    COUNTED = "{failed} of {compared:start} led to a cluster beside the one that was there"
    UNSEEN = "nobody started where a cluster was"
    FORGETS = ("joined",)
    joined: set[int] = field(default_factory=set)
    """Members of a cluster that live."""
    at_work: list[str] = field(default_factory=list)
    """Faults at work that hide members, in words."""
    hidden_until_ms: int = -LOOKING_MS

    def look(self, record: EventRecord, event: Founding) -> str | None:
        match event:
            case FaultBegun(harms=harms, words=words):
                if HIDING.intersection(harms):
                    self.at_work.append(words)
            case FaultEnded(words=words):
                if words in self.at_work:
                    self.at_work.remove(words)
                    self.hidden_until_ms = record.at_ms
            case MemberListInstalled():
                self._joins(record)
            case ClusterFounded():
                return self._founds(record)
            case _:
                assert_never(event)
        return None

    def _joins(self, record: EventRecord) -> None:
        """Count whoever comes to a cluster that is there: it might have founded another."""
        assert record.member is not None
        self.looked += record.member not in self.joined and bool(self.joined)
        self.joined.add(record.member)

    def _founds(self, record: EventRecord) -> str | None:
        if not self.joined:
            return None
        story = f"member {record.member} founded a cluster of its own, beside the one of members {sorted(self.joined)}"
        if self.at_work or record.at_ms - self.hidden_until_ms < LOOKING_MS:
            self.comparisons.add(None, record.at_ms, record.at_ms, (story,), HIDDEN)
            return None
        return story


JOINS_A_CLUSTER = Property(
    name="joins-a-cluster",
    sentence="Whoever starts joins the cluster that is there, and founds none of its own.",
    source="members.7; defect HZ-80",
    severity=Severity.PROTOCOL,
    start=_FoundingJudge,
)
PROPERTIES: tuple[Property, ...] = (JOINS_A_CLUSTER,)
