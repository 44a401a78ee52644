"""Judges traces in this process, one record after another."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof_implementation.trace import TraceError, TraceFile
from gridproof_implementation.trace.files import estimate_records
from gridproof_model.trace import Record, RowRecord
from gridproof_properties.audits.trace_verdicts import judge_recorded
from gridproof_reports.pipeline.case import Over, RunAudit

if TYPE_CHECKING:  # loaded only by commands that read a file of promises
    from gridproof_implementation.live.said import Said

SHOW_EVERY = 10_000
"""How many records pass from one report of progress to the next."""


def judge_traces(
    traces: Sequence[TraceFile],
    progress: Callable[[str, int, int], None],
    over: Over = lambda: None,
    stated: "Said | None" = None,
) -> tuple[RunAudit, ...]:
    """Return the verdicts on every run of these traces; raise TraceError if a record is malformed or a run occurs
    twice.

    The docstring of `judge_recorded` says what happens when the work is to stop, and how promises that an auditor has
    `stated` are used; when the work is to stop, no further run is judged.
    """
    counter = _Counter(progress, sum(map(estimate_records, traces)))
    found: dict[str, RunAudit] = {}
    for trace in traces:
        for head, records in trace.runs():
            if head.run in found:
                raise TraceError(twice(head.run, found[head.run].source, trace.path))
            counter.begin(head.run)
            verdicts = judge_recorded(head, counter.counted(records), over, stated)
            is_cut = over() is not None
            found[head.run] = RunAudit(head, trace.path, counter.rows, counter.records, verdicts, is_cut)
            if is_cut:
                return tuple(found.values())
    return tuple(found.values())


def twice(run: str, one: Path, other: Path) -> str:
    """Return the error for a run that occurs in two traces."""
    return f"run {run!r} is both in {one} and in {other}; judge one of them"


@dataclass(slots=True)
class _Counter:
    """Counts records as they pass."""

    progress: Callable[[str, int, int], None]
    total: int
    run: str = ""
    passed: int = 0
    """The number of records that have passed, in all runs together."""
    records: int = 0
    rows: int = 0

    def begin(self, run: str) -> None:
        """Count the records of another run."""
        self.run, self.records, self.rows = run, 0, 0

    def counted(self, records: Iterable[Record]) -> Iterator[Record]:
        """Pass on the records of a run, and count them."""
        for record in records:
            self.records += 1
            self.passed += 1
            self.rows += isinstance(record, RowRecord)
            if self.passed % SHOW_EVERY == 0:
                self.progress(f"judging {self.run}", self.passed, max(self.total, self.passed))
            yield record
