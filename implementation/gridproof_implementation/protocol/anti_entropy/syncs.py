"""The backup's syncs: each takes a permit, is registered until the primary's fragment comes, and installs it."""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.anti_entropy.messages import SyncAnswer, SyncRequest, SyncRetry
from gridproof_implementation.protocol.effects import Timer
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.structure import UpdateError
from gridproof_model.events.anti_entropy import SyncAnswered, SyncEnded, SyncInstalled, SyncRequested, SyncTurnedDown
from gridproof_model.events.words import WhySyncEnded
from gridproof_model.membership import MemberId


@dataclass(frozen=True, slots=True)
class SyncExpires(Timer):
    """A sync has been registered for too long (sync.10). The timer also identifies the sync, by its fragment and
    replica index."""

    partition: int
    namespace: str
    index: int


class Syncs:
    """Transfers of whole fragments that this member asks for or sends; the same permits limit both."""

    def __init__(self, node: Node) -> None:
        self._node = node
        self.registered: dict[SyncExpires, MemberId] = {}
        """The syncs in progress, each with the member that was asked; every sync takes a permit."""

    @property
    def free_permits(self) -> int:
        """How many fragments this member may ask for or send now (sync.9)."""
        return self._node.settings.max_parallel_replications - len(self.registered)

    def trigger(self, partition: int, namespaces: Sequence[str]) -> None:
        """Request the given fragments that no sync has requested yet, at most one for each free permit (sync.9)."""
        node = self._node
        target = self.whom_to_ask(partition)
        index = node.partitions.rows[partition].slot_of(node.me)
        if target is None or index is None:
            return
        wanted = [SyncExpires(partition, namespace, index) for namespace in namespaces]
        new = [sync for sync in wanted if sync not in self.registered][: max(self.free_permits, 0)]
        if not new:
            return
        for sync in new:
            self.registered[sync] = target
            node.set_timer(sync, node.settings.migration_timeout_us)
        asked = tuple(sync.namespace for sync in new)
        node.send(target, SyncRequest(index, asked, partition=partition))
        node.emit(SyncRequested(partition, index, asked, node.numbers[target]))

    def whom_to_ask(self, partition: int) -> MemberId | None:
        """Return the primary if this member may ask it for a sync now: the primary is another listed member, migration
        tasks are not paused, and the partition does not migrate here (sync.8)."""
        node = self._node
        row = node.partitions.rows[partition]
        owner = row.slots[0]
        if owner is None or owner == node.me or row.slot_of(node.me) is None:
            return None
        if not node.partitions.may_migrate or node.partitions.is_migrating(partition):
            return None
        return owner if node.membership.is_member(owner) else None

    def on_sync_request(self, sender: MemberId, request: SyncRequest) -> None:
        """As the primary, send one fragment for each free permit, and answer that the other fragments have to be
        requested again (sync.13).

        A migrating flag does not keep the primary from answering (migration.9), since data and versions are read in one
        step.
        """
        node, partition = self._node, request.partition
        if not node.membership.is_member(sender):
            return
        given = request.namespaces[: self.may_give(partition)]
        for namespace in given:
            fragment = node.replicas.copy_fragment(partition, namespace, request.index)
            node.reply(SyncAnswer(request.index, fragment, partition=partition, asker=sender))
            node.emit(SyncAnswered(partition, request.index, namespace, fragment.versions, node.numbers[sender]))
        left = request.namespaces[len(given) :]
        if left:
            node.reply(SyncRetry(request.index, left, partition=partition, asker=sender))
            node.emit(SyncTurnedDown(partition, request.index, left, node.numbers[sender]))

    def may_give(self, partition: int) -> int:
        """Return how many fragments this member may send: none if not primary, or migrations are paused (sync.13)."""
        partitions = self._node.partitions
        if not partitions.may_migrate or partitions.rows[partition].slots[0] != self._node.me:
            return 0
        return max(self.free_permits, 0)

    def on_sync_answer(self, sender: MemberId, answer: SyncAnswer) -> None:
        """Replace this member's fragment by the primary's, whatever it contained (sync.14)."""
        node, partition, index = self._node, answer.partition, answer.index
        namespace = answer.fragment.namespace
        sync = SyncExpires(partition, namespace, index)
        if not self.is_awaited(sender, sync):
            return
        why_not = self.why_not_installed(answer)
        if why_not is None:
            try:
                node.replicas.replace_fragment(partition, answer.fragment, index)
            except UpdateError:
                why_not = WhySyncEnded.THROWN
        if why_not is not None:
            self.end(sync, why_not)
            return
        self._release(sync)
        versions = version_vector.known_to(answer.fragment.versions, index)
        node.emit(SyncInstalled(partition, index, namespace, versions))

    def is_awaited(self, sender: MemberId, sync: SyncExpires) -> bool:
        """Whether the sync of this fragment is still registered, and the sender is the member that was asked.

        Choice (sync.15): a backup accepts an answer only while it waits for this answer; by the documents it accepts
        any answer that names its slot (sync.15). An answer that the backup does not wait for comes from a former
        primary (defect P-25), or has come before; it would undo updates that the backup has acknowledged.
        """
        return self.registered.get(sync) == sender

    def why_not_installed(self, answer: SyncAnswer) -> WhySyncEnded | None:
        """Check that an answer is for this member's slot, and that nothing migrates here (backups.14, sync.17).

        Choice (sync.17): if an answer is refused, the sync ends. By the documents a migrating flag makes the backup
        refuse an answer unread, and the sync keeps its permit until it expires (migration.9, sync.10); defect HZ-61
        calls that a fault.
        """
        node, partition = self._node, answer.partition
        if node.partitions.is_migrating(partition):
            return WhySyncEnded.MIGRATING
        # A member that has lost its slot has dropped its fragments, too (migration.18), so nothing is left to change.
        is_mine = node.partitions.rows[partition].slot_of(node.me) == answer.index
        return None if is_mine else WhySyncEnded.ANOTHER_SLOT

    def on_sync_retry(self, sender: MemberId, retry: SyncRetry) -> None:
        """End the syncs of fragments that the primary refuses now; a later reason starts new syncs (sync.13)."""
        for namespace in retry.namespaces:
            sync = SyncExpires(retry.partition, namespace, retry.index)
            if self.is_awaited(sender, sync):
                self.end(sync, WhySyncEnded.TURNED_DOWN)

    def on_expires(self, sync: SyncExpires) -> None:
        """End a sync whose answer did not come in time; its request is not sent again (sync.10)."""
        if sync in self.registered:
            self.end(sync, WhySyncEnded.EXPIRED)

    def primary_changed(self, partition: int) -> None:
        """Cancel the syncs that were requested from the former primary (sync.11)."""
        # The former primary's answer would undo what the new primary has sent since then (defect P-25).
        for sync in [sync for sync in self.registered if sync.partition == partition]:
            self.end(sync, WhySyncEnded.PRIMARY_CHANGED)

    def member_removed(self, gone: MemberId) -> None:
        """Cancel the syncs that were requested from a member that left (sync.11)."""
        for sync in [sync for sync, target in self.registered.items() if target == gone]:
            self.end(sync, WhySyncEnded.TARGET_LEFT)

    def end(self, sync: SyncExpires, why: WhySyncEnded) -> None:
        """End a sync without installing a fragment, and free its permit (defect HZ-61)."""
        self._release(sync)
        self._node.emit(SyncEnded(sync.partition, sync.index, sync.namespace, why))

    def _release(self, sync: SyncExpires) -> None:
        del self.registered[sync]
        self._node.cancel_timer(sync)
