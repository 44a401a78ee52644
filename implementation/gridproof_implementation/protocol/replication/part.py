"""The replication machine of one member: it checks and applies updates."""

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.calls import Backup, BackupAck
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.node import MessageHandlers, Node, Taken, TimerHandlers
from gridproof_implementation.protocol.replication.messages import DestroyStructure
from gridproof_implementation.protocol.replication.store import FragmentStore
from gridproof_implementation.protocol.structure import Execution, Operation, Origin, StructureId, UpdateError
from gridproof_implementation.protocol.structures import STRUCTURES
from gridproof_model.events.replication import BackupApplied, BackupRefused
from gridproof_model.events.words import Applied, WhyBackupRefused
from gridproof_model.membership import MemberId


class ReplicationPart(FragmentStore):
    """Applies updates in the order in which they come; reads and destroys what this member holds."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.failed_backups = 0
        """How many updates were dropped; no member is notified (backups.14)."""

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of updates of backups, and of destroyed structures."""
        return {Backup: self.on_backup, DestroyStructure: self.on_destroy_structure}

    def timer_handlers(self) -> TimerHandlers:
        """Return nothing: no timer wakes this part."""
        return {}

    def start(self) -> None:
        """Nothing to begin."""

    def taken(self) -> Taken:
        """Return nothing: an update is applied in one step, so no resource is held."""
        return {}

    def on_backup(self, sender: MemberId, backup: Backup) -> None:
        """Apply an update, then record its version, then acknowledge: in this order (backups.12, defect HZ-48)."""
        refusal = self.why_not_applied(sender, backup)
        if refusal is not None:
            self._refuse(backup, refusal)
            return
        partition, index = backup.partition, backup.index
        fragment = self.fragment(partition, backup.namespace)
        brought = version_vector.entry_of(backup.versions, index)
        verdict = version_vector.judge(version_vector.entry_of(fragment.versions, index), brought)
        if verdict is None:
            # As documented, a stale update is not acknowledged, though mostly a sync has brought it (docs/findings.md).
            # After a promotion the higher version here may come from a dead primary: then the update is missing here.
            self._refuse(backup, WhyBackupRefused.STALE)
            return
        try:
            self.structure_in(fragment, backup.operation.structure).apply_backup(backup.update)
        except UpdateError:
            self._refuse(backup, WhyBackupRefused.THROWN)
            return
        self.record(fragment, backup, verdict)
        caller = self._node.numbers[backup.caller]
        self._node.emit(
            BackupApplied(partition, backup.namespace, index, brought, verdict, fragment.dirty, caller, backup.call_id)
        )
        # Each update of a dirty fragment requests a sync again: the earlier one may be lost, or had no permit (sync.5).
        if fragment.dirty:
            self._node.anti_entropy.trigger_sync(partition, (backup.namespace,))
        self.acknowledge(backup)

    def record(self, fragment: Fragment, backup: Backup, verdict: Applied) -> None:
        """Take over the vector of an applied update; after a gap the fragment is dirty (backups.11, defect HZ-50)."""
        fragment.versions = version_vector.taken_over(fragment.versions, backup.versions, backup.index)
        if verdict is Applied.GAPPED:
            fragment.dirty = True

    def why_not_applied(self, sender: MemberId, backup: Backup) -> WhyBackupRefused | None:
        """Check a backup in the documented order; whether its sender is the primary is not looked at (calls.4,
        backups.14).

        A member that has not joined knows no members. No cluster state refuses an update: its operation was executed
        (backups.15, defect HZ-58).
        """
        partitions, membership = self._node.partitions, self._node.membership
        if not membership.is_member(sender):
            # Choice (backups.14): the sender's own incarnation has to be a member; the documents compare addresses.
            # If addresses were compared, a message of a dead incarnation would count as a message of its successor.
            return WhyBackupRefused.SENDER_NOT_MEMBER
        if partitions.is_migrating(backup.partition):
            return WhyBackupRefused.MIGRATING
        if partitions.rows[backup.partition].slots[backup.index] != self._node.me:
            return WhyBackupRefused.ANOTHER_SLOT
        return None

    def acknowledge(self, backup: Backup) -> None:
        """Acknowledge a sync update to the caller itself (backups.16); operations without a response have no call
        id."""
        if backup.is_sync and backup.call_id:
            self._node.reply(BackupAck(backup.call_id, partition=backup.partition, asker=backup.caller))

    def _refuse(self, backup: Backup, why: WhyBackupRefused) -> None:
        self.failed_backups += 1
        partition, namespace, index = backup.partition, backup.namespace, backup.index
        fragment = self.find_fragment(partition, namespace) or Fragment()
        version, held = (version_vector.entry_of(one, index) for one in (backup.versions, fragment.versions))
        self._node.emit(
            BackupRefused(
                partition,
                namespace,
                index,
                version,
                why,
                held,
                fragment.dirty,
                backup.is_sync,
                self._node.numbers[backup.caller],
                backup.call_id,
            )
        )

    def read_backup(self, partition: int, operation: Operation, thread: int) -> Execution | None:
        """Return what a backup held here answers to a read; None if the primary has to be asked (backups.22).

        Only the slot is checked: no version, no dirty mark, no migrating flag. Reads at one member are monotonic as
        long as it keeps its slot and no sync takes its replica back.

        Choice (backups.22): a backup answers for absent entries, too. In the documents such reads go on to the primary;
        then a reader may see the primary's newer value first and the backup's older one next, which breaks the
        monotonic reads that the seed guarantees (seed: Replication Algorithm for AP Data Structures).
        """
        index = self._node.partitions.rows[partition].slot_of(self._node.me)
        structure = operation.structure
        if not operation.READ_ONLY or not index or not self.belongs_to(structure, index):
            return None
        fragment = self.fragments[partition].get(self.namespace_of(structure))
        held = None if fragment is None else fragment.structures.get(structure)
        if held is None:
            held = STRUCTURES[structure.kind]()
        return held.execute(operation, Origin(self._node.me, thread, 0, self._node.now_us))

    def destroy_everywhere(self, structure: StructureId) -> None:
        """Let every member forget a structure."""
        for member in self._node.membership.members:
            self._node.send(member.id, DestroyStructure(structure))

    def on_destroy_structure(self, sender: MemberId, message: DestroyStructure) -> None:
        """Forget a structure here, if a member asks."""
        if self._node.membership.is_member(sender):
            self.destroy(message.structure)
