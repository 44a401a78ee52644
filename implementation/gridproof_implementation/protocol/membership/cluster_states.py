"""A change of the cluster state: first the side of each member, then the side of the coordinator.

A state change has two phases (members.26). A member (`ClusterStates`) is ready for a change, that is locked, if its
member list and partition table are equal to the coordinator's and no partition migrates. If all members are ready in
time, the coordinator (`StateChange`) commits the new state, and repeats the commit until all members have answered or
left. If some members are not ready, the coordinator asks all members to keep the old state."""

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from gridproof_implementation.protocol.effects import AnswerDue, Timer
from gridproof_implementation.protocol.membership import messages
from gridproof_implementation.protocol.membership.roster import Roster
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_model.events.membership import ClusterStateChanged, ClusterStateLocked, ClusterStateUnlocked
from gridproof_model.events.words import WhyStateKept
from gridproof_model.membership import ClusterState, Member, MemberId

STATE_LEASE_US = 60 * SECOND_US
"""How long a member stays ready for a change; Choice (members.26): one minute, as the documents name no number."""
STATE_RETRY_US = SECOND_US
STATE_LOCK_TIMEOUT_US = 30 * SECOND_US
"""How long the coordinator waits for answers; Choice (members.26): for less time than a member stays ready, so that all
members are still ready when the coordinator decides to commit."""


@dataclass(frozen=True, slots=True)
class StateLeaseOver(Timer):
    """The time for which this member stays ready is over, and the coordinator has not said how the change ended."""

    transaction: messages.Transaction


class ClusterStates:
    """Takes part in changes of the cluster state."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._node = roster.node
        self._locked_for: messages.Transaction | None = None
        self._ended: dict[MemberId, int] = {}
        """For each coordinator, its last change that has ended here; late messages about this change do nothing."""

    def on_lock(self, sender: MemberId, lock: messages.LockState) -> None:
        """Become ready for a change, or say why this member is not ready."""
        transaction = lock.transaction
        if self._has_ended(transaction):
            return
        why = self.why_not_ready(sender, lock)
        if why is not None:
            self._node.send(sender, messages.StateNotLocked(transaction, why))
            return
        if self._locked_for is None:
            self._locked_for, self._roster.is_locked = transaction, True
            self._node.set_timer(StateLeaseOver(transaction), STATE_LEASE_US)
            coordinator = self._node.numbers[transaction.coordinator]
            self._node.emit(ClusterStateLocked(coordinator, transaction.number))
        self._node.send(sender, messages.StateLocked(transaction))

    def why_not_ready(self, sender: MemberId, lock: messages.LockState) -> str | None:
        """Return why this member is not ready, or None if it is (members.26)."""
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

    def on_commit(self, sender: MemberId, commit: messages.CommitState) -> None:
        """Enter the new state, even when the lease is over, since the coordinator has decided."""
        if not self._has_ended(commit.transaction):
            self._end(commit.transaction)
            self.adopt(commit.state)
        self._node.send(sender, messages.StateCommitted(commit.transaction))

    def on_roll_back(self, sender: MemberId, roll_back: messages.RollBackState) -> None:
        """Keep the old state, and end the readiness for the change."""
        transaction = roll_back.transaction
        if not self._has_ended(transaction):
            was_locked = self._locked_for == transaction
            # The transaction ends even if this member was not ready: a late lock message must not lock the member.
            self._end(transaction)
            if was_locked:
                self._stay(transaction, WhyStateKept.NOT_ALL_READY)

    def on_lease_over(self, lease: StateLeaseOver) -> None:
        """Keep the old state, since the coordinator is silent; a commit may still come later."""
        if lease.transaction == self._locked_for:
            self._unlock()
            self._stay(lease.transaction, WhyStateKept.NOTHING_HEARD)

    def _stay(self, transaction: messages.Transaction, why: WhyStateKept) -> None:
        coordinator = self._node.numbers[transaction.coordinator]
        self._node.emit(ClusterStateUnlocked(coordinator, transaction.number, why))
        self._node.partitions.cluster_state_changed()

    def _end(self, transaction: messages.Transaction) -> None:
        self._ended[transaction.coordinator] = transaction.number
        if self._locked_for == transaction:
            self._node.cancel_timer(StateLeaseOver(transaction))
            self._unlock()

    def _unlock(self) -> None:
        self._locked_for, self._roster.is_locked = None, False

    def _has_ended(self, transaction: messages.Transaction) -> bool:
        return transaction.number <= self._ended.get(transaction.coordinator, 0)

    def adopt(self, state: ClusterState) -> None:
        """Enter a state; if it allows joins, the members that are still missing are gone for good (members.25)."""
        roster = self._roster
        # Rounds are held back during every change of state, even during one that ends in the state in which it began.
        if state is roster.state:
            self._node.partitions.cluster_state_changed()
            return
        roster.state = state
        self._node.emit(ClusterStateChanged(state))
        if state.allows_join:
            self._give_up_the_missing()
        self._node.partitions.cluster_state_changed()

    def _give_up_the_missing(self) -> None:
        missing, self._roster.missing = self._roster.missing, {}
        partitions = self._node.partitions
        # No round may begin before all the missing are removed: the former master may be the last (table.21; HZ-44).
        partitions.pause()
        for left in missing.values():
            partitions.member_removed(left.member, was_master=left.was_master)
        partitions.resume()

    def take_back(self, joiner: Member) -> None:
        """Give a missing member's slots in the partition table to the incarnation that came back (members.25)."""
        missing = self._roster.missing.pop(joiner.id.address, None)
        if missing is not None:
            self._node.partitions.member_returned(missing.member.id, joiner)


@dataclass(frozen=True, slots=True)
class StateRetry(AnswerDue):
    """It is time to repeat a message about a change of the cluster state to the members that have not answered."""


@dataclass(frozen=True, slots=True)
class StateLockTimeout(AnswerDue):
    """It is time to give the change up, since not all members were ready."""


@dataclass(slots=True)
class Change:
    """A change of the cluster state that is under way."""

    transaction: messages.Transaction
    state: ClusterState
    then: Callable[[bool], None]
    list_version: int
    stamp: int
    waiting: dict[MemberId, None]
    """The members that have not answered yet in this phase."""
    members: list[MemberId] = field(default_factory=list)
    is_committing: bool = False


class StateChange:
    """Coordinates changes of the cluster state, one at a time."""

    def __init__(self, roster: Roster) -> None:
        self._roster = roster
        self._node = roster.node
        self._change: Change | None = None
        self._numbers = count(1)

    @property
    def is_under_way(self) -> bool:
        """Whether this member coordinates a change now."""
        return self._change is not None

    def begin(self, state: ClusterState, then: Callable[[bool], None]) -> None:
        """Change the state on all members or on none; `then` is called once, with whether the state was changed."""
        roster = self._roster
        if self._change is not None or not roster.is_joined or state is ClusterState.IN_TRANSITION:
            then(False)
            return
        members = [member.id for member in roster.members]
        transaction = messages.Transaction(self._node.me, next(self._numbers))
        version, stamp = roster.members.version, self._node.partitions.stamp
        self._change = Change(transaction, state, then, version, stamp, dict.fromkeys(members), members)
        self._node.set_timer(StateLockTimeout(), STATE_LOCK_TIMEOUT_US)
        self._ask()

    def on_retry(self, timer: StateRetry) -> None:
        """Ask again; if a member left meanwhile, the first phase fails, while the second phase continues without it."""
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
        message: messages.MembershipMessage = messages.LockState(change.transaction, change.list_version, change.stamp)
        if change.is_committing:
            message = messages.CommitState(change.transaction, change.state)
        for member_id in change.waiting:
            self._node.send(member_id, message)
        self._node.set_timer(StateRetry(), STATE_RETRY_US)

    def on_locked(self, sender: MemberId, locked: messages.StateLocked) -> None:
        """Note that a member is ready; commit once all members are."""
        change = self._change
        # A late answer to the first phase does not mean, in the second phase, that its sender has committed.
        if change is not None and locked.transaction == change.transaction and not change.is_committing:
            change.waiting.pop(sender, None)
            self._go_on()

    def on_committed(self, sender: MemberId, committed: messages.StateCommitted) -> None:
        """Note that a member is in the new state; end the change once all are."""
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

    def on_not_locked(self, sender: MemberId, refused: messages.StateNotLocked) -> None:
        """Roll back, since a member is not ready (members.26)."""
        change = self._change
        if change is not None and refused.transaction == change.transaction and not change.is_committing:
            self._roll_back()

    def on_timeout(self, timer: StateLockTimeout) -> None:
        """Roll back, since not all members have answered in time that they are ready (members.26)."""
        self._roll_back()

    def _roll_back(self) -> None:
        change = self._change
        if change is not None:
            for member_id in change.members:
                self._node.send(member_id, messages.RollBackState(change.transaction))
            self._finish(changed=False)

    def _finish(self, *, changed: bool) -> None:
        change, self._change = self._change, None
        self._node.cancel_timer(StateRetry())
        self._node.cancel_timer(StateLockTimeout())
        if change is not None:
            change.then(changed)
