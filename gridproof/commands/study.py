"""`gridproof study`: what a campaign says."""

import argparse
import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof.configuration import lines_object
from gridproof.console import open_console, print_configuration
from gridproof.errors import UsageError, reason_of
from gridproof.folders import make_folder
from gridproof.progress import show_progress
from gridproof.study_splitting import add_splitting, chosen_effort, print_splits, repeating_words
from gridproof_properties.exit_status import ExitStatus
from gridproof_reports.campaigns.estimate_names import ESTIMATES, ESTIMATES_BY_NAME, nearest_estimate
from gridproof_reports.campaigns.store import Store

if TYPE_CHECKING:
    from gridproof_reports.campaigns.study import Study

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
        "--out", type=Path, metavar="DIR", help=f"where page and tables go, made anew (default: {STUDY_NAME} in DIR)"
    )
    add_splitting(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Estimate, compare, write page and tables; the exit status is that of the campaign, or of what was not split."""
    folder: Path = arguments.folder
    names, effort = _names(arguments.only), chosen_effort(arguments)
    store = Store(folder)
    store.read_plan()
    out = make_folder(arguments.out or folder / STUDY_NAME)
    # Imported now: SciPy and Arrow take longer to load than a wrong use takes to be reported.
    from gridproof_model.whole_file import write_whole
    from gridproof_reports.campaigns.manifest import write_manifest
    from gridproof_reports.campaigns.split_cells import split_cells
    from gridproof_reports.campaigns.study import study_campaign
    from gridproof_reports.campaigns.study_figures import draw_files
    from gridproof_reports.campaigns.study_tables import estimate_rows, split_rows, write_tables
    from gridproof_reports.pages.study import render_study

    with show_progress("study") as show:
        study = study_campaign(store, names, show)
        splits = split_cells(store, study, arguments.split, effort, show) if arguments.split else ()
        try:
            tables = write_tables(study, out, splits)
            repeat = shlex.join(repeating_words(arguments))
            manifest = write_manifest(store, out, repeat)
            page = write_whole(out / PAGE_NAME, render_study(study, repeat, splits))
            make_folder(out / FIGURES_NAME)
            for name, drawing in draw_files(study):
                write_whole(out / FIGURES_NAME / f"{name}.svg", drawing)
        except OSError as error:
            raise UsageError(f"cannot write to {out}: {reason_of(error)}; name another folder with --out") from None
    if arguments.json:
        fields = {"folder": str(folder), "runs": study.runs, "cells": len(study.cells), "page": str(page)}
        fields |= study.tried.as_object()
        lines = lines_object(study.taken, study.passed_over)
        fields |= {"configuration": lines} if any(lines.values()) else {}
        fields |= {"splits": split_rows(splits)} if arguments.split else {}
        print(json.dumps(fields | {"estimates": _plain(estimate_rows(study))}))
    else:
        for said in study.tried.first_lines():
            print(said)
        print(f"{study.runs:,} runs of {len(study.cells):,} cells, {len(study.differences):,} differences")
        _print_clear(study)
        print_splits(splits, arguments.split)
        print_configuration(open_console(), study.taken, study.passed_over)
        print("\n".join(f"table   {path}" for path in tables))
        print(f"page    {page}\nfigures {out / FIGURES_NAME}\nmade by {manifest}")
    is_unknown = any(isinstance(one.found, str) for one in splits)
    status = study.tried.exit_status
    return ExitStatus.UNKNOWN if is_unknown and status == ExitStatus.HOLDS else status


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
                f"  {one.estimate}, {one.axis}: cell {one.cell} {one.value:+.3g} against {one.base} ({bounds}); "
                f"{one.seeds_that_differ:,} of {one.seeds:,} seeds differ, by chance {one.chance:.2g}"
            )


def _names(text: str | None) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(","))) if text is not None else ()
    for name in names:
        if name not in ESTIMATES_BY_NAME:
            raise UsageError(f"no estimate is called {name[:60]!r}: {nearest_estimate(name)}")
    return names


def _plain(rows: list[dict[str, object]]) -> list[dict[str, object]]:
    """Return rows as JSON can hold them: nothing where there is no number."""
    return [
        {
            name: None if isinstance(value, float) and not abs(value) < float("inf") else value
            for name, value in row.items()
        }
        for row in rows
    ]
