"""A change of the cluster state: the coordinator's side.

Reference partitioning 5.7: two phases. All members get ready; if all did in time the new state is committed, and the
commit repeated until everybody answered or left. Else all are asked to stay as they were.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from gridproof_implementation.protocol.cluster_state import ClusterState
from gridproof_implementation.protocol.membership.messages import (
    CommitState,
    LockState,
    MembershipMessage,
    RollBackState,
    StateCommitted,
    StateLocked,
    StateNotLocked,
    Transaction,
)
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.membership.timers import StateLockTimeout, StateRetry
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.identity import MemberId

RETRY_US = SECOND_US
LOCK_TIMEOUT_US = 30 * SECOND_US
"""Choice: shorter than a lease, so that everybody is still ready when a commit is decided."""


@dataclass(slots=True)
class Change:
    """A change under way."""

    transaction: Transaction
    state: ClusterState
    then: Callable[[bool], None]
    list_version: int
    stamp: int
    waiting: dict[MemberId, None]
    """Who did not answer in this phase yet."""
    members: list[MemberId] = field(default_factory=list)
    is_committing: bool = False


class StateChange:
    """Coordinates one change at a time."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._node = roster.node
        self._change: Change | None = None
        self._count = 0

    @property
    def is_under_way(self) -> bool:
        """Whether this member coordinates a change."""
        return self._change is not None

    def begin(self, state: ClusterState, then: Callable[[bool], None]) -> None:
        """Change the state everywhere or nowhere; `then` is called once with whether it was."""
        roster = self._roster
        if self._change is not None or not roster.is_joined or state is ClusterState.IN_TRANSITION:
            then(False)
            return
        self._count += 1
        members = [member.id for member in roster.members]
        transaction = Transaction(self._node.me, self._count)
        version, stamp = roster.members.version, self._node.partitions.stamp
        self._change = Change(transaction, state, then, version, stamp, dict.fromkeys(members), members)
        self._node.set_timer(StateLockTimeout(), LOCK_TIMEOUT_US)
        self._ask()

    def on_retry(self, timer: StateRetry) -> None:
        """Ask again; who left meanwhile spoils the first phase and is not waited for in the second."""
        change = self._change
        if change is None:
            return
        gone = [member_id for member_id in change.members if member_id not in self._roster.ids]
        if gone and not change.is_committing:
            self._roll_back()
            return
        for member_id in gone:
            change.waiting.pop(member_id, None)
        self._ask()
        self._go_on()

    def _ask(self) -> None:
        change = self._change
        if change is None:
            return
        message: MembershipMessage = LockState(change.transaction, change.list_version, change.stamp)
        if change.is_committing:
            message = CommitState(change.transaction, change.state)
        for member_id in change.waiting:
            self._node.send(member_id, message)
        self._node.set_timer(StateRetry(), RETRY_US)

    def on_locked(self, sender: MemberId, locked: StateLocked) -> None:
        """Commit once everybody is ready."""
        change = self._change
        if change is not None and locked.transaction == change.transaction and not change.is_committing:
            change.waiting.pop(sender, None)
            self._go_on()

    def on_committed(self, sender: MemberId, committed: StateCommitted) -> None:
        """End once everybody is in the new state."""
        change = self._change
        if change is not None and committed.transaction == change.transaction:
            change.waiting.pop(sender, None)
            self._go_on()

    def _go_on(self) -> None:
        change = self._change
        if change is None or change.waiting:
            return
        if change.is_committing:
            self._finish(changed=True)
            return
        change.is_committing = True
        change.waiting = dict.fromkeys(change.members)
        self._node.cancel_timer(StateLockTimeout())
        self._ask()

    def on_not_locked(self, sender: MemberId, refused: StateNotLocked) -> None:
        """Roll back: a member is not ready (5.7)."""
        change = self._change
        if change is not None and refused.transaction == change.transaction and not change.is_committing:
            self._roll_back()

    def on_timeout(self, timer: StateLockTimeout) -> None:
        """Roll back: not every member has answered in time, that it is ready (5.7)."""
        self._roll_back()

    def _roll_back(self) -> None:
        change = self._change
        if change is not None:
            for member_id in change.members:
                self._node.send(member_id, RollBackState(change.transaction))
            self._finish(changed=False)

    def _finish(self, *, changed: bool) -> None:
        change, self._change = self._change, None
        self._node.cancel_timer(StateRetry())
        self._node.cancel_timer(StateLockTimeout())
        if change is not None:
            change.then(changed)
