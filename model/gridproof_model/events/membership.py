"""Events of membership: which members there are, and which one is the master."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import WhyClaimRefused, WhyListIgnored, WhyStateKept, WhySuspected
from gridproof_model.membership import ClusterState


@dataclass(frozen=True, slots=True)
class MemberListInstalled(TraceEvent):
    """This member installed a member list (members.2)."""

    version: int
    """The version of the list; it is higher than that of any list that this member had before."""
    members: tuple[MemberNumber, ...]
    """The members of the list, oldest first."""


@dataclass(frozen=True, slots=True)
class MemberListIgnored(TraceEvent):
    """This member was sent a member list, and did not install it."""

    version: int
    """The version of the list that was not installed."""
    why: WhyListIgnored
    """Why the list was not installed."""


@dataclass(frozen=True, slots=True)
class ClusterFounded(TraceEvent):
    """This member founded a cluster, since it found none that it could join."""


@dataclass(frozen=True, slots=True)
class JoinTurnedDown(TraceEvent):
    """A member was not allowed to join; both the member that refused it and the refused member record this."""

    joiner: MemberNumber
    """The member that wanted to join."""
    why: str
    """Why the member may not join; judges recognise the reason `it is not known who is the master`."""


@dataclass(frozen=True, slots=True)
class MemberSuspected(TraceEvent):
    """This member suspects that another member is gone; no other member sees this suspicion (members.14)."""

    member: MemberNumber
    """The member that is suspected."""
    why: WhySuspected
    """Why the member is suspected."""


@dataclass(frozen=True, slots=True)
class SuspicionCleared(TraceEvent):
    """A member that was suspected turned out to be alive."""

    member: MemberNumber
    """The member that is alive."""


@dataclass(frozen=True, slots=True)
class MemberRemoved(TraceEvent):
    """A member was removed from this member's list."""

    member: MemberNumber
    """The member that was removed."""
    was_master: bool
    """Whether the removed member was the first in the list."""


@dataclass(frozen=True, slots=True)
class ClaimBegun(TraceEvent):
    """This member suspects all older members and claims to be the master (members.19)."""

    suspects: tuple[MemberNumber, ...]
    """The members that this member suspects: all older members, and perhaps younger ones."""


@dataclass(frozen=True, slots=True)
class ClaimGranted(TraceEvent):
    """This member accepts a candidate as its master."""

    candidate: MemberNumber
    """The member that claims to be the master."""


@dataclass(frozen=True, slots=True)
class ClaimRefused(TraceEvent):
    """This member does not accept the candidate as its master yet; the candidate will ask again."""

    candidate: MemberNumber
    """The member that claims to be the master."""
    why: WhyClaimRefused
    """Why the candidate is not accepted yet."""


@dataclass(frozen=True, slots=True)
class MastershipClaimed(TraceEvent):
    """A claim has succeeded: this member is the master, with a new member list (members.22)."""

    version: int
    """The version of the new member list: one more than the newest version that this member saw during the claim."""
    members: tuple[MemberNumber, ...]
    """The members that stay, oldest first: this member, and those that granted the claim."""


@dataclass(frozen=True, slots=True)
class ClockJumped(TraceEvent):
    """This member's clock jumped, or the whole member was paused (members.12)."""

    jump_us: int
    """By how many microseconds the clock jumped; negative if it jumped back."""


@dataclass(frozen=True, slots=True)
class SaidGoodbye(TraceEvent):
    """This member has notified the other members that it leaves."""


@dataclass(frozen=True, slots=True)
class ClusterStateChanged(TraceEvent):
    """This member has changed its cluster state (members.26)."""

    state: ClusterState
    """The cluster state that this member has now."""


@dataclass(frozen=True, slots=True)
class ClusterStateLocked(TraceEvent):
    """This member has locked its cluster state, and is ready for a change of it."""

    coordinator: MemberNumber
    """The member that coordinates the change of the cluster state."""
    number: int
    """The coordinator's own number for the change, counted from 1."""


@dataclass(frozen=True, slots=True)
class ClusterStateUnlocked(TraceEvent):
    """This member was ready for a change of its cluster state, but keeps the present state after all."""

    coordinator: MemberNumber
    """The member that coordinates the change of the cluster state."""
    number: int
    """The coordinator's own number for the change, counted from 1."""
    why: WhyStateKept
    """Why the state is kept."""


@dataclass(frozen=True, slots=True)
class LiteMemberPromoted(TraceEvent):
    """The master turned a lite member into a data member (members.10)."""

    member: MemberNumber
    """The member that owned no partition so far."""


@dataclass(frozen=True, slots=True)
class ReplyPassedOver(TraceEvent):
    """This member ignored an answer that was meant for an earlier incarnation at its address."""

    kind: str
    """The name of the answer's type, such as ClaimAccepted."""
    sender: MemberNumber
    """The member that answered."""
    asker: MemberNumber
    """The earlier incarnation, which had asked."""


@dataclass(frozen=True, slots=True)
class AnswerOverdue(TraceEvent):
    """An answer did not arrive in time: this member asks again, or continues without it."""

    kind: str
    """The name of the timer that expired, such as ClaimRetry."""


MembershipEvent = (
    MemberListInstalled
    | MemberListIgnored
    | ClusterFounded
    | JoinTurnedDown
    | MemberSuspected
    | SuspicionCleared
    | MemberRemoved
    | ClaimBegun
    | ClaimGranted
    | ClaimRefused
    | MastershipClaimed
    | ClockJumped
    | SaidGoodbye
    | ClusterStateChanged
    | ClusterStateLocked
    | ClusterStateUnlocked
    | LiteMemberPromoted
    | ReplyPassedOver
    | AnswerOverdue
)
