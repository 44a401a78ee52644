"""The messages of members about which members there are.

These messages travel in the urgent lane: nothing that a cluster has to agree on waits behind operations (calls.2).
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
    """Any message about membership."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ViewMetadata:
    """What identifies the view of a member, so that a change of its view is noticed (members.11)."""

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
    """The answer of a member that is not the master to a joiner: ask the master."""

    master: MemberId


@dataclass(frozen=True, slots=True)
class StillJoining(MembershipMessage):
    """The sender is looking for a cluster itself."""


class Refusal(StrEnum):
    """Why a member may not join."""

    OTHER_CLUSTER = "other cluster"
    """The cluster has another name: it is not the cluster that the joiner looks for."""
    CONFIGURATION = "configuration"
    """The configurations differ, so that the join can never succeed (members.6)."""
    REMOVED = "removed"
    """This very incarnation was in the list and was removed: only another incarnation may join."""
    STATE = "state"
    """Not now: the cluster's state forbids it (members.24), or the master is not known."""


@dataclass(frozen=True, slots=True)
class JoinRefused(UrgentReply):
    """A member may not join."""

    refusal: Refusal
    why: str


@dataclass(frozen=True, slots=True)
class MemberUpdate(MembershipMessage):
    """The master's list, for one member (members.2); with the table if a member joined."""

    target: UUID
    members: MemberList
    cluster_state: ClusterState | None
    """The cluster state; None while it is being changed."""
    cluster_time_us: int
    table: object = None
    """The partition table to send along, or None (table.12)."""


@dataclass(frozen=True, slots=True)
class AskList(MembershipMessage):
    """The sender asks for the list: it has heard of a member that it does not know (table.16)."""


@dataclass(frozen=True, slots=True)
class JoinFinal(MembershipMessage):
    """The receiver has joined: the master's list for a joiner (members.5)."""

    update: MemberUpdate


@dataclass(frozen=True, slots=True)
class Heartbeat(MembershipMessage):
    """The sender is alive, and this is its view (members.11)."""

    view: ViewMetadata
    receiver: UUID
    cluster_time_us: int


@dataclass(frozen=True, slots=True)
class HeartbeatComplaint(MembershipMessage):
    """A complaint to the master: a member that is not in the sender's list sends it heartbeats (members.16)."""

    mine: ViewMetadata
    theirs: ViewMetadata


@dataclass(frozen=True, slots=True)
class ExplicitSuspicion(MembershipMessage):
    """The receiver is not in the sender's list, and is to suspect it while its own view is as expected (members.16)."""

    expected: ViewMetadata


@dataclass(frozen=True, slots=True)
class TriggerSuspicion(MembershipMessage):
    """The master's answer to a complaint: the other member is not in the list, and is to be notified of it."""

    list_version: int
    theirs: ViewMetadata


@dataclass(frozen=True, slots=True)
class ClaimRequest(MembershipMessage):
    """The sender suspects all older members, claims to be master, and asks for the receiver's view (members.19)."""


@dataclass(frozen=True, slots=True)
class ClaimAccepted(UrgentReply):
    """The sender accepts the receiver as master; with it comes the sender's list, from the receiver on."""

    members: MemberList


@dataclass(frozen=True, slots=True)
class Goodbye(MembershipMessage):
    """The sender is leaving now."""


@dataclass(frozen=True, slots=True)
class ConnectionProbe(MembershipMessage):
    """A message without content, to find out whether a connection works again."""


@dataclass(frozen=True, slots=True)
class ConnectionEcho(MembershipMessage):
    """The answer to a probe: the connection works."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """One attempt to change the cluster state; numbered by its coordinator."""

    coordinator: MemberId
    number: int


@dataclass(frozen=True, slots=True)
class LockState(MembershipMessage):
    """A request to be ready for another cluster state, if list and table agree with the sender's (members.26)."""

    transaction: Transaction
    list_version: int
    stamp: int


@dataclass(frozen=True, slots=True)
class StateLocked(MembershipMessage):
    """The sender is ready for the change of the state."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class StateNotLocked(MembershipMessage):
    """The sender is not ready for the change of the state, and says why."""

    transaction: Transaction
    why: str


@dataclass(frozen=True, slots=True)
class CommitState(MembershipMessage):
    """All members were ready: enter this state; repeated until it is answered."""

    transaction: Transaction
    state: ClusterState


@dataclass(frozen=True, slots=True)
class StateCommitted(MembershipMessage):
    """The sender is in the new state."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class RollBackState(MembershipMessage):
    """Not all members were ready: keep the old state."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class PromoteMe(MembershipMessage):
    """A lite member wants to own partitions (members.10)."""


@dataclass(frozen=True, slots=True)
class Promoted(UrgentReply):
    """The receiver is a data member from now on, or why it is not."""

    why_not: str | None = None
