"""What of one run the driver holds.

Head, members, views, promises, what was found of its tables, and the evidence of the jobs. Grows with the number of
views, not with that of rows.

What the judges of either engine say of one run.
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
"""What stands before the name of an event where kinds of records are named."""
Effect = tuple[float, float, str, str]
"""From when until when a weakness was in effect, by which fault, and where it is admitted."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judges of histories say of a run (`histories.py`)."""

    verdicts: tuple[Verdict, ...] = ()
    """Without promises."""
    limits: Mapping[str, tuple[str, str] | None] = field(default_factory=dict)
    """By property of tables: which cause takes its promise away, and the source of that."""
    stopped: str | None = None
    """Why the run stopped before its end, where it did."""
    malformed: str = ""
    """What is wrong with one of its records; nothing else is said then."""


@dataclass(frozen=True, slots=True)
class ShownRows:
    """How many table rows the views of a run show."""

    rows: int = 0
    """All of them, but for strays."""
    strays: int = 0
    """Rows of no view or no partition, or that no row of their view may stand before."""
    by_view: Mapping[int, int] = field(default_factory=dict)
    first: tuple[int, RowRecord] | None = None
    """The first row, with its position."""


@dataclass(slots=True)
class Case:
    """One run: what is small enough to be held, and the evidence on the rest."""

    head: RunRecord
    source: Path
    """The trace it stands in."""
    head_position: int
    end_position: int = INTEGER_MAX
    """Where the next run of the trace begins."""
    setting: list[tuple[int, MemberRecord | ViewRecord]] = field(default_factory=list)
    """Its members and views, by position."""
    shown: ShownRows = field(default_factory=ShownRows)
    judged: Judged = field(default_factory=Judged)
    findings: Mapping[str, Finding] = field(default_factory=dict)
    """What was found of its tables, by property."""
    admitted: dict[str, Sequence[Effect]] = field(default_factory=dict)
    """By property, when the weaknesses that the system admits were in effect."""
    unadmitted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By property, the story of what failed of its tables that none of them takes away."""
    promises: dict[str, tuple[PromiseLevel, str]] = field(default_factory=dict)
    """By property, as far as the run recorded verdicts, and whose word it is."""
    stated: StatedTable = field(default_factory=StatedTable)
    """What the system says of its table."""
    grouped: bool = False
    """Whether several members may share a partition group."""
    counts: Counter[str] = field(default_factory=Counter)
    """Records but for table rows, by kind; those of events by `EVENT` and their name."""
    recorded_ends: list[tuple[int, int]] = field(default_factory=list)
    """Positions of the records that say what a member takes along that ends now, and the member."""

    @property
    def record_count(self) -> int:
        """Records, table rows among them."""
        return self.counts.total() + self.shown.rows


Over = Callable[[], str | None]
"""Returns why no more work is to be done, None while it is."""


@dataclass(frozen=True, slots=True)
class RunAudit:
    """One run and what was found."""

    head: RunRecord
    source: Path
    """The trace it stands in."""
    row_count: int
    """Table rows read."""
    record_count: int
    """Records read, table rows among them."""
    verdicts: tuple[Verdict, ...]
    """One a property, in the order of the catalogue."""
    is_cut: bool = False
    """Whether work was over before it was judged to its end: it is the last then, whatever else the traces hold."""
