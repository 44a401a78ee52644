"""The messages between the halves of a split, and how a half describes itself."""

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
        """The addresses of its members, oldest first."""
        return tuple(member.id.address for member in self.members)


@dataclass(frozen=True, slots=True)
class MergingMessage(Message):
    """Any message about merging."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SideProbe(MergingMessage):
    """The question whether another cluster is there; it describes the sender's."""

    side: Side


@dataclass(frozen=True, slots=True)
class SideAnswer(MergingMessage):
    """The answer to a probe: it describes the cluster of the master that answers."""

    side: Side


@dataclass(frozen=True, slots=True)
class SideMasterIs(MergingMessage):
    """The answer of a member that is not its cluster's master: ask the master."""

    master: MemberId


@dataclass(frozen=True, slots=True)
class MergePending(MergingMessage):
    """This cluster is about to be frozen so that it can merge; None if it does not merge after all."""

    state_before: ClusterState | None


@dataclass(frozen=True, slots=True)
class MergeClusters(MergingMessage):
    """The receiver is to take its entries along and join that cluster (splits.6)."""

    target: Side


@dataclass(frozen=True, slots=True)
class MergeHeard(UrgentReply):
    """The sender has heard of the merge, or has gone already."""
