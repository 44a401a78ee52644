"""What the others ask of membership."""

from typing import Protocol

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.parts.part import Part
from gridproof_model.identity import MemberId
from gridproof_model.membership import MemberList


class Membership(Part, Protocol):
    """Who is in: the member list, heartbeats, mastership, cluster state."""

    members: MemberList
    """The list this member has installed; empty before it joined."""
    cluster_state: ClusterState

    @property
    def is_joined(self) -> bool:
        """Whether this member is in its own list."""
        ...

    @property
    def is_master(self) -> bool:
        """Whether this member is the oldest of its list, or has claimed to be."""
        ...

    @property
    def master(self) -> MemberId | None:
        """Whom this member takes for master; None before it joined."""
        ...

    def is_member(self, member_id: MemberId) -> bool:
        """Whether this very incarnation is in the list; constant time."""
        ...

    def is_suspected(self, member_id: MemberId) -> bool:
        """Whether this member suspects it to be gone."""
        ...

    def say_goodbye(self) -> None:
        """Tell the others that this member goes now, so that the master removes it at once (reference partitioning 5.5).

        Called right before a graceful shutdown ends in its `Stop` effect.
        """
        ...
