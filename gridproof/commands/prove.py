"""`gridproof prove`: the ledger of a specification."""

import argparse
import json
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from gridproof.command import Command
from gridproof.errors import UsageError
from gridproof.progress import show_progress
from gridproof.specifications import add_specification, chosen_specification
from gridproof.tables import open_console
from gridproof_properties.verdict import ExitStatus

if TYPE_CHECKING:
    from gridproof_properties.ledger import LedgerRow

_STATUS_COLOURS = {"proved": "green", "exhaustive": "green", "open": "yellow", "broken": "red"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `prove`."""
    add_specification(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object on standard output")


def run(arguments: argparse.Namespace) -> int:
    """Prove and explore what can be, print a row a claim, and return the worst as exit status."""
    specification = chosen_specification(arguments)
    try:
        # Imported now: Z3 is an extra, and every other command works without it.
        from gridproof_properties.ledger import ledger_rows
    except ModuleNotFoundError as missing:
        raise UsageError(f"prove needs {missing.name}; pip install 'gridproof[proofs,properties]'") from None
    with show_progress(specification.name) as report:
        rows = ledger_rows(specification, progress=lambda what: report(what, 0, None))
    if arguments.json:
        print(json.dumps({"specification": specification.name, "ledger": [_object(row) for row in rows]}))
    else:
        _print(specification.name, rows)
    statuses = {row.status.value for row in rows}
    if "broken" in statuses:
        return ExitStatus.BROKEN
    return ExitStatus.UNKNOWN if "open" in statuses else ExitStatus.HOLDS


def _print(name: str, rows: "tuple[LedgerRow, ...]") -> None:
    table = Table(title=f"ledger of {name}", title_justify="left")
    for heading in ("claim", "kind", "status"):
        table.add_column(heading, no_wrap=heading != "claim", overflow="fold")
    table.add_column("how it is known", overflow="fold")
    table.add_column("seconds", justify="right")
    for row in rows:
        word = f"[{_STATUS_COLOURS[row.status.value]}]{row.status.value}[/]"
        table.add_row(row.claim, row.kind.value, word, escape(row.detail), f"{row.seconds:.1f}")
    console = open_console()
    console.print(table)
    for row in rows:
        if row.counterexample:
            told = "\n  ".join(map(escape, row.counterexample))
            console.print(f"\n{row.claim} is not inductive:\n  {told}", soft_wrap=True)


def _object(row: "LedgerRow") -> dict[str, object]:
    return {
        "claim": row.claim,
        "kind": row.kind.value,
        "sentence": row.sentence,
        "source": row.source,
        "status": row.status.value,
        "detail": row.detail,
        "counterexample": list(row.counterexample),
        "seconds": round(row.seconds, 3),
    }


COMMAND = Command("prove", "prove a specification's claims; print the ledger", add_arguments, run)
