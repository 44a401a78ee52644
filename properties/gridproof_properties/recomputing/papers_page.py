"""The page of recomputed papers, and its words.

`docs/papers.md` is made by `gridproof papers --all --page docs/papers.md`; a test reads it back and holds it against
what is computed.
"""

import re
from collections.abc import Mapping, Sequence

from gridproof_properties.intervals import EXACT, Interval
from gridproof_properties.recomputing.paper import Cell, Comparison, Origin, Paper, Recomputed

MARK = {Origin.PRINTED: "", Origin.RECALLED: " †", Origin.FORMULA: " ƒ"}
"""What stands behind a published value."""
_ROW = re.compile(r"^\| (.+?) \| .* \| ([a-z ]+?)(?: \(\d+\))? \|$", re.MULTILINE)
_INTRODUCTION = """\
# The papers, recomputed

Numbers that others published, computed again from the inputs that they state: {within} of {compared} cells are within
their tolerance, {own} of these are numbers that a paper prints and the others values of its formulas.
This page is made:

```sh
gridproof papers                              # list them
gridproof papers copysets-2013                # one, on the terminal; --json for machines, --seed for other dice
gridproof papers --all --page docs/papers.md  # make this page anew: some minutes
```

Each row has the published value, ours with its interval at 99 %, the difference and the tolerance. A cell is *within*
if the whole interval is within the tolerance, *outside* if none of it is, *undecided* if the interval lies on the edge.
A cell that *cannot be recomputed* lacks something that the paper does not state. *Shown beside* is what no paper
published: the same measure of something else. † marks a published value that was taken from notes or from memory and
not read in the paper again, ƒ the value of a formula of the paper at our inputs. Exit status: 0 all within, 1 one is
outside, 3 one is undecided or cannot be recomputed.

Each tolerance has its reason, below each table, and none was widened once it was written: what is outside is reported.
They were not all written blindly. For the epidemics, the quorums and the abstract of the copysets earlier results were
known; for the placements, the hash rings and the rarest share of table 3 a trial run had been made. Where a first run
left a cell undecided, more runs were made.

| paper | {headings} |
|---|{lines}|
{rows}
"""


def make_page(results: Sequence[tuple[Paper, Recomputed]]) -> str:
    """Return the page of these papers and what they came to."""
    cells = [cell for _, result in results for cell in result.cells]
    compared = [cell for cell in cells if cell.comparison is not Comparison.BESIDE]
    head = _INTRODUCTION.format(
        within=sum(cell.comparison is Comparison.WITHIN for cell in compared),
        compared=len(compared),
        own=sum(_is_printed(cell) and cell.comparison is Comparison.WITHIN for cell in compared),
        headings=" | ".join(comparison.value for comparison in Comparison),
        lines="|".join("--:" for _ in Comparison),
        rows="\n".join(_summary_row(result) for _, result in results),
    )
    return "\n".join([head, *(_section(paper, result) for paper, result in results)])


def read_page(text: str) -> Mapping[str, Mapping[str, Comparison]]:
    """Read a page back: how each cell of each paper compares, by paper and place."""
    words = {comparison.value: comparison for comparison in Comparison}
    sections = text.split("\n## ")[1:]
    return {
        section.partition("\n")[0]: {row[1]: words[row[2]] for row in _ROW.finditer(section) if row[2] in words}
        for section in sections
    }


def published_text(cell: Cell) -> str:
    """Return the published value as it was printed, with its mark; empty where there is none."""
    return "" if cell.published is None else cell.published.text + MARK[cell.published.origin]


def ours_text(cell: Cell) -> str:
    """Return our value: with six digits where it is exact, else with four."""
    return "" if cell.ours is None else _number(cell.ours.value, 6 if _is_exact(cell.ours) else 4)


def interval_text(cell: Cell) -> str:
    """Return our interval, or that the value is exact."""
    if cell.ours is None:
        return ""
    return "exact" if _is_exact(cell.ours) else f"{_number(cell.ours.low)} to {_number(cell.ours.high)}"


def difference_text(cell: Cell) -> str:
    """Return the difference as a share of the published value."""
    if cell.difference is None or cell.published is None:
        return ""
    return f"{cell.difference / cell.published.value:+.1%}"


def _section(paper: Paper, result: Recomputed) -> str:
    notes = list(dict.fromkeys(cell.note for cell in result.cells if cell.note))
    reasons = list(dict.fromkeys(cell.tolerance.why for cell in result.cells if cell.tolerance is not None))
    lines = [
        f"## {paper.name}",
        "",
        f"{paper.citation}.",
        "",
        f"Recomputed: {paper.summary}. What takes part: {paper.with_what}. Seed {result.effort.seed}.",
        "",
        "| cell | inputs | published | ours | interval (99 %) | difference | tolerance | |",
        "|---|---|--:|--:|--:|--:|---|---|",
        *(_row(cell, notes) for cell in result.cells),
        "",
        *(f"({number}) {note[:1].upper()}{note[1:]}.  " for number, note in enumerate(notes, 1)),
        *([""] if notes else []),
        "Tolerances:",
        "",
        *(f"- {why}" for why in reasons),
        "",
    ]
    return "\n".join(lines)


def _row(cell: Cell, notes: Sequence[str]) -> str:
    number = f" ({notes.index(cell.note) + 1})" if cell.note else ""
    allowed = ""
    if cell.published is not None and cell.tolerance is not None:
        allowed = f"±{cell.tolerance.around(cell.published):.2g}"
    values = [
        f"{cell.place} [{cell.unit}]" if cell.unit else cell.place,
        cell.inputs,
        published_text(cell),
        ours_text(cell),
        interval_text(cell),
        difference_text(cell),
        allowed,
        f"{cell.comparison.value}{number}",
    ]
    return f"| {' | '.join(values)} |"


def _summary_row(result: Recomputed) -> str:
    counts = " | ".join(str(result.count(comparison)) for comparison in Comparison)
    return f"| [{result.name}](#{result.name}) | {counts} |"


def _is_printed(cell: Cell) -> bool:
    return cell.published is not None and cell.published.origin is not Origin.FORMULA


def _is_exact(estimate: Interval) -> bool:
    return estimate.how == EXACT


def _number(value: float, digits: int = 4) -> str:
    """Return a number with so many digits, as people write it."""
    if 1e4 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"
