"""Makes a page from records and verdicts; the records are read once.

Records are read in their order, as an audit or a trace gives them; only what figures and the timeline need is kept.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gridproof_implementation.adapter import Promise
from gridproof_model.events.harness import MACHINE, TIMER, PassedOver, Remark, TakenFromFile
from gridproof_model.trace import SIMULATED, EventRecord, OperationRecord, Record, RowRecord, RunRecord
from gridproof_model.user_error import UserError
from gridproof_model.whole_file import write_whole
from gridproof_properties.campaign.over_time import OverTime
from gridproof_properties.judging.judge import Property
from gridproof_properties.judging.verdict import Verdict
from gridproof_properties.judging.work import BUSY, Overlap, Work
from gridproof_reports.contents.report import LivePart, Provenance, Report, stories_of, verdict_rows
from gridproof_reports.contents.summary import Compared, SummaryEntry
from gridproof_reports.contents.timeline import TimelineReader
from gridproof_reports.figures import FIGURES
from gridproof_reports.pages.run import render_run, render_summary
from gridproof_reports.reading.stages import Stage, StageReader

if TYPE_CHECKING:
    from gridproof_properties.campaign.losses import Losses

NOTHING_MORE = Provenance()


class ReportError(UserError):
    """Raised if no report can be made of the records; the message is one line: what is wrong, and the cure."""


class Gathering:
    """Collects what a report needs; it is a sink for the records of one run, in their order.

    The memory that it needs does not grow with the trace, except for one value per key, up to a limit, and for a few
    tables.
    """

    def __init__(self) -> None:
        self._stages = StageReader()
        self._timeline = TimelineReader()
        self._sketches = [start() for start in FIGURES]
        self._run: RunRecord | None = None
        self._lines: defaultdict[object, list[str]] = defaultdict(list)
        """The remarks of the harness, by type of event or by topic of the remark."""
        self._over_time, self._overlap, self._work = OverTime(), Overlap(), Work()
        self._losses: Losses | None = None

    def observe(self, record: Record) -> None:
        """Read the next record."""
        self._take_stage(self._stages.observe(record))
        match record:
            case RowRecord():
                return
            case RunRecord():
                self._run = self._run or record
            case EventRecord(event=(TakenFromFile(line=line) | PassedOver(line=line)) as said):
                self._lines[type(said)].append(line)
            case EventRecord(event=Remark(topic=topic, text=text)) if topic in (MACHINE, TIMER):
                self._lines[topic].append(text)
                return
            case _:
                pass
        if self._losses is None and isinstance(record, OperationRecord) and record.stage == BUSY:
            # Imported here: this module loads the workloads, too, and only a trace with clients at work needs them.
            from gridproof_properties.campaign.losses import Losses

            self._losses = Losses(self._over_time.first_fault_ms)
        for fold in (self._timeline, self._over_time, self._overlap, self._work):
            fold.observe(record)
        if self._losses is not None:
            self._losses.observe(record)
        for sketch in self._sketches:
            sketch.observe(record)

    def conclude(
        self,
        verdicts: Iterable[Verdict],
        provenance: Provenance = NOTHING_MORE,
        *,
        properties: Iterable[Property] = (),
        promises: Mapping[str, Promise] | None = None,
    ) -> Report:
        """Return the report; called once, after the last record.

        `properties` and `promises` are used to add the statement of each property and its sources. Raise ReportError if
        none of the records began a run.
        """
        if self._run is None:
            raise ReportError("the trace has no record of a run, so there is nothing to report; record the run again")
        self._take_stage(self._stages.finish())
        figures = tuple(figure for sketch in self._sketches if (figure := sketch.draw()) is not None)
        rows = verdict_rows(verdicts, properties, promises or {})
        return Report(
            self._run,
            provenance,
            rows,
            stories_of(rows),
            self._timeline.finish(),
            figures,
            taken=tuple(self._lines[TakenFromFile]),
            passed_over=tuple(self._lines[PassedOver]),
            live=self._live_part(self._run),
            unknown=tuple(self._work.unknown.values()),
        )

    def _live_part(self, run: RunRecord) -> LivePart | None:
        if run.system == SIMULATED or not self._overlap.operations:
            return None
        effects, timers = tuple(self._over_time.effects()), tuple(self._lines[TIMER])
        machine = "".join(self._lines[MACHINE][-1:])
        part = LivePart(effects, None, "", (), self._overlap.describe(), timers, machine)
        if self._losses is None:
            return part
        # Imported only here: the imported module draws charts of values over time, which few pages have.
        from gridproof_reports.drawing.over_time_drawing import draw_over_time

        figure, lost = draw_over_time(self._over_time), tuple(self._losses.lost())
        return replace(part, over_time=figure, losses=self._losses.describe(), lost=lost)

    def _take_stage(self, stage: Stage | None) -> None:
        if stage is not None:
            for sketch in self._sketches:
                sketch.observe_stage(stage)


def build_report(
    records: Iterable[Record],
    verdicts: Iterable[Verdict],
    out: Path,
    provenance: Provenance = NOTHING_MORE,
    *,
    properties: Iterable[Property] = (),
    promises: Mapping[str, Promise] | None = None,
) -> Path:
    """Write the page of one run to the file `out` and return it; arguments and errors as for `Gathering.conclude`."""
    gathering = Gathering()
    for record in records:
        gathering.observe(record)
    report = gathering.conclude(verdicts, provenance, properties=properties, promises=promises)
    return write_whole(out, render_run(report))


def build_summary(
    entries: Sequence[SummaryEntry], out: Path, *, repeat_line: str = "", compared: Compared | None = None
) -> Path:
    """Write the page that lists several systems to `out` and return the file; its links are relative to `out`."""
    return write_whole(out, render_summary(entries, out.parent, repeat_line=repeat_line, compared=compared))
