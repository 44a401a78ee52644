"""The page of one study."""

from collections.abc import Sequence

from gridproof_properties.exit_status import ExitStatus
from gridproof_properties.intervals import share_interval
from gridproof_reports.campaigns.estimate_names import until_sentence
from gridproof_reports.campaigns.exact_cells import CellExact
from gridproof_reports.campaigns.split_cells import CellSplit
from gridproof_reports.campaigns.study import Difference, Study
from gridproof_reports.campaigns.study_figures import draw_figures, short
from gridproof_reports.pages.environment import make_environment

DIFFERENCES_SHOWN = 200


def render_study(
    study: Study, repeat_line: str, splits: Sequence[CellSplit] = (), exacts: Sequence[CellExact] = ()
) -> str:
    """Return the page as one self-contained HTML document; other readings of cells have sections of their own."""
    never = [name for name in study.estimates if not study.happened(name.name)]
    clear = [one for one in study.differences if one.is_clear]
    return (
        make_environment()
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


def _described_exact(one: CellExact) -> dict[str, str]:
    return {
        "where": ", ".join(f"{name} {text}" for name, text in one.values) or "the only cell",
        "simulated": short(one.simulated),
        "interval": f"{short(one.low)} to {short(one.high)}" if one.low <= one.high else "none",
        "verdict": one.verdict,
        "unsaid": "; ".join(one.unsaid) if one.exact is not None else "",
    }


def _described_split(one: CellSplit) -> dict[str, str]:
    found, plain = one.found, one.plain
    described = {
        "where": ", ".join(f"{name} {text}" for name, text in one.values) or "the only cell",
        "campaign": f"{one.seen:,} of {one.runs:,} ({short(plain.low)} to {short(plain.high)})",
    }
    if isinstance(found, str):
        return {**described, "unknown": found}
    return {
        **described,
        "unknown": "",
        "value": short(found.value),
        "interval": f"{short(found.low)} to {short(found.high)}",
        "levels": ", ".join(
            f"{name}: {short(share)}"
            for name, share in zip([*map(str, found.levels), "loss"], found.shares, strict=True)
        ),
        "trials": f"{found.trials:,}",
        "plain_runs": f"{found.plain_runs:,.0f}",
    }


def _headline(study: Study) -> str:
    broken, lossy = sum(cell.broken for cell in study.cells), sum(cell.lossy for cell in study.cells)
    lost, acknowledged = sum(cell.lost for cell in study.cells), sum(cell.acknowledged for cell in study.cells)
    many = f"{study.runs:,} runs of {len(study.cells):,} cells"
    losses = "no acknowledged write is lost"
    if lossy:
        losses = (
            f"acknowledged writes are lost in {lossy:,} runs, {lost / acknowledged:.2g} of all that were acknowledged"
        )
    found = f"a promised property is broken in {broken:,}" if broken else "no promised property is broken"
    return "; ".join([many, losses, found, *study.tried.first_lines()])


def _described(study: Study, one: Difference) -> dict[str, str]:
    cells = {cell.found.cell: cell for cell in study.cells}
    mine, theirs = dict(cells[one.cell].values), dict(cells[one.base].values)
    others = ", ".join(f"{name} {text}" for name, text in mine.items() if name != one.axis)
    return {
        "estimate": one.estimate.replace("_", " "),
        "change": f"{one.axis} {theirs[one.axis]} → {mine[one.axis]}",
        "others": others or "–",
        "seeds": f"{one.seeds:,}",
        "differing": f"{one.seeds_that_differ:,}",
        "value": _signed(one.value),
        "interval": one.note or f"{_signed(one.low)} to {_signed(one.high)}",
        "chance": short(one.chance),
    }


def _signed(value: float) -> str:
    return f"+{short(value)}" if value > 0 else short(value).replace("-", "−")
