"""The page of one study."""

from collections.abc import Sequence

from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.intervals import share_interval
from gridproof_properties.judging.words import count
from gridproof_reports.campaigns.estimate_names import until_sentence
from gridproof_reports.campaigns.exact_cells import CellExact
from gridproof_reports.campaigns.split_cells import CellSplit
from gridproof_reports.campaigns.study import Difference, Study
from gridproof_reports.campaigns.study_figures import draw_figures, short
from gridproof_reports.pages.environment import environment

DIFFERENCES_SHOWN = 200
ONLY = "the only cell"
Texts = tuple[str, ...]
"""The cells in one row of a table."""


def render_study(
    study: Study, repeat_line: str, splits: Sequence[CellSplit] = (), exacts: Sequence[CellExact] = ()
) -> str:
    """Return the page as one self-contained HTML document; splitting and exact numbers have their own sections."""
    never = [name for name in study.estimates if not study.happened(name.name)]
    clear = [one for one in study.differences if one.is_clear]
    return (
        environment()
        .get_template("study.html.j2")
        .render(
            study=study,
            headline=_headline(study),
            until_sentence=until_sentence(study.until),
            outcome={ExitStatus.BROKEN: "broken", ExitStatus.UNKNOWN: "unknown"}.get(study.tried.exit_status, "holds"),
            figures=list(draw_figures(study)),
            never=never,
            in_no_run=short(share_interval(0, min(cell.found.runs for cell in study.cells)).high),
            clear=[_described(study, one) for one in clear[:DIFFERENCES_SHOWN]],
            left_out=max(0, len(clear) - DIFFERENCES_SHOWN),
            splits=[_described_split(one) for one in splits],
            exacts=[_described_exact(one) for one in exacts],
            unclear=len(study.differences) - len(clear),
            by_chance=study.clear_by_chance,
            repeat_line=repeat_line,
        )
    )


def _described_exact(one: CellExact) -> Texts:
    found = one.simulated
    interval = f"{short(found.low)} to {short(found.high)}" if found.low <= found.high else "none"
    unsaid = "; ".join(one.unsaid) if one.exact is not None else ""
    return one.studied.where or ONLY, short(found.value), interval, one.verdict, unsaid


def _described_split(one: CellSplit) -> tuple[str, Texts, str]:
    """Return the cell, the result of splitting or the reason for none, and the estimate from the campaign's runs."""
    found, plain = one.found, one.plain
    campaign = f"{one.studied.lossy:,} of {one.studied.found.runs:,} ({short(plain.low)} to {short(plain.high)})"
    if isinstance(found, str):
        return one.studied.where or ONLY, (found,), campaign
    names = [*map(str, found.levels), "loss"]
    levels = ", ".join(f"{name}: {short(share)}" for name, share in zip(names, found.shares, strict=True))
    interval = f"{short(found.low)} to {short(found.high)}"
    numbers = (short(found.value), interval, levels, f"{found.trials:,}", f"{found.plain_runs:,.0f}")
    return one.studied.where or ONLY, numbers, campaign


def _headline(study: Study) -> str:
    broken, lossy = sum(cell.broken for cell in study.cells), sum(cell.lossy for cell in study.cells)
    lost, acknowledged = sum(cell.lost for cell in study.cells), sum(cell.acknowledged for cell in study.cells)
    many = f"{count(study.runs, 'run')} of {count(len(study.cells), 'cell')}"
    losses = "no acknowledged write is lost"
    if lossy:
        of_all = f"{lost / acknowledged:.2g} of all that were acknowledged"
        losses = f"acknowledged writes are lost in {count(lossy, 'run')}, {of_all}"
    found = f"a promised property is broken in {broken:,}" if broken else "no promised property is broken"
    return "; ".join([many, losses, found, *study.tried.first_lines()])


def _described(study: Study, one: Difference) -> Texts:
    cells = {cell.found.cell: cell for cell in study.cells}
    mine, theirs = dict(cells[one.cell].values), dict(cells[one.base].values)
    others = ", ".join(f"{name} {text}" for name, text in mine.items() if name != one.axis)
    seeds = (f"{one.seeds:,}", f"{one.seeds_that_differ:,}")
    interval = one.note or f"{_signed(one.low)} to {_signed(one.high)}"
    change = f"{one.axis} {theirs[one.axis]} → {mine[one.axis]}"
    name = one.estimate.replace("_", " ")
    return name, change, others or "–", *seeds, _signed(one.difference), interval, short(one.chance)


def _signed(value: float) -> str:
    return f"+{short(value)}" if value > 0 else short(value).replace("-", "−")
