"""Who is taken for gone, and who is named as the master.

A member blames nobody for what its own clock did, and names its master to whoever wants to join. Needs every step in
the records.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.membership import ClockJumped, JoinTurnedDown, MemberSuspected
from gridproof_model.events.words import MASTER_UNKNOWN, WhySuspected
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge
from gridproof_properties.judging.trust import TRUST

Blaming = ClockJumped | MemberSuspected


@dataclass(slots=True)
class _LeapJudge(StepJudge[Blaming]):
    COUNTED = "{failed} of {compared:look} after a leap of its clock had a member suspect another"
    UNSEEN = "no member's clock leapt"
    leapt_ms: dict[int | None, int] = field(default_factory=dict)
    """When each member last found that its clock had leapt."""

    def look(self, record: EventRecord, event: Blaming) -> str | None:
        match event:
            case ClockJumped():
                self.looked += 1
                self.leapt_ms[record.member] = record.at_ms
                return None
            case MemberSuspected(member=suspect, why=why):
                if why is not WhySuspected.NO_HEARTBEAT or self.leapt_ms.get(record.member) != record.at_ms:
                    return None
                return (
                    f"the clock of member {record.member} leapt, and in that round it suspected member {suspect} of "
                    f"silence"
                )
            case _:
                assert_never(event)


@dataclass(slots=True)
class _NamingJudge(StepJudge[JoinTurnedDown]):
    RELIES_ON = TRUST
    COUNTED = "{failed} of {compared:joiner} turned away heard nothing of the master that was known"
    UNSEEN = "nobody was turned away because the master was unknown"

    def look(self, record: EventRecord, event: JoinTurnedDown) -> str | None:
        member = record.member
        if member is None or member == event.joiner or event.why != MASTER_UNKNOWN:
            return None  # the joiner itself records what it was answered
        self.looked += 1
        trust = self.comparisons.conditions.trust
        master = trust.follows.get(member)
        if master in (None, member) or master in trust.suspects.get(member, ()):
            return None
        return (
            f"member {member} followed master {master}, and answered member {event.joiner}, which asked to join, that "
            f"{MASTER_UNKNOWN}"
        )


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="leap-blames-nobody",
        sentence="A member that finds that its own clock has leapt takes nobody for silent in that round.",
        source="members.12",
        severity=Severity.AVAILABILITY,
        start=_LeapJudge,
    ),
    Property(
        name="joiner-hears-of-the-master",
        sentence="Whoever follows a master that it does not suspect names it to those that want to join.",
        source="members.5",
        severity=Severity.PROTOCOL,
        start=_NamingJudge,
    ),
)
