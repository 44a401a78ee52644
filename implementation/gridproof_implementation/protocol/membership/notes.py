"""What a member notes of who is in."""

from dataclasses import dataclass

from gridproof_implementation.protocol.notes import Note
from gridproof_model.identity import MemberId


@dataclass(frozen=True, slots=True)
class MemberListInstalled(Note):
    """A member list was applied (reference replication 7.2)."""

    version: int
    members: tuple[MemberId, ...]


@dataclass(frozen=True, slots=True)
class MemberListIgnored(Note):
    """A member list was not applied."""

    version: int
    why: str


@dataclass(frozen=True, slots=True)
class ClusterFounded(Note):
    """Nobody was there to join."""


@dataclass(frozen=True, slots=True)
class JoinRefusedHere(Note):
    """The master let somebody not in."""

    joiner: MemberId
    why: str


@dataclass(frozen=True, slots=True)
class MemberSuspected(Note):
    """A mark that nobody else sees (reference replication 7.1)."""

    member: MemberId
    why: str


@dataclass(frozen=True, slots=True)
class SuspicionCleared(Note):
    """It lives after all."""

    member: MemberId


@dataclass(frozen=True, slots=True)
class MemberRemoved(Note):
    """It is not in this member's list any more."""

    member: MemberId
    was_master: bool


@dataclass(frozen=True, slots=True)
class ClaimBegun(Note):
    """This member suspects everybody older and claims to be master (reference replication 7.3)."""

    suspects: tuple[MemberId, ...]


@dataclass(frozen=True, slots=True)
class ClaimGranted(Note):
    """This member takes the candidate for its master."""

    candidate: MemberId


@dataclass(frozen=True, slots=True)
class ClaimRefused(Note):
    """Not yet: the candidate will ask again."""

    candidate: MemberId
    why: str


@dataclass(frozen=True, slots=True)
class MastershipClaimed(Note):
    """The claim ended; these stay (reference replication 7.3)."""

    version: int
    members: tuple[MemberId, ...]


@dataclass(frozen=True, slots=True)
class ClockJumped(Note):
    """This member's clock, or the member itself, stood still or leapt (reference replication 7.1)."""

    jump_us: int


@dataclass(frozen=True, slots=True)
class SaidGoodbye(Note):
    """This member told the others that it leaves."""


@dataclass(frozen=True, slots=True)
class ClusterStateChanged(Note):
    """This member is in another cluster state (reference partitioning 5.7)."""

    state: str


@dataclass(frozen=True, slots=True)
class ClusterStateLocked(Note):
    """This member is ready for another cluster state."""

    coordinator: MemberId
    number: int


@dataclass(frozen=True, slots=True)
class ClusterStateUnlocked(Note):
    """This member stays in its state after all, or could not get ready."""

    coordinator: MemberId
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class LiteMemberPromoted(Note):
    """The master made a lite member a data member (reference partitioning 5.6)."""

    member: MemberId
