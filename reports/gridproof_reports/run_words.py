"""Steps of a run, and what clients ask for, as people say them."""

from collections.abc import Mapping
from types import MappingProxyType

from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome
from gridproof_reports.event_sentences import sentence_of, who

CHANGES = {
    MemberChange.JOINED: "starts as {0}",
    MemberChange.LEFT: "left",
    MemberChange.CRASHED: "is gone, with what it held",
    MemberChange.MERGED: "ends to start anew in another cluster",
}
ASKED = {
    OperationKind.WRITE: "write {key} = {value}",
    OperationKind.REMOVE: "remove {key}",
    OperationKind.READ: "read {key}",
    OperationKind.ADD: "add to {key}",
    OperationKind.APPEND: "append {value} to {key}",
    OperationKind.OFFER: "offer {value} to {key}",
    OperationKind.POLL: "poll {key}",
    OperationKind.LOCK: "lock {key}",
    OperationKind.UNLOCK: "unlock {key}",
    OperationKind.READ_REPLICA: "look at the copy of {key}",
    OperationKind.READ_BACKUP: "read {key}, from a backup perhaps",
    OperationKind.CONTAINS: "ask whether {key} is there",
    OperationKind.SIZE: "count the entries of {key}",
    OperationKind.PUT_IF_ABSENT: "write {key} = {value} if it is absent",
    OperationKind.COMPARE_AND_SET: "write {key} = {value} if it holds {expected}",
    OperationKind.COMPARE_AND_REMOVE: "remove {key} if it holds {expected}",
    OperationKind.DESTROY: "destroy the structure of {key}",
    OperationKind.INSERT: "insert {value} into {key}",
    OperationKind.DISCARD: "discard {value} from {key}",
    OperationKind.ASK_SAFE: "ask for {key}",
}


def say_event(record: EventRecord) -> str | None:
    """Return the sentence of an event, None for one that changes nothing."""
    return sentence_of(record.event, who(record))


def say_member(record: MemberRecord) -> str:
    """Return the sentence of a member that comes or goes."""
    return f"member {record.member} {CHANGES[record.change].format(record.name)}"


def say_operation(record: OperationRecord) -> str:
    """Return the sentence of a client's operation that ended."""
    asked = ASKED[record.kind].format(key=record.key, value=record.value, expected=record.expected)
    shown = "" if record.kind in (OperationKind.WRITE, OperationKind.REMOVE) else f", {record.answer or record.value}"
    why = f" ({record.reason})" if record.reason else ""
    how = record.outcome.value + (shown if record.outcome is Outcome.OK else why)
    copies = "" if record.confirmed_copies is None else f" with {record.confirmed_copies} copies"
    return f"client {record.client}: operation {record.operation}, {asked}, since {record.start_ms} ms: {how}{copies}"


OPERATION_WORDS: Mapping[OperationKind, tuple[str, str]] = MappingProxyType(
    {
        OperationKind.WRITE: ("write", "writes"),
        OperationKind.REMOVE: ("removal", "removals"),
        OperationKind.READ: ("read", "reads"),
        OperationKind.READ_REPLICA: ("look at one copy", "looks at single copies"),
        OperationKind.READ_BACKUP: ("read that a backup may answer", "reads that backups may answer"),
        OperationKind.CONTAINS: ("question whether an entry is there", "questions whether entries are there"),
        OperationKind.SIZE: ("count of entries", "counts of entries"),
        OperationKind.PUT_IF_ABSENT: ("write if absent", "writes if absent"),
        OperationKind.COMPARE_AND_SET: ("write if equal", "writes if equal"),
        OperationKind.COMPARE_AND_REMOVE: ("removal if equal", "removals if equal"),
        OperationKind.DESTROY: ("destruction", "destructions"),
        OperationKind.INSERT: ("insertion", "insertions"),
        OperationKind.DISCARD: ("discard", "discards"),
        OperationKind.ASK_SAFE: ("question of safety", "questions of safety"),
        OperationKind.ADD: ("addition", "additions"),
        OperationKind.APPEND: ("append", "appends"),
        OperationKind.OFFER: ("offer", "offers"),
        OperationKind.POLL: ("poll", "polls"),
        OperationKind.LOCK: ("lock", "locks"),
        OperationKind.UNLOCK: ("unlock", "unlocks"),
    }
)
"""In the singular and the plural."""


def name_operations(kind: OperationKind, number: int) -> str:
    """Return what so many operations of a kind are called; a kind without words of its own by its name."""
    singular, plural = OPERATION_WORDS.get(kind, (kind.value, f"{kind.value} operations"))
    return singular if number == 1 else plural
