"""The page of the ledger: `docs/ledger.md`.

Written anew by `python -m gridproof_properties.ledger_page docs/ledger.md`. It holds no times, so that it changes only
when what is known does.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from gridproof_model.spec import Specification
from gridproof_model.specifications import SPECIFICATIONS
from gridproof_properties.ledger import LedgerRow, Status, argument_of, ledger_rows

HEAD = """# The ledger

How well every claim of every specification is known. *Proved*: by induction with Z3, for every reachable state of the
worlds named, however many there are; of a *sometimes*-claim, that it was seen, by a behaviour that plain values replay.
*Exhaustive*: in every state of the worlds named, which the explorer visited. *Open*: neither, and why.

`any number of` names the constants that the proof leaves open. Where a claim is not inductive the step is named that
leads out of it, from a state that may be out of reach; `gridproof prove` shows both states. Lemmas are facts nobody
wrote down and the proofs need; each is proved along with the claims that lean on it.

This page is written by `python -m gridproof_properties.ledger_page docs/ledger.md`.
"""


def ledger_page(ledgers: Sequence[tuple[Specification, Sequence[LedgerRow]]]) -> str:
    """Return the page of these ledgers, one section a specification."""
    return "\n".join([HEAD, *(_section(specification, rows) for specification, rows in ledgers)])


def claim_line(row: LedgerRow) -> str:
    """Return how a claim stands in its row: its name and its sentence."""
    return f"`{row.claim}`: {row.sentence}"


def _section(specification: Specification, rows: Sequence[LedgerRow]) -> str:
    counts = Counter(row.status for row in rows)
    summary = ", ".join(f"{counts[status]} {status}" for status in Status if counts[status])
    lines = [
        f"## {specification.name}",
        "",
        f"{len(rows)} rows: {summary}.",
        "",
        "| claim | kind | status | how |",
        "|---|---|---|---|",
        *(f"| {claim_line(row)} | {row.kind} | **{row.status}** | {row.detail} |" for row in rows),
        "",
    ]
    lemmas = argument_of(specification).lemmas
    if lemmas:
        lines += ["Lemmas:", "", *(f"- `{lemma.name}`: {lemma.sentence}" for lemma in lemmas), ""]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Write the page to the file named."""
    if len(arguments) != 1:
        sys.exit("name one file: python -m gridproof_properties.ledger_page docs/ledger.md")
    ledgers = [(specification, ledger_rows(specification)) for specification in SPECIFICATIONS]
    Path(arguments[0]).write_text(ledger_page(ledgers), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
