"""The exact probability that a run of a cell loses an acknowledged write, next to the simulated probability."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gridproof_implementation.simulator.draw_options import DrawOptions
from gridproof_model.value import picked
from gridproof_properties.judging.words import count
from gridproof_properties.measuring import Estimate, Measured, Measurer
from gridproof_properties.measuring.like import CLAIM, LikeError, Likeness, exact, likeness
from gridproof_reports.campaigns.estimates import Estimate as Simulated
from gridproof_reports.campaigns.rows import column_of
from gridproof_reports.campaigns.store import Store, StoreError
from gridproof_reports.campaigns.study import Progress, StudiedCell, Study

SIMULATED = "runs_with_loss"
CHAINS_MOST = 24
"""The most different Markov chains that are computed, as each of them takes seconds."""
TOO_MANY = f"{CHAINS_MOST} cells have been asked; `gridproof measure durability --like` asks one"


@dataclass(frozen=True, slots=True)
class CellExact:
    """The exact and the simulated probability for one cell."""

    studied: StudiedCell
    exact: Estimate | None
    unknown: str
    """Why there is no exact probability; empty if there is one."""
    partitions: int = 1
    unsaid: tuple[str, ...] = ()
    """Features of the cell that the Markov chain leaves out."""

    @property
    def simulated(self) -> Simulated:
        """The share of runs with a loss, and its 99 % interval; NaN if there is no such share."""
        return self.studied.found.of(SIMULATED)

    @property
    def verdict(self) -> str:
        """A clause that compares the exact and the simulated probability."""
        if self.exact is None:
            return f"unknown: {self.unknown}"
        one, several = self.exact.value, min(1.0, self.partitions * self.exact.value)
        shown, low, high = f"{one:.3g}", self.simulated.low, self.simulated.high
        if self.partitions > 1:
            shown += f" to {several:.3g}, for {count(self.partitions, 'partition')}"
        if not low <= high:
            return f"{shown}; there is no interval to hold it against"
        if one <= high and low <= several:
            return f"{shown}; within the interval" if self.partitions == 1 else f"{shown}; the interval meets it"
        return f"{shown}; {'below' if several < low else 'above'} the interval"


def exact_cells(store: Store, study: Study, progress: Progress) -> tuple[CellExact, ...]:
    """Return both probabilities for every cell; empty if the study has no share of lossy runs, or no member crashes."""
    if SIMULATED not in {one.name for one in study.estimates}:
        return ()
    try:
        draw_options = store.draw_options()
    except StoreError as reason:
        return tuple(CellExact(studied, None, str(reason)) for studied in study.cells)
    if all(one.cell.crash is None for one in draw_options):
        return ()
    return tuple(_both(study, draw_options, progress))


def _both(study: Study, draw_options: Sequence[DrawOptions], progress: Progress) -> Iterator[CellExact]:
    known: dict[Likeness, Measured] = {}
    for done, studied in enumerate(study.cells):
        progress("exact numbers", done, len(study.cells))
        try:
            like = likeness(draw_options[studied.found.cell])
        except LikeError as reason:
            yield CellExact(studied, None, str(reason))
            continue
        if like not in known and len(known) == CHAINS_MOST:
            yield CellExact(studied, None, TOO_MANY)
            continue
        if like not in known:
            known[like] = exact(like, Measurer())
        found = known[like]
        yield CellExact(studied, found.estimate, found.unknown, like.partitions, like.unsaid)


def exact_rows(exacts: Sequence[CellExact]) -> list[dict[str, object]]:
    """Return one table row for each cell."""
    return [
        {
            "cell": one.studied.found.cell,
            **{column_of(name): text for name, text in one.studied.values},
            "estimate": SIMULATED,
            "simulated": one.simulated.value,
            **picked(one.simulated, "low high"),
            "of": CLAIM,
            "exact": None if one.exact is None else one.exact.value,
            "relative_error": None if one.exact is None else one.exact.relative_error,
            **picked(one, "partitions verdict"),
            "unsaid": "; ".join(one.unsaid),
        }
        for one in exacts
    ]


def exact_lines(exacts: Sequence[CellExact]) -> Iterator[str]:
    """Yield one line for each cell, and one for each feature that the Markov chain leaves out."""
    for one in exacts:
        share = f"{one.simulated.value:.3g} of runs lose an acknowledged write"
        yield f"{one.studied.title}: {share}; exact: {one.verdict}"
    for clause in dict.fromkeys(clause for one in exacts if one.exact is not None for clause in one.unsaid):
        yield f"what the chain does not say: {clause}"
