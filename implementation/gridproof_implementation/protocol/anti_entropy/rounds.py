"""The primary's rounds of anti-entropy: each sends summaries to all backups, spread over several seconds.

Source: sync.1.
"""

from dataclasses import dataclass

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.anti_entropy.messages import Summary
from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.settings import SECOND_US
from gridproof_implementation.protocol.structure import SHARED_NAMESPACE
from gridproof_model.events.anti_entropy import SummarySent
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class NextRound(Timer):
    """It is time to compare all primary copies on this member with their backups."""


@dataclass(frozen=True, slots=True)
class NextSlice(Timer):
    """It is time to send the next share of a round's summaries."""


class Rounds:
    """The periodic task: once per interval it compares all primaries with their backups, some each second."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self._left: list[int] = []
        """The partitions of this round whose summaries are still to be sent."""
        self._share: int
        self._began_us: int

    def start(self) -> None:
        """Set the timer for the first round."""
        self._node.set_timer(NextRound(), self._node.settings.backup_sync_interval_us)

    def may_run(self) -> bool:
        """Whether summaries may be sent now: this member has joined, and migration tasks are not paused (sync.7)."""
        return self._node.membership.is_joined and self._node.partitions.may_migrate

    def on_next_round(self, timer: NextRound) -> None:
        """Begin a round for all partitions whose primary is this member now, or skip it if no summaries may be sent."""
        node = self._node
        interval_us = node.settings.backup_sync_interval_us
        if not self.may_run():
            node.set_timer(NextRound(), interval_us)
            return
        self._left = [p for p, row in enumerate(node.partitions.rows) if row.slots[0] == node.me]
        self._share = max(1, -(-len(self._left) * SECOND_US // interval_us))
        self._began_us = node.now_us
        self._send_slice()

    def on_next_slice(self, timer: NextSlice) -> None:
        """Continue the round, or end it if no summaries may be sent now."""
        if not self.may_run():
            self._left = []
        self._send_slice()

    def _send_slice(self) -> None:
        node = self._node
        share, self._left = self._left[: self._share], self._left[self._share :]
        for partition in share:
            self.summarise(partition)
        if self._left:
            node.set_timer(NextSlice(), SECOND_US)
            return
        # If the clock was set back, this round seems to begin in the future: without a bound the wait is too long.
        elapsed_us = max(0, node.now_us - self._began_us)
        node.set_timer(NextRound(), max(SECOND_US, node.settings.backup_sync_interval_us - elapsed_us))

    def summarise(self, partition: int) -> None:
        """Send every backup of a partition a summary of its versions, which is empty if it has none (defect HZ-63)."""
        node = self._node
        slots = node.partitions.rows[partition].slots
        if slots[0] != node.me or node.partitions.is_migrating(partition):
            return
        self.forget_destroyed(partition)
        for index, replica in enumerate(slots[1:], start=1):
            if replica is not None and node.membership.is_member(replica):
                self.send_summary(partition, index, replica, check=0)

    def forget_destroyed(self, partition: int) -> None:
        """Forget the namespaces whose structures were all destroyed, but never the shared namespace (defect HZ-63)."""
        replicas = self._node.replicas
        namespaces = replicas.namespaces(partition)
        known = [name for name in namespaces if replicas.fragment(partition, name).structures]
        replicas.retain_namespaces(partition, [SHARED_NAMESPACE, *known])

    def send_summary(self, partition: int, index: int, to: MemberId, check: int) -> None:
        """Send a backup the one version that concerns it in each namespace, but no digest of data (limits.10)."""
        replicas = self._node.replicas
        versions = tuple(
            [
                (namespace, version_vector.entry_of(replicas.fragment(partition, namespace).versions, index))
                for namespace in replicas.namespaces(partition)
            ]
        )
        self._node.send(to, Summary(index, versions, check, partition=partition))
        self._node.emit(SummarySent(partition, index, self._node.numbers[to], versions))
