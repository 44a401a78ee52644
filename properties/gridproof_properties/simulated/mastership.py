"""Who becomes the master.

A candidate waits for everybody that it does not suspect, keeps whoever has accepted it, and whoever is asked refuses
for a reason that is so. Needs every step in the records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.membership import (
    ClaimBegun,
    ClaimRefused,
    MastershipClaimed,
)
from gridproof_model.events.words import WhyClaimRefused
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge
from gridproof_properties.judging.trust import TRUST

Claiming = ClaimBegun | MastershipClaimed


@dataclass(slots=True)
class _WaitingJudge(StepJudge[Claiming]):
    RELIES_ON = TRUST
    COUNTED = "{failed} of {compared:claim} of mastership ended before everybody trusted had accepted"
    UNSEEN = "nobody became the master by a claim"
    began_ms: dict[int, int] = field(default_factory=dict)
    """When each claim under way began."""

    def look(self, record: EventRecord, event: Claiming) -> str | None:
        member = record.member
        if member is None:
            return None
        if isinstance(event, ClaimBegun):
            self.began_ms[member] = record.at_ms
            return None
        configured, began_ms = self.comparisons.conditions.configured, self.began_ms.pop(member, None)
        if configured is None or began_ms is None:
            return None
        self.looked += 1
        waited_ms = record.at_ms - began_ms
        # The two times are rounded down to milliseconds, each by itself.
        return self.claimed(member, event, waited_ms, is_over=waited_ms >= configured.claim_wait_ms - 1)

    def claimed(self, member: int, event: MastershipClaimed, waited_ms: int, *, is_over: bool) -> str | None:
        """Return what is wrong with the end of a claim; `is_over`: its time is, and some may not have answered."""
        trust = self.comparisons.conditions.trust
        passed_over = {member, *trust.granted_now.get(member, ()), *trust.suspects.get(member, ())}
        missing = [one for one in trust.lists.get(member, ()) if one not in passed_over]
        if not missing or is_over:
            return None
        return (
            f"member {member} became the master {waited_ms:,} ms after its claim began, before member {missing[0]}, "
            "which it did not suspect, had accepted it"
        )


@dataclass(slots=True)
class _KeepingJudge(_WaitingJudge):
    """Whoever has accepted, and is listed by all that have, stays; and nobody else."""

    COUNTED = "{failed} of {compared:claim} of mastership ended with a wrong list"
    UNSEEN = "nobody became the master by a claim"

    def claimed(self, member: int, event: MastershipClaimed, waited_ms: int, *, is_over: bool) -> str | None:
        # An acceptance may be on its way for long: it may be one of an earlier claim.
        granted = self.comparisons.conditions.trust.granted.get(member, set())
        strangers = set(event.members) - granted - {member}
        if strangers:
            return f"member {member} became the master and listed member {min(strangers)}, which had not accepted it"
        dropped = set() if is_over else self._owed(member) - set(event.members)
        return (
            None
            if not dropped
            else f"member {member} became the master and left out member {min(dropped)}, which had accepted it"
        )

    def _owed(self, member: int) -> set[int]:
        """Return who has to stay: the newest list of those that accept may name fewer than the candidate's own."""
        trust = self.comparisons.conditions.trust
        granted = trust.granted_now.get(member, set()) - trust.suspects.get(member, set())
        lists = [set(trust.lists.get(one, ())) for one in (member, *granted)]
        return granted.intersection(*lists)


@dataclass(slots=True)
class _RefusalJudge(StepJudge[ClaimRefused]):
    RELIES_ON = TRUST
    COUNTED = "{failed} of {compared:refusal} of a candidate had no ground"
    UNSEEN = "nobody refused a candidate for mastership"

    def look(self, record: EventRecord, event: ClaimRefused) -> str | None:
        member = record.member
        if member is None:
            return None
        self.looked += 1
        if self._is_so(member, event.candidate, event.why):
            return None
        return f"member {member} refused member {event.candidate} as master because of '{event.why}', which was not so"

    def _is_so(self, member: int, candidate: int, why: WhyClaimRefused) -> bool:
        trust = self.comparisons.conditions.trust
        listed, suspects = trust.lists.get(member, ()), trust.suspects.get(member, set())
        match why:
            case WhyClaimRefused.IS_MASTER:
                return trust.follows.get(member) == member
            case WhyClaimRefused.UNKNOWN:
                return candidate not in listed
            case WhyClaimRefused.OLDER_LIVES:
                older = listed[: listed.index(candidate)] if candidate in listed else ()
                return not set(older) <= suspects
            case WhyClaimRefused.NOT_JOINED:
                return True
            case _:
                assert_never(why)


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="claim-waits-for-everybody",
        sentence="A candidate is the master once all that it does not suspect have accepted it, or its time is over.",
        source="members.21",
        severity=Severity.AVAILABILITY,
        start=_WaitingJudge,
        limits=(Limit(Cause.HELD_UP, "members.12: by a clock that leaps the time is over sooner"),),
    ),
    Property(
        name="claim-keeps-who-accepts",
        sentence="Whoever becomes the master lists itself and those that have accepted it, and nobody else.",
        source="members.22",
        severity=Severity.AVAILABILITY,
        start=_KeepingJudge,
    ),
    Property(
        name="claim-refused-for-cause",
        sentence="Whoever refuses a candidate is the master, does not list it, or lists somebody older that it trusts.",
        source="members.20",
        severity=Severity.AVAILABILITY,
        start=_RefusalJudge,
    ),
)
