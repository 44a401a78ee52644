"""Finds the traces that commands have written into folders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from gridproof_implementation.trace import TraceFormat
from gridproof_model.events.harness import FaultMissed
from gridproof_model.trace import EventRecord, Record
from gridproof_properties.judging.work import Work

TRACE_STEM = "trace"


def traces_at(place: Path) -> list[Path]:
    """Return the traces in a folder that a command wrote, and in the folders of its systems; for any other place,
    return the place itself.

    `check --runs` writes one trace for each run, and names it after the run's seed.
    """
    try:
        folders = [place, *sorted(one for one in place.iterdir() if one.is_dir())] if place.is_dir() else []
        played = sorted(place.glob(f"*.{TraceFormat.JSON_LINES.value}")) if folders else []
    except OSError:  # opening it will report why
        folders, played = [], []
    return [trace for trace in map(trace_in, folders) if trace is not None] or played or [place]


def trace_in(folder: Path) -> Path | None:
    """Return the trace that a command wrote into this folder; None if there is none."""
    names = (f"{TRACE_STEM}.{form.value}" for form in TraceFormat)
    return next((folder / name for name in names if (folder / name).exists()), None)


@dataclass(slots=True)
class Tried:
    """Counts, from the records of a run, what the run tried."""

    missed: dict[str, str] = field(default_factory=dict)
    """The requested faults that affected no member, each with the reason."""
    work: Work = field(default_factory=Work)

    def watch(self, records: Iterable[Record]) -> Iterator[Record]:
        """Read records, and pass each of them on."""
        for record in records:
            if isinstance(record, EventRecord) and isinstance(record.event, FaultMissed):
                self.missed[record.event.fault] = record.event.why
            self.work.observe(record)
            yield record
