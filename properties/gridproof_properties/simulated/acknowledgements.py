"""Answers are of the very attempt they end or confirm.

Call ids begin anew with every incarnation of a member, so that a number alone names several calls. A trace has members
by number, a new one for each life. Needs every step in the records.
"""

from dataclasses import dataclass, field

from gridproof_model.trace import EventRecord
from gridproof_properties.judge import Property
from gridproof_properties.step_judge import StepJudge, Told

SENT, FAILED, ENDED = "attempt-sent", "attempt-failed", "call-ended"
APPLIED, COUNTED = "backup-applied", "acknowledgement-counted"
EXECUTED, WAITED, REFUSED, PARKED = "executed", "waited-in-vain", "refused", "parked"
OF_TARGETS = frozenset({EXECUTED, WAITED, REFUSED, PARKED})
WATCHED = OF_TARGETS | {SENT, FAILED, ENDED, APPLIED, COUNTED}
NOT_SENT = "0"
WITHOUT_WORD = ("member left", "operation timeout")
"""Why an attempt fails of which its target said nothing."""


@dataclass(slots=True)
class _AttemptJudge(StepJudge):
    """Keeps what was done about the attempts of calls under way."""

    done: dict[tuple[str, str], set[str]] = field(default_factory=dict)
    """What, by caller and call id; only of attempts whose call has not ended."""
    sent: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    """The call ids of each call, by caller and the caller's number for it."""

    def look(self, event: EventRecord, told: Told) -> str | None:
        if event.name in OF_TARGETS or event.name == APPLIED:
            attempt = (told["caller"], told["call_id"])
            if attempt in self.done:
                self.done[attempt].add(f"{APPLIED} {event.member}" if event.name == APPLIED else event.name)
            return None
        call = (str(event.member), told["invocation"])
        if event.name == SENT:
            self.sent.setdefault(call, []).append(told["call_id"])
            self.done[call[0], told["call_id"]] = set()
            return None
        story = self.check(event, told)
        if event.name == ENDED:
            for call_id in self.sent.pop(call, ()):
                del self.done[call[0], call_id]
        return story

    def check(self, event: EventRecord, told: Told) -> str | None:
        """Return what is wrong with a step of the caller."""
        raise NotImplementedError

    def is_done(self, event: EventRecord, call_id: str, *deeds: str) -> bool:
        """Whether any of these was done about an attempt of this member."""
        return not self.done.get((str(event.member), call_id), set()).isdisjoint(deeds)

    def gone(self, member: int) -> None:
        self.done = {attempt: done for attempt, done in self.done.items() if attempt[0] != str(member)}
        self.sent = {call: ids for call, ids in self.sent.items() if call[0] != str(member)}


@dataclass(slots=True)
class _AcknowledgementJudge(_AttemptJudge):
    @staticmethod
    def watched() -> frozenset[str]:
        return frozenset({SENT, APPLIED, COUNTED, ENDED})

    def check(self, event: EventRecord, told: Told) -> str | None:
        if event.name != COUNTED:
            return None
        self.looked += 1
        if self.is_done(event, told["call_id"], f"{APPLIED} {told['backup']}"):
            return None
        return (
            f"member {event.member} counts an acknowledgement of member {told['backup']} for its call "
            f"{told['call_id']}, of which that one has applied nothing"
        )


@dataclass(slots=True)
class _AnswerJudge(_AttemptJudge):
    @staticmethod
    def watched() -> frozenset[str]:
        return OF_TARGETS | {SENT, FAILED, ENDED}

    def check(self, event: EventRecord, told: Told) -> str | None:
        if event.name == ENDED:
            call_id, deeds = told["answered_by"], (EXECUTED, WAITED)
        elif told["why"] in WITHOUT_WORD:
            return None
        else:
            call_id, deeds = told["call_id"], (REFUSED, PARKED)
        if call_id == NOT_SENT:
            return None
        self.looked += 1
        if self.is_done(event, call_id, *deeds):
            return None
        return f"call {call_id} of member {event.member} is answered, and nobody has {deeds[0]} it"


ACKNOWLEDGED_BY_ITS_BACKUPS = Property(
    name="acknowledged-by-its-backups",
    sentence="An acknowledgement that counts is of a backup that applied that very update of that very caller.",
    source="reference replication 1.2, 2.6, 11 G13; bug-zoo R4, S3",
    start=_AcknowledgementJudge,
)
ANSWERED_BY_ITS_TARGET = Property(
    name="answered-by-its-target",
    sentence="What answers an attempt was said of that very attempt by a member that executed or refused it.",
    source="reference replication 1.2, 11 G13; bug-zoo I6, S3",
    start=_AnswerJudge,
)
PROPERTIES: tuple[Property, ...] = (ACKNOWLEDGED_BY_ITS_BACKUPS, ANSWERED_BY_ITS_TARGET)
