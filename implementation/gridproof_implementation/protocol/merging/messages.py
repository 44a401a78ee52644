"""The messages between the halves of a split, and the description of a half."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.replies import UrgentReply
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import Address, ClusterState, MemberId, MemberList


@dataclass(frozen=True, slots=True)
class Side:
    """A cluster that may be one half of a split cluster."""

    master: MemberId
    members: MemberList
    state: ClusterState
    config: GridConfig

    @property
    def addresses(self) -> tuple[Address, ...]:
        """The addresses of the side's members, oldest first."""
        return tuple(member.id.address for member in self.members)


@dataclass(frozen=True, slots=True)
class MergingMessage(Message):
    """Any message about merging."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SideProbe(MergingMessage):
    """The question whether there is another cluster; it describes the sender's cluster."""

    side: Side


@dataclass(frozen=True, slots=True)
class SideAnswer(MergingMessage):
    """The answer to a probe, which describes the cluster of the master that answers."""

    side: Side


@dataclass(frozen=True, slots=True)
class SideMasterIs(MergingMessage):
    """A member that is not its cluster's master answers a probe with the master, which is to be asked instead."""

    master: MemberId


@dataclass(frozen=True, slots=True)
class MergePending(MergingMessage):
    """A merge is about to freeze the cluster, which has this state until then; None if the merge is called off."""

    state_before: ClusterState | None


@dataclass(frozen=True, slots=True)
class MergeClusters(MergingMessage):
    """The receiver has to end, and to join the target cluster and bring its entries along (splits.6)."""

    target: Side


@dataclass(frozen=True, slots=True)
class MergeHeard(UrgentReply):
    """The sender has heard of the merge, or has ended already."""
