"""Which of two clusters merges into the other.

Recomputed when two masters have met, from the list of who compares and those that the other has had as a master: an
answer may be late. Needs every step in the records; keeps one value for each such list.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.membership import LiteMemberPromoted, MemberListInstalled
from gridproof_model.events.merging import SidesCompared
from gridproof_model.events.words import MergeVerdict
from gridproof_model.trace import EventRecord, MemberRecord, Record
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge
from gridproof_properties.judging.words import count

Meeting = MemberListInstalled | LiteMemberPromoted | SidesCompared


@dataclass(frozen=True, slots=True)
class _Side:
    """What a master said of its cluster."""

    data_members: int
    addresses: tuple[str, ...]
    """The master's first."""

    def against(self, other: "_Side") -> MergeVerdict:
        """Return which of the two merges into the other (splits.4, splits.5)."""
        if not set(self.addresses).isdisjoint(other.addresses):
            return MergeVerdict.OVERLAP
        is_smaller = self.data_members < other.data_members
        is_later = self.data_members == other.data_members and self.addresses[0] > other.addresses[0]
        return MergeVerdict.MERGE_MINE if is_smaller or is_later else MergeVerdict.MERGE_THEIRS


@dataclass(slots=True)
class _SideJudge(StepJudge[Meeting]):
    READS = frozenset({MemberRecord})
    COUNTED = "{failed} of {compared:meeting} of two masters had another outcome than their lists"
    UNSEEN = "no two masters of different clusters met"
    lite: set[int] = field(default_factory=set)
    sides: defaultdict[int, list[_Side]] = field(default_factory=lambda: defaultdict(list))
    """What each master has listed, one after the other."""

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, MemberRecord) and record.lite:
            self.lite.add(record.member)
        StepJudge.observe(self, record)

    def look(self, record: EventRecord, event: Meeting) -> str | None:
        match event:
            case LiteMemberPromoted(member=promoted):
                self.lite.discard(promoted)
            case MemberListInstalled(members=members) if record.member == members[0]:
                names = self.comparisons.conditions.scene.names
                addresses = tuple(names.get(member, str(member)).rpartition("/")[0] for member in members)
                self.sides[members[0]].append(_Side(len(set(members) - self.lite), addresses))
            case SidesCompared() if record.member is not None:
                return self._compare(record.member, event)
            case MemberListInstalled() | SidesCompared():
                pass
            case _:
                assert_never(event)
        return None

    def _compare(self, member: int, event: SidesCompared) -> str | None:
        mine, theirs = self.sides[member], self.sides[event.other]
        if event.verdict is MergeVerdict.NEITHER or not mine or not theirs:
            return None  # states and configurations are not compared here
        self.looked += 1
        if event.verdict in {mine[-1].against(side) for side in theirs}:
            return None
        sizes = f"{count(mine[-1].data_members, 'data member')}, the other's {theirs[-1].data_members}"
        return f"master {member} met master {event.other} and found '{event.verdict}': its cluster had {sizes}"


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="smaller-side-merges",
        sentence="Of two clusters the one with fewer data members merges, of equal ones the one whose master's address "
        "is the greater text; neither where a member is in both.",
        source="splits.4, splits.5",
        severity=Severity.PROTOCOL,
        start=_SideJudge,
    ),
)
