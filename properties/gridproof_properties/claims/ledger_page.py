"""The page of the ledger: `docs/ledger.md`, or one's own.

Written anew by `python -m gridproof_properties.claims.ledger_page docs/ledger.md`. It holds no times, so that it
changes only when what is known does.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gridproof_model.specifications import SPECIFICATIONS
from gridproof_model.whole_file import write_whole
from gridproof_properties.claims.ledger import argument_of, ledger_rows
from gridproof_properties.claims.ledger_row import LedgerRow, Status
from gridproof_properties.proofs.argument import Argument

HEAD = """# The ledger

How well every claim of every specification is known, and in which worlds. *Proved*: by induction with Z3, for every
reachable state of the worlds named, however many there are. *Exhaustive*: in every state of the worlds named, which the
explorer visited. *Seen*, of a sometimes-claim: by a behaviour that plain values replay. *Partly*: exhaustive in the
worlds named, while nobody looked at others that the same argument speaks of. *Open*: none of these, and why.

`any number of` names the constants that the proof leaves open. Where a claim is not inductive the step is named that
leads out of it, from a state that may be out of reach; `gridproof prove` shows both states. Lemmas are facts nobody
wrote down and the proofs need; each is proved along with the claims that lean on it.
"""
OURS = "This page is written by `python -m gridproof_properties.claims.ledger_page docs/ledger.md`.\n"


def ledger_page(ledgers: Sequence[tuple[Argument, Sequence[LedgerRow]]], by: str = OURS) -> str:
    """Return the page of these ledgers, one section a specification; `by` says what wrote it."""
    return "\n".join([HEAD, by, *(_section(argument, rows) for argument, rows in ledgers)])


def claim_line(row: LedgerRow) -> str:
    """Return how a claim stands in its row: its name and its sentence."""
    return f"`{row.claim}`: {row.sentence}"


def _section(argument: Argument, rows: Sequence[LedgerRow]) -> str:
    counts = Counter(row.status for row in rows)
    summary = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    lines = [
        f"## {argument.specification.name}",
        "",
        f"{len(rows)} rows: {summary}.",
        "",
        "| claim | kind | status | how |",
        "|---|---|---|---|",
        *(f"| {claim_line(row)} | {row.kind} | **{row.status}** | {row.detail} |" for row in rows),
        "",
    ]
    if argument.lemmas:
        lines += ["Lemmas:", "", *(f"- `{lemma.name}`: {lemma.sentence}" for lemma in argument.lemmas), ""]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Write the page to the file named."""
    if len(arguments) != 1:
        sys.exit("name one file: python -m gridproof_properties.claims.ledger_page docs/ledger.md")
    ledgers = [(argument_of(specification), ledger_rows(specification)) for specification in SPECIFICATIONS]
    write_whole(Path(arguments[0]), ledger_page(ledgers))


if __name__ == "__main__":
    main(sys.argv[1:])
