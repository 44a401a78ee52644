"""Which member becomes the master, how a master spreads its lists, and which of two clusters merges into the other.

First, which member becomes the master.

A candidate waits for every member that it does not suspect, and lists every member that has accepted it; a member that
refuses gives a true reason. The judges need all steps in the records.

Second, how lists spread.

A master that has a new member list sends it to every member in the list. The judge needs all steps in the records; it
keeps, for each member, the newest list that is on its way to this member.

Third, which of two clusters merges into the other.

When two masters have met, the choice is computed again from the list of the master that compares and from each list
that the other master has had as a master, since its answer may be late. The judge needs all steps in the records; it
keeps one value for each list of a master.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import assert_never

from gridproof_model.events import membership
from gridproof_model.events.harness import RunEnded
from gridproof_model.events.merging import SidesCompared
from gridproof_model.events.words import MergeVerdict, WhyClaimRefused
from gridproof_model.trace import EventRecord, MemberRecord, Record
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.judge import Cause, Property, Severity, StepJudge
from gridproof_properties.judging.trust import TRUST
from gridproof_properties.judging.words import count


@dataclass(slots=True)
class _WaitingJudge(StepJudge):
    RELIES_ON = TRUST
    COUNTED = "{failed} of {compared:claim} of mastership ended before all trusted members had accepted or time was up"
    HELD = "in {all} {compared:claim} of mastership all trusted members had accepted the claim, or its time was over"
    RULE = "a candidate has to wait for all members that it does not suspect, until its time is over"
    UNSEEN = "no member became the master by a claim"
    began_ms: dict[int, int] = field(default_factory=dict)
    """For each claim under way, when it began."""

    def look(self, record: EventRecord, event: membership.ClaimBegun | membership.MastershipClaimed) -> str | None:
        member = record.member
        if member is None:
            return None
        if isinstance(event, membership.ClaimBegun):
            self.began_ms[member] = record.at_ms
            return None
        configured, began_ms = self.comparisons.conditions.configured, self.began_ms.pop(member, None)
        if configured is None or began_ms is None:
            return None
        self.looked += 1
        waited_ms = record.at_ms - began_ms
        # Both times are rounded down to milliseconds, so their difference may be wrong by 1 ms.
        return self.claimed(member, event, waited_ms, is_over=waited_ms >= configured.claim_wait_ms - 1)

    def claimed(self, member: int, event: membership.MastershipClaimed, waited_ms: int, *, is_over: bool) -> str | None:
        """Return what is wrong with the end of a claim; `is_over` says that the time for answers was over, so some
        members may not have answered."""
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
    """Compares the list after a claim: it may name only members that accepted the claim, and has to name all that they
    list."""

    COUNTED = "{failed} of {compared:claim} of mastership ended with a list that does not fit the members that accepted"
    HELD = "{all} {compared:claim} of mastership ended with a list that fits the members that accepted"
    RULE = "a new master has to list the members that accepted it, and no others besides itself"
    UNSEEN = "no member became the master by a claim"

    def claimed(self, member: int, event: membership.MastershipClaimed, waited_ms: int, *, is_over: bool) -> str | None:
        # The acceptance of a mastership claim may arrive late, and belong to an earlier claim.
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
        """Return the members that have to stay listed; a member that accepted may list fewer members than the
        candidate."""
        trust = self.comparisons.conditions.trust
        granted = trust.granted_now.get(member, set()) - trust.suspects.get(member, set())
        lists = [set(trust.lists.get(one, ())) for one in (member, *granted)]
        return granted.intersection(*lists)


@dataclass(slots=True)
class _RefusalJudge(StepJudge):
    RELIES_ON = TRUST
    COUNTED = "{failed} of {compared:refusal} of candidates for mastership gave a reason that was not true"
    HELD = "{all} {compared:refusal} of candidates for mastership gave a reason that was true"
    UNSEEN = "no member refused a candidate for mastership"
    RULE = "a refusal has to give a reason that is true"

    def look(self, record: EventRecord, event: membership.ClaimRefused) -> str | None:
        member = record.member
        if member is None:
            return None
        self.looked += 1
        if self._is_so(member, event.candidate, event.why):
            return None
        return f"member {member} refused member {event.candidate} as master for a reason not true, '{event.why}'"

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


Spreading = membership.MemberListInstalled | membership.MemberListIgnored | membership.ClaimBegun | RunEnded
LEAST_MS = 500
"""How long a list may be on its way even if the configured timeouts are shorter."""


@dataclass(frozen=True, slots=True)
class _Sent:
    """A member list on its way to a member."""

    master: int
    version: int
    at_ms: int


@dataclass(slots=True)
class _SpreadJudge(StepJudge):
    COUNTED = "{failed} of {compared:member list} sent by a master came too late"
    UNSEEN = "no master sent a new member list"
    due: dict[int, _Sent] = field(default_factory=dict)
    """For each member, the newest list that it has not received yet."""
    versions: dict[int, int] = field(default_factory=dict)
    """For each living member, the version of its list."""

    def look(self, record: EventRecord, event: Spreading) -> str | None:
        if self.due:
            self._overdue(record.at_ms)
        member = record.member
        if member is None:
            return None  # the end of the run
        match event:
            case membership.MemberListInstalled(version=version, members=members):
                self.versions[member] = version
                self._gets(member, version, record.at_ms)
                if members[0] == member:
                    self._sends(_Sent(member, version, record.at_ms), members[1:])
            case membership.MemberListIgnored() | membership.ClaimBegun():
                self.due.pop(member, None)  # the member follows another master now, or claims mastership itself
            case RunEnded():
                pass
            case _:
                assert_never(event)
        return None

    def gone(self, member: int) -> None:
        """Forget the lists sent to or by an ended member: it may have ended before it had sent all of them."""
        self.versions.pop(member, None)
        self.due = {to: sent for to, sent in self.due.items() if member not in (to, sent.master)}

    def _sends(self, sent: _Sent, members: tuple[int, ...]) -> None:
        for member in members:
            if member in self.versions:  # a joiner gets this list when it joins, an ended member none
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
        # A message that takes longer than half of `patience_ms` is recorded as late.
        patience_ms = max(min(configured.backup_timeout_ms, configured.call_timeout_ms), LEAST_MS)
        for member, sent in list(self.due.items()):
            if sent.at_ms + patience_ms < now_ms:
                del self.due[member]
                story = (
                    f"at {sent.at_ms + patience_ms:,} ms member {member} still had version {self.versions[member]} of "
                    f"the member list, though the master, member {sent.master}, had installed version {sent.version} "
                    f"at {sent.at_ms:,} ms, {patience_ms:,} ms before; a new list has to be sent at once to all "
                    "members in it",
                )
                self.comparisons.add(None, sent.at_ms, sent.at_ms + patience_ms, story)


SLOWING = ("delay", "late", "overtake", "pause", "slow")
"""The faults by which an answer may come late."""
Meeting = membership.MemberListInstalled | membership.LiteMemberPromoted | SidesCompared


@dataclass(frozen=True, slots=True)
class _Side:
    """What a master said about its cluster."""

    data_members: int
    addresses: tuple[str, ...]
    """The addresses of the members, the master's first."""
    version: int = field(compare=False)
    """The version of its member list."""
    since_ms: int = field(compare=False)
    """When the master installed the list."""

    def against(self, other: "_Side") -> MergeVerdict:
        """Return which of the two clusters merges into the other (splits.4, splits.5)."""
        if not set(self.addresses).isdisjoint(other.addresses):
            return MergeVerdict.OVERLAP
        is_smaller = self.data_members < other.data_members
        is_later = self.data_members == other.data_members and self.addresses[0] > other.addresses[0]
        return MergeVerdict.MERGE_MINE if is_smaller or is_later else MergeVerdict.MERGE_THEIRS


@dataclass(slots=True)
class _SideJudge(StepJudge):
    READS = frozenset({MemberRecord})
    COUNTED = "{failed} of {compared:meeting} of two masters had another outcome than their clusters' sizes demand"
    HELD = "{all} {compared:meeting} of two masters had the outcome that their clusters' sizes demand"
    UNSEEN = "no two masters of different clusters met"
    RULE = "the cluster with fewer data members has to merge (of equals, the one whose master has the greater address)"
    lite: set[int] = field(default_factory=set)
    sides: defaultdict[int, list[_Side]] = field(default_factory=lambda: defaultdict(list))
    """For each master, what its lists so far said, in their order."""
    members: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """For each master, the members of its latest list."""

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, MemberRecord) and record.lite:
            self.lite.add(record.member)
        StepJudge.observe(self, record)

    def look(self, record: EventRecord, event: Meeting) -> str | None:
        match event:
            case membership.LiteMemberPromoted(member=promoted):
                self.lite.discard(promoted)
                self.members.pop(record.member or 0, None)  # its next list has the same members and still differs
            case membership.MemberListInstalled(version=version, members=members) if record.member == members[0]:
                mine = self.sides[members[0]]
                names = self.comparisons.conditions.scene.names
                addresses = tuple(names.get(member, str(member)).rpartition("/")[0] for member in members)
                side = _Side(len(set(members) - self.lite), addresses, version, record.at_ms)
                is_raised = bool(mine) and mine[-1] == side and members == self.members.get(members[0])
                self.members[members[0]] = members
                mine.append(side)
                if is_raised:
                    return self._compare_raised(members[0], side)
            case SidesCompared() if record.member is not None:
                return self._compare(record.member, record, event)
            case membership.MemberListInstalled() | SidesCompared():
                pass
            case _:
                assert_never(event)
        return None

    def _compare_raised(self, member: int, side: _Side) -> str | None:
        """Compare a list in which only the version is new: only the side that stays makes such a list (splits.6)."""
        self.looked += 1
        others = (one for master, sides in self.sides.items() if master != member for one in sides)
        if any(side.against(other) is MergeVerdict.MERGE_THEIRS for other in others):
            return None
        return (
            f"member {member}, a master, raised the version of its member list for a merge, though no other cluster "
            "had to merge into its own"
        )

    def _may_be_new(self, record: EventRecord, side: _Side) -> bool:
        """Whether the master may have installed its list after it had stated the list before to the other master."""
        seen = self.comparisons.conditions.fault_spans.seen
        is_late = any(span.fault in SLOWING and span.heal_ms >= side.since_ms for span in seen)
        return is_late or record.at_ms - side.since_ms < LEAST_MS

    def _compare(self, member: int, record: EventRecord, event: SidesCompared) -> str | None:
        mine, theirs = self.sides[member], self.sides[event.other]
        if event.verdict is MergeVerdict.NEITHER or not mine or not theirs:
            return None  # states and configurations are not compared here
        self.looked += 1
        met = f"member {member}, a master, met member {event.other}, the master of another cluster,"
        if event.verdict in {mine[-1].against(side) for side in theirs}:
            is_older = event.verdict is MergeVerdict.MERGE_MINE and theirs[-1].version <= mine[-1].version
            if not is_older or self._may_be_new(record, mine[-1]):
                return None
            return f"{met} which had not made its list newer than version {mine[-1].version} for the merge"
        sizes = f"{count(mine[-1].data_members, 'data member')} and the other's {theirs[-1].data_members}"
        return f"{met} and decided '{event.verdict}', though its own cluster had {sizes}"


PROPERTIES: tuple[Property, ...] = (
    Property(
        name="claim-waits-for-everybody",
        sentence="A candidate becomes the master once all members that it does not suspect have accepted it, or its "
        "time is over.",
        source="members.21",
        severity=Severity.AVAILABILITY,
        start=_WaitingJudge,
        limits=(Limit(Cause.HELD_UP, "members.12: by a clock that leaps the time is over sooner"),),
    ),
    Property(
        name="claim-keeps-who-accepts",
        sentence="A member that becomes the master lists itself and the members that accepted it, and no other member.",
        source="members.22",
        severity=Severity.AVAILABILITY,
        start=_KeepingJudge,
    ),
    Property(
        name="claim-refused-for-cause",
        sentence="A member that refuses a candidate is the master itself, does not list the candidate, or trusts an "
        "older member.",
        source="members.20",
        severity=Severity.AVAILABILITY,
        start=_RefusalJudge,
    ),
    Property(
        name="lists-spread-at-once",
        sentence="A member list that a master has made reaches every member in it as soon as a message can.",
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
    Property(
        name="smaller-side-merges",
        sentence="Of two clusters the one with fewer data members merges into the other; of equally large ones, the "
        "one whose master's address is the greater text; neither, if a member is in both.",
        source="splits.4, splits.5, splits.6",
        severity=Severity.PROTOCOL,
        start=_SideJudge,
    ),
)
