"""What a property is, and what its judge is.

A property is judged by reading the records of one run once, in order, in memory that does not grow with the number of
views. `invariants/` holds the properties of tables, `checkers/` those of client histories and contents, `simulated/`
those of what members do step by step; `CATALOGUE` in `catalogue.py` lists them all, and `panel.py` shows them a run.

Severity says how bad it is when a property is broken. Each property states its severity. `--fail-on` takes one, and
includes everything worse.

A step judge looks at events one by one, and reports at once what is wrong with one; what is still missing, it reports
at the end of the run.
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
    """A client gets a wrong answer: a value that is stale, invented or out of order, or from an operation executed
    twice."""
    AVAILABILITY = "availability"
    """An operation is refused, fails, or never ends."""
    REDUNDANCY = "redundancy"
    """Copies are missing, behind, or too close together: the next crash can lose data."""
    PROTOCOL = "protocol"
    """Members do what the protocol forbids; no client needs to have noticed yet."""
    BALANCE = "balance"
    """Load is spread unevenly, or work is done without need."""

    def is_at_least(self, other: "Severity") -> bool:
        """Whether this is as bad as another, or worse."""
        order = list(Severity)
        return order.index(self) <= order.index(other)


@dataclass(slots=True)
class Judge:
    """One property watching one run.

    The sentences of its verdict are constants of its class. `COUNTED` says what was found: how many comparisons failed,
    of how many.
    """

    READS: ClassVar[frozenset[type[Record]] | None] = None
    """The types of records that the judge reads, besides events; None for all types."""
    WATCHED: ClassVar[frozenset[type[TraceEvent]]] = frozenset()
    """The types of events that the judge reads."""
    RELIES_ON: ClassVar[frozenset[type[TraceEvent]]] = frozenset()
    """The types of events that give it what it compares with, besides those that it reads."""
    OPERATIONS: ClassVar[frozenset[OperationKind] | None] = None
    """The kinds of client operations that it reads; None for all kinds."""
    COUNTS: ClassVar[bool] = True
    """Whether the judge counts comparisons, in scope and out of scope; if not, a cause suspends its whole finding."""
    IS_PATIENT: ClassVar[bool] = False
    """Whether a panel may show it records later, many at a time: it reads nothing but them, and no other judge reads
    it."""
    COUNTED: ClassVar[str] = ""
    """The sentence of its verdict, such as "{failed} of {compared:read} at rest missed …"; see
    `Comparisons.conclude`."""
    HELD: ClassVar[str] = ""
    """The verdict if none failed: "{all} {compared:read} at rest found …"; empty if `COUNTED` says that plainly."""
    UNSEEN: ClassVar[str] = ""
    """The judge's verdict if nothing was compared: a clause of what did not happen."""
    RULE: ClassVar[str] = ""
    """What has to be so, as the end of the sentence on a failure; empty if the stories of its failures say that."""
    comparisons: Comparisons = field(default_factory=Comparisons, kw_only=True)

    def observe(self, record: Record) -> None:
        """Read the next record; kinds that the property is not about are ignored."""

    def look_at_rows(self, batch: RowBatch) -> None:
        """Look at table rows as columns, many at a time; called for judges that read no single rows."""

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Look at a whole table at rest, once its last row has been read, and at the scene of its view."""

    def break_off(self) -> None:
        """Forget what was not compared yet: the run was stopped early, so the outcome of that is unknown."""

    def finish(self) -> None:
        """Compare what was not compared yet; called once, after the last record."""

    def say_unseen(self) -> str:
        """Return the clause of what did not happen, for a run in which nothing was compared."""
        return self.UNSEEN

    def undecided(self) -> str | None:
        """Return what could not be decided, so that the verdict is unknown and not "holds"; None if all was decided."""
        return None

    def conclude(self) -> Finding:
        """Say what was found; called once, after the last record."""
        self.finish()
        finding = self.comparisons.conclude(self.COUNTED, self.say_unseen(), self.HELD)
        if finding.result is not Result.HOLDS or (why := self.undecided()) is None:
            return finding
        return Finding(Result.UNKNOWN, why, (), 0, Reason.UNDECIDED, finding.out_of_scope)

    @property
    def rest(self) -> Rest:
        """Whether the grid is at rest, and the table that it shows then."""
        return self.comparisons.conditions.rest


OF_ROWS = frozenset({"row"})
"""The needs of a property that is judged by views and their rows alone."""


class Asking(StrEnum):
    """In which kinds of runs a client, or the harness, does what a property is about."""

    ANYBODY = "any run"
    AUDITS = "audits"
    """Only in an audit or a live run: these route keys, look at single copies and poll members; and stated times are
    known of systems only."""
    AUDITS_IN_TURN = "audits in turn"
    """Only in an audit, which does one thing after another: it looks at the copies right after a write, and sends a
    call right after a crash."""
    NOT_LIVE_RUNS = "any run but a live one"
    """In all runs except live ones, whose clients never ask for several entries at once."""

    @property
    def is_of_systems(self) -> bool:
        """Whether simulated runs never do what the property is about."""
        return self in (Asking.AUDITS, Asking.AUDITS_IN_TURN)

    @property
    def is_of_live_runs(self) -> bool:
        """Whether a live run under faults does what the property is about."""
        return self in (Asking.ANYBODY, Asking.AUDITS)


class Reached(StrEnum):
    """Under which conditions the documented algorithms achieve what a property says."""

    ALWAYS = "always"
    WITHOUT_GROUPS = "without groups"
    """The algorithms achieve it if each member is a partition group of its own (placement.16)."""
    NOT_ALWAYS = "not always"
    """The algorithms do not achieve it every time (placement.11, placement.13, placement.16, limits.1)."""


@dataclass(frozen=True, slots=True)
class Property:
    """A statement about runs that can be judged."""

    name: str
    """The name, in the words of the field, with hyphens: "one-replica-per-member"."""
    sentence: str
    """What holds of every good run, in one sentence."""
    source: str
    """The source of the sentence: a seed, or a section of the reference, and the name of the property there."""
    severity: Severity
    """How bad a broken property is, by what a user of the grid would lose first."""
    start: Callable[[], Judge]
    """Makes a fresh judge for one run."""
    needs: frozenset[str] = frozenset()
    """Kinds of records, at least one of which a run has to have, else it was not looked at: kinds ("digest"),
    operations ("operation append"), events ("event executed"). Empty if any kind of run will do."""
    limits: tuple[Limit, ...] = ()
    """The causes that suspend the promise for a partition, while they last."""
    is_timeless: bool = False
    """Whether the property is about no moment of a run, so that no fault suspends its promise."""
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
    """Counts the steps looked at and keeps the first that is wrong; it reads the events that its `look` takes."""

    READS = frozenset({MemberRecord})
    COUNTED = "{failed} of {compared:step} went wrong"
    UNSEEN = "no such step was seen"
    FORGETS: ClassVar[tuple[str, ...]] = ()
    """Fields keyed by a member, or by a tuple that begins with one: the entries of an ended member are dropped."""
    looked: int = 0
    """The number of steps that showed something."""
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
        """Return what is wrong with a step, None if nothing is; count the step in `looked` if it shows something."""
        raise NotImplementedError

    def gone(self, member: int) -> None:
        """Forget what is kept of a member that ended."""
        for kept in (getattr(self, name) for name in self.FORGETS):
            for place in [one for one in kept if (one[0] if isinstance(one, tuple) else one) == member]:
                kept.discard(place) if isinstance(kept, set) else kept.pop(place)

    @property
    def at_the_end(self) -> str:
        """When the last step came that the judge looks at, as the end of a clause."""
        return f"by the end of the run (the last step looked at was at {self.at_ms:,} ms)"

    def missing(self) -> str | None:
        """Return what should have happened before the end of the run and did not, None if nothing is missing."""
        return None

    def break_off(self) -> None:
        """Report nothing as missing: the run was stopped early."""
        self.is_broken_off = True

    def finish(self) -> None:
        """Compare what should have happened by the end of the run."""
        if not self.is_broken_off and (story := self.missing()) is not None:
            self.comparisons.add(None, self.at_ms, self.at_ms, ("; ".join(filter(None, (story, self.RULE))),))

    def _count(self, record: EventRecord, story: str | None) -> None:
        partition = partition_of(record.event)
        where = partition if partition is not None and partition >= 0 else None
        words = None if story is None else ("; ".join(filter(None, (f"at {record.at_ms:,} ms {story}", self.RULE))),)
        self.comparisons.add(where, record.at_ms, record.at_ms, words)
