"""What the others ask of membership."""

from collections.abc import Callable, Sequence
from typing import Protocol

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.parts.part import Part
from gridproof_implementation.protocol.structure import Operation
from gridproof_model.identity import Address, MemberId
from gridproof_model.membership import MemberList


class Membership(Part, Protocol):
    """Who is in: the member list, heartbeats, mastership, cluster state."""

    @property
    def members(self) -> MemberList:
        """The list this member has installed; empty before it joined."""
        ...

    @property
    def cluster_state(self) -> ClusterState:
        """The state in force; IN_TRANSITION while it is being changed (reference partitioning 5.7)."""
        ...

    @property
    def cluster_now_us(self) -> int:
        """The cluster's time, kept by the master's heartbeats (reference replication 7.1); operations expire by it."""
        ...

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

    @property
    def is_settled_master(self) -> bool:
        """Whether this member is the master and no claim of it is under way: it may change the list."""
        ...

    @property
    def known_addresses(self) -> Sequence[Address]:
        """Every address where a member ever was, or may be found (reference replication 7.4)."""
        ...

    def is_member(self, member_id: MemberId) -> bool:
        """Whether this very incarnation is in the list; constant time."""
        ...

    def is_suspected(self, member_id: MemberId) -> bool:
        """Whether this member suspects it to be gone."""
        ...

    @property
    def hears_everybody(self) -> bool:
        """Whether all others were heard of late and none of them is suspected: nobody is about to be removed."""
        ...

    @property
    def is_state_changing(self) -> bool:
        """Whether this member has promised to change the cluster state, and waits for the word (reference 5.7)."""
        ...

    def is_protected(self, operation: Operation) -> bool:
        """Whether split-brain protection refuses an operation: too few members are here (reference replication 1.3)."""
        ...

    def disconnected(self, address: Address) -> None:
        """Take note that a connection broke, or could not be made (reference replication 7.1)."""
        ...

    def change_cluster_state(self, state: ClusterState, then: Callable[[bool], None]) -> None:
        """Change the cluster state everywhere or nowhere (reference partitioning 5.7); `then` is told once which."""
        ...

    def promote_lite(self, then: Callable[[bool], None]) -> None:
        """Become a data member, if the master agrees (reference partitioning 5.6); `then` is told once."""
        ...

    def raise_list_version(self, above: int) -> None:
        """Make the master's list newer than another cluster's that is to join it (reference partitioning 7)."""
        ...

    def turn_away(self, master: MemberId, list_version: int, shared: Sequence[MemberId]) -> None:
        """Tell another cluster's master that these members, which are in both lists, are here (replication 7.4)."""
        ...

    def ask_for_list(self) -> None:
        """Ask the master for its list: a member was named that is not known here (reference partitioning 2.7)."""
        ...

    def say_goodbye(self) -> None:
        """Tell the master that this member goes now, to be removed at once (reference partitioning 5.5).

        Called right before a graceful shutdown ends in its `Stop` effect.
        """
        ...
