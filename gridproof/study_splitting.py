"""`gridproof study --split`: runs that lose something, where hardly any run does."""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gridproof.errors import UsageError
from gridproof.followed import Subject, refuse_ignored
from gridproof_properties.campaign.effort import UNSEEN, Effort

if TYPE_CHECKING:
    from gridproof_reports.campaigns.split_cells import CellSplit

BOUNDS = {"trials": (2, 1_000_000), "batches": (3, 10_000), "seed": (0, 2**62), "workers": (1, 256)}
REPEATED = ("only", "split", "trials", "batches", "seed")


def add_splitting(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of splitting."""
    parser.add_argument(
        "--split",
        nargs="?",
        const=UNSEEN,
        metavar="CELLS",
        help="estimate by splitting how likely a run loses an acknowledged write, of cells by number (0,3), of `all`, "
        f"or of those where no run did (`{UNSEEN}`, also without CELLS)",
    )
    usual = Effort()
    parser.add_argument("--trials", type=int, metavar="N", help=f"of --split, in each level and batch ({usual.trials})")
    parser.add_argument("--batches", type=int, metavar="N", help=f"of --split, each of all levels ({usual.batches})")
    parser.add_argument("--seed", type=int, metavar="N", help="of the dice of --split (0)")
    parser.add_argument("--workers", type=int, metavar="W", help="processes of --split (default: one a core)")


def chosen_effort(arguments: argparse.Namespace) -> Effort:
    """Return how much is to be simulated; UsageError where a number is none, or nothing is split."""
    refuse_ignored(arguments.typed, Subject.STUDY if arguments.split is None else Subject.STUDY_BY_SPLITTING)
    given = {name: getattr(arguments, name) for name in BOUNDS if getattr(arguments, name) is not None}
    for name, number in given.items():
        low, high = BOUNDS[name]
        if not low <= number <= high:
            raise UsageError(f"--{name} {number}: write a whole number from {low} to {high:,}")
    return replace(Effort(), **given)


def repeating_words(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the words that make the same study again."""
    yield from ("gridproof", "study", str(arguments.folder))
    for name in REPEATED:
        value = getattr(arguments, name)
        if value is not None:
            yield from (f"--{name}", str(value))


def print_splits(splits: Sequence["CellSplit"], choice: str | None) -> None:
    """Print two lines for each cell."""
    if choice is not None and not splits:
        print("by splitting: no cell; every cell has runs with a loss, and `--split all` splits them all the same")
    for one in splits:
        seen = f"the campaign saw it in {one.studied.lossy:,} of {one.studied.found.runs:,} runs"
        cell, found = f"  {one.studied.title}, by splitting", one.found
        if isinstance(found, str):
            print(f"{cell}: unknown: {found}; {seen}")
            continue
        print(
            f"{cell}: a run loses an acknowledged write with probability {found.value:.3g} "
            f"({found.low:.3g} to {found.high:.3g}); {seen}{'' if one.agrees else ', which DOES NOT AGREE'}\n"
            f"    copies left, {found.way_to('a loss')}; "
            f"{found.trials:,} runs, as narrow by plain ones: about {found.plain_runs:,.0f}"
        )
