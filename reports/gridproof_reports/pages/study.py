"""The page of one study."""

from gridproof_reports.campaigns.study import Difference, Study
from gridproof_reports.campaigns.study_figures import draw_figures, short
from gridproof_reports.pages.environment import make_environment

DIFFERENCES_SHOWN = 200


def render_study(study: Study, repeat_line: str) -> str:
    """Return the page as one self-contained HTML document."""
    never = [name for name in study.estimates if not study.happened(name.name)]
    clear = [one for one in study.differences if one.is_clear]
    return (
        make_environment()
        .get_template("study.html.j2")
        .render(
            study=study,
            headline=_headline(study),
            outcome="broken" if any(cell.broken for cell in study.cells) else "holds",
            figures=list(draw_figures(study)),
            never=[(name, short(_highest(study, name.name))) for name in never],
            clear=[_told(study, one) for one in clear[:DIFFERENCES_SHOWN]],
            left_out=max(0, len(clear) - DIFFERENCES_SHOWN),
            unclear=len(study.differences) - len(clear),
            repeat_line=repeat_line,
        )
    )


def _headline(study: Study) -> str:
    broken = sum(cell.broken for cell in study.cells)
    many = f"{study.runs:,} runs of {len(study.cells):,} cells"
    return (
        f"{many}; a promised property is broken in {broken:,}" if broken else f"{many}; no promised property is broken"
    )


def _highest(study: Study, name: str) -> float:
    bounds = [one.high for cell in study.cells for one in cell.found.estimates if one.name == name]
    return max((bound for bound in bounds if bound == bound), default=float("nan"))


def _told(study: Study, one: Difference) -> dict[str, str]:
    cells = {cell.found.cell: cell for cell in study.cells}
    mine, theirs = dict(cells[one.cell].values), dict(cells[one.base].values)
    others = ", ".join(f"{name} {text}" for name, text in mine.items() if name != one.axis)
    return {
        "estimate": one.estimate.replace("_", " "),
        "change": f"{one.axis} {theirs[one.axis]} → {mine[one.axis]}",
        "others": others or "–",
        "seeds": f"{one.seeds:,}",
        "value": _signed(one.value),
        "interval": f"{_signed(one.low)} to {_signed(one.high)}",
    }


def _signed(value: float) -> str:
    return f"+{short(value)}" if value > 0 else short(value).replace("-", "−")
