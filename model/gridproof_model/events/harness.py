"""Events of the harness: what it asked for, saw, or could not see.

None of these events is a step of the protocol. What the harness did to the system, and whatever suspends a promise, are
conditions (`conditions.py`).
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Guarantee

Totals = tuple[tuple[str, int, int], ...]
"""For each key, the number of items with this key and the sum of their values."""


@dataclass(frozen=True, slots=True)
class Settled(TraceEvent):
    """The system is at rest: nothing moves, and all tables agree."""

    stage: str
    """The stage of the run at that moment."""
    how: str = ""
    """How long it took the system to come to rest, in words; empty if the harness does not say."""


@dataclass(frozen=True, slots=True)
class Unsettled(TraceEvent):
    """The system did not come to rest in time."""

    stage: str
    """The stage of the run at that moment."""
    awaited: str
    """What the harness was still waiting for."""


@dataclass(frozen=True, slots=True)
class FaultMissed(TraceEvent):
    """A requested fault affected no member in this run: a property that holds was not tested under that fault."""

    fault: str
    """The name of the fault in the harness's catalogue."""
    why: str
    """Why the fault affected no member, as a clause."""


@dataclass(frozen=True, slots=True)
class ResourcesHeld(TraceEvent):
    """The resources that a member has taken and has to give back."""

    settled: bool
    """Whether the system is at rest with equal copies; if so, the member may hold only what unfinished work needs."""
    counts: tuple[tuple[str, int], ...]
    """How many of each kind the member holds; judges know the names of kinds, such as calls and sync_permits."""
    timers: tuple[tuple[str, int], ...] = ()
    """How many timers of each kind are set."""
    delays_us: tuple[tuple[str, int], ...] = ()
    """For each kind of timer, the shortest and the longest time for which one was set since the last such event."""


@dataclass(frozen=True, slots=True)
class JobAsked(TraceEvent):
    """A client submits a stream job; the job also writes entries."""

    job: str
    """The name of the job."""
    guarantee: Guarantee
    """How often the job guarantees to count each item if it has to continue after a loss."""
    strict: bool
    """Whether a snapshot fails if it is unknown whether the backup of a chunk has the chunk."""
    shards: int
    """How many shards the items come from."""
    items: int
    """How many items each shard has."""
    owed: Totals
    """What the job has to count: for each key, the number of items with this key and the sum of their values."""
    snapshot_interval_ms: int = 0
    """The time between the end of one snapshot and the beginning of the next; 0 if it is not known."""


@dataclass(frozen=True, slots=True)
class JobSeen(TraceEvent):
    """The status of a job at the end of the run, and what the job counted."""

    job: str
    """The name of the job."""
    confirmed: bool
    """Whether the client that submitted the job was notified that the job was accepted."""
    status: str
    """How the job ended, then a colon and the reason; for a job that still runs, the status that its coordinator
    reports; `unknown` if no member reports a status."""
    totals: Totals
    """What the job has counted: for each key, the number of items with this key and the sum of their values."""


@dataclass(frozen=True, slots=True)
class RunEnded(TraceEvent):
    """A simulated run came to its end."""

    inputs: int
    """How many messages, timers, calls and broken connections the members have handled."""


@dataclass(frozen=True, slots=True)
class MemberFailed(TraceEvent):
    """A member failed with an error of its own, or did not come to rest, so that the run stops."""

    error: str
    """What failed, and where."""


@dataclass(frozen=True, slots=True)
class AuditStopped(TraceEvent):
    """The run stopped before its end: the system under test failed, or a user interrupted it."""

    why: str
    """The error that ended the run, or a note that a user interrupted it."""


@dataclass(frozen=True, slots=True)
class KeyRefused(TraceEvent):
    """The system refused to say which partition a key belongs to."""

    key_type: str
    """The type of the key, such as string or long."""
    key: str
    """The key as a person would write it."""
    reason: str
    """Why the system refused, in its own words."""


@dataclass(frozen=True, slots=True)
class BoundaryUnreachable(TraceEvent):
    """For some boundary values of the hash, no key of this type has the value as its hash."""

    key_type: str
    """The type of the keys, such as string or long."""
    missing: int
    """For how many of the boundary values there is no key."""
    wanted: int
    """How many boundary values there are."""
    why: str
    """Why no key of this type has such a hash; empty if the reason is not known."""


@dataclass(frozen=True, slots=True)
class NotOffered(TraceEvent):
    """The system does not offer something, so that a part of the run was left out."""

    what: str
    """What the system does not offer, and what was left out."""


@dataclass(frozen=True, slots=True)
class NotSaid(TraceEvent):
    """A member could not say what it holds; for this moment, the trace has no contents of its copies."""

    stage: str
    """The stage of the run at that moment."""
    why: str
    """Why the member could not say it, in the system's own words."""


@dataclass(frozen=True, slots=True)
class TableShownAgain(TraceEvent):
    """A member was asked for its table while clients were at work, and showed the same table as the time before."""


@dataclass(frozen=True, slots=True)
class ListShown(TraceEvent):
    """A member was asked for its table while clients were at work, and listed other members than the time before."""

    members: tuple[MemberNumber, ...]
    """The members that this member lists, in its own order."""


@dataclass(frozen=True, slots=True)
class VersionsShown(TraceEvent):
    """A member was asked, while clients were at work, for the versions of its copy of a partition."""

    partition: int
    """The partition of the copy."""
    index: int
    """The replica index that the member has in its own row of the partition."""
    row_version: int
    """The version of the member's own row; -1 if the system's rows have no versions."""
    versions: tuple[int, ...]
    """One version for each replica index, beginning with 1, or a single version for all; -1 for an unknown version."""
    asked_ms: int
    """When the member was asked; its answer was true at some moment between that time and the time of this event."""


@dataclass(frozen=True, slots=True)
class TablesPolled(TraceEvent):
    """How many times members were asked for their tables while clients were at work; each changed table is a view
    record."""

    asked: int
    """How many tables were shown."""
    changed: int
    """How many of the tables differed from the table that the same member had shown before."""
    unanswered: int
    """How many requests for a table got no answer."""


@dataclass(frozen=True, slots=True)
class Repaired(TraceEvent):
    """The harness commanded the system to give new members their partitions, and to restore missing copies."""


@dataclass(frozen=True, slots=True)
class FleetFailed(TraceEvent):
    """An action of the harness on the processes of the run failed."""

    what: str
    """What the harness tried, and why it failed."""


@dataclass(frozen=True, slots=True)
class TakenFromFile(TraceEvent):
    """A line of a user's configuration takes effect."""

    line: str
    """The line that takes effect, with its place."""


@dataclass(frozen=True, slots=True)
class PassedOver(TraceEvent):
    """A line of a user's configuration changes nothing."""

    line: str
    """The line that changes nothing, with its place and the reason."""


MACHINE, TIMER, ENDED = "machine", "timer", "ended by itself"
"""Topics of remarks: the machine on which a live run ran; documented times of a system that its audit has changed; a
member whose process was gone although the harness had not ended it."""


@dataclass(frozen=True, slots=True)
class Remark(TraceEvent):
    """A remark by which the harness reports what no other event states; judges ignore the remark."""

    topic: str
    """The topic of the remark, in a word or two."""
    text: str
    """The text of the remark."""


HarnessEvent = (
    Settled
    | Unsettled
    | FaultMissed
    | ResourcesHeld
    | JobAsked
    | JobSeen
    | RunEnded
    | MemberFailed
    | AuditStopped
    | KeyRefused
    | BoundaryUnreachable
    | NotOffered
    | NotSaid
    | TableShownAgain
    | ListShown
    | VersionsShown
    | TablesPolled
    | Repaired
    | FleetFailed
    | TakenFromFile
    | PassedOver
    | Remark
)
