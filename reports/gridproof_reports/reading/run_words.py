"""Steps of a run, and what clients ask for, as people say them."""

from collections.abc import Mapping

from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, OperationRecord, Outcome
from gridproof_reports.reading.event_sentences import sentence_of, who

CHANGES = {
    MemberChange.JOINED: "starts as {0}",
    MemberChange.LEFT: "left",
    MemberChange.CRASHED: "is gone, with what it held",
    MemberChange.MERGED: "ends to start anew in another cluster",
}
OPERATION_WORDS: Mapping[OperationKind, tuple[str, str, str]] = {
    OperationKind.WRITE: ("write {key} = {value}", "write", "writes"),
    OperationKind.REMOVE: ("remove {key}", "removal", "removals"),
    OperationKind.READ: ("read {key}", "read", "reads"),
    OperationKind.ADD: ("add to {key}", "addition", "additions"),
    OperationKind.APPEND: ("append {value} to {key}", "append", "appends"),
    OperationKind.OFFER: ("offer {value} to {key}", "offer", "offers"),
    OperationKind.POLL: ("poll {key}", "poll", "polls"),
    OperationKind.LOCK: ("lock {key}", "lock", "locks"),
    OperationKind.UNLOCK: ("unlock {key}", "unlock", "unlocks"),
    OperationKind.READ_REPLICA: ("look at the copy of {key}", "look at one copy", "looks at single copies"),
    OperationKind.READ_BACKUP: (
        "read {key}, from a backup perhaps",
        "read that a backup may answer",
        "reads that backups may answer",
    ),
    OperationKind.CONTAINS: (
        "ask whether {key} is there",
        "question whether an entry is there",
        "questions whether entries are there",
    ),
    OperationKind.SIZE: ("count the entries of {key}", "count of entries", "counts of entries"),
    OperationKind.PUT_IF_ABSENT: ("write {key} = {value} if it is absent", "write if absent", "writes if absent"),
    OperationKind.COMPARE_AND_SET: (
        "write {key} = {value} if it holds {expected}",
        "write if equal",
        "writes if equal",
    ),
    OperationKind.COMPARE_AND_REMOVE: ("remove {key} if it holds {expected}", "removal if equal", "removals if equal"),
    OperationKind.DESTROY: ("destroy the structure of {key}", "destruction", "destructions"),
    OperationKind.INSERT: ("insert {value} into {key}", "insertion", "insertions"),
    OperationKind.DISCARD: ("discard {value} from {key}", "discard", "discards"),
    OperationKind.ASK_SAFE: ("ask for {key}", "question of safety", "questions of safety"),
}
"""What is asked for, and what it is called in the singular and the plural."""


def say_event(record: EventRecord) -> str | None:
    """Return the sentence of an event, None for one that changes nothing."""
    return sentence_of(record.event, who(record))


def say_member(record: MemberRecord) -> str:
    """Return the sentence of a member that comes or goes."""
    return f"member {record.member} {CHANGES[record.change].format(record.name)}"


def say_operation(record: OperationRecord) -> str:
    """Return the sentence of a client's operation that ended."""
    asked = OPERATION_WORDS[record.kind][0].format(key=record.key, value=record.value, expected=record.expected)
    shown = "" if record.kind in (OperationKind.WRITE, OperationKind.REMOVE) else f", {record.answer or record.value}"
    why = f" ({record.reason})" if record.reason else ""
    how = record.outcome.value + (shown if record.outcome is Outcome.OK else why)
    copies = "" if record.confirmed_copies is None else f" with {record.confirmed_copies} copies"
    return f"client {record.client}: operation {record.operation}, {asked}, since {record.start_ms} ms: {how}{copies}"


def name_operations(kind: OperationKind, number: int) -> str:
    """Return what so many operations of a kind are called."""
    _, singular, plural = OPERATION_WORDS[kind]
    return singular if number == 1 else plural
