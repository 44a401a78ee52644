"""The conditions of a run, as its harness records them.

The conditions a run was under stand in its trace as events that the harness writes, never the system under test: how
the grid was set up, which fault was active when, which messages of a partition were lost or came twice, which copies
ended with a member. A judge takes a promise away only for what such a record shows. Any harness can write them; one
that cannot leaves them out, and then nothing is taken away for that reason.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields
from typing import Any, Self, get_type_hints

from gridproof_model.event_details import read_details, read_list, write_details, write_list, write_text

NO_PARTITION = -1
"""In a record of a message that is about no one partition; what it is about, its kind says."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One record of a harness; `NAMES` has the name of its event."""

    @property
    def detail(self) -> str:
        """The fields, as the detail of an event."""
        return write_details((part.name, _write(getattr(self, part.name))) for part in fields(self))

    @classmethod
    def read(cls, detail: str) -> Self:
        """Return the value a detail was made of; ValueError names the field that is missing or no such value."""
        return cls(**_read_fields(cls, read_details(detail)))


@dataclass(frozen=True, slots=True)
class Configured(Condition):
    """How the grid and its clients are set up; written once, right behind the head of the run."""

    sync_backups: int
    async_backups: int
    strict: bool
    """Whether a call whose state is indeterminate fails (seed: IndeterminateOperationStateException)."""
    stale_reads: bool
    """Whether reads are served while a partition migrates (reference replication 12 S11)."""
    arranged: bool
    """Whether partitions are arranged before clients begin (reference partitioning 2.4)."""
    backup_timeout_ms: int
    """How long a caller waits for the acknowledgements of backups."""
    call_timeout_ms: int
    steps: bool
    """Whether every step of the protocol is in the trace."""
    quorum: int = 0
    """Data members below which operations are refused (split-brain protection); 0 for no such number."""
    retries: int = 250
    """How often a call is tried again at most (reference replication 1.5)."""
    merge_keeps: bool = True
    """Whether entries of the cluster that stays are kept when another merges into it (reference replication 7.4)."""
    merge_brings: bool = True
    """Whether an entry comes along that only the merging cluster has (reference replication 7.4)."""
    calls_max: int = 0
    """Calls under way at a member beyond which back-pressure refuses more; 0 where there is no such number."""
    leave_wait_ms: int = 600_000
    """How long a member that leaves waits at most for its data to be moved (reference partitioning 5.5)."""
    grouped: bool = False
    """Whether several members may share a partition group."""


@dataclass(frozen=True, slots=True)
class AuditSetup(Condition):
    """How a user's configuration sets up the grid of an audit; written behind the head of the run."""

    sync_backups: int
    async_backups: int
    grouped: bool
    """Whether several members may share a partition group."""


@dataclass(frozen=True, slots=True)
class StatedTimes(Condition):
    """Within what times the system is said to be itself again after one fault; written behind the head of the run."""

    accepted_within_ms: int
    """By then it takes writes and reads again."""
    restored_within_ms: int
    """By then every partition has all its copies again."""


@dataclass(frozen=True, slots=True)
class FaultBegun(Condition):
    """A fault begins."""

    fault: str
    """Its name in the harness's catalogue."""
    harms: tuple[str, ...]
    """What it can do: members, messages, repeats, trust, connections, freezes, refusals."""
    members: tuple[int, ...]
    """The members it is aimed at, as far as they have numbers."""
    told: str
    """One clause for people."""


@dataclass(frozen=True, slots=True)
class FaultEnded(Condition):
    """A fault is over."""

    fault: str
    told: str


@dataclass(frozen=True, slots=True)
class MessageLost(Condition):
    """A message about one partition did not arrive: the link dropped it, or it was late and nobody was there any more.

    One about several partitions is recorded for each; one about all of them once, with `NO_PARTITION`.
    """

    kind: str
    partition: int
    sender: int
    receiver: int


@dataclass(frozen=True, slots=True)
class MessageRepeated(Condition):
    """A message about one partition arrived twice."""

    kind: str
    partition: int
    sender: int
    receiver: int


@dataclass(frozen=True, slots=True)
class MessageLate(Condition):
    """A message about one partition takes longer than half of the shortest time anybody waits for one like it.

    Recorded when it is sent. What outlasts the faults arrives before the grid is taken to be at rest. One about several
    partitions is recorded for each; one about all of them once, with `NO_PARTITION`.
    """

    kind: str
    partition: int
    sender: int
    receiver: int
    late_ms: int
    """How long it takes at most."""


@dataclass(frozen=True, slots=True)
class MessageForAnother(Condition):
    """A message reached another incarnation, at the same address, than the one it was sent to.

    No connection of the vendor's delivers it (reference partitioning 2.1). Messages that are about the cluster are
    recorded, too, with `NO_PARTITION`.
    """

    kind: str
    partition: int
    sender: int
    meant: int
    """The member that had the address when it was sent."""
    receiver: int
    """The member that has it now."""


@dataclass(frozen=True, slots=True)
class UpdateSpoilt(Condition):
    """A backup's update was made to fail where it is applied."""

    partition: int
    receiver: int


@dataclass(frozen=True, slots=True)
class ConnectionBroken(Condition):
    """Both members learn that the connection between them broke."""

    one: int
    other: int


@dataclass(frozen=True, slots=True)
class CopiesEnded(Condition):
    """A member's process ended, and with it every copy it held; written right before the record of its end."""

    member: int
    primaries: tuple[int, ...]
    """Partitions of which some living member, or itself, took it for the primary."""
    backups: tuple[int, ...]
    """Partitions of which some living member, or itself, took it for a backup, but nobody for the primary."""
    waited_ms: int = 0
    """How long before its end it was told to leave gracefully; 0 where it was not."""


@dataclass(frozen=True, slots=True)
class StructureForgotten(Condition):
    """A member forgot the content of a structure that somebody destroyed; its versions stay.

    Each member does so when it is told, in no order with the operations of any partition (reference replication 3.1, 11
    L6).
    """

    member: int
    structure: str
    """Kind and name, with a colon between them; see `structure_names`."""


@dataclass(frozen=True, slots=True)
class RowChanged(Condition):
    """Some member has a row with other holders than any member was seen to have last; the first arrangement, too."""

    partition: int
    version: int
    holders: tuple[int, ...]
    """Member numbers, the primary first; empty slots are left out."""
    by: int
    """Whose row it is."""
    why: str


@dataclass(frozen=True, slots=True)
class RemovedAlive(Condition):
    """A member took one that lives out of its list."""

    member: int
    by: int


@dataclass(frozen=True, slots=True)
class RemovedEnded(Condition):
    """A member took one that had ended out of its list."""

    member: int
    by: int


@dataclass(frozen=True, slots=True)
class AnotherCluster(Condition):
    """A member founded a cluster though there was one already."""

    founder: int


JOB_ASKED = "job-asked"
"""The event of a stream job that somebody submits: it writes entries of its own."""

NAMES: Mapping[type[Condition], str] = {
    Configured: "configured",
    AuditSetup: "audit-setup",
    StatedTimes: "stated-times",
    FaultBegun: "fault",
    FaultEnded: "healed",
    MessageLost: "message-lost",
    MessageRepeated: "message-repeated",
    MessageLate: "message-late",
    MessageForAnother: "message-for-another",
    UpdateSpoilt: "update-spoilt",
    ConnectionBroken: "connection-broken",
    CopiesEnded: "copies-ended",
    StructureForgotten: "structure-forgotten",
    RowChanged: "row-changed",
    RemovedAlive: "removed-alive",
    RemovedEnded: "removed-ended",
    AnotherCluster: "another-cluster",
}
"""The name of the event of each condition."""
CONDITIONS: Mapping[str, type[Condition]] = {name: kind for kind, name in NAMES.items()}
"""Each condition by the name of its event."""


_HINTS: Mapping[type[Condition], Mapping[str, object]] = {kind: get_type_hints(kind) for kind in NAMES}


def told_of(detail: str) -> str:
    """Return what the detail of a fault's event says to people; the whole detail where it is no such value."""
    return read_details(detail).get("told", detail)


def _write(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return write_list(str(part) for part in value)
        case _:
            return write_text(str(value)) if isinstance(value, str) else str(value)


def _read_fields(kind: type[Condition], told: Mapping[str, str]) -> dict[str, Any]:
    hints = _HINTS[kind]
    missing = [part.name for part in fields(kind) if part.name not in told and part.default is MISSING]
    if missing:
        raise ValueError(f"{NAMES[kind]!r} lacks {', '.join(missing)}")
    return {name: _read_value(name, hint, told[name]) for name, hint in hints.items() if name in told}


def _read_value(name: str, hint: object, text: str) -> object:
    try:
        if hint is bool:
            return {"true": True, "false": False}[text]
        if hint is int:
            return int(text)
        if hint == tuple[int, ...]:
            return tuple(int(part) for part in read_list(text))
    except (KeyError, ValueError):
        raise ValueError(f"{name} is {text!r}") from None
    return read_list(text) if hint == tuple[str, ...] else text


def find_condition(name: str, detail: str) -> Condition | None:
    """Return the condition that an event tells; None where it tells none, or is not readable as one."""
    kind = CONDITIONS.get(name)
    try:
        return None if kind is None else kind.read(detail)
    except ValueError:
        return None


def structure_names(key: str) -> tuple[str, str]:
    """Return what the structure that a key belongs to may be called, as an operation's record has it.

    Keys of a map begin with its name and a hyphen; of anything else the name is the key.
    """
    return key, key.rpartition("-")[0]
