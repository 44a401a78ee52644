"""The records of a trace: everything that a run showed.

A trace is a sequence of these records, in the order in which they happened. `docs/trace-format.md` describes the
records for people; the reader and the writers (JSON Lines, Parquet) are in `gridproof_implementation.trace`; every
judge, in Python or on Spark, sees only records. Members are numbered from 0 in the order in which they first appear in
a run; a restarted member is a new member with a new number. Times are in milliseconds since the beginning of the run
(virtual in a simulation, real otherwise). The content of a copy is recorded only as a short digest (`digest_entries`).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gridproof_model.events import NAMES, Event
from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.value import Immutable

FORMAT_VERSION = 2
SIMULATED = "simulated reference"
"""The system's name in the head of a simulated run."""
ABSENT = "absent"
"""A role in a digest record: the table assigns this copy to the member, but the member does not have it."""


class Outcome(StrEnum):
    """What a client knows about the effect of an operation once the operation has ended."""

    OK = "ok"
    REFUSED = "refused"
    """The operation was not executed, and will not be executed."""
    UNKNOWN = "unknown"
    """The operation may have been executed, or may still be executed: the call timed out, or the connection broke."""


class OperationKind(StrEnum):
    """What a client asked the system to do."""

    WRITE = "write"
    REMOVE = "remove"
    READ = "read"
    READ_REPLICA = "read-replica"
    """Reads an entry of the copy that one member holds, whatever its role."""
    READ_BACKUP = "read-backup"
    """Reads an entry, possibly from the backup at the member that is asked; the value may then be out of date."""
    CONTAINS = "contains"
    """Asks whether there is such an entry; the value is "true" or "false"."""
    SIZE = "size"
    """Counts the entries of a map, in each partition at a different moment; the key names no entry."""
    PUT_IF_ABSENT = "put-if-absent"
    """Writes the value if the entry is absent; the answer is the value that was there, None if it was absent."""
    COMPARE_AND_SET = "compare-and-set"
    """Writes the value if the entry has the value `expected`; the answer is "true" or "false"."""
    COMPARE_AND_REMOVE = "compare-and-remove"
    """Removes the entry if it has the value `expected`; the answer is "true" or "false"."""
    DESTROY = "destroy"
    """Deletes a structure with all its entries, on each member separately and in no order with other operations; there
    is one record for each key. No member answers, so the outcome is unknown: the deletion may take effect at any time,
    on one member before another, until all members are equal again."""
    ADD = "add"
    """Adds to a counter; the value in the answer is the new sum."""
    APPEND = "append"
    """Puts a value at the end of a list; a read of a list returns all its values, with blanks between them."""
    OFFER = "offer"
    """Puts a value at the end of a queue."""
    POLL = "poll"
    """Takes the first value off a queue."""
    LOCK = "lock"
    """Takes a lock; the value is "true" if the client got the lock, and "false" if it stopped waiting without it."""
    UNLOCK = "unlock"
    """Releases a lock."""
    INSERT = "insert"
    """Puts the value into a set; the answer says whether it was not there before. A read of a set returns all its
    values, sorted, with blanks between them."""
    DISCARD = "discard"
    """Removes the value from a set; the answer says whether it was there."""
    ASK_SAFE = "ask-safe"
    """Asks whether data is safe; the key says what is asked: `safety-cluster` whether every member says that it is
    safe, `safety-member` whether the asked member is safe, and `safety-forced` whether it is safe after it had time to
    become so. The value is "true" or "false"."""


OF_ENTRIES = frozenset(
    {
        OperationKind.ADD, OperationKind.CONTAINS, OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET,
        OperationKind.COMPARE_AND_REMOVE,
    }
)  # fmt: skip
"""The kinds of operations whose keys name entries."""


class MemberChange(StrEnum):
    """What happened to a member."""

    JOINED = "joined"
    LEFT = "left"
    CRASHED = "crashed"
    MERGED = "merged"
    """The member ended to start anew in another cluster; it takes with it the entries that the merge policy keeps."""


@dataclass(frozen=True, slots=True)
class RunRecord(Immutable):
    """The head of a run; always its first record."""

    run: str
    """The name of the run; it must be unique among the traces that are judged together."""
    system: str
    version: str
    seed: int
    partition_count: int
    backup_count: int
    """How many backups the system was asked to keep; a full row has one filled slot more than that, if groups allow."""
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
    """The partition group into which the harness put the member; members of one group must not share a row."""
    lite: bool = False
    weight: float = 1.0

    def __str__(self) -> str:
        return f"member {self.change} of member {self.member} at {self.at_ms:,} ms"


@dataclass(frozen=True, slots=True)
class ViewRecord(Immutable):
    """One member's whole table at one moment; its rows follow as row records with the same view number."""

    run: str
    view: int
    """The number of the view in the run, counted from 0."""
    at_ms: int
    stage: str
    """The run's stage, such as "joined 3" or "after crash"; readers see it, and judges pair views by their stages."""
    observer: int
    """The member that showed its table."""
    settled: bool
    """Whether the system was at rest: balance, full rows and agreement are promised only then."""
    members: tuple[MemberNumber, ...]
    """The members that were alive when the view was taken, in the order of joining."""
    data_members: tuple[MemberNumber, ...]
    """Those of the `members` that may own replicas."""
    groups: tuple[str, ...]
    """The partition group of each member number, up to the largest known one; "" for a member in no group."""


Slots = tuple[MemberNumber | None, ...]
"""The members that hold a partition, with the primary first."""


@dataclass(frozen=True, slots=True)
class RowRecord(Immutable):
    """The row of one partition in one view."""

    run: str
    view: int
    partition: int
    slots: Slots
    """Member numbers, the primary first, one for each slot that the system's rows have; None for an empty slot."""
    version: int | None = None
    """The row's version, if the system has row versions."""


@dataclass(frozen=True, slots=True)
class OperationRecord(Immutable):
    """One client operation, recorded when it ended."""

    run: str
    operation: int
    """The number of the operation, counted from 0 within the run in the order of invocation; each has its own."""
    client: int
    kind: OperationKind
    key: str
    partition: int | None
    value: str | None
    """The value that was written or read; None for an absent entry. In a run, no two writes write the same value."""
    outcome: Outcome
    confirmed_copies: int | None
    """How many copies the acknowledgement claims, including the primary's; None if it claims no number."""
    member: int | None
    """The member that was asked, if that matters, as in a read of a replica."""
    start_ms: int
    end_ms: int
    stage: str
    reason: str = ""
    """Why the operation was refused, or why its outcome is unknown, in the system's own words; empty if ok."""
    call: int | None = None
    """For a call with several entries, each of which is an operation: the number of the call's first operation."""
    executed_by: int | None = None
    """The member that executed the operation, if the system says so."""
    expected: str | None = None
    """For an operation that compares: the value that the entry had to have."""
    answer: str | None = None
    """The system's answer, for operations for which `value` is what was asked for."""


@dataclass(frozen=True, slots=True)
class DigestRecord(Immutable):
    """What one member's copy of one partition contains."""

    run: str
    at_ms: int
    stage: str
    settled: bool
    member: int
    partition: int
    role: str
    """The name of the copy's role, as the member itself says it: primary, backup, stale, …"""
    version: int | None
    entries: int
    digest: str
    """A hexadecimal digest; equal digests mean equal contents (keys and values)."""


@dataclass(frozen=True, slots=True)
class RouteRecord(Immutable):
    """A key, and the partition to which it belongs according to the system."""

    run: str
    key_type: str
    payload: bytes
    """Those bytes of the serialized key that are hashed, by the documented rule (not by the system)."""
    partition_count: int
    partition: int
    key: str
    """The key as a person would write it."""
    boundary: bool
    """Whether the key was constructed, by inverting the hash, to be on a boundary of the rule; else drawn at random."""
    documented: int | None = None
    """The partition according to the system's own documented rule, if that rule is not Murmur3 of the payload."""


@dataclass(frozen=True, slots=True)
class EventRecord(Immutable):
    """An event: a step of the protocol, a condition of the run, or something that the harness saw.

    In a file, the record contains the name and the fields of the event.
    """

    run: str
    """The run in which the event happened."""
    at_ms: int
    """The time in milliseconds since the run began."""
    member: int | None
    """The member that took the step, or that the harness observed; None if the event is about no single member."""
    event: Event

    @property
    def kind(self) -> type[TraceEvent]:
        """The type of the event; `type(record.event)` would be a union of a hundred types to a type checker."""
        event: TraceEvent = self.event
        return type(event)

    def __str__(self) -> str:
        by = "" if self.member is None else f" of member {self.member}"
        why = getattr(self.event, "why", "")
        return f"{NAMES[self.kind]}{by} at {self.at_ms:,} ms{why and f', {why}'}"


@dataclass(frozen=True, slots=True)
class VerdictRecord(Immutable):
    """A judge's verdict on the run; with it, a reader of the trace need not judge the run again."""

    run: str
    property: str
    verdict: str
    """One of the words holds, broken and unknown."""
    promise: str
    """One of the words promised, weakness and none: what the documents of the judged system say about the property."""
    sentence: str
    witness: tuple[str, ...]
    """The shortest story found that shows the broken property, one sentence for each step."""
    compared: int = 0
    """How many of the comparisons that could have failed were in scope."""
    reason: str = ""
    """Why the verdict is unknown: never met, not looked at, out of scope, undecided, judge failed; else empty."""
    out_of_scope: tuple[str, ...] = ()
    """Comparisons made while nothing was promised: for each cause, an object (cause, source, compared, failed)."""
    promised_by: str = ""
    """The source of the promise: the adapter, the agent's hello, or an auditor's file; empty if not recorded."""


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
"""The name of each kind of record: the value of "record" in a JSON line, and the file name in a Parquet trace."""


_DIGITS = 16


def digest_entries(entries: Mapping[str, str]) -> str:
    """Return a hexadecimal digest; it is equal for equal keys and values, in whatever order they come."""
    hasher = hashlib.sha256()
    for key, value in sorted(entries.items()):
        for part in (key.encode(), value.encode()):
            hasher.update(len(part).to_bytes(8, "big"))
            hasher.update(part)
    return hasher.hexdigest()[:_DIGITS]
