"""The page of the recomputed papers, and the texts on it.

`gridproof papers --all --page docs/papers.md` writes `docs/papers.md`; a test reads the page and compares it with what
is computed.
"""

from collections.abc import Sequence

from gridproof_properties.intervals import EXACT
from gridproof_properties.recomputing.paper import COMPARED, Cell, Comparison, Effort, Origin, Paper, Recomputed

MARK = {Origin.PRINTED: "", Origin.RECALLED: " †", Origin.FORMULA: " ƒ"}
"""The mark that follows a published value, by its origin."""
_INTRODUCTION = """\
# The papers, recomputed

Published numbers are computed again from the inputs that their papers state. {printed_within} of {printed} numbers that
were read in a paper are within their tolerance, and {formulas_within} of {formulas} values that a paper's formula gives
for our inputs. The two kinds are counted separately: agreement with a formula shows that two computations agree, and
agreement with a printed number shows that we understood the paper's model. Commands that list papers and make the page:

```sh
gridproof papers                              # list them
gridproof papers copysets-2013                # one, on the terminal; --json for machines, --seed for another seed
gridproof papers --all --page docs/papers.md  # make this page anew: some minutes
```

Each row has the published value, ours with its interval at 99 %, the difference and the tolerance. A cell is *within*
if the whole interval is within the tolerance, *outside* if no part of it is, and *undecided* if only a part of it is.
A cell *cannot be recomputed* if the paper does not state one of its inputs. *Shown beside* marks values of the same
measure for something else, which no paper published. *Not counted* marks a comparison with a value marked †: this value
is from notes or memory and was not read in the paper, so being near it is no agreement. ƒ marks the value that a
formula of the paper gives for our inputs. The exit status is 0 if all counted cells are within, 1 if any is outside,
and 3 if none is outside but one is undecided or cannot be recomputed.

The reason of each tolerance is given below the table: what a formula leaves out, or how far the paper's own sample may
be from the true value, if the number of its trials is known. The tolerance of a share is relative to the share or to
its complement, whichever is smaller; the tolerance of a ratio to a mean is relative to the ratio's distance from 1. For
most cells earlier results were known when the tolerance was set. If a first run left a cell undecided, more runs were
made. Each model has mutants (`tests/properties/test_paper_mutants.py`), such as a leg of a delay that is left out,
`max` for `min`, or a counter that is not reset. Each mutant must move a cell out of its tolerance.

| paper | printed: {counted} | formulas: {counted} | {others} |
|---|{lines}|
{rows}
"""


def make_page(results: Sequence[tuple[Paper, Recomputed]]) -> str:
    """Return the page on these papers and their results."""
    whole = Recomputed("all", Effort(), [cell for _, result in results for cell in result.cells])
    printed, formulas = (
        sum(whole.count(one, origin) for one in COMPARED) for origin in (Origin.PRINTED, Origin.FORMULA)
    )
    head = _INTRODUCTION.format(
        printed=printed,
        printed_within=whole.count(Comparison.WITHIN, Origin.PRINTED),
        formulas=formulas,
        formulas_within=whole.count(Comparison.WITHIN, Origin.FORMULA),
        counted=" | ".join(COMPARED),
        others=" | ".join(one for one in Comparison if one not in COMPARED),
        lines="|".join("--:" for _ in (*Comparison, *COMPARED)),
        rows="\n".join(_summary_row(result) for _, result in results),
    )
    return "\n".join([head, *(_section(paper, result) for paper, result in results)])


def published_text(cell: Cell) -> str:
    """Return the published value as it was printed, with its mark; empty if there is no such value."""
    return "" if cell.published is None else cell.published.text + MARK[cell.published.origin]


def texts(cell: Cell) -> tuple[str, str, str, str, str]:
    """Return the texts of a cell for readers; a part that the cell does not have is an empty text.

    The parts are: the published value; the recomputed value, with six digits if it is exact, otherwise with four; its
    interval, or that it is exact; the difference as a share of the published value; and the tolerance, if the cell is
    judged.
    """
    published, ours = cell.published, cell.ours
    value = interval = difference = tolerance = ""
    if ours is not None:
        is_exact = ours.how == EXACT
        value = _number(ours.value, 6 if is_exact else 4)
        interval = "exact" if is_exact else f"{_number(ours.low)} to {_number(ours.high)}"
    if published is not None and cell.difference is not None and published.value != 0:
        difference = f"{cell.difference / published.value:+.1%}"
    if published is not None and cell.tolerance is not None:
        tolerance = cell.tolerance.text(published)
    return published_text(cell), value, interval, difference, tolerance


def _section(paper: Paper, result: Recomputed) -> str:
    reasons = list(dict.fromkeys(cell.tolerance.why for cell in result.cells if cell.tolerance is not None))
    lines = [
        f"## {paper.name}",
        "",
        f"{paper.citation}.",
        "",
        f"Recomputed: {paper.summary}. Recomputed with: {paper.with_what}. "
        f"Source of the published values: {paper.read_in}. "
        f"Seed {result.effort.seed}.",
        "",
        "| cell | inputs | published | ours | interval (99 %) | difference | tolerance | |",
        "|---|---|--:|--:|--:|--:|---|---|",
        *(_row(cell, result.notes) for cell in result.cells),
        "",
        *(f"({number}) {note[:1].upper()}{note[1:]}.  " for number, note in enumerate(result.notes, 1)),
        *([""] if result.notes else []),
        "Tolerances:",
        "",
        *(f"- Allowed difference: {why.replace(': ', ', because ', 1)}" for why in reasons),
        "",
    ]
    return "\n".join(lines)


def _row(cell: Cell, notes: Sequence[str]) -> str:
    number = f" ({notes.index(cell.note) + 1})" if cell.note else ""
    return f"| {' | '.join([cell.name, cell.inputs, *texts(cell), f'{cell.comparison.value}{number}'])} |"


def _summary_row(result: Recomputed) -> str:
    counts = [result.count(one, origin) for origin in (Origin.PRINTED, Origin.FORMULA) for one in COMPARED]
    counts += [result.count(one) for one in Comparison if one not in COMPARED]
    return f"| [{result.name}](#{result.name}) | {' | '.join(map(str, counts))} |"


def _number(value: float, digits: int = 4) -> str:
    """Return a number with `digits` digits, in the form that people write."""
    if 1e4 <= abs(value) < 1e7:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"
