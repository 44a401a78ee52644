"""Events of the harness: what it asked, saw, missed.

Nothing here is a step of the protocol. What the harness did to the system, and what took a promise away, are conditions
(`conditions.py`).
"""

from dataclasses import dataclass

from gridproof_model.events.trace_event import MemberNumber, TraceEvent
from gridproof_model.events.words import Guarantee

Totals = tuple[tuple[str, int, int], ...]
"""A key, how many items there were of it, and the sum of their values."""


@dataclass(frozen=True, slots=True)
class Settled(TraceEvent):
    """The system came to rest: nothing moves, and all tables agree."""

    stage: str
    """Where in the run this was."""
    how: str = ""
    """How long it took, in words, where the harness says so."""


@dataclass(frozen=True, slots=True)
class Unsettled(TraceEvent):
    """The system did not come to rest in time."""

    stage: str
    """Where in the run this was."""
    awaited: str
    """What was still awaited."""


@dataclass(frozen=True, slots=True)
class FaultMissed(TraceEvent):
    """A fault that was asked for struck nobody in this run: what is green was not tried under it."""

    fault: str
    """Its name in the harness's catalogue."""
    why: str
    """Why it struck nobody, in a clause."""


@dataclass(frozen=True, slots=True)
class ResourcesHeld(TraceEvent):
    """What a member has taken and has to give back."""

    settled: bool
    """Whether the system is at rest, and copies are equal: then nothing may be left but what is under way."""
    counts: tuple[tuple[str, int], ...]
    """How many of each kind; judged are calls, attempts, calls_outside, sync_permits and the like, by their names."""
    timers: tuple[tuple[str, int], ...] = ()
    """How many timers of each kind are set."""
    delays_us: tuple[tuple[str, int], ...] = ()
    """The shortest and the longest time for which each kind of timer was set since the last look."""


@dataclass(frozen=True, slots=True)
class JobAsked(TraceEvent):
    """Somebody submits a stream job, which writes entries of its own."""

    job: str
    """The name of the job."""
    guarantee: Guarantee
    """What the job is to guarantee of its items where it has to go on after a loss."""
    strict: bool
    """Whether a snapshot fails that does not know whether a chunk is on its backup."""
    shards: int
    """How many shards the items come from."""
    items: int
    """How many items each shard has."""
    owed: Totals
    """What it is to count: a key, its items, the sum of their values."""
    snapshot_interval_ms: int = 0
    """Between the end of one snapshot and the beginning of the next; 0 where nobody has said."""


@dataclass(frozen=True, slots=True)
class JobSeen(TraceEvent):
    """How a job stands at the end of the run, and what it counted."""

    job: str
    """The name of the job."""
    confirmed: bool
    """Whether whoever submitted it was notified that it is taken."""
    status: str
    """How the job ended, and behind a colon why; of one that goes on, where its coordinator says that it stands;
    `unknown` where nobody says anything."""
    totals: Totals
    """What it has counted: a key, its items, the sum of their values."""


@dataclass(frozen=True, slots=True)
class RunEnded(TraceEvent):
    """A simulated run came to its end."""

    inputs: int
    """Messages, timers, calls and broken connections that members have handled."""


@dataclass(frozen=True, slots=True)
class MemberFailed(TraceEvent):
    """A member failed with an error of its own, or never came to rest: the run stops."""

    error: str
    """What failed, and where."""


@dataclass(frozen=True, slots=True)
class AuditStopped(TraceEvent):
    """The system under test broke off, or a user interrupted: the run stops before its end."""

    why: str
    """The error that ended the run, or that a user interrupted it."""


@dataclass(frozen=True, slots=True)
class KeyRefused(TraceEvent):
    """The system would not say where a key belongs."""

    key_type: str
    """The type of the key, such as string or long."""
    key: str
    """As a person would write it."""
    reason: str
    """Why not, in the words of the system."""


@dataclass(frozen=True, slots=True)
class BoundaryUnreachable(TraceEvent):
    """For some edges of the hash no key of a type exists."""

    key_type: str
    """The type of the keys, such as string or long."""
    missing: int
    """How many edges have no key."""
    wanted: int
    """How many edges there are."""
    why: str
    """Why no key of this type has such a hash; empty where nobody knows."""


@dataclass(frozen=True, slots=True)
class NotOffered(TraceEvent):
    """The system has no such thing, and something was therefore not looked at."""

    what: str
    """What it does not have, and what was left out."""


@dataclass(frozen=True, slots=True)
class NotSaid(TraceEvent):
    """A member could not say what it holds; nothing of that look is in the trace."""

    stage: str
    """Where in the run this was."""
    why: str
    """Why not, in the words of the system."""


@dataclass(frozen=True, slots=True)
class TableShownAgain(TraceEvent):
    """A member was asked for its table while clients were at work, and showed the one that it had shown last."""


@dataclass(frozen=True, slots=True)
class ListShown(TraceEvent):
    """A member was asked for its table while clients were at work, and listed others than before."""

    members: tuple[MemberNumber, ...]
    """Whom it takes for members, in its own order."""


@dataclass(frozen=True, slots=True)
class VersionsShown(TraceEvent):
    """A member was asked, while clients were at work, which updates its copy of a partition counts."""

    partition: int
    """The partition of the copy."""
    index: int
    """The replica index that its own row gives it."""
    row_version: int
    """That of its own row; -1 where rows have none."""
    versions: tuple[int, ...]
    """By replica index, from 1 on, or a single one for all; -1 for one that the copy does not know."""
    asked_ms: int
    """When it was asked; its answer is of a moment between then and the time of this event."""


@dataclass(frozen=True, slots=True)
class TablesPolled(TraceEvent):
    """Members were asked for their tables over and over while clients were at work; each change is a view."""

    asked: int
    """How many tables were shown."""
    changed: int
    """How many of them were another than the one that the member had shown before."""
    unanswered: int
    """How many questions for a table got no answer."""


@dataclass(frozen=True, slots=True)
class Repaired(TraceEvent):
    """The system was asked to give newcomers their part, and to make copies where some lack."""


@dataclass(frozen=True, slots=True)
class FleetFailed(TraceEvent):
    """What was done to the fleet did not succeed."""

    what: str
    """What was tried, and why it failed."""


@dataclass(frozen=True, slots=True)
class TakenFromFile(TraceEvent):
    """A line of a user's configuration takes effect."""

    line: str
    """What was taken, with its place."""


@dataclass(frozen=True, slots=True)
class PassedOver(TraceEvent):
    """A line of a user's configuration changes nothing."""

    line: str
    """What was passed over, with its place and the reason."""


MACHINE, TIMER, ENDED = "machine", "timer", "ended by itself"
"""Topics of remarks: where a live run ran; what of a system's documented times its audit has changed; which member's
process was gone though nobody had ended it."""


@dataclass(frozen=True, slots=True)
class Remark(TraceEvent):
    """Something else that a harness wants a reader to know; no judge reads it."""

    topic: str
    """What it is about, in a word or two."""
    text: str
    """What there is to know."""


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
