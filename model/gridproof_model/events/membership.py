"""Events of membership: who is in, and who is master."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import WhyClaimRefused, WhyListIgnored, WhyStateKept, WhySuspected
from gridproof_model.membership import ClusterState


@dataclass(frozen=True, slots=True)
class MemberListInstalled(TraceEvent):
    """A member list was applied (members.2)."""

    version: int
    """The version of the list, which is higher than that of any list this member had before."""
    members: tuple[MemberNumber, ...]
    """The members of the list, oldest first."""


@dataclass(frozen=True, slots=True)
class MemberListIgnored(TraceEvent):
    """A member list was not applied."""

    version: int
    """The version of that list."""
    why: WhyListIgnored
    """What spoke against it."""


@dataclass(frozen=True, slots=True)
class ClusterFounded(TraceEvent):
    """Nobody was there to join."""


@dataclass(frozen=True, slots=True)
class JoinTurnedDown(TraceEvent):
    """The master did not let somebody in; recorded by the master and by the one refused."""

    joiner: MemberNumber
    """Who wanted to join."""
    why: str
    """What spoke against letting it in; judges know `it is not known who is the master`."""


@dataclass(frozen=True, slots=True)
class MemberSuspected(TraceEvent):
    """A member takes another one for gone, a mark that nobody else sees (members.14)."""

    member: MemberNumber
    """The member that is taken for gone."""
    why: WhySuspected
    """Why it is taken for gone."""


@dataclass(frozen=True, slots=True)
class SuspicionCleared(TraceEvent):
    """A suspected member lives after all."""

    member: MemberNumber
    """The member that lives."""


@dataclass(frozen=True, slots=True)
class MemberRemoved(TraceEvent):
    """A member is not in this member's list any more."""

    member: MemberNumber
    """The member that is gone from the list."""
    was_master: bool
    """Whether it was the first of the list before."""


@dataclass(frozen=True, slots=True)
class ClaimBegun(TraceEvent):
    """This member suspects everybody older and claims to be master (members.19)."""

    suspects: tuple[MemberNumber, ...]
    """Whom this member suspects: everybody older, and perhaps younger ones."""


@dataclass(frozen=True, slots=True)
class ClaimGranted(TraceEvent):
    """This member takes the candidate for its master."""

    candidate: MemberNumber
    """Who claims to be master."""


@dataclass(frozen=True, slots=True)
class ClaimRefused(TraceEvent):
    """Not yet: the candidate will ask again."""

    candidate: MemberNumber
    """Who claims to be master."""
    why: WhyClaimRefused
    """What speaks against it just now."""


@dataclass(frozen=True, slots=True)
class MastershipClaimed(TraceEvent):
    """The claim ended; these stay (members.22)."""

    version: int
    """The version of the new member list: one above the newest that the claim brought to light."""
    members: tuple[MemberNumber, ...]
    """Who stays, oldest first: this member, and those that granted the claim."""


@dataclass(frozen=True, slots=True)
class ClockJumped(TraceEvent):
    """This member's clock, or the member itself, stood still or leapt (members.12)."""

    jump_us: int
    """By how many microseconds; below 0 where it went back."""


@dataclass(frozen=True, slots=True)
class SaidGoodbye(TraceEvent):
    """This member notified the others that it leaves."""


@dataclass(frozen=True, slots=True)
class ClusterStateChanged(TraceEvent):
    """This member is in another cluster state (members.26)."""

    state: ClusterState
    """The state that it is in now."""


@dataclass(frozen=True, slots=True)
class ClusterStateLocked(TraceEvent):
    """This member is ready for another cluster state."""

    coordinator: MemberNumber
    """The member that has the cluster state changed."""
    number: int
    """The coordinator's number for the change, from 1."""


@dataclass(frozen=True, slots=True)
class ClusterStateUnlocked(TraceEvent):
    """This member was ready, and stays in its state after all."""

    coordinator: MemberNumber
    """The member that has the cluster state changed."""
    number: int
    """The coordinator's number for the change, from 1."""
    why: WhyStateKept
    """Why nothing comes of the change."""


@dataclass(frozen=True, slots=True)
class LiteMemberPromoted(TraceEvent):
    """The master made a lite member a data member (members.10)."""

    member: MemberNumber
    """The member that owned no partition until now."""


@dataclass(frozen=True, slots=True)
class ReplyPassedOver(TraceEvent):
    """An answer came for an earlier incarnation of this member, and changed nothing."""

    kind: str
    """The name of the answer's type, such as ClaimAccepted."""
    sender: MemberNumber
    """Who answered."""
    asker: MemberNumber
    """The earlier incarnation that had asked."""


@dataclass(frozen=True, slots=True)
class AnswerOverdue(TraceEvent):
    """An answer has not come in the time after which this member asks again, or goes on without it."""

    kind: str
    """The name of the timer that is over, such as ClaimRetry."""


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
