"""How lists get around.

A master sends the list to everybody in it when it has a new one. Needs every step in the records; keeps, for each
member, the newest list that is on its way.
"""

from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events.harness import RunEnded
from gridproof_model.events.membership import ClaimBegun, MemberListIgnored, MemberListInstalled
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.step_judge import StepJudge

Spreading = MemberListInstalled | MemberListIgnored | ClaimBegun | RunEnded
LEAST_MS = 500
"""So long a list may be on its way at least."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A list on its way to a member."""

    master: int
    version: int
    at_ms: int


@dataclass(slots=True)
class _SpreadJudge(StepJudge[Spreading]):
    COUNTED = "{failed} of {compared:member list} sent by a master came too late"
    UNSEEN = "no master sent a new member list"
    due: dict[int, _Sent] = field(default_factory=dict)
    """The newest list that each member is to get."""
    versions: dict[int, int] = field(default_factory=dict)
    """Of the list that each member has that lives."""

    def look(self, record: EventRecord, event: Spreading) -> str | None:
        if self.due:
            self._overdue(record.at_ms)
        member = record.member
        if member is None:
            return None  # the end of the run
        match event:
            case MemberListInstalled(version=version, members=members):
                self.versions[member] = version
                self._gets(member, version, record.at_ms)
                if members[0] == member:
                    self._sends(_Sent(member, version, record.at_ms), members[1:])
            case MemberListIgnored() | ClaimBegun():
                self.due.pop(member, None)  # it follows another, or nobody else any more
            case RunEnded():
                pass
            case _:
                assert_never(event)
        return None

    def gone(self, member: int) -> None:
        """Forget what it was to get, and what it sent: it may have ended before it had sent it all."""
        self.versions.pop(member, None)
        self.due = {to: sent for to, sent in self.due.items() if member not in (to, sent.master)}

    def _sends(self, sent: _Sent, members: tuple[int, ...]) -> None:
        for member in members:
            if member in self.versions:  # who has none yet joins with this one, and who has ended gets none
                self.due[member] = sent

    def _gets(self, member: int, version: int, at_ms: int) -> None:
        sent = self.due.get(member)
        if sent is not None and version >= sent.version:
            del self.due[member]
            self.comparisons.add(None, sent.at_ms, at_ms)

    def _overdue(self, now_ms: int) -> None:
        configured = self.comparisons.conditions.configured
        if configured is None:
            return
        # A message that takes half of that is recorded as late.
        patience_ms = max(min(configured.backup_timeout_ms, configured.call_timeout_ms), LEAST_MS)
        for member, sent in list(self.due.items()):
            if sent.at_ms + patience_ms < now_ms:
                del self.due[member]
                story = (
                    f"member {sent.master} installed list {sent.version} at {sent.at_ms:,} ms, and sends it to all "
                    f"in it",
                    f"{patience_ms:,} ms later member {member} still had list {self.versions[member]}",
                )
                self.comparisons.add(None, sent.at_ms, sent.at_ms + patience_ms, story)


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="lists-spread-at-once",
        sentence="A list that a master has made is with everybody in it as soon as a message can be.",
        source="members.3",
        severity=Severity.AVAILABILITY,
        start=_SpreadJudge,
        limits=(
            Limit(
                Cause.MESSAGE_LOST | Cause.MESSAGE_LATE | Cause.MESSAGE_FOR_ANOTHER | Cause.CONNECTION_BROKEN,
                "members.3: a list that gets lost goes out again with the next interval",
            ),
            Limit(Cause.HELD_UP, "members.11"),
            Limit(Cause.REMOVED_ALIVE, "splits.6: who follows another master takes no list of it"),
        ),
    ),
)
