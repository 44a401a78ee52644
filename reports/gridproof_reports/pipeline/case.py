"""What the driver holds of one run, and the results of judging it by either engine.

The driver holds head, members, views, promises, the findings on its tables, and the evidence from the jobs. The memory
for that grows with the number of views, not of rows.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gridproof_implementation.trace.schema import INTEGER_MAX
from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import MemberRecord, RowRecord, RunRecord, ViewRecord
from gridproof_properties.judging.guarantee import Finding
from gridproof_properties.judging.verdict import PromiseLevel, Verdict

POSITION = "position"
"""The column that orders the records of a run."""
EVENT = "event "
"""The prefix of an event's name among the names of kinds of records."""
Effect = tuple[float, float, str, str]
"""A time in which a weakness was in effect: its begin and end, the fault, and the source of the admission."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The results of the judges of histories on a run (`histories.py`)."""

    verdicts: tuple[Verdict, ...] = ()
    """The verdicts, without promises."""
    limits: Mapping[str, tuple[str, str] | None] = field(default_factory=dict)
    """For each property of tables, the cause that suspends its promise, and its source; None for no cause."""
    stopped: str | None = None
    """Why the run stopped before its end, if it did."""
    malformed: str = ""
    """What is wrong with one of its records; there are no other results then."""


@dataclass(frozen=True, slots=True)
class ShownRows:
    """How many table rows the views of a run show."""

    rows: int = 0
    """How many rows there are, without strays."""
    strays: int = 0
    """How many rows belong to no view or partition, or come before the place where rows of their view may be."""
    by_view: Mapping[int, int] = field(default_factory=dict)
    first: tuple[int, RowRecord] | None = None
    """The first row, with its position."""


@dataclass(slots=True)
class Case:
    """One run: its data that is small enough to be held, and the evidence on the rest."""

    head: RunRecord
    source: Path
    """The trace that contains the run."""
    head_position: int
    end_position: int = INTEGER_MAX
    """The position at which the next run of the trace begins."""
    setting: list[tuple[int, MemberRecord | ViewRecord]] = field(default_factory=list)
    """The run's members and views, by position."""
    shown: ShownRows = field(default_factory=ShownRows)
    judged: Judged = field(default_factory=Judged)
    findings: Mapping[str, Finding] = field(default_factory=dict)
    """The findings on its tables, by property."""
    admitted: dict[str, Sequence[Effect]] = field(default_factory=dict)
    """For each property, the times in which weaknesses that the system admits were in effect."""
    unadmitted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each property of tables, the story of a failure that no such weakness covers."""
    promises: dict[str, tuple[PromiseLevel, str]] = field(default_factory=dict)
    """For each property with a recorded verdict, the level of its promise, and the source."""
    stated: StatedTable = field(default_factory=StatedTable)
    """What the system says of its table."""
    grouped: bool = False
    """Whether several members may share a partition group."""
    counts: Counter[str] = field(default_factory=Counter)
    """How many records there are of each kind, without table rows; those of events by `EVENT` and their name."""
    recorded_ends: list[tuple[int, int]] = field(default_factory=list)
    """The records of copies that ended with a member: each with its position and the member."""

    @property
    def record_count(self) -> int:
        """How many records there are, with table rows."""
        return self.counts.total() + self.shown.rows


Over = Callable[[], str | None]
"""A function that returns why work has to end, None while it may go on."""


@dataclass(frozen=True, slots=True)
class RunAudit:
    """One run with its results."""

    head: RunRecord
    source: Path
    """The trace that contains the run."""
    row_count: int
    """How many table rows were read."""
    record_count: int
    """How many records were read, with table rows."""
    verdicts: tuple[Verdict, ...]
    """A verdict for each property, in the order of the catalogue."""
    is_cut: bool = False
    """Whether work ended before the run was fully judged; it is the last run then, even if the traces hold more."""
