"""What must be so for member lists while clients are at work.

A live member shows its member list together with its table, if it can. Between two looks no living member is removed
unless it is leaving; and a member that ended is removed within the time in which the system states that it accepts
calls again, as there is no owner of what the member held until then. Nothing is judged while living members may be
taken for dead because they are paused, cut off or slow.

Memory: a list per member, and all members that have ended.
"""

from dataclasses import dataclass, field
from math import inf

from gridproof_model.events import kinds_of
from gridproof_model.events.conditions import StatedTimes
from gridproof_model.events.harness import ListShown, TableShownAgain
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, Record, ViewRecord
from gridproof_properties.judging.judge import Asking, Judge, Property, Severity, met
from gridproof_properties.judging.survival import TWO_CLUSTERS
from gridproof_properties.judging.words import within

LEAVING = "the member asked to leave", "leaving.1"
ENDING_MS = 1_000
"""The longest time by which other members may know of a process's end before that end is recorded."""


@dataclass(frozen=True, slots=True)
class _Removed:
    """A member that a list no longer names, although the member was not known to have ended."""

    observer: int
    member: int
    span_ms: tuple[int, int]


@dataclass(slots=True)
class _StaysJudge(Judge):
    """Compares each list of a member with the next list of the same member."""

    READS = frozenset({MemberRecord})
    WATCHED = kinds_of(ListShown)
    COUNTED = "{failed} of {compared:look} at a member list found that a living member had disappeared from it"
    UNSEEN = "no member showed a second member list"
    _lists: dict[int, tuple[int, frozenset[int]]] = field(default_factory=dict)
    """For each member, its latest changed list: when it was shown, and the members in it."""
    _removed: list[_Removed] = field(default_factory=list)
    _ended_ms: dict[int, int] = field(default_factory=dict)
    _leavers: set[int] = field(default_factory=set)
    """The members that left; that they were leaving becomes known only when they have left."""

    def observe(self, record: Record) -> None:
        match record:
            case MemberRecord(change=MemberChange.JOINED):
                pass
            case MemberRecord():
                self._ended_ms[record.member] = record.at_ms
                if record.change is MemberChange.LEFT:
                    self._leavers.add(record.member)
            case EventRecord(at_ms=at_ms, member=int(observer), event=ListShown(members=members)):
                self._compare(observer, at_ms, frozenset(members))
            case _:
                pass

    def finish(self) -> None:
        for one in self._removed:
            if self._ended_ms.get(one.member, inf) >= one.span_ms[1] + ENDING_MS:
                self._judge(one)

    def _compare(self, observer: int, at_ms: int, members: frozenset[int]) -> None:
        before_ms, before = self._lists.get(observer, (at_ms, frozenset[int]()))
        self._lists[observer] = at_ms, members
        for member in sorted(before - self._ended_ms.keys()):
            if member in members:
                self.comparisons.add(None, before_ms, at_ms)
            else:
                self._removed.append(_Removed(observer, member, (before_ms, at_ms)))

    def _judge(self, one: _Removed) -> None:
        call, (before_ms, at_ms) = self.comparisons.scene.call, one.span_ms
        story = (
            f"at {at_ms:,} ms the list of {call(one.observer)} no longer named {call(one.member)}, though member "
            f"{one.member} was alive and had been in the list at {before_ms:,} ms; a member may not remove another "
            "member from its list while the other one is alive and is not leaving",
        )
        self.comparisons.add(None, before_ms, at_ms, story, LEAVING if one.member in self._leavers else None)


@dataclass(slots=True)
class _GoneJudge(Judge):
    """Compares each list with the members that ended long enough ago."""

    READS = frozenset({MemberRecord, ViewRecord})
    WATCHED = kinds_of(ListShown | TableShownAgain | StatedTimes)
    COUNTED = "after the time allowed {failed} of {compared:list} still named an ended member"
    HELD = "after the time allowed {all} {compared:list} had dropped the ended member"
    UNSEEN = "no member showed its list after the time allowed to drop an ended member"
    stated_ms: int | None = None
    stated_by: str = ""
    _lists: dict[int, frozenset[int]] = field(default_factory=dict)
    """For each member, the list that it showed last."""
    _ended_ms: dict[int, int] = field(default_factory=dict)
    _compared: set[tuple[int, int]] = field(default_factory=set)
    """The pairs that were compared: a member that shows a list, and an ended member."""

    def observe(self, record: Record) -> None:
        match record:
            case MemberRecord(change=MemberChange.JOINED):
                self._ended_ms.pop(record.member, None)
            case MemberRecord():
                self._ended_ms[record.member] = record.at_ms
                self._lists.pop(record.member, None)
            case ViewRecord() if not record.settled:
                self._look(record.observer, record.at_ms)
            case EventRecord(event=StatedTimes(accepted_within_ms=stated_ms, source=source)):
                self.stated_ms, self.stated_by = stated_ms, source
            case EventRecord(at_ms=at_ms, member=int(observer), event=ListShown(members=members)):
                self._lists[observer] = frozenset(members)
                self._look(observer, at_ms)
            case EventRecord(at_ms=at_ms, member=int(observer), event=TableShownAgain()):
                self._look(observer, at_ms)
            case _:
                pass

    def say_unseen(self) -> str:
        unstated = "the system states no time in which it recovers from a fault"
        return unstated if self.stated_ms is None else self.UNSEEN

    def _look(self, observer: int, at_ms: int) -> None:
        listed = self._lists.get(observer)
        if listed is None or self.stated_ms is None:
            return
        for member, ended_ms in self._ended_ms.items():
            if at_ms <= ended_ms + self.stated_ms or (observer, member) in self._compared:
                continue
            self._compared.add((observer, member))
            call = self.comparisons.scene.call
            limit = within("each member has to remove an ended member from its list", self.stated_ms, self.stated_by)
            still = f"at {at_ms:,} ms {call(observer)} still listed {call(member)}, which had ended at {ended_ms:,} ms"
            story = (f"{still}; {limit}",)
            self.comparisons.add(None, ended_ms, at_ms, story if member in listed else None)


PROPERTIES: tuple[Property, ...] = (
    Property(
        "living-member-stays-listed",
        "While members come and go, no member removes from its list another one that lives and does not leave.",
        "members.2, members.11",
        Severity.PROTOCOL,
        _StaysJudge,
        met(ListShown),
        (TWO_CLUSTERS,),
        asked_by=Asking.AUDITS,
    ),
    Property(
        "ended-member-is-removed",
        "No list names a member that ended longer ago than the system needs, by what it states, to recover.",
        "members.11, members.14",
        Severity.PROTOCOL,
        _GoneJudge,
        met(ListShown),
        (TWO_CLUSTERS,),
        asked_by=Asking.AUDITS,
    ),
)
