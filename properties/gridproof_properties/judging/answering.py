"""Finds members that wait for an answer although nothing delays it: no member should have to ask twice.

A member that asks another member sets a timer; when the timer expires, the member asks again, or goes on without the
answer (`AnswerOverdue`). So the protocol makes up for an answer that is never sent, and the omission shows only as a
delay. If no message is lost or delayed, and all listed members live, a timer of this kind expires only if the asked
member cannot answer yet: no cluster has formed, the data of a leaver still move, or other members do not yet suspect
the members that a candidate for master suspects.
"""

from dataclasses import dataclass, field
from math import inf

from gridproof_model.events import kinds_of
from gridproof_model.events.conditions import Configured, ConnectionBroken, FaultBegun, FaultEnded, MessageLost
from gridproof_model.events.membership import (
    AnswerOverdue,
    ClaimRefused,
    JoinTurnedDown,
    MemberListInstalled,
    MemberRemoved,
)
from gridproof_model.events.merging import EntriesCollected
from gridproof_model.events.migration import MigrationEnded, MigrationOrdered
from gridproof_model.events.partitioning import PlanMade, TablePublished
from gridproof_model.events.words import WhyPublished
from gridproof_model.trace import EventRecord
from gridproof_properties.judging.conditions import RunConditions
from gridproof_properties.judging.timers import CONFIGURED_MS, FIXED_MS

Wording = JoinTurnedDown | ClaimRefused | MemberListInstalled | TablePublished | EntriesCollected
Moving = PlanMade | MigrationOrdered | MigrationEnded
Disturbing = FaultBegun | FaultEnded | MessageLost | ConnectionBroken | MemberRemoved
MOVING = kinds_of(Moving)
OfAnswers = Wording | Moving | Disturbing | AnswerOverdue

LOSSY = {"messages", "connections", "losses"}
SLOW = {"trust", "delays"}
"""Kinds of harm by which faults delay messages, or make living members seem dead; such delays can outlast the fault."""
FREEZES = "freezes"
SECOND_MS = 1_000
REST_MS = 6_000
"""How long migrations pause, at most, after a migration has failed (migration.14)."""
ORDERS_MS = 10_000
"""A lost order is sent again within this time, or within twice this time if it was lost between two repetitions."""
CLAIMS = ("ClaimRetry", "ClaimTimeout")
OF_OWNERS = (WhyPublished.ARRANGED, WhyPublished.ASKED_FOR_OWNERS)


@dataclass(slots=True)
class Answers:
    """What may delay answers, and when each member last got an answer of each kind; mutable."""

    lost_ms: float = -inf
    """When a message was last lost, as far as is known."""
    disturbed_ms: float = -inf
    """When a member last ended, or was last removed."""
    faults: list[str] = field(default_factory=list)
    """The faults in effect that lose messages."""
    is_slow: bool = False
    freezing: list[str] = field(default_factory=list)
    """Faults in effect during which the cluster state forbids choosing owners."""
    frozen_ms: float = -inf
    """When the last fault that forbids choosing owners was over."""
    ended: set[int] = field(default_factory=set)
    gone_to_merge: set[int] = field(default_factory=set)
    word_ms: dict[tuple[type[object], int | None], int] = field(default_factory=dict)
    """For each kind of answer or step and each member: when the member last got such an answer or took such a step."""
    stands_ms: dict[int, int] = field(default_factory=dict)
    """For each master, since when it has been the first member of its own list."""
    removed_ms: dict[tuple[int | None, int], int] = field(default_factory=dict)
    """For each remover and removed member: when the remover took the other off its list, and so no longer knows it."""

    def end(self, member: int, at_ms: int) -> None:
        """Record that a member has ended."""
        self.ended.add(member)
        self.stands_ms.pop(member, None)
        self.disturbed_ms = at_ms

    def learn(self, record: EventRecord, event: OfAnswers) -> None:
        """Read one event."""
        if type(event) in MOVING:
            self.word_ms[type(event), record.member] = record.at_ms
            return
        match event:
            case FaultBegun(fault=fault, harms=harms):
                if not LOSSY.isdisjoint(harms):
                    self.faults.append(fault)
                elif FREEZES in harms:
                    self.freezing.append(fault)
                else:
                    self.is_slow |= not SLOW.isdisjoint(harms)
            case FaultEnded(fault=fault):
                if fault in self.freezing:
                    self.freezing.remove(fault)
                    self.frozen_ms = record.at_ms
                if fault in self.faults:
                    self.faults.remove(fault)
                    self.lost_ms = record.at_ms
            case MessageLost() | ConnectionBroken():
                self.lost_ms = record.at_ms
            case MemberRemoved(member=gone):
                self.disturbed_ms = self.removed_ms[record.member, gone] = record.at_ms
            case MemberListInstalled(members=members):
                if record.member != members[0]:
                    self.stands_ms.pop(record.member or 0, None)
                else:
                    self.stands_ms.setdefault(members[0], record.at_ms)
            case JoinTurnedDown(joiner=whom):
                self.word_ms[type(event), whom] = record.at_ms
            case TablePublished(why=why, receivers=receivers):
                if why in OF_OWNERS:
                    self.word_ms |= {(TablePublished, whom): record.at_ms for whom in receivers}
            case EntriesCollected():
                self.gone_to_merge.add(record.member or 0)
            case ClaimRefused():
                self.word_ms[ClaimRefused, record.member] = record.at_ms
            case _:
                pass

    def why_late(
        self, record: EventRecord, event: AnswerOverdue, lasts_ms: int, conditions: RunConditions
    ) -> str | None:
        """Return why it is wrong that an answer has not come yet; None if it is not wrong."""
        asker, kind = record.member or 0, event.kind
        # Both times are rounded down to milliseconds, so their difference may be wrong by 1 ms.
        since_ms = record.at_ms - lasts_ms - 1
        if self.is_slow or self.faults or self.lost_ms >= since_ms or self._may_wait(kind, asker, since_ms, conditions):
            return None
        late = f"member {asker} had no answer within {lasts_ms:,} ms (timer {kind})"
        return f"{late}, though nothing delayed an answer; a member that asks has to be answered in time"

    def why_strange(self, record: EventRecord, other: int, round_ms: int) -> str | None:
        """Return a sentence if a removed member learned too late that another no longer lists it; None if it did not.

        The next heartbeat of a removed member is answered: the member that receives it has the master answer
        (members.16).
        """
        removed_ms = self.removed_ms.get((other, record.member or 0))
        if removed_ms is None or self.is_slow or self.faults or not round_ms:
            return None
        waited_ms = record.at_ms - max(removed_ms, self.lost_ms, self.disturbed_ms)
        most_ms, story = 2 * round_ms + SECOND_MS, f"member {record.member} learned only after {waited_ms:,} ms that "
        story += f"member {other} had removed it from its list, but has to learn that within {most_ms:,} ms"
        return story if waited_ms > most_ms else None

    def _may_wait(self, kind: str, asker: int, since_ms: int, conditions: RunConditions) -> bool:
        """Whether the members that are asked have nothing to answer yet, or have ended."""
        trust, configured = conditions.trust, conditions.configured
        if kind in CLAIMS:
            done = trust.suspects.get(asker, set()) | trust.granted_now.get(asker, set())
            refusing = {one for (how, one), at_ms in self.word_ms.items() if how is ClaimRefused and at_ms >= since_ms}
            # A member that refused the claim may have a newer member list, which the claiming member has not received.
            return not (refusing <= done and self.ended.isdisjoint({*trust.lists.get(asker, ())} - done))
        if kind == "MergeRetry":  # a member that goes to merge has recorded so before
            return not {*trust.lists.get(asker, ())} <= self.gone_to_merge | {asker}
        listing = [asker] if asker in trust.lists else list(self.stands_ms)
        if self.disturbed_ms >= since_ms or any(not self.ended.isdisjoint(trust.lists.get(one, ())) for one in listing):
            return True
        master = trust.follows.get(asker, asker)
        if kind != "JoinRetry" and (self.stands_ms.get(master, inf) > since_ms or (master, asker) in self.removed_ms):
            return True  # the master has only claimed that role, or has removed the asking member
        # A new master has no table to show, and plans nothing, until the rebalance delay is over.
        delayed_ms = since_ms - (0 if configured is None else configured.rebalance_delay_ms)
        match kind:
            case "JoinRetry":
                stands = any(at_ms <= since_ms for at_ms in self.stands_ms.values())
                return not stands or self._has_word(since_ms, asker, JoinTurnedDown)
            case "NudgeAgain":
                frozen = bool(self.freezing) or self.frozen_ms >= since_ms - SECOND_MS  # changing it back takes time
                return frozen or self.disturbed_ms >= delayed_ms or self._has_word(since_ms, asker, TablePublished)
            case "AskAgain":
                rests = self._has_word(since_ms - REST_MS, master, MigrationEnded)
                rests |= self.lost_ms >= since_ms - 2 * ORDERS_MS
                return (
                    rests
                    or self.disturbed_ms >= delayed_ms
                    or self._has_word(since_ms, master, PlanMade, MigrationOrdered)
                )
            case _:
                return False

    def _has_word(self, since_ms: int, member: int, *kinds: type[object]) -> bool:
        return any(self.word_ms.get((kind, member), -inf) >= since_ms for kind in kinds)


def find_wait_ms(kind: str, configured: Configured | None) -> int | None:
    """Return how long a member waits for an answer; if it asks all members, the time that one of them may take to
    leave. None if no time of such a timer is known, as of another program's."""
    if kind == "RepeatMigrations":
        return ORDERS_MS
    if configured is not None and kind in CONFIGURED_MS:
        return CONFIGURED_MS[kind](configured)
    return FIXED_MS.get(kind)
