"""What members send each other about who is in.

All of it travels in the urgent lane: nothing that a cluster has to agree on waits behind operations (calls.2).
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar
from uuid import UUID

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.replies import UrgentReply
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import ClusterState, Member, MemberId, MemberList


@dataclass(frozen=True, slots=True)
class MembershipMessage(Message):
    """Any of them."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ViewMetadata:
    """Which view a member holds: enough to know whether it still holds the same (members.11)."""

    member: MemberId
    master: MemberId | None
    list_version: int


@dataclass(frozen=True, slots=True)
class JoinRequest(MembershipMessage):
    """The sender asks to join; sent to every contact, over and over, until a master lets it in."""

    joiner: Member
    config: GridConfig


@dataclass(frozen=True, slots=True)
class MasterIs(MembershipMessage):
    """Not me, ask that one: the answer of a member that is not the master."""

    master: MemberId


@dataclass(frozen=True, slots=True)
class StillJoining(MembershipMessage):
    """I am looking for a cluster myself."""


class Refusal(StrEnum):
    """Why somebody may not join."""

    OTHER_CLUSTER = "other cluster"
    """The cluster has another name: not the cluster that is looked for."""
    CONFIGURATION = "configuration"
    """It would never work (members.6)."""
    REMOVED = "removed"
    """This very incarnation was in the list and was removed: only another one may come."""
    STATE = "state"
    """Not now: the cluster's state forbids it (members.24), or nobody is known to be the master."""


@dataclass(frozen=True, slots=True)
class JoinRefused(UrgentReply):
    """A member may not join."""

    refusal: Refusal
    why: str


@dataclass(frozen=True, slots=True)
class MemberUpdate(MembershipMessage):
    """The master's list, for one member (members.2); with the table where somebody joined."""

    target: UUID
    members: MemberList
    cluster_state: ClusterState | None
    """None while it is being changed."""
    cluster_time_us: int
    table: object = None
    """What partitions gave for it (table.12)."""


@dataclass(frozen=True, slots=True)
class AskList(MembershipMessage):
    """The sender has heard of a member it does not know (table.16)."""


@dataclass(frozen=True, slots=True)
class JoinFinal(MembershipMessage):
    """You are in: the same for a joiner (members.5)."""

    update: MemberUpdate


@dataclass(frozen=True, slots=True)
class Heartbeat(MembershipMessage):
    """I live, and this is my view (members.11)."""

    view: ViewMetadata
    receiver: UUID
    cluster_time_us: int


@dataclass(frozen=True, slots=True)
class HeartbeatComplaint(MembershipMessage):
    """To the master: somebody who is not in my list sends me heartbeats (members.16)."""

    mine: ViewMetadata
    theirs: ViewMetadata


@dataclass(frozen=True, slots=True)
class ExplicitSuspicion(MembershipMessage):
    """You are not in my list: suspect me, as long as your view is still this one (members.16)."""

    expected: ViewMetadata


@dataclass(frozen=True, slots=True)
class TriggerSuspicion(MembershipMessage):
    """The master to a complainer: it is not in our list, let it know."""

    list_version: int
    theirs: ViewMetadata


@dataclass(frozen=True, slots=True)
class ClaimRequest(MembershipMessage):
    """I suspect everybody older than me and claim to be master: send me your view (members.19)."""


@dataclass(frozen=True, slots=True)
class ClaimAccepted(UrgentReply):
    """You are my master; this is my list from you on."""

    members: MemberList


@dataclass(frozen=True, slots=True)
class Goodbye(MembershipMessage):
    """I am leaving now."""


@dataclass(frozen=True, slots=True)
class ConnectionProbe(MembershipMessage):
    """Is there a connection again? The least there is to send."""


@dataclass(frozen=True, slots=True)
class ConnectionEcho(MembershipMessage):
    """There is."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """One attempt to change the cluster state; numbered by its coordinator."""

    coordinator: MemberId
    number: int


@dataclass(frozen=True, slots=True)
class LockState(MembershipMessage):
    """Be ready for another cluster state, if our views agree (members.26)."""

    transaction: Transaction
    list_version: int
    stamp: int


@dataclass(frozen=True, slots=True)
class StateLocked(MembershipMessage):
    """Ready."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class StateNotLocked(MembershipMessage):
    """Not ready."""

    transaction: Transaction
    why: str


@dataclass(frozen=True, slots=True)
class CommitState(MembershipMessage):
    """All were ready: be in this state; repeated until it is answered."""

    transaction: Transaction
    state: ClusterState


@dataclass(frozen=True, slots=True)
class StateCommitted(MembershipMessage):
    """In that state."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class RollBackState(MembershipMessage):
    """Not all were ready: stay as you were."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class PromoteMe(MembershipMessage):
    """A lite member wants to own partitions (members.10)."""


@dataclass(frozen=True, slots=True)
class Promoted(UrgentReply):
    """It may from now on, or why it may not."""

    why_not: str | None = None
