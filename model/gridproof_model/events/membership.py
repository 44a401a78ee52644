"""Events of membership: who is in, and who is master."""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent


@dataclass(frozen=True, slots=True)
class MemberListInstalled(TraceEvent):
    """A member list was applied (reference replication 7.2)."""

    version: int
    members: tuple[MemberNumber, ...]


@dataclass(frozen=True, slots=True)
class MemberListIgnored(TraceEvent):
    """A member list was not applied."""

    version: int
    why: str


@dataclass(frozen=True, slots=True)
class ClusterFounded(TraceEvent):
    """Nobody was there to join."""


@dataclass(frozen=True, slots=True)
class JoinTurnedDown(TraceEvent):
    """The master did not let somebody in; recorded by the master and by the one refused."""

    joiner: MemberNumber
    """Who wanted to join."""
    why: str


@dataclass(frozen=True, slots=True)
class MemberSuspected(TraceEvent):
    """A member takes another one for gone, a mark that nobody else sees (reference replication 7.1)."""

    member: MemberNumber
    why: str


@dataclass(frozen=True, slots=True)
class SuspicionCleared(TraceEvent):
    """A suspected member lives after all."""

    member: MemberNumber


@dataclass(frozen=True, slots=True)
class MemberRemoved(TraceEvent):
    """A member is not in this member's list any more."""

    member: MemberNumber
    was_master: bool
    """Whether it was the first of the list."""


@dataclass(frozen=True, slots=True)
class ClaimBegun(TraceEvent):
    """This member suspects everybody older and claims to be master (reference replication 7.3)."""

    suspects: tuple[MemberNumber, ...]
    """Everybody older, none of whom answers."""


@dataclass(frozen=True, slots=True)
class ClaimGranted(TraceEvent):
    """This member takes the candidate for its master."""

    candidate: MemberNumber


@dataclass(frozen=True, slots=True)
class ClaimRefused(TraceEvent):
    """Not yet: the candidate will ask again."""

    candidate: MemberNumber
    why: str


@dataclass(frozen=True, slots=True)
class MastershipClaimed(TraceEvent):
    """The claim ended; these stay (reference replication 7.3)."""

    version: int
    members: tuple[MemberNumber, ...]


@dataclass(frozen=True, slots=True)
class ClockJumped(TraceEvent):
    """This member's clock, or the member itself, stood still or leapt (reference replication 7.1)."""

    jump_us: int
    """By how many microseconds; below 0 where it went back."""


@dataclass(frozen=True, slots=True)
class SaidGoodbye(TraceEvent):
    """This member notified the others that it leaves."""


@dataclass(frozen=True, slots=True)
class ClusterStateChanged(TraceEvent):
    """This member is in another cluster state (reference partitioning 5.7)."""

    state: str
    """active, no migration, frozen or passive."""


@dataclass(frozen=True, slots=True)
class ClusterStateLocked(TraceEvent):
    """This member is ready for another cluster state."""

    coordinator: MemberNumber
    number: int
    """The coordinator's number for the change."""


@dataclass(frozen=True, slots=True)
class ClusterStateUnlocked(TraceEvent):
    """This member stays in its state after all, or could not get ready."""

    coordinator: MemberNumber
    number: int
    """The coordinator's number for the change."""
    why: str


@dataclass(frozen=True, slots=True)
class LiteMemberPromoted(TraceEvent):
    """The master made a lite member a data member (reference partitioning 5.6)."""

    member: MemberNumber


@dataclass(frozen=True, slots=True)
class ReplyPassedOver(TraceEvent):
    """An answer came for an earlier incarnation of this member, and changed nothing."""

    kind: str
    """The name of the message."""
    sender: MemberNumber
    asker: MemberNumber
    """The earlier incarnation that had asked."""


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
)
