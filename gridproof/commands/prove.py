"""`gridproof prove`: makes the ledger of a specification, or finds the lemmas that it needs."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from gridproof.arguments.followed import Subject, refuse_ignored
from gridproof.arguments.specifications import add_specification, chosen_specification, only_worlds_that_exist
from gridproof.command import UsageError
from gridproof.output.console import FOLDED, RIGHT, WHOLE, new_table, open_console
from gridproof.output.folders import check_paths, write_result
from gridproof.output.progress import show_progress
from gridproof.proving.find_lemmas import add_find_arguments, run_find
from gridproof.proving.refines import add_refines_arguments, run_refines
from gridproof.time_limit import INTERRUPTED, TimeLimit, limited
from gridproof_properties.claims.named import Named
from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.proofs.argument import Argument

if TYPE_CHECKING:
    from gridproof_properties.claims.ledger_row import LedgerRow
    from gridproof_properties.claims.proof_graph import ProofGraph

_STATUS_COLOURS = {"proved": "green", "exhaustive": "green", "seen": "green", "broken": "red"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `prove`."""
    add_specification(parser)
    parser.add_argument(
        "--out", type=Path, metavar="FILE",
        help="write the ledger as a page of Markdown, too; with --find the lemmas, as a module of Python",
    )  # fmt: skip
    parser.add_argument(
        "--graph", type=Path, metavar="FILE",
        help="draw which lemmas each claim leans on, and at which actions, as an SVG",
    )  # fmt: skip
    add_find_arguments(parser)
    add_refines_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Prove or explore the claims, print a row for each, and return the exit status of the worst result."""
    is_refined = arguments.refines is not None
    subject = Subject.REFINED if is_refined else Subject.LEMMAS_FOUND if arguments.find else Subject.PROVED
    refuse_ignored(arguments.typed, subject)
    named = chosen_specification(arguments)
    if is_refined:
        return run_refines(arguments, named)
    out: Path | None = arguments.out
    _check_files({"--out": out, "--graph": arguments.graph})
    try:
        # Imported here: Z3 is an extra, and every other command works without it.
        from gridproof_properties.claims.ledger import Evidence
        from gridproof_properties.claims.ledger_page import ledger_page

        if arguments.find:
            return run_find(arguments, named)
    except ModuleNotFoundError as missing:
        raise UsageError(f"prove needs {missing.name}; type: pip install 'gridproof[proofs,properties]'") from None
    with only_worlds_that_exist(named):
        argument = _chosen_argument(named)
    name = named.specification.name
    with only_worlds_that_exist(named), show_progress(name) as report:
        evidence = Evidence.gather(argument, lambda what: report(what, 0, None))
        limit = TimeLimit(why=None if evidence.is_whole else INTERRUPTED)
        rows, lemmas = evidence.rows(is_shown=False), evidence.lemma_rows(is_shown=False)
        with limited(limit):
            if evidence.is_whole:
                rows, lemmas = evidence.rows(), evidence.lemma_rows()
    limit.say()
    graph = evidence.graph
    if graph is None and limit.why is not None:
        arguments.graph = None  # there is nothing to draw yet
    if arguments.graph is not None:
        _draw(arguments.graph, graph)
    if out is not None:
        written = f"Written by `gridproof prove {named.reference}`.\n"
        write_result("--out", out, ledger_page([evidence], written))
    if arguments.json:
        print(json.dumps({"specification": name, **_objects(rows, lemmas, graph), "page": str(out) if out else None}))
    else:
        _print(name, rows, lemmas)
        _print_outline(graph)
        for sentence in evidence.cutoffs:
            open_console().print(f"\n{sentence}", soft_wrap=True)
        for what, file in (("page", out), ("graph", arguments.graph)):
            if file is not None:
                print(f"{what:8}{file}")
    statuses = {row.status.value for row in rows}
    if "broken" in statuses:
        return ExitStatus.BROKEN
    return ExitStatus.UNKNOWN if statuses & {"open", "partly"} else ExitStatus.HOLDS


def _check_files(files: Mapping[str, Path | None]) -> None:
    for option, file in files.items():
        if file is not None and file.exists():
            raise UsageError(f"{file} exists already and is not overwritten; name another file with {option}")
    check_paths(files)


def _chosen_argument(named: Named) -> Argument:
    """Return the proof argument in the user's module; or else gridproof's own, if it has one; or else an empty one."""
    from gridproof_properties.claims.known import argument_of

    if len(named.arguments) > 1:
        problem = f"{named.reference} has {len(named.arguments)} proof arguments about {named.specification.name}"
        raise UsageError(f"{problem}; name one of them, as FILE.py:NAME, instead of the specification")
    return named.arguments[0] if named.arguments else argument_of(named.specification)


def _print(name: str, rows: "tuple[LedgerRow, ...]", lemmas: "tuple[LedgerRow, ...]") -> None:
    whole = {**WHOLE, **FOLDED}
    columns = {"claim": FOLDED, "kind": whole, "status": whole, "how it is known": FOLDED, "seconds": RIGHT}
    table = new_table(f"ledger of {name}", columns)
    for row in (*rows, *lemmas):
        word = Text(row.status.value, _STATUS_COLOURS.get(row.status.value, "yellow"))
        kind = "lemma" if row in lemmas else row.kind.value
        table.add_row(row.claim, kind, word, row.detail, f"{row.seconds:.1f}")
    console = open_console()
    console.print(table)
    for row in (*rows, *lemmas):
        if row.counterexample:
            steps = "\n  ".join(row.counterexample)
            what = "broken" if row.status.value == "broken" else "not inductive"
            console.print(f"\n{row.claim} is {what}:\n  {steps}", soft_wrap=True)


def _print_outline(graph: "ProofGraph | None") -> None:
    """Print the lemmas on which the proofs of the claims depend, if there are any."""
    if graph is not None and graph.has_lemmas:
        console = open_console()
        console.print("\neach claim, with the lemmas it needs below it, and the actions that break it without them:")
        for line in graph.outline():
            console.print(f"  {line}", soft_wrap=True)


def _draw(file: Path, graph: "ProofGraph | None") -> None:
    if graph is None:
        cure = "list the worlds to prove in `proved_in` of the proof argument"
        raise UsageError(f"--graph {file}: no claim was proved, so there is no graph; {cure}")
    from gridproof_reports.drawing.proof_graph_drawing import draw_proof_graph

    write_result("--graph", file, draw_proof_graph(graph))


def _objects(
    rows: "tuple[LedgerRow, ...]", lemmas: "tuple[LedgerRow, ...]", graph: "ProofGraph | None"
) -> dict[str, object]:
    leaning = {} if graph is None else {one: dict(below) for one, below in graph.leans_on.items()}
    return {"ledger": [row.as_json() for row in rows], "lemmas": [row.as_json() for row in lemmas], "leans_on": leaning}
