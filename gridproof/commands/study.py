"""`gridproof study`: computes estimates from a campaign; with `--split`, also of losses too rare for its runs."""

import argparse
import json
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof.arguments.configuration import lines_object
from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.command import UsageError, reason_of
from gridproof.output.console import open_console, print_configuration
from gridproof.output.folders import kept_if_used, make_folder, missing_folders
from gridproof.output.progress import show_progress
from gridproof.time_limit import limited
from gridproof_model.user_error import listed, nearest
from gridproof_properties.campaign.effort import UNSEEN, Effort
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from gridproof_reports.campaigns.estimate_names import ESTIMATES, ESTIMATES_BY_NAME
from gridproof_reports.campaigns.store import Store

if TYPE_CHECKING:
    from gridproof_reports.campaigns.exact_cells import CellExact
    from gridproof_reports.campaigns.split_cells import CellSplit
    from gridproof_reports.campaigns.study import Study

    Others = tuple[tuple[CellSplit, ...], tuple[CellExact, ...]]

STUDY_NAME = "study"
PAGE_NAME = "study.html"
FIGURES_NAME = "figures"
EXAMPLE = (
    "examples: gridproof study gridproof-out/campaign-loss --only loss,write_us_p99; "
    "gridproof study gridproof-out/campaign-rare --split"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `study`."""
    parser.epilog = EXAMPLE
    parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of a campaign, finished or not")
    names = ", ".join(one.name for one in ESTIMATES)
    parser.add_argument("--only", metavar="NAME,...", help=f"estimates to make (default: all): {names}")
    parser.add_argument(
        "--out", type=Path, metavar="DIR",
        help=f"where page and tables go, replacing older ones (default: {STUDY_NAME} in DIR)",
    )  # fmt: skip
    add_splitting(parser)


def run(arguments: argparse.Namespace) -> int:
    """Estimate, compare, write page and tables; return the campaign's exit status, or an incomplete split's."""
    out: Path = arguments.out or arguments.folder / STUDY_NAME
    with kept_if_used(out, missing_folders(out)):
        return _studied(arguments, out)


def _studied(arguments: argparse.Namespace, out: Path) -> int:
    folder: Path = arguments.folder
    names, effort = _names(arguments.only), chosen_effort(arguments)
    store = Store(folder)
    store.read_plan()
    make_folder(out)
    # Imported here: SciPy and PyArrow take long to load, and wrong use is reported before they are loaded.
    from gridproof_reports.campaigns.exact_cells import exact_cells
    from gridproof_reports.campaigns.split_cells import split_cells
    from gridproof_reports.campaigns.study import study_campaign

    study: Study | None = None
    splits: tuple[CellSplit, ...] = ()
    exacts: tuple[CellExact, ...] = ()
    files: list[Path] = []
    with show_progress("study") as show:
        with limited() as limit:
            study = study_campaign(store, names, show)
            if arguments.split and not study.part:
                splits = split_cells(store, study, arguments.split, effort, show)
            if not study.part:
                exacts = exact_cells(store, study, show)
        if study is None:
            limit.say("nothing was studied")
            return ExitStatus.INTERRUPTED
        is_whole = limit.why is None  # a user who interrupts does not want to wait for a page
        try:
            with limited(limit):
                files.extend(
                    _written(store, out, study, (splits, exacts), shlex.join(repeating_words(arguments)), is_whole)
                )
        except OSError as error:
            raise UsageError(f"cannot write to {out}: {reason_of(error)}; name another folder with --out") from None
    page = next((file for file in files if file.name == PAGE_NAME), None)
    limit.say(f"{study.part or 'all of it'} was studied{', no page is written' if page is None else ''}")
    if arguments.json:
        fields = {"folder": str(folder), "runs": study.runs, "cells": len(study.cells)}
        fields |= {"interrupted": limit.why is not None, "page": None if page is None else str(page)}
        fields |= study.tried.as_object()
        fields |= {"until": study.until} if study.until else {}
        lines = lines_object(study.taken, study.passed_over)
        fields |= {"configuration": lines} if any(lines.values()) else {}
        print(json.dumps(fields | _rows(study, splits if arguments.split else None, exacts)))
    else:
        _print(study, (splits, exacts), arguments.split, files)
    is_unknown = any(isinstance(one.found, str) for one in splits)
    status = limit.status_of_part(study.tried.exit_status) if study.part else study.tried.exit_status
    return ExitStatus.UNKNOWN if is_unknown and status == ExitStatus.HOLDS else status


def _written(store: Store, out: Path, study: "Study", others: "Others", repeat: str, is_whole: bool) -> Iterator[Path]:
    """Write tables, and page and figures if they are wanted; yield each file, or the folder of the figures."""
    from gridproof_model.whole_file import write_whole
    from gridproof_reports.campaigns.manifest import write_manifest
    from gridproof_reports.campaigns.study_figures import draw_files
    from gridproof_reports.campaigns.study_tables import write_tables
    from gridproof_reports.pages.study import render_study

    yield from write_tables(study, out, *others)
    yield write_manifest(store, out, repeat)
    if is_whole:
        yield write_whole(out / PAGE_NAME, render_study(study, repeat, *others))
        for name, drawing in draw_files(study):
            write_whole(out / FIGURES_NAME / f"{name}.svg", drawing)
        yield make_folder(out / FIGURES_NAME)


def _rows(study: "Study", splits: "tuple[CellSplit, ...] | None", exacts: "tuple[CellExact, ...]") -> dict[str, object]:
    from gridproof_reports.campaigns.exact_cells import exact_rows
    from gridproof_reports.campaigns.study_tables import estimate_rows, split_rows

    rows: dict[str, object] = {"estimates": _plain(estimate_rows(study))}
    rows |= {"exact": _plain(exact_rows(exacts))} if exacts else {}
    return rows if splits is None else {"splits": split_rows(splits), **rows}


def _print(study: "Study", others: "Others", choice: str | None, files: Sequence[Path]) -> None:
    from gridproof_reports.campaigns.estimate_names import until_sentence
    from gridproof_reports.campaigns.exact_cells import exact_lines

    splits, exacts = others
    for said in study.tried.first_lines():
        print(said)
    differences = count(len(study.differences), "difference")
    print(f"{count(study.runs, 'run')} of {count(len(study.cells), 'cell')}, {differences}")
    if study.until:
        print(until_sentence(study.until))
    _print_clear(study)
    print(*(f"  {line}\n" for line in exact_lines(exacts)), sep="", end="")
    print_splits(splits, choice)
    print_configuration(open_console(), study.taken, study.passed_over)
    words = {"manifest.json": "made by ", PAGE_NAME: "page    ", FIGURES_NAME: "figures "}
    for path in files:
        print(f"{words.get(path.name, 'table   ')}{path}")


def _print_clear(study: "Study") -> None:
    clear, (below, by_chance) = [one for one in study.differences if one.is_clear], study.clear_by_chance
    if study.differences:
        print(
            f"{len(clear):,} differences are clear, where one study in a hundred calls any clear that is none; "
            f"{below:,} have a chance below 1 % each, {by_chance:.1f} would if no two cells differed"
        )
    for one in clear:
        if one.estimate == study.estimates[0].name:
            bounds = one.note or f"{one.low:+.3g} to {one.high:+.3g}"
            print(
                f"  {one.estimate}, {one.axis}: cell {one.cell} {one.difference:+.3g} against {one.base} ({bounds}); "
                f"{one.seeds_that_differ:,} of {one.seeds:,} seeds differ, by chance {one.chance:.2g}"
            )


def _names(text: str | None) -> tuple[str, ...]:
    names = () if text is None else listed(text, UsageError, "--only: ")
    for name in names:
        if name not in ESTIMATES_BY_NAME:
            raise UsageError(f"no estimate is called {name[:60]!r}: {nearest(name, ESTIMATES_BY_NAME)}")
    return names


def _plain(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return rows in a form that JSON can have: null in place of a missing number."""
    return [
        {
            name: None if isinstance(value, float) and not abs(value) < float("inf") else value
            for name, value in row.items()
        }
        for row in rows
    ]


BOUNDS = {"trials": (2, 1_000_000), "batches": (3, 10_000), "seed": (0, 2**62), "workers": (1, 256)}
REPEATED = ("only", "split", "trials", "batches", "seed")


def add_splitting(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of splitting."""
    add = parser.add_argument
    add(
        "--split", nargs="?", const=UNSEEN, metavar="CELLS",
        help="estimate by splitting how likely a run loses an acknowledged write, of cells by number (0,3), of `all`, "
        f"or of those where no run did (`{UNSEEN}`, also without CELLS)",
    )  # fmt: skip
    usual = Effort()
    add("--trials", type=int, metavar="N", help=f"trials of --split in each level and batch ({usual.trials})")
    add("--batches", type=int, metavar="N", help=f"batches of --split, each of all levels ({usual.batches})")
    add("--seed", type=int, metavar="N", help="seed of the random choices of --split (0)")
    add("--workers", type=int, metavar="W", help="processes of --split (default: one a core)")


def chosen_effort(arguments: argparse.Namespace) -> Effort:
    """Return how much is to be simulated in splitting; UsageError if a number is wrong, or given without `--split`."""
    refuse_ignored(arguments.typed, Subject.STUDY if arguments.split is None else Subject.STUDY_BY_SPLITTING)
    given = {name: getattr(arguments, name) for name in BOUNDS if getattr(arguments, name) is not None}
    for name, number in given.items():
        low, high = BOUNDS[name]
        if not low <= number <= high:
            raise UsageError(f"--{name} {number}: write a whole number from {low} to {high:,}")
    return replace(Effort(), **given)


def repeating_words(arguments: argparse.Namespace) -> Iterator[str]:
    """Yield the words of the command line that repeats this study."""
    yield from ("gridproof", "study", str(arguments.folder))
    for name in REPEATED:
        value = getattr(arguments, name)
        if value is not None:
            yield from (f"--{name}", str(value))


def print_splits(splits: Sequence["CellSplit"], choice: str | None) -> None:
    """Print two lines for each cell to which splitting was applied."""
    if choice is not None and not splits:
        print("no cell was split: every cell has runs with a loss; `--split all` splits them nevertheless")
    for one in splits:
        seen = f"the campaign saw it in {one.studied.lossy:,} of {count(one.studied.found.runs, 'run')}"
        cell, found = f"  {one.studied.title}, by splitting", one.found
        if isinstance(found, str):
            print(f"{cell}: unknown: {found}; {seen}")
            continue
        print(
            f"{cell}: a run loses an acknowledged write with probability {found.value:.3g} "
            f"({found.low:.3g} to {found.high:.3g}); {seen}{'' if one.agrees else ', which DOES NOT AGREE'}\n"
            f"    copies left, {found.way_to('a loss')}; "
            f"{count(found.trials, 'run')}, as narrow by plain ones: about {found.plain_runs:,.0f}"
        )
