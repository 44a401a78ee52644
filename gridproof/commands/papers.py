"""`gridproof papers`: recomputes published tables."""

import argparse
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path

from rich.text import Text

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.command import UsageError
from gridproof.output.console import FOLDED, NUMBER, WHOLE, new_table, open_console
from gridproof.output.folders import check_paths, write_result
from gridproof.output.progress import Report, show_progress
from gridproof.time_limit import limited
from gridproof_model.user_error import printable
from gridproof_properties.campaign.workers import open_workers
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.judging.words import count
from gridproof_properties.papers import PAPERS, get_paper, recompute
from gridproof_properties.recomputing.paper import Cell, Comparison, Effort, Paper, Recomputed
from gridproof_properties.recomputing.papers_page import make_page, published_text, texts

QUICK = 0.2
SEED_MAX = (1 << 63) - 1
COLOURS = {
    Comparison.WITHIN: "green", Comparison.OUTSIDE: "red", Comparison.BESIDE: "dim", Comparison.UNREAD: "dim"
}  # fmt: skip
"""The colour of each result of a comparison; results that are not listed are yellow."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `papers`."""
    add = parser.add_argument
    add("names", nargs="*", metavar="NAME", help="recompute these (default: list all, and compute nothing)")
    add("--all", action="store_true", help="recompute every paper; it takes minutes")
    add("--seed", type=int, default=0, metavar="S", help="seed of the simulations (default 0)")
    add("--quick", action="store_true", help="a fifth of the runs: wider intervals, and more undecided cells")
    add("--workers", type=int, metavar="W", help="processes side by side (default: one a core)")
    add("--page", type=Path, metavar="FILE", help="write the results as a page of Markdown, too")


def run(arguments: argparse.Namespace) -> int:
    """List the papers, or recompute some; return 1 if a cell is outside its tolerance, else 3 if one is undecided."""
    if not 0 <= arguments.seed <= SEED_MAX:
        raise UsageError(f"--seed {arguments.seed}: a seed is a whole number from 0 to {SEED_MAX}")
    chosen = _chosen(arguments.names, every=arguments.all)
    some = Subject.PAPER if len(chosen) == 1 else Subject.PAPERS
    refuse_ignored(arguments.typed, some if chosen else Subject.PAPERS_LISTED)
    if not chosen:
        _list(as_json=arguments.json)
        return ExitStatus.HOLDS
    check_paths({"--page": arguments.page})
    effort = Effort(arguments.seed, QUICK if arguments.quick else 1.0)
    results: list[Recomputed] = []
    with show_progress("recomputing papers") as report, limited() as limit:
        results.extend(_recompute_all(chosen, effort, arguments.workers or os.cpu_count() or 1, report))
    if limit.why is not None:
        limit.say(f"these are {len(results)} of {count(len(chosen), 'paper')}")
        arguments.page = None
    if arguments.page is not None:
        write_result("--page", arguments.page, make_page([(get_paper(one.name), one) for one in results]))
    if arguments.json:
        print(json.dumps(_object(results, effort)))
    else:
        for result in results:
            _print(result)
    return exit_status(results) or (ExitStatus.UNKNOWN if limit.why is not None else ExitStatus.HOLDS)


def exit_status(results: Sequence[Recomputed]) -> int:
    """Return the exit status for the results; a cell that cannot be recomputed or decided counts as unknown."""
    if any(result.count(Comparison.OUTSIDE) for result in results):
        return ExitStatus.BROKEN
    unknown = any(result.count(Comparison.UNDECIDED) or result.count(Comparison.IMPOSSIBLE) for result in results)
    return (
        ExitStatus.UNKNOWN if unknown or not all(one.count(Comparison.WITHIN) for one in results) else ExitStatus.HOLDS
    )


def _chosen(names: Sequence[str], *, every: bool) -> Sequence[Paper]:
    if every and names:
        raise UsageError("--all stands for every paper; leave out either --all or the names")
    return PAPERS if every else [get_paper(name) for name in dict.fromkeys(names)]


def _recompute_all(chosen: Sequence[Paper], effort: Effort, workers: int, report: Report) -> Iterator[Recomputed]:
    """Yield the result of each paper, in the order given."""
    if workers == 1 or len(chosen) == 1:
        for paper in chosen:
            cells: list[Cell] = []
            for cell in paper.recompute(effort):
                cells.append(cell)
                report(paper.name, len(cells), None)
            yield Recomputed(paper.name, effort, cells)
        return
    with open_workers(min(workers, len(chosen))) as pool:
        # The slowest paper comes first, so that the others are recomputed in the meantime.
        order = sorted(chosen, key=lambda paper: -paper.seconds)
        waiting: dict[str, Future[Recomputed]] = {
            paper.name: pool.submit(recompute, paper.name, effort) for paper in order
        }
        for number, paper in enumerate(chosen, start=1):
            yield waiting[paper.name].result()
            report(paper.name, number, len(chosen))


def _list(*, as_json: bool) -> None:
    if as_json:
        shown_counts = [{"name": one.name, "citation": one.citation, "summary": one.summary} for one in PAPERS]
        print(json.dumps({"papers": shown_counts}))
        return
    columns = {"paper": WHOLE, "what is recomputed": FOLDED, "with what": FOLDED}
    table = new_table(count(len(PAPERS), "paper"), columns)
    for paper in PAPERS:
        table.add_row(paper.name, printable(paper.summary), printable(paper.with_what))
    console = open_console()
    console.print(table)
    console.print("gridproof papers NAME recomputes one; gridproof papers --all recomputes every one, some minutes")


def _print(result: Recomputed) -> None:
    console = open_console()
    numbers = dict.fromkeys(("published", "ours", "interval (99 %)", "difference", "tolerance"), NUMBER)
    table = new_table(printable(get_paper(result.name).citation), {"cell": FOLDED, **numbers, "": FOLDED})
    for cell in result.cells:
        colour = COLOURS.get(cell.comparison, "yellow")
        number = f" ({result.notes.index(cell.note) + 1})" if cell.note else ""
        place = Text.assemble(f"{printable(cell.name)}\n", (printable(cell.inputs), "dim"))
        table.add_row(place, *texts(cell), Text.assemble((cell.comparison.value, colour), number))
    console.print(table)
    for noted, note in enumerate(result.notes, 1):
        console.print(f"({noted}) {printable(note)}", soft_wrap=True)
    if any(published_text(cell).endswith(("†", "ƒ")) for cell in result.cells):
        console.print(
            "† from notes or memory, not read in the paper: not counted; ƒ a formula of the paper at our inputs"
        )
    console.print(
        f"{count(len(result.cells), 'cell')}: {result.summary()}; seed {result.effort.seed}\n", soft_wrap=True
    )


def _object(results: Sequence[Recomputed], effort: Effort) -> Mapping[str, object]:
    return {
        "seed": effort.seed,
        "share_of_runs": effort.share,
        "papers": [
            {
                "name": result.name,
                "citation": get_paper(result.name).citation,
                "read_in": get_paper(result.name).read_in,
                "cells": [_cell_object(cell) for cell in result.cells],
                "counts": {comparison.value: result.count(comparison) for comparison in Comparison},
            }
            for result in results
        ],
    }


def _cell_object(cell: Cell) -> Mapping[str, object]:
    published, ours, tolerance = cell.published, cell.ours, cell.tolerance
    return {
        "cell": cell.place,
        "inputs": cell.inputs,
        "unit": cell.unit or None,
        "published": None if published is None else {"value": published.value, "origin": published.origin.value},
        "ours": None if ours is None else {"value": ours.value, "low": ours.low, "high": ours.high, "from": ours.how},
        "difference": cell.difference,
        "tolerance": (
            None if tolerance is None or published is None
            else {"from": tolerance.bounds(published)[0], "to": tolerance.bounds(published)[1], "why": tolerance.why}
        ),
        "comparison": cell.comparison.value,
        "note": cell.note or None,
    }  # fmt: skip
