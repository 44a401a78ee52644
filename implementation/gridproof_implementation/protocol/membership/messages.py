"""The messages by which members agree on which members there are.

These messages are sent in the urgent lane, so that nothing on which a cluster has to agree waits behind operations
(calls.2)."""

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
    """What identifies a member's view of the cluster, so that others notice when the view changes (members.11)."""

    member: MemberId
    master: MemberId | None
    list_version: int


@dataclass(frozen=True, slots=True)
class JoinRequest(MembershipMessage):
    """A joiner asks to join; it sends this to every contact, again and again, until a master lets it in."""

    joiner: Member
    config: GridConfig


@dataclass(frozen=True, slots=True)
class MasterIs(MembershipMessage):
    """A member that is not the master names the master to a joiner, so that the joiner asks the master."""

    master: MemberId


@dataclass(frozen=True, slots=True)
class StillJoining(MembershipMessage):
    """The sender is a joiner, too, and is still looking for a cluster."""


class Refusal(StrEnum):
    """The kinds of reason for which a member is not let in."""

    OTHER_CLUSTER = "other cluster"
    """The cluster has another name than the one that the joiner looks for."""
    CONFIGURATION = "configuration"
    """The configurations differ, so that the join can never succeed (members.6)."""
    REMOVED = "removed"
    """This incarnation was in the list and was removed, so only another incarnation may join."""
    STATE = "state"
    """The member cannot join now: the cluster state forbids it (members.24), or the master is not known."""


@dataclass(frozen=True, slots=True)
class JoinRefused(UrgentReply):
    """The answer that a joiner is not let in, with the reason."""

    refusal: Refusal
    why: str


@dataclass(frozen=True, slots=True)
class MemberUpdate(MembershipMessage):
    """The master's list, sent to one member (members.2); if a member joined, the partition table comes with it."""

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
    """The receiver has joined; the message brings it the master's list (members.5)."""

    update: MemberUpdate


@dataclass(frozen=True, slots=True)
class Heartbeat(MembershipMessage):
    """The sender is alive, and has this view of the cluster (members.11)."""

    view: ViewMetadata
    receiver: UUID
    cluster_time_us: int


@dataclass(frozen=True, slots=True)
class HeartbeatComplaint(MembershipMessage):
    """A complaint to the master: the sender gets heartbeats from a member that is not in its list (members.16)."""

    mine: ViewMetadata
    theirs: ViewMetadata


@dataclass(frozen=True, slots=True)
class ExplicitSuspicion(MembershipMessage):
    """The receiver is not in the sender's list, and has to suspect the sender if the receiver's view is as expected
    (members.16)."""

    expected: ViewMetadata


@dataclass(frozen=True, slots=True)
class TriggerSuspicion(MembershipMessage):
    """The master's answer to a complaint: the other member is not in the list, and the receiver has to notify it."""

    list_version: int
    theirs: ViewMetadata


@dataclass(frozen=True, slots=True)
class ClaimRequest(MembershipMessage):
    """The sender suspects all members older than itself, claims mastership, and asks for the receiver's view
    (members.19)."""


@dataclass(frozen=True, slots=True)
class ClaimAccepted(UrgentReply):
    """The sender accepts the receiver as master, and sends its list without the members older than the receiver."""

    members: MemberList


@dataclass(frozen=True, slots=True)
class Goodbye(MembershipMessage):
    """The sender is leaving now."""


@dataclass(frozen=True, slots=True)
class ConnectionProbe(MembershipMessage):
    """A message without content, by which the sender finds out whether a connection works again."""


@dataclass(frozen=True, slots=True)
class ConnectionEcho(MembershipMessage):
    """The answer to a probe: the connection works."""


@dataclass(frozen=True, slots=True)
class Transaction:
    """One attempt to change the cluster state; its coordinator gives it a number."""

    coordinator: MemberId
    number: int


@dataclass(frozen=True, slots=True)
class LockState(MembershipMessage):
    """A request to be ready for another cluster state, if member list and table equal the sender's (members.26)."""

    transaction: Transaction
    list_version: int
    stamp: int


@dataclass(frozen=True, slots=True)
class StateLocked(MembershipMessage):
    """The sender is ready for the change of the cluster state."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class StateNotLocked(MembershipMessage):
    """The sender is not ready for the change of the cluster state, for this reason."""

    transaction: Transaction
    why: str


@dataclass(frozen=True, slots=True)
class CommitState(MembershipMessage):
    """A request to enter the new state, since all members are ready; it is repeated until it is answered."""

    transaction: Transaction
    state: ClusterState


@dataclass(frozen=True, slots=True)
class StateCommitted(MembershipMessage):
    """The sender has entered the new state."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class RollBackState(MembershipMessage):
    """A request to keep the old state, since not all members were ready."""

    transaction: Transaction


@dataclass(frozen=True, slots=True)
class PromoteMe(MembershipMessage):
    """A lite member asks to become a data member, which owns partitions (members.10)."""


@dataclass(frozen=True, slots=True)
class Promoted(UrgentReply):
    """The answer to a lite member: it is a data member from now on, or the reason why it is not."""

    why_not: str | None = None
