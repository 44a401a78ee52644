"""Mutants that show only at moments when a cause may have suspended a promise.

A promise is suspended for a partition when a record shows one of the causes in `causes.Cause`. For each cause that
suspends a promise there is an obvious bug here that shows at the moment of the cause and at no other: if the cause
suspended more than its source says, for other partitions or for longer, the bug would never be noticed.
"""

from dataclasses import replace

from gridproof_implementation.protocol.calls import Backup, BackupAck, Request, Response
from gridproof_implementation.protocol.fragment import Fragment, FragmentData
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
from suite.zoo.mutant import CLIENT_OPERATIONS, Interposer, MemberMutant, replacing, scripted, search_drawn, writes

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


def _install_empty(store: ReplicationPart, partition: int, fragment: FragmentData, index: int) -> None:
    _install(store, partition, replace(fragment, structures={}), index)


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


def _succeed_at_the_timeout(timeouts: Timeouts, invocation: Invocation) -> None:
    _succeed(timeouts._registry, invocation)


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    MemberMutant(
        number="E01",
        name="backup-ends",
        defect_class="C6",
        rule="A backup that ends takes the primary's content of its partitions with it.",
        source="what a copy's end takes away; repair.13",
        breaks=("acknowledged-write-kept", "backups-converge"),
        plant=replacing(PartitioningPart, "member_removed", _empty_where_a_copy_ended),
        witness=scripted(writes(12), CRASH),
    ),
    MemberMutant(
        number="E02",
        name="others-end",
        defect_class="C6",
        rule="A member that ends takes along what every other member has of partitions in which it held nothing.",
        source="what a copy's end takes away; repair.13",
        breaks=("acknowledged-write-kept", "reads-see-acknowledged-writes", "backups-converge"),
        plant=replacing(PartitioningPart, "member_removed", _empty_where_none_ended),
        witness=scripted(writes(12, keys=8), FaultEvent("crash", 300, 100_000, (3,)), members=5, partition_count=11),
    ),
    MemberMutant(
        number="E03",
        name="promoted-empty",
        defect_class="C6",
        rule="Who is promoted begins with nothing.",
        source="what a primary's end takes away; repair.9",
        breaks=("acknowledged-write-kept",),
        plant=replacing(FragmentStore, "promote", _promote_empty),
        witness=scripted(writes(12), FaultEvent("crash", 300, 100_000, (0,))),
    ),
    MemberMutant(
        number="E04",
        name="leaver-answers",
        defect_class="C9",
        rule="When a member ends, every call that waits succeeds.",
        source="what a leaver's acknowledgement takes away; backups.20",
        breaks=("answered-by-its-target", "refines-invocation"),
        plant=replacing(Answers, "member_removed", _answer_at_once),
        witness=scripted(
            writes(40, pause_ms=10, clients=4),
            FaultEvent("delay", 50, 3_000, (0, 1, 2, 3), 200_000),
            FaultEvent("crash", 200, 100_000, (3,)),
            members=4,
        ),
    ),
    MemberMutant(
        number="E05",
        name="merge-brings-nothing",
        defect_class="C13",
        rule="Who merges takes nothing along.",
        source="what a merge takes away; splits.7",
        breaks=("merge-brings-entries",),
        plant=replacing(Dissolution, "collect", lambda _: []),
        witness=scripted(writes(60, keys=12, pause_ms=800, clients=3), ONE_ALONE, members=3, partition_count=7),
        search=search_split,
    ),
    MemberMutant(
        number="E06",
        name="merging-entry-wins",
        defect_class="C13",
        rule="What a merge brings replaces what is there, whatever the policy.",
        source="what a merge takes away; splits.8",
        breaks=("acknowledged-write-kept", "reads-see-acknowledged-writes"),
        plant=replacing(PutIfAbsentMergePolicy, "merge", lambda _, merging, existing: merging),
        witness=scripted(writes(60, pause_ms=800, clients=3), ONE_ALONE, members=3, partition_count=7),
        search=search_split,
    ),
    MemberMutant(
        number="E07",
        name="moved-empty",
        defect_class="C5",
        rule="A destination begins with nothing.",
        source="what a migration takes away; migration.10",
        breaks=("acknowledged-write-kept", "reads-see-acknowledged-writes"),
        plant=replacing(FragmentStore, "install_fragment", _install_empty),
        witness=scripted(writes(12, keys=8), FaultEvent("join", 100, 60_000, (3,)), members=2, partition_count=7),
    ),
    MemberMutant(
        number="E08",
        name="gap-empties",
        defect_class="C8",
        rule="After a lost update the backup drops all it has, and calls itself complete.",
        source="what a lost message takes away; backups.11",
        breaks=("backups-converge", "refines-replication"),
        plant=replacing(ReplicationPart, "record", _empty_at_a_gap),
        witness=scripted(writes(12, keys=12), interposers=(Interposer("Backup", first=4),)),
    ),
    MemberMutant(
        number="E09",
        name="late-update-empties",
        defect_class="C8",
        rule="An update that comes too late takes the partition's content away.",
        source="what a late message takes away; backups.10",
        breaks=("backups-converge",),
        plant=replacing(ReplicationPart, "_refuse", _empty_when_late),
        witness=scripted(
            writes(30, pause_ms=5, clients=4, keys=30), interposers=OVERTAKEN_AT_THE_END, members=2, partition_count=1
        ),
        search=search_overtaken,
    ),
    MemberMutant(
        number="E10",
        name="stranger-empties",
        defect_class="C8",
        rule="An update of who is no member takes everything away.",
        source="what a message to another incarnation takes away; backups.14",
        breaks=("acknowledged-write-kept", "acknowledged-key-present", "backups-converge"),
        plant=replacing(ReplicationPart, "_refuse", _empty_for_a_stranger),
        witness=scripted(
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
        search=search_late,
    ),
    MemberMutant(
        number="E11",
        name="repeated-message-empties",
        defect_class="C9",
        rule="An acknowledgement that comes twice takes away all that its receiver has.",
        source="what a repeated message takes away; backups.16",
        breaks=("acknowledged-key-present",),
        plant=replacing(Answers, "on_backup_ack", _empty_when_repeated),
        witness=scripted(writes(12, keys=12), FaultEvent("duplicate", 0, 5_000, (0, 1, 2), 100)),
    ),
    MemberMutant(
        number="E12",
        name="destroys-all",
        defect_class="C16",
        rule="Who destroys one structure destroys all.",
        source="what a structure's end takes away; calls.34, sync.6",
        breaks=("acknowledged-write-kept", "reads-see-acknowledged-writes", "calm-keeps-entries"),
        plant=replacing(FragmentStore, "destroy", _destroy_all),
        witness=scripted([*writes(12, keys=12), DESTROYS]),
    ),
    MemberMutant(
        number="E13",
        name="spoilt-update-empties",
        defect_class="C8",
        rule="A backup that cannot apply an update drops all it has, and acknowledges.",
        source="what a failed update takes away; defect HZ-56",
        breaks=("acknowledged-write-kept", "backups-converge", "acknowledged-by-its-backups"),
        plant=replacing(ReplicationPart, "_refuse", _empty_where_thrown),
        witness=scripted(
            writes(12),
            FaultEvent("failing-backup", 150, 300, (0,)),
            FaultEvent("failing-backup", 150, 300, (1,)),
            FaultEvent("crash", 2_500, 100_000, (0,)),
        ),
    ),
    MemberMutant(
        number="E14",
        name="second-attempt-succeeds",
        defect_class="C11",
        rule="A call that is made again succeeds, and nobody is asked.",
        source="what a broken connection takes away; calls.14",
        breaks=("answered-by-its-target", "refines-invocation"),
        plant=replacing(Attempts, "attempt", _answer_the_second_attempt),
        witness=scripted(writes(30, pause_ms=100, clients=3), FaultEvent("crash", 300, 100_000, (0,))),
    ),
    MemberMutant(
        number="E15",
        name="nothing-written-unless-active",
        defect_class="C15",
        rule="Unless the cluster is active, changes do nothing and succeed.",
        source="what a cluster state takes away; members.24",
        breaks=("acknowledged-write-kept", "reads-see-acknowledged-writes", "answered-by-its-target"),
        plant=replacing(OperationPart, "execute", _execute_nothing_unless_active),
        witness=scripted(writes(30, pause_ms=100), FaultEvent("cluster-state", 200, 3_000, (0,))),
    ),
    MemberMutant(
        number="E16",
        name="time-out-succeeds",
        defect_class="C11",
        rule="A call that has timed out succeeds.",
        source="what a time-out takes away; calls.22",
        breaks=("answered-by-its-target", "refines-invocation"),
        plant=replacing(Timeouts, "time_out", _succeed_at_the_timeout),
        witness=scripted(writes(12), interposers=(Interposer("Request", first=4),)),
    ),
)
