"""What the driver holds of one run, and the results of judging it by either engine.

The driver holds the head, the members, the views, the promises, the findings on the run's tables, and the evidence that
the Spark jobs return. The memory that the driver needs for a run grows with the number of views, but not with the
number of rows.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gridproof_implementation.trace.schema import INTEGER_MAX
from gridproof_model.events.conditions import StatedTable
from gridproof_model.trace import MemberRecord, RowRecord, RunRecord, VerdictRecord, ViewRecord
from gridproof_properties.judging.guarantee import Finding
from gridproof_properties.judging.verdict import PromiseLevel, Verdict

POSITION = "position"
"""The column that orders the records of a run."""
EVENT = "event "
"""The prefix of an event's name among the names of kinds of records."""
Effect = tuple[float, float, str, str]
"""A time in which a weakness was in effect: beginning and end, the fault, and the source that admits it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judges of histories found about a run (`histories.py`)."""

    verdicts: tuple[Verdict, ...] = ()
    """The verdicts, which do not contain promises yet."""
    limits: Mapping[str, tuple[str, str] | None] = field(default_factory=dict)
    """For each property of tables, the cause that suspends its promise, with the source; None for no cause."""
    stopped: str | None = None
    """Why the run stopped before its end; None if it did not."""
    malformed: str = ""
    """What is wrong with one of the run's records; if there is such a record, there are no other results."""


@dataclass(frozen=True, slots=True)
class ShownRows:
    """The number of table rows that the views of a run show."""

    rows: int = 0
    """The number of rows, not counting strays."""
    strays: int = 0
    """How many rows belong to no view or partition, or come before the place where rows of their view may begin."""
    by_view: Mapping[int, int] = field(default_factory=dict)
    first: tuple[int, RowRecord] | None = None
    """The first row, with its position."""


@dataclass(slots=True)
class Case:
    """One run: those of its data that are small enough to be held in memory, and the evidence on all other data."""

    head: RunRecord
    source: Path
    """The trace that contains the run."""
    head_position: int
    end_position: int = INTEGER_MAX
    """The position at which the next run of the trace begins."""
    setting: list[tuple[int, MemberRecord | ViewRecord | VerdictRecord]] = field(default_factory=list)
    """The members, views and verdicts of the run, by position."""
    shown: ShownRows = field(default_factory=ShownRows)
    judged: Judged = field(default_factory=Judged)
    findings: Mapping[str, Finding] = field(default_factory=dict)
    """The findings on the run's tables, by property."""
    admitted: dict[str, Sequence[Effect]] = field(default_factory=dict)
    """For each property, the times in which weaknesses that the system admits were in effect."""
    unadmitted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For each property of tables, the story of a failure that no admitted weakness covers."""
    promises: dict[str, tuple[PromiseLevel, str]] = field(default_factory=dict)
    """For each property on which the run has a verdict, the level of its promise, and the source."""
    stated: StatedTable = field(default_factory=StatedTable)
    """What the system says of its table."""
    grouped: bool = False
    """Whether several members may share a partition group."""
    counts: Counter[str] = field(default_factory=Counter)
    """The number of records of each kind, without table rows; those of each event by `EVENT` and the event's name."""
    recorded_ends: list[tuple[int, int]] = field(default_factory=list)
    """The records of copies that ended with a member: the position of each, and the member."""

    @property
    def record_count(self) -> int:
        """The number of records of the run, including table rows."""
        return self.counts.total() + self.shown.rows


Over = Callable[[], str | None]
"""A function that returns why the work has to stop; None while it may go on."""


@dataclass(frozen=True, slots=True)
class RunAudit:
    """One run, with the results of judging it."""

    head: RunRecord
    source: Path
    """The trace that contains the run."""
    row_count: int
    """The number of table rows that were read."""
    record_count: int
    """The number of records that were read, including table rows."""
    verdicts: tuple[Verdict, ...]
    """One verdict for each property, in the order of the catalogue."""
    is_cut: bool = False
    """Whether the work stopped before the run was fully judged; it is the last run then, even if traces hold more."""
