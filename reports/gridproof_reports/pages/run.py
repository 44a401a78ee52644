"""The page of one run, and the page that lists several systems or several runs of a system."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from urllib.parse import quote

from gridproof_properties.judging.verdict import PromiseLevel, Standing
from gridproof_properties.judging.words import count
from gridproof_reports.contents.report import Report, VerdictRow
from gridproof_reports.contents.summary import Compared, SummaryEntry, differing, properties_of
from gridproof_reports.drawing.refusal_picture import draw_refusal
from gridproof_reports.pages.environment import PROMISE_CHIPS, environment

UNMET: Mapping[Standing, str] = {
    Standing.NEVER_MET: "never met: the run has the records, and nothing in it is what the property speaks of",
    Standing.NOT_LOOKED_AT: "not looked at: the run has none of the records that the property needs",
}
"""The standings that a reader may skip, each with the reason why the verdicts with it are unknown."""
FAULTS_MAX, LOST_MAX = 12, 100
"""How many faults are shown above the verdicts (further faults are collapsed), and how many losses a page lists."""


@dataclass(frozen=True, slots=True)
class UnmetRows:
    """The unknown verdicts that share one reason and one level of promise."""

    summary: str
    promise: PromiseLevel
    rows: tuple[VerdictRow, ...]


def render_run(report: Report) -> str:
    """Return the page as one self-contained HTML document."""
    template = environment().get_template("run.html.j2")
    met = [row for row in report.verdicts if row.standing not in UNMET]
    judged = [(promise, list(of_one)) for promise, of_one in groupby(met, key=lambda row: row.verdict.promise)]
    shown = [(row.verdict.property, row.verdict.refusal) for row in report.verdicts]
    refused = {
        name: draw_refusal(refusal, f"{name}: {refusal.whose}") for name, refusal in shown if refusal is not None
    }
    return template.render(
        report=report,
        run=report.run,
        facts=_facts(report),
        judged=judged,
        unmet=list(_unmet(report.verdicts)),
        faults_max=FAULTS_MAX,
        lost_max=LOST_MAX,
        refused=refused,
        proved=[row.verdict.by_proof for row in report.verdicts if row.verdict.by_proof is not None],
    )


def _unmet(verdicts: Iterable[VerdictRow]) -> Iterator[UnmetRows]:
    rest = [row for row in verdicts if row.standing in UNMET]
    for (promise, standing), rows in groupby(rest, key=lambda row: (row.verdict.promise, row.standing)):
        found = tuple(rows)
        what = count(len(found), f"{PROMISE_CHIPS[promise]} property", f"{PROMISE_CHIPS[promise]} properties")
        yield UnmetRows(f"{what} {UNMET[standing]}", promise, found)


def _facts(report: Report) -> list[tuple[str, str]]:
    run = report.run
    facts = [("seed", str(run.seed)), ("partitions", f"{run.partition_count:,}"), ("backups", str(run.backup_count))]
    if report.timeline.members:
        facts.append(("members seen", f"{len(report.timeline.members):,}"))
    if report.live is not None:
        facts += [("history", report.live.history.split(":")[0])]
        facts += [("machine", report.live.machine)] if report.live.machine else []
    return facts + [("unknown", why) for why in report.unknown]


def render_summary(
    entries: Sequence[SummaryEntry], folder: Path, *, repeat_line: str = "", compared: Compared | None = None
) -> str:
    """Return the page as one self-contained HTML document; its links are relative to `folder`.

    If there are two systems that were asked the same operations, the page also shows in which properties and answers
    they differ, and how the clients' operations went.
    """
    template = environment().get_template("summary.html.j2")
    links = {
        entry.report: quote(Path(os.path.relpath(entry.report, folder)).as_posix())
        for entry in entries
        if entry.report is not None
    }
    noun = "system" if len({entry.system for entry in entries}) == len(entries) else "run"
    return template.render(
        entries=entries,
        noun=noun,
        is_timed=any(entry.seconds is not None for entry in entries),
        title=f"{count(len(entries), noun)}, judged" if compared is None else " and ".join(compared.labels),
        compared=compared,
        differ=() if compared is None else differing(entries),
        links=links,
        properties=properties_of(entries),
        repeat_line=repeat_line,
    )
