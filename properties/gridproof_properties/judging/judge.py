"""What a property is, and what a judge of it is.

A property is judged by folding over the records of one run, in order, in memory that does not grow with the number of
views. `invariants/` holds the properties of tables, `checkers/` those of client histories and contents, `simulated/`
those of what members do step by step; `CATALOGUE` in `catalogue.py` lists them all, and `panel.py` shows them a run.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import ClassVar

from gridproof_model.events import NAMES, Event
from gridproof_model.trace import OperationKind, Record
from gridproof_properties.judging.guarantee import Comparisons, Finding, Limit
from gridproof_properties.judging.resting import Rest
from gridproof_properties.judging.row_batch import RowBatch
from gridproof_properties.judging.scene import Scene
from gridproof_properties.judging.settled_table import SettledTable
from gridproof_properties.judging.severity import Severity
from gridproof_properties.judging.verdict import Reason, Result

__all__ = ["OF_ROWS", "Asking", "Finding", "Judge", "Limit", "Property", "Reached", "met", "watched_by"]


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
