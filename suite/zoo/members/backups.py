"""Mutants of backups: of how updates are sent, applied, recorded and acknowledged."""

from dataclasses import replace
from itertools import takewhile

from gridproof_implementation.protocol import version_vector
from gridproof_implementation.protocol.calls import Backup, Request
from gridproof_implementation.protocol.fragment import Fragment
from gridproof_implementation.protocol.numbered_items import NumberedItems
from gridproof_implementation.protocol.operation.backups import NOTHING_SENT, BackupSender
from gridproof_implementation.protocol.replication.part import ReplicationPart
from gridproof_implementation.protocol.structure import Execution, Operation, Origin
from gridproof_implementation.protocol.structures.map import MapPart, States
from gridproof_implementation.protocol.structures.set import Discard, SetPart
from gridproof_implementation.simulator.scenario import ClientOperation, FaultEvent
from gridproof_model.events.words import Applied
from gridproof_model.grid_config import BackupCounts
from gridproof_model.membership import MemberId
from gridproof_model.trace import OperationKind
from suite.zoo.mutant import CLIENT_OPERATIONS, Bug, Interposer, MemberMutant, replacing, scripted, search_drawn, writes

_send = BackupSender.send
_on_backup = ReplicationPart.on_backup
_apply_items = NumberedItems.apply_backup
_apply_entries = MapPart.apply_backup
_judge = version_vector.judge
_execute_on_set = SetPart.execute
_INSERT, _DISCARD = OperationKind.INSERT, OperationKind.DISCARD
_addressed = BackupSender.addressed
OVERTAKING = ("drop", "failing-backup", "overtake")
"""The faults that make a backup ask for a sync and let the sync's answer come before updates that were sent earlier."""
search_overtaken = search_drawn(*OVERTAKING, client_operations=2 * CLIENT_OPERATIONS, workload="entries")
FAILING = (FaultEvent("failing-backup", 0, 500, (0,)), FaultEvent("failing-backup", 0, 500, (1,)))
"""Each member fails to apply updates while it is a backup."""
OVERTAKEN = (
    Interposer("Backup", first=2),
    Interposer("Backup", first=3, late_us=300_000),
    Interposer("SyncRequest", late_us=50_000),
)
"""An update is lost, the next update makes the backup ask for a sync, and the answer overtakes earlier updates."""


def _wait_for_no_backup(
    sender: BackupSender, caller: MemberId, request: Request, configured: BackupCounts
) -> tuple[int, int]:
    return 0, _addressed(sender, caller, request, configured)[1]


def _subtract_asynchronous(
    sender: BackupSender, caller: MemberId, request: Request, configured: BackupCounts
) -> tuple[int, int]:
    sync, total = _addressed(sender, caller, request, configured)
    most = sender._node.partitions.max_backup_count
    return (
        (sync, min(most, configured.sync) + min(most - configured.sync, configured.asynchronous)) if total else (0, 0)
    )


def _stop_at_the_first_new_key(part: MapPart, backup: object) -> None:
    if isinstance(backup, States) and len(backup.entries) > 1:
        known = part.entries()
        backup = States(tuple(takewhile(lambda item: item[0] in known, backup.entries)))
    _apply_entries(part, backup)


def _start_numbering_anew(items: NumberedItems, backup: object) -> None:
    last = items._last_number
    _apply_items(items, backup)
    items._last_number = last


def _record_first(part: ReplicationPart, sender: MemberId, backup: Backup) -> None:
    if part.why_not_applied(sender, backup) is None:
        fragment = part.fragment(backup.partition, backup.namespace)
        own = version_vector.entry_of(fragment.versions, backup.index)
        verdict = _judge(own, version_vector.entry_of(backup.versions, backup.index))
        if verdict is not None:
            part.record(fragment, backup, verdict)
    _on_backup(part, sender, backup)


def _acknowledge_first(part: ReplicationPart, sender: MemberId, backup: Backup) -> None:
    part.acknowledge(backup)
    _on_backup(part, sender, backup)


def _take_older_ones(own: int, brought: int) -> Applied:
    verdict = _judge(own, brought)
    return Applied.EQUAL if verdict is None else verdict


def _overlook_gaps(part: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Applied) -> None:
    fragment.versions = version_vector.taken_over(fragment.versions, backup.versions, backup.index)


def _stay_before_a_gap(part: ReplicationPart, fragment: Fragment, backup: Backup, verdict: Applied) -> None:
    if verdict is not Applied.GAPPED:
        fragment.versions = version_vector.taken_over(fragment.versions, backup.versions, backup.index)


def _never_there(part: SetPart, operation: Operation, origin: Origin) -> Execution:
    done = _execute_on_set(part, operation, origin)
    return replace(done, value=False) if isinstance(operation, Discard) else done


def _put_several(number: int) -> list[ClientOperation]:
    keys = " ".join(f"entries-{key}" for key in range(3))
    return [
        ClientOperation("entries", OperationKind.WRITE, keys, " ".join(f"v{place}.{key}" for key in range(3)))
        for place in range(number)
    ]


def _append(number: int) -> list[ClientOperation]:
    return [ClientOperation("appends", OperationKind.APPEND, "appends-0", f"v{n}", pause_ms=100) for n in range(number)]


MEMBER_MUTANTS: tuple[MemberMutant, ...] = (
    Bug("M10", "no-reply-no-backup", "C9", "defect HZ-54", breaks=("backups-converge",)).by(
        "An operation that gives no response is not sent to the backups.",
        replacing(
            BackupSender,
            "send",
            lambda sender, caller, request, update, namespace, fragment: (
                _send(sender, caller, request, update, namespace, fragment) if request.call_id else NOTHING_SENT
            ),
        ),
        scripted(_put_several(2), members=2, partition_count=1),
        quick=True,
    ),
    Bug("M11", "first-new-key-ends-a-backup", "C9", "defect HZ-57", breaks=("backups-converge",)).by(
        "The backup of several entries ends at the first key that the backup does not have.",
        replacing(MapPart, "apply_backup", _stop_at_the_first_new_key),
        scripted(_put_several(2), members=2, partition_count=1),
        quick=True,
    ),
    Bug("M17", "numbering-restarts", "C16", "defect HZ-91", breaks=("acknowledged-append-kept",)).by(
        "A backup does not learn the last number of an item, so that after a promotion numbers are given twice.",
        replacing(NumberedItems, "apply_backup", _start_numbering_anew),
        scripted(_append(12), FaultEvent("crash", 500, 100_000, (0,)), members=2, partition_count=1),
    ),
    Bug("M21", "version-before-content", "C8", "defect HZ-48", breaks=("backups-converge",)).by(
        "A backup records the versions of an update, then applies it.",
        replacing(ReplicationPart, "on_backup", _record_first),
        scripted(writes(4), *FAILING, members=2, partition_count=1),
        quick=True,
    ),
    Bug("M22", "older-update-applied", "C8", "defect HZ-49", breaks=("backup-never-goes-back",)).by(
        "A backup applies an update that is older than what it has.",
        replacing(version_vector, "judge", _take_older_ones),
        scripted(writes(80, pause_ms=5, clients=4), interposers=OVERTAKEN, members=2, partition_count=1),
        search_overtaken,
    ),
    Bug("M23", "gap-not-marked", "C8", "defect HZ-50, P-11", breaks=("backups-converge",)).by(
        "An update after a gap is recorded, and the replica is not marked dirty.",
        replacing(ReplicationPart, "record", _overlook_gaps),
        scripted(writes(16, pause_ms=100, keys=16, clients=2), *FAILING, members=2, partition_count=1),
    ),
    Bug("X02", "gap-not-recorded", "C8", "defect HZ-50", breaks=("refines-replication",)).by(
        "An update after a gap is applied, and the versions stay.",
        replacing(ReplicationPart, "record", _stay_before_a_gap),
        scripted(writes(80, pause_ms=50, clients=4), interposers=OVERTAKEN, members=2, partition_count=1),
    ),
    Bug("X15", "waits-for-no-backup", "C9", "invariant R4", breaks=("acknowledgement-has-all-copies",)).by(
        "Callers are asked to wait for no sync backup.",
        replacing(BackupSender, "addressed", _wait_for_no_backup),
        scripted(writes(4), members=2, partition_count=1),
        quick=True,
    ),
    Bug("X69", "async-backups-subtracted", "C9", "defect HZ-93", breaks=("acknowledgement-has-all-copies",)).by(
        "Where there are fewer groups than copies, async backups are taken off the sync backups that get an update.",
        replacing(BackupSender, "addressed", _subtract_asynchronous),
        scripted(writes(4), members=2, sync_backups=2, async_backups=1, partition_count=1),
        quick=True,
    ),
    Bug("X16", "several-entries-written-nowhere", "C9", "invariant I2", breaks=("acknowledged-write-kept",)).by(
        "A call that puts several entries writes nothing, and succeeds.",
        replacing(MapPart, "_put_all", lambda *_: Execution(None)),
        scripted(_put_several(2), members=2, partition_count=1),
        quick=True,
    ),
    Bug("X57", "set-never-has-it", "C9", "invariant I7", breaks=("size-within-bounds",)).by(
        "A set takes items out, and answers that they were not there.",
        replacing(SetPart, "execute", _never_there),
        scripted(
            [ClientOperation("sets", kind, "sets-0", "v1", pause_ms=20) for kind in (_INSERT, _DISCARD)],
            partition_count=1,
        ),
        search_drawn(workload="sets"),
        quick=True,
    ),
    Bug("X03", "acknowledged-before-applied", "C9", "invariant R4; defect HZ-48", breaks=("refines-invocation",)).by(
        "A backup acknowledges an update before it looks whether it can apply it.",
        replacing(ReplicationPart, "on_backup", _acknowledge_first),
        scripted(writes(4), *FAILING, members=2, partition_count=1),
    ),
)
