"""What halves of a split say of themselves, and send each other."""

from dataclasses import dataclass
from typing import ClassVar

from gridproof_implementation.protocol.effects import Message
from gridproof_implementation.protocol.replies import UrgentReply
from gridproof_model.grid_config import GridConfig
from gridproof_model.membership import Address, ClusterState, MemberId, MemberList


@dataclass(frozen=True, slots=True)
class Side:
    """A cluster that may be half of one."""

    master: MemberId
    members: MemberList
    state: ClusterState
    config: GridConfig

    @property
    def addresses(self) -> tuple[Address, ...]:
        """Where its members are, oldest first."""
        return tuple(member.id.address for member in self.members)


@dataclass(frozen=True, slots=True)
class MergingMessage(Message):
    """Any of them."""

    URGENT: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class SideProbe(MergingMessage):
    """Is there another cluster? This is mine."""

    side: Side


@dataclass(frozen=True, slots=True)
class SideAnswer(MergingMessage):
    """And this is mine."""

    side: Side


@dataclass(frozen=True, slots=True)
class SideMasterIs(MergingMessage):
    """There is; ask its master."""

    master: MemberId


@dataclass(frozen=True, slots=True)
class MergePending(MergingMessage):
    """This cluster is about to be frozen so that it can merge; None when it is not after all."""

    state_before: ClusterState | None


@dataclass(frozen=True, slots=True)
class MergeClusters(MergingMessage):
    """Take your entries along and join that cluster (splits.6)."""

    target: Side


@dataclass(frozen=True, slots=True)
class MergeHeard(UrgentReply):
    """On my way, or gone already."""
