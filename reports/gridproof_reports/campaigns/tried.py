"""What the runs of a campaign tried, and the exit status that they have together.

`campaign` and `study` report the same counts for the same folder.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from gridproof_model.events.fault_counts import FaultCounts, faults_object, missed_faults, missed_sentence, struck_line
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from gridproof_reports.campaigns.estimates import CellRows, cells_of
from gridproof_reports.campaigns.rows import counts_of
from gridproof_reports.campaigns.store import Store


@dataclass(slots=True)
class Tried:
    """Counts over all runs of a campaign."""

    broken: Counter[str] = field(default_factory=Counter)
    """For each promised property, in how many runs it is broken."""
    failed: Counter[str] = field(default_factory=Counter)
    """For each judge, in how many runs it failed."""
    blind: int = 0
    """The number of runs in which no promise was compared."""
    faults: FaultCounts = field(default_factory=FaultCounts)
    missed: dict[str, dict[int, str]] = field(default_factory=dict)
    """For each requested fault, the cells in whose runs it affected no member, each with the reason."""

    @classmethod
    def of(cls, store: Store) -> "Tried":
        """Count the rows of a campaign's folder."""
        tried = cls()
        for cell in cells_of(store):
            tried.take(cell)
        return tried

    def take(self, cell: CellRows) -> None:
        """Count the runs of one cell."""
        columns = {name: cell.table.column(name).to_pylist() for name in ("broken", "failed_judges", "missed")}
        self.broken.update(name for names in columns["broken"] for name in names)
        self.failed.update(name for names in columns["failed_judges"] for name in names)
        self.blind += sum(map(bool, cell.table.column("blind").to_pylist()))
        counts = counts_of(cell.table)
        self.faults.update(counts)
        asked = sorted({name for names in columns["missed"] for name in names or ()})
        for name, why in missed_faults(counts, dict.fromkeys(asked, "higher rates draw more")).items():
            self.missed.setdefault(name, {})[cell.cell] = why

    @property
    def exit_status(self) -> int:
        """Return broken if a property is broken; else unknown if a judge failed, a run compared nothing, or a fault hit
        nobody."""
        if self.broken:
            return ExitStatus.BROKEN
        return ExitStatus.UNKNOWN if self.failed or self.missed or self.blind else ExitStatus.HOLDS

    def first_lines(self) -> list[str]:
        """Return a line for each fault that affected no member in some cell, then how often each fault affected one."""
        said = []
        for name, cells in self.missed.items():
            (why, _), *_ = Counter(cells.values()).most_common(1)
            where = f"it came in no run of cell {', '.join(map(str, cells))}"
            said.append(missed_sentence(name, f"{where}; {why}; more runs may meet it"))
        said += [f"unknown nothing that is promised was compared in {count(self.blind, 'run')}"] if self.blind else []
        return [*said, *filter(None, [struck_line(self.faults)])]

    def as_object(self) -> Mapping[str, object]:
        """Return what `--json` prints of these counts."""
        return {
            "broken": self.broken,
            "failed_judges": self.failed,
            "faults": faults_object(self.faults, self.missed),
            "missed_faults": {name: list(cells) for name, cells in self.missed.items()},
            "blind": self.blind,
        }
