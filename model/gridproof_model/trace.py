"""The records of a trace: everything one run showed.

A trace is a sequence of these records, in the order they happened. `docs/trace-format.md` is the page for people; the
reader and writers (JSON Lines, Parquet) are in `gridproof_implementation.trace`; every judge, in Python or on Spark,
sees records and nothing else. Members are numbered from 0 in the order a run first shows them; a restarted member is a
new one with a new number. Times are milliseconds since the run began (virtual in a simulation, real otherwise).

The whole content of a copy is one short word (`digest_entries`).
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gridproof_model.events import Event
from gridproof_model.events.trace_event import MemberNumber
from gridproof_model.value import Immutable

FORMAT_VERSION = 2
SIMULATED = "simulated reference"
"""The system of a simulated run."""
ABSENT = "absent"
"""Role in a digest: the table assigns this copy to the member, and the member holds nothing."""


class Outcome(StrEnum):
    """What a client knows of an operation when it ends."""

    OK = "ok"
    REFUSED = "refused"
    """Definitely not executed, now or later."""
    UNKNOWN = "unknown"
    """Perhaps executed, perhaps not, perhaps later: a timeout, a broken connection."""


class OperationKind(StrEnum):
    """What a client asked for."""

    WRITE = "write"
    REMOVE = "remove"
    READ = "read"
    READ_REPLICA = "read-replica"
    """Looks into the copy that one member holds, whatever its role."""
    READ_BACKUP = "read-backup"
    """Reads an entry, and the backup that the member asked holds may answer: what it returns may be older."""
    CONTAINS = "contains"
    """Asks whether an entry is there; the value is "true" or "false"."""
    SIZE = "size"
    """Counts the entries of a map, each partition at a time of its own; the key names no entry."""
    PUT_IF_ABSENT = "put-if-absent"
    """Writes the value where the entry is absent; the answer is the value that was there, None where it was written."""
    COMPARE_AND_SET = "compare-and-set"
    """Writes the value where the entry holds `expected`; the answer is "true" or "false"."""
    COMPARE_AND_REMOVE = "compare-and-remove"
    """Removes the entry where it holds `expected`; the answer is "true" or "false"."""
    DESTROY = "destroy"
    """Forgets a structure with all its entries, on each member by itself and in no order with other operations; one
    record a key. Nobody answers: the outcome is unknown, and it may take effect at any time, here and not there, until
    all members are equal again."""
    ADD = "add"
    """Adds to a counter; an answered value is the sum."""
    APPEND = "append"
    """Puts a value at the end of a list; a read of a list gives all values, with blanks between them."""
    OFFER = "offer"
    """Puts a value at the end of a queue."""
    POLL = "poll"
    """Takes the first value off a queue."""
    LOCK = "lock"
    """Takes a lock; the value is "true" when it was got, "false" when the wait was in vain."""
    UNLOCK = "unlock"
    """Gives a lock back."""
    INSERT = "insert"
    """Puts the value into a set; the answer says whether it was not there. A read of a set gives all values, sorted,
    with blanks between them."""
    DISCARD = "discard"
    """Takes the value out of a set; the answer says whether it was there."""
    ASK_SAFE = "ask-safe"
    """Asks how safe data is, where the key says what is asked: `safety-cluster` whether every member says that it is
    safe, `safety-member` whether the member asked is, `safety-forced` the same after it has had time to become so. The
    value is "true" or "false"."""


OF_ENTRIES = frozenset(
    {
        OperationKind.ADD, OperationKind.CONTAINS, OperationKind.PUT_IF_ABSENT, OperationKind.COMPARE_AND_SET,
        OperationKind.COMPARE_AND_REMOVE,
    }
)  # fmt: skip
"""Operations whose keys are those of entries."""


class MemberChange(StrEnum):
    """What happened to a member."""

    JOINED = "joined"
    LEFT = "left"
    CRASHED = "crashed"
    MERGED = "merged"
    """It ended to start anew in another cluster, and takes along what the merge policy keeps."""


@dataclass(frozen=True, slots=True)
class RunRecord(Immutable):
    """The head of a run; always its first record."""

    run: str
    """Unique among the traces judged together."""
    system: str
    version: str
    seed: int
    partition_count: int
    backup_count: int
    """Backups the system was asked to keep: a full row has 1 + this many slots filled, where groups allow."""
    format_version: int = FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class MemberRecord(Immutable):
    """A member joined, left or crashed."""

    run: str
    at_ms: int
    member: int
    change: MemberChange
    name: str
    """Address and uuid, or a library's node name."""
    group: str
    """Partition group the harness put it in; members of one group must not share a row."""
    lite: bool = False
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class ViewRecord(Immutable):
    """One look at the whole table, from one member; its rows follow as RowRecords with the same view number."""

    run: str
    view: int
    """Numbered from 0 within the run."""
    at_ms: int
    stage: str
    """Where in the run this was, for people and for pairing views: "joined 3", "after crash"."""
    observer: int
    """The member whose table it is."""
    settled: bool
    """Whether the system had come to rest: balance, full rows and agreement are promised only then."""
    members: tuple[MemberNumber, ...]
    """Members alive when the view was taken, in join order."""
    data_members: tuple[MemberNumber, ...]
    """Those of them that may own replicas."""
    groups: tuple[str, ...]
    """Partition group by member number, for every number up to the largest known; "" for a member in no group."""


Slots = tuple[MemberNumber | None, ...]
"""Who holds a partition, the primary first."""


@dataclass(frozen=True, slots=True)
class RowRecord(Immutable):
    """One partition in one view."""

    run: str
    view: int
    partition: int
    slots: Slots
    """Member numbers, slot 0 the primary; as long as the system has slots (None: an empty slot)."""
    version: int | None = None
    """The row's version, where the system has one."""


@dataclass(frozen=True, slots=True)
class OperationRecord(Immutable):
    """One client operation, recorded when it ended."""

    run: str
    operation: int
    """Numbered from 0 within the run, in the order of invocation."""
    client: int
    kind: OperationKind
    key: str
    partition: int | None
    value: str | None
    """Written, or read; None for an absent entry. Every write of a run writes a value no other write does."""
    outcome: Outcome
    confirmed_copies: int | None
    """Copies the acknowledgement claims, primary included, where it claims a number."""
    member: int | None
    """The member asked, where that matters (a replica read)."""
    start_ms: int
    end_ms: int
    stage: str
    reason: str = ""
    """Why it was refused, or why its outcome is unknown, in the words of the system; empty where it is ok."""
    call: int | None = None
    """Where one call had several entries: the number of its first operation; each entry is an operation of its own."""
    executed_by: int | None = None
    """The member that executed it, where the system says so."""
    expected: str | None = None
    """What the entry had to hold, for an operation that compares."""
    answer: str | None = None
    """What came back, where the value says what was asked for."""


@dataclass(frozen=True, slots=True)
class DigestRecord(Immutable):
    """What one member holds of one partition."""

    run: str
    at_ms: int
    stage: str
    settled: bool
    member: int
    partition: int
    role: str
    """The member's own word for it: primary, backup, stale, …"""
    version: int | None
    entries: int
    digest: str
    """Equal digests mean equal contents (keys and values); hexadecimal."""


@dataclass(frozen=True, slots=True)
class RouteRecord(Immutable):
    """A key and the partition a system says it belongs to."""

    run: str
    key_type: str
    payload: bytes
    """The serialized key bytes that are hashed, by the documented rule (not by the system)."""
    partition_count: int
    partition: int
    key: str
    """The key as a person would write it."""
    boundary: bool
    """Constructed by inversion to meet an edge of the rule, not drawn at random."""
    documented: int | None = None
    """The partition by the system's own documented rule, where that is another than Murmur3 of the payload."""


@dataclass(frozen=True, slots=True)
class EventRecord(Immutable):
    """Something that happened: a step of the protocol, a condition of the run, what the harness saw.

    On disk it is a name and the fields of that event.
    """

    run: str
    """The run that it happened in."""
    at_ms: int
    """When, in milliseconds since the run began."""
    member: int | None
    """Who took the step, or showed or held what the harness records; None for what is of no one member."""
    event: Event


@dataclass(frozen=True, slots=True)
class VerdictRecord(Immutable):
    """What a judge said of the run, so that a trace can be read without judging again."""

    run: str
    property: str
    verdict: str
    """holds, broken or unknown."""
    promise: str
    """promised, weakness or none: what the subject's own documents say."""
    sentence: str
    witness: tuple[str, ...]
    """The smallest story that shows it, a sentence a step."""
    compared: int = 0
    """Comparisons in scope that could have failed."""
    reason: str = ""
    """Why it is unknown: never met, not looked at, out of scope, undecided, judge failed; empty where it is not."""
    out_of_scope: tuple[str, ...] = ()
    """What was compared where nothing was promised, a JSON object a cause, with: cause, source, compared, failed."""
    promised_by: str = ""
    """Whose word the promise is: the adapter's, the hello's, or an auditor's file's; empty where it is not said."""


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
"""The word a JSON line carries first, as "record", and a Parquet trace as file name."""


_DIGITS = 16


def digest_entries(entries: Mapping[str, str]) -> str:
    """Return a hexadecimal digest that is equal for equal keys and values, in whatever order they are held."""
    hasher = hashlib.sha256()
    for key, value in sorted(entries.items()):
        for part in (key.encode(), value.encode()):
            hasher.update(len(part).to_bytes(8, "big"))
            hasher.update(part)
    return hasher.hexdigest()[:_DIGITS]
