"""What the judges of either engine say of one run."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gridproof_model.trace import RunRecord
from gridproof_properties.judging.verdict import Verdict

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
