"""Runs a campaign, from its plan to the last of its parts.

The parts that are not in the folder of the campaign yet are simulated on Spark. In a campaign that ends by precision,
cells get runs in rounds, and estimates are checked after the first round, the second, and then whenever the rounds have
grown by a quarter: the checks depend on the plan alone, not on workers or interruptions.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gridproof_reports.campaigns.plan import Part, Plan
from gridproof_reports.campaigns.store import Store

Progress = Callable[[str, int, int], None]
GROWTH = 1.25
"""The factor by which the number of runs grows, at least, from one check of the estimates to the next."""


@dataclass(slots=True)
class Campaign:
    """A campaign that is under way."""

    plan: Plan
    store: Store
    master: str
    progress: Progress
    runs: int = 0
    """The number of runs that were simulated this time."""
    is_narrow: bool = False
    """Whether every interval is as narrow as it was asked to be."""
    _stack: ExitStack = field(default_factory=ExitStack)
    _simulate_parts: "Simulate | None" = None

    def run(self) -> None:
        """Simulate the missing parts; finished parts are kept after StoreError, PipelineError or RunFailedError."""
        self.store.open(self.plan, is_begun=False)
        with self._stack:
            for parts in self._looks():
                self._simulate(parts)
                if self.plan.until is not None and self._are_narrow(parts):
                    self.is_narrow = True
                    break

    def _looks(self) -> Iterator[Sequence[Part]]:
        """Yield the parts that are needed for each check of the estimates; all at once if there are no checks."""
        rounds = list(self.plan.rounds())
        if self.plan.until is None:
            yield [part for parts in rounds for part in parts]
            return
        next_look = 1.0
        for number in range(1, len(rounds) + 1):
            if number >= next_look or number == len(rounds):
                next_look = max(number + 1, number * GROWTH)
                yield [part for parts in rounds[:number] for part in parts]

    def _simulate(self, parts: Sequence[Part]) -> None:
        missing = self.store.missing(parts)
        if not missing:
            return
        total = sum(part.runs for part in missing) + self.runs
        if self._simulate_parts is None:
            self.progress("starting Spark", self.runs, total)
            self._simulate_parts = self._stack.enter_context(_open_executors(self.master))
            self.store.open(self.plan)
        cells, draw_options = self.plan.cells, self.plan.draw_options()
        work = [(part, cells[part.cell], draw_options[part.cell], self.plan.steps) for part in missing]
        for part, file in self._simulate_parts(work):
            self.store.write(part, file)
            self.runs += part.runs
            self.progress("runs", self.runs, total)

    def _are_narrow(self, parts: Sequence[Part]) -> bool:
        """Return whether the estimate of every cell is narrow enough, considering only the runs of these parts."""
        # Imported here: only a campaign that ends once its estimates are precise enough needs SciPy.
        from gridproof_reports.campaigns.estimates import estimate_cells

        until = self.plan.until
        assert until is not None
        last = max(part.last for part in parts)
        found = estimate_cells(self.store, [until.estimate], last_seed=last)
        estimates = [cell.estimates[0] for cell in found]
        self.progress(f"widest interval of {until.estimate}: {_widest(estimates)}", self.runs, self.runs)
        return len(found) == self.plan.cell_count and all(
            until.is_met(one.value, one.low, one.high) for one in estimates
        )


def _open_executors(master: str) -> "AbstractContextManager[Simulate]":
    # Imported here: PySpark is an extra, and a finished campaign does not need it.
    # The Spark session is imported first, since it reports which software is missing.
    import gridproof_reports.pipeline.session  # noqa: F401
    from gridproof_reports.campaigns.campaigning import open_executors

    return open_executors(master)


def _widest(estimates: Sequence["Estimate"]) -> str:
    shares = [max(one.high - one.value, one.value - one.low) / one.value for one in estimates if one.value > 0]
    return f"± {100 * max(shares):.0f} %" if len(shares) == len(estimates) and shares else "not met in every cell"


if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gridproof_reports.campaigns.campaigning import Simulate
    from gridproof_reports.campaigns.estimates import Estimate
