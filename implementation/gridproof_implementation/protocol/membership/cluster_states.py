"""The cluster state: what it is here, and what follows when it changes."""

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.membership.notes import ClusterStateChanged
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_model.identity import Member


class ClusterStates:
    """Adopts states."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._node = roster.node

    def adopt(self, state: ClusterState) -> None:
        """Be in a state; those still missing are gone for good where members may join again (5.7)."""
        roster = self._roster
        if state is roster.state:
            return
        roster.state = state
        self._node.note(ClusterStateChanged(state.value))
        if state.allows_join:
            missing, roster.missing = roster.missing, {}
            for left in missing.values():
                self._node.partitions.member_removed(left.member, was_master=left.was_master)
        self._node.partitions.cluster_state_changed()

    def take_back(self, joiner: Member) -> None:
        """Give a missing member's place in the table to the incarnation that came back (5.7)."""
        missing = self._roster.missing.pop(joiner.id.address, None)
        if missing is not None:
            self._node.partitions.member_returned(missing.member.id, joiner)
