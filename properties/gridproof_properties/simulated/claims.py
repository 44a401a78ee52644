"""Who becomes the master.

A candidate waits for everybody that it does not suspect, and whoever is asked refuses for a reason that is so. Needs
every step in the records; keeps a list and the marks of each member.
"""

from dataclasses import dataclass, field

from gridproof_model.events import Event, kinds_of
from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimGranted,
    ClaimRefused,
    MastershipClaimed,
    MemberListInstalled,
    MemberSuspected,
    SuspicionCleared,
)
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.step_judge import StepJudge
from gridproof_properties.refinement.tables.knowledge import KnownOfTables

Learning = MemberListInstalled | MemberSuspected | SuspicionCleared | ClaimBegun | ClaimGranted
Claiming = Learning | MastershipClaimed
Refusing = Learning | ClaimRefused
WATCHED = kinds_of(Claiming | Refusing)
IS_MASTER, UNKNOWN, OLDER_LIVES, NOT_JOINED = "master itself", "unknown", "somebody older lives", "not joined"


@dataclass(slots=True)
class _WaitingJudge(StepJudge[Claiming]):
    known: KnownOfTables = field(default_factory=KnownOfTables)
    began_ms: dict[int, int] = field(default_factory=dict)
    """When each claim under way began."""

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Claiming)

    def look(self, record: EventRecord, event: Claiming) -> str | None:
        member = record.member
        if member is None:
            return None
        if isinstance(event, MastershipClaimed):
            return self._claimed(record, member)
        if isinstance(event, ClaimBegun):
            self.began_ms[member] = record.at_ms
            self.known.granted.pop(member, None)
        self.known.trusts(member, event)
        return None

    def _claimed(self, record: EventRecord, member: int) -> str | None:
        configured, began_ms = self.comparisons.conditions.configured, self.began_ms.pop(member, None)
        if configured is None or began_ms is None:
            return None
        self.looked += 1
        known = self.known
        passed_over = {member, *known.granted.get(member, ()), *known.suspects.get(member, ())}
        missing = [one for one in known.lists.get(member, ()) if one not in passed_over]
        # The two times are rounded down to milliseconds, each by itself.
        if not missing or record.at_ms - began_ms >= configured.claim_wait_ms - 1:
            return None
        waited_ms = record.at_ms - began_ms
        return f"member {member} is the master after {waited_ms} ms, and member {missing[0]} has not accepted it"


@dataclass(slots=True)
class _RefusalJudge(StepJudge[Refusing]):
    known: KnownOfTables = field(default_factory=KnownOfTables)

    @staticmethod
    def watched() -> frozenset[type[Event]]:
        return kinds_of(Refusing)

    def look(self, record: EventRecord, event: Refusing) -> str | None:
        member = record.member
        if member is None:
            return None
        if not isinstance(event, ClaimRefused):
            self.known.trusts(member, event)
            return None
        self.looked += 1
        if self._is_so(member, event.candidate, event.why):
            return None
        return f"member {member} refuses the claim of member {event.candidate}: {event.why}, and that is not so"

    def _is_so(self, member: int, candidate: int, why: str) -> bool:
        listed, suspects = self.known.lists.get(member, ()), self.known.suspects.get(member, set())
        if why == IS_MASTER:
            return self.known.follows.get(member) == member
        if why == UNKNOWN:
            return candidate not in listed
        if why == OLDER_LIVES:
            older = listed[: listed.index(candidate)] if candidate in listed else ()
            return not set(older) <= suspects
        return why == NOT_JOINED


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="claim-waits-for-everybody",
        sentence="A candidate is the master once all that it does not suspect have accepted it, or its time is over.",
        source="reference replication 7.3",
        start=_WaitingJudge,
        limits=(Limit(Cause.HELD_UP, "reference replication 7.1: by a clock that leaps the time is over sooner"),),
    ),
    Property(
        name="claim-refused-for-cause",
        sentence="Whoever refuses a candidate is the master, does not list it, or lists somebody older that it trusts.",
        source="reference replication 7.3",
        start=_RefusalJudge,
    ),
)
