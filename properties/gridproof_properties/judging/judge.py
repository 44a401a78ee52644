"""What a property is, and what a judge of it is.

A property is judged by folding over the records of one run, in order, in memory that does not grow with the number of
views. `invariants/` holds the properties of tables, `checkers/` those of client histories and contents, `simulated/`
those of what members do step by step; `CATALOGUE` in `catalogue.py` lists them all, and `panel.py` shows them a run.

How bad it is when a property is broken. Each property says it of itself. `--fail-on` takes a severity and everything
worse.

Judging a run step by step. A judge of this kind looks at events one by one and says at once what is wrong; what is
still missing at the end of the run, it says then.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar

from gridproof_model.events import NAMES, Event, kinds_of, partition_of
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
    """An acknowledged change, or an entry, is gone."""
    WRONG_ANSWER = "wrong-answer"
    """A client is answered what is not so: something old, made up, out of order, or executed twice."""
    AVAILABILITY = "availability"
    """What was asked for is refused, fails, or never ends."""
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

    The sentences of its verdict stand in its class. What was found is said by `COUNTED`: how many of its comparisons
    failed, of how many.
    """

    READS: ClassVar[frozenset[type[Record]] | None] = None
    """The types of records it reads, besides events; None for all."""
    WATCHED: ClassVar[frozenset[type[Event]]] = frozenset()
    """The types of events it reads."""
    RELIES_ON: ClassVar[frozenset[type[Event]]] = frozenset()
    """The types of events that say what it compares with, besides those it reads."""
    OPERATIONS: ClassVar[frozenset[OperationKind] | None] = None
    """The kinds of operations it reads, of those that clients asked for; None for all."""
    COUNTS: ClassVar[bool] = True
    """Whether it counts comparisons, in scope and out of it; where not, a cause takes away its whole finding."""
    IS_PATIENT: ClassVar[bool] = False
    """Whether a panel may show it records later, many at a time: it looks at nothing else, and nobody at it."""
    COUNTED: ClassVar[str] = ""
    """Its verdict: "{failed} of {compared:read} at rest missed …"; see `Comparisons.conclude`."""
    UNSEEN: ClassVar[str] = ""
    """Its verdict where nothing was compared: what did not happen."""
    comparisons: Comparisons = field(default_factory=Comparisons, kw_only=True)

    def observe(self, record: Record) -> None:
        """Take in the next record; kinds the property does not care about are passed over."""

    def look_at_rows(self, batch: RowBatch) -> None:
        """Look at table rows as columns, many at a time; asked of judges that read no single row."""

    def look_at(self, table: SettledTable, scene: Scene) -> None:
        """Look at a whole table at rest, when its last row has come, and at the scene of its view."""

    def break_off(self) -> None:
        """Forget what is still open: the run is broken off, and nobody knows what would have come of it."""

    def finish(self) -> None:
        """Compare what is still open; called once, after the last record."""

    def say_unseen(self) -> str:
        """Return the verdict where nothing was compared."""
        return self.UNSEEN

    def undecided(self) -> str | None:
        """Return what could not be decided, which leaves unknown what would hold without; None where all was."""
        return None

    def conclude(self) -> Finding:
        """Say what was found; called once, after the last record."""
        self.finish()
        finding = self.comparisons.conclude(self.COUNTED, self.say_unseen())
        if finding.result is not Result.HOLDS or (why := self.undecided()) is None:
            return finding
        return Finding(Result.UNKNOWN, why, (), 0, Reason.UNDECIDED, finding.out_of_scope)

    @property
    def rest(self) -> Rest:
        """When the grid is at rest, and what it shows then."""
        return self.comparisons.conditions.rest


OF_ROWS = frozenset({"row"})
"""What a property needs that is judged by views and their rows alone."""


class Asking(StrEnum):
    """Who asks for what a property is about."""

    ANYBODY = "any run"
    AUDITS = "audits"
    """Only an audit or a live run: they route keys, look at single copies and poll members; and only of a system is it
    known what times it states."""
    AUDITS_IN_TURN = "audits in turn"
    """Only an audit, which does one thing after another: it looks at the copies right after a write, and asks right
    after a crash."""
    NOT_LIVE_RUNS = "any run but a live one"
    """Of what the clients of a live run never ask for: several entries at once."""

    @property
    def is_of_systems(self) -> bool:
        """Whether simulated members are not asked."""
        return self in (Asking.AUDITS, Asking.AUDITS_IN_TURN)

    @property
    def is_of_live_runs(self) -> bool:
        """Whether a live run under faults asks for it."""
        return self in (Asking.ANYBODY, Asking.AUDITS)


class Reached(StrEnum):
    """Where the documented algorithms reach what a property says."""

    ALWAYS = "always"
    WITHOUT_GROUPS = "without groups"
    """Where each member is a partition group of its own (placement.16)."""
    NOT_ALWAYS = "not always"
    """Not every time (placement.11, placement.13, placement.16, limits.1)."""


@dataclass(frozen=True, slots=True)
class Property:
    """A statement about runs that can be judged."""

    name: str
    """In the words of the field, with hyphens: "one-replica-per-member"."""
    sentence: str
    """What holds of every good run, in one sentence."""
    source: str
    """Where that is said: a seed, or a section of the reference and its own name there."""
    severity: Severity
    """How bad it is when it is broken, by what a user of the grid loses first."""
    start: Callable[[], Judge]
    """Makes a fresh judge for one run."""
    needs: frozenset[str] = frozenset()
    """Records without any of which a run was not looked at: kinds ("digest"), operations ("operation append"), events
    ("event executed"). Empty where a run of any kind will do."""
    limits: tuple[Limit, ...] = ()
    """What takes the promise away, for a partition, while it lasts."""
    is_timeless: bool = False
    """Whether it is about no moment of a run: no fault takes it away."""
    asked_by: Asking = Asking.ANYBODY
    reached: Reached = Reached.ALWAYS


def met(*events: type[Event]) -> frozenset[str]:
    """Return events as what a property needs: any of them."""
    return frozenset(f"event {NAMES[kind]}" for kind in events)


def watched_by(properties: Iterable[Property]) -> frozenset[type[Event]]:
    """Return the events that the judges of some properties read."""
    judges = [prop.start() for prop in properties]
    return frozenset[type[Event]]().union(*(judge.WATCHED | judge.RELIES_ON for judge in judges))


Watched = TypeVar("Watched")
"""The types of events that a judge looks at."""


@dataclass(slots=True)
class StepJudge(Judge, Generic[Watched]):
    """Counts the steps looked at and keeps the first that is wrong; it watches the events that its `look` takes."""

    READS = frozenset({MemberRecord})
    COUNTED = "{failed} of {compared:step} went wrong"
    UNSEEN = "no such step was seen"
    FORGETS: ClassVar[tuple[str, ...]] = ()
    """What it keeps by member, or by a tuple that begins with one: a member that ends owes nothing any more."""
    looked: int = 0
    """Steps that showed something."""
    at_ms: int = 0
    is_broken_off: bool = False

    def observe(self, record: Record) -> None:
        """Take in the next record."""
        if isinstance(record, EventRecord):  # sooner known than matched
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

    def look(self, record: EventRecord, event: Watched) -> str | None:
        """Return what is wrong with a step, None where nothing is; count it in `looked` when it shows something."""
        raise NotImplementedError

    def gone(self, member: int) -> None:
        """Forget what is kept of a member that ended."""
        for kept in (getattr(self, name) for name in self.FORGETS):
            for place in [one for one in kept if (one[0] if isinstance(one, tuple) else one) == member]:
                kept.discard(place) if isinstance(kept, set) else kept.pop(place)

    def missing(self) -> str | None:
        """Return what should have come before the end of the run and did not, None where nothing is missing."""
        return None

    def break_off(self) -> None:
        """Say nothing of what is missing."""
        self.is_broken_off = True

    def finish(self) -> None:
        """Compare what should have come."""
        if not self.is_broken_off and (story := self.missing()) is not None:
            self.comparisons.add(None, self.at_ms, self.at_ms, (story,))

    def _count(self, record: EventRecord, story: str | None) -> None:
        partition = partition_of(record.event)
        where = partition if partition is not None and partition >= 0 else None
        words = None if story is None else (f"at {record.at_ms} ms {story}",)
        self.comparisons.add(where, record.at_ms, record.at_ms, words)
