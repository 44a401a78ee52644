"""What a property is, and what the judge of a property is.

A property is judged by reading the records of one run once, in order, in memory that does not grow with the number of
views. `invariants/` holds the properties of tables, `checkers/` those of client histories and contents, `simulated/`
those of what members do step by step; `CATALOGUE` in `catalogue.py` lists them all, and `panel.py` shows them a run.

Severity says how bad it is when a property is broken. Each property states its severity. `--fail-on` takes a severity,
and includes every severity that is worse.

A step judge looks at single events and reports a wrong event at once; it reports what is missing at the end of the run.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar

from gridproof_model.events import NAMES, kinds_of, partition_of
from gridproof_model.events.trace_event import TraceEvent
from gridproof_model.trace import EventRecord, MemberChange, MemberRecord, OperationKind, Record
from gridproof_properties.judging.causes import Cause
from gridproof_properties.judging.guarantee import Comparisons, Finding, Limit
from gridproof_properties.judging.resting import Rest
from gridproof_properties.judging.row_batch import RowBatch
from gridproof_properties.judging.scene import Scene, SettledTable
from gridproof_properties.judging.verdict import Reason, Result

__all__ = [
    "OF_ROWS",
    "Asking",
    "Cause",
    "Finding",
    "Judge",
    "Limit",
    "Property",
    "Reached",
    "Severity",
    "met",
    "watched_by",
]


class Severity(StrEnum):
    """What a broken property costs, worst first."""

    DATA_LOSS = "data-loss"
    """An acknowledged change, or an entry, is lost."""
    WRONG_ANSWER = "wrong-answer"
    """A client gets a wrong answer: a stale, invented or misordered value, or the answer of an operation that was
    executed twice."""
    AVAILABILITY = "availability"
    """An operation is refused, fails, or never ends."""
    REDUNDANCY = "redundancy"
    """Copies are missing, behind, or too close together: the next crash can lose data."""
    PROTOCOL = "protocol"
    """Members do what the protocol forbids, though perhaps no client has noticed it yet."""
    BALANCE = "balance"
    """Load is spread unevenly, or work is done without need."""

    def is_at_least(self, other: "Severity") -> bool:
        """Whether this severity is at least as bad as another severity."""
        order = list(Severity)
        return order.index(self) <= order.index(other)


@dataclass(slots=True)
class Judge:
    """Watches one run for one property.

    The sentences of the judge's verdict are constants of its class. `COUNTED` states the result: how many of the
    comparisons failed.
    """

    READS: ClassVar[frozenset[type[Record]] | None] = None
    """The types of records that the judge reads, besides events; None for all types."""
    WATCHED: ClassVar[frozenset[type[TraceEvent]]] = frozenset()
    """The types of events that the judge reads."""
    RELIES_ON: ClassVar[frozenset[type[TraceEvent]]] = frozenset()
    """The types of events that give the judge something to compare with, besides the events that it reads."""
    OPERATIONS: ClassVar[frozenset[OperationKind] | None] = None
    """The kinds of client operations that the judge reads; None for all kinds."""
    COUNTS: ClassVar[bool] = True
    """Whether the judge counts comparisons, in and out of scope; if it does not, a cause suspends its whole finding."""
    IS_PATIENT: ClassVar[bool] = False
    """Whether a panel may show the judge its records later, many at a time: the judge depends on nothing but them, and
    no other judge depends on it."""
    COUNTED: ClassVar[str] = ""
    """The sentence of the verdict, such as "{failed} of {compared:read} at rest missed …"; see
    `Comparisons.conclude`."""
    HELD: ClassVar[str] = ""
    """The sentence if no comparison failed: "{all} {compared:read} at rest found …"; empty if `COUNTED` says it."""
    UNSEEN: ClassVar[str] = ""
    """The sentence if nothing was compared: a clause that says what did not happen."""
    RULE: ClassVar[str] = ""
    """What has to be so, as the end of the sentence on a failure; empty if the stories of the failures say it."""
    comparisons: Comparisons = field(default_factory=Comparisons, kw_only=True)

    def observe(self, record: Record) -> None:
        """Read the next record; kinds that the property is not about are ignored."""

    def look_at_rows(self, batch: RowBatch) -> None:
        """Look at many table rows at once, as columns; called for judges that do not read single rows."""

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Look at a whole table at rest, after its last row has been read, and at the scene of its view."""

    def break_off(self) -> None:
        """Forget what was not compared yet: the run was stopped early, so the outcome is unknown."""

    def finish(self) -> None:
        """Make the comparisons that are still open; called once, after the last record."""

    def say_unseen(self) -> str:
        """Return a clause that says what did not happen, for a run in which nothing was compared."""
        return self.UNSEEN

    def undecided(self) -> str | None:
        """Return what could not be decided, so that the verdict is unknown and not "holds"; None if all was decided."""
        return None

    def conclude(self) -> Finding:
        """Return what was found; called once, after the last record."""
        self.finish()
        finding = self.comparisons.conclude(self.COUNTED, self.say_unseen(), self.HELD)
        if finding.result is not Result.HOLDS or (why := self.undecided()) is None:
            return finding
        return Finding(Result.UNKNOWN, why, (), 0, Reason.UNDECIDED, finding.out_of_scope)

    @property
    def rest(self) -> Rest:
        """Whether the grid is at rest, and its table at rest."""
        return self.comparisons.conditions.rest


OF_ROWS = frozenset({"row"})
"""The needs of a property that is judged by views and their rows alone."""


class Asking(StrEnum):
    """In which kinds of runs a client, or the harness, does the things that a property is about."""

    ANYBODY = "any run"
    AUDITS = "audits"
    """Only in an audit or a live run: these route keys, look at single copies and poll members; also, only systems have
    stated times."""
    AUDITS_IN_TURN = "audits in turn"
    """Only in an audit, which does one thing after another: it looks at the copies right after a write, and makes a
    call right after a crash."""
    NOT_LIVE_RUNS = "any run but a live one"
    """In all runs except live ones, whose clients never ask for several entries at once."""

    @property
    def is_of_systems(self) -> bool:
        """Whether what the property is about happens only with live systems, never in simulated runs."""
        return self in (Asking.AUDITS, Asking.AUDITS_IN_TURN)

    @property
    def is_of_live_runs(self) -> bool:
        """Whether what the property is about happens in a live run under faults."""
        return self in (Asking.ANYBODY, Asking.AUDITS)


class Reached(StrEnum):
    """Under which conditions the documented algorithms ensure a property."""

    ALWAYS = "always"
    WITHOUT_GROUPS = "without groups"
    """The algorithms ensure it if each member is a partition group of its own (placement.16)."""
    NOT_ALWAYS = "not always"
    """The algorithms do not always ensure it (placement.11, placement.13, placement.16, limits.1)."""


@dataclass(frozen=True, slots=True)
class Property:
    """A statement about runs that a judge can decide."""

    name: str
    """The name, in the words of the field, with hyphens: "one-replica-per-member"."""
    sentence: str
    """What is true of every good run, in one sentence."""
    source: str
    """Where the sentence comes from: a seed, or a section of the reference, and the property's name there."""
    severity: Severity
    """How bad it is if the property is broken, measured by what a user of the grid would lose first."""
    start: Callable[[], Judge]
    """Makes a new judge for one run."""
    needs: frozenset[str] = frozenset()
    """The kinds of records ("digest"), operations ("operation append") or events ("event executed") of which a run
    needs at least one to be judged. Empty if any kind of run will do."""
    limits: tuple[Limit, ...] = ()
    """The causes that suspend the promise for a partition, while they last."""
    is_timeless: bool = False
    """Whether the property is not about a moment of a run, so that no fault suspends its promise."""
    asked_by: Asking = Asking.ANYBODY
    reached: Reached = Reached.ALWAYS


def met(*events: type[TraceEvent]) -> frozenset[str]:
    """Return events as the needs of a property: any one of them suffices."""
    return frozenset(f"event {NAMES[kind]}" for kind in events)


def watched_by(properties: Iterable[Property]) -> frozenset[type[TraceEvent]]:
    """Return the events that the judges of some properties read."""
    judges = [prop.start() for prop in properties]
    return frozenset[type[TraceEvent]]().union(*(judge.WATCHED | judge.RELIES_ON for judge in judges))


@dataclass(slots=True)
class StepJudge(Judge):
    """Counts the steps that it looks at and keeps the first wrong one; it reads the events that `look` takes."""

    READS = frozenset({MemberRecord})
    COUNTED = "{failed} of {compared:step} went wrong"
    UNSEEN = "no such step was seen"
    FORGETS: ClassVar[tuple[str, ...]] = ()
    """Fields keyed by a member, or by a tuple that begins with a member: the entries of ended members are dropped."""
    looked: int = 0
    """The number of steps in which there was something to check."""
    at_ms: int = 0
    is_broken_off: bool = False

    def observe(self, record: Record) -> None:
        """Read the next record."""
        if isinstance(record, EventRecord):  # a cheaper test than the match
            event: Any = record.event
            if type(event) in self.WATCHED:
                before, self.at_ms = self.looked, record.at_ms
                story = self.look(record, event)
                if story is not None or self.looked > before:
                    self._count(record, story)
        elif isinstance(record, MemberRecord) and record.change is not MemberChange.JOINED:
            self.gone(record.member)

    def __init_subclass__(cls) -> None:
        looked_at = cls.__dict__["look"].__annotations__["event"] if "look" in cls.__dict__ else None
        if looked_at is not None:
            cls.WATCHED = kinds_of(looked_at)

    def look(self, record: EventRecord, event: Any) -> str | None:
        """Return what is wrong with a step, or None; count the step in `looked` if there was something to check."""
        raise NotImplementedError

    def gone(self, member: int) -> None:
        """Forget what is kept about a member that ended."""
        for kept in (getattr(self, name) for name in self.FORGETS):
            for place in [one for one in kept if (one[0] if isinstance(one, tuple) else one) == member]:
                kept.discard(place) if isinstance(kept, set) else kept.pop(place)

    @property
    def at_the_end(self) -> str:
        """Return the time of the last step that the judge looked at, as the end of a clause."""
        return f"by the end of the run (the last step looked at was at {self.at_ms:,} ms)"

    def missing(self) -> str | None:
        """Return what should have happened before the end of the run and did not; None if nothing is missing."""
        return None

    def break_off(self) -> None:
        """Report nothing as missing: the run was stopped early."""
        self.is_broken_off = True

    def finish(self) -> None:
        """Compare what should have happened by the end of the run with what did."""
        if not self.is_broken_off and (story := self.missing()) is not None:
            self.comparisons.add(None, self.at_ms, self.at_ms, ("; ".join(filter(None, (story, self.RULE))),))

    def _count(self, record: EventRecord, story: str | None) -> None:
        partition = partition_of(record.event)
        where = partition if partition is not None and partition >= 0 else None
        words = None if story is None else ("; ".join(filter(None, (f"at {record.at_ms:,} ms {story}", self.RULE))),)
        self.comparisons.add(where, record.at_ms, record.at_ms, words)
