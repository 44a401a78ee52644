"""The anti-entropy state machine of one member."""

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.anti_entropy.checks import CheckTimesOut, SafeChecks
from gridproof_implementation.protocol.anti_entropy.messages import (
    Summary,
    SummaryAnswer,
    SyncAnswer,
    SyncRequest,
    SyncRetry,
)
from gridproof_implementation.protocol.anti_entropy.rounds import NextRound, NextSlice, Rounds
from gridproof_implementation.protocol.anti_entropy.syncs import SyncExpires, Syncs
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers
from gridproof_model.events.anti_entropy import SummaryCompared, SummaryIgnored
from gridproof_model.membership import MemberId


class AntiEntropyPart:
    """Primaries report their versions; backups compare them, and ask for the fragments that differ."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.rounds = Rounds(node)
        self.syncs = Syncs(node)
        self.checks = SafeChecks(node, self.rounds)
        # The other parts of the member call these methods, each of which is a method of one object of this part.
        self.start, self.check = self.rounds.start, self.checks.check
        self.trigger_sync, self.primary_changed = self.syncs.trigger, self.syncs.primary_changed
        self.member_removed = self.syncs.member_removed

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of summaries and syncs."""
        return {
            Summary: self.on_summary,
            SummaryAnswer: self.checks.on_summary_answer,
            SyncRequest: self.syncs.on_sync_request,
            SyncAnswer: self.syncs.on_sync_answer,
            SyncRetry: self.syncs.on_sync_retry,
        }

    def timer_handlers(self) -> TimerHandlers:
        """Return the handlers of timers: for rounds, and for syncs and checks that take too long."""
        return {
            NextRound: self.rounds.on_next_round,
            NextSlice: self.rounds.on_next_slice,
            SyncExpires: self.syncs.on_expires,
            CheckTimesOut: self.checks.on_times_out,
        }

    def taken(self) -> Taken:
        """Return how many permits are taken by syncs, and how many safety checks wait for answers."""
        return {"sync_permits": len(self.syncs.registered), "safe_checks": self.checks.waiting_count}

    def on_summary(self, sender: MemberId, summary: Summary) -> None:
        """Compare the versions, ask for the fragments that differ, and answer if a safety check waits (sync.4)."""
        in_sync = False
        if self.is_for_this_replica(sender, summary):
            behind = self.behind(summary)
            in_sync = not behind
            self._node.emit(SummaryCompared(summary.partition, summary.index, behind, summary.versions))
            if behind:
                self.trigger_sync(summary.partition, behind)
        else:
            self._node.emit(SummaryIgnored(summary.partition, summary.index))
        if summary.check:
            answer = SummaryAnswer(summary.check, summary.index, in_sync, partition=summary.partition, asker=sender)
            self._node.reply(answer)

    def is_for_this_replica(self, sender: MemberId, summary: Summary) -> bool:
        """Whether a summary comes from the partition's primary, and is for this member's slot (backups.14, sync.3)."""
        node = self._node
        if not node.membership.is_member(sender) or node.partitions.is_migrating(summary.partition):
            return False
        slots = node.partitions.rows[summary.partition].slots
        return slots[summary.index] == node.me and slots[0] == sender

    def behind(self, summary: Summary) -> tuple[str, ...]:
        """Return the namespaces that are dirty here, or whose version differs from the summary's (sync.4).

        This backup also forgets every namespace that the summary does not name (sync.6).
        """
        replicas, partition = self._node.replicas, summary.partition
        replicas.retain_namespaces(partition, [namespace for namespace, _ in summary.versions])
        found: list[str] = []
        for namespace, version in summary.versions:
            fragment = replicas.find_fragment(partition, namespace)
            held = version_vector.NO_VERSIONS if fragment is None else fragment.versions
            is_dirty = fragment is not None and fragment.dirty
            # A backup that skipped an update has its primary's versions: only a dirty mark shows the gap (backups.11).
            if is_dirty or version_vector.entry_of(held, summary.index) != version:
                found.append(namespace)
        return tuple(found)
