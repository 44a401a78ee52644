"""Whether at least one copy of an acknowledged operation must have survived.

An acknowledgement guarantees a number of copies: in a calm grid the primary and every sync backup, whatever the answer
says; if something happened to the partition meanwhile, as many copies as the answer names (limits.3). The operation
survives if fewer members that hold a copy have ended between two rests than there were copies (repair.13).
"""

from collections.abc import Mapping

from gridproof_model.events.words import Admission
from gridproof_model.trace import OperationKind, OperationRecord
from gridproof_properties.judging.causes import ANY_CAUSE, WORDS, Cause
from gridproof_properties.judging.conditions import RunConditions
from gridproof_properties.judging.guarantee import Limit
from gridproof_properties.judging.words import count, through

KEPT_LIMITS = (
    Limit(
        Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER,
        "limits.5, limits.7: an older operation is executed once more",
    ),
    # A member that returns to a frozen cluster gets its slots back, but no data; a member that leaves it moves no data.
    Limit(Cause.COPY_ENDED, "members.26, leaving.7", only_with=Cause.FROZEN),
)
"""What suspends the promise that an acknowledged change is kept, besides the end of all members with a copy."""

ORDER_LIMITS = (*KEPT_LIMITS, Limit(Cause.REMOVED_ALIVE, "splits.1, limits.5: what two clusters had becomes one"))
"""What suspends the promise that a list or a queue keeps acknowledged elements in order."""
TWO_CLUSTERS = Limit(Cause.REMOVED_ALIVE | Cause.HELD_UP, "table.5: there may be two clusters")
"""What suspends the promise that only one master changes the table: a slow member may be removed and still go on."""
GIVEN_BY_TWO = Limit(Cause.REMOVED_ALIVE, "limits.5: two clusters give it away")
"""What suspends the promise that a lock is given to one client at a time."""
TWICE_LIMITS = (
    Limit(
        Cause.REMOVED_ALIVE | Cause.MESSAGE_REPEATED | Cause.MESSAGE_FOR_ANOTHER | Cause.CONNECTION_BROKEN,
        "calls.18: duplicate execution",
    ),
)
"""The causes by which an operation can be executed twice even if calls of unknown outcome fail as indeterminate."""
TWICE_UNLESS_STRICT = Limit(Cause.MOVED | Cause.COPY_ENDED, "limits.2", unless_strict=True)
"""A call is sent again when the primary changes; a strict call that may have been executed fails instead."""

# These enum members are looked up once, here: every comparison of every judge of writes reads them.
_REMOVE, _REMOVED_ALIVE = OperationKind.REMOVE, Cause.REMOVED_ALIVE

NO_COMING = ANY_CAUSE & ~(Cause.COPY_ENDED | Cause.PRIMARY_ENDED | Cause.MERGED)
"""The causes that a story names for a partition; joins and ends of members are named separately."""
TRANSIT_MS = 1_000
"""How long an update may be on its way to an async backup."""
TOO_MANY_ENDED = ("as many members ended as held a copy", "repair.13, limits.3")
REMOVED_ON_ONE_HALF = ("the other half still had the entry, and a merge kept it", "splits.8: an absent entry takes")
REPLACED_BY_MERGE = ("a merge replaced the value by that of the other half", "splits.8: the merge policy decides")
ENTRY_KINDS = frozenset({OperationKind.WRITE, OperationKind.REMOVE})
"""Operations on entries: a merge replaces entries one by one with a written value, but counters, lists and queues as
wholes."""
DESTROYED = ("the structure was destroyed", "calls.34, sync.6: every member forgets a structure by itself")
OF_THE_OTHER_HALF = ("the member that was asked left its cluster for another", "splits.1, limits.5")


def vouched_copies(conditions: RunConditions, operation: OperationRecord, backups: int | None = None) -> int:
    """Return how many copies an acknowledgement guarantees; `backups` is given if it is not what the run asked for.

    If some sync backup has not acknowledged, only the primary's copy is guaranteed: the surviving backup with the
    lowest index is promoted, and it may be the one that missed the operation (repair.3).
    """
    named = conditions.disturbed.get(operation.operation)
    if (
        conditions.admits is Admission.NOTHING
    ):  # the answer vouches for the copies asked for, unless it itself names fewer
        named = operation.confirmed_copies
    if named is None and operation.confirmed_copies is None and conditions.configured is not None:
        # No caller waits for backups of a multi-partition call (calls.28), so updates may arrive after the answer.
        end_ms = operation.end_ms + TRANSIT_MS
        incident = conditions.incidents.find(ANY_CAUSE, operation.partition, operation.start_ms, end_ms)
        named = None if incident is None else 1
    owed = conditions.owed_copies(backups, operation.end_ms)
    return owed if named is None else named if named >= owed else 1


def why_lost(
    conditions: RunConditions,
    operation: OperationRecord,
    until_ms: float,
    backups: int | None = None,
    since_ms: float | None = None,
) -> tuple[str, str] | None:
    """Return why an acknowledged operation need not have survived, with the source; None if it must have survived.

    If the operation was seen at rest, at `since_ms`, it has at that moment as many copies as a rest restores.
    """
    if conditions.is_untouched:
        return None
    if conditions.admits is Admission.HAZELCAST and (why := _why_merged(conditions, operation, until_ms)):
        return why
    start_ms = operation.start_ms if since_ms is None else since_ms
    # A late request to destroy the structure may have removed it unnoticed from a single copy (limits.10).
    if conditions.was_destroyed(operation.key, operation.start_ms, until_ms):
        return DESTROYED
    vouched = vouched_copies(conditions, operation, backups)
    if conditions.ended.are_lost(vouched, operation.partition, start_ms, until_ms):
        return TOO_MANY_ENDED
    return None


def harmed_since_ms(conditions: RunConditions, operation: OperationRecord, since_ms: float) -> float:
    """Return from which time on a fault may have undone an operation whose effect was last seen at `since_ms`.

    The result is `since_ms`, with one exception: if equal versions may stand for different contents (limits.10), the
    read at `since_ms` showed only one copy, and other copies may have lost the effect before.
    """
    return operation.start_ms if conditions.admits is Admission.HAZELCAST else since_ms


def _why_merged(conditions: RunConditions, operation: OperationRecord, until_ms: float) -> tuple[str, str] | None:
    """Return why a merge may have discarded an acknowledged operation, according to the documents of Hazelcast."""
    if conditions.ended.has_merged(operation.member) and _is_split(conditions, operation, operation.end_ms):
        return OF_THE_OTHER_HALF
    if operation.kind is _REMOVE and _is_split(conditions, operation, until_ms):
        return REMOVED_ON_ONE_HALF
    if operation.kind not in ENTRY_KINDS and is_replaced_by_merge(conditions, operation, until_ms):
        return REPLACED_BY_MERGE
    return None


def is_replaced_by_merge(conditions: RunConditions, operation: OperationRecord, until_ms: float) -> bool:
    """Whether a merge may have replaced a value of this half with the value of another half."""
    configured = conditions.configured
    keeps = configured is None or configured.merge_keeps
    return not keeps and _is_split(conditions, operation, until_ms)


def _is_split(conditions: RunConditions, operation: OperationRecord, until_ms: float) -> bool:
    return conditions.incidents.find(_REMOVED_ALIVE, operation.partition, operation.start_ms, until_ms) is not None


def describe_loss(
    conditions: RunConditions,
    write: OperationRecord,
    read: OperationRecord,
    rule: str,
    held: Mapping[int, tuple[int, str | None]] | None = None,
) -> tuple[str, ...]:
    """Return the story of a read that missed an acknowledged write, and so broke a rule.

    The story says what was read, which client had written which value, and the rule; then, in the order of time, what
    happened to the write, to members and to the partition, and the partition's row; and, by member, which value each
    copy held when it was asked by itself (`held`), and when.
    """
    value = "removed the key" if write.kind is _REMOVE else f"written {write.value!r} to it"
    of = "" if write.partition is None else f" (partition {write.partition})"
    copies = "" if write.confirmed_copies is None else f" with {count(write.confirmed_copies, 'copy', 'copies')}"
    found = "nothing" if read.value is None else repr(read.value)
    breach = (
        f"at {read.end_ms:,} ms ({read.stage!r}) client {read.client} read key {write.key!r}{of}{through(read.member)} "
        f"and found {found} (read {read.operation}), though client {write.client} had {value} (write "
        f"{write.operation}), acknowledged at {write.end_ms:,} ms; {rule}"
    )
    happened = [(float(write.end_ms), f"at {write.end_ms:,} ms ({write.stage!r}) the write was acknowledged{copies}")]
    incident = conditions.incidents.find(NO_COMING, write.partition, write.start_ms, read.end_ms)
    happened += [(incident.first_ms, f"at {incident.first_ms:,} ms {WORDS[incident.cause]}")] if incident else []
    happened += conditions.comings.between(write, read)
    if read.executed_by is not None:
        happened.append((read.end_ms, f"{conditions.scene.call(read.executed_by)} executed the read"))
    story = [breach, *conditions.rest.history(write.partition, read.end_ms, *happened)]
    looks: dict[str, list[str]] = {}
    for by, (at_ms, entry) in sorted((held or {}).items(), key=lambda one: one[1][0]):
        had = f"{conditions.scene.call(by)} had {'no entry' if entry is None else repr(entry)} at {at_ms:,} ms"
        looks.setdefault(f"{'after' if at_ms > read.end_ms else 'before'} this read", []).append(had)
    seen = "; ".join(f"{when}, {', '.join(one)}" for when, one in looks.items())
    story += [f"what members had when last asked for their own copies of the key: {seen}"] if seen else []
    return tuple(story)
