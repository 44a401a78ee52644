"""The state machine of one member for replication, which checks and applies updates."""

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
    """Applies updates in the order in which they come, and reads and destroys the structures that this member has."""

    def __init__(self, node: Node) -> None:
        super().__init__(node)
        self.failed_backups = 0
        """How many updates were dropped; no other member is notified of this (backups.14)."""

    def message_handlers(self) -> MessageHandlers:
        """Return the handlers of updates for backups, and of messages about destroyed structures."""
        return {Backup: self.on_backup, DestroyStructure: self.on_destroy_structure}

    def timer_handlers(self) -> TimerHandlers:
        """Return no handlers, since this part has no timers."""
        return {}

    def start(self) -> None:
        """Nothing to begin."""

    def taken(self) -> Taken:
        """Return no counts: an update is applied in one step, so it takes no resource."""
        return {}

    def on_backup(self, sender: MemberId, backup: Backup) -> None:
        """Apply an update, record its version, and acknowledge it, in this order (backups.12, defect HZ-48)."""
        refusal = self.why_not_applied(sender, backup)
        if refusal is not None:
            self._refuse(backup, refusal)
            return
        partition, index = backup.partition, backup.index
        fragment = self.fragment(partition, backup.namespace)
        brought = version_vector.entry_of(backup.versions, index)
        verdict = version_vector.judge(version_vector.entry_of(fragment.versions, index), brought)
        if verdict is None:
            # As documented, a stale update is not acknowledged, though a sync has mostly brought it (docs/findings.md).
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
        # Each update of a dirty fragment requests a sync again: a request may be lost, or lack a permit (sync.5).
        if fragment.dirty:
            self._node.anti_entropy.trigger_sync(partition, (backup.namespace,))
        self.acknowledge(backup)

    def record(self, fragment: Fragment, backup: Backup, verdict: Applied) -> None:
        """Take over an applied update's version vector; after a gap mark the fragment dirty (backups.11, defect
        HZ-50)."""
        fragment.versions = version_vector.taken_over(fragment.versions, backup.versions, backup.index)
        if verdict is Applied.GAPPED:
            fragment.dirty = True

    def why_not_applied(self, sender: MemberId, backup: Backup) -> WhyBackupRefused | None:
        """Return why a backup is refused, or None, by checks in the documented order, which do not ask whether the
        sender is the primary (calls.4, backups.14).

        A member that has not joined knows no members, and so refuses every backup. No cluster state makes a member
        refuse an update, since its operation was executed (backups.15, defect HZ-58).
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
        """Acknowledge the update of a sync backup straight to the caller (backups.16), unless the update has no call
        id, since its operation returns no response."""
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
        """Return the answer of this member's own backup to a read; None if the primary has to be asked (backups.22).

        Before a backup answers, only its slot is checked, and not its version, dirty mark or migrating flag. Reads at
        one member are monotonic as long as the member keeps its slot and no sync brings its replica an older state.

        Choice (backups.22): a backup also answers reads of absent entries. According to the documents reads of absent
        entries are passed to the primary. With that rule a reader may first see the primary's newer value and next the
        backup's older value, which breaks the monotonic reads that the seed document guarantees (seed: Replication
        Algorithm for AP Data Structures).
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
        """Ask every member to forget a structure."""
        for member in self._node.membership.members:
            self._node.send(member.id, DestroyStructure(structure))

    def on_destroy_structure(self, sender: MemberId, message: DestroyStructure) -> None:
        """Forget a structure on this member, if the sender is a member."""
        if self._node.membership.is_member(sender):
            self.destroy(message.structure)
