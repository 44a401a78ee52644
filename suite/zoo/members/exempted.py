"""Mutants that show only at moments when a cause may have suspended a promise.

A promise is suspended for a partition when a record shows one of the causes in `causes.Cause`. For each cause that
suspends a promise there is an obvious bug here that shows at the moment of the cause and at no other: if the cause
suspended more than its source says, for other partitions or for longer, the bug would never be noticed.
"""

from dataclasses import replace

from gridproof_implementation.protocol.calls import Backup, BackupAck, Request, Response
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.invocation.answers import Answers, Timeouts
from gridproof_implementation.protocol.invocation.attempts import Attempts, Invocation, Registry
from gridproof_implementation.protocol.merging.dissolution import Dissolution
from gridproof_implementation.protocol.merging.policies.put_if_absent import PutIfAbsentMergePolicy
from gridproof_implementation.protocol.node import Node
from gridproof_implementation.protocol.operation.part import Done, OperationPart, Waits
from gridproof_implementation.protocol.partitioning.part import PartitioningPart
from gridproof_implementation.protocol.parts import Replicas
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.replication.store import FragmentStore
from gridproof_implementation.protocol.structure import StructureId
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events.words import Applied, CallEnding, Failure, WhyBackupRefused
from gridproof_model.membership import ClusterState, Member, MemberId
from gridproof_model.trace import OperationKind
from suite.zoo.members.backups import search_overtaken
from suite.zoo.mutant import CLIENT_OPERATIONS, Bug, Interposer, MemberMutant, replacing, scripted, search_drawn, writes

_member_removed = Answers.member_removed
_member_removed_from_table = PartitioningPart.member_removed
_promote = FragmentStore.promote
_record = ReplicationPart.record
_refuse = ReplicationPart._refuse
_attempt = Attempts.attempt
_install = FragmentStore.install_fragment
_destroy = FragmentStore.destroy
_execute = OperationPart.execute
_on_backup_ack = Answers.on_backup_ack

LOST_WRITES = ("acknowledged-write-kept", "reads-see-acknowledged-writes")
FALSE_ANSWERS = ("answered-by-its-target", "refines-invocation")
CRASH = FaultEvent("crash", 300, 100_000, (1,))
ONE_ALONE = FaultEvent("split", 100, 20_000, (2,))
DESTROYS = ClientOperation("sets", OperationKind.DESTROY, "sets-0", "", 0, 500)
search_split = search_drawn("split", client_operations=4 * CLIENT_OPERATIONS, workload="register")
"""Halves of a split merge late, so clients have to be at work before and during it, on both halves, with equal keys."""
search_late = search_drawn("late", "late-restart", "split")
"""Updates are under way while their sender ends, or while it is removed."""
OVERTAKEN_AT_THE_END = (
    Interposer("Backup", first=2),
    Interposer("Backup", first=28, late_us=300_000),
    Interposer("Backup", first=3, late_us=300_000),
    Interposer("SyncRequest", late_us=50_000),
)
"""The answer to a sync overtakes updates, and the entries are not written again afterwards."""


def _empty(replicas: Replicas, partition: int) -> None:
    """The mutant deletes all structures of a partition, but keeps their versions."""
    for namespace in replicas.namespaces(partition):
        replicas.fragment(partition, namespace).structures.clear()


def _empty_all(node: Node) -> None:
    for partition in range(node.settings.partition_count):
        _empty(node.replicas, partition)


def _empty_where_a_copy_ended(part: PartitioningPart, gone: Member, *, was_master: bool) -> None:
    for partition, row in enumerate(part.rows):
        if gone.id in row.slots[1:]:
            _empty(part._node.replicas, partition)
    _member_removed_from_table(part, gone, was_master=was_master)


def _empty_where_none_ended(part: PartitioningPart, gone: Member, *, was_master: bool) -> None:
    for partition, row in enumerate(part.rows):
        if gone.id not in row.slots:
            _empty(part._node.replicas, partition)
    _member_removed_from_table(part, gone, was_master=was_master)


def _promote_empty(store: ReplicationPart, partition: int, from_index: int) -> None:
    _empty(store, partition)
    _promote(store, partition, from_index)


def _answer_at_once(answers: Answers, gone: MemberId, list_version: int) -> None:
    """The mutant lets every other waiting call succeed, even if the call's target has not executed it."""
    for invocation in tuple(answers._registry.waiting.values()):
        if not answers.has_target_left(invocation, gone, list_version) and invocation.response is None:
            _succeed(answers._registry, invocation)
    _member_removed(answers, gone, list_version)


def _succeed(registry: Registry, invocation: Invocation) -> None:
    """Let a call succeed though no target has answered it."""
    call_id, partition = invocation.call_id, invocation.call.partition
    invocation.response = Response(call_id, None, 0, partition=partition, asker=registry._node.me)
    registry.succeed(invocation, CallEnding.ACKNOWLEDGED)


def _empty_at_a_gap(part: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Applied) -> None:
    _record(part, fragment, backup, verdict)
    if verdict is Applied.GAPPED:
        fragment.structures.clear()
        fragment.dirty = False


def _empty_when_late(part: ReplicationPart, backup: Backup, why: WhyBackupRefused) -> None:
    _refuse(part, backup, why)
    if why is WhyBackupRefused.STALE:
        _empty(part, backup.partition)


def _empty_for_a_stranger(part: ReplicationPart, backup: Backup, why: WhyBackupRefused) -> None:
    _refuse(part, backup, why)
    if why is WhyBackupRefused.SENDER_NOT_MEMBER:
        _empty_all(part._node)


def _empty_where_thrown(part: ReplicationPart, backup: Backup, why: WhyBackupRefused) -> None:
    _refuse(part, backup, why)
    if why is WhyBackupRefused.THROWN:
        fragment = part.fragment(backup.partition, backup.namespace)
        fragment.structures.clear()
        part.record(fragment, backup, Applied.NEXT)
        part.acknowledge(backup)


def _empty_when_repeated(answers: Answers, sender: MemberId, ack: BackupAck) -> None:
    invocation = answers._registry.waiting.get(ack.call_id)
    if invocation is not None and answers.is_repeated(invocation, sender):
        _empty_all(answers._node)
    _on_backup_ack(answers, sender, ack)


def _destroy_all(store: ReplicationPart, structure: StructureId) -> None:
    for partition in range(len(store.fragments)):
        _empty(store, partition)
    _destroy(store, structure)


def _answer_the_second_attempt(attempts: Attempts, invocation: Invocation) -> None:
    """The mutant answers the second attempt of a changing call without asking any member."""
    if invocation.attempts and not invocation.is_read_only:
        attempts._registry.register(invocation)
        _succeed(attempts._registry, invocation)
        return
    _attempt(attempts, invocation)


def _execute_nothing_unless_active(part: OperationPart, caller: MemberId, request: Request) -> Done | Waits | Failure:
    if part._node.membership.cluster_state is not ClusterState.ACTIVE and not request.operation.READ_ONLY:
        return Done(None)
    return _execute(part, caller, request)


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug(
        "E01",
        "backup-ends",
        "C6",
        "what a copy's end takes away; repair.13",
        breaks=("acknowledged-write-kept", "backups-converge"),
    ).by(
        "A backup that ends takes the primary's content of its partitions with it.",
        replacing(PartitioningPart, "member_removed", _empty_where_a_copy_ended),
        scripted(writes(12), CRASH),
    ),
    Bug(
        "E02", "others-end", "C6", "what a copy's end takes away; repair.13", breaks=(*LOST_WRITES, "backups-converge")
    ).by(
        "A member that ends takes along what every other member has of partitions in which it held nothing.",
        replacing(PartitioningPart, "member_removed", _empty_where_none_ended),
        scripted(writes(12, keys=8), FaultEvent("crash", 300, 100_000, (3,)), members=5, partition_count=11),
    ),
    Bug(
        "E03", "promoted-empty", "C6", "what a primary's end takes away; repair.9", breaks=("acknowledged-write-kept",)
    ).by(
        "Who is promoted begins with nothing.",
        replacing(FragmentStore, "promote", _promote_empty),
        scripted(writes(12), FaultEvent("crash", 300, 100_000, (0,))),
    ),
    Bug(
        "E04", "leaver-answers", "C9", "what a leaver's acknowledgement takes away; backups.20", breaks=FALSE_ANSWERS
    ).by(
        "When a member ends, every call that waits succeeds.",
        replacing(Answers, "member_removed", _answer_at_once),
        scripted(
            writes(40, pause_ms=10, clients=4),
            FaultEvent("delay", 50, 3_000, (0, 1, 2, 3), 200_000),
            FaultEvent("crash", 200, 100_000, (3,)),
            members=4,
        ),
    ),
    Bug("E05", "merge-brings-nothing", "C13", "what a merge takes away; splits.7", breaks=("merge-brings-entries",)).by(
        "Who merges takes nothing along.",
        replacing(Dissolution, "collect", lambda _: []),
        scripted(writes(60, keys=12, pause_ms=800, clients=3), ONE_ALONE, members=3, partition_count=7),
        search_split,
    ),
    Bug("E06", "merging-entry-wins", "C13", "what a merge takes away; splits.8", breaks=LOST_WRITES).by(
        "What a merge brings replaces what is there, whatever the policy.",
        replacing(PutIfAbsentMergePolicy, "merge", lambda _, merging, existing: merging),
        scripted(writes(60, pause_ms=800, clients=3), ONE_ALONE, members=3, partition_count=7),
        search_split,
    ),
    Bug("E07", "moved-empty", "C5", "what a migration takes away; migration.10", breaks=LOST_WRITES).by(
        "A destination begins with nothing.",
        replacing(
            FragmentStore,
            "install_fragment",
            lambda store, partition, fragment, index: _install(
                store, partition, replace(fragment, structures={}), index
            ),
        ),
        scripted(writes(12, keys=8), FaultEvent("join", 100, 60_000, (3,)), members=2, partition_count=7),
    ),
    Bug(
        "E08",
        "gap-empties",
        "C8",
        "what a lost message takes away; backups.11",
        breaks=("backups-converge", "refines-replication"),
    ).by(
        "After a lost update the backup drops all it has, and calls itself complete.",
        replacing(ReplicationPart, "record", _empty_at_a_gap),
        scripted(writes(12, keys=12), interposers=(Interposer("Backup", first=4),)),
    ),
    Bug(
        "E09", "late-update-empties", "C8", "what a late message takes away; backups.10", breaks=("backups-converge",)
    ).by(
        "An update that comes too late takes the partition's content away.",
        replacing(ReplicationPart, "_refuse", _empty_when_late),
        scripted(
            writes(30, pause_ms=5, clients=4, keys=30), interposers=OVERTAKEN_AT_THE_END, members=2, partition_count=1
        ),
        search_overtaken,
    ),
    Bug(
        "E10",
        "stranger-empties",
        "C8",
        "what a message to another incarnation takes away; backups.14",
        breaks=("acknowledged-write-kept", "acknowledged-key-present", "backups-converge"),
    ).by(
        "An update of who is no member takes everything away.",
        replacing(ReplicationPart, "_refuse", _empty_for_a_stranger),
        scripted(
            writes(24, keys=24, pause_ms=30),
            FaultEvent("crash", 600, 100_000, (0,)),
            interposers=(
                Interposer("Backup", first=2, late_us=3_000_000, sender=0),
                Interposer("Backup", first=3, late_us=9_000_000, sender=0),
            ),
            members=4,
            partition_count=7,
            sync_backups=2,
        ),
        search_late,
    ),
    Bug(
        "E11",
        "repeated-message-empties",
        "C9",
        "what a repeated message takes away; backups.16",
        breaks=("acknowledged-key-present",),
    ).by(
        "An acknowledgement that comes twice takes away all that its receiver has.",
        replacing(Answers, "on_backup_ack", _empty_when_repeated),
        scripted(writes(12, keys=12), FaultEvent("duplicate", 0, 5_000, (0, 1, 2), 100)),
    ),
    Bug(
        "E12",
        "destroys-all",
        "C16",
        "what a structure's end takes away; calls.34, sync.6",
        breaks=(*LOST_WRITES, "calm-keeps-entries"),
    ).by(
        "Who destroys one structure destroys all.",
        replacing(FragmentStore, "destroy", _destroy_all),
        scripted([*writes(12, keys=12), DESTROYS]),
    ),
    Bug(
        "E13",
        "spoilt-update-empties",
        "C8",
        "what a failed update takes away; defect HZ-56",
        breaks=("acknowledged-write-kept", "backups-converge", "acknowledged-by-its-backups"),
    ).by(
        "A backup that cannot apply an update drops all it has, and acknowledges.",
        replacing(ReplicationPart, "_refuse", _empty_where_thrown),
        scripted(
            writes(12),
            FaultEvent("failing-backup", 150, 300, (0,)),
            FaultEvent("failing-backup", 150, 300, (1,)),
            FaultEvent("crash", 2_500, 100_000, (0,)),
        ),
    ),
    Bug(
        "E14", "second-attempt-succeeds", "C11", "what a broken connection takes away; calls.14", breaks=FALSE_ANSWERS
    ).by(
        "A call that is made again succeeds, and nobody is asked.",
        replacing(Attempts, "attempt", _answer_the_second_attempt),
        scripted(writes(30, pause_ms=100, clients=3), FaultEvent("crash", 300, 100_000, (0,))),
    ),
    Bug(
        "E15",
        "nothing-written-unless-active",
        "C15",
        "what a cluster state takes away; members.24",
        breaks=(*LOST_WRITES, "answered-by-its-target"),
    ).by(
        "Unless the cluster is active, changes do nothing and succeed.",
        replacing(OperationPart, "execute", _execute_nothing_unless_active),
        scripted(writes(30, pause_ms=100), FaultEvent("cluster-state", 200, 3_000, (0,))),
    ),
    Bug("E16", "time-out-succeeds", "C11", "what a time-out takes away; calls.22", breaks=FALSE_ANSWERS).by(
        "A call that has timed out succeeds.",
        replacing(Timeouts, "time_out", lambda timeouts, invocation: _succeed(timeouts._registry, invocation)),
        scripted(writes(12), interposers=(Interposer("Request", first=4),)),
    ),
)
