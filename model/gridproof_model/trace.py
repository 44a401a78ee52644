"""The records of a trace: everything that one run showed.

A trace is a sequence of these records, in the order in which they happened. `docs/trace-format.md` is the page for
people; the reader and writers (JSON Lines, Parquet) are in `gridproof_implementation.trace`; every judge, in Python or
on Spark, sees records and nothing else. Members are numbered from 0 in the order in which a run first shows them; a
restarted member is a new one with a new number. Times are milliseconds since the run began (virtual in a simulation,
real otherwise). The content of a copy is recorded as one short digest (`digest_entries`).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gridproof_model.events import NAMES, Event
from gridproof_model.events.trace_event import MemberNumber
from gridproof_model.value import Immutable

FORMAT_VERSION = 2
SIMULATED = "simulated reference"
"""The name of the system in the head of a simulated run."""
ABSENT = "absent"
"""A role in a digest record: the table assigns the member this copy, but the member does not hold it."""


class Outcome(StrEnum):
    """What a client knows about an operation's effect when the operation ends."""

    OK = "ok"
    REFUSED = "refused"
    """The operation was not executed, and will not be."""
    UNKNOWN = "unknown"
    """The operation may have been executed, or may be later: after a timeout or a broken connection."""


class OperationKind(StrEnum):
    """What a client asked the system to do."""

    WRITE = "write"
    REMOVE = "remove"
    READ = "read"
    READ_REPLICA = "read-replica"
    """Reads an entry of the copy that one member holds, whatever its role."""
    READ_BACKUP = "read-backup"
    """Reads an entry, possibly from the backup that the asked member holds; the value returned may be an older one."""
    CONTAINS = "contains"
    """Asks whether an entry is there; the value is "true" or "false"."""
    SIZE = "size"
    """Counts the entries of a map, each partition at its own moment; the key names no entry."""
    PUT_IF_ABSENT = "put-if-absent"
    """Writes the value if the entry is absent; the answer is the value that was there, None if the write was done."""
    COMPARE_AND_SET = "compare-and-set"
    """Writes the value if the entry holds `expected`; the answer is "true" or "false"."""
    COMPARE_AND_REMOVE = "compare-and-remove"
    """Removes the entry if it holds `expected`; the answer is "true" or "false"."""
    DESTROY = "destroy"
    """Deletes a structure with all its entries, on each member separately and in no order with other operations; each
    key has a record. No member answers: the outcome is unknown, and the deletion may take effect at any time, on one
    member before another, until all members are equal again."""
    ADD = "add"
    """Adds to a counter; the value in the answer is the new sum."""
    APPEND = "append"
    """Puts a value at the end of a list; a read of a list returns all values, with blanks between them."""
    OFFER = "offer"
    """Puts a value at the end of a queue."""
    POLL = "poll"
    """Takes the first value off a queue."""
    LOCK = "lock"
    """Takes a lock; the value is "true" if the lock was acquired, "false" if the wait ended without it."""
    UNLOCK = "unlock"
    """Releases a lock."""
    INSERT = "insert"
    """Puts the value into a set; the answer says whether it was absent before. A read of a set returns all values,
    sorted, with blanks between them."""
    DISCARD = "discard"
    """Removes the value from a set; the answer says whether it was there."""
    ASK_SAFE = "ask-safe"
    """Asks whether data is safe; the key says which question: `safety-cluster` whether every member says that it is
    safe, `safety-member` whether the asked member is, `safety-forced` the same after the member had time to become
    safe. The value is "true" or "false"."""


OF_ENTRIES = frozenset(
    {
        OperationKind.ADD, OperationKind.CONTAINS, OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET,
        OperationKind.COMPARE_AND_REMOVE,
    }
)  # fmt: skip
"""The kinds of operation whose keys are keys of entries."""


class MemberChange(StrEnum):
    """What happened to a member."""

    JOINED = "joined"
    LEFT = "left"
    CRASHED = "crashed"
    MERGED = "merged"
    """The member ended to start anew in another cluster, and takes along the entries that the merge policy keeps."""


@dataclass(frozen=True, slots=True)
class RunRecord(Immutable):
    """The head of a run; always its first record."""

    run: str
    """The name of the run, unique among the traces judged together."""
    system: str
    version: str
    seed: int
    partition_count: int
    backup_count: int
    """How many backups the system was asked to keep; a full row has one slot more filled, if groups allow."""
    format_version: int = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class MemberRecord(Immutable):
    """A member joined, left or crashed."""

    run: str
    at_ms: int
    member: int
    change: MemberChange
    name: str
    """The member's address and uuid, or a library's name for the node."""
    group: str
    """The partition group that the harness put it in; members of one group must not share a row."""
    lite: bool = False
    weight: float = 1.0

    def __str__(self) -> str:
        return f"member {self.change} of member {self.member} at {self.at_ms:,} ms"


@dataclass(frozen=True, slots=True)
class ViewRecord(Immutable):
    """One member's whole table at one moment; its rows follow as RowRecords with the same view number."""

    run: str
    view: int
    """The number of the view, from 0 within the run."""
    at_ms: int
    stage: str
    """The stage of the run, such as "joined 3" or "after crash"; people read it, and views are paired by it."""
    observer: int
    """The member that showed its table."""
    settled: bool
    """Whether the system was at rest: balance, full rows and agreement are promised only then."""
    members: tuple[MemberNumber, ...]
    """The members alive when the view was taken, in join order."""
    data_members: tuple[MemberNumber, ...]
    """The members among these that may own replicas."""
    groups: tuple[str, ...]
    """The partition group of each member number up to the largest known; "" for a member in no group."""


Slots = tuple[MemberNumber | None, ...]
"""The members that hold a partition, the primary first."""


@dataclass(frozen=True, slots=True)
class RowRecord(Immutable):
    """One partition in one view."""

    run: str
    view: int
    partition: int
    slots: Slots
    """Member numbers, the primary first, one for each slot that the system has; None for an empty slot."""
    version: int | None = None
    """The row's version, if the system has row versions."""


@dataclass(frozen=True, slots=True)
class OperationRecord(Immutable):
    """One client operation, recorded when it ended."""

    run: str
    operation: int
    """The number of the operation, from 0 within the run in the order of invocation."""
    client: int
    kind: OperationKind
    key: str
    partition: int | None
    value: str | None
    """The value written or read; None for an absent entry. No two writes of a run write the same value."""
    outcome: Outcome
    confirmed_copies: int | None
    """How many copies the acknowledgement claims, the primary's included; None if it claims no number."""
    member: int | None
    """The member that was asked, if that matters (a replica read)."""
    start_ms: int
    end_ms: int
    stage: str
    reason: str = ""
    """Why the operation was refused, or why its outcome is unknown, in the words of the system; empty if it is ok."""
    call: int | None = None
    """For a call with several entries, each an operation of its own: the number of the call's first operation."""
    executed_by: int | None = None
    """The member that executed the operation, if the system says so."""
    expected: str | None = None
    """The value that the entry had to hold, for an operation that compares."""
    answer: str | None = None
    """The system's answer, for operations whose value is what was asked for."""


@dataclass(frozen=True, slots=True)
class DigestRecord(Immutable):
    """The content of one member's copy of one partition."""

    run: str
    at_ms: int
    stage: str
    settled: bool
    member: int
    partition: int
    role: str
    """The member's own word for its role: primary, backup, stale, …"""
    version: int | None
    entries: int
    digest: str
    """A hexadecimal digest; equal digests mean equal contents (keys and values)."""


@dataclass(frozen=True, slots=True)
class RouteRecord(Immutable):
    """A key, and the partition that the system says it belongs to."""

    run: str
    key_type: str
    payload: bytes
    """The serialized bytes of the key that are hashed, by the documented rule (not by the system)."""
    partition_count: int
    partition: int
    key: str
    """The key as a person would write it."""
    boundary: bool
    """Whether the key was constructed, by inverting the hash, to lie on a boundary of the rule, not drawn at random."""
    documented: int | None = None
    """The partition by the system's own documented rule, if that rule is not Murmur3 of the payload."""


@dataclass(frozen=True, slots=True)
class EventRecord(Immutable):
    """An event: a step of the protocol, a condition of the run, or something that the harness saw.

    A file holds the name and the fields of that event.
    """

    run: str
    """The run in which the event happened."""
    at_ms: int
    """The time in milliseconds since the run began."""
    member: int | None
    """The member that took the step, or that the harness observed; None for an event of no single member."""
    event: Event

    def __str__(self) -> str:
        by = "" if self.member is None else f" of member {self.member}"
        why = getattr(self.event, "why", "")
        return f"{NAMES[type(self.event)]}{by} at {self.at_ms:,} ms{why and f', {why}'}"


@dataclass(frozen=True, slots=True)
class VerdictRecord(Immutable):
    """A judge's verdict on the run, so that a trace can be read without judging it again."""

    run: str
    property: str
    verdict: str
    """One of holds, broken or unknown."""
    promise: str
    """One of promised, weakness or none: what the subject's own documents say of the property."""
    sentence: str
    witness: tuple[str, ...]
    """The smallest story that shows the broken property, one sentence for each step."""
    compared: int = 0
    """How many comparisons were in scope and could have failed."""
    reason: str = ""
    """Why the verdict is unknown: never met, not looked at, out of scope, undecided, judge failed; else empty."""
    out_of_scope: tuple[str, ...] = ()
    """Comparisons made while nothing was promised: a JSON object for each cause (cause, source, compared, failed)."""
    promised_by: str = ""
    """The source of the promise: the adapter, the agent's hello, or an auditor's file; empty if it is not recorded."""


Record = (
    RunRecord
    | MemberRecord
    | ViewRecord
    | RowRecord
    | OperationRecord
    | DigestRecord
    | RouteRecord
    | EventRecord
    | VerdictRecord
)

RECORD_KINDS: dict[str, type[Record]] = {
    "run": RunRecord,
    "member": MemberRecord,
    "view": ViewRecord,
    "row": RowRecord,
    "operation": OperationRecord,
    "digest": DigestRecord,
    "route": RouteRecord,
    "event": EventRecord,
    "verdict": VerdictRecord,
}
"""The name of each kind of record: the value of "record" in a JSON line, and a file name in a Parquet trace."""


_DIGITS = 16


def digest_entries(entries: Mapping[str, str]) -> str:
    """Return a hexadecimal digest that is equal for equal keys and values, whatever their order."""
    hasher = hashlib.sha256()
    for key, value in sorted(entries.items()):
        for part in (key.encode(), value.encode()):
            hasher.update(len(part).to_bytes(8, "big"))
            hasher.update(part)
    return hasher.hexdigest()[:_DIGITS]
