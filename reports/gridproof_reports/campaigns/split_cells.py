"""The probability that a run loses an acknowledged write, estimated by splitting, for cells with very rare losses.

The share of the campaign's own runs with a loss is shown next to the estimate; the two agree if enough runs have a
loss.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from gridproof_model.user_error import UserError, listed
from gridproof_properties.campaign.effort import UNSEEN, Effort
from gridproof_properties.campaign.run_splitting import RunSplitter, UnsplittableError
from gridproof_properties.intervals import Interval, share_interval
from gridproof_properties.measuring.explored import UnmeasurableError
from gridproof_properties.measuring.fixed_effort import Split
from gridproof_reports.campaigns.store import Store
from gridproof_reports.campaigns.study import Progress, StudiedCell, Study

ALL, INTERRUPTED = "all", "interrupted"


class ChoiceError(UserError, ValueError):
    """Raised if cells are chosen that do not exist; the message is one line."""


@dataclass(frozen=True, slots=True)
class CellSplit:
    """The result of splitting for one cell."""

    studied: StudiedCell
    found: Split | str
    """The probability that a run of the cell loses an acknowledged write, or the reason why it was not estimated."""

    @property
    def plain(self) -> Interval:
        """Return the estimate from the campaign's own runs."""
        return share_interval(self.studied.lossy, self.studied.found.runs)

    @property
    def agrees(self) -> bool | None:
        """Whether the intervals of splitting and of plain runs overlap; None if splitting gave no probability."""
        if isinstance(self.found, str):
            return None
        return self.plain.low <= self.found.high and self.found.low <= self.plain.high


def split_cells(store: Store, study: Study, choice: str, effort: Effort, progress: Progress) -> tuple[CellSplit, ...]:
    """Apply splitting to the chosen cells: given by number, by `all`, or as those without a loss in any run.

    A KeyboardInterrupt ends the splitting, and is not raised again: the cells that are left have no results.
    """
    draw_options, splitters = store.draw_options(), dict[int, RunSplitter]()
    for cell in _chosen(choice, {studied.found.cell: studied.lossy for studied in study.cells}):
        try:
            splitters[cell] = RunSplitter(draw_options[cell], effort)
        except UnsplittableError as error:
            raise UnsplittableError(f"cell {cell} cannot be split: {error}") from None
    found: list[CellSplit] = []
    for studied in study.cells:
        cell = studied.found.cell
        if cell in splitters:
            is_over = bool(found) and found[-1].found == INTERRUPTED
            split = INTERRUPTED if is_over else _split(splitters[cell], cell, progress)
            found.append(CellSplit(studied, split))
    return tuple(found)


def _split(splitter: RunSplitter, cell: int, progress: Progress) -> Split | str:
    def follow(what: str, done: int, of: int | None) -> None:
        progress(f"cell {cell}, {what}", done, of or 0)

    try:
        return splitter.probability(follow)
    except UnmeasurableError as reason:
        return str(reason)
    except KeyboardInterrupt:
        return INTERRUPTED


def _chosen(choice: str, losses: dict[int, int]) -> Sequence[int]:
    if choice == ALL:
        return tuple(losses)
    if choice == UNSEEN:
        return tuple(cell for cell, seen in losses.items() if seen == 0)
    numbers = listed(choice, ChoiceError, "--split: ")
    wrong = next((text for text in numbers if not text.isdecimal() or int(text) not in losses), None)
    if wrong is not None:
        raise ChoiceError(
            f"--split {wrong[:40]}: no cell of this number has finished runs; write {UNSEEN}, {ALL}, or numbers "
            f"of cells from {min(losses)} to {max(losses)}"
        )
    return tuple(map(int, numbers))
