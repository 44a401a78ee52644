"""One member in a change of the cluster state.

Reference partitioning 5.7: a member is ready for a change (locked) iff it has the coordinator's member list and table
and nothing migrates; then it gets the new state, or is asked to stay as it was.
"""

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.membership.messages import (
    CommitState,
    LockState,
    RollBackState,
    StateCommitted,
    StateLocked,
    StateNotLocked,
    Transaction,
)
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.timers import StateLeaseOver
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import ClusterStateChanged, ClusterStateLocked, ClusterStateUnlocked
from gridproof_model.identity import Member, MemberId

LEASE_US = 60 * SECOND_US
"""How long a member stays ready; Choice: a minute, the documents name no number."""


class ClusterStates:
    """Takes part in changes of the state."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._node = roster.node
        self._locked_for: Transaction | None = None
        self._ended: dict[MemberId, int] = {}
        """By coordinator: its last transaction that came to an end here; late copies of its messages do nothing."""

    def on_lock(self, sender: MemberId, lock: LockState) -> None:
        """Get ready, or say why not."""
        transaction = lock.transaction
        if self._has_ended(transaction):
            return
        why = self.why_not_ready(sender, lock)
        if why is not None:
            self._node.send(sender, StateNotLocked(transaction, why))
            return
        if self._locked_for is None:
            self._locked_for, self._roster.is_locked = transaction, True
            self._node.set_timer(StateLeaseOver(transaction), LEASE_US)
            coordinator = self._node.numbers[transaction.coordinator]
            self._node.emit(ClusterStateLocked(coordinator, transaction.number))
        self._node.send(sender, StateLocked(transaction))

    def why_not_ready(self, sender: MemberId, lock: LockState) -> str | None:
        """Return why this member is not ready, or None (5.7)."""
        partitions = self._node.partitions
        if sender not in self._roster.ids or self._roster.is_claiming:
            return "the members are not agreed on"
        if self._locked_for not in (None, lock.transaction):
            return "another change is under way"
        if lock.list_version != self._roster.members.version:
            return "the member lists differ"
        if partitions.is_moving:
            return "migrations run"
        if lock.stamp != partitions.stamp:
            return "the tables differ"
        return None

    def on_commit(self, sender: MemberId, commit: CommitState) -> None:
        """Be in the new state; also when the lease is over, for the decision was made."""
        if not self._has_ended(commit.transaction):
            self._end(commit.transaction)
            self.adopt(commit.state)
        self._node.send(sender, StateCommitted(commit.transaction))

    def on_roll_back(self, sender: MemberId, roll_back: RollBackState) -> None:
        """Stay as before."""
        transaction = roll_back.transaction
        if not self._has_ended(transaction):
            was_locked = self._locked_for == transaction
            self._end(transaction)
            if was_locked:
                self._stay(transaction, "not all were ready")

    def on_lease_over(self, lease: StateLeaseOver) -> None:
        """Stay as before, until a commit comes after all: the coordinator is silent."""
        if lease.transaction == self._locked_for:
            self._unlock()
            self._stay(lease.transaction, "nothing was heard of it")

    def _stay(self, transaction: Transaction, why: str) -> None:
        coordinator = self._node.numbers[transaction.coordinator]
        self._node.emit(ClusterStateUnlocked(coordinator, transaction.number, why))
        self._node.partitions.cluster_state_changed()

    def _end(self, transaction: Transaction) -> None:
        self._ended[transaction.coordinator] = transaction.number
        if self._locked_for == transaction:
            self._node.cancel_timer(StateLeaseOver(transaction))
            self._unlock()

    def _unlock(self) -> None:
        self._locked_for, self._roster.is_locked = None, False

    def _has_ended(self, transaction: Transaction) -> bool:
        return transaction.number <= self._ended.get(transaction.coordinator, 0)

    def adopt(self, state: ClusterState) -> None:
        """Be in a state; those still missing are gone for good where members may join again (5.7)."""
        roster = self._roster
        if state is roster.state:
            self._node.partitions.cluster_state_changed()
            return
        roster.state = state
        self._node.emit(ClusterStateChanged(state.value))
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
