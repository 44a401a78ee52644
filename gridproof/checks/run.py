"""The check of one system: the audit, its trace, the verdicts and the report.

The records of the audit are written to the trace and shown to the judges as they come; the report is then made from the
trace alone, so that it says exactly what the trace shows.
"""

import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from zlib import crc32

from gridproof.arguments.configuration import Given, configuration_object
from gridproof.output.folders import REPORT_NAME
from gridproof.output.progress import Report
from gridproof.output.traces import TRACE_STEM
from gridproof.time_limit import INTERRUPTED
from gridproof_implementation.adapter import Adapter, Kind, Options
from gridproof_implementation.trace import TraceError, TraceFormat, open_trace, write_trace
from gridproof_model.events import NAMES
from gridproof_model.grid_config import GridConfig
from gridproof_model.trace import (
    EventRecord,
    OperationRecord,
    Record,
    RouteRecord,
    RunRecord,
    VerdictRecord,
    ViewRecord,
)
from gridproof_model.value import picked
from gridproof_properties.audits.conformance import Extent, check_conformance
from gridproof_properties.audits.trace_verdicts import judge_recorded, with_details
from gridproof_properties.catalogue import CATALOGUE
from gridproof_properties.judging.panel import stop_in
from gridproof_properties.judging.verdict import Verdict
from gridproof_properties.judging.verdict_records import verdict_of_record
from gridproof_properties.judging.work import Overlap, Work
from gridproof_reports.contents.report import Provenance, caveat_of
from gridproof_reports.pages.build import build_report

OPTION_OF = {"member_count": "--members", "backup_count": "--backups"}
SHOW_EVERY = 200
"""How many records pass from one update of the progress display to the next."""


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """The results of the check of one system."""

    system: str
    version: str
    seed: int
    verdicts: tuple[Verdict, ...]
    trace: Path
    report: Path | None
    """The page of the report; None if the check was interrupted before the page was written."""
    seconds: float
    config: GridConfig | None = None
    """The user's own configuration; None if there was none."""
    caveat: str = ""
    """What a check without failures does not show."""
    overlap: Overlap = field(default_factory=Overlap)
    """Whether the operations of the run overlapped, or came one after another."""
    work: Work = field(default_factory=Work)

    def as_object(self) -> Mapping[str, object]:
        """Return the object that `--json` prints; it has `configuration` and `caveat` only if these are not empty."""
        given: Mapping[str, object] = (
            {} if self.config is None else {"configuration": configuration_object(self.config)}
        )
        return {
            **picked(self, "system version seed"),
            "verdicts": [verdict_object(verdict) for verdict in self.verdicts],
            "trace": str(self.trace),
            "report": None if self.report is None else str(self.report),
            "seconds": round(self.seconds, 3),
            **given,
            **({"caveat": self.caveat} if self.caveat else {}),
            **(self.overlap.as_object() if self.overlap.operations else {}),
        }


def check_system(
    adapter: Adapter, options: Options, folder: Path, report: Report, repeat_line: str, time_limit_s: float | None
) -> CheckedRun:
    """Audit one system into `folder` and return the results; raise AdapterError if it cannot be opened in time."""
    began = time.monotonic()
    # A million routes take a tenth of the space as Parquet; a grid's few thousand records are readable JSON.
    trace_format = TraceFormat.JSON_LINES if adapter.kind is Kind.GRID else TraceFormat.PARQUET
    trace = folder / f"{TRACE_STEM}.{trace_format.value}"
    watcher = _Watcher(report)
    extent = Extent(time_limit_s=time_limit_s)
    with write_trace(trace, trace_format) as writer:

        def sink(record: Record) -> None:
            writer.write(record)
            watcher.observe(record)

        verdicts = check_conformance(adapter, replace(options, run=_name_for(adapter, options)), sink, extent=extent)
    report("writing the report", 0, None)
    audited = time.monotonic() - began
    provenance = Provenance(repeat_line=repeat_line, trace=trace.name, seconds=audited)
    page = None
    with suppress(KeyboardInterrupt):  # the status follows from what is judged so far
        if stop_in(verdicts).endswith(INTERRUPTED):
            raise KeyboardInterrupt  # a user who interrupts does not want to wait for a page
        records = run_in(trace)[1]
        page = build_report(
            records, verdicts, folder / REPORT_NAME, provenance, properties=CATALOGUE, promises=adapter.promises
        )
    return CheckedRun(
        adapter.name,
        watcher.version,
        options.seed,
        verdicts,
        trace,
        page,
        seconds=time.monotonic() - began,
        config=options.config,
        caveat=caveat_of(options.backup_count) if adapter.kind is Kind.GRID else "",
        overlap=watcher.overlap,
        work=watcher.work,
    )


def make_report(
    trace: Path, page: Path, adapter: Adapter | None, verdicts: Sequence[Verdict], provenance: Provenance | None = None
) -> Path:
    """Write the page of the first run of a trace, with these verdicts; TraceError if the trace cannot be read."""
    drawn = with_details(verdicts, lambda: run_in(trace)[1])
    promises = {} if adapter is None else adapter.promises
    known = provenance or Provenance(trace=str(trace))
    return build_report(run_in(trace)[1], drawn, page, known, properties=CATALOGUE, promises=promises)


def verdicts_in(trace: Path) -> tuple[Verdict, ...]:
    """Return the verdicts on the first run of a trace; TraceError if the trace cannot be read.

    Recorded verdicts are returned word for word; if a trace ends before its last verdict, the run is judged.
    """
    _, records = run_in(trace)
    said = (verdict_of_record(one) for one in records if isinstance(one, VerdictRecord))
    recorded = {one.property: one for one in said}
    if all(prop.name in recorded for prop in CATALOGUE):
        return tuple(recorded.values())
    return judge_recorded(*run_in(trace))


def run_in(trace: Path, run: str | None = None) -> tuple[RunRecord, Iterable[Record]]:
    """Return a run of a trace, the first unless one is named; TraceError if there is none, or if it cannot be read."""
    names: list[str] = []
    for head, records in open_trace(trace).runs():
        if run in (None, head.run):
            return head, records
        names.append(head.run)
    others = f"; the trace has {', '.join(names[:3])}{', …' if len(names) > 3 else ''}" if names else ""
    raise TraceError(f"{trace}: the trace has no run called {run}{others}")


def line_as_typed() -> str:
    """Return the command line with which this process was started."""
    return shlex.join(["gridproof", *sys.argv[1:]])


def line_to_repeat(system: str, options: Options, given: Given, *, is_grid: bool = True) -> str:
    """Return the command that repeats a check: for a grid with all counts, else only with those that the user gave."""
    words = ["gridproof", "check", "--system", system]
    counts = {"member_count": options.member_count, "backup_count": options.backup_count}
    for name, count in counts.items():
        words += [OPTION_OF[name], str(count)] if is_grid or name in options.named else []
    words += ["--seed", str(options.seed)]
    words += ["--async-backups", str(options.async_backup_count)] if options.async_backup_count else []
    words += ["--system-version", options.system_version] if options.system_version else []
    return shlex.join([*words, *given.words])


def _name_for(adapter: Adapter, options: Options) -> str:
    # A run of a live system is given no fixed name: it gets a new one each time, since no two of its runs are equal.
    if not adapter.repeatable:
        return ""
    name = f"{adapter.name}-{options.member_count}-members-{options.backup_count}-backups-seed-{options.seed}"
    if adapter.kind is not Kind.GRID:
        # A library may keep another number of copies than a grid, so the run's name has only counts that the user set.
        counts = {"member_count": f"-{options.node_count}-nodes", "backup_count": f"-{options.backup_count}-backups"}
        asked = "".join(text for count, text in counts.items() if count in options.named)
        zones = f"-zones-{crc32(','.join(options.zones).encode()):08x}" if options.zones else ""
        return f"{adapter.name}{asked}{zones}-seed-{options.seed}"
    if options.config is None:
        return f"{name}-async-{options.async_backup_count}" if options.async_backup_count else name
    # Runs with different configuration files get different names, so that their traces can be audited together.
    given = "\n".join((*options.config.taken, *options.hosts, repr(options.attributes)))
    return f"{name}-config-{crc32(given.encode()):08x}"


class _Watcher:
    """Shows on the progress display which records of a run have come, and keeps the version of the system."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._count = 0
        self._stage = "starting"
        self.version = ""
        self.overlap, self.work = Overlap(), Work()

    def observe(self, record: Record) -> None:
        """Read one record."""
        self._count += 1
        self.overlap.observe(record)
        self.work.observe(record)
        match record:
            case RunRecord():
                self.version = record.version
            case ViewRecord() | OperationRecord():
                self._stage = record.stage
            case EventRecord():
                self._stage = NAMES[record.kind]
            case RouteRecord():
                self._stage = f"{record.key_type} keys"
            case _:
                pass
        if self._count % SHOW_EVERY == 0:
            self._report(self._stage, self._count, None)


def verdict_object(verdict: Verdict) -> Mapping[str, object]:
    """Return what `--json` prints about one verdict."""
    return {
        "property": verdict.property,
        "verdict": verdict.result.value,
        "promise": verdict.promise.value,
        "promised_by": verdict.promised_by or None,
        "sentence": verdict.sentence,
        "witness": list(verdict.witness) or None,
        "compared": verdict.compared,
        "reason": None if verdict.reason is None else verdict.reason.value,
        "out_of_scope": [
            {"cause": one.cause, "source": one.source, "compared": one.compared, "failed": one.failed}
            for one in verdict.out_of_scope
        ],
        **({} if verdict.by_proof is None else {"by_proof": verdict.by_proof.as_json()}),
    }
